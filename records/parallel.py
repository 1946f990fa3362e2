"""Work in several threads, its results in order and no more of them waiting than can be used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")


def in_order(task: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """The results of `task` for all items in their order; at most two for each worker are under way.

    When nobody takes the results any more, also because of an interrupt or an error, what was not begun is left.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(workers)
    waiting: deque[Future[R]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(task, item))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
