"""Work in several threads, its results in order and no more of them waiting than can be used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(pool: Executor, task: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """The results of `task` for all items in their order; at most two for each worker are under way."""
    waiting: deque[Future[R]] = deque()
    for item in items:
        waiting.append(pool.submit(task, item))
        if len(waiting) > 2 * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
