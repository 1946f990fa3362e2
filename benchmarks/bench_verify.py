"""Verification from Parquet to verdicts on one core, beside the fold of the same matches in memory, in turns.

What a fold costs depends on who had the memory before: after itself it finds its arrays still there, and takes an
eighth less than after anything else. So neither side is measured by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.folds import events_of, folder, played, validated
from benchmarks.promises import Promise
from benchmarks.stores import simulated, verified
from kifold.core.registry import ruleset
from kifold.records.simulation import simulation

MATCHES = 30_000
"""Some row groups: in a store of one, opening it takes a tenth of the time."""
ROUNDS = 7


def best_of(work: tuple[Callable[[], Any], ...], rounds: int) -> list[float]:
    """The least seconds of processor that each takes, of all threads together, after a round that is not counted."""
    best = [float("inf")] * len(work)
    for number in range(rounds + 1):
        for at, one in enumerate(work):
            before = time.process_time()
            one()
            if number:
                best[at] = min(best[at], time.process_time() - before)
    return best


@pytest.mark.parametrize("name", ["blokus", "chipstack"])
def test_verify(name: str, tmp_path: Path, short: bool, promise: Callable[[Promise], None]) -> None:
    matches = 600 if short else MATCHES
    store = tmp_path / name
    assert simulated(store, name, matches) == matches
    corpora = played(simulation(ruleset(name).start(), "random", 7).started, matches)
    report = verified(store, 1)
    assert report.is_fine
    assert (report.counts["exact"], report.events) == (matches, events_of(corpora))
    ours, fold = best_of((lambda: verified(store, 1), lambda: validated(folder(name), corpora)), 2 if short else ROUNDS)
    work = f"{name}, verify from Parquet, one core"
    promise(Promise(work, report.events / ours, 0.5, 0.8, "the fold in memory", report.events / fold))
