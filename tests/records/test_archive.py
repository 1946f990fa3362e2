"""Archiving: each match once and as it was, whatever happens meanwhile; deleting; what lies in the files."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kifold.core import registry
from kifold.core.events import Noted, Undone
from kifold.core.play import Refused
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import archive as files
from kifold.records import bulk
from kifold.records.archiving import archive
from kifold.records.bulk import BulkWriter
from kifold.records.errors import Conflict, NoSuchMatch, StoreError
from kifold.records.ids import id_text
from kifold.records.judge import Judged, judge_log
from kifold.records.log import Log
from kifold.records.store import Store
from tests.stores import archive_all, assert_exact, duo, fill, game, quiet, record, verified


def parquet(store: Store) -> list[Path]:
    return sorted(path for path in store.archive_folder.rglob("*") if path.is_file())


def as_dict(store: Store) -> dict[int, Log]:
    logs = list(store.logs())
    found = {log.match_id: log for log in logs}
    assert len(found) == len(logs)
    return found


# What is archived


def test_archived_matches_are_the_same_and_unfinished_ones_stay(store: Store) -> None:
    matches = fill(store)
    live = record(store, 0, 5)
    before = as_dict(store)
    assert archive_all(store) == len(matches)
    assert as_dict(store) == before
    assert list(store.journal.ids()) == [live]
    assert store.counts() == {"blokus": (1, len(matches))}
    for match in matches:
        log = store.log(match)
        assert (log, log.is_archived, log.digest) == (before[match], True, before[match].digest)
    assert list(store.logs([matches[2], live])) == [before[matches[2]], before[live]]
    assert archive_all(store) == 0
    assert_exact(store.folder, len(before))


def test_the_journal_keeps_nothing_of_an_archived_match_but_its_keys(store: Store) -> None:
    match = record(store, 0, -1)
    store.append(match, game(0)[-1:], key="end")
    archive_all(store)
    for table in ("matches", "events", "players"):
        assert store.journal.rows(f"SELECT count(*) FROM {table}") == [(0,)]
    assert store.journal.rows("SELECT key, match, last_seq FROM keys") == [("end", match, len(game(0)))]


def test_any_engine_can_read_the_files(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "ROWS_PER_GROUP", 100)
    matches = fill(store)
    archive_all(store)
    assert len(store.files()) > 1
    ids = pq.read_table(store.archive_folder / "matches", partitioning="hive")
    assert sorted(ids["match_id"].to_pylist()) == sorted(matches)
    assert set(ids["ruleset"].to_pylist()) == {"blokus"}
    for _, name in store.files():
        heads, events = (pq.ParquetFile(path) for path in files.paths(store.archive_folder, "blokus", name))
        for group in range(heads.num_row_groups):
            rows = events.read_row_group(group)
            keys = list(zip(rows["match_id"].to_pylist(), rows["seq"].to_pylist(), strict=True))
            assert keys == sorted(set(keys))
            assert {match for match, _ in keys} == set(heads.read_row_group(group)["match_id"].to_pylist())


def test_many_matches_are_archived_by_the_compiled_rules_to_the_same_rows(store: Store) -> None:
    matches = [record(store, number % 8) for number in range(300)]
    one_by_one = judge_log(BLOKUS, duo(), game(1))
    assert isinstance(one_by_one, Judged)
    archive_all(store)
    rows = pq.read_table(store.archive_folder / "matches").to_pylist()
    row = next(row for row in rows if row["match_id"] == matches[1])
    assert row["fingerprints"] == one_by_one.fingerprints
    assert_exact(store.folder, 300)


# What happens meanwhile


def test_a_match_that_grew_meanwhile_stays_live_and_is_there_once(store: Store) -> None:
    matches = fill(store)

    def grow(count: int, events: int) -> None:
        with Store(store.folder) as other:
            other.append(matches[0], [Noted("comment", ("late",))])

    assert archive(store, grow) == (len(matches) - 1, [])
    assert list(store.journal.ids()) == [matches[0]]
    assert store.log(matches[0]).events[-1] == Noted("comment", ("late",))
    assert as_dict(store).keys() == set(matches)
    assert_exact(store.folder, len(matches))
    assert archive_all(store) == 1
    assert_exact(store.folder, len(matches))


def test_a_match_that_is_deleted_meanwhile_is_gone(store: Store) -> None:
    matches = fill(store)

    def delete(count: int, events: int) -> None:
        with Store(store.folder) as other:
            other.delete(matches[3])

    archive(store, delete)
    assert not store.holds(matches[3])
    assert as_dict(store).keys() == set(matches) - {matches[3]}
    assert_exact(store.folder, len(matches) - 1)


def test_two_that_archive_at_the_same_time_archive_each_match_once(store: Store) -> None:
    matches = fill(store)

    def archive_too(count: int, events: int) -> None:
        with Store(store.folder) as other:
            assert archive_all(other) == len(matches)

    assert archive(store, archive_too) == (0, [])
    assert len(store.files()) == 1
    assert len(parquet(store)) == 2, "the second file held nothing and is not kept"
    assert_exact(store.folder, len(matches))


def test_reading_on_while_another_process_archives(store: Store) -> None:
    matches = fill(store)
    reading = store.logs()
    first = next(reading)
    with Store(store.folder) as other:
        archive_all(other)
        other.delete(matches[5])
    assert {first.match_id, *(log.match_id for log in reading)} >= set(matches) - {matches[5]}


def test_an_import_of_what_is_already_there_is_covered(store: Store) -> None:
    verdict = judge_log(BLOKUS, duo(), game(0))
    assert isinstance(verdict, Judged)
    for at, more in enumerate(([1 << 59], [1 << 59], [1 << 59, (1 << 59) + 1])):
        with BulkWriter(store, BLOKUS) as writer:
            for match in more:
                writer.add(Log(match, duo(), game(0)), verdict)
        assert writer.matches == (1, 0, 1)[at]
    assert store.counts() == {"blokus": (0, 2)}
    assert_exact(store.folder, 2)


# Going on with an archived match, and deleting


def test_an_archived_match_comes_back_with_its_next_event(store: Store) -> None:
    matches = fill(store)
    archive_all(store)
    for match in (matches[0], matches[5]):
        last = len(store.log(match).events)
        with pytest.raises(Conflict) as conflict:
            store.append(match, [Noted("comment", ("late",))], expected_seq=1)
        assert conflict.value.present == last
        assert store.log(match).is_archived
        assert store.append(match, [Noted("comment", ("late",))], expected_seq=last, key=str(match)) == last + 1
        assert not store.log(match).is_archived
        assert store.log(match).players == ("Ada", "Bo")
    assert store.append(matches[0], [Undone(10)]) == len(game(0)) + 2
    assert_exact(store.folder, len(matches))
    assert archive_all(store) == 1
    assert archive_all(store) == 0
    assert as_dict(store).keys() == set(matches)
    assert_exact(store.folder, len(matches))


def test_a_refused_event_leaves_an_archived_match_where_it_is(store: Store) -> None:
    match = record(store, 0)
    archive_all(store)
    with pytest.raises(Refused, match="match_over"):
        store.append(match, game(0)[:1])
    assert store.log(match).is_archived
    assert store.counts() == {"blokus": (0, 1)}
    with pytest.raises(NoSuchMatch, match="is archived: read its log, or append to it to bring it back"):
        store.play(match)
    assert store.folded(match).log == list(game(0))


def test_a_deleted_match_is_gone_everywhere_and_comes_back_with_the_next_import(store: Store) -> None:
    matches = fill(store)
    archive_all(store)
    log = store.log(matches[4])
    store.delete(matches[4])
    for question in (store.log, store.play, store.delete, lambda match: store.append(match, [])):
        with pytest.raises(NoSuchMatch, match="there is no match"):
            question(matches[4])
    with pytest.raises(NoSuchMatch):
        store.find(id_text(matches[4]))
    assert store.counts() == {"blokus": (0, len(matches) - 1)}
    assert as_dict(store).keys() == set(matches) - {matches[4]}
    assert_exact(store.folder, len(matches) - 1)
    verdict = judge_log(BLOKUS, log.started, log.events)
    assert isinstance(verdict, Judged)
    with BulkWriter(store, BLOKUS) as writer:
        writer.add(log, verdict)
    assert store.log(matches[4]) == log
    assert as_dict(store).keys() == set(matches)
    assert_exact(store.folder, len(matches))
    store.delete(matches[4])
    assert_exact(store.folder, len(matches) - 1)


# What cannot be archived


def test_a_ruleset_that_is_not_installed_keeps_its_matches_live(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    match = record(store, 0)
    real = registry.entries()
    monkeypatch.setattr(registry, "entries", lambda: {name: one for name, one in real.items() if name != "blokus"})
    registry.ruleset.cache_clear()
    try:
        assert archive(store, quiet) == (
            0,
            [f"match {id_text(match)} stays in the journal: ruleset blokus is not installed"],
        )
        report = verified(store.folder)
        assert [(one.verdict, one.said[:21]) for one in report.failures] == [("unverified", "no ruleset 'blokus': ")]
    finally:
        registry.ruleset.cache_clear()


def test_an_archive_that_cannot_be_made_changes_nothing(store: Store) -> None:
    matches = fill(store)
    store.archive_folder.write_text("in the way")
    with pytest.raises(StoreError, match=r"archive.*: cannot be written \("):
        archive_all(store)
    assert sorted(store.journal.ids()) == sorted(matches)
    store.archive_folder.unlink()
    assert archive_all(store) == len(matches)


def test_an_exception_leaves_no_file_behind(store: Store) -> None:
    matches = fill(store)

    def stop(count: int, events: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        archive(store, stop)
    assert parquet(store) == []
    writer = BulkWriter(store, BLOKUS)
    judged = judge_log(BLOKUS, duo(), game(0))
    assert isinstance(judged, Judged)
    writer.add(store.log(matches[0]), judged)
    writer._write_pending()
    writer._write_parts()
    assert len(parquet(store)) == 2
    writer.__exit__(RuntimeError, RuntimeError(), None)
    assert parquet(store) == []
    assert sorted(store.journal.ids()) == sorted(matches)


def test_a_crash_before_the_listing_leaves_debris_that_nobody_reads(store: Store) -> None:
    matches = fill(store)
    archive_all(store)
    for path in parquet(store):
        path.with_name("blokus-0123456789ab.parquet").write_bytes(path.read_bytes())
        path.with_suffix(".writing").write_bytes(b"PAR1")
    assert as_dict(store).keys() == set(matches)
    assert_exact(store.folder, len(matches))
