"""One match, plainly: the log folded event by event in ordinary Python.

No compiler is started and NumPy is not imported. For many matches at once see `kifold.core.corpus`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kifold.core.declared import RulesFault
from kifold.core.emit import EventRecord, Out
from kifold.core.events import COMMON, Event, Finished, Noted, Resigned, Started, Undone
from kifold.core.flat import flatten_setup, unflatten
from kifold.core.names import LEGAL
from kifold.core.ruleset import CHANCE, NOBODY, SNAPSHOT, Ruleset
from kifold.core.standings import Standing, standings


class SetupRefused(ValueError):
    """The rules refuse the setup of a match that was to be played; chance may draw another next time."""


class NothingLegal(ValueError):
    """Somebody has the turn and nothing legal: a fault of the rules."""


class Refused(ValueError):
    """An event (or the setup, as seq 0) that the rules or the log refuse. Says where and why.

    Attributes:
        seq: the number of the event in its log.
        reason: the name of the reason in the ruleset, or one of the log's own: ``match_over``, ``no_such_seq``, ….
        meaning: the reason in words.
    """

    def __init__(self, seq: int, reason: str, meaning: str, event: Event | None = None) -> None:
        super().__init__(f"event {seq} is refused: {reason} – {meaning}")
        self.seq = seq
        self.reason = reason
        self.meaning = meaning
        self.event = event


class Play:
    """A match being folded: its state after the events so far, and what may come next.

    Attributes:
        ruleset, started: what is played.
        state: the state record (plain).
        log: every event after event 0, in order, also what was undone; as it was written.
        effective: (seq, event) of the ruleset's own events that count; as they are declared today.
        effects: the effect mask of each effective event.
        seats: who acted at each effective event, `CHANCE` for chance.
        acted: the same by the event's number, also of what was taken back.
        snapshots: the essential bytes of the state after every 16th effective event.
        ending: the `Finished` or `Resigned` that closed the match, or None.
    """

    def __init__(self, ruleset: Ruleset, started: Started) -> None:
        """Begin a match.

        Raises:
            Refused: when the rules refuse the setup.
        """
        self.ruleset = ruleset
        self.started = started
        self.log: list[Event] = []
        self.acted: dict[int, int] = {}
        self._begin()

    def _begin(self) -> None:
        self.state: Any = self.ruleset.state()
        self.effective: list[tuple[int, Event]] = []
        self.effects: list[int] = []
        self.seats: list[int] = []
        self.snapshots: list[bytes] = []
        self.ending: Finished | Resigned | None = None
        reason = self.ruleset.rules.set_up(self.state, flatten_setup(self.ruleset, self.started))
        if reason != LEGAL:
            name = self.ruleset.reason(reason)
            raise Refused(0, name.name, name.meaning)

    def copy(self) -> Play:
        """An independent copy, to try events on."""
        other = object.__new__(Play)
        for name, value in self.__dict__.items():
            other.__dict__[name] = value.copy() if isinstance(value, list | dict) else value
        other.state = self.state.copy()
        return other

    @property
    def turn(self) -> int:
        """The seat that decides next, `CHANCE`, or `NOBODY` when the match is over."""
        if self.ending:
            return NOBODY
        turn, seats = self.ruleset.rules.turn, self.started.seats
        seat: Any = turn(self.state)
        if not isinstance(seat, int) or not CHANCE <= seat < seats:
            raise RulesFault(turn, f"returns {seat!r:.40}, and seats are 0..{seats - 1}")
        return seat

    @property
    def is_over(self) -> bool:
        """Whether nothing can follow but notes and taking back."""
        return self.turn == NOBODY

    @property
    def ply(self) -> int:
        """The number of decisions by seats so far."""
        return sum(type(event) in self.ruleset.actions for _, event in self.effective)

    def why_not(self, event: Event) -> Refused | None:
        """Why an event cannot come next, or None. For the ruleset's events also out of turn: turn is tested last."""
        return refusal(self.ruleset, self.started, self.state, self.ending, len(self.log) + 1, event)

    def add(self, event: Event) -> int:
        """Append one event; the mask of its effects.

        Raises:
            Refused: when it cannot come next. Nothing has changed then.
        """
        seq = len(self.log) + 1
        if type(event) in COMMON:
            _expect_common(self.ruleset, self.started, self.state, self.ending, seq, event)
            self.log.append(event)
            if isinstance(event, Undone):
                self._go_back()
            elif isinstance(event, Finished | Resigned):
                self.ending = event
            return 0
        record = _expect(self.ruleset, self.state, self.ending, seq, event)
        self.log.append(event)
        return self._apply(seq, event, record)

    def take(
        self,
        events: Sequence[Event],
        seats: Sequence[int],
        effects: Sequence[int],
        snapshots: Sequence[bytes],
        state: Any,
    ) -> None:
        """Append events of the ruleset's own that were folded otherwise, all legal.

        Args:
            seats, effects: who acted at each, and what it forced.
            snapshots: those that come to the `snapshots` of the match.
            state: what it adds up to.
        """
        numbers = range(len(self.log) + 1, len(self.log) + len(events) + 1)
        self.log += events
        self.acted.update(zip(numbers, seats, strict=True))
        self.effective += zip(numbers, events, strict=True)
        self.seats += seats
        self.effects += effects
        self.snapshots += snapshots
        self.state = state

    def _apply(self, seq: int, event: Event, record: EventRecord) -> int:
        """Apply one of the ruleset's own events; `record` is its flat form."""
        rules, state, effective = self.ruleset.rules, self.state, self.effective
        seat = rules.actor(state, record)
        self.seats.append(seat)
        self.acted[seq] = seat
        effects = rules.apply(state, record)
        effective.append((seq, self.ruleset.lift(event)))
        self.effects.append(effects)
        if len(effective) % SNAPSHOT == 0:
            self.snapshots.append(state.essential())
        return effects

    def _go_back(self) -> None:
        self._begin()
        for seq, event in standing_events(self.log):
            if isinstance(event, Finished | Resigned):
                self.ending = event
            elif not isinstance(event, Noted):
                self._apply(seq, event, self.ruleset.flatten(event))

    def legal(self, seat: int | None = None) -> list[Event]:
        """The legal events of a seat (by default of whoever decides next; `CHANCE` for chance), also out of turn."""
        who = self.turn if seat is None else seat
        if who == NOBODY or self.ending:
            return []
        if not is_asked(self.ruleset, self.started.seats, who):
            raise ValueError(f"seat {who}: the match has seats 0..{self.started.seats - 1}")
        out = Out(self.ruleset.event_record)
        n = self.ruleset.rules.legal(self.state, who, out)
        return [unflatten(self.ruleset, record) for record in out[:n]]

    def result(self) -> list[Standing]:
        """How the seats stand now. A resigner stands last, the others as they stood before (design: by default)."""
        result: Any = self.ruleset.result()
        self.ruleset.rules.result(self.state, result)
        return standings(self.ruleset, self.started.seats, result, self.ending)


