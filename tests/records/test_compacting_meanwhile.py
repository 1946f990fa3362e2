"""Compacting while others read, write, compact or die: there is no moment at which a match is missing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.sources import naming_damage
from kifold.core.events import Noted
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import archive as files
from kifold.records import compacting, removing
from kifold.records.bulk import BulkWriter
from kifold.records.compacting import Report, compact
from kifold.records.journal import Journal
from kifold.records.judge import Judged, judge_log
from kifold.records.log import Log
from kifold.records.store import Store
from tests.records.compacted import NOTE, as_dict, assert_tidy, listed, places, scatter
from tests.stores import archive_all, assert_exact, duo, game, quiet, record, run_together


def meanwhile(store: Store, act: Callable[[Store], object]) -> Report:
    """Compact, and let another connection act when the rows were read and nothing is listed yet."""
    acted = []

    def on_progress(matches: int, events: int) -> None:
        if not acted:
            acted.append(True)
            with Store(store.folder) as other:
                act(other)

    report = compact(store, on_progress)
    assert acted
    return report


def test_a_match_that_goes_on_meanwhile_is_the_one_that_went_on(store: Store) -> None:
    matches = scatter(store, 3)
    assert meanwhile(store, lambda other: other.append(matches[0], [NOTE])).left == []
    assert store.log(matches[0]).events[-1] == NOTE
    assert not store.log(matches[0]).is_archived
    assert as_dict(store).keys() == set(matches)
    assert_exact(store.folder, len(matches))
    assert compact(store, quiet).returned == 1
    assert_tidy(store, len(matches))


def test_one_that_goes_on_and_is_archived_again_meanwhile(store: Store) -> None:
    matches = scatter(store, 3)

    def act(other: Store) -> None:
        other.append(matches[0], [NOTE])
        archive_all(other)

    meanwhile(store, act)
    assert store.log(matches[0]).events[-1] == NOTE
    assert as_dict(store).keys() == set(matches)
    assert_exact(store.folder, len(matches))
    compact(store, quiet)
    assert_tidy(store, len(matches))


def test_one_that_is_deleted_meanwhile_is_gone(store: Store) -> None:
    matches = scatter(store, 3)
    meanwhile(store, lambda other: other.delete(matches[0]))
    assert as_dict(store).keys() == set(matches[1:])
    assert_exact(store.folder, len(matches) - 1)
    assert compact(store, quiet).dropped == 1
    assert_tidy(store, len(matches) - 1)


def test_two_that_compact_at_the_same_time(store: Store) -> None:
    matches = scatter(store, 4)
    store.delete(matches[0])
    report = meanwhile(store, lambda other: compact(other, quiet))
    assert report.dropped == 0, "the other one did it"
    assert report.left == []
    assert as_dict(store).keys() == set(matches[1:])
    compact(store, quiet)
    assert_tidy(store, len(matches) - 1)


def test_a_file_that_another_process_removes_meanwhile(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listed, and gone when it is looked at, or after the first look."""
    scatter(store, 2)
    left = store.archive_folder / "left.parquet"
    left.write_bytes(b"four")
    (store.archive_folder / "gone.parquet").symlink_to("nowhere")
    look = Path.stat

    def seen(place: Path, **how: Any) -> os.stat_result:
        found = look(place, **how)
        if place == left:
            left.unlink()
        return found

    monkeypatch.setattr(Path, "stat", seen)
    assert compact(store, quiet).files == (2, 1)
    assert not left.exists()


# Those who read


def test_whoever_reads_the_archive_meanwhile_finds_what_was_listed(store: Store) -> None:
    matches = scatter(store, 3)
    reading = store.logs()
    first = next(reading)
    with Store(store.folder) as other:
        report = compact(other, quiet)
        assert report.is_waiting
        assert report.files == (3, 1)
        assert {first.match_id, *(log.match_id for log in reading)} == set(matches)
        assert not compact(other, quiet).is_waiting
    assert_tidy(store, len(matches))


@pytest.mark.parametrize("is_merged", [False, True])
def test_questions_in_sql_meanwhile(store: Store, is_merged: bool) -> None:
    matches = scatter(store, 3)
    with Store(store.folder) as other:
        if is_merged:  # then the reader needs nothing of the write-ahead log
            other.journal.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        with naming_damage(store), connect(store) as sql:
            assert compact(other, quiet).is_waiting
            assert sql.execute("SELECT count(*) FROM matches").fetchone() == (len(matches),)
        with connect(store) as sql:
            assert sql.execute("SELECT count(*) FROM matches").fetchone() == (len(matches),)
    compact(store, quiet)
    assert_tidy(store, len(matches))


