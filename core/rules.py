"""The rules of a game, as the functions that folding, listing and simulating call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, MISSING, dataclass, fields
from inspect import CO_VARARGS
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Self

from kifold.core.declared import DeclarationError, RulesFault
from kifold.core.rng import below

if TYPE_CHECKING:
    gain: Any = None


def seat_of(state: Any, event: Any) -> int:
    """The seat that the event names."""
    seat: int = event.seat
    return seat


def any_of(state: Any, out: Any, n: int, random: Any) -> int:
    """Any of the legal events, each as likely."""
    return below(random, n)


def best_of(state: Any, out: Any, n: int, random: Any) -> int:
    """Any of the legal events with the greatest gain, each as likely. `gain` is bound for each ruleset: see `Rules`."""
    best, ties, chosen = gain(state, out[0]), 1, 0
    for i in range(1, n):
        gained = gain(state, out[i])
        if gained > best:
            best, ties, chosen = gained, 1, i
        elif gained == best:
            ties += 1
            if below(random, ties) == 0:
                chosen = i
    return chosen


TAKES = {
    "set_up": "state, setup",
    "check": "state, event",
    "apply": "state, event",
    "legal": "state, seat, out",
    "turn": "state",
    "result": "state, result",
    "actor": "state, event",
    "gain": "state, event",
    "greedy": "state, out, n, random",
    "phase": "state",
    "chance": "setup, random",
}
"""What each rule is called with."""


@dataclass(frozen=True)
class Rules:
    """The rules: plain functions over a state record. The same source runs as Python and compiled.

    * ``set_up(state, setup) -> reason``: a zeroed state becomes the start of a match; refuses a setup against the
    rules.
    * ``check(state, event) -> reason``: 0 (`LEGAL`) or why the event is refused; whose turn it is is tested last.
    * ``apply(state, event) -> effects``: a legal event changes the state; returns a mask.
    * ``legal(state, seat, out) -> n``: writes the legal events of a seat into `out` (see `kifold.core.emit`), also out
      of turn. For `CHANCE`: what chance may decide now.
    * ``turn(state) -> seat``: who decides next, `NOBODY` or `CHANCE`.
    * ``actor(state, event) -> seat``: whose event it is; by default that of its field `seat`.
    * ``result(state, result)``: fills `result`, a zeroed record with `rank` per seat (equal ranks are shared), `score`
      where the game has points, and named components: arrays of `most_seats` × k numbers, k for each seat.
    * ``gain(state, event) -> number``: what a legal event gains its seat at once; the first line of its docstring says
      of what. A greedy player takes any of the events that gain most.
    * ``greedy(state, out, n, random) -> i``: which of `n` legal events a greedy player takes. It follows from `gain`,
      and without one it is any; give it only where no single number tells the better event.
    * ``phase(state) -> number``: the phase that the match is in; absent where there are none. See `Ruleset.phases`.
    * ``chance(setup, random)``: draws the chance part of a setup record; absent where a setup has none.
    """

    set_up: Callable[[Any, Any], int]
    check: Callable[[Any, Any], int]
    apply: Callable[[Any, Any], int]
    legal: Callable[[Any, int, Any], int]
    turn: Callable[[Any], int]
    result: Callable[[Any, Any], None]
    _: KW_ONLY
    actor: Callable[[Any, Any], int] = seat_of
    gain: Callable[[Any, Any], int] | None = None
    greedy: Callable[[Any, Any, int, Any], int] = any_of
    phase: Callable[[Any], int] | None = None
    chance: Callable[[Any, Any], None] | None = None

    def __post_init__(self) -> None:
        for name, takes in TAKES.items():
            function = getattr(self, name)
            if not isinstance(function, FunctionType) or function.__code__.co_flags & CO_VARARGS:
                continue
            if (count := function.__code__.co_argcount) != len(takes.split(", ")):
                raise RulesFault(function, f"takes {count} arguments; a rule is called as {name}({takes})")
        if self.gain is not None and self.greedy is any_of:
            # Bound by a copy with other globals, as `kifold.core.compiled` binds: a closure would not compile once.
            bound = FunctionType(best_of.__code__, best_of.__globals__ | {"gain": self.gain}, best_of.__name__)
            bound.__doc__ = best_of.__doc__
            object.__setattr__(self, "greedy", bound)

    @classmethod
    def of(cls, *modules: ModuleType) -> Self:
        """The rules that modules define, each function under the name of its field.

        Raises:
            DeclarationError: when a function that has no default is missing, or two modules define one.
        """
        found: dict[str, Any] = {}
        for module in modules:
            for field in fields(cls):
                function = vars(module).get(field.name)
                if not isinstance(function, FunctionType) or function.__module__ != module.__name__:
                    continue
                if field.name in found:
                    raise DeclarationError(f"{field.name} is defined by two modules of rules: {module.__name__} too")
                found[field.name] = function
        missing = [field.name for field in fields(cls) if field.default is MISSING and field.name not in found]
        if missing:
            names = ", ".join(module.__name__ for module in modules)
            raise DeclarationError(f"rules need a function {missing[0]}, and none of these modules has it: {names}")
        return cls(**found)
