"""Running a query and writing its answer."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

SHOWN = 200


class QueryError(ValueError):
    """DuckDB refuses a query. The message is one line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The columns' names and the rows of an answer."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def run(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer:
    """Run a query.

    Raises:
        QueryError: when it is wrong, or cannot be answered.
    """
    try:
        cursor = connection.execute(sql)
        return Answer([column[0] for column in cursor.description or ()], cursor.fetchall())
    except duckdb.Error as error:
        raise QueryError(_one_line(str(error))) from None


def save_parquet(connection: duckdb.DuckDBPyConnection, sql: str, path: Path) -> None:
    """Write the answer of a query to a Parquet file.

    Raises:
        QueryError: when the query is wrong.
    """
    import pyarrow.parquet as pq

    try:
        table = connection.execute(sql).to_arrow_table()
    except duckdb.Error as error:
        raise QueryError(_one_line(str(error))) from None
    pq.write_table(table, path, compression="zstd")


def _one_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not set(line.strip()) <= {"^"}]
    return " – ".join(lines)


def render(answer: Answer, form: str) -> str:
    """The answer as `table` (for people, at most 200 rows), `csv` or `json` (a list of objects)."""
    if form == "json":
        rows = [dict(zip(answer.columns, map(plain, row), strict=True)) for row in answer.rows]
        return json.dumps(rows, ensure_ascii=False, indent=2)
    if form == "csv":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows([_cell(value) for value in row] for row in answer.rows)
        return out.getvalue().rstrip("\n")
    return _table(answer)


def _table(answer: Answer) -> str:
    rows = [[_cell(value) for value in row] for row in answer.rows[:SHOWN]]
    is_number = [
        all(isinstance(row[at], int | float | Decimal | None) for row in answer.rows[:SHOWN])
        for at in range(len(answer.columns))
    ]
    widths = [max(len(name), *(len(row[at]) for row in rows), 0) for at, name in enumerate(answer.columns)]
    lines = [
        "  ".join(
            name.rjust(w) if n else name.ljust(w) for name, w, n in zip(answer.columns, widths, is_number, strict=True)
        )
    ]
    lines.append("  ".join("─" * width for width in widths))
    for row in rows:
        cells = (cell.rjust(w) if n else cell.ljust(w) for cell, w, n in zip(row, widths, is_number, strict=True))
        lines.append("  ".join(cells).rstrip())
    if len(answer.rows) > SHOWN:
        lines.append(f"… {len(answer.rows) - SHOWN:,} more rows: see all with --format csv")
    return "\n".join(line.rstrip() for line in lines)


def _cell(value: Any) -> str:
    value = plain(value)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def plain(value: Any) -> Any:
    """A value of DuckDB as plain JSON data: bytes as hex, dates as ISO text."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
