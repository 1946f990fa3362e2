"""Where a fold of a match first goes another way than it did, in words: the event, the board before it, the fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kifold.core.events import Event, Started
from kifold.core.play import Refused, fold, standing_events
from kifold.core.ruleset import SNAPSHOT, Ruleset
from kifold.records.judge import FINGERPRINT_SIZE
from kifold.replay.difference import Change, changes, differing
from kifold.replay.frames import event_line, picture_of
from kifold.replay.golden import Fold
from kifold.replay.text import draw_text
from kifold.replay.timeline import Timeline

SHOWN = 20
"""So many lines of one kind are shown, the rest is counted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a fold says otherwise than it did: the number of the event where it shows, and what."""

    seq: int
    what: str
    changes: Sequence[Change] = ()


class Divergence:
    """What differs between two folds of one match, the earliest first."""

    def __init__(self, ruleset: Ruleset, started: Started, events: Sequence[Event], was: Fold, now: Fold) -> None:
        """Compare.

        Args:
            ruleset, started, events: the match.
            was: what folding it gave.
            now: what it gives now, of the same plies and events that are tried.
        """
        self.ruleset = ruleset
        self.started = started
        self.events = events
        self._was, self._now = was, now
        self._last = len(events) if now.illegal is None else now.illegal.seq - 1
        self._timeline = Timeline(ruleset, started, events[: self._last]) if self._last >= 0 else None
        self.found = sorted(self._found(), key=lambda difference: difference.seq)

    def _found(self) -> Iterator[Difference]:
        was, now = self._was, self._now
        if was.digest != now.digest:
            yield Difference(0, "the log is not the one that was folded (digest)")
        if was.illegal != now.illegal:
            yield self._legality()
        yield from self._effects()
        yield from self._fingerprints()
        yield from self._states()
        tried = {(probe.after, str(probe.event)): probe.reason for probe in was.refused}
        for probe in now.refused:
            before = tried[probe.after, str(probe.event)]
            if before != probe.reason:
                said = f"{probe.event} after it: {before or 'legal'} → {probe.reason or 'legal'}"
                yield Difference(probe.after, said)
        if was.illegal == now.illegal:
            for name in ("over", "standings"):
                old, new = getattr(was, name), getattr(now, name)
                if old != new:
                    yield Difference(self._last, f"at the end, {name}: {_short(old)} → {_short(new)}")

    def _legality(self) -> Difference:
        refused = None
        try:
            _, refused = fold(self.ruleset, self.started, self.events)
        except Refused as refusal:
            refused = refusal
        before = self._was.illegal
        expected = f"; it was event {before.seq} that was refused: {before.reason}" if before else ""
        if refused is None:
            return Difference(before.seq if before else 0, f"is no longer refused{expected}")
        return Difference(refused.seq, f"is refused: {refused.reason} – {refused.meaning}{expected}")

    def _effects(self) -> Iterator[Difference]:
        old, new = (
            {(seq, name) for name, seqs in fold.effects.items() for seq in seqs} for fold in (self._was, self._now)
        )
        for seq in sorted({seq for seq, _ in old ^ new if seq <= self._last}):
            said = [", ".join(name for at, name in sorted(each) if at == seq) or "none" for each in (old, new)]
            yield Difference(seq, f"effects: {said[0]} → {said[1]}")

    def _fingerprints(self) -> Iterator[Difference]:
        """The first stretch of events in which the state became another."""
        numbers = [seq for seq, e in standing_events(self.events[: self._last]) if type(e) in self.ruleset.events]
        # The last one is of the end, and of no use when the two folds do not end at the same event.
        whole = len(numbers) // SNAPSHOT if self._was.illegal != self._now.illegal else None
        old, new = (_split(fold.fingerprints)[:whole] for fold in (self._was, self._now))
        for k in range(max(len(old), len(new))):
            if old[k : k + 1] != new[k : k + 1]:
                first, last = k * SNAPSHOT, min((k + 1) * SNAPSHOT, len(numbers))
                after = numbers[first - 1] if first and numbers else 0
                upto = numbers[last - 1] if numbers else 0
                yield Difference(upto, f"the state became another after event {after} (fingerprint)")
                return

    def _states(self) -> Iterator[Difference]:
        for ply, old in self._was.states.items():
            differ = differing(old, self._now.states[ply]) if old and ply in self._now.states else []
            if differ and self._timeline is not None:
                fields = ", ".join(dict.fromkeys(change.field for change in differ))
                yield Difference(self._timeline.at(ply).seq, f"the state at ply {ply} is another: {fields}", differ)

    def __str__(self) -> str:
        """The text of a failure: what differs, the board before the first difference, the fields."""
        first = self.found[0]
        lines = [f"{self._place(each.seq)}: {each.what}" for each in self.found]
        parts = ["\n".join(_some(lines))]
        if self._timeline is not None:
            before = self._timeline.at_seq(max(first.seq - 1, 0))
            board = draw_text(picture_of(self.ruleset, self.started, before), colour=False)
            parts.append(f"the board before event {first.seq}:\n{_indented(board)}" if first.seq else "")
            if 0 < first.seq <= self._last:
                after = self._timeline.at_seq(first.seq)
                parts.append(_listed(f"what event {first.seq} changes now", changes(before.state, after.state)))
        stored = next((each for each in self.found if each.changes), None)
        if stored is not None:
            parts.append(_listed(f"{stored.what.partition(':')[0]}, was → is", stored.changes))
        return "\n\n".join(part for part in parts if part)

    def _place(self, seq: int) -> str:
        if seq == 0 or self._timeline is None:
            return "the beginning"
        ply = self._timeline.at_seq(min(seq, self._last)).number
        ply += seq > self._last and type(self.events[seq - 1]) in self.ruleset.actions
        return f"event {seq}, ply {ply}, {event_line(self.ruleset, self.started, self.events[seq - 1])}"


def _split(prints: str) -> list[str]:
    size = 2 * FINGERPRINT_SIZE
    return [prints[i : i + size] for i in range(0, len(prints), size)]


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(" ".join(f"{key} {part}" for key, part in row.items()) for row in value) or "none"
    return str(value).lower()


def _listed(title: str, differ: Sequence[Change]) -> str:
    return f"{title}:\n" + _indented("\n".join(_some([str(change) for change in differ]) or ["nothing"]))


def _some(lines: list[str]) -> list[str]:
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], f"… and {more} more"] if more > 0 else lines


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.rstrip("\n").splitlines())
