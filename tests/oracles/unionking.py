"""A brute-force referee for the three Union King games, written from the rule file `unionking.md` alone.

It is slow and plain on purpose: pieces are tuples in a dict, points are small integers, every question is answered by
walking along the lines of the board. A faster implementation is compared with it, position by position.

Pieces are (colour, part, figure): colour 0 White, 1 Black; part 0 outer, 1 inner; figure 0..6 for A..G.
Points are y * width + x, with y = 0 for rank 1 and x = 0 for file a.
Events are ("move", colour, part, figure, to) and ("decline", colour).

REASONS and EFFECTS below name every reason for a refusal and every effect, each with its place in the rule file.

Readings where the rule file says nothing:
* The goal is tested for the mover only, after its move; a start position that already satisfies it ends nothing.
* When White reaches the goal and Black can move, the last move is granted, and neither repetition nor length is tested
  on that move: the goal test takes precedence over them.
* The other tests follow in the order repetition, length, stuck.
* A turn counts as skipped only if the match goes on. A start position in which the first side cannot move begins with
  the other side; one in which neither can move is over at once.
* A board of another size than 7x7 needs a layout of its own. Boards of fewer than 28 points are accepted, because a
  layout may contain merged pairs.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

Piece = tuple[int, int, int]
Points = dict[Piece, int | None]

WHITE, BLACK = 0, 1
OUTER, INNER = 0, 1
FIGURES = 7
PIECES: list[Piece] = [
    (colour, part, figure) for colour in (WHITE, BLACK) for part in (OUTER, INNER) for figure in range(FIGURES)
]

VARIANTS = ("game1", "game2", "game3")
DEFAULTS: dict[str, object] = {"jump_merge": True, "last_move": "may", "repetition": 3, "max_plies": 300}
INNER_SHIFT = {"game1": 3, "game2": 3, "game3": 4}

REASONS: dict[str, str] = {
    "match_over": "4.7, 4.11: the match has ended",
    "not_your_turn": "4.1, 4.2: the sides alternate, one piece per turn; 4.11 for skipped turns",
    "off_board": "1: the point id lies beyond this board",
    "not_on_a_line": "4.3: a piece moves along a drawn line, in one straight direction, and away from its point",
    "not_reachable": "4.3, 4.4: only the next free point, the first free point beyond an unbroken run, or the partner",
    "decline_not_allowed": "4.1, 4.7: no pass; only Black may decline, only the last move, only with last_move = may",
}

EFFECTS: dict[str, str] = {
    "merged": "4.4: the piece landed on its partner",
    "split": "4.5: the piece left its partner",
    "jumped": "4.3, 4.4: the piece passed over at least one occupied point, to a free point or to its partner",
    "last_move_granted": "4.7: White has reached the goal and Black gets one more move",
    "turn_skipped": "4.11: the opponent has no legal move, so the mover moves again",
    "ended_by_goal": "4.7: the goal was reached, and the last move, where one is due, is made, declined or impossible",
    "ended_stuck": "4.11: neither side has a legal move",
    "ended_by_repetition": "4.11: the same points and side to move for the option's number of times",
    "ended_by_length": "4.11: max_plies moves and declines have been made",
}


# The board


def directions(x: int, y: int) -> list[tuple[int, int]]:
    """The directions of the lines that leave a point: diagonals join even points only."""
    straight = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    return straight + (diagonal if (x + y) % 2 == 0 else [])


@cache
def rays(width: int, height: int) -> dict[int, list[list[int]]]:
    """For each point its lines, each as the points met on the way to the edge, nearest first."""
    found: dict[int, list[list[int]]] = {}
    for y in range(height):
        for x in range(width):
            found[y * width + x] = [line for dx, dy in directions(x, y) if (line := walk(width, height, x, y, dx, dy))]
    return found


def walk(width: int, height: int, x: int, y: int, dx: int, dy: int) -> list[int]:
    line = []
    x, y = x + dx, y + dy
    while 0 <= x < width and 0 <= y < height:
        line.append(y * width + x)
        x, y = x + dx, y + dy
    return line


def degree(width: int, height: int, point: int) -> int:
    """The number of line ends that leave a point: its value."""
    return len(rays(width, height)[point])


def check_board(width: int, height: int) -> None:
    sides_fit = all(3 <= side <= 9 and side % 2 == 1 for side in (width, height))
    if not sides_fit or (width, height) == (3, 3):
        raise ValueError("bad_board")


def check_points(width: int, height: int, points: Points) -> None:
    taken = [(piece, point) for piece, point in points.items() if point is not None]
    if any(not 0 <= point < width * height for _, point in taken):
        raise ValueError("point_off_board")
    for number, (piece, point) in enumerate(taken):
        for other, other_point in taken[:number]:
            if point == other_point and other != partner(piece):
                raise ValueError("points_not_distinct")


def partner(piece: Piece) -> Piece:
    """The other half of a pair: same colour, same figure, other part."""
    colour, part, figure = piece
    return colour, 1 - part, figure


def recommended_layout(variant: str) -> list[int]:
    """The reconstructed 7x7 start: 28 points in the order of PIECES."""
    points: dict[Piece, int] = {}
    for x in range(7):
        points[WHITE, OUTER, x] = x
        points[WHITE, INNER, (x + INNER_SHIFT[variant]) % FIGURES] = 7 + x
    for _, part, figure in list(points):
        y, x = divmod(points[WHITE, part, figure], 7)
        points[BLACK, part, figure] = (6 - y) * 7 + (6 - x)
    return [points[piece] for piece in PIECES]


# The match


class Oracle:
    """One match. `legal` answers out of turn as well: the moves a side would have; nothing once the match is over."""

    def __init__(
        self,
        variant: str,
        options: dict[str, object] | None = None,
        seats: int | None = None,
        setup: dict | None = None,
    ) -> None:
        if variant not in VARIANTS:
            raise ValueError("unknown_variant")
        if seats not in (None, 2):
            raise ValueError("bad_seats")
        setup = setup or {}
        width, height = setup.get("width", 7), setup.get("height", 7)
        check_board(width, height)
        layout = setup.get("layout")
        if layout is None:
            if (width, height) != (7, 7):
                raise ValueError("bad_board")
            layout = recommended_layout(variant)
        if len(layout) != len(PIECES) or None in layout:
            raise ValueError("point_off_board")
        self._begin(variant, width, height, dict(zip(PIECES, layout, strict=True)), WHITE, options)

    def _begin(
        self,
        variant: str,
        width: int,
        height: int,
        points: Points,
        to_move: int,
        options: dict[str, object] | None,
    ) -> None:
        check_board(width, height)
        check_points(width, height, points)
        given = {name: value for name, value in (options or {}).items() if name in DEFAULTS}
        self.options: dict[str, Any] = DEFAULTS | given
        self.variant = variant
        self.width, self.height = width, height
        self.points: Points = dict(points)
        self.plies = 0
        self.last_move_due = False
        self.ended: str | None = None
        self.turn: int | None = self._next_turn(1 - to_move)
        if self.turn is None:
            self.ended = "ended_stuck"
        self.seen: dict[tuple, int] = {self._key(): 1}

    def copy(self) -> Oracle:
        twin = Oracle.__new__(Oracle)
        twin.__dict__.update(self.__dict__)
        twin.points = dict(self.points)
        twin.seen = dict(self.seen)
        return twin

    def to_move(self) -> int | str | None:
        return self.turn

    def legal(self, seat: int) -> set[tuple]:
        if self.ended:
            return set()
        events = self._moves(seat)
        if self._may_decline(seat):
            events.add(("decline", seat))
        return events

    def reasons(self, event: tuple) -> set[str]:
        """Every reason against an event. It judges from the point aimed at; `legal` walks from the piece instead."""
        name, colour = event[0], event[1]
        found = set()
        if self.ended:
            found.add("match_over")
        elif colour != self.turn:
            found.add("not_your_turn")
        if name == "move":
            found |= self._reasons_of_move((colour, event[2], event[3]), event[4])
        elif not self._may_decline(colour):
            found.add("decline_not_allowed")
        return found

    def apply(self, event: tuple) -> set[str]:
        against = self.reasons(event)
        if against:
            raise ValueError(f"illegal: {sorted(against)}")
        self.plies += 1
        if event[0] == "decline":
            return self._end("ended_by_goal")
        _, colour, part, figure, to = event
        return self._carry_out((colour, part, figure), to) | self._after_move(colour)

    def result(self) -> list[dict]:
        totals = [self.total(seat) for seat in (WHITE, BLACK)]
        return [
            {
                "rank": 1 + sum(other > total for other in totals),
                "shared": totals[WHITE] == totals[BLACK],
                "score": total,
                "pairs": len(self.merged_points(seat)),
                "points_sum": self.points_sum(seat),
            }
            for seat, total in enumerate(totals)
        ]

    def position(self) -> dict:
        counted = not self.ended and self.options["repetition"]
        return {
            "width": self.width,
            "height": self.height,
            "points": [self.points.get(piece) for piece in PIECES],
            "to_move": self.turn,
            "last_move_due": self.last_move_due,
            "plies": self.plies,
            "seen": self.seen[self._key()] if counted else 0,
            "ended": self.ended,
        }

    def random_event(self, rng: random.Random) -> tuple:
        if self.turn is None:
            raise ValueError("match_over")
        return rng.choice(sorted(self.legal(self.turn)))

    # Score

    def merged_points(self, seat: int) -> list[int]:
        """The points of this side's merged pairs."""
        found = []
        for figure in range(FIGURES):
            outer, inner = self.points.get((seat, OUTER, figure)), self.points.get((seat, INNER, figure))
            if outer is not None and outer == inner:
                found.append(outer)
        return found

    def points_sum(self, seat: int) -> int:
        return sum(degree(self.width, self.height, point) for point in self.merged_points(seat))

    def total(self, seat: int) -> int:
        """The score on the variant's own scale, always from the present position."""
        if self.variant == "game1":
            return self.points_sum(seat)
        bonus = 5 * len(self.merged_points(seat)) if self.variant == "game3" else 0
        return 2 * self.points_sum(seat) + bonus

    def reached_goal(self, seat: int) -> bool:
        if self.variant == "game1":
            return len(self.merged_points(seat)) >= 5
        return self.total(seat) >= (70 if self.variant == "game2" else 100)

    # Moves

    def _occupied(self) -> set[int]:
        return {point for point in self.points.values() if point is not None}

    def _moves(self, seat: int) -> set[tuple]:
        """Every move of this side's pieces on the present board, whoever is to move."""
        occupied = self._occupied()
        return {("move", *piece, to) for piece in PIECES if piece[0] == seat for to in self._targets(piece, occupied)}

    def _can_move(self, seat: int) -> bool:
        occupied = self._occupied()
        return any(self._targets(piece, occupied) for piece in PIECES if piece[0] == seat)

    def _targets(self, piece: Piece, occupied: set[int]) -> set[int]:
        start, mate = self.points.get(piece), self.points.get(partner(piece))
        targets: set[int] = set()
        if start is None:
            return targets
        for line in rays(self.width, self.height)[start]:
            for passed, point in enumerate(line):
                if point not in occupied:
                    targets.add(point)
                    break
                if point == mate and (passed == 0 or self.options["jump_merge"]):
                    targets.add(point)
        return targets

    def _reasons_of_move(self, piece: Piece, to: int) -> set[str]:
        # Nothing can be said about the lines of a point that does not exist, so off_board stands alone.
        if not 0 <= to < self.width * self.height:
            return {"off_board"}
        passed = self._points_between(self.points.get(piece), to)
        if passed is None:
            return {"not_on_a_line"}
        occupied = self._occupied()
        unbroken = all(point in occupied for point in passed)
        merge = to == self.points.get(partner(piece)) and (not passed or bool(self.options["jump_merge"]))
        if unbroken and (to not in occupied or merge):
            return set()
        return {"not_reachable"}

    def _points_between(self, start: int | None, to: int) -> list[int] | None:
        """The points strictly between two points of one drawn line; None if no line joins them."""
        if start is None or start == to:
            return None
        (y0, x0), (y1, x1) = divmod(start, self.width), divmod(to, self.width)
        length = max(abs(x1 - x0), abs(y1 - y0))
        dx, dy = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
        if (x0 + dx * length, y0 + dy * length) != (x1, y1) or (dx, dy) not in directions(x0, y0):
            return None
        return [(y0 + dy * step) * self.width + x0 + dx * step for step in range(1, length)]

    def _carry_out(self, piece: Piece, to: int) -> set[str]:
        start, mate = self.points[piece], self.points.get(partner(piece))
        self.points[piece] = to
        effects = set()
        if start == mate:
            effects.add("split")
        if to == mate:
            effects.add("merged")
        if self._points_between(start, to):
            effects.add("jumped")
        return effects

    # Turns and ends

    def _may_decline(self, seat: int) -> bool:
        return self.last_move_due and seat == BLACK and self.options["last_move"] == "may"

    def _next_turn(self, mover: int) -> int | None:
        """The side that moves after `mover`, skipped turns included; None if neither side can."""
        for seat in (1 - mover, mover):
            if self._can_move(seat):
                return seat
        return None

    def _key(self) -> tuple:
        return tuple(self.points.get(piece) for piece in PIECES), self.turn

    def _count(self) -> int:
        key = self._key()
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key]

    def _end(self, effect: str) -> set[str]:
        self.ended = effect
        self.turn = None
        self.last_move_due = False
        return {effect}

    def _after_move(self, mover: int) -> set[str]:
        if self.last_move_due:
            return self._end("ended_by_goal")
        if self.reached_goal(mover):
            return self._after_goal(mover)
        self.turn = self._next_turn(mover)
        times = self._count()
        if self.options["repetition"] and times >= self.options["repetition"]:
            return self._end("ended_by_repetition")
        if self.plies >= self.options["max_plies"]:
            return self._end("ended_by_length")
        if self.turn is None:
            return self._end("ended_stuck")
        return {"turn_skipped"} if self.turn == mover else set()

    def _after_goal(self, mover: int) -> set[str]:
        if mover == BLACK or not self._can_move(BLACK):
            return self._end("ended_by_goal")
        self.turn = BLACK
        self.last_move_due = True
        self._count()
        return {"last_move_granted"}


def from_position(
    variant: str,
    width: int,
    height: int,
    points: Points,
    to_move: int = WHITE,
    options: dict[str, object] | None = None,
) -> Oracle:
    """A match that begins with a constructed position. Pieces that are absent or on None are off the board."""
    if variant not in VARIANTS:
        raise ValueError("unknown_variant")
    match = Oracle.__new__(Oracle)
    match._begin(variant, width, height, points, to_move, options)
    return match
