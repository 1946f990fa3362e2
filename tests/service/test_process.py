"""The command as a process: what it imports, its environment, pipes, signals."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.stores import record

KIFOLD = str(Path(sys.executable).with_name("kifold"))
HEAVY = {"numba", "numpy", "llvmlite", "pyarrow", "duckdb", "rich", "concurrent.futures", "multiprocessing"}


@pytest.fixture
def match(tmp_path: Path) -> str:
    with Store(tmp_path / "store") as store:
        return id_text(record(store, 0, 4))


def kifold(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KIFOLD_STORE", "XDG"))}
    return subprocess.run([KIFOLD, *arguments], env=kept | environment, capture_output=True, text=True, check=False)


def imported(*arguments: str) -> set[str]:
    """The modules that a command has imported."""
    code = (
        "import sys, json; from kifold.service.cli import run; status = run(sys.argv[1:]); "
        "print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)"
    )
    said = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    status, modules = json.loads(said.stderr)
    assert status == 0
    return set(modules)


@pytest.mark.parametrize(
    "line",
    ["--help", "--version", "append --help", "show MATCH", "show MATCH --as svg", "show MATCH --as json", "log",
     "log MATCH", "rulesets", "rulesets blokus", "new blokus", 'append MATCH {"event":"resigned","seat":0}',
     "delete MATCH --yes"],
)  # fmt: skip
def test_commands_on_one_match_import_nothing_heavy(tmp_path: Path, match: str, line: str) -> None:
    modules = imported("--store", str(tmp_path / "store"), *line.replace("MATCH", match).split())
    assert not modules & HEAVY
    if "--help" in line or line == "--version":
        ours = {module for module in modules if module.startswith(("kifold.core.", "kifold.records"))}
        assert ours <= {"kifold.core.counted", "kifold.core.processors"}


def test_exit_status_and_streams(tmp_path: Path, match: str) -> None:
    store = ("--store", str(tmp_path / "store"))
    for arguments, status in (
        (("show", match), 0),
        (("append", match, '{"event": "resigned", "seat": 9}'), 1),
        (("append", match, "{"), 2),
        (("nope",), 2),
    ):
        said = kifold(*store, *arguments)
        assert said.returncode == status
        assert said.stderr.count("\n") == (status != 0)
        assert "Traceback" not in said.stderr
        assert bool(said.stdout) == (status == 0)
    said = kifold(*store, "--debug", "append", match, "{")
    assert said.returncode == 2
    assert said.stderr.startswith("Traceback (most recent call last):\n")
    assert said.stderr.splitlines()[-1].startswith("kifold: event '{' is no JSON: ")


# Where the store lies


def test_the_store_is_that_of_the_option_then_of_the_environment_then_the_default(tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("option", "environment", "data", "home")}
    said = kifold("new", "blokus", HOME=str(places["home"]))
    assert said.returncode == 0, said.stderr
    said = kifold("new", "blokus", HOME=str(places["home"]), XDG_DATA_HOME=str(places["data"]))
    assert said.returncode == 0, said.stderr
    more = {
        "HOME": str(places["home"]),
        "XDG_DATA_HOME": str(places["data"]),
        "KIFOLD_STORE": str(places["environment"]),
    }
    assert kifold("new", "blokus", **more).returncode == 0
    assert kifold("--store", str(places["option"]), "new", "blokus", **more).returncode == 0
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("journal.sqlite"))
    assert found == [
        "data/kifold/journal.sqlite",
        "environment/journal.sqlite",
        "home/.local/share/kifold/journal.sqlite",
        "option/journal.sqlite",
    ]
    assert "KIFOLD_STORE" in kifold("--help").stdout


# Pipes and terminals


@pytest.mark.parametrize(
    "line", ["sql 'select * from range(100000)' --format csv", "log MATCH", "export MATCH", "--help"]
)
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, match: str, line: str) -> None:
    command = f"{KIFOLD} --store {tmp_path / 'store'} {line.replace('MATCH', match)} | head -1; echo ${{PIPESTATUS[0]}}"
    said = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert said.stderr == ""
    assert said.stdout.splitlines()[-1] == "0"
    assert len(said.stdout.splitlines()) == 2


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a command writes to a terminal."""
    main, other = pty.openpty()
    process = subprocess.Popen([KIFOLD, *arguments], stdout=other, stderr=other, env=os.environ | environment)
    os.close(other)
    said = b""
    try:
        while part := os.read(main, 65536):
            said += part
    except OSError:  # so the terminal's end is told
        pass
    os.close(main)
    assert process.wait() == 0
    return said.decode()


def test_colour_is_for_terminals_and_can_be_declined(tmp_path: Path, match: str) -> None:
    arguments = ("--store", str(tmp_path / "store"), "show", match)
    coloured = on_a_terminal(*arguments)
    assert "\x1b[" in coloured
    plain = on_a_terminal(*arguments, NO_COLOR="1")
    assert "\x1b[" not in plain
    assert kifold(*arguments).stdout == plain.replace("\r\n", "\n")


# Signals


def test_an_interruption_is_said_in_one_line(tmp_path: Path) -> None:
    # Whoever runs the tests in the background has them ignore the signal, and so would the command.
    code = "import signal; signal.signal(2, signal.default_int_handler); from kifold.service.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "--store", str(tmp_path / "store"),
         "simulate", "blokus", "--games", "10000000", "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not list(tmp_path.rglob("*.writing")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    # On a busy machine it takes so long to end that the way to end at once is said.
    lines = [line for line in err.splitlines() if not line.startswith(("compiling", "kifold: ending; "))]
    assert lines[-1] == "kifold: interrupted"
    assert lines[0].startswith("simulating blokus: stopped after ")
    assert lines[0].endswith("; what was finished is kept")
    assert len(lines) == 2
    assert list(tmp_path.rglob("*.writing")) == []
    with Store(tmp_path / "store") as store:
        assert store.counts()["blokus"][1] > 0


def test_without_a_home_the_store_has_to_be_named(tmp_path: Path) -> None:
    """As in a container that runs as a user whom its system does not know."""
    code = (
        "import os, pwd, sys; os.environ.pop('HOME', None); os.environ.pop('XDG_DATA_HOME', None); "
        "pwd.getpwuid = lambda number: {}[number]; from kifold.service.cli import main; main()"
    )
    for arguments, status, words in (
        (["log"], 2, "kifold: there is no home folder: name the store with --store or KIFOLD_STORE\n"),
        (["rulesets"], 0, ""),
        (["--store", str(tmp_path), "new", "blokus"], 0, ""),
    ):
        said = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        assert (said.returncode, said.stderr) == (status, words)
