"""Start-up: `kifold --help` beside a bare Typer application with as many commands and options, as whole processes.

Both import Typer and print their help, so the difference is what our own modules cost. What counts is the fastest run
of each, in processor time.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import typer
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.processes import children
from kifold.service.cli import app

pytestmark = pytest.mark.benchmark(timer=children)

LIMIT = 1.3
"""The time of ours may be that of the bare one, times this."""
ROUNDS = 25
GROUP = "start-up, whole processes"
PYTHON = sys.executable

STUB = """import sys
from bare import run
if __name__ == "__main__":
    sys.exit(run())
"""


def parameters(command: typer.models.CommandInfo) -> list[str]:
    """Parameters of a bare command, one for each of ours."""
    given = inspect.signature(command.callback).parameters if command.callback else {}
    return [
        f"{name}: Annotated[str | None, typer.Option(help='An option.')] = None" for name in given if name != "context"
    ]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A command that runs an application with as many commands and options as ours, which do nothing."""
    folder = tmp_path_factory.mktemp("bare")
    lines = ["from __future__ import annotations", "import typer", "from typing import Annotated"]
    lines.append("app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)")
    for number, command in enumerate(app.registered_commands):
        lines += ["@app.command()", f"def command_{number}({', '.join(parameters(command))}) -> None:"]
        lines.append(f'    """Command number {number}, which does nothing."""')
    lines += ["def run():", "    return app()"]
    (folder / "bare.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "bare-command").write_text(STUB, encoding="utf-8")
    return [PYTHON, str(folder / "bare-command"), "--help"]


@pytest.fixture(scope="module")
def ours() -> list[str]:
    return [PYTHON, str(Path(PYTHON).with_name("kifold")), "--help"]


def run(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_both_list_as_many_commands(bare: list[str], ours: list[str]) -> None:
    for command in (bare, ours):
        listed = run(command).partition("Commands:\n")[2].splitlines()
        assert len([line for line in listed if line.startswith("  ") and line[2] != " "]) == len(
            app.registered_commands
        )


def test_help_of_kifold(benchmark: BenchmarkFixture, ours: list[str]) -> None:
    benchmark.group = GROUP
    benchmark.extra_info |= {"who": "kifold", "items": 1, "at_least": 1 / LIMIT}
    run(ours)
    benchmark.pedantic(run, (ours,), rounds=ROUNDS)


def test_help_of_a_bare_application(benchmark: BenchmarkFixture, bare: list[str]) -> None:
    benchmark.group = GROUP
    benchmark.extra_info |= {"who": "bare Typer application", "items": 1}
    run(bare)
    benchmark.pedantic(run, (bare,), rounds=ROUNDS)


def test_bare_python(benchmark: BenchmarkFixture) -> None:
    """What every Python program pays: no peer; the figure is for the reader."""
    benchmark.group = "start-up of Python"
    benchmark.pedantic(run, ([PYTHON, "-c", "pass"],), rounds=ROUNDS)
