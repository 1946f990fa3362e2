"""What a function's code reads beside its arguments: the global names, and what they are bound to."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from hashlib import blake2b
from types import CodeType, FunctionType
from typing import Any

from kifold.core.declared import RulesFault


def codes(code: CodeType) -> list[CodeType]:
    """The code of a function, and of the functions within it."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [code, *(deep for c in inner for deep in codes(c))]


@cache
def global_names(code: CodeType) -> frozenset[str]:
    """The names that code looks up outside of itself."""
    return frozenset(
        step.argval
        for part in codes(code)
        for step in dis.get_instructions(part)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    )


def bound_names(function: FunctionType) -> dict[str, Any]:
    """The global names that a function reads, each with what its module binds it to."""
    scope = function.__globals__
    return {name: scope[name] for name in sorted(global_names(function.__code__)) if name in scope}


class Reach:
    """Where functions lead to.

    Attributes:
        names: what a name stands for that a function's module leaves open, as the loops leave open the rules.
        replaced: functions that stand for others.
    """

    def __init__(self, names: Mapping[str, Callable[..., Any]], replaced: Mapping[Any, Any]) -> None:
        self.names = names
        self.replaced = replaced

    def source(self, function: Any) -> Any:
        """The function that is meant by a function."""
        return self.replaced.get(function, function)

    def globals_of(self, function: Any) -> dict[str, Any]:
        """The global names that a function's code reads, with what they are bound to.

        Raises:
            RulesFault: for a name that is bound to nothing.
        """
        found = {}
        for name in sorted(global_names(function.__code__)):
            if name in self.names and name not in function.__globals__:
                found[name] = self.names[name]
            elif name in function.__globals__:
                found[name] = function.__globals__[name]
            elif hasattr(builtins, name):
                continue
            else:
                raise RulesFault(function, f"uses {name}, which is bound to nothing")
        return found

    def digest(self, functions: Iterable[Any], *more: object) -> str:
        """A digest of everything that functions reach (code, tables, constants), and of `more`: 20 digits."""
        digest = blake2b(digest_size=10)
        digest.update(repr(more).encode())
        seen: set[Any] = set()
        for function in functions:
            self._add(digest, function, seen)
        return digest.hexdigest()

    def _add(self, digest: Any, function: Any, seen: set[Any]) -> None:
        source = self.source(function)
        if source in seen:
            return
        seen.add(source)
        digest.update(f"{source.__module__}.{source.__qualname__}{source.__defaults__}".encode())
        _add_code(digest, source.__code__)
        for name, value in self.globals_of(source).items():
            digest.update(name.encode())
            if isinstance(value, FunctionType):
                self._add(digest, value, seen)
            else:
                digest.update(repr(value).encode())


def _add_code(digest: Any, code: CodeType) -> None:
    for part in codes(code):
        constants = [c for c in part.co_consts if not isinstance(c, CodeType)]
        digest.update(part.co_code)
        digest.update(repr((constants, part.co_names, part.co_varnames)).encode())


def code_digest(code: CodeType) -> str:
    """A digest of the code of a function, and of the functions within it: 20 digits."""
    digest = blake2b(digest_size=10)
    _add_code(digest, code)
    return digest.hexdigest()
