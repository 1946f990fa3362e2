"""Bit rows below the rules: where a form lies, what it touches, and where it fits.

Rows of a form are shifted to its column and tested against rows of the board, so a question about up to five squares is
one `and`. Listing goes the other way round: for one form, all columns of three rows of the board are tested at once.
"""

from __future__ import annotations

from kifold.core.bits import count_bits
from kifold.core.rulesets.blokus.declaration import DUO, GUARDED, SIDE, STRIDE, WORDS, State
from kifold.core.rulesets.blokus.pieces import (
    ALL_PIECES,
    FIRST_FORM,
    FORM_CELLS,
    FORM_CORNERS,
    FORM_EDGES,
    FORM_HEIGHT,
    FORM_ROWS,
    FORM_WIDTH,
    MOST_SQUARES,
    N_PIECES,
    ORIENTATIONS,
    RIM_ROWS,
    SQUARES,
)

THREE_ROWS = (1 << 3 * STRIDE) - 1
COLUMN_OF_BIT = [bit % STRIDE for bit in range(3 * STRIDE)]
ROW_OF_BIT = [bit // STRIDE for bit in range(3 * STRIDE)]
"""Where each bit of such a word lies: dividing costs more than looking it up."""
FORM_WORD = [WORDS * x + y for form in FORM_CELLS for x, y in (*form, *(form[-1:] * (MOST_SQUARES - len(form))))]
"""The word of each cell of form f at `MOST_SQUARES`·f …, its last one repeated up to so many."""

# Start squares by colour (001-1, and for duo 001.7): column, row.
CORNER_COLUMN = [0, 1, 1, 0]
CORNER_ROW = [1, 1, 0, 0]
DUO_COLUMN = [4, 9]
DUO_ROW = [9, 4]


def on_board(state: State, form: int, x: int, y: int) -> bool:
    """Whether a form at (x, y) lies within the board."""
    return x + FORM_WIDTH[form] <= state.side and y + FORM_HEIGHT[form] <= state.side


def overlaps(state: State, form: int, x: int, y: int) -> bool:
    """Whether a form at (x, y) covers a taken square."""
    for row in range(FORM_HEIGHT[form]):
        if state.taken[y + row] & (FORM_ROWS[form * MOST_SQUARES + row] << x):
            return True
    return False


def touches_own_edge(state: State, colour: int, form: int, x: int, y: int) -> bool:
    """Whether a form at (x, y) shares a side with a square of the colour."""
    for row in range(FORM_HEIGHT[form]):
        if state.edges[colour * GUARDED + y + 1 + row] & (FORM_ROWS[form * MOST_SQUARES + row] << x):
            return True
    return False


def touches_own_corner(state: State, colour: int, form: int, x: int, y: int) -> bool:
    """Whether a square of a form at (x, y) touches the colour at a corner."""
    for row in range(FORM_HEIGHT[form]):
        if state.corners[colour * GUARDED + y + 1 + row] & (FORM_ROWS[form * MOST_SQUARES + row] << x):
            return True
    return False


def start_row(state: State, colour: int, y: int) -> int:
    """The squares of row y of which a colour's first piece has to cover one."""
    far = state.side - 1
    if state.variant == DUO:
        return 1 << DUO_COLUMN[colour] if y == DUO_ROW[colour] else 0
    if state.starts_by_colour:
        return 1 << (far * CORNER_COLUMN[colour]) if y == far * CORNER_ROW[colour] else 0
    return (1 | 1 << far) if y in (0, far) else 0


def covers_start(state: State, colour: int, form: int, x: int, y: int) -> bool:
    """Whether a form at (x, y) covers a start square of the colour."""
    for row in range(FORM_HEIGHT[form]):
        if start_row(state, colour, y + row) & (FORM_ROWS[form * MOST_SQUARES + row] << x):
            return True
    return False


def put(state: State, colour: int, piece: int, form: int, x: int, y: int) -> None:
    """Lay a form down at (x, y)."""
    state.left[colour] &= ~(1 << piece)
    for row in range(FORM_HEIGHT[form]):
        squares = FORM_ROWS[form * MOST_SQUARES + row] << x
        state.own[colour * SIDE + y + row] |= squares
        state.taken[y + row] |= squares
    for row in range(FORM_HEIGHT[form] + 2):
        at = colour * GUARDED + y + row
        state.edges[at] |= FORM_EDGES[form * RIM_ROWS + row] << x >> 1
        state.corners[at] |= FORM_CORNERS[form * RIM_ROWS + row] << x >> 1


def spread(state: State, colour: int) -> int:
    """Write the words in which `places` looks: `open_words`, the squares that a piece of the colour may cover, and
    `anchor_words`, those of which it has to cover one. Word y holds rows y … y + 2, `STRIDE` bits each: the bit between
    two rows is never set, so no form fits across it. Word `WORDS`·d + y is the same shifted by d columns. Returns the
    union of the anchors: 0 when there are none.
    """
    is_first = state.left[colour] == ALL_PIECES
    open_word, anchor_word, union = 0, 0, 0
    for y in range(state.side - 1, -1, -1):
        at = colour * GUARDED + y + 1
        row = state.columns & ~(state.taken[y] | state.edges[at])
        anchors = row & (start_row(state, colour, y) if is_first else state.corners[at])
        union |= anchors
        open_word = (open_word << STRIDE | row) & THREE_ROWS
        anchor_word = (anchor_word << STRIDE | anchors) & THREE_ROWS
        for shift in range(MOST_SQUARES):
            state.open_words[WORDS * shift + y] = open_word >> shift
            state.anchor_words[WORDS * shift + y] = anchor_word >> shift
    return union


def places(state: State, form: int, y: int) -> int:
    """Where a form may go with its lowest row in y … y + 2, after `spread`: bit `STRIDE`·(row − y) + column."""
    a, b, c, d, e = (
        y + FORM_WORD[form * MOST_SQUARES],
        y + FORM_WORD[form * MOST_SQUARES + 1],
        y + FORM_WORD[form * MOST_SQUARES + 2],
        y + FORM_WORD[form * MOST_SQUARES + 3],
        y + FORM_WORD[form * MOST_SQUARES + 4],
    )
    fits = state.open_words[a] & state.open_words[b] & state.open_words[c] & state.open_words[d] & state.open_words[e]
    if fits == 0:
        return 0
    return fits & (
        state.anchor_words[a]
        | state.anchor_words[b]
        | state.anchor_words[c]
        | state.anchor_words[d]
        | state.anchor_words[e]
    )


def can_place(state: State, colour: int) -> bool:
    """Whether a colour has a placement anywhere."""
    if state.blocked >> colour & 1 or state.left[colour] == 0 or spread(state, colour) == 0:
        return False
    for piece in range(N_PIECES):
        if state.left[colour] >> piece & 1:
            for form in range(FIRST_FORM[piece], FIRST_FORM[piece] + ORIENTATIONS[piece]):
                for y in range(0, state.side, 3):
                    if places(state, form, y):
                        return True
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
