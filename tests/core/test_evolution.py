"""Logs outlive the declaration that they were written under: same bytes, same digest, same fold."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.core.codec import decode, decode_started, digest, encode, from_json, setup_to_json, to_json, with_setup
from kifold.core.corpus import Corpus, array_of, flat_events
from kifold.core.declared import DeclarationError
from kifold.core.events import Event, Finished, Started, Undone
from kifold.core.evolution import Upcaster, newer_defaults, written
from kifold.core.fields import between, fields_of, since
from kifold.core.options import Option, RulesetError
from kifold.core.play import fold
from kifold.core.ruleset import Ruleset
from kifold.core.schema import json_schema
from kifold.core.wire import encode_corpus
from kifold.replay.timeline import Timeline
from tests.core import toy
from tests.core.ages import ADDED, FIRST, RETIRED, RaceSetup, Step, Throw, Toss, each_later, steps
from tests.core.every import any_of
from tests.core.toy import Roll, race

STARTED = FIRST.start(options={"goal": 40}, setup=toy.RaceSetup(2))
LOG = [*steps(9), Undone(10), *steps(9)[10:], Finished(0)]
WHOLE = [encode(STARTED), *map(encode, LOG)]


def read(rules: Ruleset) -> tuple[Started, list[Event]]:
    return with_setup(rules, decode_started(WHOLE[0])), [decode(rules, data) for data in WHOLE[1:]]


@each_later
def test_a_later_version_reads_older_bytes_and_writes_the_same(rules: Ruleset) -> None:
    started, log = read(rules)
    assert started.setup == RaceSetup(2, 0)
    assert log[0] == Step(0, 1, 0, (), is_loud=False)
    assert [encode(started), *map(encode, log)] == WHOLE
    assert digest(started, log) == digest(STARTED, LOG)


@each_later
def test_and_the_same_json(rules: Ruleset) -> None:
    started, log = read(rules)
    assert list(map(to_json, log)) == list(map(to_json, LOG))
    assert setup_to_json(started.setup) == setup_to_json(STARTED.setup) == {"begin": 2}
    assert [from_json(rules, to_json(event)) for event in LOG] == log


@each_later
def test_and_folds_it_to_the_same_states(rules: Ruleset) -> None:
    was, now = fold(FIRST, STARTED, LOG), fold(rules, *read(rules))
    assert was[1] is now[1] is None
    assert (now[0].state, now[0].effects, now[0].seats) == (was[0].state, was[0].effects, was[0].seats)
    assert now[0].snapshots == was[0].snapshots
    plies = [Timeline(*match) for match in ((FIRST, STARTED, LOG), (rules, *read(rules)))]
    assert [ply.state for ply in plies[1]] == [ply.state for ply in plies[0]]
    assert [ply.seq for ply in plies[1]] == [ply.seq for ply in plies[0]]


def test_a_retired_event_is_kept_as_it_was_and_folded_as_what_it_became() -> None:
    play, _ = fold(RETIRED, *read(RETIRED))
    assert play.log[3] == Roll(3)
    assert play.effective[3] == (4, Toss(3, 0))
    assert RETIRED.lift(Throw(5)) == Toss(6, 0)
    assert RETIRED.lift(Step(0, 1)) == Step(0, 1)
    assert {type(event) for event in Timeline(RETIRED, *read(RETIRED)).events} == {Step, Toss, Undone, Finished}


def test_only_the_last_newer_fields_are_left_out_and_only_with_their_default() -> None:
    assert encode(Step(1, 3)) == encode(toy.Step(1, 3)) == bytes([0x93, 16, 1, 3])
    assert encode(Step(1, 3, 5)) == bytes([0x94, 16, 1, 3, 5])
    assert encode(Step(1, 3, 0, (7,))) == bytes([0x95, 16, 1, 3, 0, 0x91, 7])
    assert encode(Step(1, 3, 0, (), is_loud=True)) == bytes([0x96, 16, 1, 3, 0, 0x90, 0xC3])
    assert encode(Toss(1, 0)) == bytes([0x93, 19, 1, 0])
    started = ADDED.start(setup=RaceSetup(0, 4))
    assert with_setup(ADDED, decode_started(encode(started))) == started
    with pytest.raises(msgspec.ValidationError, match="at most length"):
        decode(FIRST, encode(Step(1, 3, 5)))


class Begun(msgspec.Struct):
    """As event 0 would be with fields that are no fields of events."""

    options: dict[str, int]
    parent: Annotated[str, since(2)] = ""
    more: Annotated[dict[str, int], since(3)] = {}


def test_event_0_can_grow_too() -> None:
    assert newer_defaults(Begun) == ("", {})
    assert written(Begun({})) == ({},)
    assert written(Begun({}, "x")) == ({}, "x")
    assert written(Begun({}, "", {"a": 1})) == ({}, "", {"a": 1})


@given(st.lists(any_of(Step) | any_of(Toss), max_size=8))
def test_many_at_once_are_the_same_bytes(events: list[Any]) -> None:
    events += [Step(1, 3), Step(1, 3, 0, (0,)), Step(1, 3, 1), Step(1, 3, is_loud=True)]
    rows = array_of(RETIRED.event_record, [RETIRED.flatten(event) for event in events])
    assert flat_events(RETIRED, events).tobytes() == rows.tobytes()
    out, ends = encode_corpus(RETIRED, rows, np.array([0, len(rows)]))
    assert out.tobytes() == b"".join(map(encode, events))
    assert ends.tolist() == [0, len(out)]
    assert [decode(RETIRED, encode(event)) for event in events] == events


@each_later
def test_many_older_events_at_once(rules: Ruleset) -> None:
    started, log = read(rules)
    plays = [event for event in log if type(event) is Step]
    corpus = Corpus.of(rules, [(started, plays)])
    assert encode_corpus(rules, corpus.events, corpus.starts)[0].tobytes() == b"".join(map(encode, plays))
    assert Corpus.of(RETIRED, [(started, [Roll(2)])]).log(0) == [Toss(2, 0)]


def test_an_older_log_has_the_older_options() -> None:
    assert ADDED.start(schema=1).options == {"goal": 30}
    assert ADDED.start(options={"extra": 3}, schema=1).options == {"goal": 30, "extra": 3}
    assert ADDED.start().options == {"goal": 30, "extra": 0}
    ADDED.expect_schema(STARTED)
    with pytest.raises(RulesetError, match="is of schema 3 of race, here it is known up to schema 2: install a newer"):
        ADDED.expect_schema(RETIRED.start())


def test_what_is_written_today_is_what_is_offered() -> None:
    with pytest.raises(ValueError, match="no event 'dice' in race: choose from step, toss, finished"):
        from_json(RETIRED, {"event": "dice"})
    deprecated = {one["properties"]["event"]["const"] for one in json_schema(RETIRED)["oneOf"] if "deprecated" in one}
    assert deprecated == {"roll", "throw"}


def test_a_field_says_since_when_beside_what_else_it_says() -> None:
    assert [(field.name, field.since) for field in fields_of(Step)] == [
        ("seat", 1),
        ("amount", 1),
        ("bonus", 2),
        ("tricks", 2),
        ("is_loud", 2),
    ]
    assert fields_of(Step)[2].high == 9


class Shuffled(Event, tag=20):
    one: Annotated[int, between(0, 1), since(3)] = 0
    two: Annotated[int, between(0, 1), since(2)] = 0


class Bare(Event, tag=20):
    one: Annotated[int, between(0, 1), since(2)]


class Filled(Event, tag=20):
    one: Annotated[tuple[Annotated[int, between(0, 1)], ...], msgspec.Meta(max_length=2), since(2)] = (0,)


class Again(Event, tag=16):
    """Has the tag of a step."""


class Deed:
    class Step(Event, tag=21):
        """Has the word of a step."""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"actions": (Shuffled,)}, "Shuffled.two is since 2: newer fields come last, and schema 3 is the newest"),
        ({"schema": 1, "actions": (Bare,)}, "Bare.one is since 2: newer fields come last, and schema 1"),
        ({"actions": (Bare,)}, "Bare.one: a field that is added has a default"),
        ({"actions": (Filled,)}, "Filled.one: a field that is added has a default, a list the empty one"),
        ({"options": (Option("goal", "1", "", (1,), since=4),)}, "option goal is since 4, schema is 3"),
        ({"upcasters": (Upcaster(Throw, Toss, print),)}, "Throw becomes Toss, which is neither declared nor retired"),
        ({"upcasters": (Upcaster(Again, Roll, print),)}, "two things are called 16"),
        ({"upcasters": (Upcaster(Deed.Step, Roll, print),)}, "two things are called step"),
    ],
)
def test_what_cannot_work_is_said_when_a_ruleset_is_made(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        race(**{"schema": 3} | changes)
