"""What a ruleset's declaration has to keep to, said when the ruleset is made and not when a match is stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from types import CodeType
from typing import TYPE_CHECKING, Any

from msgspec import NODEFAULT

from kifold.core.events import COMMON, kind_of, tag_of
from kifold.core.fields import fields_of

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset

NAME = re.compile(r"[a-z][a-z0-9_]*")

OF_EVENTS = frozenset({"archived", "event", "match_id", "seq", "tag", "undone"})
"""What every event has in records, in JSON and in SQL, so that no field can be called so."""
OF_SCORES = frozenset({"finished", "match_id", "player", "ruleset", "seat", "seats", "shared", "variant"})
"""What every row of `scores` has in SQL, so that no component of a result can be called so."""
OF_PLIES = frozenset({"legal", "phase", "ply", "ranks", "scores", "seq"})
"""What every row of `plies` has beside what `scores` has, so that no component of a result can be called so."""
OF_SETUPS = frozenset({"seats", "variant"})
"""What the rules read of event 0 beside options and setup."""


class DeclarationError(TypeError):
    """A ruleset is declared in a way that cannot work. The message says what to change."""


class RulesFault(DeclarationError):
    """A function of a ruleset does what it cannot. Says which function, where it stands, and what it does.

    Attributes:
        file: where its code stands.
    """

    def __init__(self, function: Any, what: str, line: int | None = None) -> None:
        code = function.__code__
        super().__init__(f"{place(code, line or code.co_firstlineno)}: {what}")
        self.file: str = code.co_filename


def place(code: CodeType, line: int) -> str:
    """Where a line of a function stands."""
    return f"{code.co_qualname}, {code.co_filename} line {line}"


def check_declaration(ruleset: Ruleset) -> None:
    """Look for what would go wrong only later, or silently.

    Raises:
        DeclarationError: with the name to be changed, or the length that a list has to have.
    """
    if not NAME.fullmatch(ruleset.name):
        raise DeclarationError(f"ruleset {ruleset.name!r}: a name is small letters, digits and _, as views in SQL have")
    _check_events(ruleset)
    _check_setup(ruleset)
    _check_additions(ruleset)
    _check_retired(ruleset)
    _check_result(ruleset)
    _check_revisions(ruleset)
    if (ruleset.rules.phase is None) != (not ruleset.phases):
        raise DeclarationError(f"{ruleset.name}: phases are a function `phase` of the rules and their words, `phases`")
    for what, names in (("reasons", ruleset.reasons), ("effects", ruleset.effects)):
        _check_once(f"{ruleset.name}, {what}", (one.name for one in names))


def _check_events(ruleset: Ruleset) -> None:
    for event in ruleset.actions + ruleset.chance:
        fields = fields_of(event)
        for field in fields:
            if field.name in OF_EVENTS:
                raise DeclarationError(
                    f"{event.__name__}: a field cannot be called {field.name}, every event has that itself"
                )
            if field.name == "seat" and (field.kind != "int" or field.words):
                raise DeclarationError(
                    f"{event.__name__}: seat is a number without words, for it is one column in all games"
                )
        counts = {f"n_{field.name}" for field in fields if field.kind == "ints"}
        _check_once(event.__name__, [*(field.name for field in fields), *counts])


def _check_setup(ruleset: Ruleset) -> None:
    fields = fields_of(ruleset.setup)
    counts = [f"n_{field.name}" for field in fields if field.kind == "ints"]
    names = [*(option.name for option in ruleset.options), *(field.name for field in fields), *counts]
    _check_once(f"options and setup of {ruleset.name}", [*OF_SETUPS, *names])


def _check_additions(ruleset: Ruleset) -> None:
    for struct in (*ruleset.actions, *ruleset.chance, *(one.old for one in ruleset.upcasters), ruleset.setup):
        newest = 1
        for field in fields_of(struct):
            where = f"{struct.__name__}.{field.name}"
            if field.since < newest or field.since > ruleset.schema:
                raise DeclarationError(
                    f"{where} is since {field.since}: newer fields come last, and schema {ruleset.schema} is the newest"
                )
            newest = field.since
            if newest > 1 and (field.default is NODEFAULT or (field.kind == "ints" and field.default != ())):
                raise DeclarationError(f"{where}: a field that is added has a default, a list the empty one")
    for option in ruleset.options:
        if option.since > ruleset.schema:
            raise DeclarationError(f"option {option.name} is since {option.since}, schema is {ruleset.schema}")


def _check_retired(ruleset: Ruleset) -> None:
    current = ruleset.actions + ruleset.chance
    known = list(current)
    for one in reversed(ruleset.upcasters):
        if one.now not in known:
            raise DeclarationError(
                f"{one.old.__name__} becomes {one.now.__name__}, which is neither declared nor retired by a later step"
            )
        known.append(one.old)
    known += COMMON
    _check_once(f"{ruleset.name}, events", map(kind_of, known))
    _check_once(f"{ruleset.name}, tags of events", (str(tag_of(event)) for event in known))


def _check_revisions(ruleset: Ruleset) -> None:
    newer = ruleset.revision
    for earlier in ruleset.earlier:
        if not 0 < earlier.revision < newer:
            raise DeclarationError(
                f"{ruleset.name}: revision {earlier.revision} is listed after {newer}: the newest comes first"
            )
        newer = earlier.revision


def _check_result(ruleset: Ruleset) -> None:
    seats = ruleset.most_seats
    lengths = {slot.name: slot.length for slot in ruleset.result.slots}
    for name in {"rank", "score"} & {"rank", *lengths}:
        if lengths.get(name) != seats:
            raise DeclarationError(f"{ruleset.result.__name__}: {name} is a list of {seats}, one number for each seat")
    for name, length in lengths.items():
        if not length or length % seats:
            raise DeclarationError(
                f"{ruleset.result.__name__}: {name} is a list of {seats} × k, k numbers for each seat"
            )
        if name in OF_SCORES | OF_PLIES:
            view = "scores" if name in OF_SCORES else "plies"
            raise DeclarationError(
                f"{ruleset.result.__name__}: a component cannot be called {name}, every row of {view} has that itself"
            )
    for name in ruleset.words:
        if name in ("rank", "score") or lengths.get(name) != seats:
            raise DeclarationError(f"words for {name}: the result has no such component of one number for each seat")


def _check_once(where: str, names: Iterable[str]) -> None:
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise DeclarationError(f"{where}: two things are called {twice[0]}")
