"""One declaration yields every form: fields, flat record, NumPy record, codec with validation, JSON."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from msgspec import Meta

from kifold.core.codec import decode, encode, from_json, to_json
from kifold.core.corpus import array_of
from kifold.core.events import Event, Noted, Setup, kind_of, tag_of
from kifold.core.fields import Field, fields_of, named, narrowest
from kifold.core.flat import event_record, flatten_setup, setup_record, unflatten, unflatten_setup
from kifold.core.records import from_numpy
from tests.core.every import EVERY, SUITS, Every, EverySetup, any_of
from tests.core.toy import RACE, ROLL, Roll

GOOD = Every(2, -5, 1000, -(1 << 40), (1 << 63) - 1, True, (300, 0), (1, 1, 0), 3)


def test_fields_are_read_from_the_declaration() -> None:
    fields = {field.name: field for field in fields_of(Every)}
    assert list(fields) == ["suit", "small", "middle", "wide", "widest", "flag", "numbers", "suits", "late"]
    assert fields["suit"] == Field("suit", "int", 0, 2, 0, SUITS, "its suit")
    assert fields["small"] == Field("small", "int", -5, 5, 0, (), "around nothing")
    assert fields["flag"] == Field("flag", "bool", 0, 1, 0, ("false", "true"))
    assert fields["numbers"] == Field("numbers", "ints", 0, 300, 4, (), "up to four")
    assert fields["suits"] == Field("suits", "ints", 0, 2, 3, SUITS, "", (0,))
    assert fields["late"].default == 7
    assert [field.code for field in fields.values()] == ["i1", "i1", "i2", "i8", "i8", "i1", "i2", "i1", "i1"]
    assert [field.kind for field in fields_of(Noted)] == ["text", "text"]


@pytest.mark.parametrize(
    ("low", "high", "code"),
    [(0, 127, "i1"), (-128, 0, "i1"), (0, 128, "i2"), (-129, 0, "i2"), (0, 1 << 31, "i8"), (-(1 << 31), 0, "i4")],
)
def test_the_narrowest_width_holds_the_range(low: int, high: int, code: str) -> None:
    assert narrowest(low, high) == code
    assert np.iinfo(f"<{code}").min <= low
    assert high <= np.iinfo(f"<{code}").max


def test_no_width_holds_more_than_64_bits() -> None:
    with pytest.raises(ValueError, match="no integer of 64 bits holds"):
        narrowest(0, 1 << 63)


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (int, "Bad.x: an integer needs Meta"),
        (Annotated[int, Meta(ge=0)], "Bad.x: an integer needs Meta"),
        (tuple[int, ...], "Bad.x: a list needs integers and Meta"),
        (Annotated[tuple[int, ...], Meta(max_length=3)], "Bad.x: an integer needs Meta"),
        (float, "Bad.x: <class 'float'> is no kind of field"),
        (dict[str, int], "Bad.x: dict"),
    ],
)
def test_a_declaration_without_bounds_is_an_error(hint: Any, said: str) -> None:
    bad = msgspec.defstruct("Bad", [("x", hint)])
    with pytest.raises(TypeError, match=said):
        fields_of(bad)


def test_names_and_tags_of_events() -> None:
    assert (kind_of(Every), tag_of(Every)) == ("every", 20)
    assert kind_of(EverySetup) == "every_setup"
    with pytest.raises(TypeError, match="needs an integer tag"):
        tag_of(Event)


# Flat records


def test_the_record_has_the_union_of_the_fields() -> None:
    class Other(Event, tag=21):
        middle: Annotated[int, Meta(ge=0, le=100_000)]
        numbers: Annotated[tuple[Annotated[int, Meta(ge=0, le=3)], ...], Meta(max_length=9)]
        own: bool

    slots = {slot.name: slot for slot in event_record((Every, Other)).slots}
    assert (slots["middle"].code, slots["middle"].length) == ("i4", 0)
    assert (slots["numbers"].code, slots["numbers"].length) == ("i2", 9)
    assert (slots["n_numbers"].code, slots["own"].code, slots["tag"].code) == ("i1", "i1", "i1")


def test_events_that_cannot_share_a_record() -> None:
    class Twin(Event, tag=20):
        pass

    class Number(Event, tag=22):
        numbers: Annotated[int, Meta(ge=0, le=3)]

    class Text(Event, tag=23):
        text: str

    for other, said in ((Twin, "share a tag"), (Number, "a number in one event and a list"), (Text, "numbers only")):
        with pytest.raises(TypeError, match=said):
            event_record((Every, other))


@given(any_of(Every))
def test_there_and_back_through_plain_and_numpy_records(event: Every) -> None:
    record = EVERY.flatten(event)
    assert unflatten(EVERY, record) == event
    row = array_of(EVERY.event_record, [record])
    assert unflatten(EVERY, from_numpy(EVERY.event_record, row[0])) == event
    assert row["n_numbers"][0] == len(event.numbers)
    assert row["numbers"][0].tolist() == [*event.numbers, *[0] * (4 - len(event.numbers))]


def test_an_event_is_flattened_through_the_door() -> None:
    flat = RACE.flatten(Roll(5))
    assert {slot.name: getattr(flat, slot.name) for slot in RACE.event_record.slots} == {
        "tag": ROLL, "seat": 0, "amount": 0, "die": 5,
    }  # fmt: skip
    for event, said in ((Roll(7), "<= 6"), (Roll(True), "got `bool`"), (Noted("comment"), "Invalid value 4")):
        with pytest.raises(msgspec.ValidationError, match=said):
            RACE.flatten(event)


@given(any_of(EverySetup))
def test_there_and_back_through_a_setup_record(setup: EverySetup) -> None:
    record = flatten_setup(EVERY, EVERY.start("more", {"goal": 700}, 4, setup=setup))
    assert unflatten_setup(EVERY, record) == setup
    assert (record.variant, record.seats, record.goal) == (1, 4, 700)
    assert {slot.name for slot in setup_record(Setup, EVERY.options).slots} == {"variant", "seats", "goal"}


# Codec and JSON


@given(any_of(Every))
def test_there_and_back_through_bytes_and_json(event: Every) -> None:
    assert decode(EVERY, encode(event)) == event
    assert from_json(EVERY, msgspec.json.decode(msgspec.json.encode(to_json(event)))) == event


def test_the_readable_form() -> None:
    assert to_json(GOOD) == {
        "event": "every", "suit": "spades", "small": -5, "middle": 1000, "wide": -(1 << 40), "widest": (1 << 63) - 1,
        "flag": True, "numbers": [300, 0], "suits": ["hearts", "hearts", "clubs"], "late": 3,
    }  # fmt: skip
    numbers = {"event": "every", "suit": 2, "suits": [1, "hearts", 0]}
    assert from_json(EVERY, to_json(GOOD) | numbers) == GOOD


def test_later_fields_have_defaults() -> None:
    said = {key: value for key, value in to_json(GOOD).items() if key not in ("suits", "late")}
    old = Every(*msgspec.structs.astuple(GOOD)[:7])
    assert from_json(EVERY, said) == old
    assert decode(EVERY, msgspec.msgpack.encode([20, *msgspec.to_builtins(GOOD)[1:8]])) == old


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"suit": "stars"}, "event every: suit cannot be 'stars': choose from clubs, hearts, spades"),
        ({"suit": 3}, "event every: Expected `int` <= 2 - at `suit`"),
        ({"small": -6}, "event every: Expected `int` >= -5 - at `small`"),
        ({"small": "x"}, "event every: Expected `int`, got `str` - at `small`"),
        ({"middle": 1.5}, "event every: Expected `int`, got `float` - at `middle`"),
        ({"middle": True}, "event every: Expected `int`, got `bool` - at `middle`"),
        ({"widest": 1 << 63}, "event every: "),
        ({"flag": 1}, "event every: Expected `bool`, got `int` - at `flag`"),
        ({"numbers": [1, 2, 3, 4, 5]}, "event every: Expected `array` of length <= 4 - at `numbers`"),
        ({"numbers": [1, 301]}, "event every: Expected `int` <= 300 - at `numbers[1]`"),
        ({"numbers": 1}, "event every: Expected `array`, got `int` - at `numbers`"),
        ({"suits": []}, "event every: Expected `array` of length >= 1 - at `suits`"),
        ({"suits": ["stars"]}, "event every: suits cannot be 'stars': choose from clubs, hearts, spades"),
        ({"colour": 1}, "event every has no field 'colour'; fields: suit, small, middle"),
        ({"event": "nothing"}, "no event 'nothing' in every: choose from step, every, roll, finished"),
    ],
)
def test_errors_are_one_line_that_names_the_field(change: dict, said: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        from_json(EVERY, to_json(GOOD) | change)
    assert str(error.value).startswith(said)


def test_a_missing_field_and_what_is_no_object() -> None:
    for data, said in (
        ({"event": "every"}, "event every needs field 'suit'"),
        ({}, "no event None in every"),
        ({"event": []}, "no event [] in every"),
        ([20, 1], "an event is an object"),
        ("every", "an event is an object"),
        (None, "an event is an object"),
    ):
        with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
            from_json(EVERY, data)
        assert str(error.value).startswith(said)


def test_named_ranges_count_their_words() -> None:
    assert (named(SUITS).ge, named(SUITS).le, named(SUITS).extra) == (0, 2, {"words": SUITS})
