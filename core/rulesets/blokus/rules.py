"""The rules of Blokus, as the rule book has them. Rule file blokus.md."""

from __future__ import annotations

from kifold.core.bits import lowest_bit
from kifold.core.emit import EventRecord, Out, slot
from kifold.core.events import tag_of
from kifold.core.names import LEGAL
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.blokus.board import (
    can_place,
    covers_anchor,
    lay_out,
    on_board,
    overlaps,
    pieces_left,
    put,
    spread,
    touches_own_edge,
)
from kifold.core.rulesets.blokus.declaration import (
    ALL_PLACED,
    BONUS,
    BY_ORDER,
    COLOUR_NOT_IN_PLAY,
    COLOURS_OF,
    GREEN,
    INCOMPLETE_SETUP,
    MATCH_OVER,
    MISSES_START,
    MONOMINO_BONUS,
    MONOMINO_LAST,
    NO_OWN_CORNER,
    NOT_A_PIECE,
    NOT_YOUR_TURN,
    OFF_BOARD,
    OVERLAPS,
    PASSED_OUT,
    PASSING_NOT_ALLOWED,
    PIECE_ALREADY_PLACED,
    PLANE,
    ROWS,
    SIDE_OF,
    SKIPPED,
    START_CORNER,
    THREE_PLAYER,
    TOUCHES_OWN_EDGE,
    TWO_PLAYER,
    Pass,
    Place,
    State,
)
from kifold.core.rulesets.blokus.pieces import (
    ALL_PIECES,
    FIRST_FORM,
    MONOMINO,
    N_PIECES,
    ORIENTATION_OF_FORM,
    ORIENTATIONS,
    PIECE_OF_FORM,
)
from kifold.core.rulesets.blokus.places import find_places, spread_out
from kifold.core.rulesets.blokus.words import COLUMN_OF_BIT, ROW_OF_BIT

PLACE, PASS = tag_of(Place), tag_of(Pass)
BY_COLOUR = START_CORNER.number("by_colour")


def set_up(state: State, setup: EventRecord) -> int:
    """An empty board, and on it the pieces that were set up by hand; each needs an entry in all five lists."""
    state.variant = setup.variant
    state.seats = setup.seats
    state.colours = COLOURS_OF[setup.variant]
    state.side = SIDE_OF[setup.variant]
    state.starts_by_colour = 1 if setup.start_corner == BY_COLOUR else 0
    state.voluntary_pass = setup.voluntary_pass
    state.plane = PLANE
    lay_out(state)
    for colour in range(state.colours):
        state.left[colour] = ALL_PIECES
    if min(setup.n_colours, setup.n_orientations, setup.n_xs, setup.n_ys) != setup.n_pieces:
        return INCOMPLETE_SETUP
    if max(setup.n_colours, setup.n_orientations, setup.n_xs, setup.n_ys) != setup.n_pieces:
        return INCOMPLETE_SETUP
    for i in range(setup.n_pieces):
        colour, piece = setup.colours[i], setup.pieces[i]
        reason = why_not_on_board(state, colour, piece, setup.orientations[i], setup.xs[i], setup.ys[i])
        if reason != LEGAL:
            return reason
        put(state, colour, piece, FIRST_FORM[piece] + setup.orientations[i], setup.xs[i], setup.ys[i])
        if state.left[colour] == 0:
            state.bonus[colour] = BONUS
    first = 0 if setup.to_move == BY_ORDER else setup.to_move
    if first >= state.colours:
        return COLOUR_NOT_IN_PLAY
    state.last = (first - 1) % state.colours
    return LEGAL


def check(state: State, event: EventRecord) -> int:
    """Why the event is refused."""
    if state.passed_out:
        return MATCH_OVER
    reason = why_not_pass(state, event.colour) if event.tag == PASS else why_not_place(state, event)
    if reason != LEGAL:
        # Whether the match is over is dear to find out, and then nothing is legal anyway: so it is asked only here.
        return MATCH_OVER if colour_to_move(state) == NOBODY else reason
    return LEGAL if is_turn_of(state, event.colour) else NOT_YOUR_TURN


def why_not_pass(state: State, colour: int) -> int:
    """Reading 001-2: a colour may pass if that is played and it could place."""
    if colour >= state.colours:
        return COLOUR_NOT_IN_PLAY
    if not state.voluntary_pass or not can_place(state, colour):
        return PASSING_NOT_ALLOWED
    return LEGAL


def why_not_on_board(state: State, colour: int, piece: int, orientation: int, x: int, y: int) -> int:
    """A piece that the colour still has, on squares of the board that are free."""
    if colour >= state.colours:
        return COLOUR_NOT_IN_PLAY
    if orientation >= ORIENTATIONS[piece]:
        return NOT_A_PIECE
    form = FIRST_FORM[piece] + orientation
    if not state.left[colour] >> piece & 1:
        return PIECE_ALREADY_PLACED
    if not on_board(state, form, x, y):
        return OFF_BOARD
    if overlaps(state, form, x, y):
        return OVERLAPS
    return LEGAL


