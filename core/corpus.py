"""Many matches as arrays, and what the compiled loops say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from kifold.core.at_hand import AT_HAND
from kifold.core.codec import lifted
from kifold.core.compiled import Compiled
from kifold.core.events import Event, Setup, Started, tag_of
from kifold.core.fields import fields_of
from kifold.core.flat import flatten_setup, unflatten, unflatten_setup
from kifold.core.loops import NOTHING_LEGAL, SETUP_REFUSED
from kifold.core.play import NothingLegal, SetupRefused, is_asked
from kifold.core.records import Record, dtype_of, essential_dtype, essential_size, from_numpy
from kifold.core.retracing import retrace, retrace_chance
from kifold.core.rng import Random
from kifold.core.ruleset import SNAPSHOT, Ruleset

MATCH = np.dtype(
    [("done", "<i4"), ("reason", "<i4"), ("effects", "<i8"), ("turn", "<i4"), ("snapshot", "<i4")], align=True
)
PER_EVENT = np.dtype([("effects", "<i8"), ("seat", "i1")])
LISTED = np.dtype([("plies", "<i4"), ("reason", "<i4")])
PLY = np.dtype([("event", "<i4"), ("legal", "<i4"), ("seat", "i1"), ("phase", "i1")])
EVENTS_AT_A_TIME = 1 << 16
LONGEST_MATCH = 10_000
"""A simulated match is left unfinished after so many events."""

_FAULTS = {
    SETUP_REFUSED: (SetupRefused, "{} refuses the setup of match {}"),
    NOTHING_LEGAL: (NothingLegal, "{}: in match {} somebody has the turn and nothing legal"),
}


@dataclass(frozen=True)
class Corpus:
    """Matches of one ruleset.

    Attributes:
        setups: structured array, one record per match (`Ruleset.setup_record`).
        events: structured array of flat events, all matches one after the other (`Ruleset.event_record`).
        starts: int64 array of length matches + 1: match m's events are events[starts[m]:starts[m + 1]].
    """

    ruleset: Ruleset
    setups: np.ndarray[Any, Any]
    events: np.ndarray[Any, Any]
    starts: np.ndarray[Any, Any]

    def __len__(self) -> int:
        return len(self.setups)

    @property
    def arrays(self) -> tuple[np.ndarray[Any, Any], ...]:
        """What every loop takes first."""
        return self.setups, self.events, self.starts

    def part(self, first: int, last: int) -> Corpus:
        """The matches from number `first` on, up to before number `last`."""
        starts = self.starts[first : last + 1]
        events = self.events[starts[0] : starts[-1]]
        return Corpus(self.ruleset, self.setups[first:last], events, starts - starts[0])

    def only(self, wanted: np.ndarray[Any, Any]) -> Corpus:
        """The matches for which `wanted` is true, alone."""
        lengths = np.diff(self.starts)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[wanted])])
        return Corpus(self.ruleset, self.setups[wanted], self.events[np.repeat(wanted, lengths)], starts)

    def clear(self) -> None:
        """Zero in each event what its type does not have, as plain events have it: `play` leaves remnants of others."""
        for event in self.ruleset.events:
            rows = self.events["tag"] == tag_of(event)
            own = {name for field in fields_of(event) for name in (field.name, f"n_{field.name}")}
            for slot in self.ruleset.event_record.slots:
                if slot.name != "tag" and slot.name not in own:
                    self.events[slot.name][rows] = 0
                elif slot.length:
                    beyond = np.arange(slot.length) >= self.events[f"n_{slot.name}"][:, None]
                    self.events[slot.name][rows[:, None] & beyond] = 0

    @classmethod
    def blank(cls, ruleset: Ruleset, matches: int = 0) -> Corpus:
        """So many matches without events, their setups zeroed."""
        setups, events = np.zeros(matches, dtype_of(ruleset.setup_record)), np.zeros(0, dtype_of(ruleset.event_record))
        return cls(ruleset, setups, events, np.zeros(matches + 1, np.int64))

    def setup(self, match: int) -> Setup:
        """The setup of one match."""
        return unflatten_setup(self.ruleset, from_numpy(self.ruleset.setup_record, self.setups[match]))

    def log(self, match: int) -> list[Event]:
        """The events of one match."""
        record = self.ruleset.event_record
        rows = self.events[self.starts[match] : self.starts[match + 1]]
        return [unflatten(self.ruleset, from_numpy(record, row)) for row in rows]

    @classmethod
    def of(cls, ruleset: Ruleset, matches: Iterable[tuple[Started, Sequence[Event]]]) -> Corpus:
        """A corpus of logs; each log only of the ruleset's own events, with what was undone left out."""
        setups, events, starts = [], [], [0]
        for started, log in matches:
            setups.append(flatten_setup(ruleset, started))
            events += [lifted(ruleset, event) for event in log]
            starts.append(len(events))
        return cls(
            ruleset, array_of(ruleset.setup_record, setups), flat_events(ruleset, events), np.array(starts, np.int64)
        )


