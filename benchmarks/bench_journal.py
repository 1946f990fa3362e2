"""Appends to the journal, validated by the rules, beside bare SQLite and the library `eventsourcing`, on one disk.

Bare SQLite inserts the same rows into a table like ours under the same pragmas, and knows nothing of rules, digests or
what the caller has seen. How long the disk takes for a commit decides, so the figures hold for where they were taken;
how many commits it does, and what an event costs us apart from them, stands beside.

Batches are promised where the process has the compiled rules at hand, since an append never waits for a compiler; what
they take by the plain rules stands beside too.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.folds import folder as loops
from benchmarks.folds import plain_logs
from benchmarks.promises import MISSING, Promise
from kifold.core.at_hand import AT_HAND
from kifold.core.codec import encode
from kifold.core.corpus import Corpus
from kifold.core.events import Event, Started
from kifold.core.registry import ruleset
from kifold.records.ids import new_id
from kifold.records.sqlite import SCHEMA
from kifold.records.store import Store

BATCH = 80
BATCHES = f"journal, batches of {BATCH}, compiled rules at hand"
QUICK = 5000
"""Where bare SQLite does so many commits a second, what an event costs apart from them weighs too much."""
COMMITS = 10
ROUNDS = 20
"""Commits of a round that are timed, and rounds."""
# A match of it is long enough for batches of 80 events.
RULESET, VARIANT, LENGTH = "unionking", "game1", 300

Appends = list[tuple[Started, list[list[Event]]]]
"""Matches, the events of each in the parts that are appended at once."""
Commits = list[Callable[[], object]]
"""What makes one commit each."""


def appends(size: int, count: int) -> Appends:
    """So many parts of `size` events, of as many matches as it takes."""
    per_match = min(LENGTH // size, count)
    logs = plain_logs(RULESET, VARIANT, LENGTH * -(-count // per_match) + LENGTH)
    cut = []
    for started, events in logs:
        parts = [events[at : at + size] for at in range(0, size * per_match, size)]
        cut.append((started, parts[:count]))
        count -= len(parts)
        if count <= 0:
            break
    return cut


@contextmanager
def into_store(folder: Path, logs: Appends, durability: str = "full", *, is_plain: bool = False) -> Iterator[Commits]:
    """Append in parts to matches that were begun before. `is_plain`: by the plain rules."""
    rules = ruleset(RULESET)
    if is_plain:
        AT_HAND.pop(rules, None)
    elif rules not in AT_HAND:
        loops(RULESET).fold(Corpus.of(rules, [(started, parts[0]) for started, parts in logs]))
    with Store(folder, durability=durability) as store:
        begun = [(store.new(started), parts) for started, parts in logs]
        yield [
            partial(store.append, match, part, expected_seq=seq)
            for match, parts in begun
            for seq, part in numbered(parts)
        ]


@contextmanager
def into_sqlite(file: Path, logs: Appends) -> Iterator[Commits]:
    """Insert the same events as bytes, one transaction for each part."""
    db = sqlite3.connect(file, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.executescript(SCHEMA)

    def insert(rows: list[tuple[int, int, bytes, None]]) -> None:
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", rows)
        db.execute("COMMIT")

    commits: Commits = []
    for _, parts in logs:
        match = new_id()
        for last, part in numbered(parts):
            rows = [(match, seq, encode(event), None) for seq, event in enumerate(part, start=last + 1)]
            commits.append(partial(insert, rows))
    yield commits
    db.close()


@contextmanager
def into_eventsourcing(file: Path, logs: Appends) -> Iterator[Commits]:
    """Record the same events with the library, one aggregate for each match, saved after each part."""
    from benchmarks.eventsourced import Match, store_in

    app = store_in(file)

    def save(match: Match, part: list[tuple[Any, ...]]) -> None:
        for event in part:
            match.add(event)
        app.save(match)

    values = [[[msgspec.structs.astuple(one) for one in part] for part in parts] for _, parts in logs]
    matches = [Match() for _ in logs]
    app.save(*matches)
    yield [partial(save, match, part) for match, parts in zip(matches, values, strict=True) for part in parts]
    app.close()


def numbered(parts: list[list[Event]]) -> Iterator[tuple[int, list[Event]]]:
    """The parts of a match, each with the number of the last event before it."""
    return zip(accumulate(map(len, parts), initial=0), parts, strict=False)


def seconds_of(commits: Commits) -> float:
    """The seconds that all but the first commit take: with that come the statements that SQLite prepares once."""
    commits[0]()
    before = time.perf_counter()
    for commit in commits[1:]:
        commit()
    return time.perf_counter() - before


def in_turns(folder: Path, rounds: int, size: int, *ways: Callable[[Path, Appends], Any]) -> list[float]:
    """Events per second of each way, in commits of so many events, in its best round.

    The ways take turns in short rounds: whatever else uses the disk or the processor slows all of them. Each begins
    with a place of its own in each round.
    """
    logs = appends(size, COMMITS + 1)
    folder.mkdir(exist_ok=True)
    seconds = []
    for number in range(rounds):
        for i, way in enumerate(ways):
            with way(folder / f"{number}-{i}", logs) as commits:
                seconds.append(seconds_of(commits))
    return [COMMITS * size / min(seconds[i :: len(ways)]) for i in range(len(ways))]


def test_one_event_per_commit(tmp_path: Path, short: bool, promise: Callable[[Promise], None]) -> None:
    ours, bare = in_turns(tmp_path, 2 if short else ROUNDS, 1, into_store, into_sqlite)
    bound, beside = 0.8, ""
    if bare >= QUICK:
        bound, beside = 0, f"0.8 × is promised where the bare one does less than {QUICK:,} a second"
    promise(Promise("journal, one event per durable commit", ours, bound, None, "bare SQLite", bare, beside))


def test_batches(tmp_path: Path, short: bool, promise: Callable[[Promise], None]) -> None:
    off = partial(into_store, durability="off")
    rounds = 2 if short else ROUNDS
    ours, bare = in_turns(tmp_path / "disk", rounds, BATCH, into_store, into_sqlite)
    no_wait, plain = in_turns(tmp_path / "no disk", rounds, BATCH, off, partial(off, is_plain=True))
    beside = (
        f"{bare / BATCH:,.0f} commits/s; without waiting for the disk an event costs us {1e6 / no_wait:.1f} µs, "
        f"by the plain rules {1e6 / plain:.1f}"
    )
    promise(Promise(BATCHES, ours, 0.8, None, "bare SQLite", bare, beside))


def test_batches_of_a_library(tmp_path: Path, short: bool, promise: Callable[[Promise], None]) -> None:
    pytest.importorskip("eventsourcing", reason=f"eventsourcing is missing: {MISSING}")
    ways = (into_store, into_eventsourcing, into_sqlite)
    ours, library, bare = in_turns(tmp_path, 2 if short else ROUNDS, BATCH, *ways)
    beside = f"bare SQLite does {bare / library:.1f} × of it on this disk"
    promise(Promise(f"{BATCHES}, and a library", ours, 5, None, "eventsourcing", library, beside))
