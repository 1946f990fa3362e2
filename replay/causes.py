"""What is said of stored matches, and the failures among them by cause: one rule that changed breaks many matches."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from kifold.core.events import Started
from kifold.core.options import option_text
from kifold.core.ruleset import Ruleset
from kifold.records.ids import id_text

DAMAGED, ILLEGAL, DIVERGED, UNVERIFIED, EXACT = "damaged", "illegal", "diverged", "unverified", "exact"
VERDICTS = (DAMAGED, ILLEGAL, DIVERGED, UNVERIFIED, EXACT)
OTHER_RESULT, OTHER_WAY, UNCHANGED = "other result", "other way", "unchanged"
OUTCOMES = (DAMAGED, DIVERGED, UNVERIFIED, ILLEGAL, OTHER_RESULT, OTHER_WAY, UNCHANGED, EXACT)
"""What a rehearsal says of a match: the first three under its own rules, the others under those that are rehearsed.
Exact is one that is pinned to them anyway."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why matches failed. Those that failed for the same reason under the same settings have equal ones.

    Attributes:
        ruleset, revision: what they are pinned to; the revision is None where nobody can say.
        to: the revision that was rehearsed, None for a verification.
        variant, options: the settings: of the options only those that are others than the variant's own, as text.
        verdict: one of `VERDICTS` or `OUTCOMES`.
        event: the words of the events at which it shows, empty for the setup or the end.
        what: the reason of the refusal, or the fields that differ, or in words what is damaged.
    """

    ruleset: str
    revision: int | None
    to: int | None
    variant: str
    options: tuple[tuple[str, str], ...]
    verdict: str
    event: str
    what: tuple[str, ...]

    @property
    def settings(self) -> str:
        """Ruleset, revision, variant and options, as a person writes them."""
        revision = "" if self.revision is None else f"@{self.revision}"
        to = "" if self.to is None else f" → @{self.to}"
        chosen = "".join(f" {name}={value}" for name, value in self.options)
        return f"{self.ruleset}{revision}{to} {self.variant}".rstrip() + chosen

    def __str__(self) -> str:
        where = f" at {self.event}" if self.event else ""
        return f"{self.settings}: {self.verdict}{where}: {', '.join(self.what)}".removesuffix(": ")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification says of one match.

    Attributes:
        match_id, ruleset: the match.
        verdict: one of `VERDICTS`, or of a rehearsal one of `OUTCOMES`.
        said: for a failure where and why, in words.
        is_unfinished: a label, no failure.
        seq: the number of the event at which a failure shows, None where it is no matter of one.
        events: how many events the match has after event 0.
        cause: of a failure; None where it is none.
    """

    match_id: int
    ruleset: str
    verdict: str
    said: str = ""
    is_unfinished: bool = False
    seq: int | None = None
    events: int = 0
    cause: Cause | None = None

    def __str__(self) -> str:
        # "illegal at event 5", but "damaged: event 5 is missing"
        colon = ":" if self.said and self.verdict in (DAMAGED, UNVERIFIED) else ""
        return f"match {id_text(self.match_id)} ({self.ruleset}): {self.verdict}{colon} {self.said}".rstrip()

    @property
    def is_fine(self) -> bool:
        """Whether it is no failure."""
        return self.verdict in (EXACT, UNCHANGED)


def unread(match_id: int, ruleset: str, verdict: str, said: str, what: str = "") -> Verdict:
    """That a match failed of which not even event 0 can be taken as it is; `what` where `said` tells more than that."""
    cause = Cause(ruleset, None, None, "", (), verdict, "", (what or said,))
    return Verdict(match_id, ruleset, verdict, said, cause=cause)


@dataclass(frozen=True, slots=True)
class Verdicts(Sequence[Verdict]):
    """The verdicts of the matches of a row group, in their order. Those that are exact are made only when asked for.

    Attributes:
        ruleset: of all.
        ids, lengths, unfinished: per match its id, how many events it has, and whether it is unfinished.
        others: the verdicts that are not exact, by the places of their matches.
    """

    ruleset: str
    ids: np.ndarray[Any, Any]
    lengths: np.ndarray[Any, Any]
    unfinished: np.ndarray[Any, Any]
    others: Mapping[int, Verdict]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> Verdict: ...

    @overload
    def __getitem__(self, at: slice) -> list[Verdict]: ...

    def __getitem__(self, at: int | slice) -> Verdict | list[Verdict]:
        if isinstance(at, slice):
            return [self[m] for m in range(*at.indices(len(self)))]
        if at in self.others:
            return self.others[at]
        match, length = int(self.ids[at]), int(self.lengths[at])
        return Verdict(match, self.ruleset, EXACT, "", bool(self.unfinished[at]), None, length)


