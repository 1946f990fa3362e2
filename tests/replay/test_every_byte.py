"""Nothing that is stored can change unnoticed: one byte anywhere in a file, one value in any column."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.schema import events_schema
from kifold.records.archive import file_hash, paths
from kifold.records.errors import RESTORE, StoreError
from kifold.records.simulation import simulate, simulation
from kifold.records.store import Store
from kifold.records.tables import matches_schema
from kifold.replay.causes import Report
from kifold.replay.verify import Work, verify_files
from tests.rulesets.matches import folder as compiled
from tests.stores import Failures, archive_all, duo, fill, quiet, verified

pytestmark = pytest.mark.slow

MATCHES = matches_schema(BLOKUS).names
EVENTS = events_schema(BLOKUS).names


@dataclass(frozen=True)
class Copy:
    """A store that may be changed: its folder, and the two files of its archive."""

    folder: Path
    places: tuple[Path, Path]

    def list_again(self) -> None:
        """Have the journal say the hashes of the files as they are now, as if they had been written so."""
        with Store(self.folder) as store, store.journal.writing() as db:
            db.execute("UPDATE files SET matches_hash = ?, events_hash = ?", tuple(map(file_hash, self.places)))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A store of matches with all that a log may hold, and one of plain ones from a simulation."""
    compiled(BLOKUS)
    folder = tmp_path_factory.mktemp("every-byte")
    with Store(folder / "varied") as store:
        fill(store, 2)
        archive_all(store)
    with Store(folder / "plain") as store:
        simulate(store, simulation(duo(), "random", 1), 4, 1, quiet)
    return {"varied": folder / "varied", "plain": folder / "plain"}


@pytest.fixture
def copy(kinds: dict[str, Path], tmp_path: Path) -> Callable[[str], Copy]:
    def copied(kind: str) -> Copy:
        folder = tmp_path / kind
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kinds[kind], folder)
        with Store(folder) as store:
            return Copy(folder, paths(store.archive_folder, "blokus", store.files()[0][1]))

    return copied


def test_unchanged_copies_are_exact(copy: Callable[[str], Copy]) -> None:
    for kind in ("varied", "plain"):
        one = copy(kind)
        assert verified(one.folder).is_fine
        for place in one.places:
            pq.write_table(pq.read_table(place, partitioning=None), place)
        one.list_again()
        assert verified(one.folder).is_fine


# One byte


def test_any_flipped_byte_of_the_archive_is_found_out(copy: Callable[[str], Copy]) -> None:
    chance = random.Random(1)
    one = copy("varied")
    for place in one.places:
        whole = place.read_bytes()
        for _ in range(60):
            at, change = chance.randrange(len(whole)), chance.randrange(1, 256)
            place.write_bytes(whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :])
            report = verified(one.folder)
            assert report.unreadable[0] == (f"{place}: is damaged (not the bytes that were written); {RESTORE}"), (
                place,
                at,
                change,
            )
        place.write_bytes(whole)
    assert verified(one.folder).is_fine


def test_without_the_hashes_a_flipped_byte_is_found_out_or_harmless(copy: Callable[[str], Copy]) -> None:
    """In a folder that is no store. What is said must be right, and never a traceback."""
    chance = random.Random(2)
    one = copy("varied")
    unseen = 0
    for place in one.places:
        whole, table = place.read_bytes(), pq.read_table(place, partitioning=None)
        for _ in range(100):
            at, change = chance.randrange(len(whole)), chance.randrange(1, 256)
            place.write_bytes(whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :])
            report = Report()
            verify_files(one.folder / "archive", Work(report, None, 1))
            if report.is_fine:
                unseen += 1
                found = pq.read_table(place, partitioning=None)
                assert found.to_pylist() == table.to_pylist(), "nothing that is read has changed"
        place.write_bytes(whole)
    assert unseen < 60, "these bytes are statistics, offsets and names that no reader needs"


def test_any_flipped_byte_of_the_journal_is_found_out_or_harmless(copy: Callable[[str], Copy]) -> None:
    """SQLite has no check sums: free space is nobody's, and so are players' names, which are no part of a log."""
    chance = random.Random(3)
    one = copy("varied")
    with Store(one.folder) as store:
        fill(store, 2)
        before = {log.match_id: log for log in store.logs()}
    path = one.folder / "journal.sqlite"
    whole = path.read_bytes()
    for _ in range(100):
        at, change = chance.randrange(100, len(whole)), chance.randrange(1, 256)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :])
        report = None
        with suppress(StoreError):
            report = verified(one.folder)
        if report is not None and report.is_fine:
            with Store(one.folder) as store:
                logs = list(store.logs())
            assert {log.match_id: log.events for log in logs} == {i: log.events for i, log in before.items()}
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)


# One value


def other(value: Any, kind: pa.DataType) -> Any:
    """Another value of the same type."""
    if value is None:
        return {pa.string(): "x", pa.int8(): 1}.get(kind, ["x"] if pa.types.is_list(kind) else 1)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, dict):
        name = next(iter(value))
        return value | {name: other(value[name], kind.field(name).type)}
    if pa.types.is_map(kind):
        return [*value[:-1], (value[-1][0], other(value[-1][1], kind.item_type))] if value else [("x", "y")]
    return [*value[:-1], other(value[-1], kind.value_type)] if value else [other(None, kind.value_type)]