@dataclass(frozen=True)
class Folded:
    """What folding a corpus gave.

    Attributes:
        matches: per match `done` (legal events; −1 when the setup is refused), `reason` (0, or of the first refused
            event or setup), `effects` (mask), `turn` (seat, `NOBODY` or `CHANCE`), `snapshot` (its first snapshot's
            row).
        results: per match the ruleset's result record.
        per_event: per event `seat` and `effects`; undefined from a match's first refused event on.
        snapshots: bytes of the essential state, one row after every 16 events of a match and at its end.
    """

    matches: np.ndarray[Any, Any]
    results: np.ndarray[Any, Any]
    per_event: np.ndarray[Any, Any]
    snapshots: np.ndarray[Any, Any]

    @classmethod
    def blank(cls, ruleset: Ruleset, matches: int, events: int, snapshots: int) -> Folded:
        """Room for so many of each; of events and snapshots, anything."""
        return cls(
            np.zeros(matches, MATCH),
            np.zeros(matches, dtype_of(ruleset.result)),
            np.empty(events, PER_EVENT),
            np.empty((snapshots, essential_size(ruleset.state)), np.uint8),
        )


@dataclass(frozen=True)
class States:
    """Every state of a corpus.

    Attributes:
        matches: per match `done`, `reason` and `turn`, as in `Folded`.
        results: per match the ruleset's result record.
        seats: per event who acted.
        states: structured array of the essential fields: match m's after k events is row starts[m] + m + k; undefined
            from a match's first refused event on.
    """

    matches: np.ndarray[Any, Any]
    results: np.ndarray[Any, Any]
    seats: np.ndarray[Any, Any]
    states: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Plies:
    """The decisions by seats of a corpus.

    Attributes:
        matches: per match `plies`, how many it has up to its first refused event, and `reason`: 0, or why that event or
            the setup is refused.
        plies: per decision `event` (its place in the match, from 0), `seat`, and of the state before it `legal` (how
            many events the seat could choose from) and `phase`.
        results: per decision the ruleset's result record, after it and the events of chance that follow it.
    """

    matches: np.ndarray[Any, Any]
    plies: np.ndarray[Any, Any]
    results: np.ndarray[Any, Any]


def array_of(record: type[Record], plain: Sequence[Any]) -> np.ndarray[Any, Any]:
    """A structured array of plain records."""
    out = np.zeros(len(plain), dtype_of(record))
    for slot in record.slots if plain else ():
        out[slot.name] = [getattr(one, slot.name) for one in plain]
    return out


def flat_events(ruleset: Ruleset, events: Sequence[Event]) -> np.ndarray[Any, Any]:
    """The flat records of the ruleset's own valid events, as a structured array (`Ruleset.event_record`)."""
    out = np.zeros(len(events), dtype_of(ruleset.event_record))
    kinds = set(map(type, events))
    for kind in kinds:
        rows = slice(None) if len(kinds) == 1 else [i for i, event in enumerate(events) if type(event) is kind]
        some = events if len(kinds) == 1 else [event for event in events if type(event) is kind]
        out["tag"][rows] = tag_of(kind)
        columns = zip(*map(msgspec.structs.astuple, some), strict=True)
        for field, column in zip(fields_of(kind), columns, strict=True):
            if field.kind == "ints":
                blank = (0,) * field.length
                out[f"n_{field.name}"][rows] = list(map(len, column))
                out[field.name][rows, : field.length] = [(*values, *blank[len(values) :]) for values in column]
            else:
                out[field.name][rows] = column
    return out


