"""Bytes of the archive of Blokus beside the information that is in a placement, and how fast its columns decode."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks.folds import folder, played
from benchmarks.promises import Promise
from benchmarks.stores import simulated
from kifold.core.registry import ruleset

pytestmark = pytest.mark.benchmark(timer=time.process_time)

MATCHES = 20_000


def floor(policy: str) -> float:
    """Bytes of a placement if each of the legal ones were as likely as any other: log2(legal moves) / 8."""
    (corpus, *_) = played(ruleset("blokus").start(), 200, greedy=policy == "greedy")
    return float(np.log2(folder("blokus").count_legal(corpus)).mean() / 8)


def size(folder: Path) -> int:
    """Bytes of the files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def decoded(files: list[Path]) -> int:
    """Read the columns of events; how many there are."""
    return sum(len(pq.read_table(path, use_threads=False, partitioning=None)) for path in files)


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_archive(policy: str, tmp_path: Path, short: bool, promise: Callable[[Promise], None], benchmark: Any) -> None:
    simulated(tmp_path, "blokus", 4000 if short else MATCHES, policy=policy, workers=2)
    files = sorted((tmp_path / "archive" / "events").rglob("*.parquet"))
    events = benchmark.pedantic(decoded, (files,), rounds=3)
    speed = events / benchmark.stats.stats.min
    columns, archive = size(tmp_path / "archive" / "events"), size(tmp_path / "archive")
    beside = f"floor {floor(policy):.2f}, decoded at {speed:,.0f} events/s"
    what = f"blokus, {policy} play"
    promise(Promise(f"{what}, event columns (bytes per event)", columns / events, 2.6, 2.2, beside=beside))
    beside = f"the journal, which lists where each match lies, included; without it {archive / events:.2f}"
    promise(Promise(f"{what}, everything (bytes per event)", size(tmp_path) / events, 3.5, 2.8, beside=beside))
