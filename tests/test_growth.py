"""What `make growth` makes of sizes and curves, with costs that nobody measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUN = """
import sys
from benchmarks import growth

def costs(matches, folder):
    print("measured", matches)
    yield "verify", growth.Cost(matches, 1.0, matches * (3e-6 if matches > 1000 else 1e-6), 100.0)

growth.costs, growth.kifold = costs, lambda *words: None
sys.exit(growth.main(["--sizes", *sys.argv[1:]]))
"""
"""A match costs a microsecond, and where there are more than 1,000 three."""


def run(sizes: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", RUN, *sizes.split()]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("sizes", ["50 50", "10 100 50", "0 10 20"])
def test_sizes_that_do_not_ascend_are_refused_before_anything_is_measured(sizes: str) -> None:
    done = run(sizes)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--sizes have to ascend from 1 or more, not {sizes}" in done.stderr


@pytest.mark.parametrize(
    ("sizes", "status", "said"),
    [
        ("10 100", 0, "nothing was compared: that takes 3 sizes"),
        ("10 100 1000", 0, " MB"),
        ("10 100 2000", 1, "a further match costs 3.1 µs, before 1.0 µs (allowed: 1.3 ×)"),
    ],
)
def test_what_is_said_of_curves(sizes: str, status: int, said: str) -> None:
    done = run(sizes)
    assert (done.returncode, done.stderr) == (status, "")
    assert [line for line in done.stdout.splitlines() if line.startswith("measured")] == [
        f"measured {size}" for size in sizes.split()
    ]
    assert done.stdout.splitlines()[-1].endswith(said)
