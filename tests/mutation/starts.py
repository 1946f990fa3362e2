"""Matches to look for killers in: any variant, readings, seats and policy, and setups by hand, right and wrong."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec

from kifold.core.codec import valid_started
from kifold.core.emit import Out
from kifold.core.events import Event, OptionValue, Setup, Started
from kifold.core.fields import Field, fields_of
from kifold.core.flat import unflatten
from kifold.core.options import RulesetError, Variant
from kifold.core.play import Play, Refused
from kifold.core.rng import Random, seed_random
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.core.samples import started_with_chance

SetupBy = Callable[[Variant, random.Random], Setup]
Given = tuple[str, dict[str, OptionValue]]
"""A variant, or nothing, and some readings."""
Policy = Callable[[Play, list[Event], random.Random], Event]
Tries = Callable[[Play, random.Random], list[Event]]


def any_start(ruleset: Ruleset, rng: random.Random, by_hand: SetupBy | None, given: Given) -> Started:
    """Event 0 of a match with any variant, seats and readings but those given; drawn, or set up by hand where `by_hand`
    does that.
    """
    wanted, readings = given
    variant = ruleset.variant(wanted) if wanted else rng.choice(ruleset.variants)
    options = {
        option.name: rng.choice(option.values or [_number(option.low, option.high, rng)])
        for option in ruleset.options
        if option.name not in variant.fixed and rng.random() < 0.5
    } | readings
    setup = by_hand(variant, rng) if by_hand and rng.random() < 0.6 else None
    started = ruleset.start(variant.name, options, rng.choice(variant.seats), setup=setup)
    return started_with_chance(ruleset, started, rng.randrange(1 << 40))


def _number(low: int, high: int, rng: random.Random) -> OptionValue:
    return rng.choice((low, min(low + 1, high), min(low + rng.randrange(1, 60), high), rng.randint(low, high)))


def damaged(ruleset: Ruleset, started: Started, rng: random.Random) -> Started:
    """A start with one or two fields of its setup changed within their ranges."""
    for _ in range(100):
        setup = started.setup
        for _ in range(rng.choice((1, 1, 2))):
            field = rng.choice(fields_of(ruleset.setup) or (None,))
            if field is None:
                return started
            value = _changed(field, getattr(setup, field.name), rng)
            setup = msgspec.structs.replace(setup, **{field.name: value})
        try:
            return valid_started(ruleset, msgspec.structs.replace(started, setup=setup))
        except (msgspec.ValidationError, RulesetError):
            continue
    return started


def _changed(field: Field, value: Any, rng: random.Random) -> Any:
    if field.kind != "ints":
        near = [n for n in (value - 1, value + 1) if field.low <= n <= field.high]
        return rng.choice([*near, rng.randint(field.low, field.high)])
    values, way = list(value), rng.randrange(6)
    at = rng.randrange(len(values)) if values else 0
    if not values or way == 0:
        values.insert(at, rng.randint(field.low, field.high))
    elif way == 1:
        values[at] = rng.randint(field.low, field.high)
    elif way == 2:
        del values[at]
    elif way == 3:
        values[at] = rng.choice(values)
    elif way == 4:
        other = rng.randrange(len(values))
        values[at], values[other] = values[other], values[at]
    else:
        values[at] = max(field.low, min(field.high, values[at] + rng.choice((-1, 1))))
    return tuple(values[: field.length])


def is_refused(ruleset: Ruleset, started: Started) -> bool:
    try:
        Play(ruleset, started)
    except Refused:
        return True
    return False


def any_log(ruleset: Ruleset, started: Started, rng: random.Random, limit: int, policy: Policy | None) -> list[Event]:
    """The first events of a match: random, greedy, by a policy, or with a mind to one kind of event or to one field."""
    play, drawing, way, field = Play(ruleset, started), Random(), rng.randrange(4), rng.random()
    seed_random(drawing, rng.randrange(1 << 40), 0, 1)
    while (seat := play.turn) != NOBODY and len(play.log) < limit:
        out = Out(ruleset.event_record)
        n = ruleset.rules.legal(play.state, seat, out)
        i = ruleset.rules.greedy(play.state, out, n, drawing) if way == 1 and seat >= 0 else rng.randrange(n)
        event = unflatten(ruleset, out[i])
        if way > 1 and seat >= 0:
            events = [unflatten(ruleset, record) for record in out]
            event = policy(play, events, rng) if policy and way == 2 else _minded(events, field, rng)
        play.add(event)
    return play.log


def _minded(events: list[Event], field: float, rng: random.Random) -> Event:
    """Mostly the event that is last (or first) by one of its fields, so that stacks grow and hands run short."""
    kind = type(rng.choice(events)) if field < 0.5 else type(events[-1])
    of_kind = [event for event in events if type(event) is kind]
    names = [one.name for one in fields_of(kind)]
    if rng.random() < 0.2 or not names:
        return rng.choice(of_kind)
    name = names[int(field * 997) % len(names)]
    take = max if int(field * 7919) % 2 else min
    return take(of_kind, key=lambda event: getattr(event, name))
