"""Functions handed to Numba so that little is compiled: one form for all widths of numbers, ways in only where needed.

Numba compiles a function anew for each combination of argument types: once for a field of 8 bits, once for a local
number, once for each number that is written out. A quarter of the larger rulesets' helpers came twice and more. Here
numbers are widened by the caller; what is compiled into the caller is specialised there anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from traceback import walk_tb
from types import FunctionType
from typing import Any

from numba.core import errors, registry, types

from kifold.core.code_files import CodeFiles
from kifold.core.declared import RulesFault
from kifold.core.indexing import RawRulesCompiler, RulesCompiler
from kifold.core.linking import rebuilt, rebuilt_inner

# Numba has no types that a strict check can live with.
Dispatcher: Any = registry.CPUDispatcher
unliteral: Any = vars(types)["unliteral"]
ForceLiteral: Any = errors.ForceLiteralArg

_DETAILS = re.compile(r"There are \d|During: |\bFile \"|Raised from|\n\n *This error")
"""Where Numba's account of an error comes to how it arose."""
_NO_MATTER = re.compile(r"\x1b\[[0-9;]*m|Failed in nopython mode pipeline \(step: [^)]*\)")


class WideningDispatcher(Dispatcher):  # type: ignore[misc]
    """A compiled function that compiled code calls with 64 bits for each signed number."""

    rebuilt = staticmethod(rebuilt)
    is_rule = False
    """Whether it is a function of a ruleset, so that what cannot be compiled is its author's to correct."""
    answers = False
    """Whether what it returns has to be an integer."""

    def compile(self, sig: Any) -> Any:
        """Compile it for types of arguments.

        Raises:
            RulesFault: when it is a ruleset's, and cannot be compiled.
        """
        if not self.is_rule:
            return super().compile(sig)
        try:
            made = super().compile(sig)
        except (RulesFault, ForceLiteral, MemoryError, OSError):
            raise
        except Exception as error:  # whatever Numba raises of what it cannot compile
            raise RulesFault(self.py_func, _in_words(error), _line(error, self.py_func)) from error
        for form in self.overloads.values() if self.answers else ():
            kind = form.signature.return_type
            if not isinstance(kind, types.Integer | types.Boolean):
                raise RulesFault(self.py_func, f"returns {kind}, compiled: a rule returns an integer, on every way")
        return made

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


def _in_words(error: Exception) -> str:
    """What cannot be compiled, without how Numba came to it."""
    if isinstance(error, KeyError):  # Numba's word for a field that a record does not have
        return f"there is no field {error}"
    text = " ".join(_DETAILS.split(_NO_MATTER.sub("", str(error)).lstrip())[0].split())[:300].rstrip(" .:")
    return f"cannot be compiled: {text}"


def _line(error: Exception, function: FunctionType) -> int | None:
    """The line that Numba was at in a function, if it is known: of the error, or of the last step on the way to it."""
    steps = (frame.f_locals.get("self") for frame, _ in walk_tb(error.__traceback__))
    places: list[Any] = [getattr(one, "loc", None) for one in (*steps, error)]
    lines = [one.line for one in places if getattr(one, "filename", None) == function.__code__.co_filename]
    return lines[-1] if lines else None


def compile_later(
    function: FunctionType,
    folder: Path,
    *,
    is_entry: bool,
    is_raw: bool = False,
    is_rule: bool = False,
    answers: bool = False,
    **options: Any,
) -> Any:
    """The form of a function that is compiled when it is first called, or read from the folder of its binding.

    Args:
        is_entry: whether Python calls it; what only compiled code calls has no way in from Python.
        is_raw: whether to leave it to the callers to optimise it with themselves.
        is_rule: whether it is a function of a ruleset; with `answers` one that returns an integer.
        options: Numba's.
    """
    options |= {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": not is_entry}
    kind = WideningDispatcher if is_entry else InnerDispatcher
    compiler = RawRulesCompiler if is_raw else RulesCompiler
    made = kind(py_func=function, targetoptions=options, pipeline_class=compiler)
    made.is_rule, made.answers = is_rule, answers
    made.keep(folder)
    return made
