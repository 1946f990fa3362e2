"""`verify --ruleset NAME@REVISION` with and without `--explore`, and `promote`, as somebody types them."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.core.events import Resigned
from kifold.core.play import standing_events
from kifold.records.ids import id_text
from kifold.records.judge import FINGERPRINT_SIZE
from kifold.records.store import Store
from kifold.service.progress import Progress
from tests.core.toy import Roll, Step
from tests.races import expected, record_races
from tests.service.conftest import Kifold
from tests.stores import archive_all, duo, varied

if TYPE_CHECKING:
    from tests.installing import Revise


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are compiled where they are used: a process that compiles them beforehand would not know the race."""
    monkeypatch.setattr("kifold.service.exploring.compile_rules", lambda names: None)


@pytest.fixture
def rules(revise: Revise) -> object:
    """The race, whose first revision lets seats add four."""
    return revise("most_four")


@pytest.fixture
def illegal(folder: Path, revise: Revise) -> str:
    """The shortest of three matches with a four; two without one are stored beside them."""
    first = revise("most_four").at(1).start()
    with Store(folder) as store:
        store.new(first, (), [Step(0, 1), Step(1, 4), Resigned(0)])
        shortest = store.new(first, (), [Step(0, 2), Step(1, 4)])
        store.new(first, (), [Step(0, 1), Step(1, 1), Step(0, 4), Resigned(0)])
        store.new(first, (), [Step(0, 1), Resigned(0)])
        store.new(first, (), [Step(0, 1)])
        archive_all(store)
    return id_text(shortest)


def test_the_command_that_is_named_shows_the_shortest_match(kifold: Kifold, illegal: str, folder: Path) -> None:
    said = kifold("verify", "--ruleset", "race@2")
    assert (said.status, said.err) == (1, "")
    head, cause, shortest, see = said.out.splitlines()
    assert head.startswith("rehearsed 5 matches, ")
    assert head.endswith(": 3 illegal, 2 unchanged (2 unfinished)")
    assert cause.split(" × ")[0].strip() == "3"
    assert cause.endswith("race@1 → @2 two: illegal at step: too_much")
    assert f"match {illegal} (race)" in shortest
    words = shlex.split(see.partition("see: ")[2])
    assert words == ["kifold", "verify", str(folder), "--ruleset", "race@2", "--match", illegal]
    shown = kifold(*words[1:])
    assert shown.status == 1
    assert shown.out.splitlines()[0] == (
        f"match {illegal} (race): illegal at event 2 (too_much: more than may be added)"
    )
    assert "the board before that, after event 1:" in shown.out
    assert "total 2" in shown.out


def test_a_match_of_another_game_is_no_matter_of_the_revision(kifold: Kifold, illegal: str) -> None:
    said = kifold("verify", "--ruleset", "blokus@1", "--match", illegal)
    assert (said.status, said.err) == (2, f"kifold: match {illegal} is one of race, not of blokus\n")


def test_files_without_a_store(kifold: Kifold, illegal: str, folder: Path, tmp_path: Path) -> None:
    """No command shows one of their matches alone, so none is named."""
    shutil.copytree(folder / "archive", tmp_path / "copy")
    said = kifold("verify", tmp_path / "copy", "--ruleset", "race@2")
    assert said.status == 1
    assert said.out.splitlines()[0].endswith(": 2 illegal, 1 unchanged")
    assert "see: " not in said.out


