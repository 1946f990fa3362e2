"""Every variant of every ruleset: validated folds with their fingerprints, beside the yardstick."""

from __future__ import annotations

import time
from typing import Any

import pytest

from benchmarks import yardstick
from benchmarks.folds import VARIANTS, events_of, folder, played, played_events, validated
from kifold.core.registry import ruleset

pytestmark = pytest.mark.benchmark(timer=time.process_time)

PROMISED = {"chipstack": 8, "edgecolor": 8}
EVENTS = 60_000


@pytest.fixture(scope="module")
def yard(short: bool) -> list[list[int]]:
    """Matches for the yardstick."""
    started = ruleset("blokus").start(options={"start_corner": "by_colour"})
    return yardstick.actions_of(played(started, 20 if short else 300))


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_fold(benchmark: Any, name: str, variant: str, short: bool) -> None:
    benchmark.group = f"{name} {variant}, validated fold"
    corpora = played_events(ruleset(name).start(variant), EVENTS // 20 if short else EVENTS)
    benchmark.extra_info |= {
        "who": "kifold",
        "peer": "blokus-rl step",
        "items": events_of(corpora),
        "at_least": PROMISED.get(name, 10),
        "stretch": 20,
    }
    validated(folder(name), corpora)
    for folded, _ in benchmark(validated, folder(name), corpora):
        assert not folded.matches["reason"].any()


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_yardstick(benchmark: Any, name: str, variant: str, yard: list[list[int]]) -> None:
    benchmark.group = f"{name} {variant}, validated fold"
    benchmark.extra_info |= {"who": "blokus-rl step", "items": sum(map(len, yard))}
    assert len(benchmark.pedantic(yardstick.step_all, (yard,), rounds=2)) == len(yard)
