"""Opening a journal: made once and whole, refused in one clear line when it is something else, read where it lies."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from kifold.records.errors import KeyUsed, StoreError
from kifold.records.sqlite import DURABILITY, FORMAT, SCHEMA, TABLES_2, bring_up, connect, format_of
from kifold.records.store import Store
from tests.stores import as_in_format, duo, game, record, run_together, verified


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def refused(folder: Path, *, create: bool = True) -> str:
    with pytest.raises(StoreError) as error, Store(folder, create=create):
        pass
    said = str(error.value)
    assert str(folder) in said, "it says where"
    assert "\n" not in said
    return said


def make_and_append(folder: str, number: int) -> None:
    with Store(folder) as store:
        record(store, number)


def test_a_store_is_made_whole_and_closing_it_leaves_one_file(tmp_path: Path) -> None:
    with Store(tmp_path / "a" / "b") as store:
        assert store.counts() == {}
    assert names(tmp_path / "a" / "b") == {"journal.sqlite"}


def test_processes_that_make_one_store_at_the_same_time_share_it(tmp_path: Path) -> None:
    run_together([(make_and_append, (str(tmp_path / "store"), number)) for number in range(4)])
    with Store(tmp_path / "store", create=False) as store:
        assert {tuple(log.events) for log in store.logs()} == {game(number) for number in range(4)}
    assert names(tmp_path / "store") == {"journal.sqlite"}


def test_a_store_that_is_not_there_is_not_made_by_reading(tmp_path: Path) -> None:
    assert "no kifold store here" in refused(tmp_path / "none", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("create", [True, False])
def test_a_file_in_place_of_the_folder(tmp_path: Path, create: bool) -> None:
    (tmp_path / "file").write_text("not a folder")
    refused(tmp_path / "file", create=create)
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_folder_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be made a store" in refused(tmp_path / "file" / "store")


@pytest.mark.parametrize("create", [True, False])
def test_a_folder_in_place_of_the_journal(tmp_path: Path, create: bool) -> None:
    (tmp_path / "journal.sqlite").mkdir()
    refused(tmp_path, create=create)


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 5000, b"SQLite format 3\0" + b"\xff" * 4080, b"{}", random.Random(1).randbytes(10_000)]
)
def test_garbage_in_place_of_the_journal_is_refused_and_left_alone(
    tmp_path: Path, content: bytes, create: bool
) -> None:
    (tmp_path / "journal.sqlite").write_bytes(content)
    refused(tmp_path, create=create)
    assert (tmp_path / "journal.sqlite").read_bytes() == content


@pytest.mark.parametrize("create", [True, False])
def test_another_programs_database(tmp_path: Path, create: bool) -> None:
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.execute("CREATE TABLE events (id INTEGER)")
    db.close()
    assert "is no kifold journal" in refused(tmp_path, create=create)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (str(FORMAT + 1), f"has format {FORMAT + 1}, this kifold reads up to {FORMAT}; install a newer kifold"),
        ("12", "has format 12"),
        ("", "does not say its format"),
        ("²", "does not say its format"),
        ("-1", "does not say its format"),
        ("one", "does not say its format"),
        (None, "does not say its format"),
    ],
)
def test_the_format_decides(store: Store, value: str | None, said: str) -> None:
    with store.journal.writing() as db:
        db.execute("DELETE FROM meta")
        if value is not None:
            db.execute("INSERT INTO meta VALUES ('format', ?)", (value,))
    store.close()
    assert said in refused(store.folder)


@pytest.mark.parametrize("keep", [100, 4096, 5000, 20_000])
def test_a_half_written_journal_is_refused_or_its_reading_is(store: Store, keep: int) -> None:
    match = record(store, 0)
    store.close()
    path = store.folder / "journal.sqlite"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(StoreError, match=r"journal\.sqlite: .*restore a copy"), Store(store.folder) as half:
        half.log(match)


def test_a_page_of_garbage_fails_reading_in_one_line_and_verifying_in_words(store: Store) -> None:
    match = record(store, 0)
    store.close()
    path = store.folder / "journal.sqlite"
    db = sqlite3.connect(path)
    (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = b"\xaa" * size
    path.write_bytes(data)
    with Store(store.folder) as damaged:
        for read in (damaged.log, damaged.play):
            with pytest.raises(StoreError, match="cannot be read"):
                read(match)
        with pytest.raises(StoreError):
            damaged.append(match, game(0)[:1])
    report = verified(store.folder)
    assert report.unreadable
    assert [one.verdict for one in report.failures] == ["damaged"]


def test_an_unknown_durability_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="durability cannot be 'high': choose full, normal, off"):
        Store(tmp_path / "store", durability="high")


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1), ("off", 0)])
def test_durability_is_what_sqlite_is_told(tmp_path: Path, durability: str, level: int) -> None:
    with Store(tmp_path, durability=durability) as store:
        assert store.journal.rows("PRAGMA synchronous") == [(level,)]
        assert store.journal.rows("PRAGMA journal_mode") == [("wal",)]
    assert set(DURABILITY) == {"full", "normal", "off"}


def test_what_is_read_in_one_moment_is_not_changed_by_others(store: Store) -> None:
    match = record(store, 0, 5)
    with Store(store.folder) as other:
        with store.journal.reading():
            before = store.log(match)
            other.append(match, game(0)[5:6])
            assert store.log(match) == before
        assert len(store.log(match).events) == 6


def test_a_writer_waits_for_another_and_says_so_when_that_takes_too_long(store: Store) -> None:
    match = record(store, 0, 5)
    with Store(store.folder) as other:
        store.journal.db.execute("PRAGMA busy_timeout = 50")
        with other.journal.writing(), pytest.raises(StoreError, match=r"cannot be written .*locked"):
            store.append(match, game(0)[5:6])
        assert store.append(match, game(0)[5:6]) == 6


def test_every_table_is_named_in_the_layout(store: Store) -> None:
    tables = {row[0] for row in store.journal.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert len(tables) == SCHEMA.count("CREATE TABLE") + TABLES_2.count("CREATE {temp} TABLE")


@pytest.mark.parametrize("number", [1, 2])
def test_an_earlier_format_is_brought_up_once(store: Store, number: int) -> None:
    """Also where several processes find it: what one adds another does not."""
    match = record(store, 0, 3)
    store.append(match, game(0)[3:5], key="old")
    as_in_format(store, number)
    late = connect(store.journal.path)
    with Store(store.folder) as new:
        assert format_of(late) == FORMAT
        bring_up(late)
        new.append(match, game(0)[5:7], key="new")
        rows = new.journal.rows("SELECT key, first_seq, last_seq FROM keys ORDER BY last_seq")
        assert rows == [("old", None, 5), ("new", 6, 7)]
        for key, first, last in (("old", 3, 5), ("old", 4, 5), ("old", 0, 5), ("new", 5, 7)):
            assert new.append(match, game(0)[first:last], key=key) == last
        for key, first, last in (("old", 3, 4), ("new", 6, 7), ("new", 4, 7)):
            with pytest.raises(KeyUsed):
                new.append(match, game(0)[first:last], key=key)
    late.close()


def test_nothing_is_made_before_the_first_match(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store, pytest.raises(ValueError, match="no variant"):
        store.new(duo().__class__("blokus", "nope", 1, {}, 2, {}, duo().setup))
    assert names(tmp_path / "store") == {"journal.sqlite"}