def whole(place: Path) -> pa.Table:
    """A file with all columns: those that nothing fills are not written."""
    table = pq.read_table(place, partitioning=None)
    for field in events_schema(BLOKUS) if "seq" in table.column_names else ():
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(len(table), field.type))
    return table


def rewrite(place: Path, column: str, row: int, change: Callable[[Any, pa.DataType], Any]) -> None:
    table = whole(place)
    field = table.schema.field(column)
    values = table[column].to_pylist()
    values[row] = change(values[row], field.type)
    at = table.column_names.index(column)
    pq.write_table(table.set_column(at, field.with_nullable(True), pa.array(values, field.type)), place)


def fails_in_every_way(one: Copy) -> Failures:
    """As a store whose hashes are right, by plain Python and by the compiled rules, and as a folder."""
    one.list_again()
    report = verified(one.folder)
    assert not report.is_fine
    bare = Report()
    verify_files(one.folder / "archive", Work(bare, None, 1))
    assert not bare.is_fine
    return report


@pytest.mark.parametrize("change", [other, lambda value, kind: None], ids=["another", "null"])
@pytest.mark.parametrize("column", [name for name in MATCHES if name != "players"])
@pytest.mark.usefixtures("in_both_ways")
def test_any_value_of_a_match(copy: Callable[[str], Copy], column: str, change: Any) -> None:
    for kind in ("varied", "plain"):
        one = copy(kind)
        before = one.places[0].read_bytes()
        for row in (0, 3):
            one.places[0].write_bytes(before)
            rewrite(one.places[0], column, row, change)
            report = fails_in_every_way(one)
            if column in ("digest", "variant", "revision", "options", "seats", "tags", "setup"):
                assert [failure.verdict for failure in report.failures] == ["damaged"]
            elif column in ("fingerprints", "result", "finished", "ending"):
                assert [failure.verdict for failure in report.failures] == ["diverged"]


@pytest.mark.parametrize("change", [other, lambda value, kind: None], ids=["another", "null"])
@pytest.mark.parametrize("column", EVENTS)
@pytest.mark.usefixtures("in_both_ways")
def test_any_value_of_an_event(copy: Callable[[str], Copy], column: str, change: Any) -> None:
    chance = random.Random(column)
    for kind in ("varied", "plain"):
        one = copy(kind)
        before = one.places[1].read_bytes()
        values = whole(one.places[1])[column].to_pylist()
        rows = [row for row, value in enumerate(values) if change is other or value is not None]
        for row in chance.sample(rows, min(len(rows), 3)):
            one.places[1].write_bytes(before)
            rewrite(one.places[1], column, row, change)
            fails_in_every_way(one)


OTHER_FORMS: dict[str, tuple[str, Callable[[Any, pa.DataType], Any]]] = {
    "null before the standings": ("result", lambda value, kind: [None, *value]),
    "null after the standings": ("result", lambda value, kind: [*value, None]),
    "an option twice": ("options", lambda value, kind: [*value, value[0]]),
    "an option in capitals": ("options", lambda value, kind: [(name, text.upper()) for name, text in value]),
    "a tag twice": ("tags", lambda value, kind: [*value, *value, *([] if value else [("x", "y")] * 2)]),
}


@pytest.mark.parametrize(("column", "change"), OTHER_FORMS.values(), ids=OTHER_FORMS)
@pytest.mark.usefixtures("in_both_ways")
def test_what_is_written_in_another_form(copy: Callable[[str], Copy], column: str, change: Any) -> None:
    for kind in ("varied", "plain"):
        one = copy(kind)
        rewrite(one.places[0], column, 0, change)
        (failure,) = fails_in_every_way(one).failures
        assert failure.verdict == ("diverged" if column == "result" else "damaged")


@pytest.mark.usefixtures("in_both_ways")
def test_nobodys_seat_is_written_as_null(copy: Callable[[str], Copy]) -> None:
    one = copy("varied")
    seats = pq.read_table(one.places[1], columns=["seat"], partitioning=None)["seat"].to_pylist()
    rewrite(one.places[1], "seat", seats.index(None), lambda value, kind: -1)
    (failure,) = fails_in_every_way(one).failures
    assert failure.verdict == "damaged"


def test_players_names_are_covered_by_the_hash_of_the_file_alone(copy: Callable[[str], Copy]) -> None:
    one = copy("varied")
    rewrite(one.places[0], "players", 0, other)
    assert verified(one.folder).unreadable != []
    one.list_again()
    assert verified(one.folder).is_fine, "names are no part of a log: they can be taken out"


def test_a_match_that_was_taken_out_of_both_files(copy: Callable[[str], Copy]) -> None:
    one = copy("plain")
    gone = pq.read_table(one.places[0], partitioning=None)["match_id"][1]
    for place in one.places:
        table = pq.read_table(place, partitioning=None)
        pq.write_table(table.filter(pa.compute.not_equal(table["match_id"], gone)), place)
    one.list_again()
    assert verified(one.folder).unreadable == [
        f"{one.places[0]}: does not hold the matches that the journal lists for it; restore both"
    ]
