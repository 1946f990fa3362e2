"""Where compiled code is kept: what is outdated goes, nothing else, and nobody is harmed by it."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from kifold.core import code_cache
from kifold.core.code_cache import KEPT, UNUSED, use
from kifold.core.compiled import Compiled
from kifold.core.corpus import Corpus, Folder
from tests.core.toy import RACE


def folder_of(parent: Path, binding: str, number: int, unused: float) -> Path:
    """A folder with files of compiled code, which was used so many seconds ago."""
    folder = parent / f"{binding}-{number:020x}"
    folder.mkdir(parents=True)
    for file in ("fold__x.01.02.nbc", "fold__x.01.02.nbc.0123abcd.writing", "0123abcd.writing"):
        (folder / file).touch()
    os.utime(folder, (time.time() - unused,) * 2)
    return folder


def test_folders_of_the_binding_that_nobody_has_used_go_when_another_is_made(tmp_path: Path) -> None:
    old = [folder_of(tmp_path, "blokus_1", i, UNUSED + 60 * i) for i in range(1, KEPT + 4)]
    new = folder_of(tmp_path, "blokus_1", 99, UNUSED / 2)
    others = [folder_of(tmp_path, name, 7, 99 * UNUSED) for name in ("blokus_11", "my-blokus_1", "nibble_1")]
    made = tmp_path / f"blokus_1-{0:020x}"
    use(made)
    assert {*tmp_path.iterdir()} == {new, *others, *old[: KEPT - 1]}


def test_what_is_used_today_stays_however_much_it_is(tmp_path: Path) -> None:
    folders = [folder_of(tmp_path, "blokus_1", i, UNUSED - 60) for i in range(1, 3 * KEPT)]
    use(tmp_path / f"blokus_1-{0:020x}")
    assert all(folder.exists() for folder in folders)


def test_a_use_counts_from_then_on(tmp_path: Path) -> None:
    folders = [folder_of(tmp_path, "blokus_1", i, 2 * UNUSED) for i in range(1, KEPT + 2)]
    for folder in folders:
        use(folder)
    use(tmp_path / f"blokus_1-{0:020x}")
    assert all(folder.exists() for folder in folders)


def test_nothing_goes_that_is_no_compiled_code(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kept = [elsewhere / "a.nbc", tmp_path / f"blokus_1-{1:020X}0", tmp_path / "blokus_1-mine"]
    kept[0].touch()
    for folder in kept[1:]:
        folder.mkdir()
    folders = [folder_of(tmp_path, "blokus_1", i, (i + 1) * UNUSED) for i in range(1, KEPT + 4)]
    mine, linked, file = folders[-3:]
    kept += [mine / "notes.txt", mine / "notes.nbc.txt"]
    for text in kept[-2:]:
        text.write_text("mine")
    shutil.rmtree(linked)
    linked.symlink_to(elsewhere)
    shutil.rmtree(file)
    file.write_text("mine")
    for folder in (mine, linked, file):
        os.utime(folder, (0, 0), follow_symlinks=False)
    use(tmp_path / f"blokus_1-{0:020x}")
    assert all(path.exists() for path in [*kept, linked, file])
    assert {*mine.iterdir()} == {*kept[-2:]}


@pytest.mark.parametrize("where", ["/proc/nowhere", "/dev/null"])
def test_folders_that_cannot_be_read_are_no_matter(where: str) -> None:
    use(Path(where) / f"blokus_1-{0:020x}")


def test_code_of_rules_that_is_removed_is_compiled_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path))
    code = Compiled(RACE)
    folder = Folder(RACE, code)
    folder.position(Corpus.blank(RACE, 1), 0, 0)
    assert code.lacking(["fold_to"]) == []
    code_cache._remove(code.folder)
    assert not code.folder.exists()
    assert code.lacking(["fold_to"]) == ["fold_to"]
    folder.position(Corpus.blank(RACE, 1), 0, 0)
    Folder(RACE, Compiled(RACE)).position(Corpus.blank(RACE, 1), 0, 0)
    assert code.lacking(["fold_to"]) == []
