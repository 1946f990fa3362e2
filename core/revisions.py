"""Earlier revisions of a ruleset: what they did otherwise, put in the place of what the rules do today."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from kifold.core.declared import DeclarationError
from kifold.core.rules import Rules
from kifold.core.scope import bound_names

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset


@dataclass(frozen=True)
class Earlier:
    """An earlier revision of a ruleset, told by its difference from the next one.

    Attributes:
        revision: its number.
        page: a module. Each function that it defines, and each of its numbers and tables in capitals, takes the place
            of what the rules of the next revision call so, wherever they use that name.
            Beside these it has nothing but what it imports and what `declared` names. It may import what the newest
            rules, or the page after it, call so, under another name.
        declared: fields of `Ruleset` that were others than in the next revision, such as `state` or `picture`. Events,
            options, variants and names of reasons and effects are shared by all revisions: they are only added to.
    """

    revision: int
    page: ModuleType
    declared: Mapping[str, Any] = field(default_factory=dict)


SHARED = frozenset(
    {"name", "revision", "earlier", "rules", "variants", "options", "actions", "chance", "setup", "result", "reasons"}
    | {"effects", "schema", "upcasters"}
)
"""What `Earlier.declared` cannot change: stored matches of all revisions are read by it."""


def as_it_was(newest: Ruleset, earlier: Sequence[Earlier]) -> Ruleset:
    """The last of these revisions, each told by its difference from the one before it here, the first from `newest`.

    Raises:
        DeclarationError: when something of a page takes the place of nothing, or of two things, or cannot take one.
    """
    own = {one.name for one in fields(newest)} - SHARED
    declared: dict[str, Any] = {}
    for one in earlier:
        for name in sorted(one.declared.keys() - own):
            why = (
                "is shared by all revisions" if name in SHARED else f"is no field; choose from {', '.join(sorted(own))}"
            )
            raise DeclarationError(f"revision {one.revision} of {newest.name}: {name} {why}")
        declared |= one.declared
    rules = _with_pages(newest.rules, earlier)
    return replace(newest, revision=earlier[-1].revision, earlier=(), rules=rules, **declared)


def _with_pages(rules: Rules, earlier: Sequence[Earlier]) -> Rules:
    """Rules in which what the pages say takes the place of what has the same name; the last page that has it counts.

    All pages are laid over the newest rules at once: a function that a page has from the newest rules reads the names
    of the pages between, too.
    """
    bound = {one.name: getattr(rules, one.name) for one in fields(rules) if getattr(rules, one.name) is not None}
    named = {one.name for one in fields(rules)}
    pages = {one.page.__name__ for one in earlier}
    said: dict[str, Any] = {}
    own: dict[str, Any] = {}
    placed: dict[str, Any] = {}
    for one in earlier:
        values = list(one.declared.values())
        said = {name: value for name, value in vars(one.page).items() if not any(value is each for each in values)}
        own = {name: value for name, value in said.items() if _can_take_a_place(one.page, name, value)}
        placed |= own
    bound |= {name: value for name, value in placed.items() if name in named}
    reached = _reached(bound.values(), placed)
    page = earlier[-1].page
    for name in said.keys() - own.keys():
        _check_import(page, name, reached)
    _check_places(page, own, reached, named, pages)
    changed = _changed(reached, placed)
    copies: dict[FunctionType, FunctionType] = {}
    functions: dict[str, Any] = {name: _rebound(one, placed, changed, copies) for name, one in bound.items()}
    return replace(rules, **functions)


def _can_take_a_place(page: ModuleType, name: str, value: Any) -> bool:
    """Whether it is a function that the page defines, or a number or table in capitals."""
    if isinstance(value, FunctionType):
        return value.__module__ == page.__name__
    return name.lstrip("_").isupper() and name != "TYPE_CHECKING" and isinstance(value, int | list | tuple)


def _check_import(page: ModuleType, name: str, reached: Iterable[FunctionType]) -> None:
    """Refuse what can take no place, unless the page has it from elsewhere: then it is only read."""
    if name.startswith("__") or name == "TYPE_CHECKING" or _is_from_elsewhere(page, vars(page)[name]):
        return
    scopes = (function.__globals__ for function in reached if function.__module__ != page.__name__)
    if not any(scope.get(name) is vars(page)[name] for scope in scopes):
        wanted = "a page has functions, and numbers, lists and tuples in capitals"
        raise DeclarationError(f"{page.__name__}.{name} cannot take the place of anything: {wanted}")


def _is_from_elsewhere(page: ModuleType, value: Any) -> bool:
    if isinstance(value, type | FunctionType):
        return value.__module__ != page.__name__
    return isinstance(value, ModuleType) or type(value).__module__ in ("typing", "__future__")


def _reached(functions: Iterable[FunctionType], own: Mapping[str, Any]) -> dict[FunctionType, dict[str, Any]]:
    """Every function that these reach, once the page's names are in place, with what it reads as its module has it."""
    reached: dict[FunctionType, dict[str, Any]] = {}
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if function in reached:
            continue
        reached[function] = bound_names(function)
        placed = (own.get(name, value) for name, value in reached[function].items())
        waiting += [value for value in placed if isinstance(value, FunctionType)]
    return reached


