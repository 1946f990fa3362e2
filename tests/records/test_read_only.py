"""A store in a folder that cannot be written: read in full or not at all, and never written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from kifold.records.forking import fork
from kifold.records.ids import id_text
from kifold.records.store import Store
from kifold.service.cli import run
from tests.read_only import as_nobody, folder_of_anybody, lock
from tests.stores import as_in_format, game, record

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


@pytest.fixture
def apart() -> Iterator[Path]:
    with folder_of_anybody() as folder:
        yield folder


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_read_only_folder_is_read_but_not_written(apart: Path) -> None:
    with Store(apart / "store") as store:
        match = record(store, 0, 5)
    lock(apart / "store")

    def read() -> int:
        with Store(apart / "store", create=False) as store:
            return len(store.log(match).events)

    def write() -> int:
        with Store(apart / "store") as store:
            return store.append(match, game(0)[5:6])

    assert as_nobody(read) == "5"
    assert as_nobody(write).startswith(f"StoreError: {apart}/store/journal.sqlite: cannot be written (attempt to write")
    assert names_in(apart / "store") == {"journal.sqlite"}


def test_a_read_only_folder_with_unmerged_events_is_read_in_full_or_not_at_all(apart: Path) -> None:
    with Store(apart / "store") as store:
        match = record(store, 0, 5)
    with Store(apart / "store") as store:
        store.append(match, game(0)[5:7])
        shutil.copytree(apart / "store", apart / "with")
        shutil.copytree(apart / "store", apart / "without")
    (apart / "without" / "journal.sqlite-shm").unlink()

    def read(name: str) -> int:
        with Store(apart / name, create=False) as store:
            return len(store.log(match).events)

    for name in ("with", "without"):
        lock(apart / name)
    assert as_nobody(lambda: read("with")) == "7"
    assert "holds events that cannot be read in a read-only folder" in as_nobody(lambda: read("without"))


@pytest.mark.parametrize("format_", [1, 2])
def test_a_read_only_store_of_an_earlier_format_is_read(apart: Path, format_: int) -> None:
    with Store(apart / "store") as store:
        match = record(store, 0, 5)
        made = fork(store, match, 3)
        as_in_format(store, format_)
    lock(apart / "store")

    def read() -> tuple[int, bool]:
        with Store(apart / "store", create=False) as store:
            return len(store.log(match).events), store.log(made).fork is not None

    assert as_nobody(read) == str((5, format_ == 2))
    assert names_in(apart / "store") == {"journal.sqlite"}


def test_a_store_cannot_be_made_in_a_read_only_folder(apart: Path) -> None:
    apart.chmod(0o555)
    for folder, said in ((apart / "store", "cannot be made a store"), (apart, "no journal can be made here")):
        answer = as_nobody(lambda folder=folder: Store(folder))
        assert answer.startswith(f"StoreError: {folder}: {said} (")
    assert list(apart.iterdir()) == []


def test_the_command_line_on_a_read_only_folder(apart: Path) -> None:
    with Store(apart / "store") as store:
        match = id_text(record(store, 0, 5))

    def command(*arguments: str) -> str:
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = run(["--store", str(apart / "store"), *arguments])
        return f"{status} {out.getvalue()}{err.getvalue()}"

    # What is imported on the way is imported before: nobody may not read it, where Python lies in root's home.
    for line in (["log"], ["show", match], ["append", match, "?"]):
        command(*line)
    lock(apart / "store")
    assert as_nobody(lambda: command("log")) == f"0 {match}  blokus duo, 5 events, yellow to move\n"
    assert as_nobody(lambda: command("show", match)).startswith("0 14 .")
    for line in (["new", "blokus"], ["append", match, '{"event": "resigned", "seat": 0}'], ["delete", match, "--yes"]):
        said = as_nobody(lambda line=line: command(*line))
        assert said.startswith(f"2 kifold: {apart}/store/journal.sqlite: cannot be written (attempt to write"), said
        assert said.count("\n") == 1
