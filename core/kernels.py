"""Compiled loops that belong to no ruleset: one binding for all."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from kifold.core.code_cache import folder_of, is_boundschecked, use
from kifold.core.dispatching import compile_later
from kifold.core.scope import global_names


def kernels(*functions: Any) -> dict[str, Any]:
    """The compiled forms of functions by their names. Each may call those before it, under any module's name for them.

    Python calls only those that no other calls. Numba's cache on disk watches the file of one function only, so the
    folder is named by all of their files. As those of rules they check bounds where the environment asks for it.
    """
    files = sorted({function.__code__.co_filename for function in functions} | {__file__})
    called = set().union(*(global_names(function.__code__) for function in functions))
    boundscheck = is_boundschecked()
    module = functions[-1].__module__.rpartition(".")[2]
    folder = folder_of(f"kernels_{module}", boundscheck, [Path(file).read_bytes() for file in files])
    use(folder)
    compiled: dict[str, Any] = {}
    for function in functions:
        bound = FunctionType(function.__code__, function.__globals__ | compiled, function.__name__)
        bound.__module__, bound.__qualname__ = function.__module__, function.__qualname__
        is_entry = function.__name__ not in called
        # A call that hands over arrays costs more than most of these functions do: a third of encoding is left. And
        # where LLVM cannot tell that counting references is of no use, that is the most of the time.
        compiled[function.__name__] = compile_later(
            bound,
            folder,
            is_entry=is_entry,
            is_raw=not is_entry,
            boundscheck=boundscheck,
            forceinline=not is_entry and not boundscheck,
            _nrt=False,
        )
        if is_entry:
            compiled[function.__name__].announce(_say_once)
    return compiled


@cache
def _say_once() -> None:
    logging.getLogger(__name__).warning("compiling what all rulesets share for its first use (some seconds)")
