"""`kifold sql`, `openings` and `scores` as they are called: wrong questions, hostile ones, files, empty stores."""

from __future__ import annotations

import csv
import json
import sqlite3
from io import StringIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.query import QueryError, run
from kifold.analytics.views import VIEWS, VIEWS_OF_RULESET, described
from kifold.core.events import ENDINGS, Finished, Resigned
from kifold.core.registry import names
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.store import Store
from tests.analytics.conftest import Kifold, Mixed
from tests.analytics.mixed import contents
from tests.stores import archive_all, duo, fill, game, record

pytestmark = pytest.mark.xdist_group("analytics_mixed")


# Answers


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_answers_of_every_form_are_the_same(mixed: Mixed, kifold: Kifold, tmp_path: Path, form: str) -> None:
    query = (
        "SELECT match, variant, options, players, n_events, ending, archived FROM matches ORDER BY match_id LIMIT 300"
    )
    path = tmp_path / "answer"
    status, out, err = kifold(mixed.folder, "sql", query, "--format", form, "--out", path)
    assert (status, out, err) == (0, "", "")
    assert list(tmp_path.iterdir()) == [path]
    expected = mixed.rows(query)
    if form == "parquet":
        table = pq.read_table(path).to_pylist()
        assert [tuple(dict(v) if k == "options" else v for k, v in row.items()) for row in table] == expected
    elif form == "json":
        assert [tuple(row.values()) for row in json.loads(path.read_text(encoding="utf-8"))] == expected
    else:
        rows = list(csv.reader(StringIO(path.read_text(encoding="utf-8"), newline="")))
        assert [(row[0], json.loads(row[2]), json.loads(row[3])) for row in rows[1:]] == [
            (row[0], row[2], row[3]) for row in expected
        ]


def test_what_goes_to_a_file_is_what_is_printed(mixed: Mixed, kifold: Kifold, tmp_path: Path) -> None:
    for asked, form in (("FROM matches ORDER BY match_id LIMIT 3", "csv"), ("--schema", "table")):
        _, printed, _ = kifold(mixed.folder, "sql", asked, "--format", form)
        kifold(mixed.folder, "sql", asked, "--format", form, "--out", tmp_path / "out")
        assert (tmp_path / "out").read_text(encoding="utf-8") == printed


def test_several_statements_answer_with_the_last(mixed: Mixed, kifold: Kifold) -> None:
    query = "CREATE TEMP TABLE best AS SELECT 41 AS n; UPDATE best SET n = n + 1; FROM best; -- done"
    assert kifold(mixed.folder, "sql", query, "--format", "csv") == (0, "n\n42\n", "")


