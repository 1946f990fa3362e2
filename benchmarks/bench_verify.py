"""Verification from Parquet to verdicts on one core, beside the fold of the same matches in memory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.folds import events_of, folder, played, validated
from benchmarks.stores import simulated, verified
from kifold.core.registry import ruleset
from kifold.records.simulation import simulation

# Time of all threads together: reading with more of them is not faster on one core.
pytestmark = pytest.mark.benchmark(timer=time.process_time)

MATCHES = 30_000
"""Some row groups: in a store of one, opening it takes a tenth of the time."""


@pytest.fixture(scope="module", params=["blokus", "chipstack"])
def name(request: pytest.FixtureRequest) -> str:
    given: str = request.param
    return given


@pytest.fixture(scope="module")
def matches(short: bool) -> int:
    return 600 if short else MATCHES


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, name: str, matches: int) -> Path:
    place = tmp_path_factory.mktemp("verify") / name
    assert simulated(place, name, matches) == matches
    return place


def test_verify(benchmark: Any, store: Path, name: str, matches: int) -> None:
    benchmark.group = f"{name}, verify from Parquet, one core"
    verified(store, 1)
    report = benchmark.pedantic(verified, (store, 1), rounds=3)
    benchmark.extra_info |= {"who": "kifold", "items": report.events, "at_least": 0.5, "stretch": 0.8}
    assert report.is_fine
    assert report.counts["exact"] == matches


def test_fold_in_memory(benchmark: Any, name: str, matches: int) -> None:
    benchmark.group = f"{name}, verify from Parquet, one core"
    corpora = played(simulation(ruleset(name).start(), "random", 7).started, matches)
    benchmark.extra_info |= {"who": "the fold in memory", "items": events_of(corpora)}
    validated(folder(name), corpora)
    benchmark.pedantic(validated, (folder(name), corpora), rounds=5)
