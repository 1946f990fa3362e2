"""Files that commands write: whole or as they were, whatever the path leads to, and nothing beside them is touched."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from kifold.records.formats import jsonl
from kifold.service import out_file
from kifold.service.context import UsageError
from kifold.service.exploring import keep
from kifold.service.out_file import written, written_by_name
from tests.service.conftest import Kifold

KIFOLD = str(Path(sys.executable).with_name("kifold"))
COMMANDS = {
    "show": ("show", "MATCH", "--as", "svg"),
    "export": ("export", "MATCH", "--as", "jsonl"),
    "sql": ("sql", "select match_id, event from events order by seq", "--format", "csv"),
    "schema": ("sql", "--schema", "--format", "csv"),
    "parquet": ("sql", "select 1 as a", "--format", "parquet"),
}
each_command = pytest.mark.parametrize("name", COMMANDS)
Write = Callable[[Path, bytes], None]


def in_parts(out: Path, data: bytes) -> None:
    with written(out) as file:
        file.write(data[:1])
        file.write(data[1:])


def by_name(out: Path, data: bytes) -> None:
    with written_by_name(out) as draft:
        draft.write_bytes(data)


each_way = pytest.mark.parametrize("write", [in_parts, by_name])


@pytest.fixture
def line(match: str) -> Callable[[str], list[str]]:
    return lambda name: [match if word == "MATCH" else word for word in COMMANDS[name]]


@each_command
def test_what_lies_beside_the_file_stays(
    kifold: Kifold, line: Callable[[str], list[str]], tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    mine = {folder / f"{stem}{ending}" for stem in ("a", "a.csv") for ending in (".writing", ".tmp", "~")}
    for path in mine:
        path.write_text("notes", encoding="utf-8")
    assert kifold(*line(name), "--out", folder / "a.csv").status == 0
    assert set(folder.iterdir()) == mine | {folder / "a.csv"}
    assert {path.read_text(encoding="utf-8") for path in mine} == {"notes"}


@each_command
def test_a_link_stays_and_its_file_is_written(
    kifold: Kifold, line: Callable[[str], list[str]], tmp_path: Path, name: str
) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    link.symlink_to(Path("far") / "target")  # which is not there yet
    for _ in range(2):
        assert kifold(*line(name), "--out", link).status == 0
        assert link.is_symlink()
        assert not target.is_symlink()
        assert kifold(*line(name), "--out", tmp_path / "plain").status == 0
        assert target.read_bytes() == (tmp_path / "plain").read_bytes() != b""
        assert list(target.parent.iterdir()) == [target]


@each_command
def test_a_pipe_is_written_through(kifold: Kifold, line: Callable[[str], list[str]], tmp_path: Path, name: str) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert kifold(*line(name), "--out", pipe).status == 0
    reader.join(timeout=30)
    assert pipe.is_fifo()
    assert kifold(*line(name), "--out", tmp_path / "plain").status == 0
    assert read == [(tmp_path / "plain").read_bytes()]


def test_standard_output_by_its_name_goes_on_where_it_is(folder: Path, match: str, tmp_path: Path) -> None:
    """Also where it is a file that somebody writes to before and after."""
    words = [KIFOLD, "--store", str(folder), "export", match, "--as", "jsonl", "--out", "/dev/stdout"]
    whole = subprocess.run(words, capture_output=True, check=True).stdout
    assert whole.startswith(b'{"match"')
    with (tmp_path / "all").open("wb") as file:
        file.write(b"before\n")
        file.flush()
        subprocess.run(words, stdout=file, stderr=subprocess.DEVNULL, check=True)
        os.write(file.fileno(), b"after\n")
    assert (tmp_path / "all").read_bytes() == b"before\n" + whole + b"after\n"


@each_way
def test_an_output_of_the_process_is_no_file_to_replace(tmp_path: Path, write: Write) -> None:
    with (tmp_path / "open").open("wb") as file:
        file.write(b"1")
        file.flush()
        write(Path("/dev/fd") / str(file.fileno()), b"23")
        file.seek(0, os.SEEK_END)
        file.write(b"4")
    assert (tmp_path / "open").read_bytes() == b"1234"
    assert [path.name for path in tmp_path.iterdir()] == ["open"]


@each_way
def test_an_error_leaves_what_was_there(tmp_path: Path, write: Write) -> None:
    class Full(OSError):
        strerror = "No space left on device"

    def fail(out: Path) -> None:
        if write is by_name:
            with written_by_name(out) as draft:
                draft.write_bytes(b"half")
                raise Full
        with written(out) as file:
            file.write(b"half")
            raise Full

    out = tmp_path / "out"
    with pytest.raises(UsageError, match=r"out: cannot be written .No space left on device"):
        fail(out)
    assert list(tmp_path.iterdir()) == []
    out.write_bytes(b"before")
    with pytest.raises(UsageError):
        fail(out)
    assert [out.read_bytes(), *tmp_path.iterdir()] == [b"before", out]


def test_golden_logs_that_cannot_be_added_to_are_what_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(logs: object, file: IO[bytes]) -> None:
        file.write(b"{")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jsonl, "write", full)
    logs = tmp_path / "a.kifold.jsonl"
    nothing_found: Any = SimpleNamespace(examples=[])
    for there in (b"", b'{"match": "x"}\n'):
        logs.write_bytes(there)
        with pytest.raises(UsageError, match="cannot be written"):
            keep(nothing_found, logs)
        assert [logs.read_bytes(), *tmp_path.iterdir()] == [there, logs]


@each_way
def test_permissions_stay(tmp_path: Path, write: Write) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"secret")
    out.chmod(0o600)
    write(out, b"other")
    assert (out.read_bytes(), out.stat().st_mode & 0o777) == (b"other", 0o600)


@each_way
def test_a_file_that_is_not_to_be_written_is_not_replaced(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"mine")
    monkeypatch.setattr(out_file.os, "access", lambda path, mode: False)  # whoever runs the tests may be root
    with pytest.raises(UsageError, match=r"cannot be written .Permission denied"):
        write(out, b"other")
    assert [out.read_bytes(), *tmp_path.iterdir()] == [b"mine", out]


@each_way
def test_what_cannot_be_written_is_said(tmp_path: Path, write: Write) -> None:
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "nowhere").symlink_to("not/there")
    for name, why in (
        ("circle", "cannot be written .Too many levels of symbolic links"),
        ("nowhere", f"there is no folder {tmp_path / 'not'}"),
        ("no/x", f"there is no folder {tmp_path / 'no'}"),
        (".", "cannot be written .Is a directory"),
    ):
        with pytest.raises(UsageError, match=why):
            write(tmp_path / name, b"x")


@each_way
def test_two_that_write_at_once_each_write_a_whole_file(tmp_path: Path, write: Write) -> None:
    out = tmp_path / "out"
    with written(out) as file:
        file.write(b"long " * 100)
        write(out, b"short")
        assert out.read_bytes() == b"short"
    assert [out.read_bytes(), *tmp_path.iterdir()] == [b"long " * 100, out]
