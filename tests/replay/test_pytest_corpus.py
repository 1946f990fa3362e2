"""The matches of a store as tests of pytest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kifold.core import registry
from kifold.core.play import Play
from kifold.core.ruleset import Ruleset
from kifold.core.samples import sample_match
from kifold.records.archiving import archive
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.core import toy
from tests.replay.plugged import Install, run
from tests.stores import quiet

pytest_plugins = "pytester"

ARCHIVED, LIVE = 5, 3
STORE = "my store"


@pytest.fixture
def store(race: Ruleset, pytester: pytest.Pytester) -> Path:
    """A store of archived and of live matches of the race."""
    with Store(pytester.path / STORE) as made:
        for number in range(ARCHIVED):
            record(made, sample_match(race, race.start(), number))
        archive(made, quiet)
        for number in range(LIVE):
            record(made, sample_match(race, race.start(), 100 + number, limit=9))
    return made.folder


def record(store: Store, play: Play) -> int:
    return store.new(play.started, (), play.log)


def test_a_store_is_a_test_per_ruleset(store: Path, pytester: pytest.Pytester) -> None:
    result = run(pytester, f"--kifold-corpus={STORE}", "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["my store::race PASSED*"])
    run(pytester, f"--kifold-corpus={STORE}", "-m", "not kifold").assert_outcomes(deselected=1)


def test_a_sample_is_a_test_per_match_and_always_the_same(store: Path, pytester: pytest.Pytester) -> None:
    words = (f"--kifold-corpus={store}", "--kifold-sample", "6")
    run(pytester, *words).assert_outcomes(passed=6)
    first, second = (run(pytester, *words, "--collect-only", "-q").outlines[:-1] for _ in range(2))
    assert len(first) == 6 + 1
    assert first == second
    run(pytester, *words[:2], "99").assert_outcomes(passed=ARCHIVED + LIVE)


def test_failures_of_a_ruleset_are_told_with_the_command(
    store: Path, pytester: pytest.Pytester, install: Install
) -> None:
    install(check=lambda state, event: toy.TOO_MUCH if state.steps == 2 else toy.check(state, event))
    result = run(pytester, f"--kifold-corpus={STORE}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            f"race: {ARCHIVED + LIVE} illegal",
            "* × race@1 *: illegal at step: too_much; the shortest: match * (race): illegal at event 3 (too_much: *",
            "again: kifold verify 'my store' --ruleset race",
        ]
    )


def test_a_refused_event_is_shown_with_the_board(store: Path, pytester: pytest.Pytester, install: Install) -> None:
    install(check=lambda state, event: toy.TOO_MUCH if state.steps == 2 else toy.check(state, event))
    result = run(pytester, f"--kifold-corpus={STORE}", "--kifold-sample", "99", "-x")
    result.stdout.fnmatch_lines(
        [
            "match * (race): illegal at event 3 (too_much: more than may be added)",
            "ply 3, event 3, +*: too_much – more than may be added",
            "the board before that, after event 2:",
            "  total *",
            "again: kifold --store 'my store' verify --match *",
        ]
    )


def test_a_match_that_arrives_elsewhere_fails(store: Path, pytester: pytest.Pytester, install: Install) -> None:
    def apply(state: Any, event: Any) -> int:
        state.gained[3] = 1
        return toy.apply(state, event)

    install(apply=apply)
    result = run(pytester, f"--kifold-corpus={STORE}", "--kifold-sample", "99")
    result.assert_outcomes(passed=LIVE, failed=ARCHIVED)
    result.stdout.fnmatch_lines(
        ["match * (race): diverged between events 0 and *", "again: kifold --store * verify --match *"]
    )


def test_a_damaged_match_fails(store: Path, pytester: pytest.Pytester) -> None:
    with Store(store) as opened:
        match = record(opened, Play(toy.RACE, toy.RACE.start()))
        with opened.journal.writing() as db:
            db.execute("UPDATE matches SET digest = zeroblob(16) WHERE id = ?", (match,))
    result = run(pytester, f"--kifold-corpus={STORE}", "--kifold-sample", "99")
    result.assert_outcomes(passed=ARCHIVED + LIVE, failed=1)
    result.stdout.fnmatch_lines([f"match {id_text(match)} (race): damaged: *"])


def test_matches_of_a_ruleset_that_is_not_there_are_not_verified(
    store: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "entries", dict)
    registry.ruleset.cache_clear()
    result = run(pytester, f"--kifold-corpus={store}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"race: {ARCHIVED + LIVE} unverified"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--kifold-corpus=nowhere",), "--kifold-corpus=nowhere: there is no store of kifold"),
        (("--kifold-corpus", STORE), "write --kifold-corpus=STORE: *"),
        (("--kifold-sample", "3"), "--kifold-sample needs a number from 1 on, and a store: --kifold-corpus=STORE"),
        ((f"--kifold-corpus={STORE}", "--kifold-sample", "0"), "--kifold-sample needs a number from 1 on, *"),
    ],
)
def test_wrong_options_are_named(store: Path, pytester: pytest.Pytester, words: tuple[str, ...], why: str) -> None:
    result = run(pytester, *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {why}"])
