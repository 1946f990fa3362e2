"""`kifold coverage`: what golden logs and stored matches exercise, the least first."""

from __future__ import annotations

from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.store import Store
from tests.golden_logs import FOLDER
from tests.rulesets.matches import random_log
from tests.service.conftest import Kifold

GOLDEN = ("--golden", FOLDER / "blokus")


@pytest.fixture
def classic(folder: Path) -> None:
    """Two finished matches of Blokus."""
    with Store(folder) as store:
        for number in range(2):
            started, log = random_log(BLOKUS, BLOKUS.start("classic"), 4, number)
            store.append(store.new(started), log)


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


@pytest.mark.usefixtures("classic", "finished")
def test_effects_of_stored_matches(kifold: Kifold) -> None:
    said = kifold("coverage")
    assert (said.status, said.err) == (0, "")
    assert said.out == (
        "blokus: 3 stored matches (classic 2, duo 1)\n"
        "kind    name           rule   classic  duo\n"
        "──────  ─────────────  ─────  ───────  ───\n"
        "effect  all_placed     001.4        0    0\n"
        "effect  monomino_last  001.4        0    0\n"
        "effect  passed_out     001-2        0    0\n"
        "effect  skipped        001.3        2    1\n"
    )


@pytest.mark.usefixtures("classic", "finished")
def test_with_golden_logs_what_none_exercises_comes_first(kifold: Kifold, tmp_path: Path) -> None:
    for name in ("classic.kifold.jsonl", "classic.folded.json"):
        copy(FOLDER / "blokus" / name, tmp_path)
    (counted,) = kifold("coverage", "--golden", tmp_path, "--format", "json").json
    assert (counted["ruleset"], counted["golden_logs"]["classic"], counted["golden_logs"]["duo"]) == ("blokus", 6, 0)
    assert counted["matches"] == {"classic": 2, "two_player": 0, "three_player": 0, "duo": 1}
    rows = by_name(counted["rows"])
    assert rows["skipped"]["kind"] == "effect"
    assert rows["skipped"]["rule"] == "001.3"
    assert rows["skipped"]["matches"]["classic"] == 2
    assert rows["misses_start"] == {
        "kind": "reason",
        "name": "misses_start",
        "rule": "001-1",
        "golden_logs": {"classic": 1, "two_player": 0, "three_player": 0, "duo": 0},
    }
    assert rows["voluntary_pass=true"]["kind"] == "reading"
    totals = [sum(row["golden_logs"].values()) for row in counted["rows"]]
    assert totals == sorted(totals)
    assert totals[0] == 0 < totals[-1]
    table = kifold("coverage", "--golden", tmp_path).out.splitlines()
    assert table[0] == "blokus: 6 golden logs, 3 stored matches (classic 2, duo 1)"
    assert table[1].split() == ["kind", "name", "rule", "golden", "logs", "classic", "duo"]
    assert [line.split()[1] for line in table[3:]] == [row["name"] for row in counted["rows"]]


def test_golden_logs_need_no_store(kifold: Kifold, folder: Path) -> None:
    said = kifold("coverage", *GOLDEN)
    assert said.status == 0
    assert said.out.startswith("blokus: ")
    assert said.err == f"kifold: there is no store {folder}: golden logs alone are counted\n"
    assert not folder.exists()


def test_the_store_and_the_ruleset_may_be_named(kifold: Kifold, folder: Path, finished: str, tmp_path: Path) -> None:
    assert finished
    expected = kifold("coverage").out
    other = tmp_path / "other"
    folder.rename(other)
    assert kifold("coverage", other).out == kifold("coverage", other, "blokus").out == expected
    assert kifold("coverage", other, "nibble").out.startswith("nibble: 0 stored matches\n")
    assert kifold("coverage", "nibble", "--golden", FOLDER).out.startswith("nibble: ")
    assert kifold("coverage").status == 2


def test_nothing_to_count(kifold: Kifold, folder: Path) -> None:
    with Store(folder):
        pass
    assert kifold("coverage").out == "no matches to count\n"
    assert kifold("coverage", "--format", "json").json == []


def test_wrong_usage(kifold: Kifold, finished: str, tmp_path: Path) -> None:
    assert finished
    assert kifold("coverage", "--golden", tmp_path).err == (
        f"kifold: {tmp_path}: holds no golden logs (files called *.kifold.jsonl)\n"
    )
    for arguments in (("--golden", tmp_path), ("nowhere",), (".", "chess"), ("--format", "xml")):
        said = kifold("coverage", *arguments)
        assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)


def test_what_cannot_be_read_is_said(kifold: Kifold, tmp_path: Path) -> None:
    lines = (FOLDER / "blokus" / "duo.kifold.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    (tmp_path / "some.kifold.jsonl").write_text("\n".join([lines[0], "no match", lines[1]]), encoding="utf-8")
    (tmp_path / "folds.kifold.jsonl").write_text(lines[0], encoding="utf-8")
    (tmp_path / "folds.folded.json").write_text("[", encoding="utf-8")
    tried = '[{"case": "random 0", "refused": [{"after": 0, "event": "nonsense"}]}]'
    (tmp_path / "tried.kifold.jsonl").write_text(lines[0], encoding="utf-8")
    (tmp_path / "tried.folded.json").write_text(tried, encoding="utf-8")
    said = kifold("coverage", "--golden", tmp_path)
    assert (said.status, said.out.splitlines()[0]) == (1, "blokus: 2 golden logs, 0 stored matches")
    _, broken, unread, wrong = said.err.splitlines()
    assert str(tmp_path / "folds.folded.json") in broken
    assert f"{tmp_path / 'some.kifold.jsonl'}, line 2: " in unread
    assert f"{tmp_path / 'tried.kifold.jsonl'}, line 1: " in wrong
