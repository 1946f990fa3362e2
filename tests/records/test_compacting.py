"""Compacting: the same matches in fewer files, nothing of what was deleted, and no moment at which one is missing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn

import pyarrow.parquet as pq
import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.sources import naming_damage
from kifold.core.events import Event, Finished, Noted, Undone
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import archive as files
from kifold.records import compacting, merging, removing
from kifold.records.bulk import BulkWriter
from kifold.records.compacting import Report, compact
from kifold.records.errors import StoreError
from kifold.records.formats import format_named
from kifold.records.ids import id_text
from kifold.records.journal import Journal
from kifold.records.judge import Judged, judge_log
from kifold.records.log import Log
from kifold.records.store import Store
from tests.stores import archive_all, assert_exact, duo, fill, game, quiet, record, run_together, verified

NOTE = Noted("comment", ("late",))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store") as store:
        yield store


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of 100 events, files of 400."""
    monkeypatch.setattr(merging, "ROWS_PER_GROUP", 100)
    monkeypatch.setattr(compacting, "ROWS_PER_FILE", 400)
    monkeypatch.setattr(compacting, "SMALL", 200)


def scatter(store: Store, times: int, each: int = 1) -> list[int]:
    """Archive matches in many small files; their ids."""
    found = []
    for _ in range(times):
        found += fill(store, each)
        archive_all(store)
    assert len(store.files()) == times
    return found


def write(store: Store, match: int, events: tuple[Event, ...]) -> None:
    """Put a match straight into the archive, as an import does."""
    verdict = judge_log(BLOKUS, duo(), events)
    assert isinstance(verdict, Judged)
    with BulkWriter(store, BLOKUS) as writer:
        writer.add(Log(match, duo(), events, ("Ada", "Bo")), verdict)


def as_dict(store: Store) -> dict[int, Log]:
    """All matches by id, each once, and the same one by one."""
    logs = list(store.logs())
    found = {log.match_id: log for log in logs}
    assert len(found) == len(logs)
    for match, log in found.items():
        assert store.log(match) == log
    return found


def rows(store: Store) -> dict[int, tuple[Any, list[Any]]]:
    """Of each match its row and the rows of its events, as they stand in the files."""
    found = {}
    for ruleset, name in store.files():
        gone = store.tombstones(name)
        matches, events = (
            pq.read_table(place, partitioning=None).to_pylist()
            for place in files.paths(store.archive_folder, ruleset, name)
        )
        for match in matches:
            if match["match_id"] not in gone:
                of_match = [event for event in events if event["match_id"] == match["match_id"]]
                assert match["match_id"] not in found
                found[match["match_id"]] = (match, of_match)
    return found


def exported(store: Store) -> bytes:
    file = BytesIO()
    format_named("jsonl").write(store.logs(sorted(as_dict(store))), file)
    return file.getvalue()


def places(store: Store) -> set[Path]:
    return {place for place in store.archive_folder.rglob("*") if place.is_file()}


def listed(store: Store) -> set[Path]:
    return {place for file in store.files() for place in files.paths(store.archive_folder, *file)}


def assert_tidy(store: Store, matches: int) -> None:
    """No tombstone, no file that is not listed, nothing left to do, and every match exact."""
    assert store.journal.rows("SELECT * FROM tombstones") == []
    assert store.journal.rows("SELECT key FROM meta") == [("format",)]
    assert places(store) == listed(store)
    assert compact(store, quiet).is_idle
    assert places(store) == listed(store)
    assert_exact(store.folder, matches)


# What becomes of files


def test_many_small_files_become_one_with_the_same_rows(store: Store) -> None:
    matches = scatter(store, 8)
    live = record(store, 0, 5)
    before = as_dict(store), rows(store), exported(store)
    done: list[tuple[int, int]] = []
    report = compact(store, lambda *many: done.append(many))
    assert (report.files, report.dropped, report.returned, report.left) == ((8, 1), 0, 0, [])
    assert report.size[0] > report.size[1]
    assert (as_dict(store), rows(store), exported(store)) == before
    assert store.journal.ids() == [live]
    assert done == [(len(matches), sum(len(events) for _, events in before[1].values()))]
    assert store.counts() == {"blokus": (1, len(matches))}
    assert_tidy(store, len(matches) + 1)


