"""First use after install: what is compiled, how long that takes, and how long the second process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.processes import children
from benchmarks.promises import Promise
from kifold.core.registry import names

GAMES = 1000
FIRST, SECOND = 10.0, 1.5
"""Seconds."""


@dataclass(frozen=True)
class Run:
    """A process that has ended well: its seconds by the clock and of processors, and what it said."""

    seconds: float
    work: float
    out: str
    err: str

    @property
    def beside(self) -> str:
        return f"{self.work:.1f} s of processors"


def kifold(cache: Path, store: Path, *words: str) -> Run:
    """Run a command with its own cache."""
    command = [str(Path(sys.executable).with_name("kifold")), "--store", str(store), *words]
    environment = os.environ | {"KIFOLD_CACHE": str(cache)}
    environment.pop("KIFOLD_BOUNDSCHECK", None)
    before, used = time.perf_counter(), children()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Run(time.perf_counter() - before, children() - used, done.stdout, done.stderr)


@pytest.mark.parametrize("name", names())
def test_first_use(name: str, tmp_path: Path, promise: Callable[[Promise], None]) -> None:
    simulation = ("simulate", name, "--games", str(GAMES))
    first = kifold(tmp_path / "cache", tmp_path / "first", *simulation)
    assert "compiling the rules of " + name in first.err
    # Beside those of rules there are folders of what all rulesets share.
    compiled = [folder.name.partition("_")[0] for folder in (tmp_path / "cache" / "compiled").iterdir()]
    assert [each for each in compiled if each in names()] == [name]
    second = kifold(tmp_path / "cache", tmp_path / "second", *simulation)
    assert "compiling" not in second.err
    verify = kifold(tmp_path / "cache", tmp_path / "second", "verify")
    assert f"{GAMES:,} exact" in verify.out
    for work, run, bound in (
        (f"first use: simulate {GAMES:,}", first, FIRST),
        (f"second process: simulate {GAMES:,}", second, SECOND),
        ("second process: verify them", verify, SECOND),
    ):
        promise(Promise(f"{name}, {work} (seconds)", run.seconds, bound, beside=run.beside))
