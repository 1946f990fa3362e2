"""What differs between two states, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kifold.core.records import SCRATCH


@dataclass(frozen=True, slots=True)
class Change:
    """One number of a state that is another one: the name of its field, its place where that is a list, both values."""

    field: str
    index: int | None
    was: int
    now: int

    def __str__(self) -> str:
        place = "" if self.index is None else f"[{self.index}]"
        return f"{self.field}{place}: {self.was} → {self.now}"


def changes(was: Any, now: Any, *, derived: bool = False) -> list[Change]:
    """What differs between two state records of a ruleset, in the order of their fields.

    Only essential fields are looked at, or with `derived` also those that follow from them.
    """
    found = []
    for slot in was.slots:
        if slot.role is SCRATCH or (slot.role and not derived):
            continue
        before, after = getattr(was, slot.name), getattr(now, slot.name)
        if not slot.length:
            before, after = [before], [after]
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                found.append(Change(slot.name, index if slot.length else None, old, new))
    return found