def test_an_empty_store_and_a_single_file_are_left_as_they_are(store: Store) -> None:
    assert compact(store, quiet).is_idle
    scatter(store, 1)
    before = places(store)
    assert compact(store, quiet).is_idle
    assert places(store) == before


@pytest.mark.parametrize("held", [0, 150, 100_000])
@pytest.mark.usefixtures("small")
def test_row_groups_are_in_order_of_fair_size_and_never_split_a_match(
    store: Store, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "HELD", held)
    monkeypatch.setattr(compacting, "ROWS_PER_FILE", 100_000)
    scatter(store, 6, each=3)
    before = rows(store)
    compact(store, quiet)
    assert rows(store) == before
    ((ruleset, name),) = store.files()
    heads, events = (pq.ParquetFile(place) for place in files.paths(store.archive_folder, ruleset, name))
    assert heads.num_row_groups == events.num_row_groups > 5
    keys: list[tuple[int, int]] = []
    for group in range(heads.num_row_groups):
        table = events.read_row_group(group)
        assert 100 - 50 <= len(table) < 200 + 50, "to the nearest boundary of a match"
        keys += zip(table["match_id"].to_pylist(), table["seq"].to_pylist(), strict=True)
        assert set(table["match_id"].to_pylist()) == set(heads.read_row_group(group)["match_id"].to_pylist())
    assert keys == sorted((match, seq) for match, (row, _) in before.items() for seq in range(1, row["n_events"] + 1))


@pytest.mark.usefixtures("small")
def test_files_are_filled_and_at_most_one_stays_small(store: Store) -> None:
    matches = scatter(store, 20)
    report = compact(store, quiet)
    sizes = [events for (events,) in store.journal.rows("SELECT events FROM files")]
    assert len(sizes) == report.files[1] < 10
    assert max(sizes) <= 400
    assert len([one for one in sizes if one < 200]) <= 1
    for match in matches[::3]:
        store.delete(match)
    assert compact(store, quiet).dropped == len(matches[::3])
    assert_tidy(store, len(matches) - len(matches[::3]))


def test_a_file_of_normal_size_without_holes_is_left_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = scatter(store, 2, each=2)
    monkeypatch.setattr(compacting, "SMALL", 10)
    before = places(store)
    assert compact(store, quiet).is_idle
    store.delete(matches[0])
    assert compact(store, quiet).files == (2, 2)
    assert len(places(store) & before) == 2
    assert_tidy(store, len(matches) - 1)


def test_files_that_are_older_than_a_column_keep_their_columns(store: Store) -> None:
    """What a row lacks is not what a row says: a file of today and an older one do not become one."""
    matches = [10**18 + number for number in range(6)]
    for match in matches:
        write(store, match, game(match % 5))
    for _, name in store.files()[:3]:
        place = files.paths(store.archive_folder, "blokus", name)[1]
        table = pq.read_table(place, partitioning=None)
        pq.write_table(table.drop_columns(["x"]).append_column("x", table["x"].cast("int8")), place)
        with store.journal.writing() as db:
            db.execute("UPDATE files SET events_hash = ? WHERE name = ?", (files.file_hash(place), name))
    before = as_dict(store)
    assert compact(store, quiet).files == (6, 2)
    assert as_dict(store) == before
    assert sorted(
        str(pq.read_schema(files.paths(store.archive_folder, *file)[1]).names[-1]) for file in store.files()
    ) == sorted({"x", files.events_schema(BLOKUS).names[-1]})
    assert_tidy(store, 6)


# Matches that came back, and those that are gone


