"""A match as it is stored: its log and what lies beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from kifold.core.codec import digest
from kifold.core.events import Event, Started
from kifold.core.registry import pinned
from kifold.core.ruleset import Ruleset

BATCH = 2_000
"""Matches that are held in memory at a time."""


@dataclass(slots=True)
class Log:
    """One match.

    Attributes:
        match_id: see `kifold.records.ids`.
        started: event 0.
        events: events 1, 2, … in order, also what was taken back.
        players: one name per seat, or empty. Names are no part of the log or its digest.
        promoted: the revision of the rules that the match is played under in its store, where that is not the one that
            its log names.
    """

    match_id: int
    started: Started
    events: Sequence[Event]
    players: tuple[str, ...] = ()
    promoted: int | None = field(default=None, compare=False)
    is_archived: bool = field(default=False, compare=False)

    @property
    def digest(self) -> bytes:
        """The digest of the log, 16 bytes."""
        return digest(self.started, self.events)

    @property
    def rules(self) -> Ruleset:
        """The rules that the match is played under.

        Raises:
            RulesetError: when they are not installed.
        """
        return pinned(self.started, self.promoted)


def batches(logs: Iterator[Log], size: int = BATCH) -> Iterator[Sequence[Log]]:
    """Logs in lists of at most `size`."""
    while batch := list(islice(logs, size)):
        yield batch
