"""The journal: live matches in SQLite, appended event by event.

One file, `journal.sqlite`, in write-ahead mode. An append is one transaction: it is there whole after a crash, or not
at all. Any number of processes may read, one at a time writes; SQLite's locks order them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kifold.core.codec import decode, decode_started, encode, with_setup
from kifold.core.events import Event, Started
from kifold.core.registry import ruleset
from kifold.records.errors import Conflict, NoSuchMatch, StoreError
from kifold.records.ids import id_text
from kifold.records.log import Log

FORMAT = 1
"""The number of this layout. A store with a higher one is refused, not guessed at."""

DURABILITY = {"full": "FULL", "normal": "NORMAL", "off": "OFF"}
"""What a power cut can cost: `full` nothing that was acknowledged; `normal` the last commits since a checkpoint; `off`
the same, and the file itself may be damaged. A crash of the process alone costs nothing under any of them."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (
    key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS matches (
    id INTEGER PRIMARY KEY, ruleset TEXT NOT NULL, started BLOB NOT NULL, last_seq INTEGER NOT NULL,
    digest BLOB NOT NULL, is_over INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS events (
    match INTEGER NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL, at_ms INTEGER,
    PRIMARY KEY (match, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS players (
    match INTEGER NOT NULL, seat INTEGER NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (match, seat)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keys (
    key TEXT PRIMARY KEY, match INTEGER NOT NULL, last_seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY, ruleset TEXT NOT NULL, name TEXT NOT NULL UNIQUE,
    matches INTEGER NOT NULL, events INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS archived (
    match INTEGER PRIMARY KEY, file INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS tombstones (
    match INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (match, file)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS quarantine (
    id INTEGER PRIMARY KEY, file TEXT NOT NULL, record INTEGER NOT NULL, ply INTEGER, reason TEXT NOT NULL,
    text BLOB NOT NULL, UNIQUE (file, record, text));
"""


class Journal:
    """The SQLite file of a store: live matches, and the list of what else the store holds.

    Attributes:
        path: the file.
        db: the connection; every write goes through `writing()`.
    """

    def __init__(self, path: Path, *, durability: str = "full", create: bool = True) -> None:
        """Open the journal, making it if it is not there.

        Raises:
            StoreError: when the file is no journal, is of a newer format, or cannot be read or written.
        """
        if durability not in DURABILITY:
            raise StoreError(f"durability cannot be {durability!r}: choose {', '.join(DURABILITY)}")
        self.path = path
        is_new = not path.exists()
        if is_new and not create:
            raise StoreError(
                f"{path.parent}: no kifold store here; record or import a match first, or name another with --store"
            )
        try:
            self.db = _connect(path, is_new)
            self.db.execute("PRAGMA synchronous = " + DURABILITY[durability])
        except sqlite3.Error as error:
            raise StoreError(f"{path}: cannot be opened as a journal ({error})") from None
        self._check_format()

    def _check_format(self) -> None:
        try:
            row = self.db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path}: is no kifold journal ({error}); see `kifold salvage`, or restore a copy"
            ) from None
        if row is None or not row[0].isdigit():
            raise StoreError(f"{self.path}: is no kifold journal (it does not say its format)")
        if int(row[0]) > FORMAT:
            raise StoreError(
                f"{self.path}: has format {row[0]}, this kifold reads up to {FORMAT}; install a newer kifold"
            )

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: everything inside is committed at the end, or nothing is.

        Raises:
            StoreError: when the folder or file cannot be written, or is locked by another process for 30 seconds.
        """
        try:
            self.db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: cannot be written ({error})") from None
        try:
            yield self.db
            self.db.execute("COMMIT")
        except BaseException as error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise StoreError(f"{self.path}: cannot be written ({error})") from None
            raise

    def insert(self, log: Log, *, is_over: bool) -> None:
        """Add a match, event 0 first. Called inside `writing()`."""
        self.db.execute(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?)",
            (log.match_id, log.started.ruleset, encode(log.started), len(log.events), log.digest, is_over),
        )
        rows = [(log.match_id, seq, encode(event)) for seq, event in enumerate(log.events, start=1)]
        self.db.executemany("INSERT INTO events VALUES (?, ?, ?, NULL)", rows)
        names = [(log.match_id, seat, name) for seat, name in enumerate(log.players)]
        self.db.executemany("INSERT INTO players VALUES (?, ?, ?)", names)

    def extend(
        self, match: int, first: int, data: Sequence[bytes], digest: bytes, *, is_over: bool, at_ms: int | None
    ) -> None:
        """Add encoded events `first` … to a match. Called inside `writing()`."""
        self.db.executemany(
            "INSERT INTO events VALUES (?, ?, ?, ?)",
            [(match, first + i, one, at_ms if i == 0 else None) for i, one in enumerate(data)],
        )
        self.db.execute(
            "UPDATE matches SET last_seq = ?, digest = ?, is_over = ? WHERE id = ?",
            (first + len(data) - 1, digest, is_over, match),
        )

    def last_seq(self, match: int) -> int | None:
        """The number of the last event of a live match; None when it is not in the journal."""
        row = self.db.execute("SELECT last_seq FROM matches WHERE id = ?", (match,)).fetchone()
        return row[0] if row else None

    def expect(self, match: int, expected_seq: int | None, present: int) -> None:
        """Refuse an append that was written against another state of the log.

        Raises:
            Conflict: when `expected_seq` is given and is not the number of the last event.
        """
        if expected_seq is not None and expected_seq != present:
            text = f"match {id_text(match)} is at event {present}, not {expected_seq}: read it again, then append"
            raise Conflict(text, present)

    def started(self, match: int) -> Started:
        """Event 0 of a live match."""
        row = self.db.execute("SELECT started FROM matches WHERE id = ?", (match,)).fetchone()
        if row is None:
            raise NoSuchMatch(f"match {id_text(match)} is not in the journal")
        started = decode_started(row[0])
        return with_setup(ruleset(started.ruleset), started)

    def events(self, match: int, after: int = 0) -> list[Event]:
        """The events of a live match that follow number `after`."""
        rules = ruleset(self.db.execute("SELECT ruleset FROM matches WHERE id = ?", (match,)).fetchone()[0])
        rows = self.db.execute("SELECT data FROM events WHERE match = ? AND seq > ? ORDER BY seq", (match, after))
        return [decode(rules, data) for (data,) in rows]

    def log(self, match: int) -> Log:
        """A live match."""
        return Log(match, self.started(match), self.events(match), self.players(match))

    def players(self, match: int) -> tuple[str, ...]:
        """The names beside a match, one per seat, or none."""
        rows = self.db.execute("SELECT name FROM players WHERE match = ? ORDER BY seat", (match,))
        return tuple(name for (name,) in rows)

    def remove(self, match: int) -> None:
        """Take a match out of the journal: deleted, or gone to the archive. Called inside `writing()`."""
        for table, column in (("matches", "id"), ("events", "match"), ("players", "match")):
            self.db.execute(f"DELETE FROM {table} WHERE {column} = ?", (match,))

    def ids(self, ruleset_name: str | None = None, *, only_over: bool = False) -> list[int]:
        """The ids of live matches, ascending; of one ruleset, and with `only_over` only those that have ended."""
        query = "SELECT id FROM matches WHERE (? IS NULL OR ruleset = ?) AND is_over >= ? ORDER BY id"
        return [row[0] for row in self.db.execute(query, (ruleset_name, ruleset_name, only_over))]


def _connect(path: Path, is_new: bool) -> sqlite3.Connection:
    if not is_new and not os.access(path.parent, os.W_OK):
        # Reading in write-ahead mode makes a file beside the journal, which a read-only folder refuses.
        return sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)
    db = sqlite3.connect(path, timeout=30, isolation_level=None)
    if is_new:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(
            "BEGIN IMMEDIATE;" + SCHEMA + f"INSERT OR IGNORE INTO meta VALUES ('format', '{FORMAT}'); COMMIT;"
        )
    return db
