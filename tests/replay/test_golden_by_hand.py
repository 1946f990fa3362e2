"""Folds of golden logs that somebody edits: what is asked of a match that it cannot tell, and files that are wrong."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import pytest

from tests.replay.plugged import FOLDS, LOGS, edit, failure, folds, played, run, write_logs

pytest_plugins = "pytester"

MISTAKES = {
    "a word": ({"refused": [{"after": 5, "event": "zzz"}]}, "refused: zzz after event 5: *'zzz'*"),
    "an object": (
        {"refused": [{"after": 5, "event": {"event": "leap"}}]},
        'refused: {"event": "leap"} after event 5: *',
    ),
    "past the end": ({"refused": [{"after": 25, "event": "2"}]}, "refused: 2 after event 25: *is 24"),
    "no state yet": ({"states": {"19": {}}}, "states: ply 19: the match has no such ply; its last is 18"),
    "some state": ({"states": {"500": {"total": 1}}}, "states: ply 500: the match has no such ply; its last is 18"),
}


@pytest.mark.parametrize(("edited", "said"), MISTAKES.values(), ids=MISTAKES)
def test_what_cannot_be_asked_of_a_match_is_one_line_and_no_update_drops_it(
    golden: pytest.Pytester, edited: dict[str, Any], said: str
) -> None:
    edit(golden.path, **edited)
    before = folds(golden.path)
    for words in ((), ("--kifold-update",)):
        lines = failure(golden, *words).splitlines()
        heading = next(number for number, line in enumerate(lines) if line.startswith("___"))
        assert fnmatch(lines[heading + 1], f"race.folded.json, {said}")
        assert lines[heading + 2 : heading + 3] == [""]
        assert lines[heading + 3].startswith("again: pytest ")
    assert folds(golden.path) == before


def test_what_was_asked_of_a_longer_log_is_told_and_given_up(golden: pytest.Pytester) -> None:
    edit(golden.path, states={"18": {"total": 1}}, refused=[{"after": 24, "event": "2"}], effects={"reached": [24]})
    started, log = played("threes")
    write_logs(golden.path, (started, log[:-2]))
    text = failure(golden)
    for said in ("ply 18: the match has no such ply", "2, tried after event 24: the match has no such event"):
        assert f"{said}\n" in text
    assert "event 24: effects: nothing that far is folded\n" in text
    run(golden, "--kifold-update").assert_outcomes(passed=1)
    run(golden).assert_outcomes(passed=1)


def test_a_refusal_that_is_said_past_the_end_is_told(golden: pytest.Pytester) -> None:
    edit(golden.path, illegal={"seq": 500, "reason": "too_much"})
    assert "ply 18, event 24, die1: is legal; what was refused is event 500: too_much\n" in failure(golden)


BROKEN = {
    "empty": "",
    "wrong type": '[{"case": "threes", "digest": 7}]',
    "unknown": '[{"case": "threes", "folded": true}]',
    "no number": '[{"case": "threes", "refused": [{"event": "2"}]}]',
    "before the start": '[{"case": "threes", "refused": [{"after": -5, "event": "2"}]}]',
    "no ply": '[{"case": "threes", "states": {"-1": {}}}]',
    "no event": '[{"case": "threes", "effects": {"reached": [0]}}]',
    "twice": '[{"case": "threes"}, {"case": "threes"}]',
    "no UTF-8": "\udcff",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_folds_that_cannot_be_read_are_one_failure_and_stop_nothing(golden: pytest.Pytester, text: str) -> None:
    other = golden.path / "tests/golden/other.kifold.jsonl"
    other.write_bytes((golden.path / LOGS).read_bytes())
    broken = text.encode("utf-8", "surrogateescape")
    (golden.path / FOLDS).write_bytes(broken)
    result = run(golden, "--kifold-update")
    result.assert_outcomes(passed=1, failed=1)
    (line,) = (
        line for line in result.outlines if "race.folded.json" in line and "FAILED" not in line and "__" not in line
    )
    assert line.startswith(str(golden.path / FOLDS))
    result.stdout.no_fnmatch_line("*Error*")
    assert (golden.path / FOLDS).read_bytes() == broken
    assert other.with_name("other.folded.json").exists()


def test_folds_whose_logs_are_gone_fail_and_stay(golden: pytest.Pytester) -> None:
    (golden.path / LOGS).rename(golden.path / "tests/golden/renamed.kifold.jsonl")
    said = "race.folded.json: there is no race.kifold.jsonl beside it; rename both"
    assert said in failure(golden, "-k", "race")
    run(golden, "--kifold-update").assert_outcomes(passed=1, failed=1)
    assert len(folds(golden.path)) == 1
