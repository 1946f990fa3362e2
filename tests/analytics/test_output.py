"""What is written comes back: CSV, JSON and Parquet, whatever is in the cells; tables for people stay tables."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.analytics.catalogue import SETTINGS
from kifold.analytics.output import SHOWN, render
from kifold.analytics.query import Answer, QueryError, run, save_parquet, stream

EVERYTHING = """
SELECT * FROM (VALUES
    (1, 'plain', MAP {'a': 1, 'b': 2}, [1, NULL, 3], {'x': 1, 'y': ['p', 'q']}, '\\x00\\xFF'::BLOB,
     12.50::DECIMAL(9, 2), DATE '2024-02-29', TIMESTAMP '2024-02-29 12:30:00', true, 0.1::DOUBLE),
    (2, 'comma, "quote" and
line', MAP {}, [], {'x': NULL, 'y': NULL}, ''::BLOB, -0.01, DATE '0001-01-01', TIMESTAMP '1999-12-31 23:59:59.999999',
     false, 1e300),
    (3, ' ünïcode 棋譜 🂡 ', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (4, '', MAP {'': -1}, [2147483647], {'x': -5, 'y': ['"', ',']}, 'abc'::BLOB, 9999999.99, DATE '9999-12-31',
     TIMESTAMP '2024-01-01 00:00:00', true, -0.0),
    (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
) AS t(id, text, map, list, struct, blob, decimal, date, time, truth, number) ORDER BY id
"""


@pytest.fixture
def sql() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:", config=SETTINGS) as connection:
        yield connection


def written(sql: duckdb.DuckDBPyConnection, query: str, form: str) -> str:
    return render(stream(sql, query), form)


def test_json_comes_back(sql: duckdb.DuckDBPyConnection) -> None:
    rows = json.loads(written(sql, EVERYTHING, "json"))
    assert rows[0] == {
        "id": 1,
        "text": "plain",
        "map": {"a": 1, "b": 2},
        "list": [1, None, 3],
        "struct": {"x": 1, "y": ["p", "q"]},
        "blob": "00ff",
        "decimal": 12.5,
        "date": "2024-02-29",
        "time": "2024-02-29T12:30:00",
        "truth": True,
        "number": 0.1,
    }
    assert rows[1]["text"] == 'comma, "quote" and\nline'
    assert [row["text"] for row in rows[2:]] == [" ünïcode 棋譜 🂡 ", "", None]
    assert rows[3]["struct"] == {"x": -5, "y": ['"', ","]}
    assert set(rows[4].values()) == {5, None}
    assert [bytes.fromhex(row["blob"]) for row in rows if row["blob"] is not None] == [b"\0\xff", b"", b"abc"]
    assert [date.fromisoformat(row["date"]) for row in rows if row["date"]][1] == date(1, 1, 1)
    assert datetime.fromisoformat(rows[1]["time"]).microsecond == 999_999


def test_csv_comes_back_to_duckdb_with_nulls_and_empty_texts_told_apart(
    sql: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    path = tmp_path / "all.csv"
    path.write_text(written(sql, EVERYTHING, "csv") + "\n", encoding="utf-8")
    reading = "header = true, all_varchar = true, allow_quoted_nulls = false"
    found = sql.execute(f"SELECT * FROM read_csv('{path}', {reading}) ORDER BY id").fetchall()
    expected = run(sql, EVERYTHING).rows
    assert [row[1] for row in found] == [row[1] for row in expected]
    for row, known in zip(found, expected, strict=True):
        assert [value is None for value in row] == [value is None for value in known]
        if known[2] is not None:
            assert [json.loads(value) for value in row[2:5]] == list(known[2:5])
            assert bytes.fromhex(row[5] or "") == known[5]
            assert Decimal(row[6]) == known[6]
            assert (row[7], datetime.fromisoformat(row[8])) == (known[7].isoformat(), known[8])
            assert (row[9] == "true", float(row[10])) == known[9:]


def test_csv_comes_back_to_python(sql: duckdb.DuckDBPyConnection) -> None:
    rows = list(csv.reader(StringIO(written(sql, EVERYTHING, "csv"), newline="")))
    assert rows[0][:2] == ["id", "text"]
    assert [row[1] for row in rows[1:]] == ["plain", 'comma, "quote" and\nline', " ünïcode 棋譜 🂡 ", "", ""]
    assert rows[1][6] == "12.50"


def test_parquet_comes_back(sql: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    save_parquet(sql, EVERYTHING + ";", tmp_path / "all.parquet")
    rows = pq.read_table(tmp_path / "all.parquet").to_pylist()
    known = run(sql, EVERYTHING)
    for row, values in zip(rows, known.rows, strict=True):
        if row["map"] is not None:
            row["map"] = dict(row["map"])
        assert list(row) == known.columns
        assert tuple(row.values()) == values


@given(st.lists(st.tuples(st.none() | st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.integers())))
def test_any_text_comes_back(rows: list[tuple[Any, ...]]) -> None:
    answer = Answer(["text", "n"], rows)
    assert [tuple(row.values()) for row in json.loads(render(answer, "json"))] == rows
    if not any("\0" in (row[0] or "") for row in rows):
        found = list(csv.reader(StringIO(render(answer, "csv"), newline="")))
        assert found[1:] == [["" if value is None else str(value) for value in row] for row in rows]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_one_column_of_nulls_keeps_its_rows(sql: duckdb.DuckDBPyConnection, form: str) -> None:
    text = written(sql, "SELECT NULL AS a FROM range(3)", form)
    assert text == {"csv": 'a\n""\n""\n""', "json": '[\n{"a": null},\n{"a": null},\n{"a": null}\n]'}[form]


def test_what_json_has_no_number_for(sql: duckdb.DuckDBPyConnection) -> None:
    query = (
        "SELECT 'nan'::DOUBLE AS a, '-inf'::DOUBLE AS b, 12345678901234567890.123456789::DECIMAL(38, 9) AS c, "
        "123456789012345678901234567890::HUGEINT AS d, 0.1::DECIMAL(4, 1) AS e, ['inf'::DOUBLE] AS f"
    )
    [row] = json.loads(written(sql, query, "json"), parse_constant=pytest.fail)
    assert row == {
        "a": None,
        "b": None,
        "c": "12345678901234567890.123456789",
        "d": 123456789012345678901234567890,
        "e": 0.1,
        "f": [None],
    }
    assert written(sql, query, "csv").splitlines()[1] == (
        "nan,-inf,12345678901234567890.123456789,123456789012345678901234567890,0.1,[null]"
    )


def test_columns_of_one_name_hide_nothing(sql: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    query = "SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a"
    assert json.loads(written(sql, query, "json")) == [{"a": 1, "a_2": 2, "a_1": 3, "a_3": 4}]
    save_parquet(sql, query, tmp_path / "a.parquet")
    assert len(set(pq.read_schema(tmp_path / "a.parquet").names)) == 4


def test_sums_in_parquet_stay_integers(sql: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    query = 'SELECT sum(range) AS s, sum(range) + 9007199254740992 AS "big ""one""" FROM range(2)'
    save_parquet(sql, query, tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == [{"s": 1, 'big "one"': 9007199254740993}]
    with pytest.raises(QueryError, match="out of range"):
        save_parquet(sql, "SELECT 170141183460469231731687303715884105727 AS huge", tmp_path / "b.parquet")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT now() AS t", "t"),
        ("SELECT TIME '10:00' AS t, TIMETZ '10:00:00+02' AS u, INTERVAL 3 DAYS AS i, uuid() AS d", "t u i d"),
        (
            "SELECT MAP {1: 'a', 2: NULL} AS m, MAP {[1]: 2} AS n, union_value(k := 1) AS u, [1, 2]::INT[2] AS a",
            "m n u a",
        ),
        ("SELECT '101'::BIT AS b, 'x'::ENUM ('x', 'y') AS e, DATE '290000-01-01' AS d", "b e d"),
        ("DESCRIBE SELECT 1 AS a", "column_name column_type null key default extra"),
        ("SHOW TABLES", "name"),
        ("CREATE TABLE t (a INT)", "Count"),
        ("SELECT 1 AS one WHERE false", "one"),
    ],
)
@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_every_type_is_written(sql: duckdb.DuckDBPyConnection, query: str, names: str, form: str) -> None:
    text = written(sql, query, form)
    if form == "json":
        assert all(list(row) == names.split() for row in json.loads(text))
        return
    header, *rows = csv.reader(StringIO(text)) if form == "csv" else map(str.split, text.splitlines())
    assert header == names.split()
    assert form == "table" or all(len(row) == len(header) for row in rows)


# Tables


def test_a_table_shows_no_more_than_people_read(sql: duckdb.DuckDBPyConnection) -> None:
    lines = written(sql, "SELECT range AS n FROM range(100000)", "table").splitlines()
    assert len(lines) == 2 + SHOWN + 1
    assert lines[-1] == "… 99,800 more rows: see all with --format csv"
    assert len(written(sql, "SELECT range AS n FROM range(200)", "table").splitlines()) == 2 + SHOWN


def test_a_row_of_a_table_is_one_line_and_obeyed_by_no_terminal() -> None:
    rows = [("a\nb", 1), ("\x1b[31mred\x07", -10), ("棋譜", None), ("", 2)]
    assert render(Answer(["name", "n"], rows), "table").splitlines() == [
        "name         n",
        "─────────  ───",
        "a b          1",
        "�[31mred�  -10",
        "棋譜",
        "             2",
    ]


def test_numbers_stand_at_the_right_and_time_zones_are_kept() -> None:
    rows = [(1, Decimal("1.50"), datetime(2024, 1, 1, tzinfo=UTC)), (100, None, None)]
    assert render(Answer(["n", "d", "t"], rows), "table").splitlines() == [
        "  n     d  t",
        "───  ────  ─────────────────────────",
        "  1  1.50  2024-01-01T00:00:00+00:00",
        "100",
    ]
