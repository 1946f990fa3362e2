"""Exploration finds what plain play finds, the same with any number of workers; kept logs cannot be shorter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kifold.core.corpus import Corpus
from kifold.core.emit import Out
from kifold.core.events import Event, Started
from kifold.core.options import RulesetError
from kifold.core.play import Refused, fold
from kifold.core.revisions import Earlier
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.samples import sample_match
from kifold.replay import exploring
from kifold.replay.causes import Cause, cause_of
from kifold.replay.exploring import Exploration, Setting, explore, played_revision, settings_of
from kifold.replay.partings import parting
from kifold.replay.shrinking import shrunk
from kifold.service.exploring import keep
from tests.core import toy
from tests.core.toy import Roll, Step
from tests.installing import revised
from tests.pages import same
from tests.replay.plugged import run
from tests.stores import quiet

if TYPE_CHECKING:
    from tests.installing import Revise

pytest_plugins = "pytester"
compiles = pytest.mark.slow


def explored(page: str, games: int = 180, seed: int = 0, workers: int = 1) -> Exploration:
    """The race as it is, and as a page has it."""
    rules = revised(page)
    return explore(rules, rules.at(1), games, seed, workers, quiet)


def by_plain_play(old: Ruleset, new: Ruleset, games: int, seed: int) -> dict[Cause, tuple[int, int]]:
    """For each cause how many of the matches show it, and where the first does that parts earliest."""
    settings, found = settings_of(old), dict[Cause, tuple[int, int]]()
    for i, setting in enumerate(settings):
        for number in range(games * i // len(settings), games * (i + 1) // len(settings)):
            try:
                play = sample_match(old, setting.started, seed, number, greedy=setting.is_greedy)
            except Refused:
                continue
            one = parting(old, new, play.started, play.log)
            if one is not None:
                cause = cause_of(old, play.started, one.outcome, one.what, one.event, to=new.revision)
                count, seq = found.get(cause, (0, one.seq))
                found[cause] = count + 1, min(seq, one.seq)
    return found


# What is played


def test_every_variant_number_of_seats_and_reading_is_played_by_both_policies() -> None:
    played = [
        (s.started.variant, s.started.seats, s.started.options["goal"], s.is_greedy) for s in settings_of(toy.RACE)
    ]
    assert str(settings_of(toy.RACE)[3]) == "two of 2 seats, goal=1, greedy"
    wanted = [("two", 2, goal) for goal in (30, 1, 1000)]
    wanted += [("more", seats, goal) for goal in (60, 1, 1000) for seats in (3, 4)]
    assert played == [(*one, is_greedy) for one in wanted for is_greedy in (False, True)]


def stuck(state: Any, seat: int, out: Out) -> int:
    """Nothing is legal for three seats after their second step."""
    return 0 if state.seats == 3 and state.steps == 2 else toy_legal(state, seat, out)


toy_legal = toy.RACE.rules.legal


@compiles
def test_somebody_with_the_turn_and_nothing_legal_is_a_fault_and_the_rest_is_played() -> None:
    rules = toy.race(revision=2, earlier=(Earlier(1, same),), rules=replace(toy.RACE.rules, legal=stuck))
    done = explore(rules, rules.at(1), 180, 0, 1, quiet)
    of_three = {setting for setting in settings_of(rules) if setting.started.seats == 3}
    faults = {str(setting): one.why for setting, one in done.unplayed.items() if one.is_fault}
    assert len(faults) == len([one for one in of_three if one.started.options["goal"] != 1])
    assert all("somebody has the turn and nothing legal" in why for why in faults.values())
    assert done.matches + sum(one.count for one in done.unplayed.values()) == 180
    assert (done.examples, done.is_fine) == ([], False)


@compiles
def test_a_refused_setup_is_no_fault() -> None:
    done = explored("same")
    assert done.unplayed
    assert done.is_fine


@pytest.mark.parametrize("rules", [BLOKUS, EDGECOLOR])
def test_what_a_variant_fixes_is_not_played_otherwise(rules: Ruleset) -> None:
    settings = settings_of(rules)
    for variant in rules.variants:
        ours = [s.started for s in settings if s.started.variant == variant.name]
        for option in rules.options:
            said = {started.options[option.name] for started in ours}
            wanted = {variant.options.get(option.name, option.default)}
            if option.name not in variant.fixed:
                wanted |= set(option.values or (option.low, option.high))
            assert said == wanted
        assert {started.seats for started in ours} == set(variant.seats)


def test_the_revision_before_is_played_or_the_newest_other() -> None:
    third = revised("no_six", "most_two")
    played = {target: played_revision(third.at(target), third).revision for target in (1, 2, 3)}
    assert played == {3: 2, 2: 1, 1: 3}
    with pytest.raises(RulesetError, match="race@1 is the only revision that is installed"):
        played_revision(toy.RACE, toy.RACE)


# What is found


@compiles
@pytest.mark.parametrize("page", ["no_six", "marked", "present", "same"])
def test_it_finds_what_plain_play_finds(page: str) -> None:
    rules = revised(page)
    done = explored(page)
    assert {one.cause: one.count for one in done.examples} == {
        cause: count for cause, (count, _) in by_plain_play(rules, rules.at(1), 180, 0).items()
    }
    assert bool(done.examples) == (page != "same")
    assert done.matches + sum(one.count for one in done.unplayed.values()) == 180
    assert {setting.started.options["goal"] for setting in done.unplayed} == {1}


@compiles
def test_parts_are_made_as_they_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the futures of a huge number of games would fill the memory before the first one ends."""
    made = []

    def parts(settings: list[Setting], games: int) -> Iterator[Any]:
        for part in divide(settings, games):
            made.append(part)
            assert len(made) < 10, "all parts are made first"
            yield part

    def stop(matches: int, events: int) -> None:
        raise KeyboardInterrupt

    divide = exploring._parts
    monkeypatch.setattr(exploring, "_parts", parts)
    rules = revised("no_six")
    done = explore(rules, rules.at(1), 10**10, 0, 2, stop)
    assert len(made) == 5
    assert (done.is_interrupted, done.matches > 0, len(done.examples) > 0) == (True, True, True)


