"""The compiled way: the rules' own source, bound to arrays and compiled by Numba.

A rule function is copied with new globals (tables become arrays, called functions become compiled ones); its code
object stays the same, so `compiled.py_func.__code__ is plain.__code__`. Numba's cache on disk watches one source file
only, so the cache folder's name is a digest of everything that goes into the code: all functions, tables, constants,
flags, versions. What rules call is compiled into its callers, and indices count from 0 (`kifold.core.indexing`).
"""

from __future__ import annotations

import builtins
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np

from kifold.core import loops
from kifold.core.code_cache import folder_of, is_boundschecked, use
from kifold.core.declared import RulesFault
from kifold.core.dispatching import compile_later
from kifold.core.emit import slot, slot_compiled
from kifold.core.once import once
from kifold.core.ruleset import Ruleset
from kifold.core.scope import Reach, global_names

LOOPS = (
    loops.fold_corpus,
    loops.fold_states,
    loops.fold_to,
    loops.count_legal,
    loops.list_plies,
    loops.play_corpus,
)


class Compiled:
    """A ruleset's rules and the generic loops over them, compiled.

    `rules` and `loops` map the name of a function to its compiled form; each compiles at its first call. `folder` is
    the cache folder. `is_announced` is set by whoever says before that loops will be compiled; else it is logged.
    """

    def __init__(self, ruleset: Ruleset, *, boundscheck: bool = False) -> None:
        self.name, self.is_announced = f"{ruleset.name}@{ruleset.revision}", False
        bound = loops.bound(ruleset.rules)
        binding, functions = f"{ruleset.name}_{ruleset.revision}", [*bound.values(), *LOOPS]
        binder = Binder(binding, functions, bound, {slot: slot_compiled}, boundscheck=boundscheck)
        self.folder = binder.folder
        self.rules = {name: binder.compiled(function) for name, function in bound.items()}
        self.loops = {function.__name__: binder.compiled(function) for function in LOOPS}
        self._inner = {name: binder.compiled(function, is_entry=False) for name, function in bound.items()}
        for loop in self.loops.values():
            loop.announce(self._say_once)

    def ahead(self, rule: str, *arguments: Any) -> None:
        """Compile a rule for such arguments before a loop asks for it, for instance in another process beside."""
        self._inner[rule].compile(tuple(map(numba.typeof, arguments)))

    def lacking(self, names: Iterable[str]) -> list[str]:
        """Those of the loops that the cache folder does not hold: the first call of each takes seconds."""
        return [name for name in names if not self.loops[name].is_kept]

    def called(self, names: Iterable[str]) -> set[str]:
        """The rules that loops call."""
        return self.rules.keys() & {word for name in names for word in global_names(self.loops[name].py_func.__code__)}

    def _say_once(self) -> None:
        if not self.is_announced:
            said = "compiling the rules of %s for their first use (some seconds)"
            logging.getLogger(__name__).warning(said, self.name)
        self.is_announced = True


@once
def compiled(ruleset: Ruleset) -> Compiled:
    """The compiled form of a ruleset, of one revision; made once per process.

    With `KIFOLD_BOUNDSCHECK=1` in the environment it checks the bounds of every table and list: slower, for authors.
    """
    return Compiled(ruleset, boundscheck=is_boundschecked())


class Binder:
    """Copies functions with new globals and compiles them; one binding, one name, one folder.

    Args:
        functions: all that it will be asked to compile.
    """

    def __init__(
        self,
        binding: str,
        functions: Sequence[Any],
        names: Mapping[str, FunctionType | Callable[..., Any]],
        replaced: Mapping[Any, Any],
        *,
        boundscheck: bool,
    ) -> None:
        self.binding = binding
        self.reach = Reach(names, replaced)
        self.boundscheck = boundscheck
        self._rules = {self.reach.source(function): name for name, function in names.items()}
        self._done: dict[tuple[Any, bool], Any] = {}
        self._open: list[Any] = []
        here = Path(__file__).read_bytes()
        self.folder = folder_of(binding, boundscheck, here, self.reach.digest(functions))
        use(self.folder)

    def compiled(self, function: Any, *, is_entry: bool = True) -> Any:
        """The compiled form of a function and of all that it calls: for Python to call, or for other compiled code."""
        source = self.reach.source(function)
        if (source, is_entry) not in self._done:
            if source in self._open:
                raise RulesFault(source, "calls itself, by whatever way: rules have no recursion")
            self._open.append(source)
            scope = {name: self._value(source, name, value) for name, value in self.reach.globals_of(source).items()}
            scope["__builtins__"] = builtins
            copy = FunctionType(source.__code__, scope, source.__name__, source.__defaults__)
            copy.__qualname__ = f"{source.__qualname__}__{self.binding}{'_entry' if is_entry else ''}"
            copy.__module__ = source.__module__
            self._done[source, is_entry] = compile_later(
                copy,
                self.folder,
                is_entry=is_entry,
                is_raw=source in self._rules and not is_entry,
                is_rule=source not in LOOPS,
                answers=self._rules.get(source, "result") not in ("result", "chance"),
                boundscheck=self.boundscheck,
                # With bounds checked, one large function would take twice as long to compile, and speed matters less.
                forceinline=not is_entry and not self.boundscheck,
            )
            self._open.pop()
        return self._done[source, is_entry]

    def _value(self, source: Any, name: str, value: Any) -> Any:
        if isinstance(value, FunctionType):
            return self.compiled(value, is_entry=False)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, list | tuple) and all(type(one) is int for one in value):
            return np.array(value, dtype=np.int64)
        raise RulesFault(
            source, f"uses {name} = {value!r:.80}: rules use functions, integers and flat tables of integers only"
        )
