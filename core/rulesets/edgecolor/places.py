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
    edges_fit,
    lay_blocker,
    lay_card,
)
from kifold.core.rulesets.edgecolor.cards import ALL_CARDS, COVERS_BOTH, COVERS_ONLY
from kifold.core.rulesets.edgecolor.declaration import MOST_CELLS, NO_CELL, State
from kifold.core.rulesets.edgecolor.names import (
    BLOCKER_THERE,
    COVER_ONLY,
    DECK_CELL,
    NOT_CONNECTED,
    OFF_BOARD,
    OPENING_NOT_BESIDE_DECK,
    SOLO,
    STACK_TOO_EARLY,
)

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


def why_no_card_there(state: State, cell: int) -> int:
    """What speaks against a cell whatever the card is (003.4 a–c; 003.5 for solo)."""
    reason = why_nothing_there(state, cell)
    if reason != LEGAL:
        return reason
    if not state.opened:
        return LEGAL if may_open(state, cell) else OPENING_NOT_BESIDE_DECK
    is_stack = state.cards >> cell & 1
    if not is_connected(state, cell) and not (is_stack and not state.stack_needs_neighbour):
        return NOT_CONNECTED
    if is_stack and state.variant == SOLO and state.covered < SOLO_SPREAD:
        return STACK_TOO_EARLY
    return LEGAL


def may_open(state: State, cell: int) -> bool:
    """The opening card lies beside the deck; where the deck is beside the board, anywhere (003.4 b)."""
    return state.deck_cell == NO_CELL or beside(state, state.deck_cell) >> cell & 1 == 1


def is_connected(state: State, cell: int) -> bool:
    """Whether a card lies beside the cell (003.4 c). The deck is none; a blocker is one (003-13)."""
    cards = state.cards | state.blockers if state.blocker_connects else state.cards
    return beside(state, cell) & cards != 0


def marks_fit(state: State, cell: int) -> int:
    """The cards whose marks may cover what lies on a cell: all, where no card does (003-3)."""
    if not state.cards >> cell & 1:
        return ALL_CARDS
    mark = state.tops[cell] & 3
    return COVERS_ONLY[mark] if state.black_mark == COVER_ONLY else COVERS_BOTH[mark]


def note_places(state: State, cell: int) -> None:
    """Work out which cards may lie on a cell."""
    upright, turned = 0, 0
    if why_no_card_there(state, cell) == LEGAL:
        marks = marks_fit(state, cell)
        upright = marks & edges_fit(state, cell, 0)
        turned = marks & edges_fit(state, cell, 1)
    state.places[2 * cell] = upright
    state.places[2 * cell + 1] = turned


def note_all_places(state: State) -> None:
    """Work out which cards may lie on every cell."""
    for cell in range(state.size * state.size):
        note_places(state, cell)


def note_places_around(state: State, cell: int) -> None:
    """Work out again what a change of one cell touches: itself and its neighbours."""
    note_places(state, cell)
    at = ((state.size - SMALLEST) * MOST_CELLS + cell) * 4
    for side in range(4):
        neighbour = NEIGHBOUR[at + side]
        if neighbour != NO_CELL:
            note_places(state, neighbour)


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
    for cell in range(state.size * state.size):
        if (state.places[2 * cell] | state.places[2 * cell + 1]) & cards:
            return True
    return False


def blocker_cells(state: State) -> int:
    """The cells on which a hand blocker may be laid: any that is not closed and has no blocker (003-14)."""
    cells = all_cells(state) & ~state.blockers
    if state.deck_cell != NO_CELL and is_closed(state, state.deck_cell):
        cells &= ~(1 << state.deck_cell)
    return cells
