"""Blokus beside blokus-rl: validated folds, and lists of legal moves, of the same matches in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks import yardstick
from kifold.core.compiled import compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.flat import flatten_setup
from kifold.core.registry import ruleset
from kifold.core.ruleset import NOBODY

MATCHES = 1000
LISTED = 40
RULES = ruleset("blokus")


@pytest.fixture(scope="module")
def folder() -> Folder:
    return Folder(RULES, compiled(RULES))


@pytest.fixture(scope="module", params=["random", "greedy"])
def policy(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def corpus(policy: str, folder: Folder) -> Corpus:
    """Matches from random or greedy self-play, with the start corners that blokus-rl has."""
    template = flatten_setup(RULES, RULES.start(options={"start_corner": "by_colour"}))
    return next(folder.play(template, 7, 0, MATCHES, greedy=policy == "greedy"))


@pytest.fixture(scope="module")
def actions(corpus: Corpus) -> list[list[int]]:
    """The matches as actions of blokus-rl."""
    return [[yardstick.action_of(event) for event in corpus.log(match)] for match in range(len(corpus))]


def step_all(matches: Sequence[Sequence[int]], *, with_mask: bool = False) -> list[Any]:
    """Step blokus-rl through matches; the final scores. A seat that cannot move has to pass first."""
    scores = []
    for match in matches:
        game = yardstick.engine()
        for action in match:
            while game.terminations[game.agent_selection]:
                game.step(None)
            if with_mask:
                yardstick.mask(game)
            game.step(action)
        scores.append(game.scores)
    return scores


def test_fold(benchmark: Any, corpus: Corpus, policy: str, folder: Folder) -> None:
    benchmark.group = f"blokus, validated fold, {policy}"
    benchmark.extra_info |= {"who": "kifold", "items": len(corpus.events), "at_least": 10}
    folder.fold(corpus)
    folded = benchmark(folder.fold, corpus)
    assert (folded.matches["turn"] == NOBODY).all()


def test_peer_step(benchmark: Any, corpus: Corpus, actions: list[list[int]], policy: str, folder: Folder) -> None:
    benchmark.group = f"blokus, validated fold, {policy}"
    benchmark.extra_info |= {"who": "blokus-rl step", "items": len(corpus.events)}
    scores = benchmark.pedantic(step_all, (actions,), rounds=3)
    # The peer accepts every move of our matches and arrives at our scores: it is an oracle, too.
    assert [list(score) for score in scores] == folder.fold(corpus).results["score"].tolist()


def test_legal(benchmark: Any, corpus: Corpus, policy: str, folder: Folder) -> None:
    benchmark.group = f"blokus, lists of legal moves, {policy}"
    benchmark.extra_info |= {"who": "kifold", "items": len(corpus.events), "at_least": 5}
    folder.count_legal(corpus)
    assert benchmark(folder.count_legal, corpus).min() > 0


def test_peer_mask(benchmark: Any, actions: list[list[int]], policy: str) -> None:
    benchmark.group = f"blokus, lists of legal moves, {policy}"
    few = actions[:LISTED]
    benchmark.extra_info |= {"who": "blokus-rl full mask", "items": sum(map(len, few))}
    assert len(benchmark.pedantic(step_all, (few,), {"with_mask": True}, rounds=3)) == LISTED
