"""Many matches into the archive at once: from logs, or from a simulation's arrays."""

from __future__ import annotations

import secrets
from itertools import chain, count
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa

from kifold.core.ruleset import Ruleset
from kifold.core.schema import events_schema
from kifold.records.archive import ROWS_PER_FILE, ROWS_PER_GROUP, FileWriter
from kifold.records.columns import filled, holds
from kifold.records.judge import Judged
from kifold.records.log import Fork, Log
from kifold.records.store import Store
from kifold.records.tables import add_events, event_columns, match_row, matches_schema
from kifold.records.uninterrupted import uninterrupted


class BulkWriter:
    """Writes matches of one ruleset into archive files and lists them when they are whole.

    Matches that were committed stay; when the writer is left by an exception, what was not yet committed is removed.
    """

    def __init__(self, store: Store, ruleset: Ruleset, *, name: str | None = None) -> None:
        """Begin to write. With `name`, files are called NAME, NAME-1, …; else each gets a random name."""
        self.store = store
        self.ruleset = ruleset
        self.name = name
        self.matches = self.events = 0
        self._file: FileWriter | None = None
        self._columns: pa.Schema | None = None
        self._ids: list[np.ndarray[Any, Any]] = []
        self._pending: dict[int, tuple[Log, Judged]] = {}
        self._pending_events = 0
        self._parts: list[tuple[pa.Table, pa.Table]] = []
        self._part_events = 0
        self._retire: dict[int, int] = {}
        self._forks: dict[int, Fork] = {}
        self._pins: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.commit()
        elif self._file:
            self._file.abandon()

    def add(self, log: Log, judged: Judged, *, is_live: bool = False) -> None:
        """Take one match. Logs may come in any order: they are sorted within a file, which then holds one row group.

        With `is_live` the match lies in the journal, and leaves it in the transaction that lists the file; if it has
        grown by then it stays live, and its rows in the file are covered.
        """
        self._pending[log.match_id] = log, judged
        if is_live:
            self._retire[log.match_id] = len(log.events)
        else:
            if log.fork:
                self._forks[log.match_id] = log.fork
            if log.promoted is not None:
                self._pins[log.match_id] = log.promoted
        self._pending_events += len(log.events)
        if self._pending_events >= ROWS_PER_GROUP:
            self.commit()

    def pending(self, match: int) -> Log | None:
        """A match that was taken and is not in a file yet."""
        pair = self._pending.get(match)
        return pair[0] if pair else None

    def add_tables(self, matches: pa.Table, events: pa.Table) -> None:
        """Take sorted tables whose ids follow those of the ones before; some of them become one row group."""
        self._parts.append((matches, events))
        self._part_events += len(events)
        if self._part_events >= ROWS_PER_GROUP:
            self._write_parts()
        if self._file is not None and self._file.events >= ROWS_PER_FILE:
            self.commit()

    def _write_parts(self) -> None:
        """Write the tables that were taken as one row group: large ones are smaller together, and quicker to read."""
        if not self._parts:
            return
        with uninterrupted():
            matches, events = (pa.concat_tables(tables) for tables in zip(*self._parts, strict=True))
            self._parts, self._part_events = [], 0
            if self._file is not None and not holds(self._file.layout[1], events):
                self._list(self._file)
                self._columns = events.schema  # of all files to come: what changes once may do so again and again
            if self._file is None:
                layout = matches.schema, self._columns or filled(events)
                self._file = FileWriter(self.store.archive_folder, self.ruleset, layout)
            self._file.write(matches, events)
            self._ids.append(matches["match_id"].to_numpy())

    def commit(self) -> None:
        """Put the file in place and list it, in one transaction with the journal.

        A match that the archive holds already (two processes did the same) or that has grown in the journal meanwhile
        is not listed: its rows in this file are covered.
        """
        with uninterrupted():
            try:
                self._write_pending()
                self._write_parts()
                if self._file is not None:
                    self._list(self._file)
            finally:
                if self._file is not None:
                    self._file.abandon()
                self._file, self._ids, self._retire, self._forks, self._pins = None, [], {}, {}, {}
                self._parts, self._part_events = [], 0

    def _list(self, file: FileWriter) -> None:
        ids, hashes = np.concatenate(self._ids).tolist(), file.close()
        with self.store.journal.writing() as db:
            covered = self._covered(ids)
            if len(covered) < len(ids):
                name = self._free_name()
                file.place(name)
                number = self.store.list_file(self.ruleset.name, name, file.matches, file.events, *hashes)
                db.executemany("INSERT INTO tombstones VALUES (?, ?)", ((i, number) for i in covered))
                db.executemany("INSERT INTO archived VALUES (?, ?)", ((i, number) for i in ids if i not in covered))
            placed = set(ids) - covered
            self.store.journal.add_forks(pair for pair in self._forks.items() if pair[0] in placed)
            db.executemany("INSERT INTO pins VALUES (?, ?)", (pin for pin in self._pins.items() if pin[0] in placed))
            for match in self._retire.keys() & placed:
                self.store.journal.remove(match)
        self.matches += len(ids) - len(covered)
        self.events += file.events
        file.abandon()  # the drafts, where they are not placed
        self._file, self._ids = None, []

    def _covered(self, ids: list[int]) -> set[int]:
        live = self._retire.keys() & ids
        grown = {match for match in live if self.store.journal.last_seq(match) != self._retire[match]}
        return grown | (self.store.held(ids) - live)

    def _free_name(self) -> str:
        base = self.name or f"{self.ruleset.name}-{secrets.token_hex(6)}"
        names = chain([base], (f"{base}-{n}" for n in count(1)))
        return next(n for n in names if not self.store.journal.row("SELECT 1 FROM files WHERE name = ?", (n,)))

    def _write_pending(self) -> None:
        if not self._pending:
            return
        columns = event_columns(self.ruleset)
        rows = []
        for log, judged in sorted(self._pending.values(), key=lambda pair: pair[0].match_id):
            rows.append(match_row(log, judged))
            add_events(columns, self.ruleset, log.match_id, log.events, judged.seats)
        self._pending, self._pending_events = {}, 0
        matches = pa.Table.from_pylist(rows, matches_schema(self.ruleset))
        self.add_tables(matches, pa.table(columns, events_schema(self.ruleset)))
