"""The race of `tests.core.toy` as later versions declare it: 2 adds, 3 retires. Logs of 1 have to outlive both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from importlib.metadata import EntryPoint
from typing import Annotated, Any

import pytest
from msgspec import Meta

from kifold.core import registry
from kifold.core.emit import EventRecord, Out
from kifold.core.events import Event, Setup, Started
from kifold.core.evolution import Upcaster
from kifold.core.fields import between, named, since
from kifold.core.options import Option
from kifold.core.records import Array, Record
from kifold.core.rules import Rules
from kifold.core.ruleset import Notation, Ruleset
from tests.core import toy
from tests.core.toy import MOST, ROLL, Roll, State, race

TOSS = 19
CUPS = ("hand", "cup")


class Step(Event, tag=16):
    """A seat adds an amount: up to 300 now, and perhaps a bonus."""

    seat: Annotated[int, Meta(ge=0, le=3)]
    amount: Annotated[int, Meta(ge=1, le=300)]
    bonus: Annotated[int, between(0, 9), since(2)] = 0
    tricks: Annotated[tuple[Annotated[int, between(0, 400)], ...], Meta(max_length=2), since(2)] = ()
    is_loud: Annotated[bool, since(2)] = False


class Throw(Event, tag=18):
    """What `Roll` became, with faces from 0; retired itself."""

    face: Annotated[int, between(0, 5)]


class Toss(Event, tag=TOSS):
    """Chance adds the number of a die, from the hand or from a cup."""

    die: Annotated[int, between(1, 6)]
    of: Annotated[int, named(CUPS)]


class RaceSetup(Setup):
    """Where the total begins, and who is given something."""

    begin: Annotated[int, Meta(ge=0, le=50)] = 0
    given: Annotated[int, between(0, 9), since(2)] = 0


class Result(Record):
    """With one component more."""

    rank: Annotated[list[int], Array("i1", 4)]
    score: Annotated[list[int], Array("i2", 4)]
    pair: Annotated[list[int], Array("i2", 8)]
    total: Annotated[list[int], Array("i2", 4)]


def set_up(state: State, setup: EventRecord) -> int:
    reason = toy.set_up(state, setup)
    state.total += setup.given + setup.extra
    return reason


def check(state: State, event: EventRecord) -> int:
    return toy.check(state, as_once(event))


def apply(state: State, event: EventRecord) -> int:
    state.total += event.bonus
    return toy.apply(state, as_once(event))


def actor(state: State, event: EventRecord) -> int:
    return toy.actor(state, as_once(event))


def legal(state: State, seat: int, out: Out) -> int:
    n = toy.legal(state, seat, out)
    for event in out[:n]:
        event.tag = TOSS if event.tag == ROLL else event.tag
    return n


def result(state: State, result: Result) -> None:
    toy.result(state, result)
    result.total[0] = state.total


def as_once(event: EventRecord) -> EventRecord:
    once = copy(event)
    once.tag = ROLL if event.tag == TOSS else event.tag
    return once


def write(started: Started, event: Event) -> str:
    return f"+{event.amount}" if isinstance(event, Step) else f"die{event.die}"


CHANGES: dict[str, Any] = {
    "schema": 2,
    "options": (*toy.RACE.options, Option("extra", "7", "what is added", low=0, high=9, since=2)),
    "actions": (Step,),
    "setup": RaceSetup,
    "result": Result,
    "rules": Rules(set_up, check, apply, legal, toy.turn, result, actor=actor),
    "notation": Notation(write, toy.read, "+2"),
    "opening": lambda started, events: " ".join(write(started, event) for event in events),
}

FIRST = toy.RACE
ADDED = race(**CHANGES)
RETIRED = race(
    **CHANGES
    | {
        "schema": 3,
        "chance": (Toss,),
        "upcasters": (
            Upcaster(Roll, Throw, lambda event: Throw(event.die - 1)),
            Upcaster(Throw, Toss, lambda event: Toss(event.face + 1, CUPS.index("hand"))),
        ),
    }
)
LATER = (ADDED, RETIRED)
each_later = pytest.mark.parametrize("rules", LATER, ids=["added", "retired"])


@contextmanager
def installed(rules: Ruleset) -> Iterator[None]:
    """One of them is the registered `race` in this process."""
    real = registry.entries
    entry = EntryPoint("race", f"{__name__}:{next(k for k, v in globals().items() if v is rules)}", registry.GROUP)
    found = {**real(), "race": entry}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "entries", lambda: found)
        registry.ruleset.cache_clear()
        yield
    registry.ruleset.cache_clear()


def steps(count: int) -> list[Event]:
    """The beginning of a match of two seats as version 1 writes it: a die after every third step."""
    log: list[Event] = []
    for number in range(count):
        log.append(toy.Step(number % 2, number % MOST + 1))
        if number % 3 == 2:
            log.append(Roll(number % 6 + 1))
    return log
