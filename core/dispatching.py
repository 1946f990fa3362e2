"""Functions handed to Numba so that little is compiled: one form for all widths of numbers, ways in only where needed.

Numba compiles a function anew for each combination of argument types: once for a field of 8 bits, once for a local
number, once for each number that is written out. A quarter of the larger rulesets' helpers came twice and more. Here
numbers are widened by the caller; what is compiled into the caller is specialised there anyway.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from numba.core import registry, types

# Numba has no types that a strict check can live with.
Dispatcher: Any = registry.CPUDispatcher
unliteral: Any = vars(types)["unliteral"]


class WideningDispatcher(Dispatcher):  # type: ignore[misc]
    """A compiled function that compiled code calls with 64 bits for each signed number."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba's question for the form that fits the types of arguments."""
        return super().get_call_template(tuple(map(widened, args)), {name: widened(kws[name]) for name in kws})


def widened(kind: Any) -> Any:
    """The type that a type of an argument is passed as."""
    if isinstance(kind, types.Literal):
        kind = unliteral(kind)
    if isinstance(kind, types.Integer) and vars(kind)["signed"]:
        return types.int64
    return kind


def compile_later(function: FunctionType, *, is_entry: bool, compiler: Any = None, **options: Any) -> Any:
    """The form of a function that is compiled when it is first called, or read from Numba's cache folder.

    Args:
        is_entry: whether Python calls it; what only compiled code calls has no way in from Python.
        compiler: the steps of the compiler, if not Numba's own.
        options: Numba's.
    """
    more = {"pipeline_class": compiler} if compiler else {}
    options |= {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": not is_entry}
    made = WideningDispatcher(py_func=function, targetoptions=options, **more)
    made.enable_caching()
    return made
