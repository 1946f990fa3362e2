"""`kifold fork`, and what other commands say of forks."""

from __future__ import annotations

from pathlib import Path

from kifold.records.store import Store
from tests.service.conftest import Kifold, next_in_short
from tests.stores import archive_all


def test_a_fork_goes_on_and_says_where_it_comes_from(kifold: Kifold, match: str) -> None:
    said = kifold("fork", match, "--at", "3")
    assert (said.status, said.err) == (0, "")
    made = said.out.strip()
    assert kifold("append", made, next_in_short(at=3)).out == "event 4; blue to move\n"
    lines = kifold("log", made).out.splitlines()
    assert lines[1] == f"  forked from {match} after event 3"
    assert "forked" not in kifold("log", match).out
    for command in (["log", made, "--format", "json"], ["show", made, "--as", "json"]):
        found = kifold(*command).json
        assert (found["match"], found["parent"], found["forked_at"]) == (made, match, 3)
        assert "parent" not in kifold(command[0], match, *command[2:]).json
    rows = kifold("sql", "select match_text(parent) as parent, forked_at, match from matches", "--format", "json").json
    assert sorted(rows, key=str) == sorted(
        [
            {"parent": None, "forked_at": None, "match": match},
            {"parent": match, "forked_at": 3, "match": made},
        ],
        key=str,
    )
    kifold("delete", match, "--yes")
    assert kifold("log", made).out.splitlines()[1] == f"  forked from {match} (deleted since) after event 3"
    assert kifold("verify").status == 0


def test_without_a_place_it_is_the_match_as_it_stands(kifold: Kifold, match: str) -> None:
    made = kifold("fork", match).out.strip()
    assert kifold("log", made, "--format", "json").json["forked_at"] == 4
    kifold("append", match, '{"event": "undone", "back_to": 2}')
    assert [
        len(kifold("log", kifold("fork", match, *place).out.strip(), "--format", "json").json["events"]) - 1
        for place in ([], ["--at-seq", "4"], ["--at-seq", "5"], ["--at", "1"])
    ] == [2, 4, 2, 1]


def test_wrong_places(kifold: Kifold, match: str) -> None:
    for words, why in (
        (["--at", "5"], "ply 5: the match has plies 0..4"),
        (["--at", "-1"], "ply -1: the match has plies 0..4"),
        (["--at-seq", "5"], "event 5: the log has events 0..4"),
        (["--at", "1", "--at-seq", "1"], "--at and --at-seq exclude each other"),
    ):
        said = kifold("fork", match, *words)
        assert (said.status, said.out, said.err) == (2, "", f"kifold: {why}\n")


def test_a_match_is_exported_with_its_forks_as_variations(kifold: Kifold, finished: str, folder: Path) -> None:
    with Store(folder) as store:
        archive_all(store)
    made = kifold("fork", finished, "--at", "2").out.strip()
    kifold("append", made, "e1")  # refused
    assert kifold("export", finished, made, "--as", "jsonl").out.count("\n") == 2
    with Store(folder) as store:
        number = store.find(made)
        play = store.folded(number)
        store.append(number, [play.legal()[-1]])
    records = kifold("export", finished, "--as", "blksgf").out
    assert records.count("\n") == 1
    assert records.endswith("))\n")
    assert records == kifold("export", made, finished, "--as", "blksgf").out


def test_an_import_says_what_it_passed_over(kifold: Kifold, tmp_path: Path) -> None:
    path = tmp_path / "some.blksgf"
    path.write_text("(;GM[Blokus];1[a20](;2[t20])(;2[s20,t20]))(;GM[Blokus]DT[2024];1[a20])")
    assert kifold("import", path, "--skip-duplicates").out == (
        "some.blksgf: 2 imported (2 unfinished), 0 already there, 0 in quarantine, 1 duplicate passed over\n"
    )
    path.write_text("(;GM[Blokus]DT[2024];1[a20](;2[t20])(;2[s19,s20,t20]))")
    said = kifold("import", path, "--skip-duplicates")
    assert said.status == 0
    assert said.out.endswith(" 1 duplicate passed over\n")
    assert kifold("sql", "select count(parent) as n from matches", "--format", "json").json == [{"n": 2}]


def test_an_import_says_which_forks_came_without_their_parents(kifold: Kifold, match: str, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    made = kifold("fork", match).out.strip()
    path.write_text(kifold("export", made, "--as", "jsonl").out.replace(match, "nobody").replace(made, "another"))
    assert kifold("import", path).out.endswith(" 1 of those imported are forks of a match that is not there\n")
