"""Bytes, JSON and digests of the events of every ruleset: they come back as they went; errors are one clear line."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kifold.core import registry
from kifold.core.codec import (
    decode,
    decode_started,
    digest,
    encode,
    from_json,
    to_json,
    valid,
    with_setup,
)
from kifold.core.events import COMMON, ENDINGS, Finished, Noted, Resigned, Undone
from kifold.core.fields import fields_of
from kifold.core.ruleset import Ruleset
from tests.core.every import any_of
from tests.core.toy import RACE, RaceSetup, Roll, Step

RULESETS = [registry.ruleset(name) for name in registry.names()] + [RACE]
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)


@each_ruleset
@given(data=st.data())
def test_events_come_back(ruleset: Ruleset, data: Any) -> None:
    event = data.draw(st.one_of([any_of(kind) for kind in ruleset.events + COMMON]))
    assert decode(ruleset, encode(event)) == event
    assert type(decode(ruleset, encode(event))) is type(event)
    said = msgspec.json.decode(msgspec.json.encode(to_json(event)))
    assert from_json(ruleset, said) == event
    assert valid(ruleset, event) == event


@each_ruleset
@given(data=st.data())
def test_event_0_comes_back(ruleset: Ruleset, data: Any) -> None:
    variant = data.draw(st.sampled_from(ruleset.variants))
    free = [option for option in ruleset.options if option.name not in variant.fixed]
    readings = {o.name: st.sampled_from(o.values) if o.values else st.integers(o.low, o.high) for o in free}
    options = data.draw(st.fixed_dictionaries(readings))
    text = st.text(st.characters(exclude_categories=["Cs"]))
    tags = data.draw(st.dictionaries(text, text, max_size=3))
    setup = data.draw(any_of(ruleset.setup))
    started = ruleset.start(variant.name, options, data.draw(st.sampled_from(variant.seats)), tags, setup)
    assert with_setup(ruleset, decode_started(encode(started))) == started
    assert ruleset.make_setup(msgspec.to_builtins(setup)) == setup
    named = {field.name: getattr(setup, field.name) for field in fields_of(ruleset.setup)}
    assert ruleset.make_setup(named) == setup


@each_ruleset
@given(data=st.data())
def test_wrong_json_is_refused_in_one_line(ruleset: Ruleset, data: Any) -> None:
    kind = data.draw(st.sampled_from(sorted(ruleset.kinds)))
    names = [field.name for field in fields_of(ruleset.kinds[kind])]
    said = {"event": kind} | {name: data.draw(ANY_JSON) for name in names}
    try:
        event = from_json(ruleset, said)
    except ValueError as refused:
        error = str(refused)
    else:
        assert decode(ruleset, encode(event)) == event
        return
    assert error.startswith("event ")
    assert "\n" not in error


@each_ruleset
@given(data=st.binary(max_size=40))
@example(data=b"")
@example(data=b"\xc0")
@example(data=b"\x91\xcc\xff")
def test_bytes_that_are_no_event(ruleset: Ruleset, data: bytes) -> None:
    try:
        event = decode(ruleset, data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return
    assert decode(ruleset, encode(event)) == event


@given(ANY_JSON)
def test_json_that_is_no_event(data: Any) -> None:
    with pytest.raises(ValueError, match=r"^(an event is an object|no event).*$"):
        from_json(RACE, data)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ([16, 0], "Expected `array` of at least length 3, got 2"),
        ([16, 0, 1, 7], "Expected `array` of at most length"),
        ([16, 0, 9], "Expected `int` <= 4"),
        ([16, 0, "1"], "Expected `int`, got `str`"),
        ([99, 0], "Invalid value 99"),
        ([0, "race"], "Invalid value 0"),
        ({"event": "step"}, "Expected `array`, got `object`"),
    ],
)
def test_bytes_are_validated(written: Any, said: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=f"^{said}"):
        decode(RACE, msgspec.msgpack.encode(written))


def test_the_door_validates_what_a_constructor_does_not() -> None:
    with pytest.raises(msgspec.ValidationError, match="Expected `int` <= 4"):
        valid(RACE, Step(0, 5))


def test_setups_are_validated() -> None:
    assert RACE.make_setup({}) == RaceSetup(0)
    for data, said in (
        ({"begin": 51}, "Expected `int` <= 50"),
        ({"start": 1}, "no field 'start' in a setup of race; fields: begin"),
        ([1, 2], "Expected `array` of at most length"),
        ("x", "Expected `array`, got `str`"),
    ):
        with pytest.raises(msgspec.ValidationError, match=said):
            RACE.make_setup(data)


def test_event_0_is_validated() -> None:
    plain = msgspec.to_builtins(RACE.start())
    for at, value in ((1, 5), (3, 0), (5, 17), (4, []), (6, [])):
        wrong = [value if i == at else part for i, part in enumerate(plain)]
        with pytest.raises(msgspec.ValidationError):
            decode_started(msgspec.msgpack.encode(wrong))


def test_text_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(ValueError, match="half a character"):
        from_json(RACE, {"event": "noted", "name": "\ud800"})


def test_bytes_are_canonical() -> None:
    assert encode(Step(1, 3)) == bytes([0x93, 16, 1, 3])
    assert encode(Undone(300)) == bytes([0x92, 3, 0xCD, 0x01, 0x2C])
    assert encode(Noted("C", ("x",))) == b"\x93\x04\xa1C\x91\xa1x"
    assert encode(Finished(2)) == bytes([0x92, 1, 2])
    assert encode(Resigned(0)) == bytes([0x92, 2, 0])
    assert to_json(Finished(1)) == {"event": "finished", "ending": ENDINGS[1]}


def test_tags_of_the_common_events_never_change() -> None:
    written = {kind.__name__: kind.__struct_config__.tag for kind in COMMON}
    assert written == {"Finished": 1, "Resigned": 2, "Undone": 3, "Noted": 4}
    assert ENDINGS[:3] == ("abandoned", "adjudicated", "agreed")
    assert encode(RACE.start())[:2] == bytes([0x99, 0])


# Digests


def test_a_digest_is_over_the_bytes_of_the_whole_log() -> None:
    started, log = RACE.start(), [Step(0, 1), Noted("C", ("x",)), Step(1, 1), Step(0, 2), Roll(6)]
    whole = b"".join([encode(started), *map(encode, log)])
    assert digest(started, log) == blake2b(whole, digest_size=16).digest()
    assert len({digest(started, log[:n]) for n in range(len(log) + 1)}) == len(log) + 1


@given(st.lists(any_of(Step) | any_of(Roll) | any_of(Noted), max_size=6), st.randoms())
def test_a_digest_tells_logs_apart(log: list, random: Any) -> None:
    other = list(log)
    random.shuffle(other)
    assert (digest(RACE.start(), log) == digest(RACE.start(), other)) == (log == other)
    assert digest(RACE.start(), log) != digest(RACE.start(options={"goal": 31}), log)
    assert digest(RACE.start(), log) != digest(RACE.start(tags={"a": "b"}), log)
