"""An archive whose journal was lost, and archive files that the journal does not list."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.core.events import Noted, Resigned
from kifold.records.forking import fork
from kifold.records.log import Log
from kifold.records.store import Store
from tests.service.conftest import Kifold
from tests.stores import archive_all, fill, record


@pytest.fixture
def archived(folder: Path) -> int:
    """So many matches lie in the archive."""
    with Store(folder) as store:
        fill(store, 1)
        return archive_all(store)


def lose(folder: Path) -> None:
    for file in folder.glob("journal.sqlite*"):
        file.unlink()


@pytest.mark.parametrize(
    "command",
    ["verify", "log", "archive", "plies", "compact", "new blokus", "sql x", "coverage"],
)
@pytest.mark.usefixtures("archived")
def test_no_command_passes_over_an_archive_without_journal(kifold: Kifold, folder: Path, command: str) -> None:
    (folder / "plies" / "ruleset=blokus").mkdir(parents=True)
    (folder / "plies" / "ruleset=blokus" / "derived.parquet").write_bytes(b"PAR1")
    lose(folder)
    before = sorted(folder.rglob("*"))
    said = kifold(*command.split())
    assert (said.status, said.out) == (2, "")
    assert said.err == (
        f"kifold: {folder}: holds an archive but not journal.sqlite, which lists its matches: restore a copy of that, "
        f"or import {folder / 'archive'} into another store (`kifold --store OTHER import {folder / 'archive'}`)\n"
    )
    assert sorted(folder.rglob("*")) == before


def test_what_is_said_to_do_about_it_does_it(kifold: Kifold, folder: Path, archived: int, tmp_path: Path) -> None:
    lose(folder)
    assert f": {archived} exact" in kifold("verify", folder / "archive").out
    (folder / "archive").rename(tmp_path / "old")
    assert kifold("new", "blokus").status == 0
    assert ": 1 exact" in kifold("verify").out


@pytest.fixture
def logs(folder: Path) -> dict[int, Log]:
    """Archived matches of Blokus; one of them went on and was archived anew, one was deleted, one is a fork."""
    with Store(folder) as store:
        first, second, third, _ = (record(store, number) for number in range(4))
        archive_all(store)
        store.append(first, [Noted("comment", ("looked at",))])
        store.append(fork(store, third, 2), [Resigned(0)])
        archive_all(store)
        store.delete(second)
        found = {log.match_id: log for log in store.logs()}
        assert (len(found), len(store.files("blokus"))) == (4, 2)
    return found


def imported(kifold: Kifold, folder: Path, other: Path) -> dict[int, Log]:
    """What comes of importing the archive of a store into another."""
    said = kifold("--store", other, "import", folder / "archive")
    assert said.out.startswith("archive: ")
    with Store(other) as store:
        return {log.match_id: log for log in store.logs()}


def test_matches_come_back_from_the_archive_alone(
    kifold: Kifold, folder: Path, logs: dict[int, Log], tmp_path: Path
) -> None:
    lose(folder)
    back = imported(kifold, folder, tmp_path / "other")
    assert {match: back[match] for match in logs} == logs
    assert len(back) == len(logs) + 1, "the deleted one comes back"
    assert ": 0 imported" in kifold("--store", tmp_path / "other", "import", folder / "archive").out
    assert f" {len(back)} exact" in kifold("--store", tmp_path / "other", "verify").out
    said = kifold("--store", tmp_path / "other", "import", folder / "archive", "--set", "start_corner=any_free")
    assert (said.status, "leave out --set" in said.err) == (2, True)


def test_damaged_matches_of_an_archive_do_not_come_in(
    kifold: Kifold, folder: Path, logs: dict[int, Log], tmp_path: Path
) -> None:
    """One whose log is another, and a file that is none."""
    lose(folder)
    files = sorted((folder / "archive" / "events").rglob("*.parquet"), key=lambda path: path.stat().st_size)
    small, large = files[0], files[-1]
    table = pq.read_table(large)
    column = table["x"].to_pylist()
    column[0] = 13 - column[0]
    at = table.column_names.index("x")
    pq.write_table(table.set_column(at, "x", pa.array(column, table.schema.field("x").type)), large)
    small.write_bytes(b"PAR1")
    back = imported(kifold, folder, tmp_path / "other")
    rows = kifold("--store", tmp_path / "other", "quarantine").out
    assert "its log is not the one that was written" in rows
    assert "is damaged or no Parquet file" in rows
    assert {match: log for match, log in back.items() if match in logs and logs[match] != log}.keys() <= logs.keys()
    assert 0 < len(back) < len(logs)


def test_of_a_damaged_journal_it_is_said_too(kifold: Kifold, folder: Path, archived: int, tmp_path: Path) -> None:
    (folder / "journal.sqlite").write_bytes(b"SQLite format 3\0" + bytes(4096))
    said = kifold("log")
    assert said.status == 2
    assert f"restore a copy, or import {folder / 'archive'} into another store" in said.err
    assert len(imported(kifold, folder, tmp_path / "other")) == archived


@pytest.mark.parametrize("has_archive", [True, False])
def test_of_an_empty_journal_a_copy_is_to_be_restored(kifold: Kifold, folder: Path, has_archive: bool) -> None:
    """To remove it helps only where there is no archive."""
    with Store(folder) as store:
        if has_archive:
            fill(store, 1)
            archive_all(store)
    lose(folder)
    place = folder / "journal.sqlite"
    place.touch()
    said = kifold("log")
    new = "" if has_archive else ", or, if nothing was stored here, remove it and try again"
    assert (said.status, said.err) == (2, f"kifold: {place}: is empty; restore a copy{new}\n")
    place.unlink()
    assert (kifold("new", "blokus").status == 0) != has_archive


def test_files_that_are_not_listed_are_named_and_no_failure(kifold: Kifold, folder: Path, archived: int) -> None:
    for path in folder.glob("archive/*/*/*.parquet"):
        path.with_name("blokus-0123456789ab.parquet").write_bytes(path.read_bytes())
    said = kifold("verify")
    assert (said.status, f": {archived} exact" in said.out) == (0, True)
    assert "the journal does not list it: archive file blokus/blokus-0123456789ab (debris of a crash" in said.out
    assert kifold("verify", "--format", "json").json["unlisted"] == ["blokus/blokus-0123456789ab"]
    assert "not list" not in kifold("verify", "--ruleset", "nibble").out
