"""What a function's code reads beside its arguments: the global names, and what they are bound to."""

from __future__ import annotations

import dis
from types import CodeType, FunctionType
from typing import Any


def codes(code: CodeType) -> list[CodeType]:
    """The code of a function, and of the functions within it."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [code, *(deep for c in inner for deep in codes(c))]


def global_names(code: CodeType) -> set[str]:
    """The names that code looks up outside of itself."""
    return {
        step.argval
        for part in codes(code)
        for step in dis.get_instructions(part)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }


def bound_names(function: FunctionType) -> dict[str, Any]:
    """The global names that a function reads, each with what its module binds it to."""
    scope = function.__globals__
    return {name: scope[name] for name in sorted(global_names(function.__code__)) if name in scope}