def test_corrected_matches_go_back_to_the_archive(store: Store) -> None:
    matches = scatter(store, 3)
    unfinished = 10**18
    write(store, unfinished, game(1)[:7])
    never_archived = record(store, 0, 5), record(store, 1)
    store.append(matches[0], [NOTE])
    store.append(matches[2], [Undone(10), Finished(0), NOTE])
    store.append(unfinished, [NOTE])
    before = as_dict(store)
    report = compact(store, quiet)
    assert (report.returned, report.dropped, report.left) == (3, 3, [])
    assert as_dict(store) == before
    assert sorted(store.journal.ids()) == sorted(never_archived)
    assert store.log(unfinished).is_archived
    assert_tidy(store, len(before))
    store.append(unfinished, game(1)[7:9], expected_seq=8)
    assert compact(store, quiet).returned == 1
    assert len(store.log(unfinished).events) == 10
    assert_tidy(store, len(before))


def test_a_match_goes_back_and_forth_many_times(store: Store) -> None:
    matches = scatter(store, 2)
    for number in range(5):
        for match in matches[number % 3 :: 2]:
            store.append(match, [Noted("comment", (str(number),))])
        if number % 2:
            archive_all(store)
        else:
            compact(store, quiet)
    compact(store, quiet)
    assert_tidy(store, len(matches))


def holds(store: Store, text: str) -> bool:
    """Whether a text lies in any file of the store: as it is, or in a column of any Parquet file."""
    found = any(text.encode() in place.read_bytes() for place in store.folder.rglob("*") if place.is_file())
    for place in store.archive_folder.rglob("*.parquet"):
        found |= text in str(pq.read_table(place, partitioning=None).to_pylist())
    return found


@pytest.mark.parametrize("is_archived", [False, True])
def test_a_deleted_match_leaves_the_disk(store: Store, is_archived: bool) -> None:
    # Some builds of SQLite overwrite what is deleted, others do not.
    store.journal.rows("PRAGMA secure_delete = OFF")
    kept = scatter(store, 2)
    secret = store.new(
        duo(), ("Zacharias Quill", "Bo"), [*game(0)[:6], Noted("comment", ("unter vier Augen",)), Finished(0)]
    )
    if is_archived:
        archive_all(store)
    store.delete(secret)
    assert holds(store, "Zacharias Quill")
    assert holds(store, "unter vier Augen")
    report = compact(store, quiet)
    assert report.dropped == is_archived
    for text in ("Zacharias Quill", "unter vier Augen"):
        assert not holds(store, text)
    assert not store.holds(secret)
    assert_tidy(store, len(kept))
    assert not store.holds(secret)


def test_a_file_of_which_nothing_is_left_is_gone(store: Store) -> None:
    matches = scatter(store, 2)
    for match in matches:
        store.delete(match)
    report = compact(store, quiet)
    assert (report.files, report.dropped) == ((2, 0), len(matches))
    assert places(store) == set()
    assert_tidy(store, 0)
    write(store, matches[0], game(0))
    assert_tidy(store, 1)


def test_what_lies_beside_the_matches_stays(store: Store) -> None:
    matches = scatter(store, 3)
    store.append(matches[0], [NOTE], key="note")
    with store.journal.writing() as db:
        db.execute("INSERT INTO pins VALUES (?, 1)", (matches[1],))
        db.execute("INSERT INTO forks (match, parent, at_seq, inherited) VALUES (?, ?, 3, 3)", (matches[2], matches[1]))
    tables = {name: store.journal.rows(f"SELECT * FROM {name}") for name in ("keys", "pins", "forks", "quarantine")}
    assert compact(store, quiet).files == (3, 1)
    for name, before in tables.items():
        assert store.journal.rows(f"SELECT * FROM {name}") == before
    assert store.append(matches[0], [NOTE], key="note") == len(store.log(matches[0]).events)
    assert store.log(matches[1]).promoted == 1


# Damage is neither spread nor signed


def flip(place: Path) -> None:
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.write_bytes(data)


HARMS: dict[str, Callable[[Path], object]] = {
    "a flipped bit": flip,
    "missing": Path.unlink,
    "garbage": lambda place: place.write_bytes(b"PAR1"),
    "a folder": lambda place: (place.unlink(), place.mkdir()),
}


