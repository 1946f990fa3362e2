"""Compiling at first use: said, shared out among processes, and done here where another process does not do it."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kifold.core import registry
from kifold.core.compiled import Compiled
from kifold.core.corpus import Folder
from kifold.records.store import Store
from kifold.service import compiling
from tests.races import record_races
from tests.service.conftest import Kifold

if TYPE_CHECKING:
    from tests.installing import Revise

NAMES = ["blokus", "chipstack", "nibble"]
WANTED = dict.fromkeys(NAMES, compiling.PLAY)


class Bench:
    """Rules that count as compiled once this process was asked to, and the processes beside it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.done: list[str] = []
        self.folder = folder / "cache" / "rules"
        self.beside: list[subprocess.Popen[bytes]] = []
        self.asked: list[list[str]] = []
        monkeypatch.setattr(compiling, "_compile", self.compile)
        monkeypatch.setattr(compiling, "processors", lambda: 2)
        monkeypatch.setattr("kifold.core.compiled.compiled", lambda rules: Rules(self.folder, rules.name in self.done))
        started = subprocess.Popen

        def start(command: list[str], **more: Any) -> subprocess.Popen[bytes]:
            self.asked.append(command)
            self.beside.append(started(command, **more))
            return self.beside[-1]

        monkeypatch.setattr(subprocess, "Popen", start)

    def compile(self, name: str, loops: Sequence[str]) -> None:
        assert tuple(loops) == compiling.PLAY
        self.done.append(name)


class Rules:
    is_announced = False

    def __init__(self, folder: Path, is_done: bool) -> None:
        self.folder, self.is_done = folder, is_done

    def lacking(self, loops: Sequence[str]) -> list[str]:
        return [] if self.is_done else list(loops)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bench:
    return Bench(monkeypatch, tmp_path)


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
    compiling.compile_rules(WANTED)
    assert bench.done == ["blokus", "nibble", "chipstack"], "its own part first"
    assert [process.returncode for process in bench.beside] == [1]
    assert capsys.readouterr().err.startswith("compiling the rules of blokus, chipstack, nibble for their first use")
    compiling.compile_rules(WANTED)
    assert (bench.done[3:], len(bench.beside), capsys.readouterr().err) == ([], 1, "")


def test_where_no_process_can_be_started_all_is_done_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    compiling.compile_rules(WANTED)
    assert sorted(bench.done) == NAMES


def test_one_processor_starts_no_process(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "processors", lambda: 1)
    compiling.compile_rules({"blokus": compiling.PLAY})
    assert (bench.done, bench.beside) == (["blokus"], [])


def test_where_nothing_can_be_kept_no_process_is_started_and_it_is_said(
    bench: Bench, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    bench.folder.parent.write_text("not a folder")
    compiling.compile_rules(WANTED)
    assert (sorted(bench.done), bench.beside) == (NAMES, [])
    assert [record.message.partition(": ")[0] for record in caplog.records] == [
        f"compiled rules cannot be kept in {bench.folder.parent} (Not a directory)"
    ]
    assert "(up to ten seconds each; not kept)" in capsys.readouterr().err


def test_each_ruleset_is_compiled_by_one_process(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python(monkeypatch, tmp_path, "exit 0")
    monkeypatch.setattr(compiling, "processors", lambda: 3)
    with compiling._processes(dict.fromkeys(registry.names(), compiling.PLIES), 3):
        pass
    calls = [command[-1].partition("; ")[2] for command in bench.asked]
    assert calls == [
        "help_out({'chipstack': ('list_plies',), 'unionking': ('list_plies',)}, {'blokus': ('list_plies',)})",
        "help_out({'edgecolor': ('list_plies',)}, {})",
    ]


def test_an_interrupt_ends_the_processes_beside(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt(name: str, loops: Sequence[str]) -> None:
        raise KeyboardInterrupt

    python(monkeypatch, tmp_path, "exec sleep 60")
    monkeypatch.setattr(compiling, "_compile", interrupt)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        compiling.compile_rules(WANTED)
    assert [process.returncode for process in bench.beside] == [-9]
    assert time.monotonic() - begin < 30


def beside(work: str) -> subprocess.Popen[bytes]:
    """A process beside for which compiling is something else."""
    code = f"from kifold.service import compiling; compiling._compile = lambda name, loops: {work}; "
    words = [sys.executable, "-P", "-c", code + "compiling.help_out(dict(blokus=[]), dict())"]
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


# What commands ask for


RUN_BY = {"fold": "fold_corpus", "states": "fold_states", "plies": "list_plies", "play": "play_corpus"}


class Loops:
    """The loops that a command asked for beforehand, and those that it ran: of which rules, and which."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = set[tuple[str, str]]()
        self.run = set[tuple[str, str]]()

        def lacking(code: Compiled, names: Sequence[str]) -> list[str]:
            self.asked |= {(code.name, loop) for loop in names}
            return []

        monkeypatch.setattr(Compiled, "lacking", lacking)
        for method, loop in RUN_BY.items():
            monkeypatch.setattr(Folder, method, self.watched(getattr(Folder, method), loop))

    def watched(self, method: Any, loop: str) -> Any:
        def run(folder: Folder, *arguments: Any, **named: Any) -> Any:
            self.run.add((folder.code.name, loop))
            return method(folder, *arguments, **named)

        return run


def each(names: Sequence[str], loops: Sequence[str]) -> set[tuple[str, str]]:
    return {(name, loop) for name in names for loop in loops}


@pytest.mark.slow
def test_commands_ask_for_the_loops_that_they_run(
    kifold: Kifold, folder: Path, revise: Revise, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For all, and for no others: each takes seconds to compile."""
    rules = revise("most_four")
    with Store(folder, durability="off") as store:
        record_races(store, rules, 130)  # under revision 1 260 that have ended and hold nothing odd; under 2 130
    old, new, both = ["race@1"], ["race@2"], ["race@1", "race@2"]
    csv = folder.with_suffix(".csv")
    for command, wanted in (
        ("simulate race --games 300", each(new, compiling.PLAY)),
        ("openings race", each(old, compiling.FOLD)),
        (f"sql --out {csv} 'select 1 from plies'", each(old, compiling.FOLD) | each(both, compiling.PLIES)),
        ("coverage race", each(both, compiling.FOLD)),
        ("archive", each(old, compiling.FOLD)),
        ("plies", each(both, compiling.PLIES)),
        ("verify --ruleset race", each(both, compiling.FOLD)),
        ("verify --ruleset race@2", each(both, compiling.FOLD + compiling.STATES)),
        ("promote race@2", each(both, compiling.FOLD + compiling.STATES)),
    ):
        with monkeypatch.context() as watched:
            loops = Loops(watched)
            said = kifold(*shlex.split(command))
        assert loops.run == wanted, (command, said)
        assert loops.asked == wanted, command
    loops = Loops(monkeypatch)
    kifold("verify", "--ruleset", "race@2", "--explore", 36)
    assert loops.run >= {("race@1", "play_corpus"), ("race@2", "fold_states")}
    assert loops.asked == loops.run
