"""Appends to the journal, validated by the rules, beside bare SQLite and the library `eventsourcing`, on one disk.

Bare SQLite inserts the same bytes into a table like ours under the same pragmas, and knows nothing of rules, digests or
what the caller has seen. How long the disk takes for a commit decides, so the figures hold for where they were taken;
how many commits it does, and what an event costs us apart from them, stands beside.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

from benchmarks.folds import plain_logs
from benchmarks.promises import MISSING, Promise
from kifold.core.codec import encode
from kifold.core.events import Event, Started
from kifold.records.sqlite import SCHEMA
from kifold.records.store import Store

BATCH = 80
COMMITS = 10
ROUNDS = 20
"""Commits of a round, and rounds."""
# A match of it is long enough for batches of 80 events.
RULESET, VARIANT, LENGTH = "unionking", "game1", 300

Appends = list[tuple[Started, list[list[Event]]]]
"""Matches, the events of each in the parts that are appended at once."""


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


def into_store(folder: Path, logs: Appends, durability: str = "full") -> float:
    """Append in parts to matches that were begun before; the seconds it takes."""
    with Store(folder, durability=durability) as store:
        begun = [(store.new(started), parts) for started, parts in logs]
        before = time.perf_counter()
        for match, parts in begun:
            seq = 0
            for part in parts:
                seq = store.append(match, part, expected_seq=seq)
        return time.perf_counter() - before


def into_sqlite(file: Path, logs: Appends) -> float:
    """Insert the same events as bytes, one transaction for each part; the seconds it takes."""
    rows, seq = [], 0
    for _, parts in logs:
        for part in parts:
            rows.append([(1, seq + i, encode(event), None) for i, event in enumerate(part)])
            seq += len(part)
    db = sqlite3.connect(file, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.executescript(SCHEMA)
    before = time.perf_counter()
    for part_rows in rows:
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", part_rows)
        db.execute("COMMIT")
    seconds = time.perf_counter() - before
    db.close()
    return seconds


def into_eventsourcing(file: Path, logs: Appends) -> float:
    """Record the same events with the library, one aggregate for each match, saved after each part."""
    from benchmarks.eventsourced import Match, store_in

    app = store_in(file)
    values = [[[msgspec.structs.astuple(one) for one in part] for part in parts] for _, parts in logs]
    matches = [Match() for _ in logs]
    app.save(*matches)
    before = time.perf_counter()
    for match, parts in zip(matches, values, strict=True):
        for part in parts:
            for event in part:
                match.add(event)
            app.save(match)
    seconds = time.perf_counter() - before
    app.close()
    return seconds


def in_turns(folder: Path, rounds: int, logs: Appends, *ways: Callable[[Path, Appends], float]) -> list[float]:
    """Events per second of each way, over short rounds that take turns: whatever else uses the disk slows all of them.

    Each way of each round begins with a place of its own.
    """
    events = rounds * sum(len(part) for _, parts in logs for part in parts)
    seconds = [[way(folder / f"{number}-{i}", logs) for i, way in enumerate(ways)] for number in range(rounds)]
    return [events / sum(column) for column in zip(*seconds, strict=True)]


def test_one_event_per_commit(tmp_path: Path, short: bool, promise: Callable[[Promise], None]) -> None:
    ours, bare = in_turns(tmp_path, 2 if short else ROUNDS, appends(1, COMMITS), into_store, into_sqlite)
    beside = "" if bare < 5000 else "promised where the bare one does less than 5,000 a second"
    promise(Promise("journal, one event per durable commit", ours, 0.8, None, "bare SQLite", bare, beside))


def test_batches(tmp_path: Path, short: bool, promise: Callable[[Promise], None]) -> None:
    ways = (into_store, into_sqlite, partial(into_store, durability="off"))
    ours, bare, no_wait = in_turns(tmp_path, 2 if short else ROUNDS, appends(BATCH, COMMITS), *ways)
    beside = f"{bare / BATCH:,.0f} commits/s; without waiting for the disk an event costs us {1e6 / no_wait:.1f} µs"
    promise(Promise(f"journal, batches of {BATCH}", ours, 0.8, None, "bare SQLite", bare, beside))


def test_batches_of_a_library(tmp_path: Path, short: bool, promise: Callable[[Promise], None]) -> None:
    pytest.importorskip("eventsourcing", reason=f"eventsourcing is missing: {MISSING}")
    ways = (into_store, into_eventsourcing, into_sqlite)
    ours, library, bare = in_turns(tmp_path, 2 if short else ROUNDS, appends(BATCH, COMMITS), *ways)
    beside = f"bare SQLite does {bare / library:.1f} × of it on this disk"
    promise(Promise(f"journal, batches of {BATCH}, and a library", ours, 5, None, "eventsourcing", library, beside))
