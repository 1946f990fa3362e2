"""Golden logs as tests of pytest: what passes, what a failure says, what an update writes."""

from __future__ import annotations

from typing import Any

import pytest

from kifold.core.events import Finished, Undone
from kifold.core.registry import ruleset
from kifold.core.ruleset import Ruleset
from kifold.core.samples import sample_match
from tests.core import toy
from tests.replay.plugged import FOLDS, LOGS, Install, begun, edit, failure, folds, played, run, write_logs

pytest_plugins = "pytester"


def test_a_match_that_folds_as_it_did_passes(golden: pytest.Pytester) -> None:
    result = run(golden, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"{LOGS}::threes PASSED*"])
    run(golden, "-m", "kifold", f"{LOGS}::threes").assert_outcomes(passed=1)


def test_what_a_fold_holds(golden: pytest.Pytester) -> None:
    (fold,) = folds(golden.path)
    assert list(fold) == ["case", "digest", "over", "fingerprints", "effects", "standings", "states"]
    assert (fold["over"], len(fold["fingerprints"])) == (True, 2 * 2 * 4)
    assert fold["effects"] == {"roll_came_due": [3, 7, 11, 15, 19, 23], "reached": [24]}
    assert fold["standings"][0] == {"seat": 0, "rank": 1, "shared": True, "score": 27, "pair": [0, 18]}
    assert fold["states"]["18"]["gained"] == [27, 27, 0, 0]


def test_a_match_of_which_nothing_is_written_fails(race: Ruleset, pytester: pytest.Pytester) -> None:
    write_logs(pytester.path, played("threes"))
    assert "nobody has written what folding this match gives: --kifold-update does" in failure(pytester)
    assert not (pytester.path / FOLDS).exists()


def test_a_refused_event_is_shown_with_the_board_before_it(golden: pytest.Pytester, install: Install) -> None:
    def check(state: Any, event: Any) -> int:
        return toy.TOO_MUCH if state.steps == 4 and event.tag == toy.STEP else toy.check(state, event)

    install(check=check)
    text = failure(golden)
    assert "ply 5, event 6, +3: is refused: too_much – more than may be added\n" in text
    assert "the board before that, after event 5:\n  total 13\n" in text
    assert f"again: pytest '{LOGS}::threes'" in text.replace('"', "'") or f"again: pytest {LOGS}::threes" in text


def test_other_effects_are_shown_with_their_event(golden: pytest.Pytester, install: Install) -> None:
    def apply(state: Any, event: Any) -> int:
        return toy.apply(state, event) | (toy.REACHED if state.steps == 5 else 0)

    install(apply=apply)
    text = failure(golden)
    assert "ply 5, event 6, +3: effects: none → reached\n" in text
    assert "the board before that, after event 5:\n  total 13\n" in text
    assert "event 6 changes:\n  total: 13 → 16\n  steps: 4 → 5\n  gained[0]: 6 → 9\n" in text


def test_another_state_is_shown_field_by_field(golden: pytest.Pytester, install: Install) -> None:
    def apply(state: Any, event: Any) -> int:
        if state.steps == 14:
            state.gained[3] = 1
        return toy.apply(state, event)

    install(apply=apply)
    text = failure(golden)
    assert "events 17 to 24: the state became another (fingerprint)\n" in text
    assert "ply 18: the state is another (gained)\n" in text
    assert "the board before that, after event 16:\n  total 40\n  seat 0 to move\n\nevent 17 changes:\n" in text
    assert "event 17 changes:\n  total: 40 → 43\n" in text
    assert "the state at ply 18, was → is:\n  gained[3]: 0 → 1\n" in text


def test_another_result_is_shown(golden: pytest.Pytester, install: Install) -> None:
    def result(state: Any, result: Any) -> None:
        toy.result(state, result)
        result.rank[1] = 2

    install(result=result)
    text = failure(golden)
    assert "the end: standings: seat 0 rank 1 shared true" in text.replace("True", "true")
    assert "→ seat 0 rank 1 shared" in text
    assert "the board before that, after event 24:\n  total 60\n" in text


def test_a_refused_setup_is_shown(golden: pytest.Pytester, install: Install) -> None:
    install(set_up=lambda state, setup: toy.TOO_FAR)
    assert "the setup: is refused: too_far – a match begins below its goal\n" in failure(golden)


def test_another_log_is_no_log_of_that_fold(golden: pytest.Pytester) -> None:
    started, log = played("threes")
    write_logs(golden.path, (started, log[:-1]))
    text = failure(golden)
    assert "the beginning: this is not the log that was folded (digest)\n" in text
    assert "the end: over: true → false\n" in text


