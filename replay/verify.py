"""Verification: every stored log folded again, and compared with what was stored beside it.

A match gets the first verdict that holds: `damaged` (its digest, or its rows, are not what was written), `illegal` (the
rules refuse an event), `diverged` (the fold is legal and arrives elsewhere), `unverified` (the rules it is pinned to
are not installed), `exact`. Nothing that is stored is trusted; unfinished is a label and no failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pyarrow as pa

from kifold.core.compiled import compiled
from kifold.core.corpus import Folded, Folder
from kifold.core.events import Started
from kifold.core.options import RulesetError
from kifold.core.play import Refused, standings
from kifold.core.registry import names, ruleset
from kifold.core.ruleset import CHANCE, NOBODY, SNAPSHOT, Ruleset
from kifold.records.archive import FileReader
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.judge import FINGERPRINT_SIZE, Judged, fingerprint, judge_log
from kifold.records.log import Log
from kifold.records.reading import Group, digests, read_group
from kifold.records.store import Store
from kifold.records.tables import ending_text, rows_to_logs, standing_row

DAMAGED, ILLEGAL, DIVERGED, UNVERIFIED, EXACT = "damaged", "illegal", "diverged", "unverified", "exact"
VERDICTS = (DAMAGED, ILLEGAL, DIVERGED, UNVERIFIED, EXACT)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification says of one match: the verdict, and for a failure where and why."""

    match_id: int
    ruleset: str
    verdict: str
    cause: str = ""
    is_unfinished: bool = False

    def __str__(self) -> str:
        return f"match {id_text(self.match_id)} ({self.ruleset}): {self.verdict} {self.cause}".rstrip()