def test_a_default_store_is_not_named_again(
    kifold: Kifold, illegal: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIFOLD_STORE", str(folder))
    see = kifold("verify", "--ruleset", "race@2").out.splitlines()[-1]
    assert see.strip() == f"see: kifold verify --ruleset race@2 --match {illegal}"


def test_a_store_that_is_named_is_named_again(
    kifold: Kifold, illegal: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the folder one is in, and the usual store where another is the default."""

    def named(*words: object) -> list[str]:
        see = kifold("verify", *words, "--ruleset", "race@2").out.splitlines()[-1]
        return shlex.split(see.partition("see: kifold verify ")[2])[:-4]

    monkeypatch.delenv("KIFOLD_STORE", raising=False)
    monkeypatch.chdir(folder)
    assert named(".") == ["."]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "kifold").symlink_to(folder)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    usual = tmp_path / "data" / "kifold"
    assert named(usual) == []
    monkeypatch.setenv("KIFOLD_STORE", str(tmp_path / "another"))
    assert named(usual) == [str(usual)]


def test_one_match_as_json(kifold: Kifold, illegal: str) -> None:
    said = kifold("verify", "--ruleset", "race@2", "--match", illegal, "--format", "json")
    found = json.loads(said.out)
    assert said.status == 1
    cause = {"ruleset": "race", "revision": 1, "to": 2, "variant": "two", "options": {}}
    assert found.pop("cause") == cause | {"verdict": "illegal", "event": "step", "what": ["too_much"]}
    assert "the board before that, after event 1:" in found.pop("told")
    assert found == {
        "match": illegal,
        "ruleset": "race",
        "verdict": "illegal",
        "unreadable": [],
        "said": "at event 2 (too_much: more than may be added)",
        "unfinished": True,
        "seq": 2,
        "events": 2,
    }
    fine = kifold("verify", "--match", illegal, "--format", "json").json
    assert (fine["verdict"], fine["cause"], fine["told"]) == ("exact", None, "")


def test_a_rehearsal_as_json(kifold: Kifold, illegal: str) -> None:
    said = kifold("verify", "--ruleset", "race@2", "--format", "json")
    assert said.status == 1
    found = json.loads(said.out)
    assert {name: found[name] for name in ("illegal", "unchanged", "exact", "other way", "other result")} == {
        "illegal": 3,
        "unchanged": 2,
        "exact": 0,
        "other way": 0,
        "other result": 0,
    }
    (cause,) = found["causes"]
    assert (cause["revision"], cause["to"], cause["verdict"], cause["event"]) == (1, 2, "illegal", "step")
    assert (cause["what"], cause["count"], cause["options"]) == (["too_much"], 3, {})
    assert cause["example"]["match"] == illegal
    assert len(cause["matches"]) == 3


@pytest.mark.parametrize("changed", [0, 1, None])
def test_a_match_that_diverged_is_told_with_the_board_and_what_happened_then(
    kifold: Kifold, folder: Path, changed: int | None
) -> None:
    """The fingerprint number `changed` becomes another, or the result."""
    with Store(folder) as store:
        match = store.new(duo(), (), varied(0))
        log = store.log(match)
        archive_all(store)
        place = next((folder / "archive" / "matches").rglob("*.parquet"))
    table = pq.read_table(place, partitioning=None)
    (row,) = table.to_pylist()
    if changed is None:
        row["result"][0]["score"] += 1
    else:
        prints = bytearray(row["fingerprints"])
        prints[changed * FINGERPRINT_SIZE] ^= 1
        row["fingerprints"] = bytes(prints)
    pq.write_table(pa.Table.from_pylist([row], table.schema), place)
    said = kifold("verify", "--match", id_text(match))
    assert said.status == 1
    head, _, told = said.out.partition("\n\n")
    head, fault = head.splitlines()
    assert fault.startswith(f"{place}: is damaged (not the bytes that were written)")
    title, _, events = told.partition("the events of which one changes something else now:\n")
    assert events or "what is stored" in title
    if changed is None:
        assert head.endswith(": diverged at the end (result)")
        assert title.startswith(f"the board before that, after event {len(log.events)}:\n")
        assert not events
        score = row["result"][0]["score"]
        values = title.partition("what is stored → what the fold gives:\n")[2]
        assert values == f"  result.score[0]: {score} → {score - 1}\n"
        return
    standing = [0, *(seq for seq, event in standing_events(log.events) if type(event) in log.rules.events)]
    first, last = standing[changed * 16], standing[(changed + 1) * 16 if changed == 0 else -1]
    assert head.endswith(f": diverged between events {first} and {last}")
    assert title.startswith(f"the board before that, after event {first}:\n")
    assert [int(line.split()[0]) for line in events.splitlines()] == list(range(first + 1, last + 1))


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("finished", False, ["finished: False → True"]),
        ("ending", "resigned", ["ending: resigned → rules"]),
        ("rank", [2, 1], ["result.rank[0]: 2 → 1", "result.rank[1]: 1 → 2"]),
        ("pair", [[0, 9], [1, 3]], ["result.pair[0][1]: 9 → 3"]),
        ("result", None, ["result.rank[0]: None → 1", "result.score[1]: None → 1", "result.pair[1][0]: None → 1"]),
        ("seat", 1, ["seat[4]: 1 → None"]),
    ],
)
def test_what_is_stored_otherwise_is_told_value_by_value(
    kifold: Kifold, folder: Path, revise: Revise, column: str, value: Any, said: list[str]
) -> None:
    with Store(folder) as store:
        started, steps = revise("same").start(options={"goal": 4}), [Step(0, 1), Step(1, 1), Step(0, 1), Roll(1)]
        match = id_text(store.new(started, (), steps))
        archive_all(store)
    place = next((folder / "archive" / ("events" if column == "seat" else "matches")).rglob("*.parquet"))
    table = pq.read_table(place, partitioning=None)
    rows = table.to_pylist()
    if column in ("rank", "pair"):
        for row, one in zip(rows[0]["result"], value, strict=True):
            row[column] = one
    else:
        rows[-1][column] = value
    pq.write_table(pa.Table.from_pylist(rows, table.schema), place)
    told = json.loads(kifold("verify", "--match", match, "--format", "json").out)["told"]
    lines = told.partition("what is stored → what the fold gives:\n")[2].splitlines()
    assert {f"  {line}" for line in said} <= set(lines)
    assert len(lines) == len(said) or column == "result"


@pytest.mark.parametrize("is_at_the_end", [True, False])
def test_another_result_is_told_value_by_value(
    kifold: Kifold, folder: Path, revise: Revise, is_at_the_end: bool
) -> None:
    """A present at the end changes a score; one in the state, who has won as well."""
    rules = revise("present" if is_at_the_end else "early")
    with Store(folder) as store:
        match = id_text(store.new(rules.at(1).start(options={"goal": 3}), (), [Step(0, 2), Step(1, 1)]))
    told = kifold("verify", "--ruleset", "race@2", "--match", match).out
    result = told.partition("the result under revision 1 → 2:\n")[2].splitlines()
    if is_at_the_end:
        assert result == ["  result.score[1]: 2 → 1"]
    else:
        assert "what it is under revision 1 → 2:\n  gained[1]: 7 → 1\n" in told
        wanted = ["result.rank[0]: 2 → 1", "result.rank[1]: 1 → 2", "result.score[1]: 7 → 1"]
        assert result == [f"  {line}" for line in wanted]


def test_promote(kifold: Kifold, illegal: str) -> None:
    before = kifold("export", "--where", "true").out
    said = kifold("promote", "race@2")
    assert (said.status, said.err) == (1, "")
    assert said.out.splitlines()[-1] == "2 matches are pinned to race@2 from now on"
    after = kifold("export", "--where", "true").out
    assert after.count('"promoted":2,') == 2
    assert sorted(after.replace('"promoted":2,', "").splitlines()) == sorted(before.splitlines())
    assert kifold("verify").out.endswith(": 5 exact (2 unfinished)\n")
    again = json.loads(kifold("promote", "race@2", "--format", "json").out)
    assert (again["promoted"], again["exact"], again["illegal"]) == (0, 2, 3)
    said = kifold("promote", "race@2").out.splitlines()[-1]
    assert said == "no match is pinned to race@2 anew, 2 were already"
    assert kifold("append", illegal, '{"event": "step", "seat": 0, "amount": 4}').out.startswith("event 3; ")
    assert kifold("delete", illegal, "--yes").status == 0


def test_promote_when_all_are_unchanged(kifold: Kifold, folder: Path, revise: Revise) -> None:
    with Store(folder) as store:
        match = id_text(store.new(revise("most_four").at(1).start(), (), [Step(0, 1)]))
    assert "promoted" not in kifold("log", match).out
    assert kifold("promote", "race@2").out.endswith("\n1 match is pinned to race@2 from now on\n")
    again = kifold("promote", "race@2")
    assert again.status == 0
    assert again.out.endswith("\n1 match is pinned to race@2 already; nothing to do\n")
    assert ", revision 1, promoted to 2" in kifold("log", match).out
    assert kifold("log", match, "--format", "json").json["promoted"] == 2
    assert kifold("verify", "--ruleset", "race@2").out.endswith(": 1 exact (1 unfinished)\n")


@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["verify", "--ruleset", "race@3"], "revision 3 of race is not installed; there is 2, 1"),
        (["verify", "--ruleset", "race@x"], "write NAME@REVISION with a number, such as race@2"),
        (["verify", "--explore", "10"], "--explore needs to know what has changed"),
        (["verify", "--ruleset", "race", "--explore", "10"], "--explore needs to know what has changed"),
        (["verify", "--ruleset", "race@2", "--explore", "0"], "--explore"),
        (["verify", "--ruleset", "race@2", "--explore", "9", "--match", "k"], "--match tells of one stored match"),
        (["verify", "--ruleset", "race@2", "--explore", "9", "--seed", "-1"], "a seed is a number from 0"),
        (["verify", "--ruleset", "race@2", "--explore", "9", "--out", "a.jsonl"], "call it a.kifold.jsonl"),
        (["verify", "--ruleset", "race@2", "--out", "a.kifold.jsonl"], "--out is for the logs that --explore finds"),
        (["verify", "--ruleset", "race@2", "--seed", "0"], "--seed is for the matches that --explore plays"),
        (["verify", "--ruleset", "race@2", "--explore", "9", "--out", "/nowhere/a.kifold.jsonl"], "no folder /nowhere"),
        (["verify", "/nowhere", "--ruleset", "race@2", "--explore", "9"], "is no kifold store"),
        (["verify", "--ruleset", "blokus@1", "--explore", "9"], "blokus@1 is the only revision that is installed"),
        (["promote", "race"], "write race@REVISION"),
        (["promote", "race@2"], "no kifold store here"),
    ],
)
def test_what_makes_no_sense_is_one_line(kifold: Kifold, words: list[str], said: str) -> None:
    answer = kifold(*words)
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1


# Exploring


@pytest.mark.slow
@pytest.mark.usefixtures("rules")
def test_explore_without_a_store(kifold: Kifold, tmp_path: Path, folder: Path) -> None:
    file = tmp_path / "found.kifold.jsonl"
    words = ["verify", "--ruleset", "race@2", "--explore", "90"]
    said = kifold(*words, "--out", file)
    assert said.status == 1
    assert not folder.exists()
    lines = said.out.splitlines()
    assert lines[0].startswith("explored ")
    assert lines[0].endswith("race@1 → @2, seed 0: 6 causes")
    assert any("more: illegal at step: too_much, in no stored log" in line for line in lines)
    assert any(line.endswith("the shortest log, 1 event: +4") for line in lines)
    assert "again: kifold verify --ruleset race@2 --explore 90 --seed 0" in lines
    assert lines[-1] == f"{file}: 6 logs added, 0 of the causes have one there"
    again = kifold(*words, "--format", "json", "--out", file)
    found = json.loads(again.out)["explored"]
    assert again.err.splitlines()[-1] == f"{file}: 0 logs added, 6 of the causes have one there"
    assert (found["played"], found["folded"], found["seed"], len(found["causes"])) == (1, 2, 0, 6)
    assert [cause["log"] for cause in found["causes"]] == [json.loads(line) for line in file.read_text().splitlines()]
    assert all(cause["log"]["events"] == [{"event": "step", "seat": 0, "amount": 4}] for cause in found["causes"])
    assert kifold("import", file).status == 0
    assert "6 exact" in kifold("verify").out


@pytest.mark.slow
def test_stored_logs_are_rehearsed_first(kifold: Kifold, illegal: str) -> None:
    lines = kifold("verify", "--ruleset", "race@2", "--explore", "90").out.splitlines()
    assert lines[0].startswith("rehearsed 5 matches")
    stored = [line for line in lines if "race@1 → @2 two: illegal at step" in line]
    assert len(stored) == 2
    assert not any("in no stored log" in line for line in stored)
    assert any("more: illegal at step: too_much, in no stored log" in line for line in lines)


@pytest.mark.slow
def test_nothing_found(kifold: Kifold, revise: Revise) -> None:
    revise("same")
    said = kifold("verify", "--ruleset", "race@2", "--explore", "36")
    assert said.status == 0
    assert "0 causes" in said.out
    assert "again" not in said.out


def test_many(kifold: Kifold, folder: Path, revise: Revise) -> None:
    """A store of all that a log can hold: what the command counts is what was worked out by hand."""
    with Store(folder) as store:
        record_races(store, revise("most_four"), 4)
        archive_all(store)
        wanted = [expected(log)[0] for log in store.logs()]
    found = json.loads(kifold("verify", "--ruleset", "race@2", "--format", "json", "--workers", "2").out)
    assert {name: found[name] for name in set(wanted)} == {name: wanted.count(name) for name in set(wanted)}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "json"])
def test_an_interrupted_exploration_keeps_what_was_found(
    kifold: Kifold, rules: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    class Interrupted(Progress):
        def __call__(self, matches: int, events: int) -> None:
            super().__call__(matches, events)
            if self.matches > 100:
                raise KeyboardInterrupt

    monkeypatch.setattr("kifold.service.exploring.Progress", Interrupted)
    out = tmp_path / "found.kifold.jsonl"
    said = kifold("verify", "--ruleset", "race@2", "--explore", 10**9, "--out", out, "--format", form)
    assert said.status == 130
    assert said.err.splitlines()[-1] == "kifold: interrupted"
    assert "kept" not in said.err
    assert len(out.read_text().splitlines()) > 0
    if form == "json":
        explored = json.loads(said.out)["explored"]
        assert explored["interrupted"]
        assert len(explored["causes"]) == len(out.read_text().splitlines())
    else:
        assert "then interrupted: race@1 → @2, seed 0: " in said.out
        assert "the shortest log, " in said.out
