"""Importing record files: good records into the archive, bad ones into quarantine, none dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kifold.core.play import Refused
from kifold.core.registry import ruleset
from kifold.records.bulk import BulkWriter
from kifold.records.formats import Format, Record, Rejected
from kifold.records.ids import derived_id
from kifold.records.judge import judge_logs
from kifold.records.log import Log
from kifold.records.store import Store

BATCH = 2_000


@dataclass(slots=True)
class Report:
    """What an import did: matches imported (so many of them unfinished), already there, and records in quarantine."""

    imported: int = 0
    unfinished: int = 0
    present: int = 0
    quarantined: int = 0


def import_file(
    store: Store, path: Path, form: Format, options: Mapping[str, str], on_progress: Callable[[int, int], None]
) -> Report:
    """Import a file.

    Args:
        options: option values as typed, for every match.
        on_progress: called with the numbers of records and events of each batch.

    A match's id follows from its log and players and, among equal ones of one file, from its place: so a file that is
    imported again adds nothing.
    """
    report = Report()
    writers: dict[str, BulkWriter] = {}
    seen: dict[bytes, int] = {}
    records = form.read(path, options)
    try:
        while batch := list(islice(records, BATCH)):
            bad = [one for one in batch if isinstance(one, Rejected)]
            for name, group in _by_ruleset(batch).items():
                writer = writers.setdefault(name, BulkWriter(store, ruleset(name)))
                bad += _import_batch(store, writer, group, seen, report)
            _quarantine(store, path, sorted(bad, key=lambda one: one.number), report)
            on_progress(len(batch), sum(len(r.events) for r in batch if isinstance(r, Record)))
    finally:
        # What was read before an interruption is whole and stays.
        for writer in writers.values():
            writer.commit()
    return report


def _by_ruleset(batch: list[Record | Rejected]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for one in batch:
        if isinstance(one, Record):
            groups.setdefault(one.started.ruleset, []).append(one)
    return groups


def _import_batch(
    store: Store, writer: BulkWriter, records: list[Record], seen: dict[bytes, int], report: Report
) -> list[Rejected]:
    """Take the legal records; those that the rules refuse."""
    bad = []
    logs = [Log(0, record.started, record.events, record.players) for record in records]
    for record, log, verdict in zip(records, logs, judge_logs(logs), strict=True):
        if isinstance(verdict, Refused):
            bad.append(_rejected(record, verdict))
            continue
        content = log.digest + repr(log.players).encode()
        place = seen[content] = seen.get(content, -1) + 1
        log.match_id = derived_id(content + str(place).encode())
        if store.holds(log.match_id):
            report.present += 1
            continue
        writer.add(log, verdict)
        report.imported += 1
        report.unfinished += not verdict.is_over
    return bad


def _rejected(record: Record, refused: Refused) -> Rejected:
    ply = record.plies[refused.seq - 1] if record.plies and refused.seq else refused.seq
    return Rejected(record.number, f"{refused.reason}: {refused.meaning}", record.text, ply)


def _quarantine(store: Store, path: Path, bad: list[Rejected], report: Report) -> None:
    """Keep what could not be imported, in one transaction: a file may consist of nothing else."""
    if not bad:
        return
    with store.journal.writing() as db:
        db.executemany(
            "INSERT INTO quarantine (file, record, ply, reason, text) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (file, record, text) DO UPDATE SET ply = excluded.ply, reason = excluded.reason",
            [(path.name, one.number, one.ply, one.reason, one.text) for one in bad],
        )
    report.quarantined += len(bad)


def quarantine(store: Store) -> Iterator[tuple[str, int, int | None, str, bytes]]:
    """(file, record, ply, reason, text) of every record in quarantine, in the order of import."""
    yield from store.journal.rows("SELECT file, record, ply, reason, text FROM quarantine ORDER BY id")