@dataclass(slots=True)
class Report:
    """Counts of verdicts, how many matches are unfinished, how many events were folded, and every match that failed.

    `unreadable` has one line for each file, or part of one, that could not be read at all.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    unfinished: int = 0
    events: int = 0
    failures: list[Verdict] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    @property
    def is_fine(self) -> bool:
        """Whether nothing failed. A match whose rules are not installed counts as a failure: nothing was verified."""
        return not self.failures and not self.unreadable

    def add(self, verdicts: Sequence[Verdict], events: int) -> None:
        """Count the verdicts of some matches with so many events in all."""
        self.events += events
        for one in verdicts:
            self.counts[one.verdict] += 1
            self.unfinished += one.is_unfinished
            if one.verdict != EXACT:
                self.failures.append(one)


def verify_store(
    store: Store, report: Report, only: str | None, workers: int, on_progress: Callable[[int, int], None]
) -> None:
    """Verify a store: archive files in parallel row groups, then the journal.

    Args:
        report: is filled as the work goes on, so it is of use also after an interruption.
        only: the name of a ruleset to restrict to.
        on_progress: called with the numbers of matches and events of each part.
    """
    for name, file in store.files(only):
        if name not in names():
            matches = store.journal.db.execute(
                "SELECT match FROM archived JOIN files ON files.id = file WHERE files.name = ?", (file,)
            )
            report.add([Verdict(row[0], name, UNVERIFIED, "this ruleset is not installed") for row in matches], 0)
            continue
        _verify_file(store.archive_folder, ruleset(name), file, store.tombstones(file), report, workers, on_progress)
    for match in store.journal.ids(only):
        verdict, events = _verify_live(store, match)
        report.add([verdict], events)
        on_progress(1, events)


def verify_files(
    folder: Path, report: Report, only: str | None, workers: int, on_progress: Callable[[int, int], None]
) -> None:
    """Verify the archive files below a folder that is no store (a copy, a part of one)."""
    for name, file in archive_files(folder):
        if only in (None, name) and name in names():
            _verify_file(folder, ruleset(name), file, set(), report, workers, on_progress)


def archive_files(folder: Path) -> list[tuple[str, str]]:
    """(ruleset, name) of the archive files in a folder laid out as an archive."""
    found = sorted(folder.glob("matches/ruleset=*/*.parquet"))
    return [(path.parent.name.partition("=")[2], path.stem) for path in found]


def _verify_file(
    folder: Path,
    rules: Ruleset,
    file: str,
    gone: set[int],
    report: Report,
    workers: int,
    on_progress: Callable[[int, int], None],
) -> None:
    try:
        groups = FileReader(folder, rules, file).groups
    except StoreError as error:
        report.unreadable.append(str(error))
        return

    def verify(number: int) -> tuple[list[Verdict], int] | str:
        try:
            # Each thread reads through its own handle: a Parquet file is not to be shared between threads.
            matches, events = FileReader(folder, rules, file).group(number)
            return list(verify_group(rules, matches, events)), len(events)
        except StoreError as error:
            return f"{file}, row group {number}: {error}"

    with ThreadPoolExecutor(workers) as pool:
        for outcome in _bounded(pool, verify, groups, workers):
            if isinstance(outcome, str):
                report.unreadable.append(outcome)
                continue
            verdicts, events = outcome
            verdicts = [one for one in verdicts if one.match_id not in gone]
            report.add(verdicts, events)
            on_progress(len(verdicts), events)


def _bounded(pool: ThreadPoolExecutor, task: Callable[[int], Any], count: int, workers: int) -> Iterator[Any]:
    """The results of task(0) … task(count − 1) in order, with at most two tasks per worker under way."""
    waiting = []
    for number in range(count):
        waiting.append(pool.submit(task, number))
        if len(waiting) > 2 * workers:
            yield waiting.pop(0).result()
    for future in waiting:
        yield future.result()


def verify_group(rules: Ruleset, matches: pa.Table, events: pa.Table) -> Iterator[Verdict]:
    """The verdict of each match of a row group.

    Raises:
        StoreError: when the rows of the two tables do not belong together.
    """
    group = read_group(rules, matches, events)
    found = digests(group)
    folded = Folder(rules, compiled(rules.name)).fold(group.corpus)
    others: Iterator[Verdict] = iter(())
    if not group.is_plain.all():
        others = iter(_unplain(rules, group, matches, events))
    for m, row in enumerate(group.rows):
        if not group.is_plain[m]:
            yield next(others)
        elif found[m] != row["digest"]:
            yield Verdict(row["match_id"], rules.name, DAMAGED, "the digest is not that of the log")
        elif row["revision"] != rules.revision:
            yield Verdict(row["match_id"], rules.name, UNVERIFIED, f"revision {row['revision']} is not installed")
        else:
            yield _folded_verdict(rules, group, folded, m)


def _folded_verdict(rules: Ruleset, group: Group, folded: Folded, m: int) -> Verdict:
    row, match = group.rows[m], folded.matches[m]
    started = group.started[m]
    assert isinstance(started, Started)
    if match["reason"]:
        name = rules.reasons[int(match["reason"])]
        return Verdict(
            row["match_id"], rules.name, ILLEGAL, f"at event {int(match['done']) + 1} ({name.name}: {name.meaning})"
        )
    first, last = group.corpus.starts[m], group.corpus.starts[m + 1]
    result = SimpleNamespace(**{name: folded.results[name][m] for name in folded.results.dtype.names or ()})
    seats = folded.per_event["seat"][first:last].astype(int)
    seats[seats == CHANCE] = -1
    end = folded.matches["snapshot"][m + 1] if m + 1 < len(group.rows) else len(folded.snapshots)
    prints = b"".join(fingerprint(one.tobytes()) for one in folded.snapshots[match["snapshot"] : end])
    is_over = bool(match["turn"] == NOBODY)
    judged = Judged(seats.tolist(), prints, standings(rules, started.seats, result), is_over)
    return compare(rules, row, judged, "rules" if is_over else None, group.seats[first:last].tolist())


def compare(
    rules: Ruleset, row: dict[str, Any], judged: Judged, ending: str | None, seats: Sequence[int] | None
) -> Verdict:
    """The verdict of a legal match: does the fold arrive where the writer's did?"""

    def verdict(kind: str, cause: str = "") -> Verdict:
        return Verdict(row["match_id"], rules.name, kind, cause, not judged.is_over)

    if judged.fingerprints != row["fingerprints"]:
        return verdict(DIVERGED, diverged_where(row["fingerprints"] or b"", judged.fingerprints, row["n_events"]))
    if [standing_row(standing) for standing in judged.standings] != row["result"]:
        return verdict(DIVERGED, "at the end (result)")
    if (judged.is_over, ending) != (row["finished"], row["ending"]):
        return verdict(DIVERGED, "at the end (whether and how it ended)")
    if seats is not None and [s if s is not None else -1 for s in judged.seats] != list(seats):
        return verdict(DIVERGED, "in who acted (seat)")
    return verdict(EXACT)


