"""What one golden log exercises; a reading only if the log folds otherwise under every other one."""

from __future__ import annotations

from itertools import product

import pytest

from kifold.core.codec import from_json
from kifold.core.events import Event, OptionValue, Resigned, Started, Undone
from kifold.core.play import Play
from kifold.core.registry import ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import Pass
from kifold.core.rulesets.nibble import NIBBLE
from kifold.replay.coverage_golden import EFFECT, READING, REASON, Item, Tried, exercised, items, others, reading
from kifold.replay.golden import Fold, fold_of
from tests.core.toy import RACE, Roll, Step
from tests.golden_logs import FOLDER, read_logs
from tests.rulesets.matches import random_log
from tests.stores import duo, game


def names(kind: str, started: Started, events: list[Event], tried: Tried | None = None) -> set[str]:
    rules = RACE if started.ruleset == "race" else ruleset(started.ruleset)
    return {item.name for item in exercised(rules, started, events, tried or {}) if item.kind == kind}


def test_everything_that_is_named_is_an_item_with_its_rule() -> None:
    found = items(BLOKUS)
    assert Item(REASON, "misses_start", "001-1") in found
    assert Item(EFFECT, "all_placed", "001.4") in found
    assert [item.name for item in found if item.kind == READING] == [
        "start_corner=any_free",
        "start_corner=by_colour",
        "voluntary_pass=false",
        "voluntary_pass=true",
    ]
    assert len(found) == len(BLOKUS.reasons) + len(BLOKUS.effects) + 4


def test_a_range_has_two_readings() -> None:
    assert [item.name for item in items(RACE) if item.kind == READING] == ["goal=30", "goal≠30"]


def test_reasons_are_those_of_events_that_are_tried_and_of_the_one_at_the_end() -> None:
    events = list(game(0)[:4])
    twice, free = events[0], game(0)[4]
    assert names(REASON, duo(), events) == set()
    assert names(REASON, duo(), events, {4: [twice, free]}) == {"piece_already_placed"}
    assert names(REASON, duo(), [*events, twice]) == {"piece_already_placed"}
    assert names(REASON, duo(), [events[1], twice]) == {"not_your_turn"}


def test_a_setup_that_is_refused_exercises_its_reason() -> None:
    assert names(REASON, NIBBLE.start(), []) == {"wrong_quota"}


def test_a_refusal_by_the_log_is_none_of_the_rules() -> None:
    over, resigned = list(game(0)), [*game(0)[:4], Resigned(0)]
    assert names(REASON, duo(), over, {len(over): [game(0)[0]]}) == {"match_over"}
    assert names(REASON, duo(), over, {len(over): [Resigned(0)]}) == set()
    assert names(REASON, duo(), resigned, {5: [game(0)[4]]}) == set()


def test_effects_are_those_that_count() -> None:
    started, log = random_log(BLOKUS, BLOKUS.start("classic"), 1, 0)
    play = Play(BLOKUS, started)
    first = next(seq for seq, event in enumerate(log, 1) if "skipped" in BLOKUS.effects.of(play.add(event)))
    assert names(EFFECT, started, log[: first - 1]) == set()
    assert names(EFFECT, started, log[:first]) == {"skipped"}
    assert names(EFFECT, started, [*log[:first], Undone(first - 1)]) == set()


def test_a_reading_is_exercised_by_what_it_alone_allows_or_refuses() -> None:
    def found(value: OptionValue, events: list[Event], tried: Tried | None = None) -> set[str]:
        said = names(READING, BLOKUS.start("classic", {"voluntary_pass": value}), events, tried)
        return {name for name in said if name.startswith("voluntary_pass")}

    assert found(True, []) == found(False, []) == set(), "that the state says which reading it is does not count"
    assert found(True, [Pass(0)]) == found(True, [], {0: [Pass(0)]}) == {"voluntary_pass=true"}
    assert found(False, [], {0: [Pass(0)]}) == found(False, [Pass(0)]) == {"voluntary_pass=false"}


def test_what_a_variant_fixes_is_no_reading_of_it() -> None:
    outside = {"event": "place", "colour": "blue", "piece": "1", "orientation": 0, "x": 0, "y": 0}
    tried = {0: [from_json(BLOKUS, outside)]}
    assert "misses_start" in names(REASON, duo(), [], tried)
    assert names(READING, duo(), [], tried) == set()


def test_a_number_is_told_from_the_default_and_from_both_ends() -> None:
    to_3 = [Step(0, 1), Step(1, 2)]
    to_30 = [Step(seat, 3) if seat >= 0 else Roll(6) for seat in (0, 1, 0, -1, 1, 0, 1, -1)]
    assert names(READING, RACE.start("two", {"goal": 3}), to_3) == {"goal≠30"}
    assert names(READING, RACE.start("two", {"goal": 4}), to_3) == set(), "under 30 it goes on, too"
    assert names(READING, RACE.start("two"), to_30) == {"goal=30"}
    assert names(READING, RACE.start("two"), to_30[:-1]) == set(), "under 1000 it has come as far"


@pytest.mark.parametrize("name", ["chipstack", "nibble"])
def test_readings_of_golden_logs_by_their_folds(name: str) -> None:
    """Where what is written of a fold, without what a state says of itself, differs under every other reading, a log
    exercises its own; where nothing at all differs it does not.
    """
    rules = ruleset(name)
    counted = 0
    for path in sorted((FOLDER / name).glob("*.kifold.jsonl")):
        for log, option in product(read_logs(path), rules.options):
            of_it = [log.started, *others(option, log.started)]
            folds = [fold_of(rules, started, log.events, "") for started in of_it]
            is_found = reading(option, log.started.options[option.name]) in exercised(
                rules, log.started, log.events, {}
            )
            counted += is_found
            if all(bare(fold) != bare(folds[0]) for fold in folds[1:]):
                assert is_found
            if any(fold.fingerprints == folds[0].fingerprints and bare(fold) == bare(folds[0]) for fold in folds[1:]):
                assert not is_found
    assert counted


def bare(fold: Fold) -> tuple[object, ...]:
    return fold.illegal, fold.over, fold.effects, fold.standings


def test_a_probe_in_a_stretch_that_was_taken_back_is_tried_there() -> None:
    events = [*game(0)[:3], Undone(1), *game(0)[1:3]]
    second = game(0)[1]
    assert names(REASON, duo(), events, {1: [second], 4: [second]}) == set()
    assert names(REASON, duo(), events, {3: [second]}) == {"piece_already_placed"}
