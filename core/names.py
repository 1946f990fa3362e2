"""Named sets: the reasons why an event is refused and the effects that the rules force.

Each name is tied to its place in the rule file. The numbers follow from the order of declaration and are append-only:
stored verdicts and statistics carry them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

LEGAL = 0
"""What `check` returns for an event that the rules allow."""


@dataclass(frozen=True, slots=True)
class Name:
    """One member: its stored number, its name, the id of its sentence in the rule file, and what it means."""

    number: int
    name: str
    rule: str
    meaning: str


class Reasons:
    """Why an event can be refused. Number 0 is `LEGAL`; the declared ones count from 1."""

    def __init__(self) -> None:
        self._names: list[Name] = []

    def name(self, name: str, rule: str, meaning: str) -> int:
        """Declare the next member and return the number that `check` returns for it."""
        self._names.append(Name(len(self._names) + 1, name, rule, meaning))
        return len(self._names)

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, number: int) -> Name:
        if not 1 <= number <= len(self._names):
            raise IndexError(f"no reason has number {number}: they are 1..{len(self._names)}")
        return self._names[number - 1]


class Effects:
    """What the rules did by themselves. Each declared member is one bit of the mask that `apply` returns."""

    def __init__(self) -> None:
        self._names: list[Name] = []

    def name(self, name: str, rule: str, meaning: str) -> int:
        """Declare the next member and return its bit."""
        if len(self._names) == 62:
            raise ValueError("an effect mask has room for 62 names")
        self._names.append(Name(1 << len(self._names), name, rule, meaning))
        return self._names[-1].number

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def of(self, mask: int) -> list[str]:
        """The names in a mask, in order of declaration."""
        return [name.name for name in self._names if mask & name.number]
