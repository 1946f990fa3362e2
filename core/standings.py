"""How the seats of a match stand: ranks, scores and components, each by its seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kifold.core.events import Event, Resigned
from kifold.core.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Standing:
    """How a seat stands: rank (1 is best; ties share), score (None where the game has no points), components."""

    seat: int
    rank: int
    shared: bool
    score: int | None
    components: dict[str, int | list[int]]

    def as_row(self) -> dict[str, Any]:
        """As plain data: seat, rank, shared and score, and its components beside these."""
        base = {"seat": self.seat, "rank": self.rank, "shared": self.shared, "score": self.score}
        return base | self.components


def standings(ruleset: Ruleset, seats: int, result: Any, ending: Event | None = None) -> list[Standing]:
    """The result record as one `Standing` per seat; `result` plain or a NumPy record read by attribute."""
    ranks = [int(result.rank[seat]) for seat in range(seats)]
    if isinstance(ending, Resigned):
        ranks = _resigned(ranks, ending.seat)
    table = []
    for seat in range(seats):
        components: dict[str, int | list[int]] = {}
        for slot in ruleset.components:
            value = getattr(result, slot.name)
            per_seat = slot.length // ruleset.most_seats
            part = [int(v) for v in value[seat * per_seat : (seat + 1) * per_seat]]
            components[slot.name] = part if per_seat > 1 else part[0]
        score = int(result.score[seat]) if ruleset.has_score else None
        table.append(Standing(seat, ranks[seat], ranks.count(ranks[seat]) > 1, score, components))
    return table


def _resigned(ranks: list[int], resigner: int) -> list[int]:
    others = [rank for seat, rank in enumerate(ranks) if seat != resigner]
    return [
        len(ranks) if seat == resigner else 1 + sum(other < rank for other in others) for seat, rank in enumerate(ranks)
    ]
