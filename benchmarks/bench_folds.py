"""Every variant of every ruleset: validated folds beside the yardstick, and the plain way of one live match."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import yardstick
from benchmarks.bench_blokus import step_all
from kifold.core.compiled import compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.flat import flatten_setup
from kifold.core.play import Play
from kifold.core.registry import names, ruleset

PROMISED = {"chipstack": 8, "edgecolor": 8}
VARIANTS = [(name, variant.name) for name in names() for variant in ruleset(name).variants]
EVENTS = 60_000


def random_matches(name: str, variant: str) -> tuple[Folder, Corpus]:
    """Some tens of thousands of events of random play."""
    rules = ruleset(name)
    folder = Folder(rules, compiled(rules))
    template = flatten_setup(rules, rules.start(variant))
    first = next(folder.play(template, 7, 0, 50, greedy=False))
    count = max(50, EVENTS * 50 // len(first.events))
    return folder, next(folder.play(template, 7, 0, count, greedy=False))


@pytest.fixture(scope="module")
def yard() -> list[list[int]]:
    """Matches for the yardstick."""
    folder, corpus = random_matches("blokus", "classic")
    template = flatten_setup(folder.ruleset, folder.ruleset.start(options={"start_corner": "by_colour"}))
    corpus = next(folder.play(template, 7, 0, 300, greedy=False))
    return [[yardstick.action_of(event) for event in corpus.log(match)] for match in range(len(corpus))]


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_fold(benchmark: Any, name: str, variant: str) -> None:
    benchmark.group = f"{name} {variant}, validated fold"
    folder, corpus = random_matches(name, variant)
    benchmark.extra_info |= {"who": "kifold", "items": len(corpus.events), "at_least": PROMISED.get(name, 10)}
    folder.fold(corpus)
    assert not benchmark(folder.fold, corpus).matches["reason"].any()


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_yardstick(benchmark: Any, name: str, variant: str, yard: list[list[int]]) -> None:
    benchmark.group = f"{name} {variant}, validated fold"
    benchmark.extra_info |= {"who": "blokus-rl step", "items": sum(map(len, yard))}
    assert len(benchmark.pedantic(step_all, (yard,), rounds=2)) == len(yard)


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_plain(benchmark: Any, name: str, variant: str) -> None:
    """Plain Python, one live match, event by event: no peer; the figure is for the reader."""
    benchmark.group = "plain way, one match"
    folder, corpus = random_matches(name, variant)
    rules = folder.ruleset
    started = rules.start(variant, setup=corpus.setup(0))
    log = corpus.log(0)

    def fold() -> Play:
        play = Play(rules, started)
        for event in log:
            play.add(event)
        return play

    benchmark.extra_info |= {"items": len(log)}
    assert len(benchmark(fold).log) == len(log)
