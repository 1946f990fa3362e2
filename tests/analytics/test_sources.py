"""What the views read, and what they leave out: moved, damaged, unknown and half-written things."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.analytics import sources
from kifold.analytics.catalogue import connect
from kifold.analytics.query import run
from kifold.core.events import Noted
from kifold.core.registry import ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import judge
from kifold.records.archive import paths
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.analytics.conftest import Kifold
from tests.rulesets.matches import folder
from tests.stores import archive_all, circles, fill, record

COUNT = "SELECT count(*), count(DISTINCT match_id), count(*) FILTER (archived) FROM matches"


def counted(store: Store) -> tuple[Any, ...]:
    with connect(store, BLOKUS) as sql:
        [row] = run(sql, COUNT).rows
    return row


# Every match once


def test_a_match_that_moves_between_journal_and_archive_is_counted_once(store: Store) -> None:
    matches = fill(store)
    assert counted(store) == (8, 8, 0)
    archive_all(store)
    assert counted(store) == (8, 8, 8)
    store.append(matches[0], [Noted("comment", ("more",))])
    store.append(matches[1], [Noted("comment", ("more",))])
    assert counted(store) == (8, 8, 6)
    archive_all(store)
    assert counted(store) == (8, 8, 8)
    store.append(matches[0], [Noted("comment", ("and more",))])
    store.delete(matches[1])
    assert counted(store) == (7, 7, 6)
    with connect(store) as sql:
        events = run(sql, "SELECT match_id, count(*), max(seq) FROM events GROUP BY ALL ORDER BY ALL").rows
    lengths = sorted((log.match_id, len(log.events)) for log in store.logs())
    assert events == [(match, length, length) for match, length in lengths]


def test_forks_that_go_back_to_themselves_are_counted_like_matches_begun_by_themselves(store: Store) -> None:
    root, one, two, alone, below = circles(store)
    with connect(store, BLOKUS) as sql:
        rows = run(sql, "SELECT match_id, parent, count(*) FILTER (inherited) FROM matches JOIN events "
                        "USING (match_id) GROUP BY ALL ORDER BY ALL").rows  # fmt: skip
        assert run(sql, "SELECT family FROM _forks").rows == [(two,)]
    of_match = {match: (parent, inherited) for match, parent, inherited in rows}
    assert of_match == {root: (None, 0), one: (None, 0), two: (None, 0), alone: (None, 0), below: (two, 9)}


def test_a_match_that_another_process_archives_meanwhile_is_counted_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between looking for live matches and for files, all are moved from the one to the other."""
    fill(store)
    find_files = sources._files

    def archive_first(*arguments: Any) -> Any:
        with Store(store.folder, create=False) as other:
            archive_all(other)
        return find_files(*arguments)

    monkeypatch.setattr(sources, "_files", archive_first)
    assert counted(store) == (8, 8, 0)
    monkeypatch.undo()
    assert counted(store) == (8, 8, 8)


def test_the_store_may_be_closed_and_the_folder_left_when_the_query_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store("store", durability="off") as store:
        fill(store)
        archive_all(store)
        live = record(store, 1, 3)
        sql = connect(store)
    monkeypatch.chdir("/")
    assert run(sql, COUNT).rows == [(9, 9, 8)]
    assert run(sql, f"SELECT count(*) FROM blokus_events WHERE match_id = {live}").rows == [(3,)]
    sql.close()


@pytest.mark.parametrize("name", ["a*", "a?", "a[1]", "[!b]", "a'b", 'a"b', "a{b,c}", "a b", "ä棋", "%41", "a\\b", "~"])
def test_a_folder_may_be_called_anything(tmp_path: Path, name: str) -> None:
    """As a pattern some of these would match the folder beside it too, and count its matches."""
    for place in (name, "a1", "ab"):
        with Store(tmp_path / place, durability="off") as store:
            record(store, 1)
            store.delete(record(store, 2))
            archive_all(store)
            store.delete(record(store, 3))
    with Store(tmp_path / name) as store:
        record(store, 3)
        archive_all(store)
        store.delete(store.journal.rows("SELECT match FROM archived ORDER BY file")[0][0])
        assert counted(store) == (1, 1, 1)
        with connect(store) as sql:
            assert run(sql, "SELECT count(DISTINCT match_id) FROM blokus_events").rows == [(1,)]


def test_many_live_matches_are_folded_compiled_and_say_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """From some hundred on the compiled rules fold them; the rows are those of folding one by one."""
    fill(store, 6)
    record(store, 7, 5)
    queries = [f"FROM {view} ORDER BY ALL" for view in ("_blokus_matches", "_blokus_events", "scores")]
    with connect(store, BLOKUS) as sql:
        plain = [run(sql, query).rows for query in queries]
    monkeypatch.setattr(judge, "MANY", 1)
    monkeypatch.setattr("kifold.core.compiled.compiled", lambda name: folder(BLOKUS).code)
    with connect(store, BLOKUS) as sql:
        assert [run(sql, query).rows for query in queries] == plain