@compiles
def test_matches_that_do_not_end_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert explored("same", 60).cut == 0
    for module in ("core.corpus", "replay.exploring"):
        monkeypatch.setattr(f"kifold.{module}.LONGEST_MATCH", 2)
    done = explored("same", 60)
    assert 0 < done.cut <= done.matches
    assert done.events == 2 * done.cut + (done.matches - done.cut)


@compiles
def test_the_same_seed_gives_the_same_with_any_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def logs(done: Exploration) -> list[tuple[Cause, int, Started, Sequence[Event]]]:
        return [(one.cause, one.count, one.started, one.events) for one in done.examples]

    first = explored("no_six", 400)
    monkeypatch.setattr("kifold.replay.exploring.PART", 3)
    again = explored("no_six", 400, workers=3)
    assert logs(first) == logs(again)
    assert (first.matches, first.events) == (again.matches, again.events)
    assert explored("no_six", 400, seed=1).events != first.events


# Short logs


@compiles
@pytest.mark.parametrize(("page", "length"), [("no_six", 4), ("marked", 3), ("present", 0)])
def test_logs_are_as_short_as_they_can_be(page: str, length: int) -> None:
    rules = revised(page)
    done = explored(page)
    for one in done.examples:
        assert len(one.events) == length
        assert shows(rules, one.started, one.events) == (one.found.outcome, one.found.event, one.found.what)
        for few in range(length):
            for events in combinations(one.events, few):
                assert shows(rules, one.started, events) != (one.found.outcome, one.found.event, one.found.what)


def shows(rules: Ruleset, started: Started, events: Sequence[Event]) -> object:
    """What a log shows, in plain Python; None where it is not legal."""
    if fold(rules, started, events)[1] is not None:
        return None
    found = parting(rules, rules.at(1), started, events)
    return None if found is None else (found.outcome, found.event, found.what)


@compiles
def test_shrinking_by_hand() -> None:
    rules = revised("no_six")
    started = rules.start()
    long = [*steps(0, 1, 0), Roll(1), *steps(1, 0, 1), Roll(2), *steps(0, 1, 0), Roll(6), *steps(1, 0, 1), Roll(6)]
    assert short(rules, started, long) == [*steps(0, 1, 0), Roll(6)]
    four = rules.start("more", seats=4)
    long = [*steps(0, 1, 2), Roll(1), *steps(3, 0, 1), Roll(1), *steps(2, 3, 0), Roll(6)]
    assert short(rules, four, long) == [*steps(0, 1, 2), Roll(6)]


def steps(*seats: int) -> list[Event]:
    return [Step(seat, 1) for seat in seats]


def short(rules: Ruleset, started: Started, events: Sequence[Event]) -> list[Event]:
    found = parting(rules, rules.at(1), started, events)
    assert found is not None
    return shrunk(rules, rules.at(1), Corpus.of(rules, [(started, events)]), found).log(0)


def test_remnants_of_other_events_are_cleared() -> None:
    corpus = Corpus.of(toy.RACE, [(toy.RACE.start(), [Step(1, 2), Roll(3)])])
    clean = corpus.events.copy()
    corpus.events["die"][0], corpus.events["seat"][1], corpus.events["amount"][1] = 5, 1, 1
    assert not np.array_equal(corpus.events, clean)
    corpus.clear()
    assert np.array_equal(corpus.events, clean)


# Kept


@compiles
def test_what_is_kept_are_golden_logs(revise: Revise, pytester: pytest.Pytester) -> None:
    rules = revise("no_six")
    done = explore(rules, rules.at(1), 180, 0, 1, quiet)
    file = Path(pytester.path, "tests", "golden", "race.kifold.jsonl")
    file.parent.mkdir(parents=True)
    assert keep(done, file).endswith(f"{len(done.examples)} logs added, 0 of the causes have one there")
    once = file.read_bytes()
    assert keep(done, file).endswith(f"0 logs added, {len(done.examples)} of the causes have one there")
    assert file.read_bytes() == once
    run(pytester, "--kifold-update").assert_outcomes(passed=len(done.examples))
    run(pytester).assert_outcomes(passed=len(done.examples))


@compiles
def test_logs_are_added_to_a_file_without_an_end_of_line(revise: Revise, tmp_path: Path) -> None:
    rules = revise("no_six")
    done = explore(rules, rules.at(1), 180, 0, 1, quiet)
    file = tmp_path / "race.kifold.jsonl"
    keep(done, file)
    lines = file.read_bytes().splitlines()
    file.write_bytes(lines[0])
    keep(done, file)
    assert file.read_bytes().splitlines() == lines
