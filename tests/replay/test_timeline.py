"""Plies and events of a match: what each holds, in whatever order they are asked for, and what that costs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from kifold.core.events import Event, Finished, Noted, Resigned, Undone
from kifold.core.play import Play, Refused, fold, standing_events
from kifold.core.registry import names, ruleset
from kifold.core.ruleset import CHANCE, NOBODY, SNAPSHOT
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import Pass
from kifold.replay.difference import Change, changes
from kifold.replay.timeline import Timeline, turn_at
from tests.core.toy import RACE, Roll, Step, race
from tests.rulesets.matches import Log, random_log


@pytest.fixture(scope="module")
def match() -> Log:
    return random_log(BLOKUS, BLOKUS.start(), 11, 0, limit=12)


@pytest.mark.parametrize("name", names())
def test_a_ply_lasts_until_the_next_decision(name: str) -> None:
    played_by = ruleset(name)
    started, log = random_log(played_by, played_by.start(), 4, 0, limit=60)
    play, before = Play(played_by, started), []
    for event in log:
        if type(event) in played_by.actions:
            before.append((play.ply, play.state.copy()))
        play.add(event)
    before.append((play.ply, play.state))
    plies = list(Timeline(played_by, started, log))
    assert [(ply.number, ply.state) for ply in plies] == before
    assert [event for ply in plies for event in ply.events] == log
    assert [ply.seq for ply in plies[1:]] == [i for i, event in enumerate(log, 1) if type(event) in played_by.actions]
    assert plies[0].seat is None
    assert all(ply.seat in range(started.seats) for ply in plies[1:])


@pytest.mark.parametrize("ply", [13, -1])
def test_no_such_ply(match: Log, ply: int) -> None:
    with pytest.raises(ValueError, match=rf"^ply {ply}: the match has plies 0\.\.12$"):
        Timeline(BLOKUS, *match).at(ply)


@pytest.mark.parametrize("seq", [13, -1])
def test_no_such_event(match: Log, seq: int) -> None:
    with pytest.raises(ValueError, match=rf"^event {seq}: the log has events 0\.\.12$"):
        Timeline(BLOKUS, *match).at_seq(seq)


def test_what_was_taken_back_is_no_ply(match: Log) -> None:
    started, log = match
    changed: list[Event] = [*log[:5], Noted("comment", ("a slip",)), Undone(3), *log[3:]]
    timeline = Timeline(BLOKUS, started, changed)
    plies = list(timeline)
    assert [ply.number for ply in plies] == list(range(13))
    assert [ply.seq for ply in plies[:5]] == [0, 1, 2, 3, 8]
    assert plies[-1].state == Timeline(BLOKUS, *match).at(12).state
    assert [seq for seq in range(len(changed) + 1) if not timeline.stands(seq)] == [4, 5, 6, 7]


def test_it_steps_both_ways(match: Log) -> None:
    timeline = Timeline(BLOKUS, *match)
    there = [timeline.at(0), *(timeline.forward() for _ in range(12))]
    back = [timeline.back() for _ in range(12)]
    assert [ply.number for ply in there] == list(range(13))
    assert back == there[-2::-1]
    with pytest.raises(ValueError, match="ply -1"):
        timeline.back()
    timeline.at_seq(5)
    assert timeline.forward() == there[6]


def test_a_refused_event_is_named_by_its_number_in_the_log(match: Log) -> None:
    started, log = match
    wrong = [*log[:4], Undone(2), Pass(0), *log[2:]]
    timeline = Timeline(BLOKUS, started, wrong)
    for ply in (3, 12, 3):
        with pytest.raises(Refused) as refused:
            timeline.at(ply)
        assert (refused.value.seq, refused.value.reason, refused.value.event) == (6, "passing_not_allowed", Pass(0))
    assert timeline.at(2) == Timeline(BLOKUS, *match).at(2), "what follows is not looked at"
    assert timeline.at_seq(4) == Timeline(BLOKUS, *match).at(4)


def test_taking_back_to_nowhere_is_refused(match: Log) -> None:
    started, log = match
    timeline = Timeline(BLOKUS, started, [*log[:2], Undone(3), log[2]])
    assert timeline.at_seq(2).number == 2
    for seq in (3, 4):
        with pytest.raises(Refused) as refused:
            timeline.at_seq(seq)
        assert (refused.value.seq, refused.value.reason) == (3, "no_such_seq")


def test_nothing_follows_an_ending_that_stands(match: Log) -> None:
    started, log = match
    timeline = Timeline(BLOKUS, started, [*log[:2], Resigned(1), Undone(2), log[2], Finished(0), log[3]])
    assert turn_at(BLOKUS, timeline.at_seq(3)) == NOBODY
    assert timeline.at_seq(3).ending == Resigned(1)
    assert timeline.at_seq(6).ending == Finished(0)
    with pytest.raises(Refused, match="event 7 is refused: match_over"):
        timeline.at_seq(7)


def test_a_ply_within_its_events_of_chance() -> None:
    log = [Step(0, 1), Step(1, 1), Step(0, 1), Roll(6), Step(1, 2)]
    timeline = Timeline(RACE, RACE.start(), log)
    due, rolled = timeline.at_seq(3), timeline.at_seq(4)
    assert (due.number, due.seq, due.events, turn_at(RACE, due)) == (3, 3, (Step(0, 1),), CHANCE)
    assert (rolled.number, rolled.seq, rolled.events) == (3, 3, (Step(0, 1), Roll(6)))
    assert timeline.at(3) == rolled
    assert [timeline.effects(seq) for seq in range(6)] == [[], [], [], ["roll_came_due"], [], []]


def with_corrections(events: Sequence[Event], rng: random.Random) -> list[Event]:
    """A log that plays these events in the end, with notes, endings and stretches that were taken back between."""
    log: list[Event] = []
    standing: list[int] = []
    while len(standing) < len(events):
        log.append(events[len(standing)])
        standing.append(len(log))
        if rng.random() < 0.2:
            log.append(Noted("comment", ("hm",)))
        if rng.random() < 0.1:
            log.append(Resigned(0))
            log.append(Undone(len(log) - 1))
        if rng.random() < 0.15:
            to = rng.choice([seq for seq in range(len(log) + 1) if len(log) - seq < 40])
            log.append(Undone(to))
            standing = [seq for seq in standing if seq <= to]
    return log


@pytest.mark.parametrize("seed", range(5))
def test_states_are_those_of_folds_in_any_order(seed: int) -> None:
    rng = random.Random(seed)
    started, events = random_log(RACE, RACE.start(None, {"goal": 80}), seed, 0)
    log = with_corrections(events, rng)
    timeline = Timeline(RACE, started, log, every=rng.choice((1, 3, 16)))
    for seq in rng.choices(range(len(log) + 1), k=200):
        play, refused = fold(RACE, started, log[:seq])
        assert refused is None
        ply = timeline.at_seq(seq)
        assert (ply.state, ply.number, ply.ending) == (play.state, play.ply, play.ending)
    play, _ = fold(RACE, started, log)
    assert timeline.last_ply == play.ply
    assert {seq for seq in range(1, len(log) + 1) if timeline.stands(seq)} == {seq for seq, _ in standing_events(log)}
    effects = [RACE.effects.of(mask) for mask in play.effects]
    assert [timeline.effects(seq) for seq, _ in play.effective] == effects


class Counted:
    """The race with its calls counted, and a match of 1,000 events."""

    def __init__(self) -> None:
        self.applied = self.set_up = 0

        def apply(state: Any, event: Any) -> int:
            self.applied += 1
            return RACE.rules.apply(state, event)

        def set_up(state: Any, setup: Any) -> int:
            self.set_up += 1
            return RACE.rules.set_up(state, setup)

        self.race = race(rules=replace(RACE.rules, apply=apply, set_up=set_up))
        self.started = RACE.start(None, {"goal": 1000})
        play = Play(RACE, self.started)
        while not play.is_over:
            play.add(play.legal()[0])
        self.log = play.log
        assert len(self.log) == 1000

    def cost(self, seek: Any, *arguments: int) -> int:
        before = self.applied
        seek(*arguments)
        return self.applied - before


def test_seeking_what_was_folded_costs_less_than_an_interval() -> None:
    counted, rng = Counted(), random.Random(1)
    timeline = Timeline(counted.race, counted.started, counted.log)
    assert counted.cost(timeline.at, timeline.last_ply) == 1000, "new ground is folded once"
    backwards = [counted.cost(timeline.back) for _ in range(timeline.last_ply)]
    assert max(backwards) < SNAPSHOT
    assert [counted.cost(timeline.forward) for _ in range(2)] == [1, 1]
    anywhere = [counted.cost(timeline.at_seq, rng.randint(0, 1000)) for _ in range(1000)]
    assert max(anywhere) < SNAPSHOT
    assert counted.cost(timeline.diff, 700, 20) < 2 * SNAPSHOT
    assert counted.set_up == 1


def test_new_ground_is_folded_as_far_as_it_is_asked_for() -> None:
    counted = Counted()
    timeline = Timeline(counted.race, counted.started, counted.log)
    assert counted.cost(timeline.at_seq, 500) == 500
    assert counted.cost(timeline.at_seq, 600) == 100
    assert counted.cost(timeline.at_seq, 700) == 100
    assert counted.cost(timeline.at_seq, 510) < SNAPSHOT


def test_taking_back_refolds_no_more_than_an_interval() -> None:
    counted = Counted()
    log: list[Event] = [*counted.log[:600], Undone(590), *counted.log[590:]]
    timeline = Timeline(counted.race, counted.started, log)
    timeline.at_seq(600)
    assert counted.cost(timeline.at_seq, 601) < SNAPSHOT
    timeline.at(timeline.last_ply)
    costs = [counted.cost(timeline.at_seq, seq) for seq in (595, 620, 600, 601, 602)]
    assert max(costs) < SNAPSHOT


def test_what_differs_is_said_field_by_field() -> None:
    timeline = Timeline(RACE, RACE.start(), [Step(0, 3), Step(1, 2)])
    essential = [Change("total", None, 0, 5), Change("steps", None, 0, 2), Change("gained", 0, 0, 3)]
    essential.append(Change("gained", 1, 0, 2))
    assert timeline.diff(0, 2) == essential
    assert [str(change) for change in timeline.diff(2, 1)] == ["total: 5 → 3", "steps: 2 → 1", "gained[1]: 2 → 0"]
    assert timeline.diff(1, 1) == []
    assert timeline.diff(0, 1, derived=True)[-1] == Change("turn", None, 0, 1)


def test_scratch_fields_do_not_differ() -> None:
    timeline = Timeline(RACE, RACE.start(), [])
    was, now = timeline.at(0).state, timeline.at(0).state
    now.room[1] = 7
    assert changes(was, now, derived=True) == []
