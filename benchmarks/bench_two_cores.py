"""Two workers beside two independent processes that share the same work in halves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from benchmarks.promises import Promise
from benchmarks.stores import simulated, verified
from kifold.core.processors import processors

MATCHES = 40_000
"""Eight row groups: fewer would not part evenly between two workers."""
ROUNDS = 3

Task = Callable[[], Any]


@pytest.fixture(scope="module")
def half(short: bool) -> int:
    """Half of the matches."""
    return 100 if short else MATCHES // 2


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[ProcessPoolExecutor]:
    """Two processes that have loaded everything that the work needs."""
    if processors() < 2:
        pytest.skip("two processors are needed")
    folder = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patch, ProcessPoolExecutor(2, get_context("spawn")) as pool:
        patch.syspath_prepend(pytestconfig.rootpath)  # the processes have to find this module
        for attempt in range(2):
            together(pool, [partial(warm_up, folder / f"{attempt}{process}") for process in range(2)])
        yield pool


def warm_up(folder: Path) -> None:
    simulated(folder, "blokus", 300)
    verified(folder, 1)


def together(pool: ProcessPoolExecutor, tasks: list[Task]) -> float:
    """Seconds until each of two processes has done its task, begun at the same moment."""
    return max(pool.map(partial(seconds, begin=time.time() + 0.3), tasks))


def seconds(task: Task, begin: float = 0.0) -> float:
    """How long a task takes, begun at a moment of the clock."""
    time.sleep(max(0.0, begin - time.time()))
    before = time.perf_counter()
    task()
    return time.perf_counter() - before


def compared(work: str, matches: int, ours: Callable[[], float], theirs: Callable[[], float]) -> Promise:
    """The best of some rounds of each, in turns."""
    rounds = [(ours(), theirs()) for _ in range(ROUNDS)]
    our_best, their_best = (min(times) for times in zip(*rounds, strict=True))
    return Promise(work, matches / our_best, 0.85, peer="two processes", theirs=matches / their_best)


def test_simulate(two: ProcessPoolExecutor, half: int, tmp_path: Path, promise: Callable[[Promise], None]) -> None:
    fresh = (tmp_path / str(number) for number in count())

    def ours() -> float:
        return seconds(partial(simulated, next(fresh), "blokus", 2 * half, workers=2))

    def theirs() -> float:
        return together(two, [partial(simulated, next(fresh), "blokus", half) for _ in range(2)])

    promise(compared("blokus, simulate, two workers (matches)", 2 * half, ours, theirs))


def test_verify(two: ProcessPoolExecutor, half: int, tmp_path: Path, promise: Callable[[Promise], None]) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    simulated(whole, "blokus", 2 * half, workers=2)
    simulated(part, "blokus", half)

    def ours() -> float:
        return seconds(partial(verified, whole, 2))

    def theirs() -> float:
        return together(two, [partial(verified, part, 1)] * 2)

    promise(compared("blokus, verify, two workers (matches)", 2 * half, ours, theirs))
