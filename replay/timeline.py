"""The log of one match, open at every ply and at every event, forwards and back.

A ply is the number of decisions by seats so far: the state at ply N is after decision N and the events of chance that
follow it. Plies leave out what was taken back; an ending that the rules do not force belongs to the ply before it.
The state at an event is as it stood then, also in a stretch that was taken back later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kifold.core.events import Event, Finished, Noted, Resigned, Started, Undone
from kifold.core.play import Play, refusal
from kifold.core.ruleset import NOBODY, SNAPSHOT, Ruleset
from kifold.replay.difference import Change, changes


@dataclass(frozen=True, slots=True)
class Ply:
    """The match at one ply, or within it at one event.

    `seq` is the number of the decision in the log and `seat` who made it (0 and None at ply 0); `events` are the
    decision and the events of chance after it, `notes` what was noted of these, `state` the record after them (a copy),
    and `ending` what closed the match, or None.
    """

    number: int
    seq: int
    seat: int | None
    events: tuple[Event, ...]
    notes: tuple[Noted, ...]
    state: Any
    ending: Finished | Resigned | None


class Timeline:
    """A match to travel in. New ground is folded once, and only as far as it is asked for.

    Of every `every`-th state a snapshot is kept, so what was folded before costs at most `every` − 1 calls of `apply`,
    in whatever order it is asked for; the next ply costs its own events only.

    An event stands on the one that counted before it. So a log with corrections is a tree, in which each `Undone` goes
    back to a fork, and a state is the path to it; `Undone` itself is no node.

    Attributes:
        ruleset, started, events: the match; `events` is the whole log after event 0, as declared today.
        last_seq: the number of the last event in the log.
        last_ply: the number of the last ply.
        ply: the number of the ply that was asked for last.
    """

    def __init__(self, ruleset: Ruleset, started: Started, events: Sequence[Event], *, every: int = SNAPSHOT) -> None:
        """Open a match at its beginning.

        Raises:
            Refused: when the rules refuse the setup.
        """
        self.ruleset = ruleset
        self.started = started
        self.events = [ruleset.lift(event) for event in events]
        self.last_seq = len(events)
        self.ply = 0
        self._every = every
        self._grow()
        line = self._line()
        self._standing = frozenset(line)
        self._ends = [node for node, above in pairwise(line) if self._ply[node] < self._ply[above]] + line[-1:]
        self.last_ply = len(self._ends) - 1
        self._here, self._state = 0, Play(ruleset, started).state
        self._snapshots = {0: self._state.copy()}
        # Of each node that was folded, by its number: who acted, what the rules forced, what had closed the match.
        self._seat: dict[int, int] = {}
        self._effects: dict[int, int] = {0: 0}
        self._ending: dict[int, Finished | Resigned | None] = {0: None}

    def _grow(self) -> None:
        """The tree: for each number of an event the node that counts after it, and of each node what it stands on."""
        self._node, self._below = [0], [0]
        self._depth, self._ply = [0], [0]
        for seq, event in enumerate(self.events, start=1):
            node = below = self._node[-1]
            # One that goes back to nowhere is a node like any other: folding it refuses it.
            if isinstance(event, Undone) and event.back_to < seq:
                while node > event.back_to:
                    node = self._below[node]
            else:
                node = seq
            self._node.append(node)
            self._below.append(below)
            self._depth.append(self._depth[below] + (type(event) in self.ruleset.events))
            self._ply.append(self._ply[below] + (type(event) in self.ruleset.actions))

    def _line(self) -> list[int]:
        """The nodes from the beginning to the end of the match."""
        line = self._node[-1:]
        while line[-1]:
            line.append(self._below[line[-1]])
        return line[::-1]

    def __iter__(self) -> Iterator[Ply]:
        """Every ply, from 0 on.

        Raises:
            Refused: at the first event that the rules refuse, once every ply before it was given.
        """
        return (self.at(number) for number in range(self.last_ply + 1))

    def at(self, ply: int) -> Ply:
        """The match at a ply. What follows it is not looked at, nor what was taken back.

        Raises:
            ValueError: when the match has no such ply.
            Refused: when an event up to that ply is against the rules.
        """
        if not 0 <= ply <= self.last_ply:
            raise ValueError(f"ply {ply}: the match has plies 0..{self.last_ply}")
        return self._at(self._ends[ply])

    def at_seq(self, seq: int) -> Ply:
        """The match as it stood after an event of its log: within a ply, or in a stretch that was taken back later.

        Raises:
            ValueError: when the log has no such event.
            Refused: when an event that counted then is against the rules.
        """
        if not 0 <= seq <= self.last_seq:
            raise ValueError(f"event {seq}: the log has events 0..{self.last_seq}")
        return self._at(self._node[seq])

    def forward(self) -> Ply:
        """The ply after the one that was asked for last.

        Raises:
            ValueError, Refused: as `at`.
        """
        return self.at(self.ply + 1)

    def back(self) -> Ply:
        """The ply before the one that was asked for last.

        Raises:
            ValueError: at the beginning.
        """
        return self.at(self.ply - 1)

    def stands(self, seq: int) -> bool:
        """Whether an event counts at the end of the log; what was taken back does not, nor does taking back."""
        return seq in self._standing

    def effects(self, seq: int) -> list[str]:
        """What the rules forced at an event.

        Raises:
            Refused: as `at_seq`.
        """
        if self._node[seq] != seq:
            return []
        self._go(seq)
        return self.ruleset.effects.of(self._effects[seq])

    def diff(self, was: int, now: int, *, derived: bool = False) -> list[Change]:
        """What differs between the states at two plies, see `kifold.replay.difference.changes`."""
        return changes(self.at(was).state, self.at(now).state, derived=derived)

    def _at(self, node: int) -> Ply:
        self._go(node)
        self.ply = self._ply[node]
        events: list[Event] = []
        notes: list[Noted] = []
        decision = node
        while decision and type(event := self.events[decision - 1]) not in self.ruleset.actions:
            if type(event) in self.ruleset.chance:
                events.append(event)
            elif isinstance(event, Noted):
                notes.append(event)
            decision = self._below[decision]
        if decision:
            events.append(self.events[decision - 1])
        seat = self._seat[decision] if decision else None
        return Ply(
            self.ply, decision, seat, tuple(events[::-1]), tuple(notes[::-1]), self._state.copy(), self._ending[node]
        )

    def _go(self, node: int) -> None:
        """Fold to a node, from the nearest state below it."""
        path = []
        while node != self._here and node not in self._snapshots:
            path.append(node)
            node = self._below[node]
        if node != self._here:
            self._here, self._state = node, self._snapshots[node].copy()
        for step in reversed(path):
            self._step(step)

    def _step(self, seq: int) -> None:
        event, ending = self.events[seq - 1], self._ending[self._here]
        is_new = seq not in self._effects
        if is_new and (refused := refusal(self.ruleset, self.started, self._state, ending, seq, event)):
            raise refused
        effects, counts = 0, type(event) in self.ruleset.events
        if counts:
            record = self.ruleset.flatten(event)
            if is_new:
                self._seat[seq] = self.ruleset.rules.actor(self._state, record)
            effects = self.ruleset.rules.apply(self._state, record)
        self._here = seq
        if is_new:
            self._effects[seq] = effects
            self._ending[seq] = event if isinstance(event, Finished | Resigned) else ending
            if counts and self._depth[seq] % self._every == 0:
                self._snapshots[seq] = self._state.copy()


def turn_at(ruleset: Ruleset, ply: Ply) -> int:
    """Who decides next at a ply: a seat, `CHANCE`, or `NOBODY` when the match is over."""
    turn: int = NOBODY if ply.ending else ruleset.rules.turn(ply.state)
    return turn
