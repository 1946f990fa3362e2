"""Inputs for `benchmarks.growth` out of a store of simulated matches: a record file, or a store of live matches."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from kifold.records.formats import format_of
from kifold.records.log import BATCH, Log
from kifold.records.store import Store


def write_file(logs: Iterator[Log], path: Path) -> None:
    """Write matches as a record file."""
    with path.open("wb") as file:
        format_of(path).write(logs, file)


def make_live(logs: Iterator[Log], folder: Path) -> None:
    """Put ended matches into the journal of a new store, many in one transaction."""
    with Store(folder, durability="off") as store:
        while batch := list(islice(logs, BATCH)):
            with store.journal.writing():
                for log in batch:
                    store.journal.insert(log, is_over=True)


def main() -> None:
    """Make what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth_inputs", description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--live", type=Path)
    given = parser.parse_args()
    with Store(given.store, create=False) as store:
        if given.file:
            write_file(store.logs(), given.file)
        if given.live:
            make_live(store.logs(), given.live)


if __name__ == "__main__":
    main()
