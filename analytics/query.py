"""Running a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from kifold.records.uninterrupted import uninterrupted

BATCH = 10_000
LONGEST_ERROR = 600

T = TypeVar("T")


class QueryError(ValueError):
    """DuckDB refuses a query. The message is one line.

    Attributes:
        is_of_data: whether the query as such is right, and something that it reads may be damaged.
    """

    def __init__(self, text: str, *, is_of_data: bool = False) -> None:
        super().__init__(text)
        self.is_of_data = is_of_data


@dataclass(frozen=True, slots=True)
class Answer:
    """The columns' names, each once, and the rows of an answer."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer whose rows come as they are asked for. Getting the next one may raise `QueryError`."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]


def run(connection: duckdb.DuckDBPyConnection, sql: str, values: Mapping[str, Any] | None = None) -> Answer:
    """Run a query with the values of its parameters.

    Raises:
        QueryError: when it is wrong, or cannot be answered.
    """
    answer = stream(connection, sql, values)
    return Answer(answer.columns, list(answer.rows))


def stream(connection: duckdb.DuckDBPyConnection, sql: str, values: Mapping[str, Any] | None = None) -> Stream:
    """Run a query whose answer may be too large to be held as Python values. It is to be read before the next one.

    Raises:
        QueryError: when it is wrong, or cannot be answered.
    """
    with in_words():
        cursor: duckdb.DuckDBPyConnection | None = _interruptible(connection, lambda: connection.execute(sql, values))
    if cursor is None:
        raise QueryError("the query is empty")
    return Stream(distinct([column[0] for column in cursor.description or ()]), _rows(cursor))


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while True:
        with in_words():
            rows = cursor.fetchmany(BATCH)
        if not rows:
            return
        yield from rows


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number behind one that was there before: ``a``, ``a_1``. Else a column would hide another."""
    found: list[str] = []
    for name in names:
        number, free = 1, name
        while free in found or (free != name and free in names):
            free, number = f"{name}_{number}", number + 1
        found.append(free)
    return found


def save_parquet(connection: duckdb.DuckDBPyConnection, sql: str, path: Path) -> None:
    """Write the answer of a query to a Parquet file.

    Raises:
        QueryError: when the query is wrong, or the file cannot be written.
    """
    with in_words():
        answer: duckdb.DuckDBPyRelation | None = connection.sql(sql)
        if answer is None:
            raise QueryError("the query gives no rows to write")
        # Parquet has no such integer and would get floating-point numbers; every sum of integers is one.
        columns = zip(answer.columns, answer.types, strict=True)
        names = ['"' + name.replace('"', '""') + '"' for name, kind in columns if str(kind) == "HUGEINT"]
        wide = [f"{name}::BIGINT AS {name}" for name in names]
        if wide:
            answer = answer.project(f"* REPLACE ({', '.join(wide)})")
        table = answer
        _interruptible(connection, lambda: table.write_parquet(str(path), compression="zstd"))


def _interruptible(connection: duckdb.DuckDBPyConnection, work: Callable[[], T]) -> T:
    """Have DuckDB work in another thread. While it works it does not look whether Ctrl-C was pressed; waiting does."""
    waiting: Future[T] | None = None
    with ThreadPoolExecutor(1) as pool:
        try:
            with uninterrupted():  # or it might run, and nobody wait for it
                waiting = pool.submit(work)
            return waiting.result()
        except KeyboardInterrupt:
            while waiting and not waiting.done():  # a query that begins only now has not heard of it
                connection.interrupt()
                wait([waiting], 0.1)
            raise


@contextmanager
def in_words(where: str = "") -> Iterator[None]:
    """What DuckDB raises as `QueryError`; also where Python has no value, or no module, for a value of SQL."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except (duckdb.Error, *_OF_PYTHON) as error:
        text = _one_line(str(error))
        is_of_query = isinstance(error, (*_OF_QUERY, *_OF_PYTHON)) and "Failed to read file" not in text
        raise QueryError(where + text, is_of_data=not is_of_query) from None


_OF_PYTHON = (OverflowError, UnicodeError, ImportError)
_OF_QUERY = (duckdb.ProgrammingError, duckdb.DataError, duckdb.NotSupportedError)
_OF_OURS = re.compile(r'Did you mean "_')
"""DuckDB proposing a table that lies below the views."""


def _one_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    said = " – ".join(line for line in lines if line and not set(line) <= {"^", "~"} and not _OF_OURS.match(line))
    return said if len(said) <= LONGEST_ERROR else said[:LONGEST_ERROR] + " …"
