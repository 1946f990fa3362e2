"""Questions about a board: where a form lies, what it touches, whether a colour can place. How it is kept: `words`."""

from __future__ import annotations

from kifold.core.bits import count_bits, lowest_bit
from kifold.core.rulesets.blokus.declaration import DUO, SIDE, WORDS, State
from kifold.core.rulesets.blokus.growth import NODE_AFTER, NODE_PIECE, NODE_STEP, NODES
from kifold.core.rulesets.blokus.pieces import (
    ALL_PIECES,
    FORM_HEIGHT,
    FORM_ROWS,
    FORM_WIDTH,
    MOST_SQUARES,
    N_PIECES,
    ROWS_OF_FORM,
    SQUARES,
)
from kifold.core.rulesets.blokus.words import (
    FIRST_WORD,
    FORM_CORNERS,
    FORM_EDGES,
    FORM_SQUARES,
    PHASE,
    ROW_OF_BIT,
    WORD,
    bit_of,
    word_of,
)

# Start squares by colour (001-1, and for duo 001.7): column, row.
CORNER_COLUMN = [0, 1, 1, 0]
CORNER_ROW = [1, 1, 0, 0]
DUO_COLUMN = [4, 9]
DUO_ROW = [9, 4]


def lay_out(state: State) -> None:
    """An empty board, and on it the start squares of each colour."""
    for y in range(state.side):
        state.board[word_of(y)] |= ((1 << state.side) - 1) << bit_of(0, y)
    far = state.side - 1
    for colour in range(state.colours):
        if state.variant == DUO:
            add_anchor(state, colour, DUO_COLUMN[colour], DUO_ROW[colour])
        elif state.starts_by_colour:
            add_anchor(state, colour, far * CORNER_COLUMN[colour], far * CORNER_ROW[colour])
        else:
            for corner in range(4):
                add_anchor(state, colour, far * CORNER_COLUMN[corner], far * CORNER_ROW[corner])


def add_anchor(state: State, colour: int, x: int, y: int) -> None:
    """Let (x, y) be a square of which the colour's next piece has to cover one."""
    state.anchors[colour * WORDS + word_of(y)] |= 1 << bit_of(x, y)


def is_anchor(state: State, colour: int, x: int, y: int) -> bool:
    """Whether (x, y) is a square of which the colour's next piece has to cover one."""
    return state.anchors[colour * WORDS + word_of(y)] >> bit_of(x, y) & 1 == 1


def on_board(state: State, form: int, x: int, y: int) -> bool:
    """Whether a form at (x, y) lies within the board."""
    return x + FORM_WIDTH[form] <= state.side and y + FORM_HEIGHT[form] <= state.side


def overlaps(state: State, form: int, x: int, y: int) -> bool:
    """Whether a form at (x, y) covers a taken square."""
    shape, first = 9 * form + PHASE[y], FIRST_WORD[y]
    shared = state.taken[first] & FORM_SQUARES[shape] << x
    shared |= state.taken[first + 1] & FORM_SQUARES[shape + 1] << x
    shared |= state.taken[first + 2] & FORM_SQUARES[shape + 2] << x
    return shared != 0


def touches_own_edge(state: State, colour: int, form: int, x: int, y: int) -> bool:
    """Whether a form at (x, y) shares a side with a square of the colour."""
    shape, first = 9 * form + PHASE[y], colour * WORDS + FIRST_WORD[y]
    shared = state.edges[first] & FORM_SQUARES[shape] << x
    shared |= state.edges[first + 1] & FORM_SQUARES[shape + 1] << x
    shared |= state.edges[first + 2] & FORM_SQUARES[shape + 2] << x
    return shared != 0


def covers_anchor(state: State, colour: int, form: int, x: int, y: int) -> bool:
    """Whether a form at (x, y) covers a start square, or later one that touches the colour at a corner."""
    shape, first = 9 * form + PHASE[y], colour * WORDS + FIRST_WORD[y]
    shared = state.anchors[first] & FORM_SQUARES[shape] << x
    shared |= state.anchors[first + 1] & FORM_SQUARES[shape + 1] << x
    shared |= state.anchors[first + 2] & FORM_SQUARES[shape + 2] << x
    return shared != 0


def put(state: State, colour: int, piece: int, form: int, x: int, y: int) -> None:
    """Lay a form down at (x, y)."""
    if state.left[colour] == ALL_PIECES:
        for word in range(colour * WORDS, colour * WORDS + WORDS):
            state.anchors[word] = 0
    state.left[colour] &= ~(1 << piece)
    # Always five rows, from a lower one where five would reach over the board: a loop as long as the form is high
    # would be guessed wrong by the processor, and cost as much as the rest of this function.
    low = min(SIDE - MOST_SQUARES, y)
    own, row = colour * SIDE + low, ROWS_OF_FORM * form + low - y + MOST_SQUARES - 1
    for i in range(MOST_SQUARES):
        state.own[own + i] |= FORM_ROWS[row + i] << x
    shape, first = 9 * form + PHASE[y], FIRST_WORD[y]
    of_colour = colour * WORDS + first
    for i in range(3):
        state.taken[first + i] |= FORM_SQUARES[shape + i] << x
        state.edges[of_colour + i] |= FORM_EDGES[shape + i] << x & WORD
        state.anchors[of_colour + i] |= FORM_CORNERS[shape + i] << x & WORD


def spread(state: State, colour: int) -> int:
    """Work out `open_words`, the squares that a piece of the colour may cover, and `anchor_words`, those of which it
    has to cover one. Returns the union of the anchors: 0 when there are none.
    """
    union = 0
    for word in range(WORDS):
        squares = state.board[word] & ~(state.taken[word] | state.edges[colour * WORDS + word])
        anchors = squares & state.anchors[colour * WORDS + word]
        state.open_words[word] = squares
        state.anchor_words[word] = anchors
        union |= anchors
    return union


def can_place(state: State, colour: int) -> bool:
    """Whether a colour has a placement anywhere."""
    if state.blocked >> colour & 1 or state.left[colour] == 0 or spread(state, colour) == 0:
        return False
    for word in range(WORDS):
        anchors = state.anchor_words[word]
        while anchors:
            if grows(state, state.left[colour], word, lowest_bit(anchors)):
                return True
            anchors &= anchors - 1
    return False


def grows(state: State, pieces: int, word: int, bit: int) -> bool:
    """After `spread`, whether one of the pieces has a place with this open square in it."""
    steps, node = NODES * ROW_OF_BIT[bit], 0
    while node < len(NODE_PIECE):
        at = 64 * word + bit + NODE_STEP[steps + node]
        if not state.open_words[at >> 6] >> (at & 63) & 1:
            node = NODE_AFTER[node]
        elif pieces >> NODE_PIECE[node] & 1:
            return True
        else:
            node += 1
    return False


def squares_left(state: State, colour: int) -> int:
    """How many squares the colour's remaining pieces have."""
    squares = 0
    for piece in range(N_PIECES):
        if state.left[colour] >> piece & 1:
            squares += SQUARES[piece]
    return squares


def pieces_left(state: State, colour: int) -> int:
    """How many pieces a colour still has."""
    return count_bits(state.left[colour])
