"""Help, completion, and examples that are there for every command."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from kifold.service.cli import app
from tests.service.conftest import Kifold

KIFOLD = str(Path(sys.executable).with_name("kifold"))

COMMANDS = sorted(
    command.name or command.callback.__name__ for command in app.registered_commands if command.callback is not None
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(kifold: Kifold, command: str) -> None:
    said = kifold(command, "--help")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith(f"Usage: kifold {command} ")
    assert f"Example: kifold {command}" in " ".join(said.out.split())
    assert not said.out.isupper()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_list_of_commands_says_what_each_does(kifold: Kifold, command: str) -> None:
    lines = [line.split() for line in kifold("--help").out.splitlines()]
    assert any(line[:1] == [command] and len(line) > 3 for line in lines)


def test_no_command_at_all_is_answered_with_help(capsys: pytest.CaptureFixture[str]) -> None:
    from kifold.service.cli import run

    assert run([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Usage: kifold [OPTIONS] COMMAND [ARGS]...")
    assert "Example: kifold demo" in said.err


def test_version(kifold: Kifold) -> None:
    assert kifold("--version").out == f"kifold {version('kifold')}\n"


def complete(line: str) -> list[str]:
    words = line.split(" ")
    place = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_KIFOLD_COMPLETE": "complete_bash"}
    said = subprocess.run([KIFOLD], env=os.environ | place, capture_output=True, text=True, check=True)
    assert said.stderr == ""
    return said.stdout.split()


def test_completion() -> None:
    assert complete("kifold ve") == ["verify"]
    assert set(complete("kifold ")) >= set(COMMANDS)
    assert "--expected-seq" in complete("kifold append --e")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_completion(shell: str) -> None:
    place = {"_KIFOLD_COMPLETE": f"source_{shell}"}
    said = subprocess.run([KIFOLD], env=os.environ | place, capture_output=True, text=True, check=True)
    assert "kifold" in said.stdout
