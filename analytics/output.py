"""Writing an answer: as a table for people, as CSV or JSON for programs."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from io import StringIO
from itertools import chain, islice
from math import isfinite
from typing import Any, TextIO

from kifold.analytics.query import Answer, Stream
from kifold.replay.printable import printable

SHOWN = 200
"""Rows of a table for people."""


def render(answer: Answer | Stream, form: str) -> str:
    """The answer as text, see `write`."""
    out = StringIO()
    write(answer, form, out)
    return out.getvalue().removesuffix("\n")


def write(answer: Answer | Stream, form: str, out: TextIO) -> None:
    """Write an answer as `table`, `csv` or `json`; not more than the rows of a table are held in memory.

    * `table` shows at most 200 rows, each on one line.
    * `csv`: a null is nothing, an empty text ``""``. Lists, structs and maps are JSON.
    * `json`: a list with one object per line. Binary values are hexadecimal digits, dates ISO 8601; what JSON has no
      number for is null (NaN, infinity), and a decimal with more digits than a floating-point number has is a text.
    """
    {"table": _table, "csv": _csv, "json": _json}[form](answer.columns, answer.rows, out)


def _json(columns: Sequence[str], rows: Iterable[tuple[Any, ...]], out: TextIO) -> None:
    between = "[\n"
    for row in rows:
        out.write(between + _json_text(dict(zip(columns, row, strict=True))))
        between = ",\n"
    out.write("[]\n" if between == "[\n" else "\n]\n")


def _csv(columns: Sequence[str], rows: Iterable[tuple[Any, ...]], out: TextIO) -> None:
    for row in chain([columns], rows):
        line = ",".join(map(_csv_cell, row))
        # A line with nothing on it is no row to many readers.
        out.write((line or '""') + "\n")


def _csv_cell(value: Any) -> str:
    text = cell(value)
    if text == "":
        return "" if value is None else '""'
    if _NEEDS_QUOTES.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


_NEEDS_QUOTES = re.compile(r'[,"\r\n]|^\s|\s$')


def _table(columns: Sequence[str], rows: Iterable[tuple[Any, ...]], out: TextIO) -> None:
    all_rows = iter(rows)
    shown = list(islice(all_rows, SHOWN))
    lines = [[printable(name) for name in columns], *([printable(cell(value)) for value in row] for row in shown)]
    is_number = [all(isinstance(row[at], int | float | Decimal | None) for row in shown) for at in range(len(columns))]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["─" * width for width in widths])
    for line in lines:
        padded = (
            " " * (width - _width(text)) + text if number else text + " " * (width - _width(text))
            for text, width, number in zip(line, widths, is_number, strict=True)
        )
        out.write("  ".join(padded).rstrip() + "\n")
    more = sum(1 for _ in all_rows)
    if more:
        out.write(f"… {more:,} more rows: see all with --format csv\n")


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def cell(value: Any) -> str:
    """A value as text for a table or CSV: nothing for null, exact digits, JSON for lists, structs and maps."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    value = plain(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json_text(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """A value of DuckDB as data that JSON can hold, see `write`."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {key if isinstance(key, str) else cell(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Decimal):
        return _decimal(value)
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def _decimal(value: Decimal) -> int | float | str:
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else format(value, "f")