def test_a_line_that_is_no_match_fails_alone(golden: pytest.Pytester) -> None:
    path = golden.path / LOGS
    path.write_bytes(path.read_bytes() + b'{"ruleset": "race"}\nno JSON\n')
    result = run(golden)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["line 2 cannot be read: no match: *", "line 3 cannot be read: *", f"*{LOGS}::line 3'"])


def test_a_fault_in_rules_keeps_its_traceback(golden: pytest.Pytester, install: Install) -> None:
    def apply(state: Any, event: Any) -> int:
        raise ZeroDivisionError("somewhere in the rules")

    install(apply=apply)
    result = run(golden)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*raise ZeroDivisionError*", f"again: pytest *{LOGS}::threes*"])


def test_an_update_says_what_changes(golden: pytest.Pytester, install: Install) -> None:
    def apply(state: Any, event: Any) -> int:
        return toy.apply(state, event) | (toy.REACHED if state.steps == 5 else 0)

    install(apply=apply)
    before = (golden.path / LOGS).read_bytes()
    result = run(golden, "--kifold-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*golden logs: what folding them gives was written*",
            f"{LOGS}::threes",
            "  ply 5, event 6, +3: effects: none → reached",
        ]
    )
    assert folds(golden.path)[0]["effects"]["reached"] == [6, 24]
    assert (golden.path / LOGS).read_bytes() == before, "logs are history"
    run(golden).assert_outcomes(passed=1)


def test_an_update_that_changes_nothing_is_silent(golden: pytest.Pytester) -> None:
    before = (golden.path / FOLDS).stat()
    result = run(golden, "--kifold-update")
    result.stdout.no_fnmatch_line("*was written*")
    assert (golden.path / FOLDS).stat().st_mtime_ns == before.st_mtime_ns


def test_an_update_gives_up_no_match(golden: pytest.Pytester, install: Install) -> None:
    install(set_up=lambda state, setup: toy.TOO_FAR)
    before = folds(golden.path)
    assert "--kifold-update does not give up a match that was legal" in failure(golden, "--kifold-update")
    assert folds(golden.path) == before


def test_a_log_can_be_there_for_its_refusal(race: Ruleset, pytester: pytest.Pytester, install: Install) -> None:
    started, log = played("too much")
    write_logs(pytester.path, (started, [*log[:5], toy.Step(0, 4)]), (begun("too far", 1), []))
    result = run(pytester, "--kifold-update")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["  is new: event 6 is refused, too_much"])
    assert [fold.get("illegal") for fold in folds(pytester.path)] == [{"seq": 6, "reason": "too_much"}, None]
    run(pytester).assert_outcomes(passed=2)
    install(check=lambda state, event: 0)
    text = failure(pytester, "-k", "much")
    assert "ply 5, event 6, +4: is legal; what was refused is event 6: too_much\n" in text


def test_events_are_tried_on_the_way(golden: pytest.Pytester, install: Install) -> None:
    tried = [{"after": 5, "event": "4"}, {"after": 6, "event": {"event": "step", "seat": 0, "amount": 1}}]
    edit(golden.path, refused=tried)
    text = failure(golden)
    assert "4, tried after event 5: is new: too_much\n" in text
    assert "the board before" not in text, "nothing has changed"
    assert "changes:" not in text
    updated = run(golden, "--kifold-update")
    updated.assert_outcomes(passed=1)
    updated.stdout.fnmatch_lines(["*4, tried after event 5: is new: too_much"])
    assert [probe["reason"] for probe in folds(golden.path)[0]["refused"]] == ["too_much", "not_your_turn"]
    run(golden).assert_outcomes(passed=1)
    install(check=lambda state, event: toy.check(state, event) and toy.OVER)
    said = '{"event": "step", "seat": 0, "amount": 1}, tried after event 6: not_your_turn → match_over'
    assert said in failure(golden)
    edit(golden.path, refused=[{"after": 5, "event": "4", "reason": None}])
    assert "4, tried after event 5: legal → match_over\n" in failure(golden), "null says that it was legal"


def test_states_are_written_for_plies_that_somebody_chose(golden: pytest.Pytester) -> None:
    edit(golden.path, states={"3": {}, "18": {}})
    assert "ply 3: its state is not written yet\n" in failure(golden)
    run(golden, "--kifold-update").assert_outcomes(passed=1)
    assert folds(golden.path)[0]["states"]["3"]["total"] == 10


