"""Below the rules: areas of pieces as tables and bit sets, stacks of chips, and the ways to fill slots with chips.

A bit set of cells has bit `cell`. A *slot* is a cell of the area of the piece that is being placed, with the cells that
its chip may go to: the cell itself, or round the piece that lies there (000.4).
"""

from __future__ import annotations

from kifold.core.bits import lowest_bit
from kifold.core.emit import EventRecord
from kifold.core.rulesets.chipstack.declaration import CELLS, CHIPS_PER_WORD, MOST_SLOTS, N_SHAPES, SHAPES, State

SIZE = 6
ROUND, SQUARE = SHAPES.index("round"), SHAPES.index("square")
ALL_CELLS = (1 << CELLS) - 1
STEPS = {
    ROUND: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    SQUARE: ((-1, 0), (1, 0), (0, -1), (0, 1)),
}


def area(shape: int, cell: int) -> list[int]:
    """The cells that a piece reaches (000.2), in the order of slots of 000.4 (7)."""
    number, letter = divmod(cell, SIZE)
    around = [(number + n, letter + m) for n, m in STEPS[shape]]
    return [SIZE * n + m for n, m in around if 0 <= n < SIZE and 0 <= m < SIZE]


_AREAS = [area(shape, cell) for shape in (ROUND, SQUARE) for cell in range(CELLS)]

# One entry per shape and cell, at 36·shape + cell; of AREA_CELLS four, where a smaller area is filled up with 0.
AREA = [sum(1 << reached for reached in cells) for cells in _AREAS]
AREA_SIZE = [len(cells) for cells in _AREAS]
AREA_CELLS = [cell for cells in _AREAS for cell in cells + [0] * (MOST_SLOTS - len(cells))]

SETS_WITHOUT = [0x5555, 0x3333, 0x0F0F, 0x00FF]
"""Of the 16 sets of four slots (set s is bit s) those without slot 0, 1, 2, 3."""


def kind_of(colour: int, shape: int) -> int:
    """The number of a kind of piece."""
    return N_SHAPES * colour + shape


def put_piece(state: State, kind: int, cell: int) -> None:
    """Lay a piece of the supply on a cell; chips there are locked beneath it."""
    state.left[kind] -= 1
    state.pieces[cell] = 1 + kind
    state.occupied |= 1 << cell


def remove_piece(state: State, cell: int) -> int:
    """Remove the piece on a cell from the game; its shape."""
    shape = shape_on(state, cell)
    state.pieces[cell] = 0
    state.occupied &= ~(1 << cell)
    return shape


def shape_on(state: State, cell: int) -> int:
    """The shape of the piece on a cell: its kind modulo `N_SHAPES`, without the price of a remainder."""
    return (state.pieces[cell] - 1) & 1


def colour_on(state: State, cell: int) -> int:
    """The colour of the piece on a cell."""
    return (state.pieces[cell] - 1) // N_SHAPES