def why_not_place(state: State, event: EventRecord) -> int:
    """The first piece covers a start square; every later one touches its own colour, at corners only."""
    colour, x, y = event.colour, event.x, event.y
    reason = why_not_on_board(state, colour, event.piece, event.orientation, x, y)
    if reason != LEGAL:
        return reason
    form = FIRST_FORM[event.piece] + event.orientation
    if touches_own_edge(state, colour, form, x, y):
        return TOUCHES_OWN_EDGE
    if not covers_anchor(state, colour, form, x, y):
        return MISSES_START if state.left[colour] == ALL_PIECES else NO_OWN_CORNER
    return LEGAL


def next_colour(state: State, colour: int) -> int:
    """The colour after this one in order; a remainder costs more."""
    return colour + 1 if colour + 1 < state.colours else 0


def is_turn_of(state: State, colour: int) -> bool:
    """Whether every colour between the last to act and this one can place nothing (this one can place)."""
    between = next_colour(state, state.last)
    while between != colour:
        if can_place(state, between):
            return False
        between = next_colour(state, between)
    return True


def apply(state: State, event: EventRecord) -> int:
    """Lay the piece down; colours that were passed over are blocked for good."""
    colour = event.colour
    effects = 0
    between = next_colour(state, state.last)
    while between != colour:
        state.blocked |= 1 << between
        effects |= SKIPPED
        between = next_colour(state, between)
    state.last = colour
    if event.tag == PASS:
        state.passes |= 1 << colour
        if has_everyone_passed(state):
            state.passed_out = 1
            effects |= PASSED_OUT
        return effects
    state.passes = 0
    put(state, colour, event.piece, FIRST_FORM[event.piece] + event.orientation, event.x, event.y)
    if state.left[colour] == 0:
        state.bonus[colour] = MONOMINO_BONUS if event.piece == MONOMINO else BONUS
        effects |= MONOMINO_LAST if event.piece == MONOMINO else ALL_PLACED
    return effects


def has_everyone_passed(state: State) -> bool:
    """Whether every colour that can place has passed since the last placement."""
    for colour in range(state.colours):
        if not state.passes >> colour & 1 and can_place(state, colour):
            return False
    return True


def colour_to_move(state: State) -> int:
    """The next colour in order that can place, or `NOBODY`."""
    if not state.passed_out:
        for step in range(1, state.colours + 1):
            colour = (state.last + step) % state.colours
            if can_place(state, colour):
                return colour
    return NOBODY


def seat_of(state: State, colour: int) -> int:
    """The seat that plays a colour now (001.7)."""
    if state.variant == TWO_PLAYER:
        return colour % 2
    if state.variant == THREE_PLAYER and colour == GREEN:
        return (N_PIECES - pieces_left(state, GREEN)) % 3
    return colour


def turn(state: State) -> int:
    """The seat that plays the colour to move."""
    colour = colour_to_move(state)
    return NOBODY if colour == NOBODY else seat_of(state, colour)


def actor(state: State, event: EventRecord) -> int:
    """The seat that plays the event's colour."""
    return seat_of(state, event.colour)


def legal(state: State, seat: int, out: Out) -> int:
    """The placements, and perhaps the pass, of the colour to move; out of turn those of the seat's own colours."""
    colour = colour_to_move(state)
    if colour != NOBODY and seat_of(state, colour) == seat:
        n = list_placements(state, colour, out, 0)
        if state.voluntary_pass:
            event = slot(out, n)
            event.tag = PASS
            event.colour = colour
            n += 1
        return n
    n = 0
    if not state.passed_out:
        for own in range(state.colours):
            is_shared = state.variant == THREE_PLAYER and own == GREEN
            if not is_shared and seat_of(state, own) == seat:
                n = list_placements(state, own, out, n)
    return n


def list_placements(state: State, colour: int, out: Out, n: int) -> int:
    """Append every placement of a colour to `out`, from number n on; the new number."""
    if state.blocked >> colour & 1 or spread(state, colour) == 0:
        return n
    spread_out(state)
    at, end = 0, find_places(state, state.left[colour])
    # One loop over the bits of all words: with a loop for each word the processor guesses wrong where it ends, which
    # takes a third more time.
    while at < end:
        places, where = state.found[at], state.found_at[at]
        form, word = where >> 3, where & 7
        bit = lowest_bit(places)
        event = slot(out, n)
        event.tag = PLACE
        event.colour = colour
        event.piece = PIECE_OF_FORM[form]
        event.orientation = ORIENTATION_OF_FORM[form]
        event.x = COLUMN_OF_BIT[bit]
        event.y = ROWS * word + ROW_OF_BIT[bit] - 1
        n += 1
        places &= places - 1
        state.found[at] = places
        at += places == 0
    return n
