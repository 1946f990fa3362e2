"""Functions handed to Numba so that little is compiled: one form for all widths of numbers, ways in only where needed.

Numba compiles a function anew for each combination of argument types: once for a field of 8 bits, once for a local
number, once for each number that is written out. A quarter of the larger rulesets' helpers came twice and more. Here
numbers are widened by the caller; what is compiled into the caller is specialised there anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core import registry, types

from kifold.core.code_files import CodeFiles
from kifold.core.indexing import RawRulesCompiler, RulesCompiler
from kifold.core.linking import rebuilt, rebuilt_inner

# Numba has no types that a strict check can live with.
Dispatcher: Any = registry.CPUDispatcher
unliteral: Any = vars(types)["unliteral"]


class WideningDispatcher(Dispatcher):  # type: ignore[misc]
    """A compiled function that compiled code calls with 64 bits for each signed number."""

    rebuilt = staticmethod(rebuilt)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba's question for the form that fits the types of arguments."""
        return super().get_call_template(tuple(map(widened, args)), {name: widened(kws[name]) for name in kws})

    def keep(self, folder: Path) -> None:
        """Have it written to a folder, and read from there."""
        self._cache = CodeFiles(self.py_func, folder, self.rebuilt)

    @property
    def is_kept(self) -> bool:
        """Whether the cache folder holds code of it: of what Python calls, with all that it calls."""
        return bool(self._cache.holds_any(self.targetctx))

    def announce(self, say: Callable[[], None]) -> None:
        """Have `say` called whenever it is about to be compiled."""
        self._cache.on_miss = say


class InnerDispatcher(WideningDispatcher):
    """One that only compiled code calls."""

    rebuilt = staticmethod(rebuilt_inner)

    def __call__(self, *_args: Any, **_named: Any) -> Any:
        """Refused: there is no machine code to go to."""
        raise TypeError(f"{self.py_func.__qualname__} is compiled into what calls it and has no way in from Python")


def widened(kind: Any) -> Any:
    """The type that a type of an argument is passed as."""
    if isinstance(kind, types.Literal):
        kind = unliteral(kind)
    if isinstance(kind, types.Integer) and vars(kind)["signed"]:
        return types.int64
    return kind


def compile_later(function: FunctionType, folder: Path, *, is_entry: bool, is_raw: bool = False, **options: Any) -> Any:
    """The form of a function that is compiled when it is first called, or read from the folder of its binding.

    Args:
        is_entry: whether Python calls it; what only compiled code calls has no way in from Python.
        is_raw: whether to leave it to the callers to optimise it with themselves.
        options: Numba's.
    """
    options |= {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": not is_entry}
    kind = WideningDispatcher if is_entry else InnerDispatcher
    compiler = RawRulesCompiler if is_raw else RulesCompiler
    made = kind(py_func=function, targetoptions=options, pipeline_class=compiler)
    made.keep(folder)
    return made
