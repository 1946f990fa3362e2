"""What became of the records of a file that is being imported. Memory does not grow with the file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from types import TracebackType
from typing import Self

from kifold.core.codec import DIGEST_SIZE
from kifold.records.errors import StoreError

TABLES = """
PRAGMA journal_mode = OFF;
CREATE TABLE alike (content BLOB PRIMARY KEY, before INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE added (match INTEGER PRIMARY KEY, digest BLOB NOT NULL, players TEXT NOT NULL);
CREATE TABLE became (
    ruleset TEXT, name TEXT, match INTEGER, is_other INTEGER NOT NULL, PRIMARY KEY (ruleset, name)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Became:
    """What a record became.

    Attributes:
        match: the id of the match; None when the record was refused.
        is_other: whether that is another match, which begins with all events of the record: it was passed over.
    """

    match: int | None
    is_other: bool = False


REFUSED = Became(None)


class Taken:
    """The records of one file: what each became, by its name, how often a content came before, and which were added.

    They lie in a temporary database that SQLite keeps in memory up to 2 MB, then in a file that nobody else sees.
    """

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.executescript(TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()

    def place(self, content: bytes) -> int:
        """How often a content came before this time."""
        key = blake2b(content, digest_size=DIGEST_SIZE).digest()
        query = "INSERT INTO alike VALUES (?, 0) ON CONFLICT DO UPDATE SET before = before + 1 RETURNING before"
        with _kept():
            (before,) = self._db.execute(query, (key,)).fetchone()
        return int(before)

    def add(self, ruleset: str, name: str, became: Became) -> None:
        """Take a record of a ruleset. Of two with one name the later one counts."""
        with _kept():
            self._db.execute("REPLACE INTO became VALUES (?, ?, ?, ?)", (ruleset, name, became.match, became.is_other))

    def add_match(self, match: int, digest: bytes, players: Sequence[str]) -> None:
        """Take note of the digest and the players' names of a match that is added."""
        with _kept():
            self._db.execute("REPLACE INTO added VALUES (?, ?, ?)", (match, digest, json.dumps(players)))

    def added(self, match: int) -> tuple[bytes, tuple[str, ...]] | None:
        """The digest and the players' names of a match that was added; None where none of that id was."""
        with _kept():
            row = self._db.execute("SELECT digest, players FROM added WHERE match = ?", (match,)).fetchone()
        return (row[0], tuple(json.loads(row[1]))) if row else None

    def became(self, ruleset: str, name: str) -> Became | None:
        """What the record of a ruleset and name became; None where none came yet."""
        query = "SELECT match, is_other FROM became WHERE ruleset = ? AND name = ?"
        with _kept():
            row = self._db.execute(query, (ruleset, name)).fetchone()
        return Became(row[0], bool(row[1])) if row else None


@contextmanager
def _kept() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(
            f"what an import has taken so far cannot be kept ({error}): make room where temporary files lie, "
            "or name another folder with SQLITE_TMPDIR"
        ) from None
