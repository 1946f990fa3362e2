"""Values that no store has room for, numbers beyond 64 bits and texts that are no UTF-8: one line, nothing written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from kifold.core.events import Event, Noted, Undone
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.errors import StoreError
from kifold.records.forking import fork
from kifold.records.store import Store
from tests.stores import duo, fill, record

HUGE = (1 << 63, -(1 << 63) - 1, 1 << 200)
NO_UTF8 = "a\ud800b"
NOTE = Noted("comment", ("a",))
WRONG: dict[str, Event] = {
    "a text": Noted("comment", (NO_UTF8,)),
    "a number": Undone(1 << 70),
    "no bytes": Noted("comment", (object(),)),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store") as store:
        fill(store, 1)
        yield store


@pytest.mark.parametrize("match", HUGE)
@pytest.mark.parametrize(
    "question",
    [
        lambda store, match: store.append(match, [NOTE]),
        lambda store, match: store.append(match, [NOTE], key="k"),
        Store.play,
        Store.folded,
        Store.log,
        Store.delete,
        Store.ruleset_of,
        lambda store, match: list(store.logs([match])),
        lambda store, match: fork(store, match, 1),
    ],
)
def test_an_id_beyond_64_bits(store: Store, match: int, question: Callable[[Store, int], object]) -> None:
    before = list(store.logs())
    with pytest.raises(StoreError, match=r"journal.sqlite: cannot hold a number beyond 64 bits"):
        question(store, match)
    assert not store.holds(match)
    assert list(store.logs()) == before


def test_a_key_or_a_name_that_is_no_text(store: Store) -> None:
    match = record(store, 0, 4)
    before = list(store.logs())
    for question in (
        lambda: store.append(match, [NOTE], key=NO_UTF8),
        lambda: store.new(duo(), ("Ada", NO_UTF8)),
        lambda: store.new(duo(), (NO_UTF8,)),
        lambda: store.rename(match, 0, NO_UTF8),
    ):
        with pytest.raises(StoreError, match="cannot hold a text that is no UTF-8") as error:
            question()
        assert "\n" not in str(error.value)
    assert list(store.logs()) == before
    assert store.append(match, [NOTE], key="k") == 5


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_an_event_with_such_a_value(store: Store, wrong: Event) -> None:
    match = record(store, 0, 4)
    before = list(store.logs())
    for question in (
        lambda: store.append(match, [NOTE, wrong]),
        lambda: store.append(match, [wrong] * 20),
        lambda: store.new(duo(), (), [wrong]),
    ):
        with pytest.raises(msgspec.ValidationError, match="cannot be written"):
            question()
    assert list(store.logs()) == before
    assert store.append(match, [NOTE]) == 5


def test_a_beginning_with_such_a_value(store: Store) -> None:
    for tags in ({NO_UTF8: "x"}, {"x": NO_UTF8}):
        with pytest.raises(msgspec.ValidationError, match="half a character"):
            store.new(BLOKUS.start("duo", tags=tags))
