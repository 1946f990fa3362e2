"""Stores of simulated matches, and what takes all of one."""

from __future__ import annotations

from pathlib import Path

from benchmarks.folds import SEED
from kifold.core.registry import ruleset
from kifold.records.simulation import simulate, simulation
from kifold.records.store import Store
from kifold.replay.verify import Report, Work, verify_store


def ignored(matches: int, events: int) -> None:
    """Progress that nobody looks at."""


def simulated(folder: Path, name: str, games: int, *, policy: str = "random", workers: int = 1) -> int:
    """Simulate matches into a store; how many were added."""
    with Store(folder) as store:
        return simulate(store, simulation(ruleset(name).start(), policy, SEED), games, workers, ignored)[0]


def verified(folder: Path, workers: int) -> Report:
    """Verify a store, from its files to the verdicts."""
    report = Report()
    with Store(folder, create=False) as store:
        verify_store(store, Work(report, workers=workers))
    return report
