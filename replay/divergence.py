"""Where a fold of a match first goes another way than it did, in words: the event, the board before it, the fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from kifold.core.events import Event, Started
from kifold.core.play import Refused, fold, standing_events
from kifold.core.ruleset import SNAPSHOT, Ruleset
from kifold.records.judge import FINGERPRINT_SIZE
from kifold.replay.difference import Change, changes, differing
from kifold.replay.frames import event_line, picture_of
from kifold.replay.golden import Fold, said_of
from kifold.replay.text import draw_text
from kifold.replay.timeline import Timeline

SHOWN = 20
"""So many lines of one kind are shown, the rest is counted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a fold says otherwise than it did.

    Attributes:
        seq: the number of the event at which it shows; what shows at the smallest is told first.
        place: the same in words.
        what: what it is.
        board: the event after which the board is worth a look, None for none.
        changes: the fields of a stored state that are other ones.
    """

    seq: int
    place: str
    what: str
    board: int | None
    changes: Sequence[Change] = ()

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


class Divergence:
    """What differs between two folds of one match.

    Attributes:
        found: the differences, the earliest first; empty when the folds are the same.
    """

    def __init__(self, ruleset: Ruleset, started: Started, events: Sequence[Event], was: Fold, now: Fold) -> None:
        """Compare.

        Args:
            ruleset, started, events: the match.
            was: what folding it gave.
            now: what it gives now, of the same plies and with the same events tried.
        """
        self.ruleset = ruleset
        self.started = started
        self.events = [ruleset.lift(event) for event in events]
        self._was, self._now = was, now
        self._last = len(events) if now.illegal is None else now.illegal.seq - 1
        self._timeline = Timeline(ruleset, started, self.events[: self._last]) if self._last >= 0 else None
        standing = standing_events(self.events[: max(self._last, 0)])
        self._numbers = [0, *(seq for seq, event in standing if type(event) in ruleset.events)]
        # After these events the states of the two folds are known to be alike.
        self._alike = [0]
        self.found = sorted(self._found(), key=lambda difference: difference.seq)

    def __str__(self) -> str:
        """The text of a failure: what differs, the board before the first difference, the fields."""
        parts = ["\n".join(_some([str(each) for each in self.found]))]
        seq = next((each.board for each in self.found if each.board is not None), None)
        if self._timeline is not None and seq is not None:
            parts.append(board_after(self._timeline, seq))
            if seq < self._last:
                states = [self._timeline.at_seq(at).state for at in (seq, seq + 1)]
                parts.append(listed(f"event {seq + 1} changes", changes(*states)))
        stored = next((each for each in self.found if each.changes), None)
        if stored is not None:
            parts.append(listed(f"the state at {stored.place}, was → is", stored.changes))
        return "\n\n".join(parts)

    def _found(self) -> Iterator[Difference]:
        was, now = self._was, self._now
        if was.digest != now.digest:
            yield Difference(0, "the beginning", "this is not the log that was folded (digest)", None)
        if was.illegal != now.illegal:
            yield self._legality()
        yield from self._effects()
        yield from self._fingerprints()
        yield from self._states()
        yield from self._tried()
        if was.illegal == now.illegal:
            for name in ("over", "standings"):
                old, new = _short(getattr(was, name)), _short(getattr(now, name))
                if old != new:
                    yield Difference(self._last + 1, "the end", f"{name}: {old} → {new}", max(self._last, 0))

    def _legality(self) -> Difference:
        try:
            _, refused = fold(self.ruleset, self.started, self.events)
        except Refused as refusal:
            refused = refusal
        before = self._was.illegal
        expected = f"; what was refused is event {before.seq}: {before.reason}" if before else ""
        if refused is None:
            seq = min(before.seq, len(self.events)) if before else 0
            return Difference(seq, self._place(seq), f"is legal{expected}", max(seq - 1, 0))
        said = f"is refused: {refused.reason} – {refused.meaning}{expected}"
        return Difference(refused.seq, self._place(refused.seq), said, refused.seq - 1)

    def _effects(self) -> Iterator[Difference]:
        old, new = (
            {(seq, name) for name, seqs in fold.effects.items() for seq in seqs} for fold in (self._was, self._now)
        )
        for seq in sorted({seq for seq, _ in old ^ new}):
            if seq > self._last:
                if self._was.illegal == self._now.illegal:
                    yield Difference(seq, f"event {seq}", "effects: nothing that far is folded", None)
                continue
            said = [", ".join(sorted(name for at, name in each if at == seq)) or "none" for each in (old, new)]
            yield Difference(seq, self._place(seq), f"effects: {said[0]} → {said[1]}", seq - 1)

    def _fingerprints(self) -> Iterator[Difference]:
        """The first stretch of events in which the state became another."""
        # The last one is of the end, and of no use when the two folds do not end at the same event.
        whole = (len(self._numbers) - 1) // SNAPSHOT if self._was.illegal != self._now.illegal else None
        old, new = (_split(fold.fingerprints)[:whole] for fold in (self._was, self._now))
        for k in range(max(len(old), len(new))):
            first, last = (self._numbers[min(n, len(self._numbers) - 1)] for n in (k * SNAPSHOT, (k + 1) * SNAPSHOT))
            self._alike.append(first)
            if old[k : k + 1] != new[k : k + 1]:
                yield Difference(last, f"events {first + 1} to {last}", "the state became another (fingerprint)", first)
                return

    def _states(self) -> Iterator[Difference]:
        for ply, old in sorted(self._was.states.items()):
            new = self._now.states.get(ply)
            if new is None or self._timeline is None:
                if self._was.illegal == self._now.illegal:
                    yield Difference(0, f"ply {ply}", "the match has no such ply", None)
            elif not old:
                yield Difference(0, f"ply {ply}", "its state is not written yet", None)
            elif differ := differing(old, new):
                seq = self._timeline.at(ply).seq
                fields = ", ".join(dict.fromkeys(change.field for change in differ))
                before = max(alike for alike in self._alike if alike < seq or alike == 0)
                yield Difference(seq, f"ply {ply}", f"the state is another ({fields})", before, differ)
            else:
                self._alike.append(self._timeline.at(ply).seq)

    def _tried(self) -> Iterator[Difference]:
        now = {(probe.after, str(probe.event)): probe for probe in self._now.refused}
        for old in self._was.refused:
            place = f"{said_of(old)}, tried after event {old.after}"
            probe = now.get((old.after, str(old.event)))
            if probe is None:
                if self._was.illegal == self._now.illegal:
                    yield Difference(old.after, place, "the match has no such event", None)
            elif old.reason is UNSET:
                yield Difference(old.after + 1, place, f"is new: {probe.reason or 'legal'}", None)
            elif old.reason != probe.reason:
                said = f"{old.reason or 'legal'} → {probe.reason or 'legal'}"
                yield Difference(old.after + 1, place, said, old.after)

    def _place(self, seq: int) -> str:
        if seq == 0 or self._timeline is None:
            return "the setup"
        return place_of(self._timeline, seq, self.events[seq - 1])


def refusal_text(ruleset: Ruleset, started: Started, events: Sequence[Event], refused: Refused) -> str:
    """The first event of a match that the rules refuse, and the board before it. The setup has to be legal."""
    timeline = Timeline(ruleset, started, events[: refused.seq - 1])
    said = f"{refused.reason} – {refused.meaning}"
    place = place_of(timeline, refused.seq, ruleset.lift(events[refused.seq - 1]))
    return f"{place}: {said}\n\n{board_after(timeline, refused.seq - 1)}"


def place_of(timeline: Timeline, seq: int, event: Event) -> str:
    """An event of a match, perhaps the one after the last of the timeline: its ply, its number, itself."""
    ply = timeline.at_seq(min(seq, timeline.last_seq)).number
    ply += seq > timeline.last_seq and type(event) in timeline.ruleset.actions
    return f"ply {ply}, event {seq}, {event_line(timeline.ruleset, timeline.started, event)}"


def board_after(timeline: Timeline, seq: int) -> str:
    """The board before something that happens after event `seq`, with a title."""
    picture = picture_of(timeline.ruleset, timeline.started, timeline.at_seq(seq))
    return f"the board before that, after event {seq}:\n{_indented(draw_text(picture, colour=False))}"


def _split(prints: str) -> list[str]:
    size = 2 * FINGERPRINT_SIZE
    return [prints[i : i + size] for i in range(0, len(prints), size)]


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(" ".join(f"{key} {part}" for key, part in row.items()) for row in value) or "none"
    return str(value).lower()


def listed(title: str, differ: Sequence[Change]) -> str:
    """Changes under a title, one a line, no more than can be read."""
    return f"{title}:\n" + _indented("\n".join(_some([str(change) for change in differ]) or ["nothing"]))


def _some(lines: list[str]) -> list[str]:
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], f"… and {more} more"] if more > 0 else lines


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.rstrip("\n").splitlines())
