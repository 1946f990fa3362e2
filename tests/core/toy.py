"""A race for the tests of core: seats add 1 … 3 to a total in turn; after every third step chance adds a die."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from kifold.core.emit import EventRecord, Out, slot
from kifold.core.events import Event, Setup, Started
from kifold.core.names import LEGAL, Effects, Reasons
from kifold.core.options import Option, Variant
from kifold.core.ranking import rank_by_score
from kifold.core.records import DERIVED, I8, I16, SCRATCH, Array, Record
from kifold.core.rng import Random, below
from kifold.core.ruleset import CHANCE, NOBODY, Notation, Rules, Ruleset
from kifold.core.scene import Scene

MOST = 3
FACES = 6
STEP, ROLL = 16, 17


class Step(Event, tag=16):
    """A seat adds an amount."""

    seat: Annotated[int, Meta(ge=0, le=3)]
    amount: Annotated[int, Meta(ge=1, le=MOST + 1)]


class Roll(Event, tag=17):
    """Chance adds the number of a die."""

    die: Annotated[int, Meta(ge=1, le=FACES)]


class RaceSetup(Setup):
    """Where the total begins."""

    begin: Annotated[int, Meta(ge=0, le=50)] = 0


class State(Record):
    seats: I8
    goal: I16
    total: I16
    steps: I16
    is_roll_due: I8
    gained: Annotated[list[int], Array("i2", 4)]
    turn: Annotated[I8, DERIVED]
    room: Annotated[list[int], Array("i8", 2), SCRATCH]


class Result(Record):
    rank: Annotated[list[int], Array("i1", 4)]
    score: Annotated[list[int], Array("i2", 4)]
    pair: Annotated[list[int], Array("i2", 8)]


REASONS = Reasons()
TOO_FAR = REASONS.name("too_far", "1", "a match begins below its goal")
OVER = REASONS.name("match_over", "2", "the goal is reached")
ROLL_DUE = REASONS.name("roll_due", "3", "the die comes first")
NO_ROLL_DUE = REASONS.name("no_roll_due", "3", "the die is not due")
TOO_MUCH = REASONS.name("too_much", "4", "more than may be added")
NO_SUCH_SEAT = REASONS.name("no_such_seat", "5", "there are fewer seats")
NOT_YOUR_TURN = REASONS.name("not_your_turn", "6", "another seat is next")
EFFECTS = Effects()
MADE_ROLL_DUE = EFFECTS.name("roll_came_due", "3", "it was a third step")
REACHED = EFFECTS.name("reached", "2", "the goal is reached")


def set_up(state: State, setup: EventRecord) -> int:
    state.seats = setup.seats
    state.goal = setup.goal
    state.total = setup.begin
    return TOO_FAR if setup.begin >= setup.goal else LEGAL


def check(state: State, event: EventRecord) -> int:
    if state.total >= state.goal:
        return OVER
    if event.tag == ROLL:
        return LEGAL if state.is_roll_due else NO_ROLL_DUE
    if state.is_roll_due:
        return ROLL_DUE
    if event.amount > MOST:
        return TOO_MUCH
    if event.seat >= state.seats:
        return NO_SUCH_SEAT
    return LEGAL if event.seat == state.turn else NOT_YOUR_TURN


def apply(state: State, event: EventRecord) -> int:
    effects = 0
    if event.tag == ROLL:
        state.is_roll_due = 0
        state.total += event.die
    else:
        state.steps += 1
        state.total += event.amount
        state.gained[event.seat] += event.amount
        state.turn = (state.turn + 1) % state.seats
        if state.steps % 3 == 0 and state.total < state.goal:
            state.is_roll_due = 1
            effects |= MADE_ROLL_DUE
    return effects | REACHED if state.total >= state.goal else effects


def legal(state: State, seat: int, out: Out) -> int:
    n = 0
    if state.total >= state.goal:
        return n
    for number in range(1, (FACES if seat == CHANCE else MOST) + 1):
        event = slot(out, n)
        if seat == CHANCE:
            event.tag = ROLL
            event.die = number
        else:
            event.tag = STEP
            event.seat = seat
            event.amount = number
        n += 1
    return n


def turn(state: State) -> int:
    if state.total >= state.goal:
        return NOBODY
    return CHANCE if state.is_roll_due else state.turn


def actor(state: State, event: EventRecord) -> int:
    return CHANCE if event.tag == ROLL else event.seat


def result(state: State, result: Result) -> None:
    for seat in range(state.seats):
        result.score[seat] = state.gained[seat]
        result.pair[2 * seat] = seat
        result.pair[2 * seat + 1] = state.steps
    rank_by_score(result, state.seats)


def greedy(state: State, out: Out, n: int, random: Random) -> int:
    return n - 1


def chance(setup: EventRecord, random: Random) -> None:
    setup.begin = below(random, 4)


def write(started: Started, event: Event) -> str:
    return f"+{event.amount}" if isinstance(event, Step) else f"die{event.die}"


def read(started: Started, state: Any, text: str) -> Event:
    return Step(state.turn, int(text))


def race(name: str = "race", **changes: Any) -> Ruleset:
    """The race as a ruleset, with other parts where `changes` names them."""
    parts: dict[str, Any] = {
        "revision": 1,
        "title": "Race",
        "variants": (Variant("two", "two seats", (2,)), Variant("more", "up to four", (3, 4), (), {"goal": 60})),
        "options": (Option("goal", "1", "where the race ends", low=1, high=1000, default_number=30),),
        "actions": (Step,),
        "chance": (Roll,),
        "setup": RaceSetup,
        "state": State,
        "result": Result,
        "reasons": REASONS,
        "effects": EFFECTS,
        "rules": Rules(set_up, check, apply, legal, turn, result, actor=actor, greedy=greedy, chance=chance),
        "notation": Notation(write, read, "+2"),
        "picture": lambda started, state: Scene(1, 1),
        "opening": lambda started, events: " ".join(write(started, event) for event in events),
    }
    return Ruleset(name=name, **(parts | changes))


RACE = race()
