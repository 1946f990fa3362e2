"""A DuckDB database with the views: for others to open, made anew without harm, and never over something else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from kifold.analytics import database
from kifold.analytics.database import MADE, write_database
from kifold.analytics.query import QueryError
from kifold.analytics.views import described
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.analytics.conftest import Kifold, Mixed
from tests.stores import archive_all, fill, record

pytestmark = pytest.mark.xdist_group("analytics_mixed")

OPEN = """
import sys, duckdb
assert not any(name.startswith("kifold") for name in sys.modules)
with duckdb.connect(sys.argv[1], read_only=True) as sql:
    print(sql.execute("SELECT count(*), count(*) FILTER (archived), min(match) FROM matches").fetchall())
"""


def test_another_tool_has_the_same_views(mixed: Mixed, kifold: Kifold, tmp_path: Path) -> None:
    path = tmp_path / "all.duckdb"
    status, out, err = kifold(mixed.folder, "sql", "--database", path)
    assert status == 0
    assert [line for line in err.splitlines() if "have no plies yet: make them with" not in line] == []
    assert out.startswith(f"{path}: has views of {mixed.folder}")
    assert list(tmp_path.iterdir()) == [path]
    said = subprocess.run(
        [sys.executable, "-c", OPEN, str(path)], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    known = mixed.known.values()
    archived = sum(one.log.is_archived for one in known)
    assert said.stdout == f"[({len(known)}, {archived}, '{id_text(min(mixed.known))}')]\n"
    with duckdb.connect(str(path), read_only=True) as sql:
        own = "NOT internal AND view_name[1] <> '_' AND NOT view_name LIKE '%plies'"
        for (view,) in mixed.rows(f"SELECT view_name FROM duckdb_views() WHERE {own}"):
            query = f"SELECT count(*), sum(hash(COLUMNS(*))::HUGEINT) FROM {view}"
            assert sql.execute(query).fetchall() == mixed.rows(query), view


def test_a_pipe_or_a_folder_is_no_database(mixed: Mixed, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with Store(mixed.folder, create=False) as store:
        for name in ("pipe", "folder"):
            with pytest.raises(QueryError, match="is no DuckDB database"):
                write_database(store, tmp_path / name)


def test_an_interruption_leaves_no_new_database(mixed: Mixed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(database, "_comment", interrupted)
    (tmp_path / "link").symlink_to("made")
    with Store(mixed.folder, create=False) as store, pytest.raises(KeyboardInterrupt):
        write_database(store, tmp_path / "link")
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


def test_the_database_says_what_its_views_mean(mixed: Mixed, tmp_path: Path) -> None:
    path = tmp_path / "all.duckdb"
    with Store(mixed.folder, create=False) as store:
        write_database(store, path)
    with duckdb.connect(str(path), read_only=True) as sql:
        views = dict(sql.execute("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal").fetchall())
        columns = sql.execute("SELECT table_name, column_name, comment FROM duckdb_columns()").fetchall()
    for view, column, _, meaning in described(mixed.sql).rows:
        assert (views[view] == meaning) if column is None else ((view, column, meaning) in columns)


def test_it_is_made_anew_and_what_others_have_in_it_stays(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "all.duckdb"
    matches = fill(store, 2)
    write_database(store, path)
    with duckdb.connect(str(path)) as sql:
        sql.execute("CREATE TABLE mine AS SELECT 1 AS n; CREATE VIEW my_view AS SELECT count(*) AS n FROM matches")
        assert sql.execute("FROM my_view").fetchall() == [(4,)]
    archive_all(store)
    store.delete(matches[0])
    record(store, 1, 3)
    for _ in range(2):
        write_database(store, path)
        with duckdb.connect(str(path), read_only=True) as sql:
            assert sql.execute("SELECT count(*), count(*) FILTER (archived) FROM matches").fetchall() == [(4, 3)]
            assert sql.execute("FROM mine").fetchall() == [(1,)]
            assert sql.execute("FROM my_view").fetchall() == [(4,)]
    assert list(tmp_path.glob("*.duckdb*")) == [path]


def test_a_database_of_somebody_else_gets_the_views_too(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "theirs.duckdb"
    with duckdb.connect(str(path)) as sql:
        sql.execute("CREATE TABLE t AS SELECT 1 AS n")
    write_database(store, path)
    with duckdb.connect(str(path), read_only=True) as sql:
        assert sql.execute("FROM t").fetchall() == [(1,)]
        assert sql.execute("SELECT count(*) FROM matches").fetchall() == [(0,)]


def test_a_table_of_that_name_is_not_replaced(store: Store, tmp_path: Path, kifold: Kifold) -> None:
    path = tmp_path / "theirs.duckdb"
    with duckdb.connect(str(path)) as sql:
        sql.execute("CREATE TABLE scores AS SELECT 1 AS n")
    status, out, err = kifold(store.folder, "sql", "--database", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert str(path) in err
    assert "scores" in err
    with duckdb.connect(str(path), read_only=True) as sql:
        assert sql.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("scores",)]
        assert sql.execute("FROM scores").fetchall() == [(1,)]
        assert sql.execute("FROM duckdb_views() WHERE NOT internal").fetchall() == []


@pytest.mark.parametrize(
    "content", [b"", b"notes", b"x" * 8 + b"DUCK" + b"y" * 9000, b"SQLite format 3\0" + bytes(9000)]
)
def test_another_file_is_not_overwritten(store: Store, tmp_path: Path, kifold: Kifold, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    status, out, err = kifold(store.folder, "sql", "--database", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert str(path) in err
    assert path.read_bytes() == content
    assert list(tmp_path.glob("file*")) == [path]


def test_a_place_that_cannot_be_written(store: Store, tmp_path: Path, kifold: Kifold) -> None:
    for path in (tmp_path, tmp_path / "nothing" / "x.duckdb"):
        status, out, err = kifold(store.folder, "sql", "--database", path)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert str(path) in err
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_a_database_in_use_is_left_alone(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "all.duckdb"
    write_database(store, path)
    code = "import sys, duckdb; sql = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(QueryError, match="lock"):
            write_database(store, path)
        other.communicate()
    write_database(store, path)


def test_what_fails_half_way_leaves_nothing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store, 1)
    path = tmp_path / "all.duckdb"
    monkeypatch.setattr(
        "kifold.analytics.database._comment", lambda connection: connection.execute("SELECT error('no')")
    )
    with pytest.raises(QueryError, match="no"):
        write_database(store, path)
    assert list(tmp_path.glob("all*")) == []
    monkeypatch.undo()
    write_database(store, path)
    before = path.read_bytes()
    monkeypatch.setattr(
        "kifold.analytics.database._comment", lambda connection: connection.execute("SELECT error('no')")
    )
    with pytest.raises(QueryError, match="no"):
        write_database(store, path)
    monkeypatch.undo()
    with duckdb.connect(str(path), read_only=True) as sql:
        assert sql.execute("SELECT count(*) FROM matches").fetchall() == [(2,)]
        assert sql.execute(f"SELECT count(*) > 10 FROM {MADE}").fetchall() == [(True,)]
    assert len(before) <= path.stat().st_size