@pytest.mark.parametrize("which", [0, 1], ids=["matches", "events"])
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_damaged_file_is_left_alone_and_said(store: Store, harm: Callable[[Path], object], which: int) -> None:
    matches = scatter(store, 4)
    victim = store.files()[1]
    place = files.paths(store.archive_folder, *victim)[which]
    store.delete(matches[2])  # lies in it
    store.delete(matches[0])
    harm(place)
    before = verified(store.folder)
    report = compact(store, quiet)
    assert (report.files, report.dropped) == ((4, 2), 1)
    assert [line for line in report.left if str(place) in line and line.endswith("(it stays as it is)")] == report.left
    assert len(report.left) == 1
    after = verified(store.folder)
    assert after.unreadable == before.unreadable != []
    assert after.counts == before.counts
    assert victim in store.files()
    assert store.tombstones(victim[1]) == {matches[2]}


def test_a_damaged_match_is_still_found_afterwards(store: Store) -> None:
    """Its file passes for whole: whoever changed it also changed the hash that is listed."""
    matches = scatter(store, 3)
    _, name = store.files()[0]
    place = files.paths(store.archive_folder, "blokus", name)[0]
    table = pq.read_table(place, partitioning=None)
    at = table["match_id"].to_pylist().index(matches[0])
    changed = table.to_pylist()
    changed[at]["digest"] = bytes(16)
    pq.write_table(table.from_pylist(changed, table.schema), place)
    with store.journal.writing() as db:
        db.execute("UPDATE files SET matches_hash = ? WHERE name = ?", (files.file_hash(place), name))
    before = rows(store)
    assert compact(store, quiet).files == (3, 1)
    assert rows(store) == before
    report = verified(store.folder)
    assert [(one.match_id, one.verdict) for one in report.failures] == [(matches[0], "damaged")]
    assert report.unreadable == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM archived WHERE match = (SELECT min(match) FROM archived WHERE file = 1)",
        "INSERT INTO archived VALUES (7, 1)",
        "UPDATE archived SET file = 2 WHERE match = (SELECT min(match) FROM archived WHERE file = 1)",
    ],
)
def test_a_list_that_is_not_that_of_the_file(store: Store, sql: str) -> None:
    scatter(store, 3)
    with store.journal.writing() as db:
        db.execute(sql)
    before, wrong = {log.match_id for log in store.logs()}, verified(store.folder).unreadable
    report = compact(store, quiet)
    assert [line.partition("parquet: ")[2] for line in report.left] == [
        "does not hold the matches that the journal lists for it; restore both (it stays as it is)"
    ] * len(wrong)
    assert {log.match_id for log in store.logs()} == before
    assert verified(store.folder).unreadable == wrong


def test_the_archived_rows_of_a_match_that_is_damaged_in_the_journal_are_kept(store: Store) -> None:
    matches = scatter(store, 3)
    for _ in range(2):  # its rows lie in two files, of which the second is the newer
        store.append(matches[0], [NOTE])
        archive_all(store)
    store.append(matches[0], [NOTE])
    store.delete(matches[2])
    (good,) = store.journal.rows("SELECT digest FROM matches")[0]
    with store.journal.writing() as db:
        db.execute("UPDATE matches SET digest = zeroblob(16)")
    report = compact(store, quiet)
    assert (report.returned, report.dropped) == (0, 3)
    assert report.left[0].startswith(f"match {id_text(matches[0])} stays in the journal: its log is not the one")
    ((ruleset, name),) = store.files()
    assert store.tombstones(name) == {matches[0]}
    covered = store.reader(ruleset, name).log(matches[0], intact=True)
    assert covered is not None
    assert list(covered.events) == [*game(0), NOTE, NOTE]
    assert compact(store, quiet).is_idle
    with store.journal.writing() as db:
        db.execute("UPDATE matches SET digest = ?", (good,))
    assert compact(store, quiet).returned == 1
    assert_tidy(store, len(matches) - 1)


def test_a_folder_that_cannot_be_written_changes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = scatter(store, 3)
    before = places(store)

    def full(writer: files.FileWriter, *tables: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(files.FileWriter, "write", full)
        report = compact(store, quiet)
    assert [line[:23] for line in report.left] == ["the disk is full (bloku"]
    assert places(store) == before
    compact(store, quiet)
    assert_tidy(store, len(matches))


# What others do meanwhile


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
