"""The harness notices what it is there to notice: each fault put into the rules, or between the two ways, fails."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kifold.core.codec import valid
from kifold.core.events import Event, Started
from kifold.core.fields import fields_of
from kifold.core.play import fold
from kifold.core.ruleset import NOBODY, Ruleset
from tests.core import toy
from tests.core.toy import RACE, RaceSetup, Roll, Step, race
from tests.rulesets.harness import (
    Adapter,
    assert_agrees_with_oracle,
    assert_covers,
    assert_plays_alike,
    assert_two_ways,
    folder,
    mutants,
    random_event,
    random_logs,
)


class Oracle:
    """The race once more."""

    def __init__(self, started: Started) -> None:
        self.goal, self.seats = started.options["goal"], started.seats
        self.total, self.steps = started.setup.begin, []
        self.due = False

    def to_move(self) -> int | str | None:
        if self.total >= self.goal:
            return None
        return "chance" if self.due else len(self.steps) % self.seats

    def legal(self, seat: int) -> set[tuple]:
        return set() if self.total >= self.goal else {("step", seat, n) for n in (1, 2, 3)}

    def chance(self) -> set[tuple]:
        return {("roll", n) for n in range(1, 7)}

    def reasons(self, event: tuple) -> set[str]:
        over = {"match_over"} if self.total >= self.goal else set()
        if event[0] == "roll":
            return over if self.due else over | {"no_roll_due"}
        tests = {
            "roll_due": self.due,
            "too_much": event[2] > 3,
            "no_such_seat": event[1] >= self.seats,
            "not_your_turn": event[1] != len(self.steps) % self.seats,
        }
        return over | {reason for reason, holds in tests.items() if holds}

    def apply(self, event: tuple) -> set[str]:
        self.total += event[-1]
        if event[0] == "roll":
            self.due = False
        else:
            self.steps.append(event)
            self.due = len(self.steps) % 3 == 0 and self.total < self.goal
        effects = {"roll_came_due"} if self.due else set()
        return effects | {"reached"} if self.total >= self.goal else effects

    def result(self) -> list[dict[str, Any]]:
        scores = [sum(event[2] for event in self.steps if event[1] == seat) for seat in range(self.seats)]
        ranks = [1 + sum(other > score for other in scores) for score in scores]
        return [
            {"rank": rank, "shared": ranks.count(rank) > 1, "score": score, "pair": (seat, len(self.steps))}
            for seat, (rank, score) in enumerate(zip(ranks, scores, strict=True))
        ]

    def position(self) -> dict[str, Any]:
        return {"total": self.total, "due": self.due}


def to_oracle(event: Event) -> tuple:
    return ("roll", event.die) if isinstance(event, Roll) else ("step", event.seat, event.amount)


def adapter(ruleset: Ruleset) -> Adapter:
    def position(state: Any) -> dict[str, Any]:
        return {"total": state.total, "due": bool(state.is_roll_due)}

    return Adapter(ruleset, Oracle, to_oracle, position, Oracle.chance)


LOGS = random_logs(RACE, count=6, seed=1) + random_logs(RACE, "more", seats=4, count=6, seed=2)


def test_agreement_and_cover() -> None:
    seen = assert_agrees_with_oracle(adapter(RACE), LOGS, folder=folder(RACE))
    assert seen.positions == sum(len(log) + 1 for _, log in LOGS)
    assert_covers(RACE, seen, minimum=10, never=["too_far"])
    with pytest.raises(AssertionError, match="reason too_far"):
        assert_covers(RACE, seen, minimum=10)
    with pytest.raises(AssertionError, match="effect reached"):
        assert_covers(RACE, seen, minimum=13, never=["too_far"])
    assert (seen + seen).positions == 2 * seen.positions
    few = assert_agrees_with_oracle(adapter(RACE), LOGS, every=1000)
    assert few.positions == 2 * len(LOGS)


def faulty(**rules: Callable[..., Any]) -> Ruleset:
    return race(rules=replace(RACE.rules, **rules))


def strict_check(state: Any, event: Any) -> int:
    return toy.TOO_MUCH if event.tag == toy.STEP and event.amount == 3 else toy.check(state, event)


def loose_check(state: Any, event: Any) -> int:
    reason = toy.check(state, event)
    return 0 if reason == toy.TOO_MUCH else reason


def mixed_check(state: Any, event: Any) -> int:
    reason = toy.check(state, event)
    return toy.OVER if reason == toy.NOT_YOUR_TURN else reason


def silent_apply(state: Any, event: Any) -> int:
    return toy.apply(state, event) & ~toy.MADE_ROLL_DUE


def short_legal(state: Any, seat: int, out: Any) -> int:
    return max(0, toy.legal(state, seat, out) - 1)


def long_turn(state: Any) -> int:
    seat = toy.turn(state)
    return 0 if seat == NOBODY else seat


def even_result(state: Any, result: Any) -> None:
    toy.result(state, result)
    result.rank[0] = 1


def greedy_apply(state: Any, event: Any) -> int:
    effects = toy.apply(state, event)
    state.gained[3] += 1
    return effects


FAULTS = {
    "check": (strict_check, loose_check, mixed_check),
    "apply": (silent_apply,),
    "legal": (short_legal,),
    "turn": (long_turn,),
    "result": (even_result,),
}
EACH_FAULT = [(name, fault) for name, faults in FAULTS.items() for fault in faults]


@pytest.mark.parametrize(("name", "fault"), EACH_FAULT)
def test_a_fault_in_the_rules_disagrees_with_the_oracle(name: str, fault: Callable[..., Any]) -> None:
    with pytest.raises((AssertionError, ValueError)):
        assert_agrees_with_oracle(adapter(faulty(**{name: fault})), LOGS)


@pytest.mark.parametrize(("name", "fault"), [*EACH_FAULT, ("apply", greedy_apply)])
def test_a_fault_in_one_way_only_differs(name: str, fault: Callable[..., Any]) -> None:
    with pytest.raises(AssertionError):
        assert_two_ways(faulty(**{name: fault}), LOGS, folder(RACE))


def test_a_fault_in_drawing_plays_another_match() -> None:
    def other_chance(setup: Any, random: Any) -> None:
        toy.chance(setup, random)
        setup.begin += 1

    with pytest.raises(AssertionError):
        assert_plays_alike(faulty(chance=other_chance), RACE.start(), folder(RACE), seed=1, count=3)


def test_setups_that_are_refused_are_refused_both_ways() -> None:
    logs = [(RACE.start(options={"goal": 20}, setup=RaceSetup(n)), [Step(0, 1)]) for n in (0, 20, 30)]
    assert_two_ways(RACE, logs, folder(RACE))


def test_mutants_are_valid_events_and_mostly_illegal_logs() -> None:
    rng, refused = random.Random(1), 0
    for started, log in LOGS:
        changed = mutants(RACE, log, 28, rng)
        assert len(changed) == 28
        for mutant in changed:
            assert all(valid(RACE, event) == event for event in mutant)
            refused += fold(RACE, started, mutant)[1] is not None
    assert 28 * len(LOGS) * 0.4 < refused < 28 * len(LOGS)
    events = [random_event(RACE, rng) for _ in range(400)]
    for kind in (Step, Roll):
        for field in fields_of(kind):
            values = {getattr(event, field.name) for event in events if type(event) is kind}
            assert values == set(range(field.low, field.high + 1))
