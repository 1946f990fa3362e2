"""The benchmarks run, and their table says what falls short: small sizes, and no ratio that a busy machine or a slow
disk could miss.

A peer that is not installed (they come with `make bench`) is named, and nothing else depends on it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
QUICK = ("--short", "--benchmark-quiet", "--benchmark-max-time=0.02", "--benchmark-min-rounds=3")
OFF = ("-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-q")


def bench(margin: float, *what: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run some benchmarks in a process of their own, as `make bench` does."""
    return run_pytest(*what, *QUICK, f"--margin={margin}", **environment)


def run_pytest(*what: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a process of its own."""
    command = [sys.executable, "-m", "pytest", *what, *OFF]
    # A worker of pytest-xdist says so in its environment, and there nothing is measured.
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, cwd=ROOT, env=own | environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_promises_are_kept_by_a_wide_margin() -> None:
    files = [f"benchmarks/bench_{name}.py" for name in ("codec", "verify", "plain")]
    others = "chipstack or edgecolor or unionking or _player or hex or test_bytes"
    done = bench(10, *files, "-k", f"not ({others})")
    assert done.returncode == 0, done.stdout + done.stderr
    for work in ("blokus, encode", "blokus, verify from Parquet, one core", "nibble square9, plain Python"):
        assert work in done.stdout
    assert "FALLS SHORT" not in done.stdout


@pytest.mark.slow
def test_sizes_that_no_machine_changes_are_kept() -> None:
    """Small stores have a little more for each event; and the two that ARCHITECTURE calls out of reach stay there."""
    done = bench(1.2, "benchmarks/bench_archive.py", "benchmarks/bench_codec.py", "-k", "archive or test_bytes")
    assert done.returncode == 0, done.stdout + done.stderr
    for work in ("blokus, codec", "blokus, random play, event columns", "blokus, greedy play, everything"):
        assert f"{work} (bytes per event)" in done.stdout
    assert "FALLS SHORT" not in done.stdout


@pytest.mark.slow
def test_a_missing_peer_is_named_and_fails_nothing(tmp_path: Path) -> None:
    (tmp_path / "chess.py").write_text('raise ModuleNotFoundError("there is no chess")\n', encoding="utf-8")
    done = bench(10, "benchmarks/bench_plain.py", "-k", "square9", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 1 skipped" in done.stdout
    assert "python-chess is missing: make bench installs it" in done.stdout.partition("promises")[2]


@pytest.mark.parametrize("option", ["--short", "--benchmark-disable"])
def test_figures_that_are_no_measurement_are_not_saved(option: str) -> None:
    baseline = ROOT / "benchmarks" / "baseline.json"
    before = baseline.read_bytes()
    done = run_pytest("benchmarks/bench_codec.py", "--collect-only", "--save-baseline", option)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"--save-baseline saves what was measured, and with {option} nothing is" in done.stderr
    assert baseline.read_bytes() == before


def test_a_run_that_measures_no_speed_says_so() -> None:
    done = run_pytest("benchmarks/bench_codec.py", "-k", "none", "--benchmark-disable")
    assert "no speed was measured, and none is in the table (--benchmark-disable)" in done.stdout


@pytest.mark.slow
def test_what_falls_short_is_said_and_fails_the_run() -> None:
    done = bench(0.1, "benchmarks/bench_codec.py", "-k", "bytes and nibble")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FALLS SHORT" in done.stdout
