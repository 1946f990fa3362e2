"""Boards as tables and bit rows: which cells there are, what lies around a tile, which tiles are loose.

A cell has a row and a column. On the squares these are what they seem; on the hexagon the row is r + 7 and the column
q + 7 of the axial coordinates (q, r) of 004.3, so that the cells across a cell's sides are among the eight around it in
the grid of rows and columns, and whether a tile may be taken follows from that *window* of nine bits alone.
"""

from __future__ import annotations

from kifold.core.bits import lowest_bit
from kifold.core.names import LEGAL
from kifold.core.options import by_variant
from kifold.core.rulesets.nibble.declaration import (
    DISCONNECTS,
    HEX13,
    MOST_CELLS,
    MOST_COLOURS,
    MOST_ROWS,
    NOT_EXPOSED,
    VARIANTS,
    State,
)

Place = tuple[int, int]

# By variant (004.2).
N_COLOURS = by_variant(VARIANTS, {"square9": 9, "square13": 13, "hex13": 13})
N_CELLS = by_variant(VARIANTS, {"square9": 81, "square13": 169, "hex13": 169})
N_SIDES = by_variant(VARIANTS, {"square9": 4, "square13": 4, "hex13": 6})
EXPOSED_NEEDED = by_variant(VARIANTS, {"square9": 2, "square13": 2, "hex13": 3})
THREE_NEEDED = by_variant(VARIANTS, {"square9": 7, "square13": 10, "hex13": 10})
MAJORITY = [n_colours // 2 + 1 for n_colours in N_COLOURS]

REACH = 7
SQUARE_STEPS = ((1, 0), (0, -1), (-1, 0), (0, 1))
HEX_STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
STEPS = by_variant(VARIANTS, {"square9": SQUARE_STEPS, "square13": SQUARE_STEPS, "hex13": HEX_STEPS})
"""(columns, rows) to the cell across each side, going round."""


def square_places(side: int) -> list[Place]:
    """(column, row) of each cell of a square board, by number."""
    return [(x, y) for y in range(side) for x in range(side)]


def hexagon_places() -> list[Place]:
    """(column, row) of each cell of the hexagon, by number: all with |q|, |r|, |q + r| ≤ 7."""
    reach = range(-REACH, REACH + 1)
    return [(q + REACH, r + REACH) for r in reach for q in reach if abs(q + r) <= REACH]


PLACES = by_variant(VARIANTS, {"square9": square_places(9), "square13": square_places(13), "hex13": hexagon_places()})
NUMBERS = tuple({place: cell for cell, place in enumerate(places)} for places in PLACES)


def sides_of(variant: int, cell: int) -> list[int]:
    """The cells across the sides of a cell, going round; −1 where the board ends."""
    x, y = PLACES[variant][cell]
    return [NUMBERS[variant].get((x + dx, y + dy), -1) for dx, dy in STEPS[variant]]


# What the rules read: cell c of variant v at v·169 + c.
COLUMN = [place[0] for places in PLACES for place in places + [(0, 0)] * (MOST_CELLS - len(places))]
ROW = [place[1] for places in PLACES for place in places + [(0, 0)] * (MOST_CELLS - len(places))]
SIDES = [
    side
    for variant in range(len(VARIANTS))
    for cell in range(MOST_CELLS)
    for side in ((sides_of(variant, cell) if cell < N_CELLS[variant] else []) + [-1] * 6)[:6]
]
"""The cell across side s of a cell at (v·169 + c)·6 + s, −1 where there is none."""
CELL_AT = [
    NUMBERS[variant].get((x, y), -1)
    for variant in range(len(VARIANTS))
    for y in range(MOST_ROWS)
    for x in range(MOST_ROWS)
]
"""The cell at a column and row of variant v at (v·15 + row)·15 + column."""


def reason_of_window(variant: int, window: int) -> int:
    """The local rule of 004.4: why the tile in the middle of a window cannot be taken, or LEGAL.

    Enough adjacent sides are to be free, and the neighbours must hold together without the tile: in the square two of
    them by the tile at their corner, in the hexagon by touching each other. As no hole ever arises in the group,
    neighbours that do not hold together there are not connected elsewhere either. A tile with no neighbour is the last.
    """
    steps = STEPS[variant]
    taken_by = [bool(window >> (3 * (dy + 1) + dx + 1) & 1) for dx, dy in steps]
    if not _has_free_run(taken_by, EXPOSED_NEEDED[variant]):
        return NOT_EXPOSED
    groups = 0
    for side, (dx, dy) in enumerate(steps):
        following = (side + 1) % len(steps)
        holds_next = taken_by[following]
        if variant != HEX13:
            x, y = dx + steps[following][0], dy + steps[following][1]
            holds_next = holds_next and bool(window >> (3 * (y + 1) + x + 1) & 1)
        groups += taken_by[side] and not holds_next
    return LEGAL if groups <= 1 else DISCONNECTS


def _has_free_run(taken_by: list[bool], needed: int) -> bool:
    n = len(taken_by)
    return any(not any(taken_by[(start + k) % n] for k in range(needed)) for start in range(n))


WINDOW_REASON = [reason_of_window(variant, window) for variant in range(len(VARIANTS)) for window in range(512)]
"""`reason_of_window` of variant v at v·512 + window."""


def lies_there(state: State, cell: int) -> bool:
    """Whether the tile of a cell of the board has not been taken."""
    at = state.variant * MOST_CELLS + cell
    return state.rows[ROW[at] + 1] >> COLUMN[at] & 1 == 1


def why_not_loose(state: State, x: int, y: int) -> int:
    """Why the tile at a column and row cannot be taken (004.4 no. 2 and, for it alone, no. 3), or LEGAL."""
    above = (state.rows[y] << 1 >> x) & 7
    beside = (state.rows[y + 1] << 1 >> x) & 7
    below = (state.rows[y + 2] << 1 >> x) & 7
    return WINDOW_REASON[state.variant * 512 + above + 8 * beside + 64 * below]


def is_bridge(state: State, one: int, other: int) -> bool:
    """Whether two loose tiles of one colour cannot go together: they touch at a corner, and tiles still lie on the two
    cells beside both, which only these two hold together.

    No other set of loose tiles of one colour disconnects. Take them one after the other: tiles of one colour are never
    side by side, so all that a take changes in the window of the next is a tile at its corner, and that matters only
    where it is the one between its two neighbours. On the hexagon corners do not matter.
    """
    if state.variant == HEX13:
        return False
    at, other_at = state.variant * MOST_CELLS + one, state.variant * MOST_CELLS + other
    x, y, u, v = COLUMN[at], ROW[at], COLUMN[other_at], ROW[other_at]
    if abs(x - u) != 1 or abs(y - v) != 1:
        return False
    return state.rows[y + 1] >> u & 1 == 1 and state.rows[v + 1] >> x & 1 == 1


def lift(state: State, cell: int) -> None:
    """Take a tile off the board."""
    at = state.variant * MOST_CELLS + cell
    state.rows[ROW[at] + 1] ^= 1 << COLUMN[at]


def cover(state: State) -> None:
    """Lay a tile on every cell."""
    for cell in range(N_CELLS[state.variant]):
        at = state.variant * MOST_CELLS + cell
        state.rows[ROW[at] + 1] |= 1 << COLUMN[at]
    state.tiles_left = N_CELLS[state.variant]


def sort_loose_tiles(state: State) -> None:
    """Find every tile that can be taken alone: `n_loose` of each colour c, at c·13 … in `loose`, ascending."""
    for colour in range(MOST_COLOURS):
        state.n_loose[colour] = 0
    for y in range(MOST_ROWS):
        row = state.rows[y + 1]
        # A tile with neighbours left, right, above and below has too few free sides on either kind of board.
        rim = row & ~(row << 1 & row >> 1 & state.rows[y] & state.rows[y + 2])
        while rim:
            x = lowest_bit(rim)
            rim &= rim - 1
            if why_not_loose(state, x, y) == LEGAL:
                cell = CELL_AT[(state.variant * MOST_ROWS + y) * MOST_ROWS + x]
                colour = state.layout[cell]
                state.loose[colour * MOST_COLOURS + state.n_loose[colour]] = cell
                state.n_loose[colour] += 1


def find_bridges(state: State, colour: int) -> bool:
    """Write into `apart`, for each loose tile of a colour, the bit set of those before it that it cannot go with.
    Returns whether there are any.
    """
    first, n = colour * MOST_COLOURS, state.n_loose[colour]
    found = False
    for i in range(n):
        state.apart[i] = 0
        for j in range(i):
            if is_bridge(state, state.loose[first + j], state.loose[first + i]):
                state.apart[i] |= 1 << j
                found = True
    return found


def can_go_together(state: State, n: int, chosen: int) -> bool:
    """Whether no two of the chosen loose tiles, a bit set, are apart; after `find_bridges`."""
    for i in range(n):
        if chosen >> i & 1 and chosen & state.apart[i]:
            return False
    return True
