"""Compacting: the same matches in fewer files, and nothing of what was deleted."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from kifold.core.events import Finished, Noted, Undone
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.schema import events_schema
from kifold.records import archive as files
from kifold.records import compacting, merging
from kifold.records.compacting import compact
from kifold.records.store import Store
from kifold.records.tables import matches_schema
from tests.records.compacted import NOTE, as_dict, assert_tidy, exported, places, rows, scatter, write
from tests.stores import archive_all, duo, game, quiet, record


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of 100 events, files of 400."""
    monkeypatch.setattr(merging, "ROWS_PER_GROUP", 100)
    monkeypatch.setattr(compacting, "ROWS_PER_FILE", 400)
    monkeypatch.setattr(compacting, "SMALL", 200)


# What becomes of files


def test_many_small_files_become_one_with_the_same_rows(store: Store) -> None:
    matches = scatter(store, 8)
    live = record(store, 0, 5)
    before = as_dict(store), rows(store), exported(store)
    done: list[tuple[int, int]] = []
    report = compact(store, lambda *many: done.append(many))
    assert (report.files, report.dropped, report.returned, report.left) == ((8, 1), 0, 0, [])
    assert report.size[0] > report.size[1]
    assert (as_dict(store), rows(store), exported(store)) == before
    assert list(store.journal.ids()) == [live]
    assert done == [(len(matches), sum(len(events) for _, events in before[1].values()))]
    assert store.counts() == {"blokus": (1, len(matches))}
    assert_tidy(store, len(matches) + 1)


def test_an_empty_store_and_a_single_file_are_left_as_they_are(store: Store) -> None:
    assert compact(store, quiet).is_idle
    scatter(store, 1)
    before = places(store)
    assert compact(store, quiet).is_idle
    assert places(store) == before


@pytest.mark.parametrize("held", [0, 150, 100_000])
@pytest.mark.usefixtures("small")
def test_row_groups_are_in_order_of_fair_size_and_never_split_a_match(
    store: Store, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "HELD", held)
    monkeypatch.setattr(compacting, "ROWS_PER_FILE", 100_000)
    scatter(store, 6, each=3)
    before = rows(store)
    compact(store, quiet)
    assert rows(store) == before
    ((ruleset, name),) = store.files()
    heads, events = (pq.ParquetFile(place) for place in files.paths(store.archive_folder, ruleset, name))
    assert heads.num_row_groups == events.num_row_groups > 5
    keys: list[tuple[int, int]] = []
    for group in range(heads.num_row_groups):
        table = events.read_row_group(group)
        assert 100 - 50 <= len(table) < 200 + 50, "to the nearest boundary of a match"
        keys += zip(table["match_id"].to_pylist(), table["seq"].to_pylist(), strict=True)
        assert set(table["match_id"].to_pylist()) == set(heads.read_row_group(group)["match_id"].to_pylist())
    assert keys == sorted((match, seq) for match, (row, _) in before.items() for seq in range(1, row["n_events"] + 1))


@pytest.mark.usefixtures("small")
def test_files_are_filled_and_at_most_one_stays_small(store: Store) -> None:
    matches = scatter(store, 20)
    report = compact(store, quiet)
    sizes = [events for (events,) in store.journal.rows("SELECT events FROM files")]
    assert len(sizes) == report.files[1] < 10
    assert max(sizes) <= 400
    assert len([one for one in sizes if one < 200]) <= 1
    for match in matches[::3]:
        store.delete(match)
    assert compact(store, quiet).dropped == len(matches[::3])
    assert_tidy(store, len(matches) - len(matches[::3]))


def test_a_file_of_normal_size_without_holes_is_left_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = scatter(store, 2, each=2)
    monkeypatch.setattr(compacting, "SMALL", 10)
    before = places(store)
    assert compact(store, quiet).is_idle
    store.delete(matches[0])
    assert compact(store, quiet).files == (2, 2)
    assert len(places(store) & before) == 2
    assert_tidy(store, len(matches) - 1)


def test_files_whose_rows_of_matches_are_older_than_a_column_keep_their_columns(store: Store) -> None:
    """What a row lacks is not what a row says: a file of today and an older one do not become one."""
    for number in range(6):
        write(store, 10**18 + number, game(number % 5))
    for _, name in store.files()[:3]:
        place = files.paths(store.archive_folder, "blokus", name)[0]
        table = pq.read_table(place, partitioning=None)
        pq.write_table(table.drop_columns(["seats"]).append_column("seats", table["seats"].cast("int8")), place)
        with store.journal.writing() as db:
            db.execute("UPDATE files SET matches_hash = ? WHERE name = ?", (files.file_hash(place), name))
    before = as_dict(store)
    assert compact(store, quiet).files == (6, 2)
    assert as_dict(store) == before
    assert {str(pq.read_schema(files.paths(store.archive_folder, *file)[0]).names[-1]) for file in store.files()} == {
        "seats",
        matches_schema(BLOKUS).names[-1],
    }
    assert_tidy(store, 6)


