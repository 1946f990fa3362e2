"""Archive tables as arrays: the same logs, the same digests, and nothing let in that is out of its range."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.core.corpus import Corpus
from kifold.core.events import Noted, Started
from kifold.core.play import Refused
from kifold.core.registry import names, ruleset
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.schema import events_schema
from kifold.records.archive import TEXTS
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.judge import judge_log
from kifold.records.log import Log
from kifold.records.reading import digests, read_group
from kifold.records.tables import add_events, event_columns, match_row, matches_schema, rows_to_logs
from tests.rulesets.matches import random_log
from tests.stores import duo, game, varied

Tables = tuple[pa.Table, pa.Table]


def tables(rules: Ruleset, logs: Sequence[Log]) -> Tables:
    columns, rows = event_columns(rules), []
    for log in logs:
        judged = judge_log(rules, log.started, log.events)
        assert not isinstance(judged, Refused)
        rows.append(match_row(log, judged))
        add_events(columns, rules, log.match_id, log.events, judged.seats)
    return pa.Table.from_pylist(rows, matches_schema(rules)), pa.table(columns, events_schema(rules))


def some(rules: Ruleset) -> list[Log]:
    """A few matches of the default variant, one of them without an event."""
    played = [random_log(rules, rules.start(), 4, number) for number in range(3)]
    logs = [Log(10 + at, started, events) for at, (started, events) in enumerate(played)]
    return [Log(9, played[0][0], []), *logs]


def changed(table: pa.Table, column: str, row: int, value: Any) -> pa.Table:
    values = table[column].to_pylist()
    values[row] = value
    place = table.column_names.index(column)
    return table.set_column(place, table.schema.field(place), pa.array(values, table.schema.field(place).type))


@pytest.mark.parametrize("name", names())
def test_tables_say_the_same_logs_as_objects_and_as_arrays(name: str) -> None:
    rules = ruleset(name)
    logs = some(rules)
    both = tables(rules, logs)
    assert list(rows_to_logs(rules, *both)) == logs
    group = read_group(rules, *both)
    assert group.is_plain.all()
    assert not group.is_strange.any()
    assert list(group.started) == [log.started for log in logs]
    expected = Corpus.of(rules, [(log.started, log.events) for log in logs])
    for found, wanted in ((group.corpus.events, expected.events), (group.corpus.setups, expected.setups)):
        assert found.dtype == wanted.dtype
        for field in found.dtype.names or ():
            assert np.array_equal(found[field], wanted[field]), field
    assert np.array_equal(group.corpus.starts, expected.starts)
    assert [one.tobytes() for one in digests(group)] == [log.digest for log in logs]


def test_matches_with_common_events_are_not_plain_and_the_others_can_be_taken_alone() -> None:
    logs = [Log(at + 1, duo(), varied(at) if at % 2 else game(at)) for at in range(4)]
    group = read_group(BLOKUS, *tables(BLOKUS, logs))
    assert group.is_plain.tolist() == [True, False, True, False]
    plain = group.only(group.is_plain)
    assert [row["match_id"] for row in plain.rows] == [1, 3]
    assert [one.tobytes() for one in digests(plain)] == [logs[0].digest, logs[2].digest]
    assert np.array_equal(plain.corpus.starts, [0, len(game(0)), len(game(0)) + len(game(2))])
    assert len(plain.seats) == len(plain.corpus.events)
    nothing = group.only(np.zeros(4, bool))
    assert (len(nothing.corpus), len(digests(nothing))) == (0, 0)


OUT_OF_RANGE = [
    ("piece", 99),
    ("piece", -1),
    ("piece", None),
    ("tag", 99),
    ("tag", 0),
    ("tag", 127),
    ("x", -128),
    ("y", 127),
]


@pytest.mark.parametrize(("column", "value"), OUT_OF_RANGE)
def test_a_number_out_of_its_range_is_not_let_in(column: str, value: Any) -> None:
    matches, events = tables(BLOKUS, [Log(at + 1, duo(), game(at)) for at in range(2)])
    group = read_group(BLOKUS, matches, changed(events, column, len(game(0)) + 3, value))
    assert group.is_plain.tolist() == [True, False]
    assert len(digests(group.only(group.is_plain))) == 1


def test_a_seat_that_is_nobodys_is_written_as_null() -> None:
    matches, events = tables(BLOKUS, [Log(at + 1, duo(), varied(at) if at else game(at)) for at in range(2)])
    nobodys = events["seat"].to_pylist().index(None)
    assert read_group(BLOKUS, matches, events).is_strange.tolist() == [False, False]
    assert read_group(BLOKUS, matches, changed(events, "seat", nobodys, -1)).is_strange.tolist() == [False, True]


def test_options_are_there_once_and_as_they_are_written() -> None:
    matches, events = tables(BLOKUS, [Log(at + 1, duo(), game(at)) for at in range(2)])
    options = matches["options"][1].as_py()
    for other in ([*options, options[0]], [(name, text.upper()) for name, text in options]):
        group = read_group(BLOKUS, changed(matches, "options", 1, other), events)
        assert isinstance(group.started[1], str)
        assert group.is_plain.tolist() == [True, False]


@pytest.mark.parametrize(("column", "value"), [("name", "hm"), ("values", []), ("back_to", 3), ("ending", 0)])
def test_a_column_that_an_event_does_not_have_must_be_empty(column: str, value: Any) -> None:
    matches, events = tables(BLOKUS, [Log(at + 1, duo(), game(at)) for at in range(2)])
    assert read_group(BLOKUS, matches, changed(events, column, 0, value)).is_strange.tolist() == [True, False]


@pytest.mark.parametrize(
    ("column", "value"), [("variant", "nope"), ("variant", None), ("options", None),
    ("options", [("start_corner", "middle")]), ("seats", 3), ("seats", None), ("tags", None), ("setup", None),
    ("tags", [("a", "1"), ("", "1"), ("b", "1"), ("a", "1")]), ("tags", [("", "1"), ("", "2")])]
)  # fmt: skip
def test_a_beginning_that_cannot_be_is_said_and_folded_by_nobody(column: str, value: Any) -> None:
    matches, events = tables(BLOKUS, [Log(at + 1, duo(), game(at)) for at in range(2)])
    for wrong in (0, 1):
        other = changed(matches, column, wrong, value)
        for table in (other, coded(other)):
            group = read_group(BLOKUS, table, events)
            assert isinstance(group.started[1 - wrong], Started)
            assert isinstance(group.started[wrong], str)
            assert group.is_plain.tolist() == [wrong == 1, wrong == 0]


def coded(table: pa.Table) -> pa.Table:
    """A table of matches as a row group is read: its texts as numbers of dictionaries."""
    file = io.BytesIO()
    pq.write_table(table, file)
    return pq.ParquetFile(file, read_dictionary=TEXTS).read_row_group(0)


@pytest.mark.parametrize("tiles", [None, [-1], [169], [3, None], [3, 169], list(range(14))])
def test_a_list_out_of_its_range_is_not_let_in(tiles: Any) -> None:
    rules = ruleset("nibble")
    logs = some(rules)
    matches, events = tables(rules, logs)
    group = read_group(rules, matches, changed(events, "tiles", len(logs[1].events) + 1, tiles))
    assert group.is_plain.tolist() == [True, True, False, True]
    assert group.corpus.log(1) == logs[1].events
    assert group.corpus.log(3) == logs[3].events


@pytest.mark.parametrize(("table", "column", "value", "first"), [
    (0, "match_id", 7, None), (0, "match_id", 2, None), (0, "n_events", -1, None),
    (0, "n_events", 1, 2), (0, "n_events", 1000, 1), (1, "match_id", 2, 1), (1, "seq", 2, 1),
])  # fmt: skip
def test_rows_that_do_not_belong_together(table: int, column: str, value: int, first: int | None) -> None:
    both = list(tables(BLOKUS, [Log(at + 1, duo(), game(at)) for at in range(2)]))
    both[table] = changed(both[table], column, 0, value)
    place = "" if first is None else f", first at match {id_text(first)}"
    with pytest.raises(StoreError, match=rf"the rows of events are not those of the matches{place} \("):
        read_group(BLOKUS, *both)


def test_notes_round_trip() -> None:
    log = Log(1, duo(), [Noted("comment", ("ä", "", "日本")), Noted("", ()), *game(0)[:2], Noted("x", ("",))])
    assert list(rows_to_logs(BLOKUS, *tables(BLOKUS, [log]))) == [log]


@pytest.mark.parametrize("rows", [slice(0, -1), slice(0, 0)])
def test_logs_need_all_their_rows(rows: slice) -> None:
    matches, events = tables(BLOKUS, [Log(1, duo(), game(0))])
    with pytest.raises(ValueError, match=f"rows of events where match {id_text(1)} has {len(events)}"):
        list(rows_to_logs(BLOKUS, matches, events[rows]))
    with pytest.raises(ValueError, match="rows of events where the matches have 0"):
        list(rows_to_logs(BLOKUS, matches[:0], events))


TAGS: list[dict[str, str]] = [
    {},
    {"date": "2026-01-02", "": ""},
    {"ä" * 15: "x" * 31, "y": "z" * 32, "日本": "n" * 255, "long": "n" * 256, "longer": "é" * 40_000},
    {f"tag {number}": str(number) for number in range(15)},
    {f"tag {number}": str(number) for number in range(16)},
    {},
]


def test_matches_that_begin_in_different_ways_have_their_digests() -> None:
    """Tags of every length; settings that are those of the match before, others, and again."""
    corner = {"start_corner": "by_colour"}
    settings = [("duo", {}), ("duo", {}), ("classic", {}), ("duo", {}), ("duo", corner), ("duo", {})]
    logs = []
    for at, ((variant, options), tags) in enumerate(zip(settings, TAGS, strict=True)):
        played, events = random_log(BLOKUS, BLOKUS.start(variant, options), 5, at)
        logs.append(Log(at + 1, msgspec.structs.replace(played, tags=tags), events))
    group = read_group(BLOKUS, *tables(BLOKUS, logs))
    assert group.is_plain.all()
    assert [one.tobytes() for one in digests(group)] == [log.digest for log in logs]
    odd = np.arange(len(logs)) % 2 == 1
    assert [one.tobytes() for one in digests(group.only(odd))] == [log.digest for log in logs[1::2]]
    assert list(group.started) == [log.started for log in logs]


def test_slices_of_tables_are_read_as_the_tables_they_are() -> None:
    logs = [Log(at + 1, duo(), game(at)) for at in range(4)]
    matches, events = tables(BLOKUS, logs)
    begin, end = len(logs[0].events), sum(len(log.events) for log in logs[:3])
    for table in (matches, coded(matches)):
        group = read_group(BLOKUS, table[1:3], events[begin:end])
        assert [one.tobytes() for one in digests(group)] == [log.digest for log in logs[1:3]]
    chunked = [pa.concat_tables([table[:1], table[1:]]) for table in (matches, events)]
    assert [one.tobytes() for one in digests(read_group(BLOKUS, *chunked))] == [log.digest for log in logs]


@pytest.mark.parametrize(("table", "column"), [(0, "n_events"), (1, "tag"), (1, "seq")])
def test_what_no_row_can_lack(table: int, column: str) -> None:
    both = list(tables(BLOKUS, [Log(1, duo(), game(0))]))
    place = both[table].column_names.index(column)
    values = pa.nulls(len(both[table]), both[table].schema.field(place).type)
    both[table] = both[table].set_column(place, column, values)
    with pytest.raises(ValueError, match=f"a {column} is missing"):
        read_group(BLOKUS, *both)
