"""A slow, plain referee for blokus, for comparing with the real ruleset position by position.

Written from the rule file ``blokus`` alone (sections 001.2-001.7), with sets of cells and exhaustive search.

Events: ``("place", colour, frozenset of (x, y))`` and ``("pass", colour)``. Colours 0..3 are blue, yellow, red, green
(duo: 0, 1). A cell is (column, row), both from 0; (0, 0) is the lower left square a1.
``REASONS`` and ``EFFECTS`` below name everything that can be refused and everything that the rules force.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any

Cell = tuple[int, int]
Cells = frozenset[Cell]
Event = tuple[Any, ...]

REASONS: dict[str, str] = {
    "match_over": "001.3: every colour is blocked or finished, or (001-2) all that can place have passed in succession",
    "colour_not_in_play": "001.7 duo: two colours only",
    "not_your_turn": "001.3: cyclic order; a colour earlier in it, which can still place, comes first",
    "not_a_piece": "001.2, 001-3: the cells are no rotation or reflection of any of the 21 pieces",
    "off_board": "001.3 rule 1: a cell lies outside the board",
    "piece_already_placed": "001.3 rule 1: the colour has no longer got this piece",
    "overlaps": "001.3 rule 1: a cell is occupied",
    "misses_start": "001.3 rule 2, 001-1, 001.7 duo: the colour's first piece covers none of its start cells",
    "touches_own_edge": "001.3 rule 3: a cell is edge-adjacent to a cell of the same colour",
    "no_own_corner": "001.3 rule 3: a later piece with no cell diagonally adjacent to a cell of the same colour",
    "passing_not_allowed": "001-2: voluntary_pass is off, or the colour has no placement that it could decline",
}

EFFECTS: dict[str, str] = {
    "skipped": "001.3: at least one colour was passed over before this event because it can place nothing",
    "all_placed": "001.4: the colour's last piece, not the monomino (+15)",
    "monomino_last": "001.4: the colour's last piece, the monomino (+20)",
    "passed_out": "001-2: every colour that can still place has passed in succession; the match ends",
}

DRAWINGS: dict[str, str] = {
    "1": "#",
    "2": "##",
    "I3": "###",
    "V3": "## #.",
    "I4": "####",
    "L4": "### #..",
    "T4": "### .#.",
    "Z4": "##. .##",
    "O": "## ##",
    "F": ".## ##. .#.",
    "I5": "#####",
    "L5": "#### #...",
    "N": "###. ..##",
    "P": "## ## #.",
    "T5": "### .#. .#.",
    "U": "#.# ###",
    "V5": "### #.. #..",
    "W": "#.. ##. .##",
    "X": ".#. ### .#.",
    "Y": "#### .#..",
    "Z5": "##. .#. .##",
}
MONOMINO = "1"

BOARD_SIZE = {"classic": 20, "two_player": 20, "three_player": 20, "duo": 14}
COLOUR_COUNT = {"classic": 4, "two_player": 4, "three_player": 4, "duo": 2}
SEAT_COUNT = {"classic": 4, "two_player": 2, "three_player": 3, "duo": 2}
GREEN = 3

CORNERS: list[Cell] = [(0, 19), (19, 19), (19, 0), (0, 0)]  # a20, t20, t1, a1: by colour, blue first
DUO_STARTS: list[Cell] = [(4, 9), (9, 4)]  # e10, j5


def normalised(cells: Collection[Cell]) -> Cells:
    """The same shape moved so that its lowest column and row are 0."""
    left = min(x for x, _ in cells)
    bottom = min(y for _, y in cells)
    return frozenset((x - left, y - bottom) for x, y in cells)


def symmetries(cells: Collection[Cell]) -> set[Cells]:
    """All distinct rotations and reflections, normalised."""
    shapes = set()
    for _ in range(4):
        cells = {(y, -x) for x, y in cells}
        shapes.add(normalised(cells))
        shapes.add(normalised({(-x, y) for x, y in cells}))
    return shapes


def _drawn(drawing: str) -> set[Cell]:
    return {(x, y) for y, row in enumerate(drawing.split()) for x, mark in enumerate(row) if mark == "#"}


ORIENTATIONS: dict[str, set[Cells]] = {name: symmetries(_drawn(drawing)) for name, drawing in DRAWINGS.items()}
PIECE_OF_SHAPE: dict[Cells, str] = {shape: name for name, shapes in ORIENTATIONS.items() for shape in shapes}
PIECE_SIZE: dict[str, int] = {name: drawing.count("#") for name, drawing in DRAWINGS.items()}
SQUARES = sum(PIECE_SIZE.values())


def piece_of(cells: Cells) -> str | None:
    """The name of the piece that has this shape, or None."""
    return PIECE_OF_SHAPE.get(normalised(cells)) if cells else None


def edge_neighbours(cell: Cell) -> list[Cell]:
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


def diagonal_neighbours(cell: Cell) -> list[Cell]:
    x, y = cell
    return [(x + 1, y + 1), (x + 1, y - 1), (x - 1, y + 1), (x - 1, y - 1)]


@cache
def all_placements(size: int) -> list[tuple[str, Cells]]:
    """Every piece in every orientation at every spot of an empty board."""
    found = []
    for shape, name in PIECE_OF_SHAPE.items():
        width = 1 + max(x for x, _ in shape)
        height = 1 + max(y for _, y in shape)
        for dx in range(size - width + 1):
            for dy in range(size - height + 1):
                found.append((name, frozenset((x + dx, y + dy) for x, y in shape)))
    return found


@cache
def placements_covering(size: int) -> dict[Cell, list[tuple[str, Cells]]]:
    """The same, looked up by a cell that they cover."""
    covering: dict[Cell, list[tuple[str, Cells]]] = {(x, y): [] for x in range(size) for y in range(size)}
    for name, cells in all_placements(size):
        for cell in cells:
            covering[cell].append((name, cells))
    return covering


def ranked(scores: list[int]) -> list[tuple[int, bool]]:
    """Competition ranks (1, 1, 3): (rank, shared with another seat)."""
    return [(1 + sum(other > score for other in scores), scores.count(score) > 1) for score in scores]


class Oracle:
    """One match. ``turn`` is the colour next in the order, before colours that can place nothing are skipped."""

    def __init__(
        self,
        variant: str,
        options: dict[str, object] | None = None,
        seats: int | None = None,
        setup: dict[str, Any] | None = None,
    ) -> None:
        if variant not in BOARD_SIZE:
            raise ValueError("variant")
        if seats not in (None, SEAT_COUNT[variant]):
            raise ValueError("seats")
        options = options or {}
        self.variant = variant
        self.start_corner = options.get("start_corner", "any_free")
        if self.start_corner not in ("any_free", "by_colour"):
            raise ValueError("start_corner")
        self.voluntary_pass = bool(options.get("voluntary_pass", False))
        self.size = BOARD_SIZE[variant]
        self.colours = COLOUR_COUNT[variant]
        self.seats = SEAT_COUNT[variant]
        self.board: dict[Cell, int] = {}
        self.left: list[set[str]] = [set(DRAWINGS) for _ in range(self.colours)]
        self.bonus = [0] * self.colours
        self.turn = 0
        self.passes: set[int] = set()  # colours that passed since the last placement
        self.passed_out = False
        self._set_up(setup or {})

    def _set_up(self, setup: dict[str, Any]) -> None:
        for colour, cells in setup.get("pieces", ()):
            cells = frozenset((x, y) for x, y in cells)
            if not self._in_play(colour):
                raise ValueError("colour_not_in_play")
            reasons = self._piece_reasons(colour, cells)
            for reason in ("off_board", "overlaps", "not_a_piece", "piece_already_placed"):
                if reason in reasons:
                    raise ValueError(reason)
            self._put(colour, cells)
        self.bonus = [0 if left else 15 for left in self.left]
        to_move = setup.get("to_move")
        if to_move is not None:
            if not self._in_play(to_move):
                raise ValueError("colour_not_in_play")
            self.turn = to_move

    def copy(self) -> Oracle:
        twin = Oracle.__new__(Oracle)
        twin.__dict__.update(self.__dict__)
        twin.board = dict(self.board)
        twin.left = [set(left) for left in self.left]
        twin.bonus = list(self.bonus)
        twin.passes = set(self.passes)
        return twin

    # Whose turn it is

    def _in_play(self, colour: int) -> bool:
        return 0 <= colour < self.colours

    def can_place(self, colour: int) -> bool:
        return any(True for _ in self._placements(colour))

    def colour_to_move(self) -> int | None:
        """The colour whose turn it is; None when the match is over."""
        if self.passed_out:
            return None
        for step in range(self.colours):
            colour = (self.turn + step) % self.colours
            if self.can_place(colour):
                return colour
        return None

    def to_move(self) -> int | None:
        """The seat whose turn it is; None when the match is over."""
        colour = self.colour_to_move()
        return None if colour is None else self.seat_of(colour)

    def seat_of(self, colour: int) -> int:
        """The seat that plays the colour; of three players green's changes with each green piece (001.7)."""
        if self.variant == "two_player":
            return colour % 2
        if self.variant == "three_player" and colour == GREEN:
            return (len(DRAWINGS) - len(self.left[GREEN])) % 3
        return colour

    def own_colours(self, seat: int) -> list[int]:
        """The colours that count for the seat."""
        return [seat, seat + 2] if self.variant == "two_player" else [seat]

    # Placements

    def _own_cells(self, colour: int) -> set[Cell]:
        return {cell for cell, owner in self.board.items() if owner == colour}

    def _is_first(self, colour: int) -> bool:
        return len(self.left[colour]) == len(DRAWINGS)

    def _start_cells(self, colour: int) -> set[Cell]:
        if self.variant == "duo":
            return {DUO_STARTS[colour]}
        return {CORNERS[colour]} if self.start_corner == "by_colour" else set(CORNERS)

    def _placements(self, colour: int) -> Iterator[Cells]:
        """Every legal placement of the colour on this board; one that meets two corners comes twice."""
        if not self._in_play(colour):
            return
        own = self._own_cells(colour)
        anchors = {near for cell in own for near in diagonal_neighbours(cell)}
        if self._is_first(colour):
            anchors = self._start_cells(colour)
        forbidden = set(self.board) | {near for cell in own for near in edge_neighbours(cell)}
        covering = placements_covering(self.size)
        for anchor in anchors - forbidden:
            for name, cells in covering.get(anchor, ()):
                if name in self.left[colour] and cells.isdisjoint(forbidden):
                    yield cells

    def legal_of(self, colour: int) -> set[Event]:
        """All legal placements of the colour, whoever's turn it is. No passes."""
        return {("place", colour, cells) for cells in self._placements(colour)}

    def legal(self, seat: int) -> set[Event]:
        """The events of the colour to move if the seat plays it; otherwise what the seat's own colours could place.

        Out of turn there are no passes, and green of three players counts only when it is to move. Once the match is
        over nothing is legal for anybody.
        """
        colour = self.colour_to_move()
        if colour is None:
            return set()
        if self.seat_of(colour) == seat:
            passes = {("pass", colour)} if self.voluntary_pass else set()
            return self.legal_of(colour) | passes
        return set().union(*(self.legal_of(own) for own in self.own_colours(seat)))

    # Why not

    def reasons(self, event: Event) -> set[str]:
        """Every reason against the event; none means that it is legal."""
        kind, colour = event[0], event[1]
        reasons = self._turn_reasons(colour)
        if kind == "place":
            return reasons | self.placement_reasons(colour, event[2])
        if not self.voluntary_pass or not self.can_place(colour):
            reasons.add("passing_not_allowed")
        return reasons

    def _turn_reasons(self, colour: int) -> set[str]:
        reasons = set()
        if self.colour_to_move() is None:
            reasons.add("match_over")
        if not self._in_play(colour):
            reasons.add("colour_not_in_play")
        elif not reasons and any(self.can_place(earlier) for earlier in self._earlier(colour)):
            reasons.add("not_your_turn")
        return reasons

    def _earlier(self, colour: int) -> list[int]:
        """The colours that come before this one in the order, from ``turn`` on."""
        steps = (colour - self.turn) % self.colours
        return [(self.turn + step) % self.colours for step in range(steps)]

    def placement_reasons(self, colour: int, cells: Cells) -> set[str]:
        """The reasons against a placement that do not depend on whose turn it is."""
        reasons = self._piece_reasons(colour, cells)
        if not self._in_play(colour):
            return reasons
        if self._is_first(colour):
            return reasons if cells & self._start_cells(colour) else reasons | {"misses_start"}
        if any(self.board.get(near) == colour for cell in cells for near in edge_neighbours(cell)):
            reasons.add("touches_own_edge")
        if not any(self.board.get(near) == colour for cell in cells for near in diagonal_neighbours(cell)):
            reasons.add("no_own_corner")
        return reasons

    def _piece_reasons(self, colour: int, cells: Cells) -> set[str]:
        reasons = set()
        name = piece_of(cells)
        if name is None:
            reasons.add("not_a_piece")
        elif self._in_play(colour) and name not in self.left[colour]:
            reasons.add("piece_already_placed")
        if not all(0 <= x < self.size and 0 <= y < self.size for x, y in cells):
            reasons.add("off_board")
        if not cells.isdisjoint(self.board):
            reasons.add("overlaps")
        return reasons

    # Playing

    def _put(self, colour: int, cells: Cells) -> str:
        name = PIECE_OF_SHAPE[normalised(cells)]
        self.left[colour].remove(name)
        self.board.update((cell, colour) for cell in cells)
        return name

    def apply(self, event: Event) -> set[str]:
        """Play a legal event and tell what the rules made of it."""
        reasons = self.reasons(event)
        if reasons:
            raise ValueError(f"illegal {event}: {sorted(reasons)}")
        kind, colour = event[0], event[1]
        effects: set[str] = set() if colour == self.turn else {"skipped"}
        self.turn = (colour + 1) % self.colours
        return effects | (self._placed(colour, event[2]) if kind == "place" else self._passed(colour))

    def _placed(self, colour: int, cells: Cells) -> set[str]:
        self.passes = set()
        name = self._put(colour, cells)
        if self.left[colour]:
            return set()
        self.bonus[colour] = 20 if name == MONOMINO else 15
        return {"monomino_last"} if name == MONOMINO else {"all_placed"}

    def _passed(self, colour: int) -> set[str]:
        self.passes.add(colour)
        able = {colour for colour in range(self.colours) if self.can_place(colour)}
        self.passed_out = able <= self.passes
        return {"passed_out"} if self.passed_out else set()

    def random_event(self, rng: random.Random) -> Event:
        """One of the legal events of the seat to move, each equally likely."""
        seat = self.to_move()
        if seat is None:
            raise ValueError("match_over")
        return rng.choice(sorted(self.legal(seat), key=lambda event: (event[0], sorted(event[2]) if event[2:] else [])))

    # What it adds up to

    def squares_left(self, colour: int) -> int:
        return sum(PIECE_SIZE[name] for name in self.left[colour])

    def colour_points(self) -> list[int]:
        """Per colour: squares on the board, and the bonus."""
        return [SQUARES - self.squares_left(colour) + self.bonus[colour] for colour in range(self.colours)]

    def _components(self, colours: Iterable[int]) -> dict[str, int]:
        colours = list(colours)
        squares = sum(self.squares_left(colour) for colour in colours)
        bonus = sum(self.bonus[colour] for colour in colours)
        pieces = sum(len(self.left[colour]) for colour in colours)
        return {"score": bonus - squares, "squares_left": squares, "pieces_left": pieces, "bonus": bonus}

    def result(self) -> list[dict[str, Any]]:
        """Per seat; before the end, what it would be if the match ended here."""
        components = [self._components(self.own_colours(seat)) for seat in range(self.seats)]
        ranks = ranked([each["score"] for each in components])
        return [
            {"rank": rank, "shared": shared, **each} for (rank, shared), each in zip(ranks, components, strict=True)
        ]

    def position(self) -> dict[str, Any]:
        """Everything that later play or the result depends on. ``board`` holds rows from the bottom, -1 for empty."""
        rows = [[self.board.get((x, y), -1) for x in range(self.size)] for y in range(self.size)]
        return {
            "variant": self.variant,
            "start_corner": self.start_corner,
            "voluntary_pass": self.voluntary_pass,
            "board": rows,
            "left": [[name for name in DRAWINGS if name in left] for left in self.left],
            "bonus": list(self.bonus),
            "turn": self.turn,
            "passes": sorted(self.passes),
            "over": self.colour_to_move() is None,
            "colour_to_move": self.colour_to_move(),
            "to_move": self.to_move(),
        }