def diverged_where(stored: bytes, found: bytes, n_events: int) -> str:
    """Between which events the first fingerprint that differs lies."""
    size = FINGERPRINT_SIZE
    count = max(len(stored), len(found)) // size
    k = next((k for k in range(count) if stored[k * size : (k + 1) * size] != found[k * size : (k + 1) * size]), count)
    return f"between events {k * SNAPSHOT} and {min((k + 1) * SNAPSHOT, n_events)}"


def _unplain(rules: Ruleset, group: Group, matches: pa.Table, events: pa.Table) -> Iterator[Verdict]:
    """Matches with notes, corrections or values out of range, one by one."""
    for m in (m for m, plain in enumerate(group.is_plain) if not plain):
        row, started = group.rows[m], group.started[m]
        if isinstance(started, str):
            yield Verdict(row["match_id"], rules.name, DAMAGED, f"its beginning cannot be read: {started}")
            continue
        first, last = group.corpus.starts[m], group.corpus.starts[m + 1]
        yield _verify_slowly(rules, row, matches.slice(m, 1), events.slice(first, last - first))


def _verify_slowly(rules: Ruleset, row: dict[str, Any], match: pa.Table, events: pa.Table) -> Verdict:
    try:
        log = next(rows_to_logs(rules, match, events))
    except (KeyError, TypeError, ValueError) as error:
        return Verdict(row["match_id"], rules.name, DAMAGED, f"an event cannot be read: {error}")
    return _verify_log(rules, row, log)


def _verify_log(rules: Ruleset, row: dict[str, Any], log: Log) -> Verdict:
    try:
        if log.digest != row["digest"]:
            return Verdict(log.match_id, rules.name, DAMAGED, "the digest is not that of the log")
        for event in log.events:
            rules.decoder.decode(msgspec.msgpack.encode(event))
        if log.started.revision != rules.revision:
            return Verdict(log.match_id, rules.name, UNVERIFIED, f"revision {log.started.revision} is not installed")
    except (msgspec.MsgspecError, TypeError) as error:
        return Verdict(log.match_id, rules.name, DAMAGED, f"an event is out of its range: {error}")
    judged = judge_log(rules, log.started, log.events)
    if isinstance(judged, Refused):
        return Verdict(log.match_id, rules.name, ILLEGAL, f"at event {judged.seq} ({judged.reason}: {judged.meaning})")
    if "fingerprints" not in row:
        return Verdict(log.match_id, rules.name, EXACT, is_unfinished=not judged.is_over)
    return compare(rules, row, judged, ending_text(log.events, is_over=judged.is_over), None)


def _verify_live(store: Store, match: int) -> tuple[Verdict, int]:
    row = store.journal.db.execute("SELECT ruleset, digest FROM matches WHERE id = ?", (match,)).fetchone()
    try:
        log = store.journal.log(match)
    except RulesetError as error:
        return Verdict(match, row[0], UNVERIFIED, str(error)), 0
    except (msgspec.MsgspecError, StoreError) as error:
        return Verdict(match, row[0], DAMAGED, f"the journal cannot be read: {error}"), 0
    return _verify_log(ruleset(row[0]), {"digest": row[1]}, log), len(log.events)
