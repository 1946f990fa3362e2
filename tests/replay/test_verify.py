"""Each verdict; a change of the rules told from damage, with where it shows."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.core import registry
from kifold.core.codec import encode
from kifold.core.events import Event
from kifold.records import bulk
from kifold.records.archive import paths
from kifold.records.errors import StoreError, missing
from kifold.records.ids import id_text
from kifold.records.log import Log
from kifold.records.store import Store
from kifold.records.unlisted import archive_files
from kifold.replay.causes import Report
from kifold.replay.telling import told
from kifold.replay.verify import Work, verify_files, verify_match, verify_store
from tests.stores import archive_all, duo, fill, game, record, verified


def change(store: Store, sql: str, values: Sequence[Any] = ()) -> None:
    with store.journal.writing() as db:
        db.execute(sql, values)


def sign(store: Store, match: int, events: Sequence[Event]) -> None:
    """Have the journal say a log that it would have refused, with its digest."""
    log = Log(match, duo(), list(events))
    store.delete(match)
    with store.journal.writing():
        store.journal.insert(log, is_over=False)


def verdicts_of(folder: Path) -> list[tuple[str, str]]:
    report = verified(folder)
    assert report.unreadable == []
    return [(one.verdict, one.said) for one in report.failures]


# Each verdict


def test_exact_and_unfinished(store: Store) -> None:
    fill(store)
    archive_all(store)
    record(store, 0, 7)
    live = fill(store)
    report = verified(store.folder)
    assert report.is_fine
    assert report.counts == {"damaged": 0, "illegal": 0, "diverged": 0, "unverified": 0, "exact": 2 * len(live) + 1}
    assert report.unfinished == 1
    assert report.events == sum(len(log.events) for log in store.logs())
    assert report.failures == report.unreadable == []


def test_damaged(store: Store) -> None:
    match = record(store, 0, 7)
    change(store, "UPDATE events SET data = (SELECT data FROM events WHERE seq = 1) WHERE seq = 3")
    assert verdicts_of(store.folder) == [("damaged", "its log is not the one that was written (its digest is another)")]
    (failure,) = verified(store.folder).failures
    assert str(failure).startswith(f"match {id_text(match)} (blokus): damaged: its log is")


@pytest.mark.parametrize(
    ("gone", "said"),
    [("2", "event 2 is missing"), ("7", "event 7 is missing"), ("3, 5, 7", "event 3 is missing (and 2 more)")],
)
def test_damaged_names_an_event_that_is_missing(store: Store, gone: str, said: str) -> None:
    match = record(store, 0, 7)
    change(store, f"DELETE FROM events WHERE seq IN ({gone})")
    assert verdicts_of(store.folder) == [("damaged", said)]
    ((cause, _),) = verified(store.folder).by_cause()
    assert cause.what == ("an event is missing",)
    advice = f"`kifold delete {id_text(match)} --yes`"
    with pytest.raises(StoreError, match=re.escape(f"is damaged: {said}; restore it from a copy, or {advice}")):
        store.log(match)
    with Store(store.folder) as again:
        assert advice in told(again, verify_match(again, match), None)


def test_damaged_where_the_bytes_are_no_events(store: Store) -> None:
    record(store, 0, 7)
    data = encode(duo()) + b"\xc1"
    change(store, "DELETE FROM events WHERE seq > 1")
    change(store, "UPDATE events SET data = x'c1'")
    change(store, "UPDATE matches SET last_seq = 1, digest = ?", (blake2b(data, digest_size=16).digest(),))
    ((verdict, cause),) = verdicts_of(store.folder)
    assert verdict == "damaged"
    assert "event 1 cannot be read" in cause


def test_illegal_says_which_event_and_why(store: Store) -> None:
    match = record(store, 0)
    sign(store, match, [*game(0)[:4], game(0)[0], *game(0)[4:]])
    assert verdicts_of(store.folder) == [
        ("illegal", "at event 5 (piece_already_placed: the colour has placed that piece already)")
    ]


def test_diverged_where_the_journal_says_that_a_match_is_over(store: Store) -> None:
    record(store, 0, 7)
    change(store, "UPDATE matches SET is_over = 1")
    assert verdicts_of(store.folder) == [("diverged", "at the end (whether it ended)")]


@pytest.mark.parametrize("value", [-1, 2, 1.5, "x", b"1"])
def test_no_value_beside_a_live_match_hides_it(store: Store, value: Any) -> None:
    match = record(store, 0)
    change(store, "UPDATE matches SET is_over = ?", (value,))
    assert verdicts_of(store.folder) == [("damaged", "whether it has ended is no truth value")]
    assert list(store.journal.ids()) == list(store.journal.ids("blokus")) == [match]
    assert not store.journal.ids(only_over=True)


@pytest.mark.parametrize("value", ["x", 1.5])
def test_a_promotion_to_what_is_no_revision_keeps_no_match_from_being_verified(store: Store, value: Any) -> None:
    matches = fill(store)
    archive_all(store)
    change(store, "INSERT INTO pins VALUES (?, ?)", (matches[0], value))
    assert store.pins() == {}
    assert verified(store.folder).counts["exact"] == len(matches)


def test_a_log_of_another_ruleset_than_is_listed(store: Store) -> None:
    record(store, 0, 7)
    change(store, "UPDATE matches SET ruleset = 'chipstack'")
    assert verdicts_of(store.folder)[0][0] == "damaged"


@pytest.mark.parametrize("is_archived", [False, True])
def test_unverified_where_the_ruleset_is_not_installed(
    store: Store, is_archived: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    if is_archived:
        archive_all(store)
    others = {name: one for name, one in registry.entries().items() if name != "blokus"}
    monkeypatch.setattr(registry, "entries", lambda: others)
    registry.ruleset.cache_clear()
    report = verified(store.folder)
    assert report.counts["unverified"] == 8
    assert all("not installed" in one.said or "no ruleset 'blokus'" in one.said for one in report.failures)
    bare = Report()
    verify_files(store.archive_folder, Work(bare, None, 1))
    assert bare.is_fine != is_archived
    registry.ruleset.cache_clear()


@pytest.mark.parametrize("more", [1, -1, 2**30, None, -1_000])
def test_a_match_whose_row_counts_other_events_is_named_with_its_file(store: Store, more: int | None) -> None:
    matches = fill(store)
    archive_all(store)
    match, place = sorted(matches)[1], paths(store.archive_folder, *store.files()[0])[0]
    table = pq.read_table(place, partitioning=None)
    rows = table.to_pylist()
    rows[1]["n_events"] = None if more is None else rows[1]["n_events"] + more
    pq.write_table(pa.Table.from_pylist(rows, table.schema), place)
    one = verify_match(store, match)
    assert one.verdict == "damaged"
    assert one.said.startswith(f"{place}: ")
    with pytest.raises(StoreError) as error:
        store.log(match)
    assert str(place) in str(error.value)
    assert f"match {id_text(match)} has " in str(error.value)
    assert any(line.startswith(f"{place}: row group 0: ") for line in verified(store.folder).unreadable)
    assert verify_match(store, min(matches)).is_fine


def test_a_row_group_that_is_damaged_is_named_once(store: Store) -> None:
    fill(store)
    archive_all(store)
    place = paths(store.archive_folder, *store.files()[0])[0]
    data = bytearray(place.read_bytes())
    group = pq.read_metadata(place).row_group(0)
    digests = group.column(group.num_columns - 2)
    assert digests.path_in_schema == "digest"
    data[digests.data_page_offset + digests.total_compressed_size - 3] ^= 1
    place.write_bytes(data)
    (_, line) = verified(store.folder).unreadable
    assert line.startswith(f"{place}: row group 0 is damaged (")
    assert (line.count("row group"), line.count(place.stem)) == (1, 1)


def test_a_match_in_a_file_that_is_gone_is_damaged(store: Store) -> None:
    match = fill(store)[0]
    archive_all(store)
    place = paths(store.archive_folder, *store.files()[0])[1]
    place.unlink()
    one = verify_match(store, match)
    assert one.verdict == "damaged"
    assert one.said.startswith(f"{place}: is missing; restore it from a copy, or give its matches up with")


# A folder that is no store


def test_a_copy_of_the_archive_is_verified_without_the_journal(store: Store, tmp_path: Path) -> None:
    matches = fill(store)
    archive_all(store)
    report = Report()
    verify_files(store.archive_folder, Work(report, None, 2))
    assert (report.is_fine, report.counts["exact"]) == (True, len(matches))
    assert archive_files(tmp_path) == []
    other = Report()
    verify_files(store.archive_folder, Work(other, "chipstack", 2))
    assert other.counts["exact"] == 0


def test_a_folder_with_a_file_under_two_names_is_not_fine(store: Store) -> None:
    matches = fill(store)
    archive_all(store)
    record(store, 5)
    archive_all(store)
    name = store.files()[0][1]
    for place in paths(store.archive_folder, "blokus", name):
        shutil.copy(place, place.with_name("copy.parquet"))
    report = Report()
    verify_files(store.archive_folder, Work(report, None, 1))
    assert (report.is_fine, report.counts["exact"]) == (False, 2 * len(matches) + 1)
    (line,) = report.unreadable
    assert line.startswith(f"{len(matches)} matches stand in more than one file and are counted in each, one is ")
    assert f"{id_text(min(matches))}, in {paths(store.archive_folder, 'blokus', name)[0]} and " in line


@pytest.mark.parametrize("which", [0, 1])
def test_a_copy_in_which_one_of_the_two_files_is_missing(store: Store, which: int) -> None:
    fill(store)
    archive_all(store)
    place = paths(store.archive_folder, "blokus", store.files()[0][1])[which]
    place.unlink()
    report = Report()
    verify_files(store.archive_folder, Work(report, None, 1))
    assert report.unreadable == [missing(place)]


def test_only_one_ruleset(store: Store) -> None:
    fill(store)
    archive_all(store)
    record(store, 0, 5)
    report = Report()
    verify_store(store, Work(report, "chipstack", 1))
    assert (report.counts["exact"], report.is_fine) == (0, True)


def test_verifying_while_another_process_archives_and_appends(store: Store) -> None:
    matches = fill(store)
    archive_all(store)
    live = record(store, 1, 4)
    seen = 0

    def meanwhile(count: int, events: int) -> None:
        nonlocal seen
        seen += count
        if seen == len(matches):
            with Store(store.folder) as other:
                other.append(live, game(1)[4:], expected_seq=4)
                archive_all(other)

    report = Report()
    verify_store(store, Work(report, None, 1, meanwhile))
    assert (report.is_fine, report.counts["exact"]) == (True, len(matches) + 1)


def test_row_groups_are_verified_by_any_number_of_workers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "ROWS_PER_GROUP", 60)
    matches = fill(store)
    archive_all(store)
    assert len(store.files()) > 2
    for workers in (1, 3):
        report = Report()
        verify_store(store, Work(report, None, workers))
        assert (report.is_fine, report.counts["exact"]) == (True, len(matches))
