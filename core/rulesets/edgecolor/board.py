"""The board below the rules: which cells touch, what lies where, and which colour faces which side."""

from __future__ import annotations

from kifold.core.rulesets.edgecolor.cards import ALL_CARDS, BLACK, CATALOGUE_A, EAST, N_TYPES, NORTH, SOUTH, WEST
from kifold.core.rulesets.edgecolor.declaration import (
    BLOCKER,
    FREE,
    MOST_CELLS,
    NO_CELL,
    NOTHING,
    State,
)
from kifold.core.rulesets.edgecolor.names import DUO, SOLO

SMALLEST, LARGEST = 3, 5


def _neighbour(size: int, cell: int, side: int) -> int:
    if cell >= size * size:
        return NO_CELL
    row, column = divmod(cell, size)
    row += {NORTH: -1, SOUTH: 1}.get(side, 0)
    column += {WEST: -1, EAST: 1}.get(side, 0)
    return row * size + column if 0 <= row < size and 0 <= column < size else NO_CELL


NEIGHBOUR = [
    _neighbour(size, cell, side)
    for size in range(SMALLEST, LARGEST + 1)
    for cell in range(MOST_CELLS)
    for side in range(4)
]
"""The cell on a side of a cell, or `NO_CELL`: for a board of size n at ((n − 3) · 25 + cell) · 4 + side."""

ACROSS = [neighbour * 4 + (i % 4 ^ 2) if neighbour != NO_CELL else NO_CELL for i, neighbour in enumerate(NEIGHBOUR)]
"""The side that touches a side of a cell, as 4 · cell + side, or `NO_CELL`: numbered as in `NEIGHBOUR`."""

BESIDE = [sum(1 << cell for cell in NEIGHBOUR[at : at + 4] if cell != NO_CELL) for at in range(0, len(NEIGHBOUR), 4)]
"""The cells that share a side with a cell: at (n − 3) · 25 + cell."""

ALL_CELLS = [(1 << size * size) - 1 for size in range(SMALLEST, LARGEST + 1)]
LAST_COLUMN = [sum(1 << row * size + size - 1 for row in range(size)) for size in range(SMALLEST, LARGEST + 1)]
# The cells around the deck on 5×5, without and with those that touch it at a corner only (003-11).
CROSS = BESIDE[(LARGEST - SMALLEST) * MOST_CELLS + 12]
RING = sum(1 << row * LARGEST + column for row in (1, 2, 3) for column in (1, 2, 3)) & ~(1 << 12)


def beside(state: State, cell: int) -> int:
    """The cells that share a side with a cell."""
    return BESIDE[(state.size - SMALLEST) * MOST_CELLS + cell]


def beside_any(state: State, cells: int) -> int:
    """The cells that share a side with one of these cells."""
    last = LAST_COLUMN[state.size - SMALLEST]
    in_rows = (cells & ~last) << 1 | cells >> 1 & ~last
    return (cells << state.size | cells >> state.size | in_rows) & ALL_CELLS[state.size - SMALLEST]


def all_cells(state: State) -> int:
    """The cells of the grid."""
    return ALL_CELLS[state.size - SMALLEST]


def lay_card(state: State, card: int, cell: int, flip: int) -> None:
    """Lay a card on a cell: its sides face the cells around. After a half turn its south shows north."""
    lay(state, card, cell)
    state.cards |= 1 << cell
    state.flips = (state.flips & ~(1 << cell)) | flip << cell
    at, sides, turned = ((state.size - SMALLEST) * MOST_CELLS + cell) * 4, (card >> 2) * 4, flip << 1
    for side in range(4):
        across = ACROSS[at + side]
        if across != NO_CELL:
            state.facing[across] = state.edges[sides + (side ^ turned)]


def lay_blocker(state: State, cell: int) -> None:
    """Put a blocker on a cell: nothing faces the cells around any more."""
    lay(state, BLOCKER, cell)
    state.cards &= ~(1 << cell)
    state.flips &= ~(1 << cell)
    state.blockers |= 1 << cell
    at = ((state.size - SMALLEST) * MOST_CELLS + cell) * 4
    for side in range(4):
        across = ACROSS[at + side]
        if across != NO_CELL:
            state.facing[across] = FREE


def lay(state: State, top: int, cell: int) -> None:
    """Put something on a cell."""
    if state.tops[cell] == NOTHING:
        state.covered += 1
    state.tops[cell] = top


def matches(state: State, card: int, cell: int, flip: int) -> int:
    """How many sides of a card would touch their own colour, black aside (003.2)."""
    found, faces, sides, turned = 0, cell * 4, (card >> 2) * 4, flip << 1
    for side in range(4):
        facing = state.facing[faces + side]
        if facing < BLACK and facing == state.edges[sides + (side ^ turned)]:
            found += 1
    return found


def edges_fit(state: State, cell: int, flip: int) -> int:
    """The cards whose four sides all fit what faces a cell (003-31)."""
    at, faces = flip * 20, cell * 4
    return (
        state.fitting[at + state.facing[faces]]
        & state.fitting[at + 5 + state.facing[faces + 1]]
        & state.fitting[at + 10 + state.facing[faces + 2]]
        & state.fitting[at + 15 + state.facing[faces + 3]]
    )


def set_fitting(state: State) -> None:
    """Work out which cards fit beside which colour (003.2): black fits everything, in solo only itself."""
    state.turnable = 0
    for edge_type in range(N_TYPES):
        at = edge_type * 4
        if state.edges[at] != state.edges[at + 2] or state.edges[at + 1] != state.edges[at + 3]:
            state.turnable |= 15 << at
    for flip in range(2):
        cards = state.turnable if flip else ALL_CARDS
        for side in range(4):
            at = (flip * 4 + side) * 5
            for edge_type in range(N_TYPES):
                colour = state.edges[edge_type * 4 + (side ^ flip << 1)]
                state.fitting[at + colour] |= (15 << edge_type * 4) & cards
            if state.variant != SOLO:
                for colour in range(BLACK):
                    state.fitting[at + colour] |= state.fitting[at + BLACK]
                state.fitting[at + BLACK] = cards
            state.fitting[at + FREE] = cards


def _fitting_of_a(variant: int) -> State:
    state = State()
    state.variant = variant
    state.edges = CATALOGUE_A
    set_fitting(state)
    return state


TURNABLE_A = _fitting_of_a(SOLO).turnable
FITTING_A, FITTING_A_IN_SOLO = _fitting_of_a(DUO).fitting, _fitting_of_a(SOLO).fitting
"""What `set_fitting` finds for catalogue A, and in solo."""


def set_fitting_of_a(state: State) -> None:
    """`set_fitting` for catalogue A: it need not be worked out for each match."""
    state.turnable = TURNABLE_A
    for at in range(len(FITTING_A)):
        state.fitting[at] = FITTING_A_IN_SOLO[at] if state.variant == SOLO else FITTING_A[at]
