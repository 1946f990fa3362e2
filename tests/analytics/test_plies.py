"""The views of plies: archived and live matches alike, nothing that is gone, and what lacks is said."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.plies import asked_plies
from kifold.core.events import Noted, Undone
from kifold.core.registry import ruleset
from kifold.records.store import Store
from kifold.replay.plies import components
from kifold.replay.ply_files import make_ply_files
from tests.analytics.conftest import Kifold, Mixed
from tests.analytics.mixed import Known
from tests.expected_plies import expected_plies
from tests.registered import NAMES
from tests.rulesets.matches import folder
from tests.stores import archive_all, quiet, record

MIXED = pytest.mark.xdist_group("analytics_mixed")
COLUMNS = ["match_id", "ruleset", "ply", "seq", "seat", "legal", "phase", "scores", "ranks", "inherited"]


@pytest.fixture(scope="module")
def listed(mixed: Mixed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The mixed store with all plies made."""
    copy = tmp_path_factory.mktemp("listed") / "store"
    shutil.copytree(mixed.folder, copy)
    said: list[str] = []
    with Store(copy, durability="off") as store:
        for name in NAMES:
            folder(ruleset(name))
            make_ply_files(store, ruleset(name), 2, quiet, said.append)
        connection = connect(store, None, said.append, NAMES)
    assert said == []
    yield connection
    connection.close()


@MIXED
def test_there_are_as_many_plies_as_decisions_that_stand(mixed: Mixed, listed: duckdb.DuckDBPyConnection) -> None:
    """Of every match, and with their numbers in the log."""
    decided = {
        match: [seq for seq, event in one.play.effective if type(event) in one.play.ruleset.actions]
        for match, one in mixed.known.items()
    }
    query = "SELECT match_id, list(seq ORDER BY ply), list(ply ORDER BY ply) FROM plies GROUP BY ALL"
    found = {match: (seqs, numbers) for match, seqs, numbers in listed.execute(query).fetchall()}
    assert found == {match: (seqs, [*range(1, len(seqs) + 1)]) for match, seqs in decided.items() if seqs}
    assert any(one.undone() for one in mixed.known.values())


def in_words(name: str, row: dict[str, Any]) -> tuple[Any, ...]:
    rules = ruleset(name)
    row["phase"] = None if row["phase"] is None else rules.phases[row["phase"]]
    for slot in components(rules):
        if slot.name in rules.words:
            row[slot.name] = [rules.words[slot.name][number] for number in row[slot.name]]
    return tuple(row[one] for one in [*COLUMNS, *(slot.name for slot in components(rules))] if one != "ruleset")


def looked_at(mixed: Mixed, name: str) -> list[Known]:
    """All to which something happened, and some others: listing legal events in plain Python takes time."""
    of_ruleset = [one for one in mixed.known.values() if one.log.started.ruleset == name]
    named = [one for one in of_ruleset if one.log.match_id in mixed.named.values()]
    return named + [one for one in of_ruleset if one not in named][:3]


@MIXED
@pytest.mark.parametrize("name", NAMES)
def test_plies_of_a_ruleset(mixed: Mixed, listed: duckdb.DuckDBPyConnection, name: str) -> None:
    known = looked_at(mixed, name)
    rows = [
        in_words(name, row | {"inherited": row["seq"] <= one.inherited(mixed.known)})
        for one in known
        for row in expected_plies(ruleset(name), one.log.match_id, one.log.started, one.log.events)
    ]
    numbers = [slot.name for slot in components(ruleset(name))]
    columns = ", ".join([*(column for column in COLUMNS if column != "ruleset"), *numbers])
    ids = ", ".join(str(one.log.match_id) for one in known)
    found = listed.execute(f"SELECT {columns} FROM {name}_plies WHERE match_id IN ({ids})").fetchall()
    assert Counter(map(repr, found)) == Counter(map(repr, rows))
    assert [row[0] for row in listed.execute(f"DESCRIBE {name}_plies").fetchall()] == [*COLUMNS, *numbers]


