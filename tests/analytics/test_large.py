"""Large stores and large answers: what they cost is printed (`pytest -s`), not judged; memory stays what it is."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.counting import Choice
from kifold.analytics.openings import openings
from kifold.analytics.query import run
from kifold.analytics.scores import scores
from kifold.core.events import Undone
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.store import Store
from tests.analytics.mixed import simulate
from tests.stores import duo, game

GAMES = 10_000
DELETED = 2_000


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store", durability="off") as store:
        simulate(store, duo(), GAMES)
        yield store


@pytest.mark.slow
def test_ten_thousand_matches(large: Store) -> None:
    def timed(what: str) -> None:
        begin = perf_counter()
        with connect(large, BLOKUS) as sql:
            connected = perf_counter()
            found = openings(sql, BLOKUS, 1, Choice())
            first = perf_counter()
            deeper = openings(sql, BLOKUS, 4, Choice())
            second = perf_counter()
            fared = scores(sql, BLOKUS, Choice())
            print(
                f"{what}: connected in {connected - begin:.2f} s, openings {first - connected:.2f} s, of depth 4 "
                f"{second - first:.2f} s, scores {perf_counter() - second:.2f} s"
            )
            [(matches,)] = run(sql, "SELECT count(*) FROM matches WHERE finished").rows
        assert sum(row[3] for row in found.rows) == sum(row[3] for row in deeper.rows) == matches
        assert [row[3] for row in fared.rows] == [matches, matches]

    timed(f"{GAMES:,} matches")
    large.new(duo(), (), [game(0)[0], Undone(0), *game(1)])
    timed("and one in which something was taken back")
    gone = [row[0] for row in large.journal.rows(f"SELECT match FROM archived ORDER BY match LIMIT {DELETED}")]
    for match in gone:
        large.delete(match)
    timed(f"and {DELETED:,} deleted")


CALL = """
import re, sys
from pathlib import Path
from kifold.service.cli import run
status = run(sys.argv[1:])
most = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(status, int(most[1]) // 1024, file=sys.stderr)
"""


def megabytes(folder: Path, form: str, rows: int) -> int:
    """The most memory that the command takes to write so many rows."""
    query = f"SELECT range AS n, 'text ' || repeat(range::VARCHAR, 30) AS t FROM range({rows})"
    call = ["--store", str(folder), "sql", query, "--format", form, "--out", str(folder / "out")]
    said = subprocess.run([sys.executable, "-c", CALL, *call], capture_output=True, text=True, check=True)
    status, most = said.stderr.split()
    assert status == "0"
    return int(most)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux says how much memory a process took at most")
def test_a_large_answer_is_not_held_in_memory(store: Store) -> None:
    """As Python values it would take some 200 MB, as one text in JSON as much."""
    few = megabytes(store.folder, "csv", 10)
    for form in ("table", "csv", "json", "parquet"):
        many = megabytes(store.folder, form, 300_000)
        print(f"{form}: {few} MB for 10 rows, {many} MB for 300,000")
        assert many < few + 120


@pytest.mark.parametrize("when", ["while it runs", "as it begins", "before it is begun"])
def test_a_long_query_can_be_interrupted(store: Store, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """DuckDB alone does not look for Ctrl-C, and the command could only be killed. It forgets an interrupt that comes
    before the query is running.
    """
    main = threading.main_thread()
    if threading.current_thread() is not main or main.ident is None:
        pytest.skip("signals come to the main thread")
    interrupt = partial(signal.pthread_kill, main.ident, signal.SIGINT)
    timer = threading.Timer(0.5, interrupt)
    submit = ThreadPoolExecutor.submit

    def begun(work: Callable[[], None]) -> None:
        if when == "while it runs":
            timer.start()
        elif when == "as it begins":
            interrupt()
            sleep(0.2)
        work()

    def submitted(pool: ThreadPoolExecutor, work: Callable[[], None]) -> Future[None]:
        found = submit(pool, begun, work)
        if when == "before it is begun":
            interrupt()
        return found

    monkeypatch.setattr(ThreadPoolExecutor, "submit", submitted)
    long = "SELECT count(*) FROM range(1000000) a, range(10000000) b WHERE hash(a.range + b.range) = 7"
    with connect(store, BLOKUS) as sql:
        with pytest.raises(KeyboardInterrupt):
            run(sql, long)
        monkeypatch.undo()
        assert run(sql, "SELECT 1").rows == [(1,)]
