"""Ids of imported matches: a match keeps its own from store to store, and none takes the place of another's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifold.core.codec import started_to_json, to_json
from kifold.core.events import Noted
from kifold.records.forking import fork, in_families
from kifold.records.formats.jsonl import JSONL
from kifold.records.ids import BITS, TOP, id_text, parse_id, whole_id
from kifold.records.importing import Report, import_file
from kifold.records.log import Log
from kifold.records.store import Store
from tests.stores import archive_all, duo, game, quiet, record


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "other", durability="off") as opened:
        yield opened


def line(number: int, length: int, match: object = "", **more: object) -> bytes:
    """The beginning of a game as a line that names a match."""
    events = [to_json(event) for event in game(number)[:length]]
    return json.dumps({"match": match, **started_to_json(duo()), "events": events, **more}).encode() + b"\n"


def taken(store: Store, *lines: bytes) -> Report:
    file = store.folder / "given.jsonl"
    file.write_bytes(b"".join(lines))
    return import_file(store, file, JSONL, {}, quiet)


def exported(store: Store, *matches: int) -> bytes:
    file = BytesIO()
    ids = matches or [log.match_id for log in store.logs()]
    JSONL.write(store.logs(in_families(store, ids, whole=False)), file)
    return file.getvalue()


def held(store: Store) -> dict[int, Log]:
    return {log.match_id: log for log in store.logs()}


def counts(report: Report) -> tuple[int, int]:
    return report.imported, report.present


@pytest.mark.parametrize("is_archived", [False, True])
def test_matches_keep_their_ids_from_store_to_store(store: Store, other: Store, is_archived: bool) -> None:
    match = record(store, 0)
    made = [fork(store, match, 4), record(store, 1, 3)]
    made.append(fork(store, made[0], 2))
    if is_archived:
        archive_all(store)
    lines = exported(store)
    assert counts(taken(store, lines)) == (0, 4)
    assert counts(taken(other, lines)) == (4, 0)
    assert held(other) == held(store)
    assert other.forks() == store.forks()
    assert counts(taken(other, lines)) == (0, 4)
    assert counts(taken(store, exported(other))) == (0, 4)


@pytest.mark.parametrize("is_archived", [False, True])
@pytest.mark.parametrize("length", [4, None])
def test_other_names_of_a_match_that_is_there_are_counted(store: Store, is_archived: bool, length: int | None) -> None:
    match, other = record(store, 0), record(store, 1)
    if is_archived:
        archive_all(store)
    log = store.log(match)
    for players, many in ((log.players, 0), (("Ada", "Bob"), 1), (("Bo", "Ada"), 1), ((), 1), (("Ada",), 1)):
        given = Log(match, log.started, log.events[:length], players)
        file = BytesIO()
        JSONL.write([given, store.log(other)], file)
        report = taken(store, file.getvalue())
        assert (report.present, report.imported, report.other_names) == (2, 0, many)
    assert store.log(match).players == ("Ada", "Bo")


def test_other_names_are_counted_among_the_lines_of_one_file(store: Store) -> None:
    lines = [line(0, 4, id_text(TOP), players=players) for players in (["Ada", "Bo"], ["Ada", "Bo"], ["Ada"])]
    report = taken(store, *lines)
    assert (report.imported, report.present, report.other_names) == (1, 2, 1)


def test_a_match_that_went_on_since_is_there(store: Store) -> None:
    match = record(store, 0, 4)
    lines = exported(store)
    store.append(match, game(0)[4:])
    assert counts(taken(store, lines, line(0, 4))) == (1, 1)  # the second line names none
    archive_all(store)
    assert counts(taken(store, lines)) == (0, 1)
    longer = exported(store, match)
    store.delete(match)
    assert counts(taken(store, lines)) == (1, 0)
    assert counts(taken(store, longer)) == (1, 0)
    assert sorted(len(log.events) for log in held(store).values()) == [4, 4, len(game(0))]
    assert counts(taken(store, lines, longer, line(0, 4))) == (0, 3)


@pytest.mark.parametrize("is_live", [False, True])
def test_an_id_that_another_match_has_is_not_given(store: Store, is_live: bool) -> None:
    mine = record(store, 0)
    if not is_live:
        archive_all(store)
    before, (unnamed,) = store.log(mine), named(line(1, 5))
    for _ in range(2):
        taken(store, line(1, 5, id_text(mine)))
        assert held(store).keys() == {mine, unnamed}
        assert store.log(mine) == before


def named(*lines: bytes) -> list[int]:
    """The ids that follow from what lines say, in a store of their own."""
    with TemporaryDirectory() as folder, Store(folder, durability="off") as store:
        taken(store, *lines)
        return sorted(held(store))


def test_nor_one_that_another_line_has(store: Store) -> None:
    """Whatever the ruleset: the store lists neither of them yet."""
    match = id_text(TOP | 5)
    chips = {"match": match, "ruleset": "chipstack", "variant": "standard", "events": []}
    lines = [line(0, 3, match), line(1, 3, match), json.dumps(chips).encode() + b"\n", line(0, 3, match)]
    for wanted in ((3, 1), (0, 4)):
        assert counts(taken(store, *lines)) == wanted
        assert [len(log.events) for log in held(store).values() if log.match_id == TOP | 5] == [3]
        assert store.log(TOP | 5).events == list(game(0)[:3])


def test_an_id_that_follows_from_another_match_does_not_keep_that_out(store: Store) -> None:
    (follows,) = named(line(1, 6))
    assert counts(taken(store, line(0, 6, id_text(follows)))) == (1, 0)
    for wanted in ((1, 0), (0, 1)):
        assert counts(taken(store, line(1, 6))) == wanted
    assert sorted(log.digest for log in held(store).values()) == sorted(
        Log(0, duo(), game(number)[:6]).digest for number in (0, 1)
    )
    assert store.log(follows).events == list(game(0)[:6])


def test_the_id_of_a_parent_that_was_deleted_is_not_given(store: Store) -> None:
    """Its fork would be taken for one of the other match."""
    match = record(store, 0)
    made = fork(store, match, 4)
    store.delete(match)
    assert store.log(made).fork is not None
    assert counts(taken(store, line(1, 6, id_text(match)))) == (1, 0)
    assert not store.holds(match)


@pytest.mark.parametrize(
    "text",
    ["", "a", "g000000000", "0000000000001", "z" * 13, "ilouilouilou", "G00000000001", "1" * 12, str(TOP), "é" * 12],
)
def test_what_is_no_id_in_full_names_none(store: Store, text: str) -> None:
    assert whole_id(text) is None
    taken(store, line(0, 3, text))
    assert sorted(held(store)) == named(line(0, 3))


@given(st.integers(TOP, (1 << BITS) - 1))
def test_every_id_is_read_as_it_is_written(match: int) -> None:
    assert whole_id(id_text(match)) == match
    assert parse_id(id_text(match)) == (match, match)
    assert whole_id(id_text(match - TOP)) is None


@pytest.mark.parametrize("column", ["n_events", "digest"])
def test_a_damaged_match_keeps_no_other_out(store: Store, column: str) -> None:
    match = record(store, 0)
    archive_all(store)
    lines = exported(store)
    (place,) = (store.archive_folder / "matches").rglob("*.parquet")
    table = pq.read_table(place, partitioning=None)
    at = table.column_names.index(column)
    pq.write_table(table.set_column(at, table.field(at), pa.nulls(1, table.field(at).type)), place)
    for wanted in ((int(column == "digest"), int(column != "digest")), (0, 1)):
        assert counts(taken(store, lines)) == wanted
    assert store.holds(match)


def test_matches_of_a_file_that_is_lost_are_believed(store: Store) -> None:
    match = record(store, 0)
    archive_all(store)
    lines = exported(store)
    for place in store.archive_folder.rglob("*.parquet"):
        place.unlink()
    assert counts(taken(store, lines)) == (0, 1)
    assert store.holds(match)


LOGS = [(0, 2), (1, 2), (0, 3)]
IDS = [TOP | 1, TOP | 2, *named(*(line(*log) for log in LOGS))]
Claim = tuple[tuple[int, int], int | None, bool]
"""Which beginning of which game, the id that its line names, and whether it names players."""

claims = st.tuples(st.sampled_from(LOGS), st.sampled_from([None, *IDS]), st.booleans())


def claim(said: Claim) -> bytes:
    log, match, has_players = said
    return line(*log, (match and id_text(match)) or "", players=["Eve"] if has_players else [])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(claims, min_size=1, max_size=4), min_size=1, max_size=3))
def test_nothing_is_lost_and_nothing_comes_twice(files: list[list[Claim]]) -> None:
    """Whatever ids lines name: every log is there afterwards, no match changes, and another import adds nothing."""
    with TemporaryDirectory() as folder, Store(folder, durability="off") as store:
        before: dict[int, Log] = {}
        for said in files:
            report = taken(store, *map(claim, said))
            assert sum(counts(report)) == len(said)
            now = held(store)
            assert len(now) == len(before) + report.imported
            assert {match: now[match] for match in before} == before
            assert all(TOP <= match < 1 << BITS for match in now)
            for (number, length), _, _ in said:
                assert any(tuple(log.events[:length]) == game(number)[:length] for log in now.values())
            before = now
        for said in files:
            assert taken(store, *map(claim, said)).imported == 0
        assert held(store) == before


def test_a_note_does_not_make_another_match_of_it(store: Store) -> None:
    match = record(store, 0, 3)
    lines = exported(store)
    store.append(match, [Noted("comment", ("later",))])
    assert counts(taken(store, lines)) == (0, 1)
