"""Events and logs that are mostly wrong: random within the ranges of their fields, or changed from right ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from kifold.core.codec import valid
from kifold.core.events import Event
from kifold.core.fields import Field, fields_of
from kifold.core.ruleset import Ruleset


def random_event(ruleset: Ruleset, rng: random.Random) -> Event:
    """An event of any type of the ruleset, each field anywhere in its range."""
    kind = rng.choice(ruleset.events)
    return _valid(ruleset, lambda: kind(*(_random_value(field, rng) for field in fields_of(kind))))


def changed(ruleset: Ruleset, event: Event, rng: random.Random) -> Event:
    """The event with one field changed, within its range."""
    fields = fields_of(type(event))
    if not fields:
        return random_event(ruleset, rng)

    def make() -> Event:
        field = rng.choice(fields)
        return msgspec.structs.replace(event, **{field.name: _changed_value(field, getattr(event, field.name), rng)})

    return _valid(ruleset, make)


def wrong_events(ruleset: Ruleset, near: Sequence[Event], count: int, rng: random.Random) -> list[Event]:
    """Events to ask about: some of `near` as they are, some changed once or twice, some anywhere."""
    events = []
    for i in range(count):
        if not near or i % 4 == 0:
            events.append(random_event(ruleset, rng))
            continue
        event = rng.choice(near)
        if i % 4 >= 2:
            event = changed(ruleset, event, rng)
        if i % 4 == 3:
            event = changed(ruleset, event, rng)
        events.append(event)
    return events


def mutants(ruleset: Ruleset, log: Sequence[Event], count: int, rng: random.Random) -> list[list[Event]]:
    """Logs made from a legal one: events swapped, dropped, doubled, changed, put in, or the end cut off."""
    ways = (_swap, _drop, _double, _change, _insert, _cut, _shuffle_tail)
    return [ways[i % len(ways)](ruleset, list(log), rng) for i in range(count)]


def _swap(ruleset: Ruleset, log: list[Event], rng: random.Random) -> list[Event]:
    if len(log) > 1:
        i = rng.randrange(len(log) - 1)
        j = rng.choice((i + 1, rng.randrange(len(log))))
        log[i], log[j] = log[j], log[i]
    return log


def _drop(ruleset: Ruleset, log: list[Event], rng: random.Random) -> list[Event]:
    if log:
        del log[rng.randrange(len(log))]
    return log


def _double(ruleset: Ruleset, log: list[Event], rng: random.Random) -> list[Event]:
    if log:
        i = rng.randrange(len(log))
        log.insert(rng.randint(i, len(log)), log[i])
    return log


def _change(ruleset: Ruleset, log: list[Event], rng: random.Random) -> list[Event]:
    if log:
        i = rng.randrange(len(log))
        log[i] = changed(ruleset, log[i], rng)
    return log


def _insert(ruleset: Ruleset, log: list[Event], rng: random.Random) -> list[Event]:
    log.insert(rng.randint(0, len(log)), random_event(ruleset, rng))
    return log


def _cut(ruleset: Ruleset, log: list[Event], rng: random.Random) -> list[Event]:
    return log[: rng.randint(0, len(log))]


def _shuffle_tail(ruleset: Ruleset, log: list[Event], rng: random.Random) -> list[Event]:
    at = rng.randint(0, len(log))
    tail = log[at:]
    rng.shuffle(tail)
    return log[:at] + tail


def _valid(ruleset: Ruleset, make: Any) -> Event:
    """Made again until it passes the door: a list may have a least length, which its field does not tell."""
    for _ in range(100):
        try:
            return valid(ruleset, make())
        except msgspec.ValidationError:
            continue
    raise AssertionError("no valid event found in 100 tries")


def _random_value(field: Field, rng: random.Random) -> Any:
    if field.kind == "bool":
        return rng.random() < 0.5
    if field.kind == "int":
        return rng.randint(field.low, field.high)
    length = rng.randint(0, rng.choice((min(4, field.length), field.length)))
    return tuple(rng.randint(field.low, field.high) for _ in range(length))


def _changed_value(field: Field, value: Any, rng: random.Random) -> Any:
    if field.kind == "bool":
        return not value
    if field.kind == "int":
        return _changed_number(field, value, rng)
    return _changed_list(field, list(value), rng)


def _changed_number(field: Field, value: int, rng: random.Random) -> int:
    near = [n for n in (value - 1, value + 1) if field.low <= n <= field.high]
    return rng.choice(near) if near and rng.random() < 0.5 else rng.randint(field.low, field.high)


def _changed_list(field: Field, values: list[int], rng: random.Random) -> tuple[int, ...]:
    way = rng.choice(("change", "drop", "add", "double", "swap", "sort"))
    at = rng.randrange(len(values)) if values else 0
    if not values or way == "add":
        values.insert(at, rng.randint(field.low, field.high))
    elif way == "change":
        values[at] = _changed_number(field, values[at], rng)
    elif way == "drop":
        del values[at]
    elif way == "double":
        values.insert(at, values[at])
    elif way == "swap":
        values.append(values.pop(at))
    else:
        values.sort()
    return tuple(values[: field.length])