# What is damaged


DAMAGES = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
}


@pytest.mark.parametrize("part", ["matches", "events"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_an_unreadable_file_is_named_in_one_line(store: Store, kifold: Kifold, damage: str, part: str) -> None:
    record(store, 1)
    archive_all(store)
    place = paths(store.archive_folder, *store.files()[0])[("matches", "events").index(part)]
    DAMAGES[damage](place)
    for command in (["sql", "SELECT 1 FROM blokus_events"], ["openings", "blokus"], ["scores", "blokus"]):
        status, out, err = kifold(store.folder, *command)
        assert (status, out) == (2, "")
        assert err.startswith(f"kifold: {place}: is ")
        assert err.count("\n") == 1
    assert kifold(store.folder, "openings", "chipstack")[0] == 0
    with pytest.raises(StoreError, match="restore it from a copy"):
        connect(store)
    connect(store, ruleset("nibble")).close()


@pytest.mark.parametrize("part", ["matches", "events"])
def test_a_damaged_page_is_named_in_one_line(store: Store, kifold: Kifold, part: str) -> None:
    """The footer is whole, so the damage shows while the query runs, and not always with the name of the file."""
    fill(store, 20)
    archive_all(store)
    place = paths(store.archive_folder, *store.files()[0])[("matches", "events").index(part)]
    whole = place.read_bytes()
    query = "SELECT sum(hash(COLUMNS(*))) FROM _blokus_" + part
    found = 0
    for at in range(8, len(whole) - 3000, max(len(whole) // 12, 1)):
        place.write_bytes(whole[:at] + bytes(byte ^ 0x5A for byte in whole[at : at + 48]) + whole[at + 48 :])
        status, out, err = kifold(store.folder, "sql", query)
        if status:  # else the damage made other values, which only `verify` can tell
            assert (status, out, err.count("\n")) == (2, "", 1)
            assert err.startswith(f"kifold: {place}: is damaged ")
            found += 1
    assert found >= 3


@pytest.mark.parametrize(("column", "value"), [("piece", 99), ("piece", -1)])
def test_openings_name_the_file_in_which_an_event_is_on_no_board(
    store: Store, kifold: Kifold, column: str, value: int
) -> None:
    record(store, 1)
    archive_all(store)
    place = paths(store.archive_folder, *store.files()[0])[1]
    table = pq.read_table(place, partitioning=None)
    at = table.column_names.index(column)
    changed = pa.array([value, *table[column].to_pylist()[1:]], table.schema.field(at).type)
    pq.write_table(table.set_column(at, table.schema.field(at), changed), place)
    status, out, err = kifold(store.folder, "openings", "blokus")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"kifold: {place}: is damaged (the beginning of a match cannot be read: ")


def test_a_damaged_live_match_is_left_out_and_said(store: Store, kifold: Kifold) -> None:
    matches = fill(store, 2)
    with sqlite3.connect(store.folder / "journal.sqlite") as db:
        db.execute("UPDATE events SET data = x'00' WHERE match = ? AND seq = 3", (matches[0],))
    db.close()
    lines: list[str] = []
    with connect(store, None, lines.append) as sql:
        assert run(sql, COUNT).rows == [(3, 3, 0)]
    assert len(lines) == 1
    assert lines[0].startswith(f"match {id_text(matches[0])} is left out: ")
    status, out, err = kifold(store.folder, "sql", "SELECT count(*) AS n FROM matches", "--format", "csv")
    assert (status, out, err) == (0, "n\n3\n", f"kifold: {lines[0]}\n")


def test_many_damaged_matches_do_not_flood_the_terminal(store: Store, kifold: Kifold) -> None:
    for _ in range(14):
        record(store, 1, 2)
    with sqlite3.connect(store.folder / "journal.sqlite") as db:
        db.execute("UPDATE events SET data = x'00' WHERE seq = 1")
    db.close()
    status, _, err = kifold(store.folder, "scores", "blokus")
    assert status == 0
    assert len(err.splitlines()) == 11
    assert "and 4 more; see `kifold verify`" in err


def test_a_live_match_that_the_rules_refuse_is_left_out_and_said(store: Store) -> None:
    """As after a change of the rules: the log is what was written, and does not fold."""
    match = record(store, 1, 3)
    record(store, 2, 3)
    log = store.log(match)
    with store.journal.writing():
        store.journal.remove(match)
        store.journal.insert(type(log)(match, log.started, [log.events[0], log.events[0]]), is_over=False)
    lines: list[str] = []
    with connect(store, BLOKUS, lines.append) as sql:
        assert run(sql, COUNT).rows == [(1, 1, 0)]
    assert "not_your_turn" in lines[0] or "overlaps" in lines[0] or "already_placed" in lines[0]
