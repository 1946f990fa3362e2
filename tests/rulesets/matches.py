"""Random matches as logs, played in plain Python, and a ruleset's compiled loops with bounds checking."""

from __future__ import annotations

import fcntl
import random
from collections.abc import Callable
from typing import Any

import msgspec

from kifold.core.compiled import Compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.events import Event, Started, tag_of
from kifold.core.fields import fields_of
from kifold.core.flat import flatten_setup, unflatten_setup
from kifold.core.play import Play
from kifold.core.records import from_numpy
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.core.samples import sample_match, started_with_chance

Log = tuple[Started, list[Event]]
"""Event 0 of a match, and the ruleset's own events after it."""
Choose = Callable[[Play, list[Event], random.Random], Event]


def random_log(
    ruleset: Ruleset, started: Started, seed: int, match: int, *, greedy: bool = False, limit: int = 10_000
) -> Log:
    """One match in plain Python, as `Folder.play` plays it: the same seed and number give the same match."""
    play = sample_match(ruleset, started, seed, match, greedy=greedy, limit=limit)
    return play.started, play.log


def random_logs(
    ruleset: Ruleset,
    variant: str | None = None,
    options: dict[str, Any] | None = None,
    seats: int | None = None,
    *,
    count: int,
    seed: int,
    greedy: bool = False,
    limit: int = 10_000,
    setup: Any = None,
) -> list[Log]:
    """Matches number 0 … count - 1 of a simulation, played in plain Python."""
    started = ruleset.start(variant, options, seats, setup=setup)
    return [random_log(ruleset, started, seed, m, greedy=greedy, limit=limit) for m in range(count)]


def chosen_log(ruleset: Ruleset, started: Started, choose: Choose, seed: int, *, limit: int = 10_000) -> Log:
    """One match in which `choose` picks among the legal events: for what random play hardly ever does."""
    play, rng = Play(ruleset, started), random.Random(seed)
    while play.turn != NOBODY and len(play.log) < limit:
        play.add(choose(play, play.legal(), rng))
    return started, play.log


def logs_of(corpus: Corpus, started: Started) -> list[Log]:
    """The matches of a corpus as logs; `started` gives what is not in the arrays."""
    ruleset, logs = corpus.ruleset, []
    for m in range(len(corpus)):
        setup = unflatten_setup(ruleset, from_numpy(ruleset.setup_record, corpus.setups[m]))
        log = events_of(ruleset, corpus.events[corpus.starts[m] : corpus.starts[m + 1]])
        logs.append((msgspec.structs.replace(started, setup=setup), log))
    return logs


def events_of(ruleset: Ruleset, rows: Any) -> list[Event]:
    """Flat records out of a structured array as events: `unflatten` of many."""
    columns = {slot.name: rows[slot.name].tolist() for slot in ruleset.event_record.slots}
    kinds = {tag_of(kind): (kind, fields_of(kind)) for kind in ruleset.events}
    events = []
    for i, tag in enumerate(columns["tag"]):
        kind, fields = kinds[tag]
        values = []
        for field in fields:
            value = columns[field.name][i]
            if field.kind == "ints":
                value = tuple(value[: columns[f"n_{field.name}"][i]])
            values.append(bool(value) if field.kind == "bool" else value)
        events.append(kind(*values))
    return events


_folders: dict[tuple[str, bool], Folder] = {}


def folder(ruleset: Ruleset, *, boundscheck: bool = True) -> Folder:
    """The ruleset's compiled loops, with bounds checking; compiled once for all workers, which wait for the first."""
    key = (ruleset.name, boundscheck)
    if key not in _folders:
        code = Compiled(ruleset, boundscheck=boundscheck)
        code.folder.parent.mkdir(parents=True, exist_ok=True)
        with code.folder.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _folders[key] = Folder(ruleset, code)
            _call_each(_folders[key])
    return _folders[key]


def _call_each(made: Folder) -> None:
    """Call everything once, so that everything is compiled."""
    ruleset = made.ruleset
    template = flatten_setup(ruleset, started_with_chance(ruleset, ruleset.start(), 1, 0))
    for greedy in (False, True):
        corpus = next(made.play(template, 1, 0, 1, greedy=greedy))
    made.fold(corpus)
    made.count_legal(corpus)
    made.plies(corpus)
    made.position(corpus, 0, 1)
    made.legal(0)
    for name, *more in (("turn",), ("check", corpus.events[0]), ("actor", corpus.events[0])):
        made.code.rules[name](made.state[0], *more)
