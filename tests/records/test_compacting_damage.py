"""Compacting neither spreads damage nor signs it: what is not what was written is left alone and said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kifold.records import archive as files
from kifold.records.compacting import compact
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.records.compacted import NOTE, assert_tidy, places, rows, scatter
from tests.stores import archive_all, game, quiet, verified


def flip(place: Path) -> None:
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.write_bytes(data)


HARMS: dict[str, Callable[[Path], object]] = {
    "a flipped bit": flip,
    "missing": Path.unlink,
    "garbage": lambda place: place.write_bytes(b"PAR1"),
    "a folder": lambda place: (place.unlink(), place.mkdir()),
}


@pytest.mark.parametrize("which", [0, 1], ids=["matches", "events"])
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_damaged_file_is_left_alone_and_said(store: Store, harm: Callable[[Path], object], which: int) -> None:
    matches = scatter(store, 4)
    victim = store.files()[1]
    place = files.paths(store.archive_folder, *victim)[which]
    store.delete(matches[2])  # lies in it
    store.delete(matches[0])
    harm(place)
    before = verified(store.folder)
    report = compact(store, quiet)
    assert (report.files, report.dropped) == ((4, 2), 1)
    assert [line for line in report.left if str(place) in line and line.endswith("(it stays as it is)")] == report.left
    assert len(report.left) == 1
    after = verified(store.folder)
    assert after.unreadable == before.unreadable != []
    assert after.counts == before.counts
    assert victim in store.files()
    assert store.tombstones(victim[1]) == {matches[2]}


def test_a_damaged_match_is_still_found_afterwards(store: Store) -> None:
    """Its file passes for whole: whoever changed it also changed the hash that is listed."""
    matches = scatter(store, 3)
    _, name = store.files()[0]
    place = files.paths(store.archive_folder, "blokus", name)[0]
    table = pq.read_table(place, partitioning=None)
    at = table["match_id"].to_pylist().index(matches[0])
    changed = table.to_pylist()
    changed[at]["digest"] = bytes(16)
    pq.write_table(table.from_pylist(changed, table.schema), place)
    with store.journal.writing() as db:
        db.execute("UPDATE files SET matches_hash = ? WHERE name = ?", (files.file_hash(place), name))
    before = rows(store)
    assert compact(store, quiet).files == (3, 1)
    assert rows(store) == before
    report = verified(store.folder)
    assert [(one.match_id, one.verdict) for one in report.failures] == [(matches[0], "damaged")]
    assert report.unreadable == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM archived WHERE match = (SELECT min(match) FROM archived WHERE file = 1)",
        "INSERT INTO archived VALUES (7, 1)",
        "UPDATE archived SET file = 2 WHERE match = (SELECT min(match) FROM archived WHERE file = 1)",
    ],
)
def test_a_list_that_is_not_that_of_the_file(store: Store, sql: str) -> None:
    scatter(store, 3)
    with store.journal.writing() as db:
        db.execute(sql)
    before, wrong = {log.match_id for log in store.logs()}, verified(store.folder).unreadable
    report = compact(store, quiet)
    assert [line.partition("parquet: ")[2] for line in report.left] == [
        "does not hold the matches that the journal lists for it; restore both (it stays as it is)"
    ] * len(wrong)
    assert {log.match_id for log in store.logs()} == before
    assert verified(store.folder).unreadable == wrong


def test_the_archived_rows_of_a_match_that_is_damaged_in_the_journal_are_kept(store: Store) -> None:
    matches = scatter(store, 3)
    for _ in range(2):  # its rows lie in two files, of which the second is the newer
        store.append(matches[0], [NOTE])
        archive_all(store)
    store.append(matches[0], [NOTE])
    store.delete(matches[2])
    (good,) = store.journal.rows("SELECT digest FROM matches")[0]
    with store.journal.writing() as db:
        db.execute("UPDATE matches SET digest = zeroblob(16)")
    report = compact(store, quiet)
    assert (report.returned, report.dropped) == (0, 3)
    assert report.left[0].startswith(f"match {id_text(matches[0])} stays in the journal: its log is not the one")
    ((ruleset, name),) = store.files()
    assert store.tombstones(name) == {matches[0]}
    covered = store.reader(ruleset, name).log(matches[0])
    assert covered is not None
    assert covered.is_intact
    assert list(covered.events) == [*game(0), NOTE, NOTE]
    assert compact(store, quiet).is_idle
    with store.journal.writing() as db:
        db.execute("UPDATE matches SET digest = ?", (good,))
    assert compact(store, quiet).returned == 1
    assert_tidy(store, len(matches) - 1)


def test_a_folder_that_cannot_be_written_changes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = scatter(store, 3)
    before = places(store)

    def full(writer: files.FileWriter, *tables: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(files.FileWriter, "write", full)
        report = compact(store, quiet)
    assert [line[:23] for line in report.left] == ["the disk is full (bloku"]
    assert places(store) == before
    compact(store, quiet)
    assert_tidy(store, len(matches))
