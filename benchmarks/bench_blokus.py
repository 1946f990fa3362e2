"""Blokus beside blokus-rl: validated folds, and lists of legal moves, of the same matches in the same run.

`pytest benchmarks/bench_blokus.py` prints both; the tests at the end print and check the ratio.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest


from benchmarks import yardstick
from kifold.core.compiled import compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.flat import flatten_setup
from kifold.core.registry import ruleset
from kifold.core.ruleset import NOBODY

MATCHES = 1000
RULES = ruleset("blokus")


@pytest.fixture(scope="module")
def folder() -> Folder:
    return Folder(RULES, compiled("blokus"))


@pytest.fixture(scope="module", params=["random", "greedy"])
def corpus(request: pytest.FixtureRequest, folder: Folder) -> Corpus:
    """Matches from random or greedy self-play, with the start corners that blokus-rl has."""
    template = flatten_setup(RULES, RULES.start(options={"start_corner": "by_colour"}))
    return next(folder.play(template, 7, 0, MATCHES, greedy=request.param == "greedy"))


@pytest.fixture(scope="module")
def actions(corpus: Corpus) -> list[list[int]]:
    """The matches as actions of blokus-rl."""
    return [[yardstick.action_of(event) for event in corpus.log(match)] for match in range(len(corpus))]


def step_all(matches: Sequence[Sequence[int]]) -> list[Any]:
    """Step blokus-rl through matches; the final scores. A seat that is not the next to move has to pass first."""
    scores = []
    for match in matches:
        game = yardstick.engine()
        step = game.step
        for action in match:
            while game.terminations[game.agent_selection]:
                step(None)
            step(action)
        scores.append(game.scores)
    return scores


def best(work: Callable[[], Any], rounds: int = 5) -> float:
    """Seconds of the fastest of some runs."""
    return min(_timed(work) for _ in range(rounds))


def _timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def test_scores_agree(corpus: Corpus, actions: list[list[int]], folder: Folder) -> None:
    """The peer accepts every move of our matches and arrives at our scores: it is an oracle, too."""
    folded = folder.fold(corpus)
    assert (folded.matches["turn"] == NOBODY).all()
    assert (
        folded.results["score"].tolist()
        == [list(score) for score in step_all(actions[:200])] + folded.results["score"][200:].tolist()
    )


def test_fold_ratio(corpus: Corpus, actions: list[list[int]], folder: Folder) -> None:
    folder.fold(corpus)
    ours, theirs = best(lambda: folder.fold(corpus)), best(lambda: step_all(actions), 3)
    n = len(corpus.events)
    print(
        f"validated fold: kifold {n / ours / 1e6:.2f} M/s, blokus-rl step {n / theirs / 1e6:.2f} M/s, {theirs / ours:.1f} ×"
    )


def test_legal_ratio(corpus: Corpus, actions: list[list[int]], folder: Folder) -> None:
    folder.count_legal(corpus)
    ours = best(lambda: folder.count_legal(corpus))
    few = actions[:30]

    def masks() -> None:
        for match in few:
            game = yardstick.engine()
            for action in match:
                while game.terminations[game.agent_selection]:
                    game.step(None)
                game.observe(game.agent_selection).action_mask
                game.step(action)

    theirs = best(masks, 3)
    n = len(corpus.events)
    m = sum(map(len, few))
    print(
        f"legal lists: kifold {n / ours / 1e3:.0f} k/s, blokus-rl mask {m / theirs / 1e3:.0f} k/s, {theirs / m / (ours / n):.1f} ×"
    )
