"""What chance decides before the first turn: layout, colour table, first player (004.3)."""

from __future__ import annotations

from kifold.core.emit import EventRecord
from kifold.core.names import LEGAL
from kifold.core.rng import Random, below
from kifold.core.rulesets.nibble.board import N_CELLS, N_COLOURS, N_SIDES, SIDES
from kifold.core.rulesets.nibble.declaration import (
    EQUAL_NEIGHBOURS,
    MOST_CELLS,
    N_SEATS,
    TABLE_NO_PERMUTATION,
    TABLE_NOT_IDENTITY,
    TABLE_ORDER,
    WRONG_QUOTA,
    State,
)

RANDOM, FIXED = TABLE_ORDER.number("random"), TABLE_ORDER.number("fixed")


def why_not_setup(state: State, setup: EventRecord) -> int:
    """Why a match cannot start from a setup, or LEGAL. Uses `state.count`."""
    reason = why_not_layout(state, setup)
    return reason if reason != LEGAL else why_not_table(state, setup)


def why_not_layout(state: State, setup: EventRecord) -> int:
    """Each colour as often as there are colours, no two of a colour side by side."""
    n_colours, n_cells = N_COLOURS[setup.variant], N_CELLS[setup.variant]
    if setup.n_layout != n_cells:
        return WRONG_QUOTA
    for colour in range(len(state.count)):
        state.count[colour] = 0
    for cell in range(n_cells):
        state.count[setup.layout[cell]] += 1
    for colour in range(n_colours):
        if state.count[colour] != n_colours:
            return WRONG_QUOTA
    for cell in range(n_cells):
        if clashes(setup, cell):
            return EQUAL_NEIGHBOURS
    return LEGAL


def why_not_table(state: State, setup: EventRecord) -> int:
    """The table names every colour once; option table_order (004-5) may fix their order."""
    n_colours = N_COLOURS[setup.variant]
    if setup.n_table != n_colours:
        return TABLE_NO_PERMUTATION
    for colour in range(len(state.count)):
        state.count[colour] = 0
    for place in range(n_colours):
        state.count[setup.table[place]] += 1
    for colour in range(n_colours):
        if state.count[colour] != 1:
            return TABLE_NO_PERMUTATION
    for place in range(n_colours):
        if setup.table_order == FIXED and setup.table[place] != place:
            return TABLE_NOT_IDENTITY
    return LEGAL


def clashes(setup: EventRecord, cell: int) -> int:
    """How many tiles side by side with a cell's have its colour."""
    found = 0
    for side in range(N_SIDES[setup.variant]):
        neighbour = SIDES[(setup.variant * MOST_CELLS + cell) * 6 + side]
        if neighbour >= 0 and setup.layout[neighbour] == setup.layout[cell]:
            found += 1
    return found


def chance(setup: EventRecord, random: Random) -> None:
    """Draw layout, table (unless option table_order fixes it) and first player."""
    n_colours, n_cells = N_COLOURS[setup.variant], N_CELLS[setup.variant]
    setup.n_layout = n_cells
    for cell in range(n_cells):
        setup.layout[cell] = cell % n_colours
    for cell in range(n_cells - 1, 0, -1):
        swap_tiles(setup, cell, below(random, cell + 1))
    part_neighbours(setup, random)
    setup.n_table = n_colours
    for place in range(n_colours):
        setup.table[place] = place
    if setup.table_order == RANDOM:
        for place in range(n_colours - 1, 0, -1):
            other = below(random, place + 1)
            setup.table[place], setup.table[other] = setup.table[other], setup.table[place]
    setup.first = below(random, N_SEATS)


def part_neighbours(setup: EventRecord, random: Random) -> None:
    """Swap a random tile that clashes with any other, unless that makes more clashes, until there are none.

    There always is a swap that makes fewer. Colours that the cell must not get are its own and those of its other
    neighbours, 4 in all in the square and 6 in the hexagon, with all their tiles; cells that its tile must not get lie
    beside the others of its colour. That leaves at least 81 − 4·9 − 8·4 = 13, 169 − 4·13 − 12·4 = 69 and
    169 − 6·13 − 12·6 = 19 cells to swap with.
    """
    n_cells = N_CELLS[setup.variant]
    left = 0
    for cell in range(n_cells):
        left += clashes(setup, cell)
    while left:
        cell = below(random, n_cells)
        if clashes(setup, cell):
            other = below(random, n_cells)
            before = clashes(setup, cell) + clashes(setup, other)
            swap_tiles(setup, cell, other)
            gained = 2 * (before - clashes(setup, cell) - clashes(setup, other))
            if gained < 0:
                swap_tiles(setup, cell, other)
            else:
                left -= gained


def swap_tiles(setup: EventRecord, one: int, other: int) -> None:
    """Exchange the tiles of two cells."""
    setup.layout[one], setup.layout[other] = setup.layout[other], setup.layout[one]