def _check_places(
    page: ModuleType,
    own: Mapping[str, Any],
    reached: Mapping[FunctionType, Mapping[str, Any]],
    named: set[str],
    pages: set[str],
) -> None:
    """Refuse a name of a page that the rules have for nothing, or for two things. Numbers are told apart by value."""
    for name, mine in own.items():
        of_rules = (bound for function, bound in reached.items() if function.__module__ not in pages)
        places = [bound[name] for bound in of_rules if name in bound and bound[name] is not mine]
        if any(not _is_same(place, places[0]) for place in places):
            raise DeclarationError(f"{page.__name__}.{name}: the rules call two things so; give one another name")
        is_used = isinstance(mine, FunctionType) and mine in reached
        if not places and name not in named and not is_used and not _is_imported(mine, name, reached):
            raise DeclarationError(f"{page.__name__}.{name} takes the place of nothing that the rules use")


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (not isinstance(one, FunctionType) and type(one) is type(other) and bool(one == other))


def _is_imported(mine: Any, name: str, reached: Mapping[FunctionType, Mapping[str, Any]]) -> bool:
    """Whether a number or table is only read by the page, or is what the rules have under that name anyway."""
    return any(name in bound and bound[name] is mine for bound in reached.values())


def _changed(reached: Mapping[FunctionType, Mapping[str, Any]], own: Mapping[str, Any]) -> set[FunctionType]:
    """The functions that read a name that the page has, or call one that does."""
    changed = {f for f, bound in reached.items() if any(n in own and own[n] is not v for n, v in bound.items())}
    while True:
        callers = {f for f, bound in reached.items() if f not in changed and not changed.isdisjoint(_called(bound))}
        if not callers:
            return changed
        changed |= callers


def _called(bound: Mapping[str, Any]) -> list[FunctionType]:
    return [value for value in bound.values() if isinstance(value, FunctionType)]


def _rebound(
    function: FunctionType,
    own: Mapping[str, Any],
    changed: set[FunctionType],
    copies: dict[FunctionType, FunctionType],
) -> FunctionType:
    """A function that reads the page's names; itself, where that makes no difference."""
    if function not in changed:
        return function
    if function not in copies:
        scope = dict(function.__globals__)
        copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
        copy.__qualname__, copy.__module__, copy.__doc__ = function.__qualname__, function.__module__, function.__doc__
        copies[function] = copy
        for name, value in bound_names(function).items():
            placed = own.get(name, value)
            scope[name] = _rebound(placed, own, changed, copies) if isinstance(placed, FunctionType) else placed
    return copies[function]