def test_files_that_hold_other_kinds_of_events_become_one_with_the_columns_of_all(store: Store) -> None:
    logs = [[*game(0)[:9], NOTE], game(1), [*game(2)[:9], Finished(0)], game(3)]
    for number, log in enumerate(logs):
        write(store, 10**18 + number, log)
    assert len({tuple(columns) for columns in events_columns(store)}) == 3
    before = as_dict(store)
    assert compact(store, quiet).files == (4, 1)
    assert as_dict(store) == before
    (columns,) = events_columns(store)
    assert columns == [name for name in events_schema(BLOKUS).names if name != "back_to"]
    assert_tidy(store, 4)


def events_columns(store: Store) -> list[list[str]]:
    return [pq.read_schema(files.paths(store.archive_folder, *file)[1]).names for file in store.files()]


# Matches that came back, and those that are gone


def test_corrected_matches_go_back_to_the_archive(store: Store) -> None:
    matches = scatter(store, 3)
    unfinished = 10**18
    write(store, unfinished, game(1)[:7])
    never_archived = record(store, 0, 5), record(store, 1)
    store.append(matches[0], [NOTE])
    store.append(matches[2], [Undone(10), Finished(0), NOTE])
    store.append(unfinished, [NOTE])
    before = as_dict(store)
    report = compact(store, quiet)
    assert (report.returned, report.dropped, report.left) == (3, 3, [])
    assert as_dict(store) == before
    assert sorted(store.journal.ids()) == sorted(never_archived)
    assert store.log(unfinished).is_archived
    assert_tidy(store, len(before))
    store.append(unfinished, game(1)[7:9], expected_seq=8)
    assert compact(store, quiet).returned == 1
    assert len(store.log(unfinished).events) == 10
    assert_tidy(store, len(before))


def test_a_match_goes_back_and_forth_many_times(store: Store) -> None:
    matches = scatter(store, 2)
    for number in range(5):
        for match in matches[number % 3 :: 2]:
            store.append(match, [Noted("comment", (str(number),))])
        if number % 2:
            archive_all(store)
        else:
            compact(store, quiet)
    compact(store, quiet)
    assert_tidy(store, len(matches))


def holds(store: Store, text: str) -> bool:
    """Whether a text lies in any file of the store: as it is, or in a column of any Parquet file."""
    found = any(text.encode() in place.read_bytes() for place in store.folder.rglob("*") if place.is_file())
    for place in store.archive_folder.rglob("*.parquet"):
        found |= text in str(pq.read_table(place, partitioning=None).to_pylist())
    return found


@pytest.mark.parametrize("is_archived", [False, True])
def test_a_deleted_match_leaves_the_disk(store: Store, is_archived: bool) -> None:
    # Some builds of SQLite overwrite what is deleted, others do not.
    store.journal.rows("PRAGMA secure_delete = OFF")
    kept = scatter(store, 2)
    secret = store.new(
        duo(), ("Zacharias Quill", "Bo"), [*game(0)[:6], Noted("comment", ("unter vier Augen",)), Finished(0)]
    )
    if is_archived:
        archive_all(store)
    store.delete(secret)
    assert holds(store, "Zacharias Quill")
    assert holds(store, "unter vier Augen")
    report = compact(store, quiet)
    assert report.dropped == is_archived
    for text in ("Zacharias Quill", "unter vier Augen"):
        assert not holds(store, text)
    assert not store.holds(secret)
    assert_tidy(store, len(kept))
    assert not store.holds(secret)


def test_a_file_of_which_nothing_is_left_is_gone(store: Store) -> None:
    matches = scatter(store, 2)
    for match in matches:
        store.delete(match)
    report = compact(store, quiet)
    assert (report.files, report.dropped) == ((2, 0), len(matches))
    assert places(store) == set()
    assert_tidy(store, 0)
    write(store, matches[0], game(0))
    assert_tidy(store, 1)


def test_what_lies_beside_the_matches_stays(store: Store) -> None:
    matches = scatter(store, 3)
    store.append(matches[0], [NOTE], key="note")
    with store.journal.writing() as db:
        db.execute("INSERT INTO pins VALUES (?, 1)", (matches[1],))
        db.execute("INSERT INTO forks (match, parent, at_seq, inherited) VALUES (?, ?, 3, 3)", (matches[2], matches[1]))
    tables = {name: store.journal.rows(f"SELECT * FROM {name}") for name in ("keys", "pins", "forks", "quarantine")}
    assert compact(store, quiet).files == (3, 1)
    for name, before in tables.items():
        assert store.journal.rows(f"SELECT * FROM {name}") == before
    assert store.append(matches[0], [NOTE], key="note") == len(store.log(matches[0]).events)
    assert store.log(matches[1]).promoted == 1
