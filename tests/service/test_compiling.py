"""Compiling at first use: said, shared out among processes, and done here where another process does not do it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kifold.core import registry
from kifold.service import compiling

NAMES = ["blokus", "chipstack", "nibble"]


class Bench:
    """Rules that count as compiled once this process was asked to, and the processes beside it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[str] = []
        self.beside: list[subprocess.Popen[bytes]] = []
        self.asked: list[list[str]] = []
        monkeypatch.setattr(compiling, "_compile", self.compile)
        monkeypatch.setattr(compiling, "processors", lambda: 2)
        monkeypatch.setattr("kifold.core.compiled.compiled", lambda rules: Rules(rules.name in self.done))
        started = subprocess.Popen

        def start(command: list[str], **more: Any) -> subprocess.Popen[bytes]:
            self.asked.append(command)
            self.beside.append(started(command, **more))
            return self.beside[-1]

        monkeypatch.setattr(subprocess, "Popen", start)

    def compile(self, name: str) -> None:
        self.done.append(name)


class Rules:
    folder = Path("cache/rules")

    def __init__(self, is_done: bool) -> None:
        self.is_cold = not is_done


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(monkeypatch)


def python(monkeypatch: pytest.MonkeyPatch, folder: Path, line: str) -> None:
    """Another program in Python's place."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{line}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


def test_what_a_process_beside_does_not_do_is_done_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python(monkeypatch, tmp_path, "exit 1")
    compiling.compile_rules(NAMES)
    assert bench.done == ["blokus", "nibble", "chipstack"], "its own part first"
    assert [process.returncode for process in bench.beside] == [1]
    assert capsys.readouterr().err.startswith("compiling the rules of blokus, chipstack, nibble for their first use")
    compiling.compile_rules(NAMES)
    assert (bench.done[3:], len(bench.beside), capsys.readouterr().err) == ([], 1, "")


def test_where_no_process_can_be_started_all_is_done_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    compiling.compile_rules(NAMES)
    assert sorted(bench.done) == NAMES


def test_one_processor_starts_no_process(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "processors", lambda: 1)
    compiling.compile_rules(["blokus"])
    assert (bench.done, bench.beside) == (["blokus"], [])


def test_each_ruleset_is_compiled_by_one_process(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python(monkeypatch, tmp_path, "exit 0")
    monkeypatch.setattr(compiling, "processors", lambda: 3)
    with compiling._processes(registry.names(), 3):
        pass
    calls = [command[-1].partition("; ")[2] for command in bench.asked]
    assert calls == ["help_out(['chipstack', 'unionking'], 'blokus')", "help_out(['edgecolor'], None)"]


def test_an_interrupt_ends_the_processes_beside(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt(name: str) -> None:
        raise KeyboardInterrupt

    python(monkeypatch, tmp_path, "exec sleep 60")
    monkeypatch.setattr(compiling, "_compile", interrupt)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        compiling.compile_rules(NAMES)
    assert [process.returncode for process in bench.beside] == [-9]
    assert time.monotonic() - begin < 30


def beside(work: str) -> subprocess.Popen[bytes]:
    """A process beside for which compiling is something else."""
    code = f"from kifold.service import compiling; compiling._compile = lambda name: {work}; "
    words = [sys.executable, "-P", "-c", code + "compiling.help_out(['blokus'], None)"]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_process_beside_ends_when_it_is_done() -> None:
    process = beside("None")
    assert process.stderr is not None
    assert (process.wait(60), process.stderr.read()) == (0, b"")
    process.communicate()


def test_a_process_beside_ends_with_whoever_started_it() -> None:
    """Also with one that is killed: then its end of the pipe is closed."""
    process = beside("__import__('time').sleep(60)")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.communicate()  # closes it
    assert process.returncode == 1
