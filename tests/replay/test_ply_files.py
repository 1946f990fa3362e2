"""The files of plies: made once, of what the archive holds now and of the rules of now, and whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kifold.core.events import Noted, Undone
from kifold.core.evolution import Upcaster
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.schema import events_schema
from kifold.records.archive import paths
from kifold.records.bulk import BulkWriter
from kifold.records.compacting import compact
from kifold.records.judge import Judged, judge_log
from kifold.records.store import Store
from kifold.replay import plies, ply_files
from kifold.replay.causes import VERDICTS, Report
from kifold.replay.ply_files import left_out, make_ply_files
from kifold.replay.rehearsal import Rehearsing
from kifold.replay.verify import VERIFYING, Verifying, Work, verify_store
from tests.expected_plies import expected_plies
from tests.rulesets.harness import folder
from tests.stores import archive_all, fill, quiet, record, verified


def make(store: Store, rules: Ruleset = BLOKUS, workers: int = 1) -> tuple[int, list[str]]:
    """Make the files; of how many matches, and what was said."""
    done: list[int] = []
    said: list[str] = []
    make_ply_files(store, rules, workers, lambda matches, events: done.append(matches), said.append)
    return sum(done), said


def places(store: Store) -> list[Path]:
    return sorted((store.folder / "plies").rglob("*"))


def rows(store: Store) -> list[dict[str, Any]]:
    files = ply_files.ply_files(store, BLOKUS).values()
    return [row for place in files if place is not None for row in pq.ParquetFile(place).read().to_pylist()]


def expected(store: Store) -> list[dict[str, Any]]:
    logs = sorted((log for log in store.logs() if log.is_archived), key=lambda log: log.match_id)
    return [row for log in logs for row in expected_plies(BLOKUS, log.match_id, log.started, log.events)]


@pytest.mark.parametrize("many", [1, 1000])
def test_files_are_made_once(store: Store, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    """Of the compiled rules, which take logs with corrections apart, and of plain ones."""
    folder(BLOKUS)
    monkeypatch.setattr(plies, "MANY", many)
    fill(store, 2)
    archive_all(store)
    record(store, 5)
    assert make(store) == (4, [])
    assert make(store, NIBBLE) == (0, [])
    assert rows(store) == expected(store)
    assert make(store) == (0, [])
    [_, made] = places(store)
    assert pq.read_metadata(made).num_rows == len(expected(store))
    archive_all(store)
    assert make(store) == (1, [])
    assert len(places(store)) == 3
    assert sorted(rows(store), key=lambda row: (row["match_id"], row["ply"])) == expected(store)
    assert verified(store.folder).is_fine


def test_row_groups_come_in_order_from_several_threads(store: Store) -> None:
    fill(store, 3)
    with BulkWriter(store, BLOKUS) as writer:
        writer._columns = events_schema(BLOKUS)  # and all of them lie in one file
        for log in sorted(store.logs(), key=lambda log: log.match_id):
            judged = judge_log(BLOKUS, log.started, log.events)
            assert isinstance(judged, Judged)
            writer.add(log, judged, is_live=True)
            writer._write_pending()
            writer._write_parts()  # each match is a row group of its own
    assert make(store, workers=3) == (6, [])
    assert pq.read_metadata(places(store)[1]).num_row_groups == 6
    assert rows(store) == expected(store)


def test_plies_of_other_rules_are_never_taken(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of a rule that was changed, nor of a table that said something else, nor under another revision."""
    matches = fill(store, 1)
    archive_all(store)
    make(store)
    first = places(store)

    def there() -> bool:
        return None not in ply_files.ply_files(store, BLOKUS).values()

    assert there()
    real = BLOKUS.rules.legal

    def legal(state: Any, seat: int, out: Any) -> int:
        return real(state, seat, out)

    object.__setattr__(BLOKUS.rules, "legal", legal)
    try:
        assert not there()
    finally:
        object.__setattr__(BLOKUS.rules, "legal", real)
    monkeypatch.setattr(ply_files, "FORMAT", 0)
    assert not there()
    monkeypatch.undo()
    lifted = (Upcaster(Undone, Noted, lambda event: Noted("comment", ())),)
    for name, other in (("upcasters", lifted), ("result", NIBBLE.result)):
        monkeypatch.setitem(vars(BLOKUS), name, other)
        assert not there()
        monkeypatch.undo()
    assert there()
    with store.journal.writing() as db:
        db.execute("INSERT INTO pins VALUES (?, ?)", (matches[0], 1))
    assert not there()
    assert make(store) == (2, [])
    assert there()
    assert set(places(store)).isdisjoint(first[1:])


def test_plies_of_another_file_are_never_taken(store: Store) -> None:
    """A file that was made anew under the same name."""
    fill(store, 1)
    archive_all(store)
    make(store)
    with store.journal.writing() as db:
        db.execute("UPDATE files SET events_hash = x'00'")
    assert list(ply_files.ply_files(store, BLOKUS).values()) == [None]
    assert make(store) == (2, [])


def test_files_of_no_use_are_removed(store: Store) -> None:
    match = record(store, 1)
    archive_all(store)
    make(store)
    with store.journal.writing() as db:
        db.execute("DELETE FROM files")
        db.execute("DELETE FROM archived WHERE match = ?", (match,))
    make(store)
    assert len(places(store)) == 1


