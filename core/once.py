"""What is made once in a process, also where several threads ask for it first."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, TypeVar, TypeVarTuple

from numba.core import compiler_lock

Asked = TypeVarTuple("Asked")
Made = TypeVar("Made")

# Numba's own lock, which it holds while it compiles: nothing is made meanwhile, and nobody waits for two locks.
LOCK: Any = compiler_lock.global_compiler_lock


class once(Generic[*Asked, Made]):  # noqa: N801  # used as a decorator, like `cache`
    """A function whose answer for the same arguments is made once. Who asks for what is there waits for nobody."""

    def __init__(self, make: Callable[[*Asked], Made]) -> None:
        update_wrapper(self, make)
        self._make = make
        self._made: dict[tuple[*Asked], Made] = {}

    def __call__(self, *asked: *Asked) -> Made:
        """The answer."""
        if asked not in self._made:
            with LOCK:
                if asked not in self._made:
                    self._made[asked] = self._make(*asked)
        return self._made[asked]

    def cache_clear(self) -> None:
        """Have everything made anew."""
        self._made.clear()
