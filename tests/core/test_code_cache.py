"""Where compiled code is kept: what is outdated goes, nothing else, and nobody is harmed by it."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kifold.core import code_cache
from kifold.core.code_cache import KEPT, UNUSED, kept_in
from kifold.core.compiled import Binder, Compiled
from kifold.core.corpus import Corpus, Folder
from tests.core.toy import RACE


def add(number: Any, other: Any) -> Any:
    return number + other


def add_all(numbers: Any) -> Any:
    return add(numbers[0], numbers[1])


def bound(folder: Path) -> Any:
    with kept_in(folder):
        return Binder("tests", {}, {}, boundscheck=True).compiled(add_all)


NUMBERS = np.array([2, 3])


def folder_of(parent: Path, binding: str, number: int, unused: float) -> Path:
    """A folder with a file of Numba's, which was used so many seconds ago."""
    folder = parent / f"{binding}-{number:020x}"
    (folder / "core_1").mkdir(parents=True)
    for ending in ("nbi", "1.nbc", "2.nbc.tmp.0123456789abcdef"):
        (folder / "core_1" / f"loops.fold__x.py311.{ending}").touch()
    os.utime(folder, (time.time() - unused,) * 2)
    return folder


def use(folder: Path) -> None:
    with kept_in(folder):
        pass


def test_folders_of_the_binding_that_nobody_has_used_go_when_another_is_made(tmp_path: Path) -> None:
    old = [folder_of(tmp_path, "blokus_1", i, UNUSED + 60 * i) for i in range(1, KEPT + 4)]
    new = folder_of(tmp_path, "blokus_1", 99, UNUSED / 2)
    others = [folder_of(tmp_path, name, 7, 99 * UNUSED) for name in ("blokus_11", "my-blokus_1", "nibble_1")]
    made = tmp_path / f"blokus_1-{0:020x}"
    use(made)
    assert {*tmp_path.iterdir()} == {made, new, *others, *old[: KEPT - 1]}


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


def test_nothing_goes_that_numba_did_not_write(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "core_1").mkdir(parents=True)
    (tmp_path / "elsewhere" / "core_1" / "a.nbc").touch()
    kept = [tmp_path / "elsewhere" / "core_1" / "a.nbc", tmp_path / f"blokus_1-{1:020X}0", tmp_path / "blokus_1-mine"]
    for folder in kept[1:]:
        folder.mkdir()
    cache = tmp_path
    folders = [folder_of(cache, "blokus_1", i, (i + 1) * UNUSED) for i in range(1, KEPT + 5)]
    mine, inner, linked, file = folders[-4:]
    kept += [mine / "notes.txt", inner / "core_1" / "notes.nbc.txt"]
    for text in kept[-2:]:
        text.write_text("mine")
    shutil.rmtree(linked)
    linked.symlink_to(tmp_path / "elsewhere")
    shutil.rmtree(file)
    file.write_text("mine")
    (mine / "core_2").symlink_to(tmp_path / "elsewhere" / "core_1")
    for folder in (mine, inner, linked, file):
        os.utime(folder, (0, 0), follow_symlinks=False)
    use(cache / f"blokus_1-{0:020x}")
    assert all(path.exists() for path in [*kept, linked, file])
    assert not list(mine.rglob("*.nb?")) or list(mine.rglob("*.nb?")) == [mine / "core_2" / "a.nbc"]
    assert not list(inner.rglob("*.nb?"))


@pytest.mark.parametrize("when", ["before", "between", "while"])
def test_a_folder_that_another_process_removes_harms_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, when: str
) -> None:
    """While a function is bound, is compiled, and when its code is about to be written."""
    folder = tmp_path / "code"
    made = bound(folder)
    if when == "while":
        ensure = type(made._cache._impl.locator).ensure_cache_path

        def removed(locator: Any) -> None:
            ensure(locator)
            shutil.rmtree(folder)

        monkeypatch.setattr(type(made._cache._impl.locator), "ensure_cache_path", removed)
    if when == "before":
        shutil.rmtree(folder)
    assert made(NUMBERS) == 5
    if when == "between":
        shutil.rmtree(folder)
    assert made(NUMBERS.astype(np.int8)) == 5, "another form"
    monkeypatch.undo()
    again = bound(folder)
    assert (again(NUMBERS), again(NUMBERS.astype(np.int8))) == (5, 5)


def test_a_folder_that_cannot_be_made_is_no_reason_to_take_another(tmp_path: Path) -> None:
    """Numba would write beside the source, where code of other rules may lie under the same name."""
    (tmp_path / "file").touch()
    made = bound(tmp_path / "file" / "code")
    assert made(NUMBERS) == 5
    assert Path(made.stats.cache_path).is_relative_to(tmp_path)
    assert not made.is_kept


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("length", [0, 40])
def test_what_a_crash_cut_short_is_compiled_again(tmp_path: Path, ending: str, length: int) -> None:
    bound(tmp_path)(NUMBERS)
    for file in tmp_path.rglob(f"*.{ending}"):
        os.truncate(file, length)
    for hits in (0, 1):
        again = bound(tmp_path)
        assert again(NUMBERS) == 5
        assert sum(again.stats.cache_hits.values()) == hits


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
