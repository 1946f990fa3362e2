"""Brute-force oracle for nibble, written from rules/nibble.md alone: dicts, sets and flood fills, no local shortcuts.

Every reason why an event may be refused is listed in REASONS, everything that a take may set off in EFFECTS.

Event: ("take", seat, (tile ids)), at least one id, ids 0..168, seat 0..1. A tile id is the id of the cell it lies on.
Setup: {"layout": [colour per cell id], "table": [colour per table position], "first": seat}.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

REASONS: dict[str, str] = {
    "match_over": "004.5: the match has been won, or no tile is left.",
    "not_your_turn": "004.4: players alternate; the event's seat is not the seat to move (after the end nobody is).",
    "not_ascending": "004.3: the ids of a take are a strictly ascending list (so no id occurs twice).",
    "off_board": "004.3: an id is not a cell of this variant (0..80 on square9, 0..168 on square13 and hex13).",
    "tile_gone": "004.4: an id is a cell of this variant on which no tile lies any more.",
    "mixed_colours": "004.4 no. 1: the tiles named that are on the board are not all of one colour.",
    "not_exposed": "004.4 no. 2, 004-1, 004-2: a tile named that is on the board does not have 2 (square) / 3 (hex) "
    "consecutive exposed sides at the start of the turn; the border is an exposed side.",
    "disconnects": "004.4 no. 3, 004-3, 004-4: with the distinct tiles named gone, tiles are left and they are not one "
    "edge-connected group; does not hold if no tile named is on the board.",
}

EFFECTS: dict[str, str] = {
    "won_by_colour": "004.5 no. 1: the mover owns all tiles of one colour and wins at once.",
    "won_by_three": "004.5 no. 2: not no. 1, and the mover owns >= 7 (13 colours: >= 10) tiles in each of three "
    "colours at consecutive table positions, without wrap, and wins at once.",
    "won_by_majority": "004.5 no. 3: neither no. 1 nor no. 2, no tile is left, and the seat with >= 5 (7) tiles in "
    ">= 5 (7) colours, mover or not, wins; or the early stop of 004-6 gives the mover that win.",
    "decided_early": "004-6: early_stop ended the match with tiles left; always together with won_by_majority.",
    "board_emptied": "004.5: the take removed the last tile (whatever kind of win it was).",
}

SQUARE_SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # (row, column): up, right, down, left
HEX_SIDES = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))  # axial (q, r), cyclic as in 004.3
HEX_REACH = 7  # a hexagon of side 8


class Rules(NamedTuple):
    """One row of the table in 004.2, and the board as cell id -> what is next to it, side by side, in cyclic order."""

    colours: int  # also the number of tiles of each colour
    exposed_needed: int
    three_needed: int
    majority: int  # tiles that own a colour, and owned colours that win
    early_guard: int  # whoever holds more than this of a colour keeps the other seat below three_needed in it
    sides: tuple[tuple[int | None, ...], ...]  # None: the board ends here


def square_coordinates(size: int) -> list[tuple[int, int]]:
    """(row, column) in id order: top row first."""
    return [(row, column) for row in range(size) for column in range(size)]


def hex_coordinates() -> list[tuple[int, int]]:
    """Axial (q, r) in id order: rows r = -7..7, in a row q ascending."""
    reach = range(-HEX_REACH, HEX_REACH + 1)
    return [(q, r) for r in reach for q in reach if abs(q + r) <= HEX_REACH]


def sides_of(cells: list[tuple[int, int]], steps: Sequence[tuple[int, int]]) -> tuple[tuple[int | None, ...], ...]:
    """The cell id across each side of each cell, None across the border."""
    ids = {cell: number for number, cell in enumerate(cells)}
    return tuple(tuple(ids.get((a + da, b + db)) for da, db in steps) for a, b in cells)


VARIANTS: dict[str, Rules] = {
    "square9": Rules(9, 2, 7, 5, 2, sides_of(square_coordinates(9), SQUARE_SIDES)),
    "square13": Rules(13, 2, 10, 7, 3, sides_of(square_coordinates(13), SQUARE_SIDES)),
    "hex13": Rules(13, 3, 10, 7, 3, sides_of(hex_coordinates(), HEX_SIDES)),
}


def rules_of(variant: str) -> Rules:
    if variant not in VARIANTS:
        raise ValueError(f"no such variant: {variant}")
    return VARIANTS[variant]


def is_connected(rules: Rules, cells: set[int]) -> bool:
    """Whether these cells are one edge-connected group; no cells at all count as one."""
    if not cells:
        return True
    start = next(iter(cells))
    reached = {start}
    frontier = [start]
    while frontier:
        for other in rules.sides[frontier.pop()]:
            if other in cells and other not in reached:
                reached.add(other)
                frontier.append(other)
    return reached == cells


def is_exposed(rules: Rules, tiles: Mapping[int, int], cell: int) -> bool:
    """Whether the cell has the needed number of consecutive sides (cyclic) without a tile on them."""
    free = [other not in tiles for other in rules.sides[cell]]
    return any(
        all(free[(first + step) % len(free)] for step in range(rules.exposed_needed)) for first in range(len(free))
    )


def check_tiles(rules: Rules, tiles: Mapping[int, int], counts: Sequence[Sequence[int]]) -> None:
    """Each colour exactly k times (on the board and taken together), and no equal neighbours."""
    on_board = Counter(tiles.values())
    if not set(on_board) <= set(range(rules.colours)):
        raise ValueError("wrong_quota")
    for colour in range(rules.colours):
        if on_board[colour] + sum(column[colour] for column in counts) != rules.colours:
            raise ValueError("wrong_quota")
    for cell, colour in tiles.items():
        if any(other in tiles and tiles[other] == colour for other in rules.sides[cell] if other is not None):
            raise ValueError("equal_neighbours")


def check_table(rules: Rules, table: Sequence[int], table_order: object) -> None:
    identity = list(range(rules.colours))
    if sorted(table) != identity:
        raise ValueError("table_no_permutation")
    if table_order == "fixed" and list(table) != identity:
        raise ValueError("table_not_identity")


class Oracle:
    """One match. Attributes are plain; position() is what to compare."""

    def __init__(
        self,
        variant: str,
        options: dict[str, object] | None = None,
        seats: int | None = None,
        setup: dict | None = None,
    ) -> None:
        rules = rules_of(variant)
        if seats not in (None, 2):
            raise ValueError("nibble has two seats")
        setup = setup or {}
        tiles = dict(enumerate(setup.get("layout", ())))
        nothing = [[0] * rules.colours, [0] * rules.colours]
        self._start(variant, options, tiles, nothing, setup.get("table", ()), setup.get("first"))

    @classmethod
    def from_position(
        cls,
        variant: str,
        tiles: Mapping[int, int],
        counts: Sequence[Sequence[int]],
        table: Sequence[int],
        to_move: int,
        options: dict[str, object] | None = None,
    ) -> Oracle:
        """A constructed position: tiles {cell: colour}, counts[seat][colour], colours in table order, seat to move.

        Tiles and counts together must hold the full quota, and the tiles must be one group without equal neighbours
        (what legal() relies on). Holes are allowed, although play never makes one. Nothing is judged before a take.
        """
        rules = rules_of(variant)
        if not tiles or not set(tiles) <= set(range(len(rules.sides))):
            raise ValueError("the tiles must be on the board, and one at least")
        if len(counts) != 2 or any(len(column) != rules.colours for column in counts):
            raise ValueError("counts are two lists with one number per colour")
        if any(number < 0 for column in counts for number in column):
            raise ValueError("counts are not negative")
        if not is_connected(rules, set(tiles)):
            raise ValueError("the tiles must be one group")
        oracle = cls.__new__(cls)
        oracle._start(variant, options, tiles, counts, table, to_move)
        return oracle

    def _start(
        self,
        variant: str,
        options: dict[str, object] | None,
        tiles: Mapping[int, int],
        counts: Sequence[Sequence[int]],
        table: Sequence[int],
        first: int | None,
    ) -> None:
        self.variant = variant
        self.rules = rules_of(variant)
        given = options or {}
        self.table_order = given.get("table_order", "random")
        self.early_stop = given.get("early_stop", False)
        if self.table_order not in ("random", "fixed"):
            raise ValueError("table_order is random or fixed")
        if self.early_stop not in (False, True):
            raise ValueError("early_stop is true or false")
        check_tiles(self.rules, tiles, counts)
        check_table(self.rules, table, self.table_order)
        if first not in (0, 1):
            raise ValueError("the first seat is 0 or 1")
        self.tiles: dict[int, int] = dict(tiles)
        self.counts: list[list[int]] = [list(column) for column in counts]
        self.table: list[int] = list(table)
        self.mover: int | None = first
        self.winner: int | None = None
        self.win_type = 0
        self.decided_early = False

    def copy(self) -> Oracle:
        twin = Oracle.__new__(Oracle)
        twin.__dict__.update(self.__dict__)
        twin.tiles = dict(self.tiles)
        twin.counts = [list(column) for column in self.counts]
        twin.table = list(self.table)
        return twin

    def to_move(self) -> int | str | None:
        return self.mover

    def legal(self, seat: int) -> set[tuple]:
        """All takes of that seat; out of turn what it could take if it were its turn; after the end none."""
        if self.winner is not None:
            return set()
        return {("take", seat, cells) for colour in range(self.rules.colours) for cells in self._takes_of(colour)}

    def _takes_of(self, colour: int) -> list[tuple[int, ...]]:
        """All legal sets of one colour, grown tile by tile in ascending order.

        Relies on the first fact of 004.4: no part of a legal set leaves the board in two. It holds because the board
        before the take is one group and equal colours are never neighbours: each tile put back touches one that stayed.
        """
        exposed = [cell for cell in sorted(self.tiles) if self.tiles[cell] == colour and self._is_exposed(cell)]
        grown: list[tuple[int, ...]] = [()]
        for cell in exposed:
            grown += [(*cells, cell) for cells in grown if not self._disconnects((*cells, cell))]
        return grown[1:]

    def _is_exposed(self, cell: int) -> bool:
        return is_exposed(self.rules, self.tiles, cell)

    def _disconnects(self, taken: Iterable[int]) -> bool:
        return not is_connected(self.rules, set(self.tiles) - set(taken))

    def reasons(self, event: tuple) -> set[str]:
        _, seat, ids = event
        if not ids:
            raise ValueError("a take names at least one tile (004.4); an empty list is outside the event's declaration")
        there = {cell for cell in ids if cell in self.tiles}
        holds = {
            "match_over": self.winner is not None,
            "not_your_turn": seat != self.mover,
            "not_ascending": any(left >= right for left, right in pairwise(ids)),
            "off_board": any(cell >= len(self.rules.sides) for cell in ids),
            "tile_gone": any(cell < len(self.rules.sides) and cell not in self.tiles for cell in ids),
            "mixed_colours": len({self.tiles[cell] for cell in there}) > 1,
            "not_exposed": any(not self._is_exposed(cell) for cell in there),
            "disconnects": bool(there) and self._disconnects(there),
        }
        return {name for name, true in holds.items() if true}

    def apply(self, event: tuple) -> set[str]:
        refused = self.reasons(event)
        if refused:
            raise ValueError(f"illegal: {', '.join(sorted(refused))}")
        _, seat, ids = event
        for cell in ids:
            self.counts[seat][self.tiles.pop(cell)] += 1
        effects = self._end_of_turn(seat)
        if not self.tiles:
            effects.add("board_emptied")
        self.mover = None if self.winner is not None else 1 - seat
        return effects

    def _end_of_turn(self, seat: int) -> set[str]:
        if self._has_whole_colour(seat):
            self.winner, self.win_type = seat, 1
            return {"won_by_colour"}
        if self._has_three(seat):
            self.winner, self.win_type = seat, 2
            return {"won_by_three"}
        if not self.tiles:
            # exactly one seat: k is odd and both the tiles per colour and the colours are k
            (self.winner,) = [each for each in (0, 1) if self._has_majority(each)]
            self.win_type = 3
            return {"won_by_majority"}
        if self.early_stop and self._has_majority(seat) and self._has_safe_lead(seat):
            self.winner, self.win_type, self.decided_early = seat, 3, True
            return {"won_by_majority", "decided_early"}
        return set()

    def _has_whole_colour(self, seat: int) -> bool:
        return any(number == self.rules.colours for number in self.counts[seat])

    def _windows(self, seat: int) -> list[list[int]]:
        """The seat's numbers of tiles in each three consecutive colours of the table; the table is a line."""
        in_order = [self.counts[seat][colour] for colour in self.table]
        return [in_order[first : first + 3] for first in range(len(in_order) - 2)]

    def _has_three(self, seat: int) -> bool:
        return any(all(number >= self.rules.three_needed for number in window) for window in self._windows(seat))

    def _colours_owned(self, seat: int) -> int:
        return sum(number >= self.rules.majority for number in self.counts[seat])

    def _has_majority(self, seat: int) -> bool:
        return self._colours_owned(seat) >= self.rules.majority

    def _has_safe_lead(self, seat: int) -> bool:
        """The other seat can get neither a whole colour nor three consecutive ones any more."""
        return all(number >= 1 for number in self.counts[seat]) and all(
            any(number > self.rules.early_guard for number in window) for window in self._windows(seat)
        )

    def result(self) -> list[dict]:
        """Rank 0 for both, and win_type 0, while the match is undecided; win_type is the match's, the same for both."""
        return [
            {
                "rank": 0 if self.winner is None else 1 if self.winner == seat else 2,
                "shared": False,
                "score": None,
                "tiles_taken": sum(self.counts[seat]),
                "colours_owned": self._colours_owned(seat),
                "win_type": self.win_type,
            }
            for seat in (0, 1)
        ]

    def position(self) -> dict:
        return {
            "board": [self.tiles.get(cell, -1) for cell in range(len(self.rules.sides))],  # -1: no tile
            "counts": [list(column) for column in self.counts],  # [seat][colour]
            "table": list(self.table),  # colour per table position
            "to_move": self.mover,
            "winner": self.winner,
            "win_type": self.win_type,
            "decided_early": self.decided_early,
        }

    def random_event(self, rng: random.Random) -> tuple:
        """A take chosen uniformly from legal(); there are no chance events after the setup."""
        if self.mover is None:
            raise ValueError("the match is over")
        return rng.choice(sorted(self.legal(self.mover)))