def test_corrections_and_endings_are_folded_too(race: Ruleset, pytester: pytest.Pytester, install: Install) -> None:
    started, log = played("corrected")
    write_logs(pytester.path, (started, [*log[:9], Undone(4), *log[4:12], Finished(0)]))
    run(pytester, "--kifold-update").assert_outcomes(passed=1)
    run(pytester).assert_outcomes(passed=1)
    install(apply=lambda state, event: toy.apply(state, event) | (toy.REACHED if state.steps == 9 else 0))
    assert "ply 9, event 17, +3: effects: roll_came_due → reached, roll_came_due\n" in failure(pytester)


def test_folds_without_a_match_fail_until_they_are_removed(golden: pytest.Pytester) -> None:
    write_logs(golden.path, played("other"), played("threes"))
    run(golden, "--kifold-update").assert_outcomes(passed=2)
    assert [fold["case"] for fold in folds(golden.path)] == ["other", "threes"], "in the order of the matches"
    write_logs(golden.path, played("threes"))
    assert "there is no match for: other" in failure(golden, "-k", "without")
    run(golden, "--kifold-update").assert_outcomes(passed=2)
    assert [fold["case"] for fold in folds(golden.path)] == ["threes"]


def test_a_name_names_one_match(race: Ruleset, pytester: pytest.Pytester) -> None:
    write_logs(pytester.path, played("threes"), played("threes"))
    result = run(pytester, "--kifold-update", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"{LOGS}::threes, line 2 PASSED*"])


def test_an_update_of_logs_that_lie_elsewhere_says_so(golden: pytest.Pytester) -> None:
    (golden.path / "tests" / "golden").rename(golden.path / "logs")
    result = run(golden, "-W", "default", "logs", "--kifold-update")
    result.assert_outcomes(warnings=1)
    result.stdout.fnmatch_lines(["*race.kifold.jsonl: no golden logs, for they are not in *kifold_golden*"])
    run(golden, "logs").assert_outcomes(warnings=0)


def test_the_folder_can_be_another(golden: pytest.Pytester) -> None:
    (golden.path / "tests" / "golden").rename(golden.path / "logs")
    run(golden).assert_outcomes()
    golden.makeini("[pytest]\nkifold_golden = logs\n")
    run(golden).assert_outcomes(passed=1)


def test_other_files_are_nobodys_golden_logs(pytester: pytest.Pytester) -> None:
    other = pytester.path / "tests" / "golden" / "answers.jsonl"
    other.parent.mkdir(parents=True)
    other.write_text("{}\n", encoding="utf-8")
    assert run(pytester).ret == pytest.ExitCode.NO_TESTS_COLLECTED


NOTHING_HEAVY = """
import sys

def test_nothing_heavy_is_imported():
    heavy = ("numpy", "numba", "llvmlite", "pyarrow", "duckdb", "msgspec")
    assert [name for name in sys.modules if name.startswith(heavy)] == []
    ours = [name for name in sys.modules if name.startswith("kifold.")]
    assert ours == ["kifold.replay", "kifold.replay.pytest_plugin"]
"""
NO_COMPILER = """
import sys

def test_no_compiler_is_started():
    assert "kifold.replay.pytest_golden" in sys.modules
    heavy = ("numpy", "numba", "llvmlite", "pyarrow", "duckdb")
    assert [name for name in sys.modules if name.startswith(heavy)] == []
"""


def test_it_costs_nothing_where_there_are_no_golden_logs(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(NOTHING_HEAVY)
    pytester.runpytest_subprocess("-p", "no:hypothesispytest").assert_outcomes(passed=1)


@pytest.mark.slow
def test_workers_update_together(pytester: pytest.Pytester) -> None:
    """A ruleset that is installed, in processes of their own; and folding golden logs starts no compiler."""
    rules = ruleset("chipstack")
    matches = []
    for number in range(3):
        play = sample_match(rules, rules.start(tags={"case": f"match {number}"}), number, limit=20)
        matches.append((play.started, play.log))
    write_logs(pytester.path, *matches)
    pytester.runpytest_subprocess("--kifold-update", "-n", "2").assert_outcomes(passed=3)
    assert [fold["case"] for fold in folds(pytester.path)] == ["match 0", "match 1", "match 2"]
    pytester.makepyfile(test_z=NO_COMPILER)
    pytester.runpytest_subprocess("tests/golden", "test_z.py").assert_outcomes(passed=4)