def test_a_query_is_read_from_standard_input(mixed: Mixed, kifold: Kifold, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that begins with a comment would be taken for an option."""
    monkeypatch.setattr("sys.stdin", StringIO("-- how many\nSELECT 42 AS n;\n"))
    assert kifold(mixed.folder, "sql", "-", "--format", "csv") == (0, "n\n42\n", "")


# Wrong and hostile questions

WRONG = {
    "": "the query is empty",
    " ;; ": "the query is empty",
    "/* nothing */ -- more": "the query is empty",
    "selec 1": "Parser Error",
    "SELECT 1 +": "Parser Error",
    "SELECT '": "Parser Error",
    "SELECT * FROM nope": "Table with name nope does not exist",
    "SELECT nope FROM matches": "nope",
    "SELECT * FROM connection": "Table with name connection does not exist",
    "SELECT * FROM store": "Table with name store does not exist",
    "SELECT * FROM 'nope.parquet'": "No files found",
    "SELECT * FROM 'https://127.0.0.1:9/x.parquet'": "requires the extension httpfs",
    "SELECT 'x'::INT": "Could not convert string",
    "SELECT error('first\nsecond')": "first – second",
    "SELECT INTERVAL '100000000 years'": "too large",
    "SELECT $nothing": "nothing",
    "SET autoload_known_extensions = true": "configuration has been locked",
    "SET lock_configuration = false": "configuration has been locked",
    "LOAD httpfs": "httpfs",
    "SELECT st_point(1, 2)": "spatial extension",
    "DROP TABLE matches": "matches",
    "DELETE FROM matches": "delete",
    "INSERT INTO matches SELECT * FROM matches": "matches",
    "UPDATE blokus_events SET seq = 1": "update",
    "DROP TABLE _live_blokus_matches": "_live_blokus_matches",
    "SELECT " + "nope, " * 5000 + "1": "nope",
    "SELECT '\ud800'": "",
}


@pytest.mark.parametrize("query", WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_a_wrong_question_is_one_clear_line(store: Store, kifold: Kifold, query: str) -> None:
    status, out, err = kifold(store.folder, "sql", query)
    assert (status, out) == (2, "")
    assert err.startswith("kifold: ")
    assert err.count("\n") == 1
    assert len(err) < 800
    assert WRONG[query] in err
    assert "a fault in kifold" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["sql"],
        ["sql", "SELECT 1", "--schema"],
        ["sql", "SELECT 1", "--database", "x.duckdb"],
        ["sql", "--schema", "--database", "x.duckdb"],
        ["sql", "SELECT 1", "--format", "parquet"],
        ["sql", "--schema", "--format", "parquet", "--out", "x"],
        ["sql", "SELECT 1", "--format", "xml"],
        ["sql", "SELECT 1", "--out", "/nope/nope/x"],
        ["sql", "SELECT 1", "--out", "/"],
        ["sql", "SELECT 1", "--format", "parquet", "--out", "/nope/nope/x"],
        ["sql", "SELECT 1", "SELECT 2"],
        ["openings", "blokus", "--depth", "0"],
        ["openings", "blokus", "--variant", "nope"],
        ["openings", "nope"],
        ["scores", "blokus", "--variant", "nope"],
        ["scores", "nope"],
        ["scores", "blokus", "--format", "parquet"],
        ["scores", "blokus", "--ending", "won"],
        ["scores", "blokus", "--where", "nope = 1"],
        ["openings", "blokus", "--where", ""],
    ],
)
def test_a_wrong_call_is_one_clear_line(
    mixed: Mixed, kifold: Kifold, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = kifold(mixed.folder, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("kifold: ")
    assert list(tmp_path.iterdir()) == []


def test_what_excludes_each_other_is_said(mixed: Mixed, kifold: Kifold) -> None:
    for asked in (["SELECT 1", "--schema"], ["--schema", "--database", "x"], ["SELECT 1", "--database", "x"]):
        assert kifold(mixed.folder, "sql", *asked)[2] == (
            "kifold: a query, --schema and --database exclude each other: give one of them\n"
        )


def test_no_table_below_the_views_is_proposed(mixed: Mixed, kifold: Kifold) -> None:
    assert 'Did you mean "matches"' in kifold(mixed.folder, "sql", "FROM matchs")[2]
    for name in ("live_blokus_matches", "forks", "covered_nibble"):
        err = kifold(mixed.folder, "sql", f"FROM {name}")[2]
        assert f"Table with name {name} does not exist" in err
        assert '"_' not in err


def test_a_failing_query_leaves_the_file_that_was_there(mixed: Mixed, kifold: Kifold, tmp_path: Path) -> None:
    path = tmp_path / "answer"
    path.write_text("before", encoding="utf-8")
    # Late: what is written comes in batches of 10,000 rows, and in row groups of 122,880.
    late = "SELECT CASE WHEN range = 249999 THEN error('late') END FROM range(250000)"
    for form in ("csv", "json", "table", "parquet"):
        status, _, err = kifold(mixed.folder, "sql", late, "--format", form, "--out", path)
        assert (status, "late" in err) == (2, True)
        assert path.read_text(encoding="utf-8") == "before"
        assert list(tmp_path.iterdir()) == [path]


def test_a_query_writes_nothing_into_the_store(store: Store, kifold: Kifold) -> None:
    fill(store, 2)
    archive_all(store)
    record(store, 1, 3)

    def state() -> object:
        with sqlite3.connect(store.folder / "journal.sqlite") as db:
            journal = list(db.iterdump())
        db.close()
        return journal, list(contents(store.archive_folder))

    before = state()
    for query in (
        "DROP VIEW matches",
        "DROP VIEW _blokus_matches",
        "CREATE OR REPLACE VIEW matches AS SELECT 1",
        "DROP VIEW _live_blokus_events",
        "CREATE TABLE t AS FROM matches; DELETE FROM t",
        "ATTACH ':memory:' AS other; CREATE TABLE other.t AS FROM events",
        "DELETE FROM blokus_events",
        "CHECKPOINT",
        "VACUUM",
    ):
        kifold(store.folder, "sql", query)
        assert state() == before, query
    hostile = "true) ; DROP VIEW matches; SELECT match_id FROM (SELECT 1 AS match_id"
    kifold(store.folder, "export", "--where", hostile)
    assert state() == before
    assert kifold(store.folder, "sql", "SELECT count(*) AS n FROM matches", "--format", "csv")[1] == "n\n5\n"


def test_no_extension_is_downloaded_or_loaded(mixed: Mixed) -> None:
    for setting in ("autoload_known_extensions", "autoinstall_known_extensions", "python_enable_replacements"):
        assert mixed.rows(f"SELECT current_setting('{setting}')") == [(False,)]
    loaded = mixed.rows("SELECT extension_name, install_mode FROM duckdb_extensions() WHERE loaded")
    assert {mode for _, mode in loaded} <= {"STATICALLY_LINKED"}
    with pytest.raises(QueryError, match="locked"):
        run(mixed.sql, "SET autoinstall_known_extensions = true")


def test_what_does_not_fit_into_memory_goes_to_no_folder_of_the_user(
    mixed: Mixed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("kifold.analytics.catalogue.SETTINGS", mixed_settings(memory_limit="64MB"))
    with Store(mixed.folder, create=False) as store, connect(store, BLOKUS) as sql:
        run(sql, "CREATE TABLE t AS SELECT hash(range)::VARCHAR || hash(range + 1)::VARCHAR AS s FROM range(1500000)")
        assert [path.parent.name for path in tmp_path.rglob("*.tmp")] != []
    assert [path.name for path in tmp_path.rglob("*")] == ["tmp"]


def mixed_settings(**more: str) -> dict[str, str]:
    from kifold.analytics.catalogue import SETTINGS

    return SETTINGS | more


# What the views are


def test_the_schema_says_what_every_column_means(mixed: Mixed, kifold: Kifold) -> None:
    answer = described(mixed.sql)
    views = {row[0] for row in answer.rows}
    assert views == set(VIEWS) | {f"{name}_{part}" for name in names() for part in VIEWS_OF_RULESET}
    assert [row[:2] for row in answer.rows if not row[3]] == []
    for view in views:
        found = [(row[1], row[2]) for row in answer.rows if row[0] == view and row[1] is not None]
        assert found == [row[:2] for row in mixed.rows(f"DESCRIBE {view}")]
    status, out, err = kifold(mixed.folder, "sql", "--schema")
    assert (status, err) == (0, "")
    assert {line.split(":")[0] for line in out.splitlines() if line and line[0] != " "} == views
    _, out, _ = kifold(mixed.folder, "sql", "--schema", "--format", "json")
    assert [tuple(row.values()) for row in json.loads(out)] == answer.rows


def test_the_schema_says_of_each_game_what_its_own_columns_mean(mixed: Mixed) -> None:
    said = {row[:2]: row[3] for row in described(mixed.sql).rows}
    assert said["blokus_events", "colour"].startswith("colour that places")
    assert said["blokus_events", "colour"].endswith(": blue, yellow, red, green")
    assert said["chipstack_events", "colour"].startswith("colour of the piece")
    assert said["unionking_events", "colour"] == "the side that moves: white, black"
    assert "chipstack: colours of which the seat has a chip" in said["scores", "colours"]
    assert "majority" in said["nibble_scores", "win_type"]


# Empty stores


def test_an_empty_store_is_asked_in_vain(store: Store, kifold: Kifold) -> None:
    assert kifold(store.folder, "openings", "blokus") == (0, "no finished matches of blokus to count\n", "")
    assert kifold(store.folder, "scores", "blokus", "--variant", "duo") == (
        0,
        "no finished matches of blokus duo to count\n",
        "",
    )
    assert kifold(store.folder, "scores", "nibble", "--format", "json") == (0, "[]\n", "")
    status, out, _ = kifold(store.folder, "openings", "chipstack", "--format", "csv")
    assert (status, out.count("\n")) == (0, 1)
    assert out.startswith("variant,seats,readings,opening,n,share,seat_0,seat_0_low")
    assert kifold(store.folder, "sql", "SELECT count(*) AS n FROM events", "--format", "csv") == (0, "n\n0\n", "")
    record(store, 1, 3)
    assert kifold(store.folder, "scores", "blokus")[1] == "no finished matches of blokus to count\n"


def test_matches_that_are_too_short_are_there_all_the_same(store: Store, kifold: Kifold) -> None:
    record(store, 1)
    for words, said in (
        (["--depth", "99"], "no finished match of blokus has 99 decisions"),
        (["--depth", str(10**20), "--variant", "duo"], f"no finished match of blokus duo has {10**20:,} decisions"),
        (["--depth", "99", "--variant", "classic"], "no finished matches of blokus classic to count"),
    ):
        assert kifold(store.folder, "openings", "blokus", *words) == (0, f"{said}\n", "")
    over = store.new(duo(), (), [Resigned(0)])
    store.delete(next(log.match_id for log in store.logs() if log.match_id != over))
    asked = ["openings", "blokus", "--ending", "resigned"]
    assert kifold(store.folder, *asked)[1] == "no finished match of blokus has 1 decision\n"


def test_no_store_is_one_line(tmp_path: Path, kifold: Kifold) -> None:
    for command in (["sql", "SELECT 1"], ["openings", "blokus"], ["scores", "blokus"], ["sql", "--schema"]):
        status, out, err = kifold(tmp_path / "nothing", *command)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "no kifold store here" in err
    assert list(tmp_path.iterdir()) == []


# Openings and scores


def test_openings_and_scores_for_people_and_programs(mixed: Mixed, kifold: Kifold) -> None:
    status, out, err = kifold(mixed.folder, "openings", "blokus", "--variant", "duo", "--limit", "2")
    lines = out.splitlines()
    assert (status, len(lines)) == (0, 4)
    assert lines[0].split("  ")[0] == "variant"
    assert err.endswith(" openings in all; see more with --limit\n")
    _, out, _ = kifold(mixed.folder, "openings", "blokus", "--variant", "duo", "--format", "json", "--limit", "500")
    rows = json.loads(out)
    assert {row["variant"] for row in rows} == {"duo"}
    assert {"n", "share", "seat_0", "seat_0_low", "seat_0_high"} <= set(rows[0])
    _, out, _ = kifold(mixed.folder, "scores", "blokus", "--variant", "classic", "--format", "json")
    assert [(row["variant"], row["seat"]) for row in json.loads(out)] == [("classic", seat) for seat in range(4)]


def test_what_ended_otherwise_is_said_and_counted_where_that_is_asked_for(store: Store, kifold: Kifold) -> None:
    """An abandoned match is no win of whoever placed first."""
    for number in range(3):
        store.new(duo(), (), [*game(number)[:1], Finished(ENDINGS.index("abandoned"))])
    store.new(duo(), (), [*game(3)[:3], Resigned(0)])
    for command in ("scores", "openings"):
        status, out, err = kifold(store.folder, command, "blokus")
        assert (status, out) == (0, "no finished matches of blokus to count\n")
        said = "4 finished matches are not counted for their ending: 3 abandoned, 1 resigned; --ending says which count"
        assert err == f"kifold: {said}\n"
    asked = ["scores", "blokus", "--ending", "resigned", "--format", "csv"]
    status, out, err = kifold(store.folder, *asked)
    assert [line.split(",")[:4] for line in out.splitlines()[1:]] == [["duo", '""', seat, "1"] for seat in "01"]
    assert "3 finished matches are not counted for their ending: 3 abandoned;" in err
    assert kifold(store.folder, *asked, "--ending", "abandoned")[2] == ""
    # What the condition leaves out is not missed.
    assert kifold(store.folder, *asked, "--where", "n_events > 3")[1:] == (out, "")
