"""The views as a DuckDB database file, for tools that know DuckDB and not kifold."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

from kifold.analytics.catalogue import MATCH_TEXT, SETTINGS, catalogue
from kifold.analytics.query import QueryError, in_words, run
from kifold.analytics.sources import OnLeftOut, quoted
from kifold.analytics.views import described
from kifold.core.registry import names
from kifold.records.store import Store

MAGIC, MAGIC_AT = b"DUCK", 8

STORAGE = "v1.2.0"
"""The format of a new file: what current tools read, not the newest that the installed DuckDB would write."""

MADE = "_kifold"
"""The table that lists what we made in a database, so that it can be made anew and the rest is left alone."""


def write_database(store: Store, path: Path, on_left_out: OnLeftOut = lambda line: None) -> None:
    """Make the views of a store in a DuckDB database, or make them anew; what else is in it stays.

    The views read the archive's files where they lie; live matches are copied as they are now. All is written or
    nothing.

    Args:
        path: the file; made where there is none.
        on_left_out: see `kifold.analytics.catalogue.connect`.

    Raises:
        QueryError: when the file is something else, is in use, cannot be written, or has a table of its own that is
            called like one of the views.
        StoreError: when an archive file is missing or no Parquet file.
    """
    found = catalogue(store, None, on_left_out, names())
    is_new = not path.exists()
    if not is_new and not (path.is_file() and _is_database(path)):
        raise QueryError(f"{path}: is no DuckDB database, and is not overwritten; choose another name")
    try:
        with in_words(f"{path}: "):
            settings = SETTINGS | {"storage_compatibility_version": STORAGE}
            connection = duckdb.connect(str(path), config=settings)
        try:
            with in_words(f"{path}: "):
                connection.execute("BEGIN")
                _remove(connection)
                connection.execute(MATCH_TEXT)
                for name, table in found.tables.items():
                    connection.register("_rows", table)
                    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM _rows")
                    connection.unregister("_rows")
                for name, query in found.views.items():
                    connection.execute(f"CREATE VIEW {name} AS {query}")
                _list(connection, [*found.tables], [*found.views])
                _comment(connection)
                connection.execute("COMMIT")
        finally:
            connection.close()
    except BaseException:
        if is_new:
            place = Path(os.path.realpath(path))
            place.unlink(missing_ok=True)
            place.with_name(place.name + ".wal").unlink(missing_ok=True)
        raise


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(MAGIC_AT + len(MAGIC))[MAGIC_AT:] == MAGIC
    except OSError as error:
        raise QueryError(f"{path}: cannot be read ({error.strerror})") from None


def _remove(connection: duckdb.DuckDBPyConnection) -> None:
    if run(connection, f"SELECT 1 FROM duckdb_tables() WHERE table_name = '{MADE}'").rows:
        for kind, name in reversed(run(connection, f"SELECT kind, name FROM {MADE} ORDER BY number").rows):
            connection.execute(f'DROP {kind} IF EXISTS "{name}"')
        connection.execute(f"DROP TABLE {MADE}")


def _list(connection: duckdb.DuckDBPyConnection, tables: list[str], views: list[str]) -> None:
    connection.execute(f"CREATE TABLE {MADE} (number INTEGER, kind VARCHAR, name VARCHAR)")
    made = [("TABLE", name) for name in tables] + [("VIEW", name) for name in views]
    connection.executemany(f"INSERT INTO {MADE} VALUES (?, ?, ?)", [[i, *one] for i, one in enumerate(made)])


def _comment(connection: duckdb.DuckDBPyConnection) -> None:
    """Put what `sql --schema` says into the database."""
    for view, column, _, meaning in described(connection).rows:
        if meaning:
            what = f"VIEW {view}" if column is None else f'COLUMN {view}."{column}"'
            connection.execute(f"COMMENT ON {what} IS {quoted(meaning)}")
