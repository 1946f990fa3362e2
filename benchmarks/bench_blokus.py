"""Blokus beside blokus-rl: validated folds with their fingerprints, and lists of legal moves, of the same matches."""

from __future__ import annotations

import time
from typing import Any

import pytest

from benchmarks import yardstick
from benchmarks.folds import events_of, folder, played, validated
from kifold.core.corpus import Corpus
from kifold.core.registry import ruleset
from kifold.core.ruleset import NOBODY

pytestmark = pytest.mark.benchmark(timer=time.process_time)

MATCHES = 1000
LISTED = 40


@pytest.fixture(scope="module", params=["random", "greedy"])
def policy(request: pytest.FixtureRequest) -> str:
    """Who plays; a greedy seat places what counts most, as a beginner at the table does."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def corpora(policy: str, short: bool) -> list[Corpus]:
    """Matches with the start corners that blokus-rl has."""
    started = ruleset("blokus").start(options={"start_corner": "by_colour"})
    return played(started, 50 if short else MATCHES, greedy=policy == "greedy")


@pytest.fixture(scope="module")
def actions(corpora: list[Corpus]) -> list[list[int]]:
    """The matches as actions of blokus-rl."""
    return yardstick.actions_of(corpora)


def test_fold(benchmark: Any, corpora: list[Corpus], policy: str) -> None:
    benchmark.group = f"blokus, validated fold, {policy} play"
    benchmark.extra_info |= {
        "who": "kifold",
        "peer": "blokus-rl step",
        "items": events_of(corpora),
        "at_least": 15,
        "stretch": 25,
    }
    loops = folder("blokus")
    validated(loops, corpora)
    for folded, _ in benchmark(validated, loops, corpora):
        assert (folded.matches["turn"] == NOBODY).all()


def test_peer_step(benchmark: Any, corpora: list[Corpus], actions: list[list[int]], policy: str) -> None:
    benchmark.group = f"blokus, validated fold, {policy} play"
    benchmark.extra_info |= {"who": "blokus-rl step", "items": events_of(corpora)}
    scores = benchmark.pedantic(yardstick.step_all, (actions,), rounds=3)
    # The peer accepts every move of our matches and arrives at our scores: it is an oracle, too.
    ours = [score for corpus in corpora for score in folder("blokus").fold(corpus).results["score"].tolist()]
    assert [list(score) for score in scores] == ours


def test_legal(benchmark: Any, corpora: list[Corpus], policy: str) -> None:
    benchmark.group = f"blokus, lists of legal moves, {policy} play"
    benchmark.extra_info |= {
        "who": "kifold",
        "peer": "blokus-rl full mask",
        "items": len(corpora[0].events),
        "at_least": 10,
        "stretch": 20,
    }
    loops = folder("blokus")
    loops.count_legal(corpora[0])
    assert benchmark(loops.count_legal, corpora[0]).min() > 0


def test_peer_mask(benchmark: Any, actions: list[list[int]], policy: str) -> None:
    benchmark.group = f"blokus, lists of legal moves, {policy} play"
    few = actions[:LISTED]
    benchmark.extra_info |= {"who": "blokus-rl full mask", "items": sum(map(len, few))}
    assert len(benchmark.pedantic(yardstick.step_all, (few,), {"with_mask": True}, rounds=3)) == LISTED
