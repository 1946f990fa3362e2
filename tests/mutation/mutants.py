"""The mutants of a ruleset, and its rules with one of them in: compiled in memory, no file is touched.

Mutated is every plain function of the ruleset that `ROOTS` reach, and every small table of numbers that these read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from dataclasses import fields as fields_of
from types import CodeType, FunctionType
from typing import Any

from kifold.core.ruleset import Rules, Ruleset
from tests.mutation.changes import change_text, changes, swapped
from tests.mutation.sources import code_of, names_in, reached, short_name, source_lines, ticking, tree_of

ROOTS = ("set_up", "check", "apply", "turn", "actor", "result")
LONGEST_TABLE = 16
"""Tables of more numbers are worked out from a declaration: they are no constants of the rules."""
Hook = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change. `function`, `line` and `change` name it, also when lines move.

    Attributes:
        function: module and name, ``board.can_place``; ``tables`` for a table.
        line: the source line of the change without its indentation.
        change: ``a < b → a <= b``; ``… (2)`` for the second of its kind in the line.
        place: the change in the tree of its function, or (place, number) in its table.
        source: the function, or the table.
    """

    function: str
    line: str
    change: str
    place: Any
    source: Any

    @property
    def name(self) -> tuple[str, str, str]:
        return self.function, self.line, self.change

    def __str__(self) -> str:
        return f"{self.function} | {self.line} | {self.change}"


class Rulebook:
    """The rules of a ruleset as trees and as code, and their mutants."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.rules = {field.name: getattr(ruleset.rules, field.name) for field in fields_of(Rules)}
        self.functions = reached([self.rules[root] for root in ROOTS])
        self.trees = {function: tree_of(function) for function in reached(list(self.rules.values()))}
        self.mutants = list(_numbered([*self._of_functions(), *self._of_tables()]))
        for tree in self.trees.values():
            ticking(tree)
        self.codes = {function: code_of(function, tree) for function, tree in self.trees.items()}

    def _of_functions(self) -> Iterator[Mutant]:
        names = {name.name.upper() for names in (self.ruleset.reasons, self.ruleset.effects) for name in names}
        for function in self.functions:
            tree, lines = self.trees[function], source_lines(function)
            local = function.__code__.co_varnames
            numbers = {
                name: name in names or name == "LEGAL"
                for name, value in function.__globals__.items()
                if type(value) is int and name not in local
            }
            for change in changes(tree, numbers):
                line = lines[change[0].lineno - 1].strip()
                where = f"{short_name(function.__module__)}.{function.__name__}"
                yield Mutant(where, line, change_text(change), change, function)

    def _of_tables(self) -> Iterator[Mutant]:
        tables = {
            name: function.__globals__[name]
            for function in self.functions
            for name in names_in(self.trees[function])
            if _is_small_table(function.__globals__.get(name))
        }
        for name, table in sorted(tables.items()):
            for place, number in enumerate(table):
                for other in (number + 1, number - 1):
                    line, change = f"{name} = {list(table)}", f"[{place}]: {number} → {other}"
                    yield Mutant("tables", line, change, (place, other), table)

    def with_mutant(self, mutant: Mutant | None, tick: Hook) -> Rules:
        """The rules with one mutant in, or with none. `tick` is called at every turn of a `while`."""
        if mutant is None:
            return self._copied(self.codes, {}, tick)
        if isinstance(mutant.source, FunctionType):
            tree = self.trees[mutant.source]
            with swapped(tree, mutant.place):
                codes = {**self.codes, mutant.source: code_of(mutant.source, tree)}
            return self._copied(codes, {}, tick)
        place, other = mutant.place
        table = [*mutant.source[:place], other, *mutant.source[place + 1 :]]
        return self._copied(self.codes, {id(mutant.source): table}, tick)

    def _copied(self, codes: dict[FunctionType, CodeType], tables: dict[int, Any], tick: Hook) -> Rules:
        """Every function with new globals, as `kifold.core.compiled.Binder` copies them: a module's in one scope."""
        scopes: dict[str, dict[str, Any]] = {}
        copies: dict[FunctionType, FunctionType] = {}

        def value(original: Any) -> Any:
            if not isinstance(original, FunctionType) or original not in codes:
                return tables.get(id(original), original)
            if original not in copies:
                is_new = original.__module__ not in scopes
                scope = scopes.setdefault(original.__module__, {**original.__globals__, ticking.__name__: tick})
                copies[original] = FunctionType(codes[original], scope, original.__name__, original.__defaults__)
                if is_new:
                    scope.update({name: value(one) for name, one in original.__globals__.items()})
            return copies[original]

        return Rules(**{name: value(function) for name, function in self.rules.items()})


def _is_small_table(value: Any) -> bool:
    return isinstance(value, list | tuple) and 0 < len(value) <= LONGEST_TABLE and type(value[0]) is int


def _numbered(mutants: list[Mutant]) -> Iterator[Mutant]:
    """Mutants of one name told apart."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for mutant in mutants:
        seen[mutant.name] += 1
        n = seen[mutant.name]
        yield mutant if n == 1 else replace(mutant, change=f"{mutant.change} ({n})")
