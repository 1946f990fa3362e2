"""Archive files that are missing, cut short or something else: one clear line, and the rest is read all the same."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kifold.core.events import Noted
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import archive as files
from kifold.records.errors import RESTORE, StoreError
from kifold.records.store import Store
from tests.stores import archive_all, fill, fill_files, run_together, verified


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with two archive files and a live match."""
    with Store(tmp_path / "store") as store:
        fill_files(store)
        yield store


def first_file(store: Store) -> tuple[Path, Path]:
    return files.paths(store.archive_folder, "blokus", store.files()[0][1])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def another_table(path: Path) -> None:
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.drop_columns(["match_id"]), path)


def of_another_type(path: Path) -> None:
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.set_column(0, "match_id", table["match_id"].cast("string")), path)


def many_groups(path: Path) -> None:
    pq.write_table(pq.read_table(path, partitioning=None), path, row_group_size=2)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


HARMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (Path.unlink, "is missing; restore it from a copy"),
    "empty": (lambda path: path.write_bytes(b""), "is damaged or no Parquet file"),
    "cut short": (cut, "is damaged or no Parquet file"),
    "garbage": (lambda path: path.write_bytes(os.urandom(5000)), "is damaged or no Parquet file"),
    "garbage that says it is Parquet": (
        lambda path: path.write_bytes(b"PAR1" + os.urandom(900) + b"\x80\x03\0\0PAR1"),
        "is damaged or no Parquet file",
    ),
    "a folder": (a_folder, "is damaged or no Parquet file"),
    "without a column": (another_table, "has other columns than this kifold writes"),
    "with a column of another type": (of_another_type, "has other columns than this kifold writes"),
    "with other row groups": (many_groups, "does not belong to"),
}


@pytest.mark.parametrize(("harm", "said"), HARMS.values(), ids=HARMS)
@pytest.mark.parametrize("which", [0, 1], ids=["matches", "events"])
def test_a_file_that_is_not_what_it_was(store: Store, which: int, harm: Callable[[Path], object], said: str) -> None:
    place = first_file(store)[which]
    (match,) = store.journal.rows("SELECT max(match) FROM archived WHERE file = 1")[0]
    harm(place)
    for question in (store.log, store.folded, lambda match: store.append(match, [Noted("a")])):
        with pytest.raises(StoreError, match=said) as error:
            question(match)
        assert str(place.parent.parent.parent) in str(error.value)
        assert "\n" not in str(error.value)
    with pytest.raises(StoreError, match=said):
        list(store.logs())
    (other,) = store.journal.rows("SELECT match FROM archived WHERE file = 2")[0]
    assert store.log(other).match_id == other
    report = verified(store.folder)
    assert report.counts == {"damaged": 0, "illegal": 0, "diverged": 0, "unverified": 0, "exact": 2}
    assert any(said in line for line in report.unreadable)
    assert all(str(store.archive_folder) in line for line in report.unreadable)
    store.delete(match)


def test_files_of_two_archives_that_were_swapped(store: Store) -> None:
    one, two = (files.paths(store.archive_folder, "blokus", name)[1] for _, name in store.files())
    for here, there in ((one, "x"), (two, one.name), (one.with_name("x"), two.name)):
        here.rename(here.with_name(there))
    report = verified(store.folder)
    assert report.counts["exact"] == 1
    assert len([line for line in report.unreadable if "is damaged (not the bytes that were written)" in line]) == 2


def test_an_older_copy_of_a_file_is_found_out_by_its_bytes(store: Store) -> None:
    """It is whole, and all its matches are exact."""
    place = first_file(store)[0]
    pq.write_table(pq.read_table(place, partitioning=None), place, compression="none")
    report = verified(store.folder)
    assert report.counts["exact"] == 10
    assert report.unreadable == [f"{place}: is damaged (not the bytes that were written); {RESTORE}"]


