"""Which mutants are killed by which cases, and how a ruleset stands: its score, and what is not as it is listed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kifold.core.rules import Rules
from kifold.core.ruleset import Ruleset
from tests.mutation.cases import Case
from tests.mutation.mutants import Mutant, Rulebook
from tests.mutation.watched import Clock, Shown, difference, shown

EQUIVALENT = Path(__file__).parent / "equivalent.toml"
Name = tuple[str, str, str]
"""Function, line and change of a mutant."""


class Judge:
    """The mutants of a ruleset, and what the rules show of cases."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.book = Rulebook(ruleset)
        self.mutants = self.book.mutants
        self._clock = Clock()
        self._rules = self.book.with_mutant(None, self._clock.tick)

    def expected(self, case: Case) -> list[Shown]:
        """What the rules show of a case."""
        return list(shown(self._rules, case, self._clock))

    def difference(self, mutant: Mutant, case: Case, expected: Sequence[Shown]) -> Shown | None:
        """What a mutant shows otherwise."""
        return difference(self.book.with_mutant(mutant, self._clock.tick), case, expected, self._clock)

    def differs(self, rules: Rules, case: Case) -> Shown | None:
        """What other rules show otherwise."""
        return difference(rules, case, self.expected(case), self._clock)

    def kills(self, mutant: Mutant, case: Case) -> bool:
        return self.difference(mutant, case, self.expected(case)) is not None

    def survivors(self, mutants: Iterable[Mutant], cases: Sequence[Case]) -> list[Mutant]:
        """The mutants that show of no case anything else than the rules."""
        expected = [(case, self.expected(case)) for case in cases]
        left = []
        for mutant in mutants:
            rules = self.book.with_mutant(mutant, self._clock.tick)
            if not any(difference(rules, case, shows, self._clock) for case, shows in expected):
                left.append(mutant)
        return left


def equivalent(ruleset: str) -> dict[Name, str]:
    """The mutants of a ruleset that are listed as equivalent, and the reasons."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get(ruleset, [])
    reasons = {(function, line, change): reason for function, line, change, reason in listed}
    assert len(reasons) == len(listed), f"{EQUIVALENT.name}, {ruleset}: a mutant is listed twice"
    return reasons


@dataclass(frozen=True)
class Standing:
    """How a ruleset stands.

    Attributes:
        mutants: how many there are.
        survivors: those that no log kills.
        unlisted: survivors that are not listed as equivalent.
        killed: those that are listed and killed.
        gone: what is listed and is no mutant any more.
    """

    ruleset: str
    mutants: int
    survivors: int
    unlisted: Sequence[str]
    killed: Sequence[str]
    gone: Sequence[str]

    @property
    def score(self) -> float:
        """The part of the mutants that are not listed as equivalent that is killed."""
        counted = self.mutants - self.survivors + len(self.unlisted)
        return 1 - len(self.unlisted) / counted if counted else 1.0

    @property
    def is_fine(self) -> bool:
        return not (self.unlisted or self.killed or self.gone)


def standing(ruleset: str, mutants: Sequence[Name], survivors: Iterable[Name]) -> Standing:
    """How a ruleset stands, from the names of its mutants and of those that survive."""
    listed, left = equivalent(ruleset), set(survivors)
    return Standing(
        ruleset,
        len(mutants),
        len(left),
        [" | ".join(name) for name in mutants if name in left and name not in listed],
        [" | ".join(name) for name in mutants if name in listed and name not in left],
        [" | ".join(name) for name in listed if name not in mutants],
    )
