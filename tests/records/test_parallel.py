"""Work in several threads: in order, no more than can be used, and none that nobody waits for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from kifold.records.parallel import in_order


class Work:
    """A task that notes what was begun, and takes its time with all but the first item."""

    def __init__(self) -> None:
        self.begun: list[int] = []

    def __call__(self, item: int) -> int:
        self.begun.append(item)
        time.sleep(0.2 if item else 0)
        return 10 * item


def test_results_come_in_order_and_few_are_under_way() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for i in range(20):
            assert i <= len(taken) + 4, "two for each of two workers"
            yield i

    for result in in_order(lambda i: (time.sleep(0.01 * (i % 3)), i)[1], items(), 2):
        taken.append(result)
    assert taken == list(range(20))


def interrupt(_result: int) -> None:
    raise KeyboardInterrupt


def fail(_result: int) -> None:
    raise ValueError


@pytest.mark.parametrize(("stop", "raised"), [(interrupt, KeyboardInterrupt), (fail, ValueError)])
def test_what_nobody_waits_for_is_not_begun(stop: Callable[[int], None], raised: type[BaseException]) -> None:
    work = Work()

    def take() -> None:
        for result in in_order(work, range(9), 1):
            stop(result)

    with pytest.raises(raised):
        take()
    assert work.begun in ([0], [0, 1]), "one was at work, or about to be"


def test_nothing_is_begun_after_a_task_that_fails() -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        time.sleep(0.1)
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        list(in_order(work, range(9), 1))
    assert begun in ([0], [0, 1])
