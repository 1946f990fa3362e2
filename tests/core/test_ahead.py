"""The flat records of a batch, out of the bytes of its events where these say them as they are."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from kifold.core import ahead
from kifold.core.ahead import flat_batch
from kifold.core.codec import encode, encode_each, is_table
from kifold.core.corpus import flat_events
from kifold.core.events import Event
from kifold.core.ruleset import Ruleset
from tests.core.ages import RETIRED
from tests.core.ages import Step as LaterStep
from tests.core.every import EVERY, any_of
from tests.core.toy import RACE, Roll, Step, race


class Bid(Event, tag=21):
    """Numbers about the ends of what lies in one byte, in MessagePack and in a record."""

    less: Annotated[int, Meta(ge=-40, le=140)]
    more: Annotated[int, Meta(ge=-1000, le=1000)]


BIDS = race("bids", actions=(Step, Bid))
bids = st.builds(Bid, st.sampled_from([-40, -33, -32, -1, 0, 127, 128, 140]), st.sampled_from([-129, -32, 0, 127, 255]))
small = st.builds(Bid, st.sampled_from([-32, -1, 0, 127]), st.sampled_from([-32, -1, 0, 1, 127]))


def assert_flat(rules: Ruleset, events: list[Event]) -> None:
    made = flat_batch(rules, events, b"".join(encode_each(events)))
    expected = flat_events(rules, events)
    assert (made.dtype, made.tobytes()) == (expected.dtype, expected.tobytes())


@given(st.lists(small, min_size=1) | st.lists(bids, min_size=1) | st.lists(bids | any_of(Step), min_size=1))
def test_numbers_about_the_ends_of_a_byte(events: list[Event]) -> None:
    assert_flat(BIDS, events)


@given(st.lists(any_of(EVERY.events[1]), min_size=1, max_size=3) | st.lists(any_of(Step), min_size=1))
def test_every_kind_of_field(events: list[Event]) -> None:
    assert_flat(EVERY, events)


@given(st.lists(any_of(LaterStep), min_size=1, max_size=3))
def test_fields_that_are_newer(events: list[Event]) -> None:
    assert_flat(RETIRED, [*events, LaterStep(1, 3)])


def test_small_numbers_are_looked_at_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Event] = [Bid(0, 127), Bid(127, 0)]
    expected = flat_events(BIDS, events).tobytes()
    monkeypatch.delattr(ahead, "flat_events")
    assert flat_batch(BIDS, events, b"".join(map(encode, events))).tobytes() == expected


def test_bytes_that_are_not_canonical_are_no_table() -> None:
    class Hidden(Event, tag=16):
        seat: Any
        amount: Any

    for amount in (b"\xcc\x02", b"\xcd\x00\x02", b"\xd3\x00\x00\x00\x00\x00\x00\x00\x02"):
        data = msgspec.msgpack.encode(Hidden(0, msgspec.Raw(amount)))
        events = [RACE.decoder.decode(data)]
        assert events == [Step(0, 2)]
        assert not is_table(events, data)
        assert not is_table(events * 2, data * 2)
    assert is_table([Step(0, 2), Step(1, 3)], encode(Step(0, 2)) + encode(Step(1, 3)))
    assert not is_table([Step(0, 2), Roll(3)], encode(Step(0, 2)) + encode(Roll(3)))
