"""A match as it is stored: its log and what lies beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import TypeVar

import msgspec

from kifold.core.codec import digest
from kifold.core.events import Event, Finished, Resigned, Started
from kifold.core.play import standing_events
from kifold.core.registry import pinned
from kifold.core.ruleset import Ruleset

T = TypeVar("T")

BATCH = 2_000
"""Matches that are held in memory at a time."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a match went its own way.

    Attributes:
        parent: the match that it continues. It may have been deleted since.
        at_seq: the last event of the parent that it shares; 0 when it shares event 0 alone.
        inherited: how many of its own events, the first ones, it has from the parent: fewer than `at_seq` where
            something had been taken back by then.
    """

    parent: int
    at_seq: int
    inherited: int


@dataclass(slots=True)
class Log:
    """One match.

    Attributes:
        match_id: see `kifold.records.ids`.
        started: event 0.
        events: events 1, 2, … in order, also what was taken back.
        players: one name per seat, or empty. Names are no part of the log or its digest.
        promoted: the revision of the rules that its store pins the match to; None where it was never promoted.
        fork: where it left the match that it continues; None for a match that was begun by itself.
        is_archived, written: whether it was read from the archive, and the digest that is stored beside it there.
    """

    match_id: int
    started: Started
    events: Sequence[Event]
    players: tuple[str, ...] = ()
    promoted: int | None = field(default=None, compare=False)
    fork: Fork | None = field(default=None, compare=False)
    is_archived: bool = field(default=False, compare=False)
    written: bytes | None = field(default=None, compare=False)

    @property
    def digest(self) -> bytes:
        """The digest of the log, 16 bytes."""
        return digest(self.started, self.events)

    @property
    def is_intact(self) -> bool:
        """Whether an archived log is the one that was written, by its digest. Live ones are asked where they are read:
        `kifold.records.journal.Journal.damage`.
        """
        return not self.is_archived or self.digest == self.written

    @property
    def revision(self) -> int:
        """The revision of the rules that the match is played under."""
        return self.started.revision if self.promoted is None else self.promoted

    @property
    def is_promoted(self) -> bool:
        """Whether the match is played under another revision than the one that its log names."""
        return self.promoted not in (None, self.started.revision)

    @property
    def rules(self) -> Ruleset:
        """The rules that the match is played under.

        Raises:
            RulesetError: when they are not installed.
        """
        return pinned(self.started, self.revision)


def taken_over(events: Sequence[Event], seq: int) -> list[tuple[int, Event]]:
    """(number, event) of what a fork after event `seq` of a log has from it.

    That is what stood then: what had been taken back by then is not there, nor an ending that the rules do not force,
    and whatever was noted after that.
    """
    stood = standing_events(events[:seq])
    ends = (at for at, (_, event) in enumerate(stood) if isinstance(event, Finished | Resigned))
    return stood[: next(ends, len(stood))]


def shared_by_fork(fork: Fork, log: Log) -> bytes | None:
    """The digest of what a fork says that it shares, as its own log has it; None where that has less.

    Tags are no part of it: they say something of a match, and a fork may have others.
    """
    if not 0 <= fork.inherited <= len(log.events):
        return None
    return digest(msgspec.structs.replace(log.started, tags={}), log.events[: fork.inherited])


def shared_by_parent(fork: Fork, parent: Log) -> bytes | None:
    """The same as the parent's log has it. A fork says what is true where both are there and equal."""
    if not 0 <= fork.at_seq <= len(parent.events):
        return None
    stood = taken_over(parent.events, fork.at_seq)
    return digest(msgspec.structs.replace(parent.started, tags={}), [event for _, event in stood])


def leaving(log: Log, parent: Log) -> Fork | None:
    """The fork that a log is of another when it shares as much as it can; None where not even event 0 is the same."""
    if msgspec.structs.replace(log.started, tags=parent.started.tags) != parent.started:
        return None
    stood = taken_over(parent.events, len(parent.events))
    shared = list(takewhile(lambda pair: pair[0] == pair[1][1], zip(log.events, stood, strict=False)))
    return Fork(parent.match_id, shared[-1][1][0] if shared else 0, len(shared))


def batches(logs: Iterator[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """Logs, or what stands for them, in lists of at most `size`."""
    while batch := list(islice(logs, size)):
        yield batch
