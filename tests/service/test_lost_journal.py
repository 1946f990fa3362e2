"""An archive whose journal was lost, and archive files that the journal does not list."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifold.records.store import Store
from tests.service.conftest import Kifold
from tests.stores import archive_all, fill


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
        f"or move {folder / 'archive'} away; `kifold verify {folder / 'archive'}` verifies the files\n"
    )
    assert sorted(folder.rglob("*")) == before


def test_what_is_said_to_do_about_it_does_it(kifold: Kifold, folder: Path, archived: int, tmp_path: Path) -> None:
    lose(folder)
    assert f": {archived} exact" in kifold("verify", folder / "archive").out
    (folder / "archive").rename(tmp_path / "old")
    assert kifold("new", "blokus").status == 0
    assert ": 1 exact" in kifold("verify").out


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