def is_asked(ruleset: Ruleset, seats: int, seat: int) -> bool:
    """Whether somebody can be asked for legal events: a seat of the match, or `CHANCE` where chance has events."""
    return 0 <= seat < seats or (seat == CHANCE and bool(ruleset.chance))


def refusal(
    ruleset: Ruleset, started: Started, state: Any, ending: Finished | Resigned | None, seq: int, event: Event
) -> Refused | None:
    """Why an event cannot be number `seq` of a log that has come to `state`, or None. `ending` is what closed it."""
    try:
        if type(event) in COMMON:
            _expect_common(ruleset, started, state, ending, seq, event)
        else:
            _expect(ruleset, state, ending, seq, event)
    except Refused as refused:
        return refused
    return None


def _expect(ruleset: Ruleset, state: Any, ending: Finished | Resigned | None, seq: int, event: Event) -> EventRecord:
    """The flat record of an event that is not a common one, if it can come next; else raises `Refused`."""
    if ending:
        raise Refused(seq, "match_over", "the match is over", event)
    try:
        record = ruleset.flatten(event)
    except msgspec.ValidationError as error:
        raise Refused(seq, "not_declared", f"no event of {ruleset.name}: {error}", event) from None
    reason = ruleset.rules.check(state, record)
    if reason != LEGAL:
        name = ruleset.reason(reason)
        raise Refused(seq, name.name, name.meaning, event)
    return record


def _expect_common(
    ruleset: Ruleset, started: Started, state: Any, ending: Finished | Resigned | None, seq: int, event: Event
) -> None:
    """Raise `Refused` where a common event cannot come next."""
    if isinstance(event, Noted):
        return
    if isinstance(event, Undone):
        if event.back_to >= seq:
            raise Refused(seq, "no_such_seq", f"there is no event {event.back_to} to go back to", event)
        return
    if ending or ruleset.rules.turn(state) == NOBODY:
        raise Refused(seq, "match_over", "the match is over", event)
    if isinstance(event, Resigned) and event.seat >= started.seats:
        raise Refused(seq, "no_such_seat", f"seats are 0..{started.seats - 1}", event)


def standing_events(log: Sequence[Event]) -> list[tuple[int, Event]]:
    """(seq, event) of what counts: what an `Undone` took back is left out, and so is every `Undone`."""
    standing: list[tuple[int, Event]] = []
    for seq, event in enumerate(log, start=1):
        if isinstance(event, Undone):
            while standing and standing[-1][0] > event.back_to:
                standing.pop()
        else:
            standing.append((seq, event))
    return standing


def no_place(log: Sequence[Event], event: Event) -> Refused | None:
    """Why nothing that comes next can go back to where `event` does; None where it goes nowhere, or back to what stood.

    After `Undone` the match is to stand as it did after the event that is gone back to, and it does not where a part of
    that was taken back since. Logs that were written before this was asked hold such events: folding accepts them.
    """
    if not isinstance(event, Undone) or event.back_to > len(log):
        return None
    now = [seq for seq, _ in standing_events(log) if seq <= event.back_to]
    if now == [seq for seq, _ in standing_events(log[: event.back_to])]:
        return None
    said = f"what stood after event {event.back_to} was taken back since, and stays so; a fork can go on from there"
    return Refused(len(log) + 1, "taken_back", said, event)


def fold(ruleset: Ruleset, started: Started, log: Iterable[Event]) -> tuple[Play, Refused | None]:
    """Fold a log as far as it is legal.

    Returns:
        The match after the last legal event, and the first refusal (None when all were legal).

    Raises:
        Refused: when the rules refuse the setup itself.
    """
    play = Play(ruleset, started)
    for event in log:
        try:
            play.add(event)
        except Refused as refused:
            return play, refused
    return play, None
