"""What was changed in the store's files is not handed on: exports leave it out, and whoever looks at it is told."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kifold.records.errors import RESTORE
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.service.conftest import Kifold
from tests.stores import archive_all, record

WHY = "its log is not the one that was written (its digest is another)"
NOTE = '{"event": "noted", "name": "comment"}'


@pytest.fixture
def matches(folder: Path) -> list[int]:
    """Four archived matches in one file, and a live one."""
    with Store(folder) as store:
        found = [record(store, number) for number in range(4)]
        archive_all(store)
        return [*found, record(store, 0, 4)]


def change(folder: Path, match: int, column: str, value: Callable[[Any], Any], part: str = "events") -> None:
    """Change a value of the first row of a match, in a file whose pages are all right."""
    (place,) = (folder / "archive" / part).rglob("*.parquet")
    table = pq.read_table(place, partitioning=None)
    rows = table.to_pylist()
    at = table["match_id"].to_pylist().index(match)
    rows[at][column] = value(rows[at][column])
    pq.write_table(table.from_pylist(rows, table.schema), place)


CHANGES = {
    "an event": ("x", lambda x: (x + 1) % 5, "events"),
    "the digest": ("digest", lambda _: bytes(16), "matches"),
    "no digest": ("digest", lambda _: None, "matches"),
    "a tag": ("tags", lambda _: [("event", "Final")], "matches"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_match_is_not_exported_and_is_said_where_it_is_shown(
    kifold: Kifold, folder: Path, matches: list[int], name: str
) -> None:
    bad, (one, *_) = id_text(matches[1]), map(id_text, matches)
    change(folder, matches[1], *CHANGES[name])
    because = f"damaged: {WHY}; restore it from a copy, or `kifold delete {bad} --yes`\n"
    for as_ in ("jsonl", "blksgf"):
        said = kifold("export", "--where", "true", "--as", as_)
        assert (said.status, said.err) == (1, f"kifold: match {bad} is not exported: {because}")
        assert len(said.out.splitlines()) == 4
    out = folder / "two.jsonl"
    said = kifold("export", bad, one, "--out", out)
    assert (said.status, said.err.splitlines()[0]) == (1, f"1 match written to {out}")
    assert [line[10:22] for line in out.read_text().splitlines()] == [one]
    for words in (["log", bad], ["show", bad, "--at", "0"], ["diff", bad, "0", "0"]):
        said = kifold(*words)
        assert (said.status, said.err) == (0, f"kifold: match {bad} is {because}")
        assert kifold(*words[:1], one, *words[2:]).err == ""


def test_what_cannot_be_read_hides_no_other(kifold: Kifold, folder: Path, matches: list[int]) -> None:
    change(folder, matches[2], "n_events", lambda n: n + 1, "matches")
    with Store(folder) as store, store.journal.writing() as db:
        db.execute("DELETE FROM events WHERE seq = 2")
    words = list(map(id_text, matches))
    said = kifold("export", *words)
    assert said.status == 1
    assert [line[10:22] for line in said.out.splitlines()] == [words[0], words[1], words[3]]
    first, second = said.err.splitlines()
    assert first.startswith(f"kifold: match {words[2]} is not exported: {folder}")
    assert second.startswith(f"kifold: match {words[4]} is not exported: damaged: event 2 is missing; restore")


def test_matches_of_a_lost_file_are_counted(kifold: Kifold, folder: Path, matches: list[int]) -> None:
    (place,) = (folder / "archive" / "events").rglob("*.parquet")
    place.unlink()
    said = kifold("export", *map(id_text, matches))
    assert (said.status, len(said.out.splitlines())) == (1, 1)
    assert said.err.startswith(f"kifold: 4 matches are not exported: {place}: is missing; ")
    assert said.err.count("\n") == 1


def test_what_was_written_is_exported_in_silence(kifold: Kifold, folder: Path, matches: list[int]) -> None:
    change(folder, matches[0], "result", lambda _: [], "matches")  # is in no log
    said = kifold("export", "--where", "true")
    assert (said.status, said.err, len(said.out.splitlines())) == (0, "", 5)


def test_names_that_were_changed_are_not_taken_over(kifold: Kifold, folder: Path, matches: list[int]) -> None:
    """No digest covers them: it is the file that is not what was written."""
    match = id_text(matches[1])
    written = {place: place.read_bytes() for place in (folder / "archive").rglob("*.parquet")}
    change(folder, matches[0], "players", lambda _: ["Eve"], "matches")
    (place,) = (place for place, data in written.items() if place.read_bytes() != data)
    fault = f"{place}: is damaged (not the bytes that were written); {RESTORE}"
    said = kifold("verify", "--match", match)
    assert (said.status, said.out) == (1, f"match {match} (blokus): exact\n{fault}\n")
    assert json.loads(kifold("verify", "--match", match, "--format", "json").out)["unreadable"] == [fault]
    for words in (["append", match, NOTE], ["fork", match]):
        said = kifold(*words)
        assert (said.status, said.err) == (2, f"kifold: match {match} lies in {fault}\n")
    assert ": 5 exact (1 unfinished)\n" in kifold("verify").out
    for path, data in written.items():
        path.write_bytes(data)
    assert kifold("verify", "--match", match).status == 0
    assert kifold("append", match, NOTE).status == 0
    assert kifold("verify", "--match", match).status == 0
    assert kifold("log", match, "--format", "json").json["players"] == ["Ada", "Bo"]


def test_what_is_said_to_do_about_a_damaged_file_without_a_copy_does_it(
    kifold: Kifold, folder: Path, matches: list[int]
) -> None:
    change(folder, matches[0], "players", lambda _: ["Eve"], "matches")
    said = kifold("verify").out
    assert RESTORE in said
    (place,) = (path for path in (folder / "archive").rglob("*.parquet") if f"{path}: is damaged" in said)
    assert "move it away and give its matches up with `kifold delete --lost`" in RESTORE
    place.rename(place.with_suffix(".away"))
    assert kifold("delete", "--lost", "--yes").status == 0
    assert kifold("verify").status == 0


def test_what_is_lost_is_given_up(
    kifold: Kifold, folder: Path, matches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        kifold("delete", "--lost").out
        == "no archive file is missing; move a damaged one away first (`kifold verify` names it)\n"
    )
    (place,) = (folder / "archive" / "matches").rglob("*.parquet")
    place.unlink()
    named = f"kifold: {place}: is missing; restore it from a copy, or give its matches up with `kifold delete --lost`\n"
    for words in (["sql", "from matches"], ["scores", "blokus"], ["openings", "blokus"], ["export", "--where", "true"]):
        said = kifold(*words)
        assert (said.status, said.err) == (2, named)
    listed = f"{place}: is missing; 4 matches of blokus lie in it\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    said = kifold("delete", "--lost")
    assert (said.status, said.out) == (1, f"{listed}give up 4 matches of 1 archive file? [y/N]: ")
    assert "4 not readable" in kifold("verify").out
    said = kifold("delete", "--lost", "--yes")
    assert (said.status, said.out) == (0, f"{listed}gave up 4 matches of 1 archive file\n")
    assert kifold("verify").out.endswith(": 1 exact (1 unfinished)\n")
    assert id_text(matches[4]) in kifold("sql", "select match from matches").out
    for words in (["delete"], ["delete", id_text(matches[4]), "--lost"]):
        said = kifold(*words)
        assert (said.status, said.err[:34]) == (2, "kifold: name the match to delete, ")
