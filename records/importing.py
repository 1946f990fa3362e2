"""Importing record files: good records into the archive, bad ones into quarantine, none dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from kifold.core.codec import to_json
from kifold.core.play import Refused
from kifold.core.registry import ruleset
from kifold.core.ruleset import Ruleset
from kifold.records.bulk import BulkWriter
from kifold.records.errors import StoreError
from kifold.records.formats import Branch, Format, Record, Rejected, one_line
from kifold.records.ids import parse_id
from kifold.records.judge import Judged, judge_logs
from kifold.records.known import KnownEvents
from kifold.records.log import Fork, Log, batches, leaving, shared_by_fork, shared_by_parent
from kifold.records.naming import Naming
from kifold.records.store import Store
from kifold.records.taken import REFUSED, Became, Taken


@dataclass(slots=True)
class Report:
    """What an import did.

    Attributes:
        imported: matches that were added, so many of them `unfinished`, and so many `orphans`: forks of a match that
            is neither before them in the file nor in the store, which came in as matches of their own.
        present: matches that were there before, and stay as they were; so many of them of `other_names` than the
            record's players.
        duplicates: matches that were passed over since another has the same events, or more.
        quarantined: records that are in quarantine, whole or for their variations.
    """

    imported: int = 0
    unfinished: int = 0
    present: int = 0
    quarantined: int = 0
    orphans: int = 0
    duplicates: int = 0
    other_names: int = 0


def import_file(
    store: Store,
    path: Path,
    form: Format,
    options: Mapping[str, str],
    on_progress: Callable[[int, int], None],
    *,
    skip_duplicates: bool = False,
) -> Report:
    """Import a file.

    Args:
        options: option values as typed, for every match.
        on_progress: called with the numbers of records and events of each batch.
        skip_duplicates: pass over a match whose events are those of another that is there by then, or the first of it.
            What is a fork of it becomes a fork of that other one.

    A match keeps the id that its record names, or has one that follows from its log and players, from the match that it
    is a fork of and, among equal ones of one file, from its place (`kifold.records.naming`): so a file that is imported
    again adds nothing.
    """
    report, taken = Report(), Taken()
    naming = Naming(store, taken)
    importers: dict[str, _Importer] = {}
    records = form.read(path, options)
    try:
        for batch in batches(records):
            bad = [one for one in batch if isinstance(one, Rejected)]
            for name, group in _by_ruleset(batch).items():
                if name not in importers:
                    importers[name] = _Importer(
                        store, ruleset(name), report, taken, naming, skip_duplicates=skip_duplicates
                    )
                bad += importers[name].take(group)
            _quarantine(store, path, bad, report)
            on_progress(len(batch), sum(len(r.events) for r in batch if isinstance(r, Record)))
    finally:
        # What was read before an interruption is whole and stays.
        with taken:
            for importer in importers.values():
                importer.writer.commit()
    return report


def _by_ruleset(batch: Sequence[Record | Rejected]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for one in batch:
        if isinstance(one, Record):
            groups.setdefault(one.started.ruleset, []).append(one)
    return groups


class _Importer:
    """Takes the records of one ruleset and one file."""

    def __init__(
        self, store: Store, rules: Ruleset, report: Report, taken: Taken, naming: Naming, *, skip_duplicates: bool
    ) -> None:
        self.store = store
        self.report = report
        self.writer = BulkWriter(store, rules)
        self._naming = naming
        self._ruleset, self._taken = rules.name, taken
        self._branches: list[Branch] = []
        self._parents: dict[int, Log] = {}
        self._known = KnownEvents(store, rules) if skip_duplicates else None

    def take(self, records: list[Record]) -> list[Rejected]:
        """Take the legal records; those that the rules refuse, and those that branch from such."""
        bad = []
        self._branches = [record.branch for record in records if record.branch]
        self._parents.clear()
        logs = [Log(0, one.started, one.events, one.players, one.promoted) for one in records]
        for record, log, verdict in zip(records, logs, judge_logs(logs), strict=True):
            if isinstance(verdict, Refused):
                bad.append(_rejected(record, verdict))
                self._taken.add(self._ruleset, record.name, REFUSED)
            elif record.branch and self._taken.became(self._ruleset, record.branch.parent) == REFUSED:
                said = f"{record.name}: it leaves {record.branch.parent}, which is refused"
                bad.append(Rejected(record.number, said, record.text))
                self._taken.add(self._ruleset, record.name, REFUSED)
            elif said := self._take(record, log, verdict):
                bad.append(Rejected(record.number, f"{record.name}: {said}", record.text))
                self._taken.add(self._ruleset, record.name, REFUSED)
        return bad

    def _take(self, record: Record, log: Log, judged: Judged) -> str:
        """Take a legal record; or what is wrong with what it says of the match that it is a fork of."""
        log.fork = self._fork(record.branch, log) if record.branch else None
        log.match_id, is_there = self._naming.id_of(log, record.match)
        if is_there:
            self.report.present += 1
            self.report.other_names += self._naming.has_other_names(log)
        elif (other := self._other(record, log)) is not None:
            self.report.duplicates += 1
            self._taken.add(self._ruleset, record.name, Became(other, is_other=True))
            return ""
        elif said := self._why_no_fork(log, record):
            return said
        else:
            self.writer.add(log, judged)
            self._naming.add(log)
            self.report.imported += 1
            self.report.unfinished += not judged.is_over
            self.report.orphans += record.branch is not None and log.fork is None
            if self._known:
                self._known.add(log)
        self._taken.add(self._ruleset, record.name, Became(log.match_id))
        return ""

    def _other(self, record: Record, log: Log) -> int | None:
        """The match for which this one is passed over, if duplicates are."""
        if self._known is None:
            return None
        is_fork = record.branch and log.fork and not self._is_passed_over(record.branch.parent)
        return self._known.match_of(log, record.branch.inherited if record.branch and is_fork else 0)

    def _fork(self, branch: Branch, log: Log) -> Fork | None:
        """Where a match leaves the one that it is a fork of, if that is there: as it says, or found out where another
        match stands for that one.
        """
        parent = self._parent(branch)
        if parent is None:
            return None
        if self._is_passed_over(branch.parent):
            return leaving(log, self._log(parent))
        return Fork(parent, branch.at_seq, branch.inherited)

    def _parent(self, branch: Branch) -> int | None:
        """The match that a branch leaves, if it is there."""
        became = self._taken.became(self._ruleset, branch.parent)
        if became and became.match is not None:
            return became.match
        with suppress(ValueError):
            first, last = parse_id(branch.parent)
            return first if first == last and self.store.holds(first) else None
        return None

    def _is_passed_over(self, name: str) -> bool:
        became = self._taken.became(self._ruleset, name)
        return became is not None and became.is_other

    def _why_no_fork(self, log: Log, record: Record) -> str:
        """What is wrong with what a match says of the one that it is a fork of; nothing where that is true."""
        if log.fork is None or record.branch is None:
            return ""
        try:
            parent = self._log(log.fork.parent)
        except StoreError as error:
            return f"it leaves {record.branch.parent}, which cannot be read: {error}"
        shared = shared_by_fork(log.fork, log)
        if shared is not None and shared == shared_by_parent(log.fork, parent):
            return ""
        said = f"{log.fork.inherited:,} events of {record.branch.parent} as of event {log.fork.at_seq:,}"
        return f"it does not begin as it says, with {said}"

    def _log(self, match: int) -> Log:
        """A match that a branch leaves. What the store has of those of a batch is read at once, when it is asked for.

        Raises:
            StoreError: when it cannot be read.
        """
        if found := self.writer.pending(match) or self._parents.get(match):
            return found
        parents = {parent for branch in self._branches if (parent := self._parent(branch)) is not None}
        self._branches = []
        with suppress(StoreError):  # whoever asks for that one is told
            self._parents |= {log.match_id: log for log in self.store.logs(self.store.held(parents))}
        return self._parents.get(match) or self.store.log(match)


def _rejected(record: Record, refused: Refused) -> Rejected:
    ply = record.plies[refused.seq - 1] if record.plies and refused.seq else refused.seq
    where = f"{record.name}: " if record.branch else ""
    event = f"{_typed(record, refused.seq)}: " if refused.seq else ""
    return Rejected(record.number, f"{where}{event}{refused.reason}: {refused.meaning}", record.text, ply)


def _typed(record: Record, seq: int) -> str:
    """An event of a record as it would be typed."""
    rules, event = ruleset(record.started.ruleset), record.events[seq - 1]
    if type(lifted := rules.lift(event)) in rules.events:
        return one_line(rules.written(record.started, lifted))
    return one_line(msgspec.json.encode(to_json(event)).decode())


def _quarantine(store: Store, path: Path, bad: list[Rejected], report: Report) -> None:
    """Keep what could not be imported, in one transaction: a file may consist of nothing else.

    A record is kept once, with one of the reasons, whatever else is wrong with it.
    """
    if not bad:
        return
    first: dict[tuple[int, bytes], Rejected] = {}
    others: Counter[tuple[int, bytes]] = Counter()
    for one in sorted(bad, key=lambda one: one.number):
        if first.setdefault((one.number, one.text), one) is not one:
            others[one.number, one.text] += 1
    kept = [
        replace(one, reason=f"{one.reason} (and {others[key]:,} more)") if others[key] else one
        for key, one in first.items()
    ]
    with store.journal.writing() as db:
        db.executemany(
            "INSERT INTO quarantine (file, record, ply, reason, text) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (file, record, text) DO UPDATE SET ply = excluded.ply, reason = excluded.reason",
            [(path.name, one.number, one.ply, one.reason, one.text) for one in kept],
        )
    report.quarantined += len(kept)


Quarantined = tuple[str, int, int | None, str, bytes]
"""(file, record, ply, reason, text) of a record in quarantine."""


def quarantine(store: Store, file: str | None = None) -> list[Quarantined]:
    """The records in quarantine, or those of one file, in the order of import."""
    query = "SELECT file, record, ply, reason, text FROM quarantine WHERE file = coalesce(?, file) ORDER BY id"
    return [(*row,) for row in store.journal.rows(query, (file,))]


def clear_quarantine(store: Store, file: str | None = None) -> list[Quarantined]:
    """Take the records out of quarantine, or those of one file; what is taken out."""
    with store.journal.writing() as db:
        found = quarantine(store, file)
        db.execute("DELETE FROM quarantine WHERE file = coalesce(?, file)", (file,))
    return found