def conflicts(rules: Rules, layout: Sequence[int], cell: int) -> int:
    return sum(layout[other] == layout[cell] for other in rules.sides[cell] if other is not None)


def repair(rules: Rules, layout: list[int], rng: random.Random) -> None:
    """Swap a random conflicting cell with a random other one where that does not add conflicts, until none is left."""
    cells = range(len(layout))
    while wrong := [cell for cell in cells if conflicts(rules, layout, cell)]:
        one, other = rng.choice(wrong), rng.choice(cells)
        before = conflicts(rules, layout, one) + conflicts(rules, layout, other)
        layout[one], layout[other] = layout[other], layout[one]
        if conflicts(rules, layout, one) + conflicts(rules, layout, other) > before:
            layout[one], layout[other] = layout[other], layout[one]


def random_setup(variant: str, rng: random.Random, table_order: str = "random") -> dict:
    """A valid setup: the exact multiset shuffled and repaired (004.3), table in random order unless it is fixed."""
    rules = rules_of(variant)
    layout = [colour for colour in range(rules.colours) for _ in range(rules.colours)]
    rng.shuffle(layout)
    repair(rules, layout, rng)
    table = list(range(rules.colours))
    if table_order == "random":
        rng.shuffle(table)
    return {"layout": layout, "table": table, "first": rng.randrange(2)}
