"""Match ids: integers in SQL and files, twelve letters and digits for people."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.records.ids import BITS, DIGITS, LENGTH, TOP, derived_id, id_text, new_id, parse_id, series_id
from kifold.records.store import Store
from tests.stores import duo

IDS = st.integers(TOP, (1 << BITS) - 1)


@given(IDS)
def test_text_and_decimal_mean_the_id_alone(match: int) -> None:
    text = id_text(match)
    assert len(text) == LENGTH
    assert text[0].isalpha()
    assert parse_id(text) == parse_id(f" {text.upper()} ") == parse_id(str(match)) == (match, match)


@given(IDS, IDS, st.integers(1, LENGTH - 1))
def test_a_prefix_means_the_ids_that_begin_so(match: int, other: int, length: int) -> None:
    prefix = id_text(match)[:length]
    first, last = parse_id(prefix)
    assert first <= match <= last
    assert (first <= other <= last) == id_text(other).startswith(prefix)


@given(IDS, IDS)
def test_texts_sort_as_the_ids_do(a: int, b: int) -> None:
    assert (id_text(a) < id_text(b)) == (a < b)


def test_ids_fit_into_a_signed_integer_of_64_bits_and_are_not_guessed_twice() -> None:
    made = {new_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(TOP <= match < 1 << BITS for match in made)


@given(st.binary(max_size=40), st.integers(0, (1 << 32) - 2))
def test_ids_that_follow_from_content_are_ids_and_a_series_ascends(data: bytes, index: int) -> None:
    assert derived_id(data) == derived_id(data)
    for match in (derived_id(data), series_id(data, index)):
        assert parse_id(id_text(match)) == (match, match)
    assert series_id(data, index) + 1 == series_id(data, index + 1)
    assert derived_id(data) != derived_id(data + b"\0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "i",
        "lo",
        "u",
        "g4hm-",
        "é",
        "٣",
        "g4hmasw9nf6yz",
        "-1",
        "1.5",
        "9" * 19,
        "9" * 30,
        "9" * 5000,
        "0" * 13,
    ],
)
def test_what_cannot_begin_an_id_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"is no match id: 12 digits and letters \(no i, l, o, u\) such as \w{12}, or its beginning"
    ) as e:
        parse_id(text)
    assert len(str(e.value)) < 200


def test_the_alphabet_has_no_letters_that_look_alike() -> None:
    assert len(set(DIGITS)) == 32
    assert not set("ilou") & set(DIGITS)


def test_a_text_in_the_place_of_a_match_is_told_what_gives_its_number(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        match = store.new(duo())
        text: Any = id_text(match)
        said = re.escape(f"a match is a number in Python: Store.find('{text}') gives it")
        for ask in (store.log, store.play, store.folded, store.delete, lambda one: store.append(one, [])):
            with pytest.raises(TypeError, match=said):
                ask(text)
        assert store.find(text) == match