def test_they_go_with_the_files_that_compacting_replaces(store: Store) -> None:
    matches = []
    for number in range(2):
        matches.append(record(store, number))
        archive_all(store)
    assert make(store) == (2, [])
    store.delete(matches[0])
    (store.folder / "plies" / "ruleset=blokus" / "0.writing").touch()
    compact(store, quiet)
    assert [place.name for place in places(store)] == ["ruleset=blokus", "0.writing"]
    assert make(store) == (1, [])
    assert rows(store) == expected(store)


def test_files_that_are_replaced_meanwhile_can_still_be_read(store: Store) -> None:
    """Compacting in the middle: what is replaced stays until its plies are made, and the next call makes those of the
    new file.
    """
    for number in range(3):
        record(store, number)
        archive_all(store)
    done: list[int] = []
    said: list[str] = []
    with Store(store.folder) as other:

        def compacted(matches: int, events: int) -> None:
            if not done:
                assert compact(other, quiet).is_waiting
            done.append(matches)

        make_ply_files(store, BLOKUS, 1, compacted, said.append)
        assert (done, said) == ([1, 1, 1], [])
        assert not compact(other, quiet).is_waiting
    assert make(store) == (3, [])
    assert rows(store) == expected(store)
    assert len(places(store)) == 2


def test_what_somebody_may_read_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that began when the files were others."""
    record(store, 1)
    archive_all(store)
    make(store)
    monkeypatch.setattr(ply_files, "FORMAT", 0)
    with Store(store.folder) as other, other.journal.reading():
        other.journal.ids()
        record(store, 2)
        assert make(store) == (1, [])
        assert len(places(store)) == 3
    assert make(store) == (0, [])
    assert len(places(store)) == 2


def test_matches_that_are_gone_are_not_listed(store: Store) -> None:
    matches = fill(store, 2)
    archive_all(store)
    store.append(matches[0], [Noted("comment", ("more",))])
    store.delete(matches[2])
    assert make(store) == (2, [])
    assert rows(store) == expected(store)


def test_every_changed_byte_is_found_and_made_anew(store: Store) -> None:
    record(store, 1)
    archive_all(store)
    make(store)
    [_, place] = places(store)
    whole = place.read_bytes()
    for at in range(0, len(whole), max(len(whole) // 40, 1)):
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        report = verified(store.folder)
        assert report.unreadable == [
            f"{place}: is damaged (not the bytes that were written); `kifold plies` makes it again"
        ]
    assert make(store) == (1, [])
    assert place.read_bytes() == whole
    assert verified(store.folder).is_fine


def test_damaged_plies_are_no_matter_of_other_rulesets_nor_of_a_rehearsal(store: Store) -> None:
    record(store, 1)
    archive_all(store)
    make(store)
    [_, place] = places(store)
    place.write_bytes(b"no Parquet")
    for only, judging, is_fine in (
        ("blokus", VERIFYING, False),
        (None, Verifying(), False),
        ("nibble", VERIFYING, True),
        (None, Rehearsing(BLOKUS), True),
    ):
        report = Report(dict.fromkeys(VERDICTS, 0))
        verify_store(store, Work(report, only, judging=judging))
        assert report.is_fine == is_fine


def test_an_archive_file_that_cannot_be_read_does_not_stop_the_others(store: Store) -> None:
    record(store, 1)
    archive_all(store)
    record(store, 2)
    archive_all(store)
    damaged = paths(store.archive_folder, *store.files()[0])[1]
    damaged.write_bytes(damaged.read_bytes()[:-100])
    done, [said] = make(store)
    assert done == 1
    assert said.startswith(f"{damaged}: is damaged")
    assert [place is None for place in ply_files.ply_files(store, BLOKUS).values()] == [True, False]


def test_a_file_that_cannot_be_written_is_said_and_leaves_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(store, 1)
    archive_all(store)

    def full(path: Path) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(ply_files, "sync", full)
    _, [said] = make(store)
    assert said == f"{store.folder}/plies/ruleset=blokus: cannot be written (No space left on device)"
    assert [place.name for place in places(store)] == ["ruleset=blokus"]
    monkeypatch.undo()
    assert make(store) == (1, [])


def test_matches_that_do_not_fold_are_remembered(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a change of the rules under which the archive was written."""
    matches = [record(store, 1), record(store, 2)]
    archive_all(store)
    real = BLOKUS.rules.check
    refused = store.log(matches[0]).events[9]

    def check(state: Any, event: Any) -> int:
        same = all(getattr(event, name) == getattr(refused, name) for name in ("piece", "orientation", "x", "y"))
        return 1 if same else real(state, event)

    object.__setattr__(BLOKUS.rules, "check", check)
    try:
        done, said = make(store)
        [place] = [place for place in ply_files.ply_files(store, BLOKUS).values() if place is not None]
        assert left_out(place) == {matches[0]}
    finally:
        object.__setattr__(BLOKUS.rules, "check", real)
    assert done == 1
    assert len(said) == 1
    assert "has no plies: event 10 is refused" in said[0]
    assert make(store) == (2, [])
    assert rows(store) == expected(store)


def test_two_processes_make_the_same_file(store: Store) -> None:
    fill(store, 1)
    archive_all(store)
    with Store(store.folder) as other:
        make(other)
    [_, place] = places(store)
    before = place.read_bytes()
    place.unlink()
    make(store)
    assert place.read_bytes() == before
