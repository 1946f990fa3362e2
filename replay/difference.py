"""What differs between two states, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from kifold.core.records import SCRATCH

Fields = Mapping[str, int | list[int]]
"""A state by the names of its fields."""


@dataclass(frozen=True, slots=True)
class Change:
    """One number of a state that is another one: the name of its field, its place where that is a list, both values.

    None stands for a number that is not there: states of one ruleset always have the same, stored ones need not. What
    is stored beside a log may be text.
    """

    field: str
    index: int | None
    was: int | str | None
    now: int | str | None

    def __str__(self) -> str:
        place = "" if self.index is None else f"[{self.index}]"
        return f"{self.field}{place}: {self.was} → {self.now}"


def essential(state: Any) -> dict[str, int | list[int]]:
    """The essential fields of a state record: those that a fingerprint covers."""
    return {slot.name: getattr(state, slot.name) for slot in state.slots if slot.role is None}


def changes(was: Any, now: Any, *, derived: bool = False) -> list[Change]:
    """What differs between two state records of a ruleset, in the order of their fields.

    Only essential fields are looked at, or with `derived` all that equality looks at.
    """
    if not derived:
        return differing(essential(was), essential(now))
    before, after = (
        {slot.name: getattr(state, slot.name) for slot in state.slots if slot.role is not SCRATCH}
        for state in (was, now)
    )
    return differing(before, after)


def differing(was: Fields, now: Fields) -> list[Change]:
    """What differs between two states that are given by their fields."""
    found = []
    for name in dict.fromkeys((*was, *now)):
        before, after = was.get(name), now.get(name)
        if isinstance(before, list) or isinstance(after, list):
            pairs = zip_longest(before if isinstance(before, list) else (), after if isinstance(after, list) else ())
            found += [Change(name, index, old, new) for index, (old, new) in enumerate(pairs) if old != new]
        elif before != after:
            found.append(Change(name, None, before, after))
    return found
