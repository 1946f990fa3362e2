"""Growth of cost: seconds and peak memory of whole commands at 10,000, 100,000 and 1,000,000 matches.

    python -m benchmarks.growth [--sizes 10000 100000 1000000] [--folder FOLDER]

Prints a line for each command and size, and exits with status 1 where a curve is not straight: where the processor time
of each further match grows from one step to the next, or where the peak of memory grows from the second size on. Of
`openings`, which groups all matches at once, a further match may take as much memory as in the step before. Start-up
drops out, since only what further matches cost is compared: so of fewer than three sizes nothing can be said. The
folder takes some gigabytes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

# Nothing but the standard library here: a child's peak begins with the memory of who started it.

FEWEST = 3
"""Of so many sizes there are two steps to compare."""
SIZES = (10_000, 100_000, 1_000_000)
RULESET, VARIANT = "blokus", "duo"
STRAIGHT = 1.3
"""A further match may cost so many times what it cost in the step before."""
GROWING = ("openings",)
"""What may need memory for each match."""
FLAT = 1.25
"""The peak of memory may be so many times that of the second size."""


@dataclass(frozen=True)
class Cost:
    """What a command took for a number of matches.

    Attributes:
        seconds: by the clock; `work`: of processors, all threads together.
        peak: of its memory, in megabytes.
    """

    matches: int
    seconds: float
    work: float
    peak: float


def measured(matches: int, *command: str) -> Cost:
    """Run a command.

    Raises:
        SystemExit: when it fails.
    """
    with tempfile.TemporaryFile("w+") as said:
        before = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - before
        if status:
            said.seek(0)
            sys.exit(f"{' '.join(command)}: failed with status {os.waitstatus_to_exitcode(status)}\n{said.read()}")
    return Cost(matches, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def kifold(matches: int, store: Path, *words: str) -> Cost:
    """Run a command of kifold on a store."""
    return measured(matches, str(Path(sys.executable).with_name("kifold")), "--store", str(store), *words)


def costs(matches: int, folder: Path) -> Iterator[tuple[str, Cost]]:
    """What each command takes with so many matches, each on a store that the one before has not touched."""
    simulated, imported, live = folder / "simulated", folder / "imported", folder / "live"
    record = folder / "matches.blksgf"
    yield "simulate", kifold(matches, simulated, "simulate", RULESET, "--variant", VARIANT, "--games", str(matches))
    yield "verify", kifold(matches, simulated, "verify")
    yield "openings", kifold(matches, simulated, "openings", RULESET)
    inputs = (sys.executable, "-m", "benchmarks.growth_inputs", str(simulated))
    measured(matches, *inputs, "--file", str(record))
    yield "import", kifold(matches, imported, "import", str(record))
    shutil.rmtree(imported)
    record.unlink()
    measured(matches, *inputs, "--live", str(live))
    yield "archive", kifold(matches, live, "archive")


def lines(work: str, curve: Sequence[Cost]) -> list[str]:
    """A line for each size."""
    return [
        f"{work:10} {one.matches:>10,} {one.seconds:>9.1f} s {one.work:>9.1f} s of work "
        f"{1e6 * one.work / one.matches:>9.1f} µs/match {one.peak:>7.0f} MB"
        for one in curve
    ]


def bends(work: str, curve: Sequence[Cost]) -> list[str]:
    """Where a curve is not straight, in words."""
    found = []
    steps = [1e6 * (b.work - a.work) / (b.matches - a.matches) for a, b in pairwise(curve)]
    for (before, after), size in zip(pairwise(steps), curve[2:], strict=True):
        if after > STRAIGHT * before:
            found.append(
                f"{work}: up to {size.matches:,} a further match costs {after:.1f} µs, before {before:.1f} µs "
                f"(allowed: {STRAIGHT} ×)"
            )
    room = [1e3 * (b.peak - a.peak) / (b.matches - a.matches) for a, b in pairwise(curve)]
    for (before, after), size in zip(pairwise(room), curve[2:], strict=True):
        if work in GROWING and after > STRAIGHT * before:
            found.append(
                f"{work}: up to {size.matches:,} a further match takes {after:.2f} kB, before {before:.2f} kB "
                f"(allowed: {STRAIGHT} ×)"
            )
    for one in curve[2:] if work not in GROWING else ():
        if one.peak > FLAT * curve[1].peak:
            found.append(
                f"{work}: {one.peak:.0f} MB at {one.matches:,} matches, {curve[1].peak:.0f} MB at "
                f"{curve[1].matches:,} (allowed: {FLAT} ×)"
            )
    return found


def main(arguments: Sequence[str]) -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of matches, ascending")
    parser.add_argument("--folder", type=Path, help="where to work; by default the folder for temporary files")
    given = parser.parse_args(arguments)
    if given.sizes[0] < 1 or any(before >= after for before, after in pairwise(given.sizes)):
        parser.error(f"--sizes have to ascend from 1 or more, not {' '.join(map(str, given.sizes))}")
    curves: dict[str, list[Cost]] = {}
    with tempfile.TemporaryDirectory(prefix="kifold-growth-", dir=given.folder) as place:
        kifold(1, Path(place) / "warm", "simulate", RULESET, "--games", "1")
        for matches in given.sizes:
            folder = Path(place) / str(matches)
            folder.mkdir()
            for work, cost in costs(matches, folder):
                curves.setdefault(work, []).append(cost)
                print(*lines(work, [cost]), flush=True)
            shutil.rmtree(folder)
    print()
    for work, curve in curves.items():
        print(*lines(work, curve), sep="\n")
    found = [bend for work, curve in curves.items() for bend in bends(work, curve)]
    print(*(f"NOT STRAIGHT: {bend}" for bend in found), sep="\n", end="\n" if found else "")
    if len(given.sizes) < FEWEST:
        print(f"nothing was compared: that takes {FEWEST} sizes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
