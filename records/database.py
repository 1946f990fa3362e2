"""The SQLite file of a store as a database: opened, asked and written, one transaction at a time.

Any number of processes may read, one at a time writes; SQLite's locks order them.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kifold.records.errors import StoreError
from kifold.records.sqlite import DURABILITY, FORMAT, TIMEOUT, bring_up, connect, format_of, make
from kifold.records.unlisted import or_import

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises where a file is damaged: its messages quote what it found there, which may be no text."""

UNTAKEN = (OverflowError, UnicodeEncodeError)
"""What is raised for a value that SQLite has no room for: a number beyond 64 bits, a text that is no UTF-8."""


class Database:
    """An open file.

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
        if create:
            make(path)
        self.db = connect(path)
        try:
            self.db.execute("PRAGMA synchronous = " + DURABILITY[durability])
            self._check_format()
        except BaseException as error:
            self.db.close()
            if isinstance(error, UNREADABLE):
                raise StoreError(f"{path}: is no kifold journal, or damaged ({error}); {self._what_to_do()}") from None
            raise

    def _check_format(self) -> None:
        present = format_of(self.db)
        if present is None:
            raise StoreError(f"{self.path}: is no kifold journal (it does not say its format); {self._what_to_do()}")
        if present > FORMAT:
            raise StoreError(
                f"{self.path}: has format {present}, this kifold reads up to {FORMAT}; install a newer kifold"
            )
        if present < FORMAT:
            bring_up(self.db)

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Raises:
            StoreError: when the file is damaged there, or cannot be read; for a value that SQLite has no room for.
        """
        try:
            return self.db.execute(query, values).fetchall()
        except UNTAKEN as error:
            raise self._untaken(error) from None
        except UNREADABLE as error:
            raise self._unreadable(error) from None

    def _each(self, query: str, values: Sequence[Any]) -> Iterator[Any]:
        """The only column of a query. No row is kept: a million tuples would keep the garbage collector busy.

        Raises:
            StoreError: when the file is damaged there, or cannot be read; for a value that SQLite has no room for.
        """
        try:
            for (value,) in self.db.execute(query, values):
                yield value
        except UNTAKEN as error:
            raise self._untaken(error) from None
        except UNREADABLE as error:
            raise self._unreadable(error) from None

    def column(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """The only column of a query.

        Raises:
            StoreError: when the file is damaged there, or cannot be read; for a value that SQLite has no room for.
        """
        return list(self._each(query, values))

    def row(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, if there is one."""
        rows = self.rows(query, values)
        return rows[0] if rows else None

    def numbers(self, query: str, values: Sequence[Any] = ()) -> array[int]:
        """The only column of a query for as many rows as a store has matches, integers all: 8 bytes a row.

        Raises:
            StoreError: when the file is damaged there, or cannot be read; for a value that SQLite has no room for.
        """
        return array("q", self._each(query, values))

    def _untaken(self, error: Exception) -> StoreError:
        what = "a text that is no UTF-8" if isinstance(error, UnicodeEncodeError) else "a number beyond 64 bits"
        return StoreError(f"{self.path}: cannot hold {what}")

    def _unreadable(self, error: Exception) -> StoreError:
        return StoreError(f"{self.path}: cannot be read ({error}); {self._what_to_do()}")

    def _what_to_do(self) -> str:
        return f"restore a copy{or_import(self.path.parent)}"

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One moment: what is read inside is as it was at the first read, whatever other processes write meanwhile."""
        is_inside = self.db.in_transaction
        if not is_inside:
            self.rows("BEGIN")
        try:
            yield
        finally:
            if not is_inside:
                self._roll_back()

    def _roll_back(self) -> None:
        """End a transaction, unless SQLite did it itself when something failed."""
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: everything inside is committed at the end, or nothing is.

        Raises:
            StoreError: when the folder or file cannot be written, or is locked by another process for 30 seconds.
        """
        try:
            self.db.execute("BEGIN IMMEDIATE")
        except UNREADABLE as error:
            raise StoreError(f"{self.path}: cannot be written ({error})") from None
        try:
            yield self.db
            self.db.execute("COMMIT")
        except BaseException as error:
            self._roll_back()
            if isinstance(error, UNREADABLE):
                raise StoreError(f"{self.path}: cannot be written ({error})") from None
            raise

    def is_settled(self) -> bool:
        """Whether nobody reads any more what was there before the last commit. It is waited for, a second at most."""
        return self._checkpoint("FULL")

    def _checkpoint(self, kind: str) -> bool:
        """Bring the write-ahead log into the file; whether that could be done within a second."""
        self.rows("PRAGMA busy_timeout = 1000")
        try:
            return not self.rows(f"PRAGMA wal_checkpoint({kind})")[0][0]
        finally:
            self.rows(f"PRAGMA busy_timeout = {TIMEOUT * 1000}")

    def tidy(self) -> None:
        """Write the file anew, without the room and the bytes that deleted rows left in it.

        What lies in the write-ahead log goes with the last one who reads it.

        Raises:
            StoreError: when it cannot be written.
        """
        try:
            self.db.execute("VACUUM")
        except UNREADABLE as error:
            raise StoreError(f"{self.path}: cannot be written ({error})") from None
        self._checkpoint("TRUNCATE")