class Folder:
    """The compiled loops of one ruleset with the scratch memory that they need. One per thread."""

    def __init__(self, ruleset: Ruleset, code: Compiled) -> None:
        self.ruleset = ruleset
        self.code = code
        self.state = np.zeros(1, dtype_of(ruleset.state))
        self.state_bytes = self.state.view(np.uint8)
        self.out = np.zeros(1024, dtype_of(ruleset.event_record))

    def compile_ahead(self, rules: Iterable[str]) -> None:
        """Compile rules by name before loops ask for them."""
        state, out = self.state[0], self.out
        setup, result, random = (
            np.zeros(1, dtype_of(record))[0] for record in (self.ruleset.setup_record, self.ruleset.result, Random)
        )
        arguments: dict[str, tuple[Any, ...]] = {
            "chance": (setup, random),
            "set_up": (state, setup),
            "legal": (state, 0, out),
            "greedy": (state, out, 0, random),
            "check": (state, out[0]),
            "actor": (state, out[0]),
            "apply": (state, out[0]),
            "turn": (state,),
            "phase": (state,),
            "result": (state, result),
        }
        for rule in rules:
            self.code.ahead(rule, *arguments[rule])

    def fold(self, corpus: Corpus) -> Folded:
        """Fold and validate every match."""
        most = len(corpus.events) // SNAPSHOT + len(corpus)
        folded = Folded.blank(self.ruleset, len(corpus), len(corpus.events), most)
        taken = self._run(
            "fold_corpus",
            corpus,
            self.state,
            self.state_bytes,
            folded.matches,
            folded.results,
            folded.per_event,
            folded.snapshots,
        )
        AT_HAND[self.ruleset] = self.code
        return Folded(folded.matches, folded.results, folded.per_event, folded.snapshots[:taken])

    def states(self, corpus: Corpus) -> States:
        """Fold and validate every match, and keep every state on the way."""
        count, size = len(corpus), essential_size(self.ruleset.state)
        kept = np.zeros((len(corpus.events) + count, size), np.uint8)
        matches, results = np.zeros(count, MATCH), np.zeros(count, dtype_of(self.ruleset.result))
        seats = np.zeros(len(corpus.events), np.int8)
        self._run("fold_states", corpus, self.state, self.state_bytes, matches, results, seats, kept)
        return States(matches, results, seats, kept.view(essential_dtype(self.ruleset.state))[:, 0])

    def position(self, corpus: Corpus, match: int, count: int) -> int:
        """Fold the first `count` events of one match into `self.state`.

        Returns:
            How many of them are legal; −1 when the setup is refused.
        """
        self.state_bytes[:] = 0
        first = corpus.starts[match]
        done: int = self.code.loops["fold_to"](
            corpus.setups[match : match + 1], corpus.events[first : first + count], self.state
        )
        return done

    def legal(self, seat: int) -> np.ndarray[Any, Any]:
        """The legal events of a seat in `self.state`, as flat records (a copy)."""
        if not is_asked(self.ruleset, self.ruleset.most_seats, seat):
            raise ValueError(f"seat {seat}: {self.ruleset.name} has seats 0..{self.ruleset.most_seats - 1}")
        n = self.code.rules["legal"](self.state[0], seat, self.out)
        if n > len(self.out):
            self._grow(n)
            return self.legal(seat)
        return self.out[:n].copy()

    def count_legal(self, corpus: Corpus) -> np.ndarray[Any, Any]:
        """How many legal events there were before every event of a corpus of legal matches: int32, one per event."""
        counts = np.zeros(len(corpus.events), np.int32)
        longest = self._run("count_legal", corpus, self.state, self.state_bytes, self.out, counts)
        if longest > len(self.out):
            self._grow(longest)
            return self.count_legal(corpus)
        return counts

    def plies(self, corpus: Corpus) -> Plies:
        """What every decision by a seat was made from, and what came of it."""
        room = len(corpus.events)
        found = Plies(np.zeros(len(corpus), LISTED), np.zeros(room, PLY), np.zeros(room, dtype_of(self.ruleset.result)))
        longest = self._run(
            "list_plies",
            corpus,
            self.state,
            self.state_bytes,
            self.out,
            found.matches,
            found.plies,
            found.results,
        )
        if longest > len(self.out):
            self._grow(longest)
            return self.plies(corpus)
        count = found.matches["plies"].sum()
        return Plies(found.matches, found.plies[:count], found.results[:count])

    def play(self, template: Record, seed: int, first: int, count: int, *, greedy: bool) -> Iterator[Corpus]:
        """Play matches number `first` … `first + count - 1` of a simulation, in corpora of at most `count` matches.

        Args:
            template: the setup record of all; chance fills the rest.
            seed: 0 … 2^62; the same seed and number give the same match, whoever plays it.
            greedy: seats take the greedy choice instead of any legal event.

        Raises:
            SetupRefused, NothingLegal: after the matches that were played before it.
        """
        room = EVENTS_AT_A_TIME
        random = np.zeros(1, dtype_of(Random))
        setup = array_of(self.ruleset.setup_record, [template])
        events = np.zeros(room, dtype_of(self.ruleset.event_record))
        while count:
            setups, starts = np.repeat(setup, count), np.zeros(count + 1, np.int64)
            try:
                played, too_long = self.code.loops["play_corpus"](
                    seed,
                    first,
                    LONGEST_MATCH,
                    greedy,
                    setups,
                    events,
                    starts,
                    self.state,
                    self.state_bytes,
                    self.out,
                    random,
                )
            except Exception as error:  # whatever a rule raises, compiled
                # The last match that has events, or the first without one after it.
                at = max(int(np.flatnonzero(starts)[-1:].sum()) - 1, 0)
                for match in range(at, min(at + 2, count)):
                    retrace_chance(self.ruleset, template, seed, first + match)
                ends = np.maximum.accumulate(starts)
                retrace(Corpus(self.ruleset, setups, events, ends).part(at, min(at + 2, count)), error)
                raise
            if played:
                yield Corpus(self.ruleset, setups[:played], events[: starts[played]].copy(), starts[: played + 1])
            if too_long < 0:
                fault, said = _FAULTS[too_long]
                raise fault(said.format(self.ruleset.name, first + played))
            if too_long:
                self._grow(too_long)
            first, count = first + played, count - played

    def _run(self, loop: str, corpus: Corpus, *more: Any) -> Any:
        try:
            return self.code.loops[loop](*corpus.arrays, *more)
        except Exception as error:  # whatever a rule raises, compiled
            retrace(corpus, error)
            raise

    def _grow(self, n: int) -> None:
        self.out = np.zeros(2 * n, dtype_of(self.ruleset.event_record))