def test_a_match_that_the_journal_does_not_list_or_lists_twice(store: Store) -> None:
    before = verified(store.folder)
    assert before.is_fine
    said = "does not hold the matches that the journal lists for it; restore both"
    for sql in (
        "DELETE FROM archived WHERE match = (SELECT min(match) FROM archived WHERE file = 1)",
        "INSERT INTO archived VALUES (7, 1)",
        "INSERT INTO tombstones SELECT match, file FROM archived WHERE file = 1 LIMIT 1",
    ):
        shutil.copytree(store.folder, store.folder.parent / "copy")
        with Store(store.folder.parent / "copy") as copy, copy.journal.writing() as db:
            db.execute(sql)
        report = verified(store.folder.parent / "copy")
        assert [line.partition("parquet: ")[2] for line in report.unreadable] == [said]
        shutil.rmtree(store.folder.parent / "copy")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE archived SET file = 99 WHERE file = 2", "1 matches lie in files that are not listed"),
        ("INSERT INTO archived SELECT id, 1 FROM matches", "1 live matches are archived too"),
        ("INSERT INTO events VALUES (3, 1, x'00', NULL)", "1 events belong to no match"),
        ("INSERT INTO tombstones VALUES ('x', 1)", "1 rows of deleted matches name none"),
    ],
)
def test_a_journal_that_contradicts_itself(store: Store, sql: str, said: str) -> None:
    with store.journal.writing() as db:
        db.execute(sql)
    assert any(f"journal.sqlite: is damaged ({said})" in line for line in verified(store.folder).unreadable)


@pytest.mark.parametrize("sql", ["INSERT INTO tombstones VALUES ('x', 1)", "INSERT INTO tombstones VALUES (1.5, 1)"])
def test_a_row_that_names_no_match_does_not_hide_a_file(store: Store, sql: str) -> None:
    before = verified(store.folder).counts
    with store.journal.writing() as db:
        db.execute(sql)
    report = verified(store.folder)
    assert (report.counts, len(report.unreadable)) == (before, 1)
    assert len(list(store.logs())) == sum(before.values())


@pytest.mark.parametrize("column", ["matches", "events"])
@pytest.mark.parametrize("value", ["{} + 1", "-1", "'x'", "{} + 0.5"])
def test_numbers_of_rows_that_a_file_does_not_have(store: Store, column: str, value: str) -> None:
    with store.journal.writing() as db:
        db.execute(f"UPDATE files SET {column} = {value.format(column)} WHERE id = 1")
    report = verified(store.folder)
    place = first_file(store)[0]
    assert report.unreadable == [f"{place}: does not hold as many rows as the journal says of it; restore both"]
    assert report.counts["exact"] == 10


# A full disk, played by a limit on the size of files


def archive_with_little_room(folder: str, room: int) -> None:
    import resource

    with Store(folder) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            archive_all(store)
        except StoreError as error:
            print(error)


def test_a_full_disk_leaves_the_matches_live_and_no_drafts(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        matches = fill(store, 30)
        for room in (10, 3000):
            (said,) = run_together([(archive_with_little_room, (str(store.folder), room))])
            assert said.startswith(f"{store.archive_folder}/matches/ruleset=blokus: cannot be written ("), said
            assert [path for path in store.archive_folder.rglob("*") if path.is_file()] == []
            assert sorted(store.journal.ids()) == sorted(matches)
        assert archive_all(store) == len(matches)


def append_with_little_room(folder: str, room: int) -> None:
    import resource

    with Store(folder) as store:
        match = store.new(BLOKUS.start("duo"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        print(match)
        for number in range(1000):
            try:
                seq = store.append(match, [Noted("comment", ("x" * 1000,))], expected_seq=number)
            except StoreError as error:
                assert len(store.play(match).log) == number
                print(error)
                return
            print(seq)


def test_a_full_disk_refuses_the_append_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    (said,) = run_together([(append_with_little_room, (str(tmp_path / "store"), 300_000))])
    match, *acknowledged, error = said.splitlines()
    assert "journal.sqlite: cannot be written (" in error
    with Store(tmp_path / "store") as store:
        assert len(store.log(int(match)).events) == int(acknowledged[-1]) > 10
        assert store.append(int(match), [Noted("comment", ("room again",))]) == int(acknowledged[-1]) + 1
    assert verified(tmp_path / "store").is_fine
