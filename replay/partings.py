"""Where two revisions of a ruleset part: the first event of a log at which they are not alike, and in what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kifold.core.compiled import compiled
from kifold.core.corpus import Corpus, Folder, States
from kifold.core.events import Event, Started, kind_of, tag_of
from kifold.core.play import Play, Refused
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.replay.causes import ILLEGAL, OTHER_RESULT, OTHER_WAY
from kifold.replay.difference import changes

CHUNK = 1 << 15
"""So many states of each revision are compared at a time, some ten megabytes."""


@dataclass(frozen=True, slots=True)
class Parting:
    """What another revision makes of a log that is legal under its own.

    Attributes:
        outcome: `ILLEGAL`, `OTHER_RESULT`, or `OTHER_WAY` to the same result.
        seq: the number of the event that is refused, or after which the first field differs; 0 is the setup. Where
            only the end differs, that of the last event.
        event: the word of that event, empty for the setup and the end.
        what: the reason of the refusal, or the names of the fields that differ first.
        meaning: the reason in words.
    """

    outcome: str
    seq: int
    event: str
    what: tuple[str, ...]
    meaning: str = ""

    def __str__(self) -> str:
        where = f"at event {self.seq}" if self.event or not self.seq else "at the end"
        return f"{where} ({', '.join(self.what)}{': ' + self.meaning if self.meaning else ''})"


def parting(old: Ruleset, new: Ruleset, started: Started, events: Sequence[Event]) -> Parting | None:
    """Where `new` parts from `old` over a log, as far as that is legal under `old`; None where they are alike.

    Plainly, event by event; the log may hold everything that a log can. `partings` does the same for many.
    """
    before = Play(old, started)
    try:
        after = Play(new, started)
    except Refused as refused:
        return Parting(ILLEGAL, 0, "", (refused.reason,), refused.meaning)
    first = _first_fields(before, after)
    for seq, event in enumerate(events, start=1):
        if before.why_not(event):
            break
        if (why := after.why_not(event)) is not None:
            return Parting(ILLEGAL, seq, kind_of(type(event)), (why.reason,), why.meaning)
        before.add(event)
        after.add(event)
        first = first or _first_fields(before, after)
    results = [result_of(play) for play in (before, after)]
    end = [f"result.{slot.name}" for slot in old.result.slots if len({str(getattr(r, slot.name)) for r in results}) > 1]
    if before.is_over != after.is_over:
        end.append("turn")
    return _parting(first, end, is_other_seat=before.acted != after.acted, last=len(before.log))


def is_declared_alike(old: Ruleset, new: Ruleset) -> bool:
    """Whether states of two revisions have the same essential fields: else no two of their fingerprints are alike."""
    essential = [[slot for slot in rules.state.slots if slot.role is None] for rules in (old, new)]
    return essential[0] == essential[1]


def result_of(play: Play) -> Any:
    """The result record of a match as it stands."""
    result = play.ruleset.result()
    play.ruleset.rules.result(play.state, result)
    return result


def _first_fields(before: Play, after: Play) -> tuple[int, str, tuple[str, ...]] | None:
    """The last event, its word, and the essential fields in which the states differ that both declare."""
    both = _essential(before.ruleset) & _essential(after.ruleset)
    found = dict.fromkeys(one.field for one in changes(before.state, after.state) if one.field in both)
    if not found:
        return None
    return len(before.log), kind_of(type(before.log[-1])) if before.log else "", tuple(found)


def _essential(rules: Ruleset) -> set[str]:
    return {slot.name for slot in rules.state.slots if slot.role is None}


def _parting(
    first: tuple[int, str, tuple[str, ...]] | None, end: Sequence[str], *, is_other_seat: bool, last: int
) -> Parting | None:
    """What becomes of the first fields that differ, of what differs at the end, and of who acted."""
    if first is None and not end and not is_other_seat:
        return None
    seq, event, what = first or (last, "", tuple(end) or ("seat",))
    return Parting(OTHER_RESULT if end else OTHER_WAY, seq, event, what)


def partings(old: Ruleset, new: Ruleset, corpus: Corpus) -> Iterator[Parting | None]:
    """For each match of a corpus, all legal under `old`, where `new` parts from it; by the compiled rules."""
    folders = [Folder(rules, compiled(rules)) for rules in (old, new)]
    first = 0
    while first < len(corpus):
        within = corpus.starts[first:] - corpus.starts[first] < CHUNK
        last = first + max(int(within.sum()) - 1, 1)
        part = corpus.part(first, last)
        before, after = (folder.states(part) for folder in folders)
        yield from _Pair(old, new, part, before, after).partings()
        first = last


class _Pair:
    """The states of some matches under two revisions."""

    def __init__(self, old: Ruleset, new: Ruleset, corpus: Corpus, before: States, after: States) -> None:
        self.new = new
        self.corpus = corpus
        self.before, self.after = before, after
        shared = _essential(old) & _essential(new)
        self.fields = [slot.name for slot in old.state.slots if slot.name in shared]
        self.is_alike = is_declared_alike(old, new)
        self.at_end = {
            f"result.{slot.name}": _rows_unlike(before.results[slot.name], after.results[slot.name])
            for slot in old.result.slots
        }
        self.at_end["turn"] = (before.matches["turn"] == NOBODY) != (after.matches["turn"] == NOBODY)
        self.words = {tag_of(event): kind_of(event) for event in old.events}

    def partings(self) -> list[Parting | None]:
        """One for each match."""
        found: list[Parting | None] = [None] * len(self.corpus)
        for m in np.flatnonzero(self._may_part()).tolist():
            found[m] = self._parting(m)
        return found

    def _may_part(self) -> Any:
        """Per match, whether anything at all is unlike: of most nothing is, and those are not looked at one by one."""
        starts = self.corpus.starts
        acted = np.append(self.before.seats != self.after.seats, False)
        unlike = np.logical_or.reduceat(acted, starts[:-1]) & (np.diff(starts) > 0)
        for differs in self.at_end.values():
            unlike |= differs
        states = np.ones(len(self.before.states), bool)
        if self.is_alike:
            states = _rows_unlike(*(_words(one.states) for one in (self.before, self.after)))
        unlike |= np.logical_or.reduceat(states, starts[:-1] + np.arange(len(starts) - 1))
        return unlike | (self.after.matches["reason"] != 0)

    def _parting(self, m: int) -> Parting | None:
        begin, end = (int(at) for at in self.corpus.starts[m : m + 2])
        if reason := int(self.after.matches["reason"][m]):
            name, done = self.new.reason(reason), int(self.after.matches["done"][m])
            return Parting(ILLEGAL, done + 1, self._word(begin, done + 1), (name.name,), name.meaning)
        rows = slice(begin + m, end + m + 1)
        differ = {f: _rows_unlike(self.before.states[f][rows], self.after.states[f][rows]) for f in self.fields}
        k = min((int(rows.argmax()) for rows in differ.values() if rows.any()), default=None)
        first = None if k is None else (k, self._word(begin, k), tuple(f for f, rows in differ.items() if rows[k]))
        at_end = [name for name, differs in self.at_end.items() if differs[m]]
        is_other_seat = bool((self.before.seats[begin:end] != self.after.seats[begin:end]).any())
        return _parting(first, at_end, is_other_seat=is_other_seat, last=end - begin)

    def _word(self, begin: int, seq: int) -> str:
        """The word of event `seq` of the match whose first event is number `begin`; empty for the setup."""
        return self.words[int(self.corpus.events["tag"][begin + seq - 1])] if seq else ""


def _words(states: Any) -> Any:
    """The bytes of each state, as numbers as wide as they can be."""
    size = states.dtype.itemsize
    width = next(width for width in (8, 4, 2, 1) if size % width == 0)
    return states.view(f"u{width}").reshape(len(states), size // width)


def _rows_unlike(before: Any, after: Any) -> Any:
    """Per row, whether two arrays differ; of rows of another length all do."""
    if before.shape != after.shape:
        return np.ones(len(before), bool)
    differ = before != after
    return differ if differ.ndim == 1 else differ.any(axis=1)
