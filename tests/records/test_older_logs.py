"""Stores and exports of an earlier declaration, read by later ones: journal, archive, jsonl, verify and SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.counting import WAYS_TO_END, Choice
from kifold.analytics.openings import openings
from kifold.core.events import Event, Finished, Noted, Undone
from kifold.core.options import RulesetError
from kifold.core.ruleset import Ruleset
from kifold.records.archive import FileReader, paths
from kifold.records.columns import fits
from kifold.records.errors import StoreError
from kifold.records.formats.jsonl import JSONL
from kifold.records.importing import import_file
from kifold.records.log import Log
from kifold.records.reading import digests, read_group
from kifold.records.store import Store
from tests.core import toy
from tests.core.ages import ADDED, FIRST, RETIRED, RaceSetup, Step, Toss, each_later, installed, steps
from tests.stores import archive_all, assert_exact, quiet, verified

LOGS: list[tuple[int, list[Event]]] = [
    (60, [*steps(6), Finished(2)]),
    (60, [*steps(9), Noted("comment", ("well",)), Undone(10), *steps(9)[10:], Finished(0)]),
    (5, steps(2)),
    (60, steps(4)),
]
"""The goal and the events of each match; the third ends by the rules, the last is unfinished."""


def exported(store: Store) -> bytes:
    file = BytesIO()
    JSONL.write(sorted(store.logs(), key=lambda log: log.match_id), file)
    return file.getvalue()


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Store]:
    """A store as version 1 wrote it: three matches archived, one live."""
    with Store(tmp_path / "store") as store:
        with installed(FIRST):
            for goal, log in LOGS:
                started = FIRST.start(options={"goal": goal}, tags={"n": str(goal)}, setup=toy.RaceSetup(2))
                store.new(started, ("Ada", "Bo"), log)
            archive_all(store)
        yield store


def digests_of(store: Store) -> dict[int, str]:
    return {log.match_id: log.digest.hex() for log in store.logs()}


@each_later
def test_everything_reads_and_is_the_same(older: Store, rules: Ruleset) -> None:
    with installed(FIRST):
        before, written = digests_of(older), exported(older)
    with installed(rules), Store(older.folder) as store:
        assert digests_of(store) == before
        assert exported(store) == written
        assert sorted(len(log.events) for log in store.logs()) == sorted(len(log) for _, log in LOGS)
        assert_exact(store.folder, len(LOGS))
        for match in before:
            assert store.folded(match).started.setup == RaceSetup(2, 0)


@each_later
def test_an_older_match_goes_on_under_the_later_declaration(older: Store, rules: Ruleset) -> None:
    with installed(rules), Store(older.folder) as store:
        die: Event = Toss(6, 1) if rules is RETIRED else toy.Roll(6)
        new = [Undone(0), Step(0, 1, 1, (400,), is_loud=True)]
        for match in list(digests_of(store)):
            before = store.log(match)
            more = [*new, Step(1, 1), Step(0, 1), die] if before.started.options["goal"] == 60 else new
            store.append(match, more)
            log = store.log(match)
            assert log.events == [*before.events, *more]
            assert log.started == before.started
        assert_exact(store.folder, len(LOGS))
        for match in digests_of(store):
            store.append(match, [Finished(0)])
        before_archiving = digests_of(store)
        assert archive_all(store) == len(LOGS)
        assert digests_of(store) == before_archiving
        assert_exact(store.folder, len(LOGS))


@each_later
def test_matches_of_both_ages_lie_in_one_file(older: Store, rules: Ruleset) -> None:
    with installed(rules), Store(older.folder) as store:
        (live,) = store.journal.ids()
        store.append(live, [Finished(0)])
        mine = store.new(rules.start(setup=RaceSetup(0, 4)), (), [Step(0, 3), Step(1, 1, 9), Finished(0)])
        before = digests_of(store)
        assert archive_all(store) == 2
        assert digests_of(store) == before
        assert [len(store.reader(*file).group(0)[0]) for file in store.files()] == [3, 2]
        assert store.log(mine).started.schema == rules.schema
        assert_exact(store.folder, 5)


@each_later
def test_exports_are_imported_with_their_digests(older: Store, rules: Ruleset, tmp_path: Path) -> None:
    path = tmp_path / "older.jsonl"
    with installed(FIRST):
        before = digests_of(older)
        path.write_bytes(exported(older))
    with installed(rules), Store(tmp_path / "new") as store:
        report = import_file(store, path, JSONL, {}, quiet)
        assert (report.imported, report.quarantined) == (4, 0)
        assert sorted(digests_of(store).values()) == sorted(before.values())
        store.new(rules.start(), (), [Step(0, 1, 1)])
        again = tmp_path / "again.jsonl"
        again.write_bytes(exported(store))
        assert f'"schema":{rules.schema}'.encode() in again.read_bytes()
        with Store(tmp_path / "third") as third:
            assert import_file(third, again, JSONL, {}, quiet).imported == 5
            assert sorted(digests_of(third).values()) == sorted(digests_of(store).values())
            assert_exact(third.folder, 5)


@each_later
def test_rows_without_a_column_give_the_same_bytes_at_once(older: Store, rules: Ruleset) -> None:
    """The way of large files: arrays, and no object per event."""
    with installed(rules), Store(older.folder) as store:
        group = read_group(rules, *store.reader(*store.files()[0]).group(0))
        plain = group.only(group.is_plain)
        assert [row["match_id"] for row in plain.rows] == [log.match_id for log in archived(store) if is_plain(log)]
        assert [one.tobytes() for one in digests(plain)] == [row["digest"] for row in plain.rows]
        assert not group.is_strange.any()
        assert plain.corpus.setup(0) == RaceSetup(2, 0)


def archived(store: Store) -> list[Log]:
    return [log for log in store.logs() if log.is_archived]


def is_plain(log: Log) -> bool:
    return all(type(event) is Step for event in log.events)


@each_later
def test_sql_reads_what_an_older_file_lacks_as_the_default(older: Store, rules: Ruleset) -> None:
    with installed(rules), Store(older.folder) as store:
        store.append(store.journal.ids()[0], [Finished(0)])
        archive_all(store)
        match = store.new(rules.start(), (), [Step(0, 3, 2, (5, 6), is_loud=True), Step(1, 300), Finished(0)][::2])
        archive_all(store)
        connection = connect(store)
        rows = connection.execute(
            "SELECT match_id = ?, count(*), any_value(bonus), any_value(tricks), any_value(is_loud) FROM race_events "
            "WHERE event = 'step' GROUP BY 1 ORDER BY 1",
            [match],
        ).fetchall()
        assert rows == [(False, 21, 0, [], False), (True, 1, 2, [5, 6], True)]
        dice = connection.execute(
            "SELECT event, count(*), any_value(die) IS NULL FROM race_events WHERE seat IS NULL GROUP BY 1"
        )
        assert {event: n for event, n, _ in dice.fetchall()}["roll"] == 6
        scores = "SELECT count(*) FROM scores WHERE ruleset = 'race' AND score IS NOT NULL"
        assert connection.execute(scores).fetchone() == (10,)
        counted = openings(connection, rules, 1, Choice(endings=WAYS_TO_END))
        opening, n = counted.columns.index("opening"), counted.columns.index("n")
        openings_found: Counter[str] = Counter()
        for row in counted.rows:
            openings_found[row[opening]] += row[n]
        assert openings_found == {"+1": 4, "+3": 1}


def test_a_store_of_a_later_declaration_is_refused_and_not_cut_short(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        with installed(ADDED):
            live = store.new(ADDED.start(), (), [Step(0, 1)])
            gone = store.new(ADDED.start(), (), [Step(0, 1), Finished(0)])
            archive_all(store)
        with installed(FIRST), Store(store.folder) as earlier:
            with pytest.raises(RulesetError, match="is of schema 2 of race, here it is known up to schema 1: install"):
                earlier.log(live)
            with pytest.raises(
                StoreError, match=r"other columns than this kifold writes \(setup is struct.*\); install the"
            ):
                earlier.log(gone)
            report = verified(earlier.folder)
            assert [one.verdict for one in report.failures] == ["unverified"]
            assert len(report.unreadable) == 1


@each_later
def test_a_value_that_an_older_event_needs_is_missed(older: Store, rules: Ruleset) -> None:
    with installed(rules), Store(older.folder) as store:
        name, file = store.files()[0]
        place = paths(store.archive_folder, name, file)[1]
        table = pq.read_table(place, partitioning=None)
        for column, said in (
            ("amount", "amount is missing"),
            ("values", "values is missing"),
            ("seq", r"other columns .*\(seq is missing"),
        ):
            pq.write_table(table.drop_columns([column]), place)
            with pytest.raises(StoreError, match=said):
                list(FileReader(store.archive_folder, rules, file).logs())
        place = paths(store.archive_folder, name, file)[0]
        pq.write_table(pq.read_table(place, partitioning=None).drop_columns(["variant"]), place)
        for coded in (False, True):
            with pytest.raises(StoreError, match=r"other columns .*\(variant is missing"):
                FileReader(store.archive_folder, rules, file, coded=coded)


def test_what_fits() -> None:
    narrow = pa.struct([("a", pa.int8()), ("b", pa.list_(pa.int8()))])
    wide = pa.struct([("b", pa.list_(pa.int32())), ("a", pa.int16()), ("c", pa.string())])
    assert fits(narrow, wide)
    assert not fits(wide, narrow)
    assert fits(pa.struct([("nothing", pa.bool_())]), narrow)
    assert not fits(pa.struct([("x", pa.bool_())]), narrow)
    assert not fits(pa.string(), pa.int8())
    assert not fits(pa.int16(), pa.int8())
