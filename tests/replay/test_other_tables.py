"""Archive files that are whole but hold other tables than a writer writes: each is named in one line, and the rest is
verified, counted and listed all the same.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.records import compacting
from kifold.records.archive import paths
from kifold.records.errors import StoreError
from kifold.records.store import Store
from kifold.replay.causes import Report
from kifold.replay.coverage import Coverages
from kifold.replay.coverage_stored import count_stored
from kifold.replay.ply_files import make_ply_files
from kifold.replay.verify import Work, verify_files, verify_match
from tests.stores import BLOKUS, fill_files, quiet, verified

Change = Callable[[pa.Table], pa.Table]
MATCHES, EVENTS = 0, 1


def put(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), pa.field(name, values.type), values)


def instead(name: str, value: object, kind: pa.DataType | None = None) -> Change:
    """The first row says something else in a column, of its own type or of another."""

    def change(table: pa.Table) -> pa.Table:
        return put(table, name, pa.array([value, *table[name].to_pylist()[1:]], kind or table[name].type))

    return change


def empty(name: str) -> Change:
    return lambda table: put(table, name, pa.nulls(len(table), table[name].type))


def twice(name: str) -> Change:
    return lambda table: table.append_column(name, table[name])


def first_last(table: pa.Table) -> pa.Table:
    """Its columns in another order, which is no damage: statistics are those of the column that is asked for."""
    return table.select([*table.column_names[1:], table.column_names[0]])


HARMS: dict[str, tuple[int, Change]] = {
    "a column twice": (EVENTS, twice("seq")),
    "a column of matches twice": (MATCHES, twice("digest")),
    "an integer without a sign": (EVENTS, instead("x", 200, pa.uint8())),
    "a wide integer without a sign": (EVENTS, instead("seq", (1 << 32) - 1, pa.uint32())),
    "an integer without a sign in matches": (MATCHES, instead("n_events", 7, pa.uint16())),
    "no setup": (MATCHES, empty("setup")),
    "one without a setup": (MATCHES, instead("setup", None)),
    "no ids": (MATCHES, empty("match_id")),
    "one without an id": (MATCHES, instead("match_id", None)),
    "an event without a match": (EVENTS, instead("match_id", None)),
    "no number of events": (MATCHES, empty("n_events")),
    "no tags of events": (EVENTS, empty("tag")),
    "no options": (MATCHES, empty("options")),
    "no rows": (MATCHES, lambda table: table.slice(0, 0)),
    "no row groups at all": (EVENTS, lambda table: table.slice(0, 0)),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a file of eight matches, one of a single match, and a live match."""
    folder = tmp_path_factory.mktemp("sound") / "store"
    with Store(folder) as store:
        fill_files(store)
    return folder


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Store:
    shutil.copytree(sound, tmp_path / "store")
    return Store(tmp_path / "store")


def rewrite(store: Store, which: int, change: Change, **how: object) -> Path:
    """Put another table in the place of one of the first archive file."""
    place = paths(store.archive_folder, *store.files()[0])[which]
    pq.write_table(change(pq.ParquetFile(place).read()), place, **how)
    return place


def assert_said(lines: list[str], store: Store) -> None:
    assert lines
    for line in lines:
        assert "\n" not in line
        assert str(store.archive_folder) in line or line.startswith(("match ", "8 matches of blokus ")), line


def ask_all(store: Store) -> None:
    """Whatever is asked of a store in which one file is not what was written: what it holds apart from it is found,
    and nothing is raised but a StoreError that names a file or a match.
    """
    first, other = (store.journal.numbers(f"SELECT match FROM archived WHERE file = {n}").tolist() for n in (1, 2))
    questions: list[Callable[[], object]] = [
        lambda: store.log(first[0], intact=True),
        lambda: list(store.logs(first)),
        lambda: list(store.logs()),
        lambda: store.reader(*store.files()[0]).digests(),
    ]
    for question in questions:
        try:
            question()
        except StoreError as error:
            assert_said([str(error)], store)
    for match in first:
        verify_match(store, match)
    assert [verify_match(store, match).is_fine for match in other] == [True]
    assert store.log(other[0]).match_id == other[0]
    report = verified(store.folder)
    assert report.counts["exact"] >= 2
    assert_said(report.unreadable, store)
    folder = Report()
    verify_files(store.archive_folder, Work(folder, None, 1))
    assert folder.counts["exact"] >= 1
    left: list[str] = []
    found: Coverages = {}
    count_stored(found, store, None, 1, left.append, quiet)
    assert found["blokus"].matches["duo"] >= 2
    make_ply_files(store, BLOKUS, 1, quiet, left.append)
    assert len(list((store.folder / "plies").rglob("*.parquet"))) >= 1
    assert all("\n" not in line for line in left)
    assert_said(compacting.compact(store, quiet).left, store)


@pytest.mark.parametrize(("which", "change"), HARMS.values(), ids=HARMS)
def test_a_file_with_another_table_is_named_and_hides_no_other(store: Store, which: int, change: Change) -> None:
    rewrite(store, which, change)
    with store:
        ask_all(store)


@pytest.mark.parametrize("which", [MATCHES, EVENTS])
def test_the_order_of_columns_and_statistics_tell_nothing_that_is_not_so(store: Store, which: int) -> None:
    with store:
        matches = store.journal.numbers("SELECT match FROM archived WHERE file = 1").tolist()
        for how in ({"write_statistics": False}, {"row_group_size": 10_000}):
            rewrite(store, which, first_last, **how)
            assert [store.log(match).match_id for match in matches] == matches
            assert [log.match_id for log in store.logs(matches)] == matches


def test_whatever_a_value_or_a_type_is_nothing_else_is_raised(sound: Path, tmp_path: Path) -> None:
    chance = random.Random(7)
    kinds = [pa.int8(), pa.int64(), pa.uint16(), pa.string(), pa.bool_(), pa.float64(), pa.binary(), pa.null()]

    def changed(table: pa.Table) -> pa.Table:
        name = chance.choice(table.column_names)
        column, row = table[name].combine_chunks(), chance.randrange(len(table))
        if chance.random() < 0.3:
            return put(table, name, pa.nulls(len(table), chance.choice(kinds)))
        values = column.to_pylist()
        other = [None, -1, 0, 127, "", "x", True, False, [], b"", bytes(16), *values]
        for value in chance.sample(other, len(other)):
            try:
                return put(table, name, pa.array([*values[:row], value, *values[row + 1 :]], column.type))
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                continue
        raise AssertionError(name)

    for round_ in range(4):
        shutil.copytree(sound, tmp_path / str(round_))
        with Store(tmp_path / str(round_)) as store:
            place = rewrite(store, round_ % 2, changed)
            assert place.exists()
            ask_all(store)
        shutil.rmtree(tmp_path / str(round_))
