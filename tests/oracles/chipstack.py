"""Brute-force oracle for chipstack, written from the rule file ``rules/chipstack.md`` alone.

Plain sets, dicts and exhaustive search: it is meant to be obviously right, and to be compared, position by position,
with the ruleset. Cells are 0..35 = 6 * (number - 1) + letter (a = 0), colours 0..4, shape 0 = round, 1 = square.

Events are ``("place", seat, colour, shape, cell, targets)`` with the targets as an ascending tuple in which repeats are
allowed, and ``("take", seat, cell)``. Nothing is left to chance. The tables ``REASONS`` and ``EFFECTS`` below list why
an event may be refused and what the rules force; each name is tied to its paragraph of the rule file.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

REASONS: dict[str, str] = {
    "match_over": "000.5: the match is over once no piece is left on the board in phase 2",
    "not_your_turn": "000.4, 000.5: the seat is not the one to move (after the end nobody is)",
    "wrong_phase": "000.4, 000.5: place belongs to phase 1, take to phase 2",
    "no_piece_left": "000.4 (1): no piece of this colour and shape is left in the supply",
    "no_chip_left": "000.4 (1): no chip of this colour is left in the supply",
    "cell_occupied": "000.4 (2): there is a piece on the cell",
    "wrong_number_of_targets": "000.4 (5), (7): exactly k = min(live slots, supply of the colour) targets",
    "targets_not_sorted": "000.4 (7): the targets are listed in ascending order",
    "targets_not_allowed": "000.4 (4), (6), (7): the listed targets cannot be matched into different live slots",
    "no_piece_there": "000.5: the cell taken from holds no piece",
}

EFFECTS: dict[str, str] = {
    "redirected": "000.4 (4), (6): a chip went where only a redirect slot can have put it",
    "slot_dead": "000.4 (4): a redirect slot had no target and was ignored",
    "shortage": "000.4 (5): the supply of the colour was smaller than the number of live slots",
    "last_of_kind": "000.4 (b): a chip was due for the third and last piece of a kind",
    "tall_stack": "000.4 (b): at least one chip was due for landing on a stack of four or more",
    "bonus_unpaid": "000.4 (c): the supply could not pay the whole bonus",
    "phase_ended_full": "000.4 (d) (i): phase 1 ended, no cell is empty of both piece and chips",
    "phase_ended_no_kind": "000.4 (d) (ii): phase 1 ended, no kind is placeable",
    "match_ended": "000.5: the last piece was taken",
}

SETUP_REASONS: dict[str, str] = {"no_such_seat": "000.4: the first player is not a seat of this match"}

SIZE = 6
CELLS = range(SIZE * SIZE)
COLOURS = range(5)
ROUND, SQUARE = 0, 1
SHAPES = (ROUND, SQUARE)
PIECES_PER_KIND = 3
CHIPS_PER_COLOUR = 20
TALL = 4
STEPS = {
    SQUARE: ((-1, 0), (1, 0), (0, -1), (0, 1)),
    ROUND: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
}

Piece = tuple[int, int]
Targets = tuple[int, ...]
Event = tuple[Any, ...]


def area(shape: int, cell: int) -> list[int]:
    """The cells of the area of a piece (000.2), in the slot order of 000.4 (7); cells off the board are dropped."""
    number, letter = divmod(cell, SIZE)
    around = [(number + down, letter + right) for down, right in STEPS[shape]]
    return [SIZE * n + m for n, m in around if 0 <= n < SIZE and 0 <= m < SIZE]


AREA = {(shape, cell): area(shape, cell) for shape in SHAPES for cell in CELLS}


class Slot(NamedTuple):
    """One area cell of the piece being placed, and where its chip may go; no targets means the slot is dead."""

    cell: int
    direct: bool
    targets: tuple[int, ...]


def can_match(targets: Sequence[int], slots: Sequence[Slot]) -> bool:
    """Whether every listed target can be given a slot of its own that allows it, tried exhaustively."""
    if not targets:
        return True
    return any(
        targets[0] in slot.targets and can_match(targets[1:], [*slots[:i], *slots[i + 1 :]])
        for i, slot in enumerate(slots)
    )


def ways_to_fill(live: Sequence[Slot], k: int) -> set[Targets]:
    """Every multiset of targets that filling k of the live slots can give."""
    return {
        tuple(sorted(choice))
        for filled in combinations(live, k)
        for choice in product(*(slot.targets for slot in filled))
    }


class Oracle:
    """One match of chipstack."""

    def __init__(
        self,
        variant: str = "standard",
        options: dict[str, object] | None = None,
        seats: int | None = None,
        setup: dict[str, Any] | None = None,
    ) -> None:
        """Start a match; two seats and first player 0 where nothing is said."""
        if variant != "standard":
            raise ValueError("unknown_variant")
        self.seats = 2 if seats is None else seats
        if self.seats not in range(2, 6):
            raise ValueError("wrong_number_of_seats")
        self.zero_colours = (options or {}).get("zero_colours", "best")
        if self.zero_colours not in ("best", "worst"):
            raise ValueError("unknown_option_value")
        first = (setup or {}).get("first", 0)
        if first not in range(self.seats):
            raise ValueError("no_such_seat")
        self.phase = 1
        self.mover: int = first
        self.last_placer: int | None = None
        self.pieces: dict[int, Piece] = {}
        self.stacks: dict[int, list[int]] = {cell: [] for cell in CELLS}
        self.chip_supply = [CHIPS_PER_COLOUR for _ in COLOURS]
        self.piece_supply = {(colour, shape): PIECES_PER_KIND for colour in COLOURS for shape in SHAPES}
        self.holdings = [[0 for _ in COLOURS] for _ in range(self.seats)]

    @classmethod
    def from_position(
        cls,
        *,
        seats: int = 2,
        phase: int = 1,
        to_move: int | None = 0,
        last_placer: int | None = None,
        pieces: Mapping[int, Sequence[int]] | None = None,
        stacks: Mapping[int, Sequence[int]] | None = None,
        chip_supply: Sequence[int] | None = None,
        piece_supply: Sequence[Sequence[int]] | None = None,
        holdings: Sequence[Sequence[int]] | None = None,
        options: dict[str, object] | None = None,
    ) -> Oracle:
        """A match set up by hand; the keywords are the keys of ``position()``.

        ``pieces`` maps a cell to (colour, shape), ``stacks`` a cell to its chips from the bottom. A supply that is left
        out is what the board and the holdings leave of 20 chips and 3 pieces; in phase 2 pieces already taken are gone
        for good, so say ``piece_supply`` there if it matters. Fewer than 100 chips in all are accepted, more are not.
        The phase is taken as given: the end test of phase 1 is made at the end of a turn only.
        """
        match = cls("standard", options, seats, {"first": 0 if to_move is None else to_move})
        match.phase = phase
        match.last_placer = last_placer
        match.pieces = {cell: (piece[0], piece[1]) for cell, piece in (pieces or {}).items()}
        match.stacks.update({cell: list(stack) for cell, stack in (stacks or {}).items()})
        if holdings is not None:
            match.holdings = [list(counts) for counts in holdings]
        match._set_supplies(chip_supply, piece_supply)
        if (match.to_move() is None) != (to_move is None):
            raise ValueError("to_move does not fit the position")
        return match

    def _set_supplies(self, chips: Sequence[int] | None, pieces: Sequence[Sequence[int]] | None) -> None:
        chips_out = [self._chips_out(colour) for colour in COLOURS]
        self.chip_supply = list(chips) if chips is not None else [CHIPS_PER_COLOUR - out for out in chips_out]
        for colour, shape in self.piece_supply:
            on_board = self._on_board(colour, shape)
            self.piece_supply[colour, shape] = PIECES_PER_KIND - on_board if pieces is None else pieces[colour][shape]
            if not 0 <= self.piece_supply[colour, shape] <= PIECES_PER_KIND - on_board:
                raise ValueError("too many pieces")
        for colour in COLOURS:
            if not 0 <= self.chip_supply[colour] <= CHIPS_PER_COLOUR - chips_out[colour]:
                raise ValueError("too many chips")

    def _chips_out(self, colour: int) -> int:
        on_board = sum(stack.count(colour) for stack in self.stacks.values())
        return on_board + sum(counts[colour] for counts in self.holdings)

    def _on_board(self, colour: int, shape: int) -> int:
        return list(self.pieces.values()).count((colour, shape))

    def copy(self) -> Oracle:
        """An independent copy."""
        twin = Oracle("standard", {"zero_colours": self.zero_colours}, self.seats, {"first": self.mover})
        twin.phase = self.phase
        twin.last_placer = self.last_placer
        twin.pieces = dict(self.pieces)
        twin.stacks = {cell: list(stack) for cell, stack in self.stacks.items()}
        twin.chip_supply = list(self.chip_supply)
        twin.piece_supply = dict(self.piece_supply)
        twin.holdings = [list(counts) for counts in self.holdings]
        return twin

    def over(self) -> bool:
        """Whether the match is over: phase 2 and no piece on the board."""
        return self.phase == 2 and not self.pieces

    def to_move(self) -> int | None:
        """The seat to move, None when the match is over; chance has no part in this game."""
        return None if self.over() else self.mover

    # Phase 1: slots and outcomes

    def slots(self, shape: int, cell: int) -> list[Slot]:
        """The slots of a piece of that shape put on that free cell (000.4 (3), (4)), in slot order, dead ones too."""
        occupied = set(self.pieces) | {cell}
        found = []
        for near in AREA[shape, cell]:
            if near not in occupied:
                found.append(Slot(near, True, (near,)))
                continue
            blocker_shape = self.pieces[near][1]
            free = tuple(other for other in AREA[blocker_shape, near] if other not in occupied)
            found.append(Slot(near, False, free))
        return found

    def live_slots(self, shape: int, cell: int) -> list[Slot]:
        """The slots that are not dead."""
        return [slot for slot in self.slots(shape, cell) if slot.targets]

    def placeable(self, colour: int, shape: int) -> bool:
        """Whether a piece of the kind and a chip of its colour are left (000.4 (1))."""
        return self.piece_supply[colour, shape] >= 1 and self.chip_supply[colour] >= 1

    def legal_outcomes(self, colour: int, shape: int, cell: int) -> set[Targets]:
        """Every distinct target tuple of that placement, whoever moves; empty if the placement itself is refused."""
        if self.phase != 1 or cell in self.pieces or not self.placeable(colour, shape):
            return set()
        live = self.live_slots(shape, cell)
        return ways_to_fill(live, min(len(live), self.chip_supply[colour]))

    def legal(self, seat: int) -> set[Event]:
        """All legal events of the seat as if it were its turn; none after the end or for a seat not at the table."""
        if self.over() or seat not in range(self.seats):
            return set()
        if self.phase == 2:
            return {("take", seat, cell) for cell in self.pieces}
        return {event for shape in SHAPES for cell in CELLS for event in self._placements(seat, shape, cell)}

    def _placements(self, seat: int, shape: int, cell: int) -> list[Event]:
        # Outcomes depend on the colour only through k, so they are listed once per k.
        if cell in self.pieces:
            return []
        live = self.live_slots(shape, cell)
        outcomes: dict[int, set[Targets]] = {}
        events: list[Event] = []
        for colour in COLOURS:
            if self.placeable(colour, shape):
                k = min(len(live), self.chip_supply[colour])
                if k not in outcomes:
                    outcomes[k] = ways_to_fill(live, k)
                events += [("place", seat, colour, shape, cell, targets) for targets in outcomes[k]]
        return events

    # Refusals

    def reasons(self, event: Event) -> set[str]:
        """Every reason that holds against the event, each judged on its own; empty means legal."""
        found = set()
        if self.over():
            found.add("match_over")
        if event[1] != self.to_move():
            found.add("not_your_turn")
        if event[0] == "place":
            return found | self._reasons_to_refuse_place(*event[2:])
        return found | self._reasons_to_refuse_take(event[2])

    def _reasons_to_refuse_place(self, colour: int, shape: int, cell: int, targets: Sequence[int]) -> set[str]:
        found = set()
        if self.phase != 1:
            found.add("wrong_phase")
        if self.piece_supply[colour, shape] == 0:
            found.add("no_piece_left")
        if self.chip_supply[colour] == 0:
            found.add("no_chip_left")
        if cell in self.pieces:
            # Without a new piece on the cell there are no slots to judge the targets by.
            return found | {"cell_occupied"}
        return found | self._reasons_to_refuse_targets(colour, shape, cell, targets)

    def _reasons_to_refuse_targets(self, colour: int, shape: int, cell: int, targets: Sequence[int]) -> set[str]:
        found = set()
        live = self.live_slots(shape, cell)
        if len(targets) != min(len(live), self.chip_supply[colour]):
            found.add("wrong_number_of_targets")
        if list(targets) != sorted(targets):
            found.add("targets_not_sorted")
        if not can_match(targets, live):
            found.add("targets_not_allowed")
        return found

    def _reasons_to_refuse_take(self, cell: int) -> set[str]:
        found = set()
        if self.phase != 2:
            found.add("wrong_phase")
        if cell not in self.pieces:
            found.add("no_piece_there")
        return found

    # Changes

    def apply(self, event: Event) -> set[str]:
        """Play a legal event, return the names of its effects; an illegal one raises ValueError and changes nothing."""
        refused = self.reasons(event)
        if refused:
            raise ValueError(", ".join(sorted(refused)))
        if event[0] == "place":
            return self._place(*event[1:])
        return self._take(event[1], event[2])

    def _place(self, seat: int, colour: int, shape: int, cell: int, targets: Targets) -> set[str]:
        effects = self._effects_of_slots(colour, shape, cell, targets)
        last_of_kind = self._on_board(colour, shape) == PIECES_PER_KIND - 1
        self.pieces[cell] = (colour, shape)
        self.piece_supply[colour, shape] -= 1
        tall = self._put_chips(colour, targets)
        effects |= self._pay_bonus(seat, colour, int(last_of_kind), tall)
        self.last_placer = seat
        return effects | self._end_placing_turn(seat)

    def _effects_of_slots(self, colour: int, shape: int, cell: int, targets: Targets) -> set[str]:
        slots = self.slots(shape, cell)
        live = [slot for slot in slots if slot.targets]
        effects = set()
        if len(live) < len(slots):
            effects.add("slot_dead")
        if self.chip_supply[colour] < len(live):
            effects.add("shortage")
        if not can_match(targets, [slot for slot in slots if slot.direct]):
            effects.add("redirected")
        return effects

    def _put_chips(self, colour: int, targets: Targets) -> int:
        """Lay the chips one by one; returns how many landed on a stack of four or more."""
        tall = 0
        for target in targets:
            tall += len(self.stacks[target]) >= TALL
            self.stacks[target].append(colour)
            self.chip_supply[colour] -= 1
        return tall

    def _pay_bonus(self, seat: int, colour: int, last_of_kind: int, tall: int) -> set[str]:
        due = last_of_kind + tall
        paid = min(due, self.chip_supply[colour])
        self.chip_supply[colour] -= paid
        self.holdings[seat][colour] += paid
        happened = {"last_of_kind": last_of_kind > 0, "tall_stack": tall > 0, "bonus_unpaid": paid < due}
        return {name for name, holds in happened.items() if holds}

    def _end_placing_turn(self, seat: int) -> set[str]:
        effects = set()
        if all(cell in self.pieces or self.stacks[cell] for cell in CELLS):
            effects.add("phase_ended_full")
        if not any(self.placeable(colour, shape) for colour, shape in self.piece_supply):
            effects.add("phase_ended_no_kind")
        if effects:
            self.phase = 2
            self.mover = seat
        else:
            self.mover = (seat - 1) % self.seats
        return effects

    def _take(self, seat: int, cell: int) -> set[str]:
        _, shape = self.pieces.pop(cell)
        for near in AREA[shape, cell]:
            if near not in self.pieces and self.stacks[near]:
                self.holdings[seat][self.stacks[near].pop()] += 1
        self.mover = (seat + 1) % self.seats
        return {"match_ended"} if self.over() else set()

    # Reading the state

    def _key(self, seat: int) -> tuple[int, list[int]]:
        counts = self.holdings[seat]
        colours = sum(count > 0 for count in counts)
        if colours == 0 and self.zero_colours == "worst":
            colours = len(COLOURS) + 1
        return colours, [-count for count in sorted(counts)]

    def result(self) -> list[dict[str, Any]]:
        """Per seat its rank (1, 1, 3), whether it is shared, and what it rests on; before the end the one so far."""
        keys = [self._key(seat) for seat in range(self.seats)]
        return [
            {
                "rank": 1 + sum(other < keys[seat] for other in keys),
                "shared": keys.count(keys[seat]) > 1,
                "score": None,
                "colours": sum(count > 0 for count in counts),
                "chips": sum(counts),
                "sorted_counts": sorted(counts),
            }
            for seat, counts in enumerate(self.holdings)
        ]

    def position(self) -> dict[str, Any]:
        """Everything essential; ``Oracle.from_position(**position)`` gives the same position back."""
        return {
            "seats": self.seats,
            "phase": self.phase,
            "to_move": self.to_move(),
            "last_placer": self.last_placer,
            "pieces": {cell: list(self.pieces[cell]) for cell in sorted(self.pieces)},
            "stacks": {cell: list(stack) for cell, stack in self.stacks.items() if stack},
            "chip_supply": list(self.chip_supply),
            "piece_supply": [[self.piece_supply[colour, shape] for shape in SHAPES] for colour in COLOURS],
            "holdings": [list(counts) for counts in self.holdings],
        }

    def random_event(self, rng: random.Random) -> Event:
        """A uniformly chosen legal event of the seat to move; ValueError when there is none."""
        seat = self.to_move()
        events = [] if seat is None else sorted(self.legal(seat))
        if not events:
            raise ValueError("no legal event")
        return rng.choice(events)