@MIXED
def test_plies_of_all_games(mixed: Mixed, listed: duckdb.DuckDBPyConnection) -> None:
    assert [row[0] for row in listed.execute("DESCRIBE plies").fetchall()] == COLUMNS
    assert {row[0] for row in listed.execute("SELECT DISTINCT ruleset FROM plies").fetchall()} == set(NAMES)
    last = """
        SELECT count(*) FROM (SELECT match_id, max_by(scores, ply) AS s, max_by(ranks, ply) AS r FROM plies GROUP BY 1)
        JOIN (SELECT match_id, list(score ORDER BY seat) AS score, list(rank ORDER BY seat) AS rank FROM scores
              WHERE ruleset NOT IN ('nibble', 'chipstack') GROUP BY 1) USING (match_id)
        JOIN matches USING (match_id) WHERE ending = 'rules' AND (s, r) != (score, rank)"""
    assert listed.execute(last).fetchall() == [(0,)]


@MIXED
def test_matches_that_are_gone_have_no_plies(mixed: Mixed, listed: duckdb.DuckDBPyConnection) -> None:
    gone = {mixed.named["deleted"], mixed.named["archived_deleted"]}
    assert gone.isdisjoint(row[0] for row in listed.execute("SELECT DISTINCT match_id FROM plies").fetchall())


COUNT = "SELECT count(DISTINCT match_id) AS matches, count(*) AS plies FROM plies"


def test_what_lacks_is_said_with_the_command_that_makes_it(store: Store, kifold: Kifold) -> None:
    for number in range(2):
        record(store, number)
    archive_all(store)
    record(store, 2, 5)
    missing = "kifold: 2 archived matches of blokus have no plies yet: make them with `kifold plies blokus`\n"
    for query in ("FROM plies", "FROM Blokus_Plies", "SELECT 'plies'"):
        status, _, err = kifold(store.folder, "sql", query)
        assert (status, err) == (0, missing)
    for query in ("FROM matches", "FROM nibble_plies", "SELECT 'applies'"):
        assert kifold(store.folder, "sql", query)[::2] == (0, "")
    assert kifold(store.folder, "sql", COUNT, "--format", "csv")[1] == "matches,plies\n1,5\n"
    status, out, err = kifold(store.folder, "plies", "blokus")
    assert (status, err) == (0, "")
    assert out.startswith("listed the plies of 2 matches, ")
    assert kifold(store.folder, "plies") == (0, "no plies were missing\n", "")
    _, out, err = kifold(store.folder, "sql", COUNT, "--format", "csv")
    assert err == ""
    assert out.startswith("matches,plies\n3,")
    shutil.rmtree(store.folder / "plies")
    assert kifold(store.folder, "sql", COUNT)[2] == missing


def test_what_changed_meanwhile(store: Store, kifold: Kifold) -> None:
    """Matches that were listed and then deleted, brought back or corrected."""
    matches = [record(store, number) for number in range(3)]
    archive_all(store)
    assert kifold(store.folder, "plies")[0] == 0

    def plies() -> dict[int, int]:
        with connect(store, None, pytest.fail, ["blokus"]) as sql:
            return dict(sql.execute("SELECT match_id, count(*) FROM blokus_plies GROUP BY 1").fetchall())

    lengths = {match: len(store.log(match).events) for match in matches}
    assert plies() == lengths
    store.delete(matches[0])
    store.append(matches[1], [Noted("comment", ("back",)), Undone(lengths[matches[1]] - 2)])
    assert plies() == {matches[1]: lengths[matches[1]] - 2, matches[2]: lengths[matches[2]]}
    archive_all(store)
    status, _, err = kifold(store.folder, "sql", COUNT)
    assert (status, err) == (0, "")  # it is unfinished now, and stays live


