"""Stores to test on: finished matches of Blokus Duo, played at random in plain Python, recorded or archived."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from kifold.core.events import Event, Noted, Resigned, Started, Undone
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.archiving import archive
from kifold.records.forking import fork
from kifold.records.store import Store
from kifold.replay.causes import Report, Verdict
from kifold.replay.verify import Work, verify_store
from tests.rulesets.matches import random_log

ROOT = Path(__file__).resolve().parents[1]
SEED = 20


def quiet(matches: int, events: int) -> None:
    """Progress that nobody watches."""


def duo() -> Started:
    return BLOKUS.start("duo")


@cache
def game(number: int) -> tuple[Event, ...]:
    """The events of a finished match of Blokus Duo, some 30."""
    return tuple(random_log(BLOKUS, duo(), SEED, number)[1])


def record(store: Store, number: int, length: int | None = None) -> int:
    """Record a game, or its beginning, in one append."""
    match = store.new(duo(), ("Ada", "Bo"))
    store.append(match, game(number)[:length], expected_seq=0)
    return match


def as_in_format(store: Store, number: int) -> None:
    """Take out of a journal what formats after `number`, 1 or 2, added."""
    with store.journal.writing() as db:
        db.execute("ALTER TABLE keys DROP COLUMN first_seq")
        for table in ("forks", "pins") if number == 1 else ():
            db.execute(f"DROP TABLE {table}")
        db.execute("UPDATE meta SET value = ? WHERE key = 'format'", (str(number),))


def circles(store: Store) -> tuple[int, int, int, int, int]:
    """A match; two forks of which each is listed as the parent of the other; one that is its own parent; a fork of the
    second.
    """
    root = record(store, 0)
    one = fork(store, root, 9)
    two, alone = fork(store, one, 9), fork(store, root, 9)
    below = fork(store, two, 9)
    with store.journal.writing() as db:
        db.execute("UPDATE forks SET parent = ? WHERE match = ?", (two, one))
        db.execute("UPDATE forks SET parent = match WHERE match = ?", (alone,))
    return root, one, two, alone, below


def varied(number: int) -> Sequence[Event]:
    """A finished game with a note, something taken back and played on, and perhaps a seat that gives up."""
    events = game(number)
    log: list[Event] = [*events[:9], Noted("comment", ("hm", "")), *events[9:20], Undone(14), *events[13:]]
    return [*log[:-4], Resigned(1), Noted("comment", ("sorry",))] if number % 2 else log


def fill(store: Store, matches: int = 4) -> list[int]:
    """Record finished matches: as many plain ones and as many with notes, corrections and resignations; the ids."""
    found = [record(store, number) for number in range(matches)]
    return found + [store.new(duo(), ("Ada", "Bo"), varied(number)) for number in range(matches)]


def fill_files(store: Store) -> None:
    """Fill a store with an archive file of eight matches, one of a single match, and a live match."""
    fill(store)
    archive_all(store)
    record(store, 5)
    archive_all(store)
    record(store, 6, 4)


def archive_all(store: Store) -> int:
    moved, stay = archive(store, quiet)
    assert stay == []
    return moved


@dataclass(slots=True)
class Failures(Report):
    """A report that keeps what is said of each match that failed."""

    failures: list[Verdict] = field(default_factory=list)

    def add(self, verdicts: Sequence[Verdict], events: int) -> None:
        Report.add(self, verdicts, events)
        self.failures += [one for one in verdicts if not one.is_fine]


def verified(folder: Path) -> Failures:
    """The report of verifying a store."""
    report = Failures()
    with Store(folder, create=False) as store:
        verify_store(store, Work(report, None, 1))
    return report


def assert_exact(folder: Path, matches: int) -> None:
    """Every match of the store is verified exact, and there are so many."""
    report = verified(folder)
    assert (report.unreadable, [str(one) for one in report.failures]) == ([], [])
    assert report.counts["exact"] == matches


def process(function: Callable[..., Any], *arguments: str | int) -> subprocess.Popen[str]:
    """A new Python process that calls a function of a module with numbers and texts."""
    code = f"from {function.__module__} import {function.__name__} as f; f(*{arguments!r})"
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def run_together(calls: Sequence[tuple[Callable[..., Any], Sequence[str | int]]]) -> list[str]:
    """Call functions, each in a process of its own and at the same time; what they printed."""
    running = [process(function, *arguments) for function, arguments in calls]
    try:
        said = [one.communicate(timeout=120)[0] for one in running]
    finally:
        for one in running:
            one.kill()
            one.wait()
    assert [one.returncode for one in running] == [0] * len(running)
    return said