def test_a_file_that_took_the_name_of_a_replaced_one_is_not_removed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulation that goes on names its files anew."""
    scatter(store, 2)
    _, name = store.files()[0]
    with monkeypatch.context() as patch:
        patch.setattr(type(store.journal), "is_settled", lambda journal: False)
        assert compact(store, quiet).is_waiting
    verdict = judge_log(BLOKUS, duo(), game(3))
    assert isinstance(verdict, Judged)
    with BulkWriter(store, BLOKUS, name=name) as writer:
        writer.add(Log(10**18, duo(), game(3)), verdict)
    assert store.files()[-1] == ("blokus", name)
    assert compact(store, quiet).left == []
    assert store.holds(10**18)
    assert_tidy(store, 5)


def test_what_is_not_listed_stays_but_for_drafts_of_the_day_before(store: Store) -> None:
    """A journal may have been restored from an older copy: then files that it does not list are the only ones."""
    matches = scatter(store, 2)
    folder = files.paths(store.archive_folder, "blokus", "x")[0].parent
    (folder / "blokus-0123456789ab.parquet").write_bytes(b"PAR1")
    for name, age in (("new", 60), ("old", removing.DAY + 60)):
        (folder / f"{name}.writing").write_bytes(b"PAR1")
        os.utime(folder / f"{name}.writing", (time.time() - age,) * 2)
    compact(store, quiet)
    assert {place.name for place in places(store) - listed(store)} == {"blokus-0123456789ab.parquet", "new.writing"}
    assert_exact(store.folder, len(matches))


# Several processes, and one that dies


def die(folder: str, point: str, is_after: bool) -> None:
    """Compact, and end the process when it comes to a step, or has just taken it."""
    owner, name = STEPS[point]
    step = getattr(owner, name)

    def last_step(*arguments: Any) -> NoReturn:
        if is_after:
            step(*arguments)
        os._exit(0)

    setattr(owner, name, last_step)
    with Store(folder) as store:
        compact(store, quiet)
    raise AssertionError(f"there was no {point}")


STEPS: dict[str, tuple[Any, str]] = {
    "write": (files.FileWriter, "write"),
    "close": (files.FileWriter, "close"),
    "list": (Store, "list_file"),
    "place": (files.FileWriter, "place"),
    "replace": (compacting, "_list"),
    "remove": (removing, "remove"),
    "tidy": (Journal, "tidy"),
}


@pytest.mark.slow
@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", STEPS)
def test_a_process_that_dies(store: Store, point: str, is_after: bool) -> None:
    matches = scatter(store, 3)
    store.delete(matches[1])
    before = as_dict(store)
    run_together([(die, (str(store.folder), point, int(is_after)))])
    assert as_dict(store) == before
    assert_exact(store.folder, len(before))
    assert compact(store, quiet).left == []
    assert as_dict(store) == before
    for place in places(store) - listed(store):  # of a draft, or placed in a transaction that came to nothing
        assert place.suffix == ".writing" or (point, is_after) == ("place", True)
        place.unlink()
    assert_tidy(store, len(before))


def keep_compacting(folder: str, times: int) -> None:
    with Store(folder) as store:
        for _ in range(times):
            report = compact(store, quiet)
            assert report.left == [], report.left


def keep_writing(folder: str, seed: int, times: int) -> None:
    """Record, archive, correct and delete matches of one's own; prints those that are to be there."""
    with Store(folder, durability="off") as store:
        mine: list[int] = []
        for round_ in range(times):
            mine += [record(store, (seed + round_) % 6) for _ in range(2)]
            archive_all(store)
            store.append(mine[round_], [Noted("comment", (str(round_),))])
            if round_ % 2:
                store.delete(mine.pop())
            assert all(store.log(match).match_id == match for match in mine)
            assert {log.match_id for log in store.logs()} >= set(mine)
        print(*mine)


@pytest.mark.slow
def test_processes_that_write_and_compact_at_the_same_time(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    Store(folder).close()
    said = run_together(
        [(keep_compacting, (str(folder), 12)), *((keep_writing, (str(folder), seed, 8)) for seed in (1, 2))]
    )
    mine = {int(match) for line in said for match in line.split()}
    with Store(folder) as store:
        assert as_dict(store).keys() == mine
        compact(store, quiet)
        assert_tidy(store, len(mine))
