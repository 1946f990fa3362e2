"""Ranks from scores, for the `result` function of a ruleset."""

from __future__ import annotations

from typing import Any


def rank_by_score(result: Any, seats: int) -> None:
    """Standard competition ranking (1, 1, 3): fill `rank` from `score`, the highest first."""
    for seat in range(seats):
        rank = 1
        for other in range(seats):
            if result.score[other] > result.score[seat]:
                rank += 1
        result.rank[seat] = rank