def cause_of(
    rules: Ruleset,
    started: Started | None,
    verdict: str,
    what: Iterable[str],
    event: str = "",
    *,
    revision: int | None = None,
    to: int | None = None,
) -> Cause:
    """The cause of a failure of a match with this beginning, None where that cannot be read.

    Args:
        revision: what the match is pinned to, where that is not what its log says.
    """
    if started is None:
        return Cause(rules.name, revision, to, "", (), verdict, event, tuple(what))
    pinned = started.revision if revision is None else revision
    options = _unusual(rules, started)
    return Cause(rules.name, pinned, to, started.variant, options, verdict, event, tuple(what))


def _unusual(rules: Ruleset, started: Started) -> tuple[tuple[str, str], ...]:
    """The options of a match that are others than those of its variant."""
    own = next((dict(variant.options) for variant in rules.variants if variant.name == started.variant), {})
    usual = {option.name: own.get(option.name, option.default) for option in rules.options}
    return tuple((name, option_text(value)) for name, value in started.options.items() if usual.get(name) != value)


@dataclass(slots=True)
class Group:
    """The matches that failed for one cause: their ids in the order of verification, and the shortest of them."""

    example: Verdict
    matches: array[int] = field(default_factory=lambda: array("q"))

    def add(self, one: Verdict) -> None:
        """Take one more."""
        self.matches.append(one.match_id)
        if (one.events, one.match_id) < (self.example.events, self.example.match_id):
            self.example = one


@dataclass(slots=True)
class Report:
    """What was verified, or rehearsed.

    Attributes:
        counts: how many matches have each verdict.
        unfinished, events: how many matches are unfinished, how many events were folded.
        causes: the matches that failed by cause; eight bytes for each.
        unreadable: one line for each file, or part of one, that could not be read or is not what was written.
        not_readable, in_files: how many matches that a store lists could not be read, and in how many files they lie.
        unlisted: archive files that the journal does not list, as RULESET/NAME. No failure, a crash leaves such.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    unfinished: int = 0
    events: int = 0
    causes: dict[Cause, Group] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    not_readable: int = 0
    in_files: int = 0
    unlisted: list[str] = field(default_factory=list)

    @property
    def is_fine(self) -> bool:
        """Whether nothing failed. A match whose rules are not installed counts as a failure: nothing was verified."""
        return not self.causes and not self.unreadable

    def add(self, verdicts: Sequence[Verdict], events: int) -> None:
        """Count the verdicts of some matches with so many events in all."""
        self.events += events
        others = verdicts
        if isinstance(verdicts, Verdicts):
            others = list(verdicts.others.values())
            self.counts[EXACT] += len(verdicts) - len(others)
            self.unfinished += int(np.delete(verdicts.unfinished, list(verdicts.others)).sum())
        for one in others:
            self.counts[one.verdict] = self.counts.get(one.verdict, 0) + 1
            self.unfinished += one.is_unfinished
            if one.is_fine:
                continue
            assert one.cause is not None, f"{one} says no cause"
            self.causes.setdefault(one.cause, Group(one)).add(one)

    def miss(self, matches: int) -> None:
        """Count so many listed matches of a file that could not be read."""
        self.not_readable += matches
        self.in_files += matches > 0

    def by_cause(self) -> list[tuple[Cause, Group]]:
        """The causes, the most frequent first."""
        return sorted(self.causes.items(), key=lambda pair: (-len(pair[1].matches), str(pair[0])))


def cause_as_json(cause: Cause) -> dict[str, Any]:
    """A cause as plain data."""
    return {
        "ruleset": cause.ruleset,
        "revision": cause.revision,
        "to": cause.to,
        "variant": cause.variant,
        "options": dict(cause.options),
        "verdict": cause.verdict,
        "event": cause.event,
        "what": list(cause.what),
    }


def group_as_json(cause: Cause, group: Group) -> dict[str, Any]:
    """A cause with its matches as plain data."""
    example = verdict_as_json(group.example)
    return {
        **cause_as_json(cause),
        "count": len(group.matches),
        "example": {name: example[name] for name in ("match", "events", "seq", "said")},
        "matches": [id_text(match) for match in group.matches],
    }


def verdict_as_json(one: Verdict) -> dict[str, Any]:
    """What is said of a match as plain data; `cause` is null where it did not fail."""
    return {
        "match": id_text(one.match_id),
        "ruleset": one.ruleset,
        "verdict": one.verdict,
        "said": one.said,
        "unfinished": one.is_unfinished,
        "seq": one.seq,
        "events": one.events,
        "cause": None if one.cause is None else cause_as_json(one.cause),
    }
