"""Where a card may lie (003.4 a–e), and for every cell the set of cards that may lie there.

`places` of the state follows from what lies on the board, so it is worked out again only for the cells that a play
touches: then "can this hand play at all" is a few `and`s.
"""

from __future__ import annotations

from kifold.core.names import LEGAL
from kifold.core.rulesets.edgecolor.board import (
    NEIGHBOUR,
    SMALLEST,
    all_cells,
    beside,
    beside_any,
    edges_fit,
    lay_blocker,
    lay_card,
)
from kifold.core.rulesets.edgecolor.cards import ALL_CARDS, COVERS_BOTH, COVERS_ONLY, N_CARDS, mark_of
from kifold.core.rulesets.edgecolor.declaration import MOST_CELLS, NO_CELL, State
from kifold.core.rulesets.edgecolor.names import (
    BLACK_MARK,
    BLOCKER_THERE,
    COVER_ONLY,
    DECK_CELL,
    EDGE_MISMATCH,
    FLIP_NOT_CANONICAL,
    MARK_MISMATCH,
    NOT_CONNECTED,
    OFF_BOARD,
    OPENING_NOT_BESIDE_DECK,
    SOLO,
    STACK_TOO_EARLY,
)


def _covers(reading: int, top: int) -> int:
    if top >= N_CARDS:
        return ALL_CARDS
    return (COVERS_ONLY if reading == COVER_ONLY else COVERS_BOTH)[mark_of(top)]


TOPS = N_CARDS + 2
COVERS = [_covers(reading, top) for reading in range(len(BLACK_MARK.values)) for top in range(TOPS)]
"""The cards whose marks may cover what lies on top of a cell (003-3), a blocker and nothing included: by the reading of
`black_mark`, at reading · `TOPS` + top.
"""

SOLO_SPREAD = 4
"""So many cells have to be covered in solo before cards may be stacked (003-30)."""


def is_closed(state: State, cell: int) -> bool:
    """Whether the deck lies on the cell, or the cell stays closed after it (003-12)."""
    return cell == state.deck_cell and (state.deck > 0 or not state.centre_opens)


def why_nothing_there(state: State, cell: int) -> int:
    """What speaks against a cell whatever is to be laid on it (003.4 a)."""
    if cell >= state.size * state.size:
        return OFF_BOARD
    if is_closed(state, cell):
        return DECK_CELL
    if state.blockers >> cell & 1:
        return BLOCKER_THERE
    return LEGAL


def has_place_at(state: State, card: int, cell: int, flip: int) -> bool:
    """Whether a card may be laid on a cell that way up."""
    return state.places[2 * cell + flip] >> card & 1 == 1


def why_no_place(state: State, card: int, cell: int, flip: int) -> int:
    """What speaks against laying a card, that has no place there, on a cell that way up (003.4 a–e)."""
    if flip and not state.turnable >> card & 1:
        return FLIP_NOT_CANONICAL
    reason = why_nothing_there(state, cell)
    if reason != LEGAL:
        return reason
    if not card_cells(state) >> cell & 1:
        return why_no_card_there(state, cell)
    return MARK_MISMATCH if edges_fit(state, cell, flip) >> card & 1 else EDGE_MISMATCH


def why_no_card_there(state: State, cell: int) -> int:
    """What speaks against a cell that is none of `card_cells`, though a blocker could lie there."""
    if not state.opened:
        return OPENING_NOT_BESIDE_DECK
    return STACK_TOO_EARLY if connected_cells(state) >> cell & 1 else NOT_CONNECTED


def card_cells(state: State) -> int:
    """The cells on which a card may be laid, whatever it is (003.4 a–c; 003.5 for solo).

    The opening card lies beside the deck; where the deck is beside the board, anywhere.
    """
    cells = blocker_cells(state)
    if not state.opened:
        return cells if state.deck_cell == NO_CELL else cells & beside(state, state.deck_cell)
    if state.variant == SOLO and state.covered < SOLO_SPREAD:
        cells &= ~state.cards
    return cells & connected_cells(state)


def connected_cells(state: State) -> int:
    """The cells with a card beside them (003.4 c), and stacks where these need none. The deck is no card; a blocker is
    one (003-13).
    """
    cells = beside_any(state, state.cards | state.blockers if state.blocker_connects else state.cards)
    return cells if state.stack_needs_neighbour else cells | state.cards


def note_places(state: State, cells: int, cell: int) -> None:
    """Work out which cards may lie on a cell; `cells` are those on which any may."""
    upright, turned = 0, 0
    if cells >> cell & 1:
        marks, faces = COVERS[TOPS * state.black_mark + state.tops[cell]], 4 * cell
        north, east = state.facing[faces], 5 + state.facing[faces + 1]
        south, west = 10 + state.facing[faces + 2], 15 + state.facing[faces + 3]
        fitting = state.fitting
        upright = marks & fitting[north] & fitting[east] & fitting[south] & fitting[west]
        turned = marks & fitting[20 + north] & fitting[20 + east] & fitting[20 + south] & fitting[20 + west]
    state.places[2 * cell] = upright
    state.places[2 * cell + 1] = turned


def note_all_places(state: State) -> None:
    """Work out which cards may lie on every cell."""
    cells = card_cells(state)
    for cell in range(state.size * state.size):
        note_places(state, cells, cell)


def note_places_around(state: State, cell: int) -> None:
    """Work out again what a change of one cell touches: itself and its neighbours."""
    cells = card_cells(state)
    note_places(state, cells, cell)
    at = ((state.size - SMALLEST) * MOST_CELLS + cell) * 4
    for side in range(4):
        neighbour = NEIGHBOUR[at + side]
        if neighbour != NO_CELL:
            note_places(state, cells, neighbour)


def place_card(state: State, card: int, cell: int, flip: int) -> None:
    """Lay a card on the board."""
    was_open, was_covered = state.opened, state.covered
    lay_card(state, card, cell, flip)
    state.opened = 1
    if not was_open or (state.variant == SOLO and state.covered != was_covered and state.covered == SOLO_SPREAD):
        note_all_places(state)
    else:
        note_places_around(state, cell)


def place_blocker(state: State, cell: int) -> None:
    """Put a blocker on the board."""
    lay_blocker(state, cell)
    note_places_around(state, cell)


def has_place(state: State, cards: int) -> bool:
    """Whether one of these cards may lie somewhere."""
    for at in range(0, 2 * state.size * state.size, 2):
        if (state.places[at] | state.places[at + 1]) & cards:
            return True
    return False


def blocker_cells(state: State) -> int:
    """The cells on which a hand blocker may be laid: any that is not closed and has no blocker (003-14)."""
    cells = all_cells(state) & ~state.blockers
    if state.deck_cell != NO_CELL and is_closed(state, state.deck_cell):
        cells &= ~(1 << state.deck_cell)
    return cells