def test_matches_that_do_not_fold_are_said_each_time(store: Store, kifold: Kifold) -> None:
    """They are pinned to rules that are not there; deleted, they are no matter any more."""
    matches = [record(store, number) for number in range(2)]
    archive_all(store)
    with store.journal.writing() as db:
        db.execute("INSERT INTO pins VALUES (?, 7)", (matches[0],))
    status, out, err = kifold(store.folder, "plies")
    assert status == 1
    assert out.startswith(f"listed the plies of 1 match, {len(store.log(matches[1]).events)} events in ")
    assert "has no plies: revision 7 of blokus is not installed" in err
    refused = "kifold: 1 archived match of blokus has no plies, not being legal or verifiable: see `kifold verify`\n"
    assert kifold(store.folder, "sql", COUNT)[2] == refused
    with connect(store, None, lambda line: None, ["blokus"]) as sql:
        assert sql.execute("SELECT DISTINCT match_id FROM blokus_plies").fetchall() == [(matches[1],)]


def test_a_damaged_file_is_named(store: Store, kifold: Kifold) -> None:
    record(store, 1)
    archive_all(store)
    kifold(store.folder, "plies")
    [place] = (store.folder / "plies" / "ruleset=blokus").iterdir()
    whole = place.read_bytes()
    for damaged in (whole[:100], bytes(byte ^ 0x5A for byte in whole[:-2000]) + whole[-2000:], os.urandom(3000)):
        place.write_bytes(damaged)
        status, out, err = kifold(store.folder, "sql", "SELECT sum(hash(COLUMNS(*))) FROM blokus_plies")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"kifold: {place}: is damaged ")
        assert err.endswith("; `kifold plies` makes it again\n")
    assert kifold(store.folder, "plies")[0] == 0
    assert place.read_bytes() == whole


def test_the_folder_may_be_called_anything_and_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store("a[1]*'", durability="off") as store:
        match = record(store, 1)
        gone = record(store, 2)
        archive_all(store)
        make_ply_files(store, ruleset("blokus"), 1, quiet, pytest.fail)
        store.delete(gone)
        sql = connect(store, None, pytest.fail, NAMES)
    monkeypatch.chdir("/")
    assert sql.execute("SELECT DISTINCT match_id FROM plies").fetchall() == [(match,)]
    sql.close()


def test_columns_are_described_without_listing_anything(store: Store, kifold: Kifold) -> None:
    record(store, 1)
    archive_all(store)
    status, out, err = kifold(store.folder, "sql", "--schema")
    assert (status, err) == (0, "")
    assert "plies: one row per decision by a seat that counts, of all games" in out
    assert "chipstack_plies: " in out
    assert "the phase in which the decision was made: stacking, taking, over" in out


def test_views_of_a_database(store: Store, kifold: Kifold, tmp_path: Path) -> None:
    record(store, 1)
    archive_all(store)
    live = record(store, 2, 4)
    kifold(store.folder, "plies")
    path = tmp_path / "views.duckdb"
    assert kifold(store.folder, "sql", "--database", path)[0] == 0
    with duckdb.connect(str(path), read_only=True) as sql:
        assert sql.execute(f"SELECT count(*) FROM plies WHERE match_id = {live}").fetchall() == [(4,)]
        assert sql.execute("SELECT count(DISTINCT match_id) FROM plies").fetchall() == [(2,)]


def test_plies_that_a_query_may_read() -> None:
    names = ["go", "chess"]
    assert asked_plies("from PLIES", names) == names
    assert asked_plies('from "go_plies" join matches', names) == ["go"]
    assert asked_plies("from matches, replies", names) == []


def test_an_unknown_ruleset_is_refused(store: Store, kifold: Kifold) -> None:
    status, _, err = kifold(store.folder, "plies", "go")
    assert status == 2
    assert err.startswith("kifold: no ruleset 'go': choose from")
