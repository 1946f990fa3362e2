"""Stores to compact, and what has to be true of one that was."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from kifold.core.events import Event, Noted
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import archive as files
from kifold.records.bulk import BulkWriter
from kifold.records.compacting import compact
from kifold.records.formats import format_named
from kifold.records.judge import Judged, judge_log
from kifold.records.log import Log
from kifold.records.store import Store
from tests.stores import archive_all, assert_exact, duo, fill, quiet

NOTE = Noted("comment", ("late",))


def scatter(store: Store, times: int, each: int = 1) -> list[int]:
    """Archive matches in many small files; their ids."""
    found = []
    for _ in range(times):
        found += fill(store, each)
        archive_all(store)
    assert len(store.files()) == times
    return found


def write(store: Store, match: int, events: tuple[Event, ...]) -> None:
    """Put a match straight into the archive, as an import does."""
    verdict = judge_log(BLOKUS, duo(), events)
    assert isinstance(verdict, Judged)
    with BulkWriter(store, BLOKUS) as writer:
        writer.add(Log(match, duo(), events, ("Ada", "Bo")), verdict)


def as_dict(store: Store) -> dict[int, Log]:
    """All matches by id, each once, and the same one by one."""
    logs = list(store.logs())
    found = {log.match_id: log for log in logs}
    assert len(found) == len(logs)
    for match, log in found.items():
        assert store.log(match) == log
    return found


def rows(store: Store) -> dict[int, tuple[Any, list[Any]]]:
    """Of each match its row and the rows of its events, as they stand in the files."""
    found = {}
    for ruleset, name in store.files():
        gone = store.tombstones(name)
        matches, events = (
            pq.read_table(place, partitioning=None).to_pylist()
            for place in files.paths(store.archive_folder, ruleset, name)
        )
        for match in matches:
            if match["match_id"] not in gone:
                of_match = [event for event in events if event["match_id"] == match["match_id"]]
                assert match["match_id"] not in found
                found[match["match_id"]] = (match, of_match)
    return found


def exported(store: Store) -> bytes:
    file = BytesIO()
    format_named("jsonl").write(store.logs(sorted(as_dict(store))), file)
    return file.getvalue()


def places(store: Store) -> set[Path]:
    return {place for place in store.archive_folder.rglob("*") if place.is_file()}


def listed(store: Store) -> set[Path]:
    return {place for file in store.files() for place in files.paths(store.archive_folder, *file)}


def assert_tidy(store: Store, matches: int) -> None:
    """No tombstone, no file that is not listed, nothing left to do, and every match exact."""
    assert store.journal.rows("SELECT * FROM tombstones") == []
    assert store.journal.rows("SELECT key FROM meta") == [("format",)]
    assert places(store) == listed(store)
    assert compact(store, quiet).is_idle
    assert places(store) == listed(store)
    assert_exact(store.folder, matches)
