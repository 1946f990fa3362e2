"""Many matches into the archive at once: from logs, or from a simulation's arrays."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import chain, count, pairwise
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa

from kifold.core.codec import DIGEST_SIZE, encode
from kifold.core.corpus import Corpus, Folded
from kifold.core.events import Started, tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.options import option_text
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.core.schema import arrow_type, columns_of, events_schema
from kifold.core.wire import encode_corpus
from kifold.records.archive import ROWS_PER_FILE, ROWS_PER_GROUP, FileWriter
from kifold.records.folded import seat_column
from kifold.records.judge import Judged, fingerprint
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
        self._ids: list[np.ndarray[Any, Any]] = []
        self._pending: list[tuple[Log, Judged]] = []
        self._pending_events = 0
        self._retire: dict[int, int] = {}
        self._forks: dict[int, Fork] = {}

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
        self._pending.append((log, judged))
        if is_live:
            self._retire[log.match_id] = len(log.events)
        elif log.fork:
            self._forks[log.match_id] = log.fork
        self._pending_events += len(log.events)
        if self._pending_events >= ROWS_PER_GROUP:
            self.commit()

    def add_tables(self, matches: pa.Table, events: pa.Table) -> None:
        """Take a row group of sorted tables whose ids follow those of the one before."""
        with uninterrupted():
            if self._file is None:
                self._file = FileWriter(self.store.archive_folder, self.ruleset)
            self._file.write(matches, events)
            self._ids.append(matches["match_id"].to_numpy())
        if self._file.events >= ROWS_PER_FILE:
            self.commit()

    def commit(self) -> None:
        """Put the file in place and list it, in one transaction with the journal.

        A match that the archive holds already (two processes did the same) or that has grown in the journal meanwhile
        is not listed: its rows in this file are covered.
        """
        with uninterrupted():
            try:
                self._write_pending()
                if self._file is not None:
                    self._list(self._file, np.concatenate(self._ids).tolist())
            finally:
                if self._file is not None:
                    self._file.abandon()  # the drafts, if they are still there
                self._file, self._ids, self._retire, self._forks = None, [], {}, {}

    def _list(self, file: FileWriter, ids: list[int]) -> None:
        hashes = file.close()
        with self.store.journal.writing() as db:
            covered = self._covered(ids)
            if len(covered) < len(ids):
                name = self._free_name()
                file.place(name)
                number = self.store.list_file(self.ruleset.name, name, file.matches, file.events, *hashes)
                db.executemany("INSERT INTO tombstones VALUES (?, ?)", ((i, number) for i in covered))
                db.executemany("INSERT INTO archived VALUES (?, ?)", ((i, number) for i in ids if i not in covered))
            self.store.journal.add_forks(pair for pair in self._forks.items() if pair[0] not in covered)
            for match in self._retire.keys() - covered:
                self.store.journal.remove(match)
        self.matches += len(ids) - len(covered)
        self.events += file.events

    def _covered(self, ids: list[int]) -> set[int]:
        grown = {match for match, last in self._retire.items() if self.store.journal.last_seq(match) != last}
        return grown | (self.store.held(ids) - self._retire.keys())

    def _free_name(self) -> str:
        base = self.name or f"{self.ruleset.name}-{secrets.token_hex(6)}"
        names = chain([base], (f"{base}-{n}" for n in count(1)))
        return next(n for n in names if not self.store.journal.row("SELECT 1 FROM files WHERE name = ?", (n,)))

    def _write_pending(self) -> None:
        if not self._pending:
            return
        columns = event_columns(self.ruleset)
        rows = []
        for log, judged in sorted(self._pending, key=lambda pair: pair[0].match_id):
            rows.append(match_row(log, judged))
            add_events(columns, self.ruleset, log.match_id, log.events, judged.seats)
        self._pending, self._pending_events = [], 0
        matches = pa.Table.from_pylist(rows, matches_schema(self.ruleset))
        self.add_tables(matches, pa.table(columns, events_schema(self.ruleset)))


def corpus_tables(
    corpus: Corpus, folded: Folded, started: Callable[[int], Started], ids: Sequence[int]
) -> tuple[pa.Table, pa.Table]:
    """Tables of legal matches that lie in arrays.

    Args:
        corpus, folded: the matches and what folding them gave; all legal.
        started: event 0 of match number m of the corpus.
        ids: the match ids, ascending.
    """
    return _matches_table(corpus, folded, started, ids), _events_table(corpus, folded, ids)


def _events_table(corpus: Corpus, folded: Folded, ids: Sequence[int]) -> pa.Table:
    ruleset, events = corpus.ruleset, corpus.events
    lengths = np.diff(corpus.starts)
    tags = events["tag"]
    columns: dict[str, pa.Array] = {
        "match_id": pa.array(np.repeat(np.asarray(ids, np.int64), lengths)),
        "seq": pa.array(
            np.arange(1, len(events) + 1, dtype=np.int32) - np.repeat(corpus.starts[:-1], lengths).astype(np.int32)
        ),
        "tag": pa.array(np.ascontiguousarray(tags)),
    }
    for name, field in columns_of(ruleset).items():
        having = [tag_of(e) for e in ruleset.events if any(f.name == name for f in fields_of(e))]
        has = np.isin(tags, having)
        if name == "seat":
            seats = seat_column(corpus, folded)
            columns[name] = pa.array(seats, mask=seats < 0)
        else:
            columns[name] = _column(field, events, has) if having else pa.nulls(len(events), arrow_type(field))
    return pa.table(columns, events_schema(ruleset))


def _column(field: Field, events: np.ndarray[Any, Any], has: np.ndarray[Any, Any]) -> pa.Array:
    kind = arrow_type(field)
    mask = None if has.all() else ~has
    if field.kind != "ints":
        return pa.array(np.ascontiguousarray(events[field.name]), mask=mask).cast(kind)
    counts = np.where(has, events[f"n_{field.name}"], 0).astype(np.int32)
    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(counts, dtype=np.int32)])
    wide = events[field.name]
    values = wide[np.arange(wide.shape[1]) < counts[:, None]]
    nulls = None if mask is None else pa.array(mask)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values).cast(kind.value_type), kind, mask=nulls)


def _matches_table(corpus: Corpus, folded: Folded, started: Callable[[int], Started], ids: Sequence[int]) -> pa.Table:
    ruleset = corpus.ruleset
    data, ends = encode_corpus(ruleset, corpus.events, corpus.starts)
    snapshots = np.append(folded.matches["snapshot"], len(folded.snapshots))
    prints = [fingerprint(row.tobytes()) for row in folded.snapshots]
    rows = []
    for m, (begin, end) in enumerate(pairwise(ends)):
        one = started(m)
        hashed = blake2b(encode(one), digest_size=DIGEST_SIZE)
        hashed.update(data[begin:end])
        rows.append((one, hashed.digest(), b"".join(prints[snapshots[m] : snapshots[m + 1]])))
    starts = [row[0] for row in rows]
    is_over = folded.matches["turn"] == NOBODY
    columns: dict[str, Any] = {
        "match_id": np.asarray(ids, np.int64),
        "variant": [s.variant for s in starts],
        "revision": [s.revision for s in starts],
        "schema": [s.schema for s in starts],
        "options": [[(name, option_text(value)) for name, value in s.options.items()] for s in starts],
        "seats": [s.seats for s in starts],
        "tags": [list(s.tags.items()) for s in starts],
        "setup": [{f.name: getattr(s.setup, f.name) for f in fields_of(s.setup.__class__)} for s in starts],
        "players": [[] for _ in starts],
        "n_events": np.diff(corpus.starts).astype(np.int32),
        "finished": is_over,
        "ending": ["rules" if over else None for over in is_over],
        "result": _results(ruleset, starts[0].seats, folded.results),
        "digest": [row[1] for row in rows],
        "fingerprints": [row[2] for row in rows],
    }
    schema = matches_schema(ruleset)
    return pa.table([pa.array(columns[field.name], field.type) for field in schema], schema)


def _results(ruleset: Ruleset, seats: int, results: np.ndarray[Any, Any]) -> list[list[dict[str, Any]]]:
    """Standings of many matches with the same number of seats."""
    ranks = results["rank"][:, :seats]
    shared = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2) > 1
    per_seat: list[dict[str, list[Any]]] = []
    for seat in range(seats):
        columns: dict[str, list[Any]] = {
            "seat": [seat] * len(results),
            "rank": ranks[:, seat].tolist(),
            "shared": shared[:, seat].tolist(),
            "score": results["score"][:, seat].tolist() if ruleset.has_score else [None] * len(results),
        }
        for slot in ruleset.components:
            width = slot.length // ruleset.most_seats
            part = results[slot.name][:, seat * width : (seat + 1) * width]
            columns[slot.name] = (part if width > 1 else part[:, 0]).tolist()
        per_seat.append(columns)
    names = list(per_seat[0])
    return [
        [dict(zip(names, values, strict=True)) for values in standing]
        for standing in zip(*(zip(*(c[name] for name in names), strict=True) for c in per_seat), strict=True)
    ]
