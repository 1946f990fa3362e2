"""What commands do when all is well; what they print as JSON is JSON."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.service.conftest import Kifold, next_event, next_in_short
from tests.stores import archive_all, fill, game


@pytest.mark.parametrize(
    ("typed_ending", "ending"),
    [
        ("resigned 1", "resigned 1"),
        (" Resigned  YELLOW ", "resigned 1"),
        ('{"event": "resigned", "seat": "yellow"}', "resigned 1"),
        ("finished agreed", "finished agreed"),
        ("Finished Agreed", "finished agreed"),
    ],
)
def test_what_all_rulesets_have_is_typed_as_the_log_prints_it(kifold: Kifold, typed_ending: str, ending: str) -> None:
    match = kifold("new", "blokus", "--variant", "duo").out.strip()
    typed = ["blue:e10", "noted comment  a fine  move", "undone 0", "blue:e10", "Noted x", "UNDONE 4", typed_ending]
    assert kifold("append", match, *typed).status == 0
    events = kifold("log", match, "--format", "json").json["events"][1:]
    placed = {"event": "place", "colour": "blue", "piece": "1", "orientation": 0, "x": 4, "y": 9}
    assert [{k: value for k, value in event.items() if k not in ("seq", "undone")} for event in events] == [
        placed,
        {"event": "noted", "name": "comment", "values": ["a fine  move"]},
        {"event": "undone", "back_to": 0},
        placed,
        {"event": "noted", "name": "x", "values": []},
        {"event": "undone", "back_to": 4},
        {"event": "resigned", "seat": 1} if "1" in ending else {"event": "finished", "ending": "agreed"},
    ]
    lines = [line.split(maxsplit=1)[1].partition("  (")[0] for line in kifold("log", match).out.splitlines()[1:]]
    assert [lines[seq - 1] for seq in (1, 3, 4, 6, 7)] == ["blue:e10", "undone 0", "blue:e10", "undone 4", ending]


def test_a_match_from_its_beginning_to_the_archive(kifold: Kifold) -> None:
    said = kifold("new", "blokus", "--variant", "duo", "--player", "Ada", "--player", "Bo", "--tag", "event=club")
    assert (said.status, said.err) == (0, "")
    match = said.out.strip()
    assert kifold("append", match, next_in_short(at=0), next_event(at=1)).out == "event 2; blue to move\n"
    said = kifold("append", match[:8], next_in_short(at=2), "--expected-seq", "2", "--key", "k")
    assert said.out == "event 3; yellow to move\n"
    assert kifold("append", match, next_in_short(at=2), "--expected-seq", "2", "--key", "k").out == said.out
    log = kifold("log", match, "--format", "json").json
    assert (log["match"], log["players"], len(log["events"])) == (match, ["Ada", "Bo"], 4)
    assert log["events"][0]["tags"] == {"event": "club"}
    assert kifold("log").out == f"{match}  blokus duo, 3 events, yellow to move\n"
    said = kifold("append", match, '{"event": "resigned", "seat": 1}')
    assert said.out.startswith("event 4; match over, yellow resigned: 1. blue (-")
    assert kifold("archive").out == "archived 1 match; 0 stay live\n"
    listed = kifold("log").out.splitlines()
    assert listed[0] == "1 archived match of blokus"
    assert len(listed) == 2, "how they are listed is said once"
    (row,) = kifold(*shlex.split(listed[1].partition("kifold ")[2]), "--format", "json").json
    assert row == {"match": match, "ruleset": "blokus", "variant": "duo", "players": ["Ada", "Bo"]}
    note = '{"event": "noted", "name": "comment", "values": ["thanks"]}'
    assert kifold("append", match, note).out.startswith("event 5; match over")
    assert kifold("append", match, next_in_short(at=2), "--key", "k").out.startswith("event 3; match over")
    assert kifold("verify").out.startswith("verified 1 match, 5 events")
    assert kifold("archive").status == 0
    assert kifold("append", match, next_in_short(at=2), "--key", "k").out.startswith("event 3; match over"), (
        "an old key"
    )
    assert kifold("delete", match, "--yes").out == f"deleted {match}\n"
    assert kifold("log").out == "no matches yet; begin one with: kifold new blokus\n"


@pytest.mark.parametrize("form", ["text", "svg", "html", "json"])
@pytest.mark.parametrize("is_archived", [False, True])
def test_show(kifold: Kifold, finished: str, folder: Path, form: str, is_archived: bool, tmp_path: Path) -> None:
    if is_archived:
        with Store(folder) as store:
            archive_all(store)
    for at in ([], ["--at", "0"], ["--at", "5"], ["--at", str(len(game(1)))]):
        said = kifold("show", finished, "--as", form, *at)
        assert (said.status, said.err) == (0, "")
        out = tmp_path / "picture"
        assert kifold("show", finished, "--as", form, *at, "--out", out).out == ""
        assert out.read_text(encoding="utf-8").rstrip("\n") == said.out.rstrip("\n")
        if form == "json":
            assert json.loads(said.out)["ply"] == (int(at[1]) if at else len(game(1)))


def test_what_is_listed_as_json(kifold: Kifold, match: str, finished: str, folder: Path) -> None:
    with Store(folder) as store:
        archive_all(store)
    listed = kifold("log", "--format", "json").json
    assert [row["match"] for row in listed["live"]] == [match]
    assert listed["archived"] == {"blokus": 1}
    assert kifold("quarantine", "--format", "json").json == []
    assert {one["name"] for one in kifold("rulesets", "--format", "json").json} >= {"blokus"}
    assert kifold("rulesets", "blokus", "--format", "json").json["name"] == "blokus"
    report = kifold("verify", "--format", "json").json
    assert (report["exact"], report["unfinished"], report["causes"], report["unreadable"]) == (2, 1, [], [])
    rows = kifold("sql", "select match, archived, players from matches order by archived", "--format", "json").json
    assert rows == [
        {"match": match, "archived": False, "players": ["Ada", "Bo"]},
        {"match": finished, "archived": True, "players": ["Ada", "Bo"]},
    ]
    assert kifold("sql", "--schema", "--format", "json").json
    assert kifold("openings", "blokus", "--format", "json").json[0]["n"] == 1
    assert len(kifold("scores", "blokus", "--format", "json").json) == 2


def test_failures_as_json(kifold: Kifold, match: str, folder: Path) -> None:
    with Store(folder) as store, store.journal.writing() as db:
        db.execute("UPDATE matches SET digest = zeroblob(16)")
    said = kifold("verify", "--format", "json")
    assert said.status == 1
    (cause,) = json.loads(said.out)["causes"]
    assert (cause["verdict"], cause["ruleset"], cause["count"]) == ("damaged", "blokus", 1)
    assert cause["matches"] == [cause["example"]["match"]] == [match]


def test_simulate_and_go_on(kifold: Kifold) -> None:
    arguments = ["simulate", "blokus", "--variant", "duo", "--games", "30", "--seed", "3", "--workers", "2"]
    said = kifold(*arguments)
    assert said.status == 0, said.err
    assert said.out.startswith("simulated 30 matches, ")
    assert kifold(*arguments).out == "30 matches were there already\n"
    arguments[5] = "50"
    assert "simulated 20 matches" in kifold(*arguments).out
    assert "(30 were there already)" in kifold(*arguments).out or kifold(*arguments).out.startswith("50 matches")
    assert "50 exact" in kifold("verify", "--workers", "1").out


def test_export_and_import(kifold: Kifold, folder: Path, tmp_path: Path) -> None:
    with Store(folder) as store:
        fill(store, 2)
    out = tmp_path / "all.jsonl"
    said = kifold("export", "--where", "true", "--out", out)
    assert (said.status, said.out, said.err) == (0, "", f"4 matches written to {out}\n")
    assert kifold("export", "--where", "true").out == out.read_text(encoding="utf-8")
    assert list(tmp_path.glob("*.writing")) == []
    for limit in (1, 3, 9):
        some = kifold("export", "--where", "true", "--limit", limit).out
        assert some == "".join(out.read_text(encoding="utf-8").splitlines(keepends=True)[:limit])
    assert len(kifold("export", "--where", "not archived", "--limit", "1").out.splitlines()) == 1
    for one in kifold("sql", "select match from matches", "--format", "json").json:
        kifold("delete", one["match"], "--yes")
    assert kifold("import", out).out == "all.jsonl: 4 imported (0 unfinished), 0 already there, 0 in quarantine\n"
    assert kifold("import", out).out == "all.jsonl: 0 imported (0 unfinished), 4 already there, 0 in quarantine\n"
    assert "4 exact" in kifold("verify").out
    (some, *_) = kifold("sql", "select match from matches where archived", "--format", "json").json
    assert kifold("delete", some["match"], "--yes").status == 0
    assert "3 exact" in kifold("verify").out
    assert kifold("import", out).out == "all.jsonl: 1 imported (0 unfinished), 3 already there, 0 in quarantine\n"
    assert "4 exact" in kifold("verify").out
    out.write_text(out.read_text() + "{\n", encoding="utf-8")
    said = kifold("import", out)
    assert (said.status, said.err) == (0, "kifold: 1 record is in quarantine: see why with `kifold quarantine`\n")
    (bad,) = kifold("quarantine", "--format", "json").json
    assert (bad["file"], bad["record"], bad["text"].strip()) == ("all.jsonl", 5, "{")
    assert "all.jsonl, record 5" in kifold("quarantine").out
    assert kifold("quarantine", "other.jsonl", "--clear").out == "quarantine holds nothing of other.jsonl\n"
    assert kifold("quarantine", out).out == kifold("quarantine").out
    again = out.rename(out.with_name("again.jsonl"))
    assert kifold("import", again).status == 0
    assert kifold("quarantine", "all.jsonl", "--clear", "--format", "json").json == [bad]
    assert [one["file"] for one in kifold("quarantine", "--format", "json").json] == ["again.jsonl"]
    cleared = kifold("quarantine", "--clear").out.splitlines()
    assert cleared[0].startswith("again.jsonl, record 5")
    assert cleared[1:] == ["1 record is out of quarantine"]
    assert kifold("quarantine").out == "quarantine is empty\n"


def test_sql_forms(kifold: Kifold, match: str, tmp_path: Path) -> None:
    query = "select seq, event, seat from events order by seq"
    assert kifold("sql", query, "--format", "csv").out.splitlines()[0] == "seq,event,seat"
    assert len(kifold("sql", query, "--format", "json").json) == 4
    assert kifold("sql", query).out.splitlines()[0].split() == ["seq", "event", "seat"]
    out = tmp_path / "answer.parquet"
    assert kifold("sql", query, "--format", "parquet", "--out", out).status == 0
    assert pq.read_table(out).num_rows == 4
    assert kifold("sql", query, "--format", "csv", "--out", tmp_path / "x.csv").out == ""
    assert match in kifold("sql", "select match from matches").out


def test_a_deletion_that_is_not_confirmed(kifold: Kifold, match: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    for answer in ("", "n\n"):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        assert kifold("delete", match).status == 1
        assert match in kifold("log").out
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert kifold("delete", match).status == 0


def test_a_name_is_corrected_and_the_match_stays(kifold: Kifold, match: str, tmp_path: Path) -> None:
    out = tmp_path / "before.jsonl"
    assert kifold("export", match, "--out", out).status == 0
    assert kifold("rename", match, "yellow", "Eva\n").out == f"match {match}, yellow: Eva \n"
    assert kifold("rename", match, "1", "Eva").out == f"match {match}, yellow: Eva\n"
    assert kifold("log", match, "--format", "json").json["players"] == ["Ada", "Eva"]
    assert kifold("verify").out.count("1 exact") == 1
    assert "0 imported (0 unfinished), 1 already there" in kifold("import", out).out
    assert kifold("sql", "select players from matches", "--format", "json").json == [{"players": ["Ada", "Eva"]}]


def test_verify_a_folder_that_is_no_store(kifold: Kifold, folder: Path) -> None:
    with Store(folder) as store:
        matches = fill(store, 2)
        archive_all(store)
    assert f"{len(matches)} exact" in kifold("verify", folder / "archive").out
    (folder / "journal.sqlite").unlink()
    place = next((folder / "archive" / "matches").rglob("*.parquet"))
    place.unlink()
    said = kifold("verify", folder / "archive")
    line = f"{place}: is missing; restore it from a copy, or give its matches up with `kifold delete --lost`"
    assert (said.status, said.out.splitlines()[1]) == (1, line)


def test_archiving_says_what_stays(kifold: Kifold, finished: str, folder: Path) -> None:
    with Store(folder) as store, store.journal.writing() as db:
        db.execute("UPDATE matches SET digest = zeroblob(16)")
    said = kifold("archive")
    assert (said.status, said.out) == (1, "archived 0 matches; 1 stay live\n")
    assert said.err.startswith(f"match {finished} stays in the journal: its log is not the one that was written")


def test_compacting(kifold: Kifold, folder: Path) -> None:
    with Store(folder) as store:
        matches = []
        for _ in range(3):
            matches += fill(store, 1)
            archive_all(store)
    note = '{"event": "noted", "name": "comment", "values": ["late"]}'
    assert kifold("append", id_text(matches[0]), note).status == 0
    assert kifold("delete", id_text(matches[2]), "--yes").status == 0
    said = kifold("compact")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("3 archive files → 1, ")
    assert said.out.endswith(" bytes; 1 match back in the archive, rows of 2 deleted or replaced ones gone\n")
    assert kifold("compact").out == "nothing to compact in 1 archive file\n"
    assert kifold("verify").out.startswith("verified 5 matches")


def test_compacting_says_what_it_leaves(kifold: Kifold, folder: Path) -> None:
    with Store(folder) as store:
        for _ in range(3):
            fill(store, 1)
            archive_all(store)
        place = next((folder / "archive" / "events").rglob(f"{store.files()[1][1]}.parquet"))
        place.write_bytes(b"PAR1")
        with store.journal.reading():
            store.journal.ids()
            said = kifold("compact")
    assert (said.status, said.out[:21]) == (1, "3 archive files → 2, ")
    assert said.err.startswith(f"kifold: {place}: is damaged (")
    assert said.err.endswith("kifold: replaced files are still being read; the next `kifold compact` removes them\n")
    said = kifold("compact")
    assert (said.status, said.err.count("\n")) == (1, 1)
    assert len(list((folder / "archive").rglob("*.parquet"))) == 4


def test_the_setup_of_a_match_is_drawn_by_its_seed(kifold: Kifold, folder: Path) -> None:
    ids = [kifold("new", "chipstack", "--seed", seed).out.strip() for seed in (1, 1, 2)]
    with Store(folder) as store:
        first, same, other = (store.log(store.find(one)) for one in ids)
        assert first.started.setup == same.started.setup != other.started.setup
        assert id_text(first.match_id) == ids[0]