def lay_chip(state: State, cell: int, colour: int) -> None:
    """A chip on top of a cell's stack."""
    height = state.heights[cell]
    state.chips[2 * cell + height // CHIPS_PER_WORD] |= colour << 3 * (height % CHIPS_PER_WORD)
    state.heights[cell] = height + 1
    state.stacked |= 1 << cell


def colour_at(state: State, cell: int, height: int) -> int:
    """The colour of the chip that lies on `height` others."""
    return state.chips[2 * cell + height // CHIPS_PER_WORD] >> 3 * (height % CHIPS_PER_WORD) & 7


def top_colour(state: State, cell: int) -> int:
    """The colour of the top chip of a stack that is not empty."""
    return colour_at(state, cell, state.heights[cell] - 1)


def is_open(state: State, cell: int) -> bool:
    """Whether a chip can be taken from a cell: it has chips and no piece on them."""
    return state.heights[cell] > 0 and state.pieces[cell] == 0


def take_chip(state: State, cell: int) -> int:
    """Take the top chip of a stack that is not empty; its colour."""
    height = state.heights[cell] - 1
    colour = colour_at(state, cell, height)
    state.chips[2 * cell + height // CHIPS_PER_WORD] ^= colour << 3 * (height % CHIPS_PER_WORD)
    state.heights[cell] = height
    if height == 0:
        state.stacked &= ~(1 << cell)
    return colour


def find_slots(state: State, shape: int, cell: int) -> int:
    """Write the targets of each live slot of a piece placed on `cell` into `slot_targets`; how many there are."""
    return find_direct(state, shape, cell, find_redirects(state, shape, cell))


def find_redirects(state: State, shape: int, cell: int) -> int:
    """Write the targets of the live slots with a piece on them, from `slot_targets[0]` on; how many these are.

    The piece itself occupies its cell already. A chip goes round a blocking piece once: no chain (000.4).
    """
    occupied = state.occupied | 1 << cell
    blocked = AREA[CELLS * shape + cell] & occupied
    live = 0
    while blocked:
        reached = lowest_bit(blocked)
        blocked &= blocked - 1
        targets = AREA[CELLS * shape_on(state, reached) + reached] & ~occupied
        if targets:
            state.slot_targets[live] = targets
            live += 1
    return live


def find_direct(state: State, shape: int, cell: int, live: int) -> int:
    """Write the slots without a piece on them, from `slot_targets[live]` on; how many slots there are now."""
    direct = AREA[CELLS * shape + cell] & ~state.occupied
    while direct:
        state.slot_targets[live] = direct & -direct
        direct &= direct - 1
        live += 1
    return live


def fill_one(state: State, live: int, filled: int, target: int) -> int:
    """One more chip, on `target`: the sets of slots that may be filled after it, given those that may be before.

    A chip fills one slot that is not filled yet and has `target` among its targets. Before the first chip `filled` is
    1, only the empty set; 0 means that the chips cannot come to these targets.
    """
    after = 0
    for number in range(live):
        if state.slot_targets[number] >> target & 1:
            after |= (filled & SETS_WITHOUT[number]) << (1 << number)
    return after


def can_fill(state: State, live: int, event: EventRecord) -> bool:
    """Whether each target of a placement can be matched with a slot of its own."""
    filled = 1
    for i in range(event.n_targets):
        filled = fill_one(state, live, filled, event.targets[i])
    return filled != 0


def begin_outcomes(state: State, live: int) -> None:
    """Before the first `next_outcome`: no chip is laid, all targets of all slots are untried."""
    state.filled[0] = 1
    state.untried[0] = 0
    for number in range(live):
        state.untried[0] |= state.slot_targets[number]


def next_outcome(state: State, live: int, k: int, depth: int) -> bool:
    """Write the next ascending list of `k` targets that fill different slots into `chosen`; False when there is none.

    A search in depth without recursion: `untried[d]` are the cells that place d of the list may still take, none below
    the one before it, and `filled[d]` the sets of slots that the d chips before it may have filled. It goes on at
    `depth`: 0 for the first list, k − 1 for every later one.
    """
    while depth >= 0:
        if depth == k:
            return True
        untried = state.untried[depth]
        if untried == 0:
            depth -= 1
            continue
        bit = untried & -untried
        state.untried[depth] = untried ^ bit
        target = lowest_bit(bit)
        filled = fill_one(state, live, state.filled[depth], target)
        if filled:
            state.chosen[depth] = target
            depth += 1
            state.filled[depth] = filled
            state.untried[depth] = untried
    return False


def merge_targets(state: State, k: int, direct: int) -> int:
    """Write the `k` cells of `chosen` and those of the set `direct` into `targets`, ascending; how many there are."""
    n = 0
    for i in range(k):
        while direct and lowest_bit(direct) < state.chosen[i]:
            state.targets[n] = lowest_bit(direct)
            direct &= direct - 1
            n += 1
        state.targets[n] = state.chosen[i]
        n += 1
    while direct:
        state.targets[n] = lowest_bit(direct)
        direct &= direct - 1
        n += 1
    return n
