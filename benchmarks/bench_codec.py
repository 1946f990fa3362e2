"""The codec of events: its bytes, and its speed beside bare msgspec on the same structs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from benchmarks.folds import plain_logs
from benchmarks.promises import Promise
from kifold.core.codec import decode, encode_each
from kifold.core.events import Event
from kifold.core.registry import names, ruleset

pytestmark = pytest.mark.benchmark(timer=time.process_time)

EVENTS = 10_000


@pytest.fixture(scope="module", params=names())
def name(request: pytest.FixtureRequest) -> str:
    given: str = request.param
    return given


@pytest.fixture(scope="module")
def events(name: str, short: bool) -> list[Event]:
    variant = ruleset(name).variants[0].name
    return [event for _, log in plain_logs(name, variant, EVENTS // 10 if short else EVENTS) for event in log]


@pytest.fixture(scope="module")
def data(events: list[Event]) -> list[bytes]:
    return encode_each(events)


def test_bytes(name: str, data: list[bytes], promise: Callable[[Promise], None]) -> None:
    promise(Promise(f"{name}, codec (bytes per event)", sum(map(len, data)) / len(data), 6.1))


def bare_encode_all(events: list[Event]) -> list[bytes]:
    encoder = msgspec.msgpack.Encoder()
    return [encoder.encode(event) for event in events]


def decode_all(name: str, data: list[bytes]) -> list[Event]:
    rules = ruleset(name)
    return [decode(rules, one) for one in data]


def bare_decode_all(name: str, data: list[bytes]) -> list[Event]:
    decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(ruleset(name).event_union)
    return [decoder.decode(one) for one in data]


def ours(benchmark: Any, work: str, items: int) -> None:
    benchmark.group = work
    benchmark.extra_info |= {"who": "kifold", "items": items, "at_least": 1 / 1.5}


def theirs(benchmark: Any, work: str, items: int) -> None:
    benchmark.group = work
    benchmark.extra_info |= {"who": "bare msgspec", "items": items}


def test_encode(benchmark: Any, name: str, events: list[Event], data: list[bytes]) -> None:
    ours(benchmark, f"{name}, encode", len(events))
    assert benchmark(encode_each, events) == data


def test_bare_encode(benchmark: Any, name: str, events: list[Event], data: list[bytes]) -> None:
    theirs(benchmark, f"{name}, encode", len(events))
    assert benchmark(bare_encode_all, events) == data


def test_decode(benchmark: Any, name: str, events: list[Event], data: list[bytes]) -> None:
    ours(benchmark, f"{name}, decode", len(events))
    assert benchmark(decode_all, name, data) == events


def test_bare_decode(benchmark: Any, name: str, events: list[Event], data: list[bytes]) -> None:
    theirs(benchmark, f"{name}, decode", len(events))
    assert benchmark(bare_decode_all, name, data) == events
