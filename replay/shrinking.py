"""The shortest log that still shows how two revisions part, as far as leaving out events leads there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from kifold.core.compiled import compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.ruleset import Ruleset
from kifold.replay.partings import Parting, partings

TOGETHER = 1 << 14
"""So many events of candidates are folded at a time: enough for the compiled loops, few enough to stop early."""
SHORT = 16
"""Stretches of every length up to this one are left out; of the longer ones halves, quarters, …."""
APART = 32
"""Two events that are left out together lie less than so far apart."""

Places = np.ndarray[Any, Any]
"""Places of events in a log, ascending: those that a candidate keeps."""


def shrunk(old: Ruleset, new: Ruleset, match: Corpus, found: Parting) -> Corpus:
    """A match from which nothing more can be left out.

    What remains is legal under `old`, and `new` parts from it in the same way: with the same outcome, at the same kind
    of event, in the same reason or fields. Left out are the end, then stretches of events, the long ones first, and
    pairs of events, so that seats may go on taking turns. No single event can be left out at last; the setup stays.

    Args:
        match: one match, legal under `old`.
        found: how `new` parts from it.
    """
    trying = _Trying(old, new, match, found)
    kept = np.arange(len(match.events))
    ends = (kept[:length] for length in range(found.seq if found.event else 0, len(kept)))
    kept = _or_same(trying.first(ends), kept)
    before = len(kept) + 1
    while len(kept) < before:
        before = len(kept)
        for length in _lengths(before):
            while (shorter := trying.first(_without_stretch(kept, length))) is not None:
                kept = shorter
        kept = _or_same(trying.first(_without_pair(kept)), kept)
    return trying.corpus([kept])


def _or_same(shorter: Places | None, kept: Places) -> Places:
    return kept if shorter is None else shorter


def _lengths(events: int) -> list[int]:
    """How long the stretches are that are left out of a log: of so many events, the halves, …, and all short ones."""
    halved = {events >> k for k in range(events.bit_length())}
    return sorted(halved | set(range(1, min(SHORT, events) + 1)), reverse=True)


def _without_stretch(kept: Places, length: int) -> Iterator[Places]:
    return (np.delete(kept, slice(begin, begin + length)) for begin in range(len(kept) - length + 1))


def _without_pair(kept: Places) -> Iterator[Places]:
    near = ((a, b) for a in range(len(kept)) for b in range(a + 2, min(a + APART, len(kept))))
    return (np.delete(kept, pair) for pair in near)


class _Trying:
    """Candidates, parts of one match, folded under both revisions by the compiled rules."""

    def __init__(self, old: Ruleset, new: Ruleset, match: Corpus, found: Parting) -> None:
        self.old, self.new, self.match = old, new, match
        self.kind = _kind(found)
        self.folder = Folder(old, compiled(old))

    def first(self, candidates: Iterable[Places]) -> Places | None:
        """The first candidate that shows the same."""
        batch: list[Places] = []
        waiting = 0
        for one in candidates:
            batch.append(one)
            waiting += len(one) + 1
            if waiting >= TOGETHER:
                if (shows := self._first_of(batch)) is not None:
                    return shows
                batch, waiting = [], 0
        return self._first_of(batch)

    def corpus(self, candidates: list[Places]) -> Corpus:
        """Candidates as matches."""
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(one) for one in candidates], dtype=np.int64)])
        setups = np.repeat(self.match.setups, len(candidates))
        return Corpus(self.old, setups, self.match.events[np.concatenate(candidates)], starts)

    def _first_of(self, candidates: list[Places]) -> Places | None:
        if not candidates:
            return None
        corpus = self.corpus(candidates)
        is_legal = self.folder.fold(corpus).matches["done"] == np.diff(corpus.starts)
        found = partings(self.old, self.new, corpus.only(is_legal))
        places = np.flatnonzero(is_legal).tolist()
        return next(
            (candidates[m] for m, one in zip(places, found, strict=True) if one and _kind(one) == self.kind), None
        )


def _kind(found: Parting) -> tuple[str, str, tuple[str, ...]]:
    return found.outcome, found.event, found.what
