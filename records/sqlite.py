"""Making and opening the SQLite file of a journal: its layout, and what it promises when the power goes."""

from __future__ import annotations

import os
import secrets
import sqlite3
from pathlib import Path

from kifold.records.errors import StoreError
from kifold.records.unlisted import without_journal

FORMAT = 3
"""The number of this layout. A store with a higher one is refused, not guessed at; one with a lower is brought up."""

DURABILITY = {"full": "FULL", "normal": "NORMAL", "off": "OFF"}
"""What a power cut can cost: `full` nothing that was acknowledged; `normal` the last commits since a checkpoint; `off`
the same, and the file itself may be damaged. A crash of the process alone costs nothing under any of them."""

TIMEOUT = 30
"""Seconds to wait for another process's lock."""

SCHEMA = """
CREATE TABLE meta (
    key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE matches (
    id INTEGER PRIMARY KEY, ruleset TEXT NOT NULL, started BLOB NOT NULL, last_seq INTEGER NOT NULL,
    digest BLOB NOT NULL, is_over INTEGER NOT NULL);
CREATE TABLE events (
    match INTEGER NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL, at_ms INTEGER,
    PRIMARY KEY (match, seq)) WITHOUT ROWID;
CREATE TABLE players (
    match INTEGER NOT NULL, seat INTEGER NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (match, seat)) WITHOUT ROWID;
CREATE TABLE keys (
    key TEXT PRIMARY KEY, match INTEGER NOT NULL, last_seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY, ruleset TEXT NOT NULL, name TEXT NOT NULL UNIQUE,
    matches INTEGER NOT NULL, events INTEGER NOT NULL, matches_hash BLOB NOT NULL, events_hash BLOB NOT NULL);
CREATE TABLE archived (
    match INTEGER PRIMARY KEY, file INTEGER NOT NULL);
CREATE TABLE tombstones (
    match INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (match, file)) WITHOUT ROWID;
CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY, file TEXT NOT NULL, record INTEGER NOT NULL, ply INTEGER, reason TEXT NOT NULL,
    text BLOB NOT NULL, UNIQUE (file, record, text));
"""
"""What format 1 had. Nothing writes or reads `events.at_ms`, a time that an append could be given, any more."""

TABLES_2 = """
CREATE {temp} TABLE IF NOT EXISTS forks (
    match INTEGER NOT NULL UNIQUE, parent INTEGER NOT NULL, at_seq INTEGER NOT NULL, inherited INTEGER NOT NULL,
    number INTEGER PRIMARY KEY);
CREATE {temp} TABLE IF NOT EXISTS pins (
    match INTEGER PRIMARY KEY, revision INTEGER NOT NULL);
"""
"""What format 2 added: which match continues which (see `kifold.records.log.Fork`), in the order in which these were
made; and the revision of the rules that a match was promoted to, where that is not the one that its log names."""

COLUMN_3 = "ALTER TABLE keys ADD COLUMN first_seq INTEGER;"
"""What format 3 added: the number of the first event of an append, one more than the last where it had none. Rows from
before have a null: their append may have begun anywhere up to the last."""


def make(path: Path) -> None:
    """Make an empty journal, unless there is one: whole or not at all, and once, however many processes try.

    Raises:
        StoreError: when the folder cannot be written, or holds the archive of a journal that was lost: beside a new
            one nobody would see it.
    """
    if path.exists():
        return
    lost = without_journal(path.parent)
    if lost and not path.exists():  # another process may have made both meanwhile
        raise StoreError(lost)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.making")
    try:
        db = sqlite3.connect(draft, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            new = SCHEMA + TABLES_2.format(temp="") + COLUMN_3
            db.executescript(f"BEGIN; {new} INSERT INTO meta VALUES ('format', '{FORMAT}'); COMMIT;")
        finally:
            db.close()
        _put(draft, path)
    except (OSError, sqlite3.Error) as error:
        said = (error.strerror if isinstance(error, OSError) else None) or error
        raise StoreError(f"{path.parent}: no journal can be made here ({said})") from None
    finally:
        for ending in ("", "-wal", "-shm"):
            draft.with_name(draft.name + ending).unlink(missing_ok=True)


def format_of(db: sqlite3.Connection) -> int | None:
    """The number of a journal's layout; None where it does not say it."""
    row = db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    return int(row[0]) if row is not None and str(row[0]).isdecimal() else None


def bring_up(db: sqlite3.Connection) -> None:
    """Give a journal of an earlier format what was added since. Where it cannot be written, this connection alone gets
    what is asked by those who read.

    Raises:
        sqlite3.Error: when it is damaged, or locked.
    """
    try:
        db.execute("BEGIN IMMEDIATE")
        try:
            present = format_of(db)  # another process may have done it meanwhile
            if present == 1:
                _run(db, TABLES_2.format(temp=""))
            if present in (1, 2):
                _run(db, COLUMN_3)
            db.execute("UPDATE meta SET value = ? WHERE key = 'format'", (str(FORMAT),))
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 255 != sqlite3.SQLITE_READONLY:
            raise
        if format_of(db) == 1:
            _run(db, TABLES_2.format(temp="TEMP"))


def _run(db: sqlite3.Connection, statements: str) -> None:
    """Run statements within the transaction; `executescript` would commit it."""
    for statement in statements.split(";"):
        db.execute(statement)


def _put(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return  # another process was first, and may have written to its own already
    except OSError:  # a file system without hard links
        draft.rename(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Have what was written to a file, or the names in a folder, lie on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def connect(path: Path) -> sqlite3.Connection:
    """Open a journal, for reading alone where nothing else is possible.

    Raises:
        StoreError: when there is none, or it cannot be opened.
    """
    if not path.exists():
        raise StoreError(
            without_journal(path.parent)
            or f"{path.parent}: no kifold store here; record or import a match first, or name another with --store"
        )
    try:
        if path.stat().st_size == 0:
            new = "" if without_journal(path.parent) else ", or, if nothing was stored here, remove it and try again"
            raise StoreError(f"{path}: is empty; restore a copy{new}")
        if os.access(path.parent, os.W_OK):
            return sqlite3.connect(path, timeout=TIMEOUT, isolation_level=None)
        return _connect_for_reading(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path}: cannot be opened as a journal ({error})") from None


def _connect_for_reading(path: Path) -> sqlite3.Connection:
    """Open a journal in a folder that cannot be written.

    To read in write-ahead mode SQLite makes files beside the journal, unless they are there. Without them it has to be
    told that the file never changes, and then does not look for what was not merged yet.
    """
    uri = path.absolute().as_uri()
    db = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=TIMEOUT, isolation_level=None)
    try:
        db.execute("SELECT count(*) FROM sqlite_master")
        return db
    except sqlite3.OperationalError:
        db.close()
    unmerged = path.with_name(path.name + "-wal")
    if unmerged.exists() and unmerged.stat().st_size:
        raise StoreError(
            f"{unmerged}: holds events that cannot be read in a read-only folder; copy the folder to where it can be "
            "written"
        )
    return sqlite3.connect(f"{uri}?immutable=1", uri=True, isolation_level=None)
