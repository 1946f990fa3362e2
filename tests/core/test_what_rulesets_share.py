"""What rulesets share: bits, symmetries, names of cells and heads, labels of boards, rules out of modules."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.core.bits import count_bits, lowest_bit, nth_bit
from kifold.core.declared import DeclarationError
from kifold.core.notation import cell_name, plain, read_cell_name, read_seat, split_head
from kifold.core.options import by_variant, variant_number
from kifold.core.play import Play
from kifold.core.registry import ruleset
from kifold.core.rules import Rules, any_of, seat_of
from kifold.core.samples import started_with_chance
from kifold.core.scene import board_labels
from kifold.core.symmetry import ANTIDIAGONAL, HALF_TURN, HEXAGON, IDENTITY, SQUARE, hexagon_image, square_image
from tests.core import toy
from tests.registered import NAMES


@given(st.integers(1, (1 << 63) - 1))
def test_bits(word: int) -> None:
    numbers = [bit for bit in range(63) if word >> bit & 1]
    assert count_bits(word) == len(numbers)
    assert lowest_bit(word) == numbers[0]
    assert [nth_bit(word, n) for n in range(len(numbers))] == numbers


def test_symmetries_of_a_board_are_eight_different_ones() -> None:
    cells = [(x, y) for y in range(2) for x in range(3)]
    images = {k: [square_image(x, y, k, 3, 2) for x, y in cells] for k in SQUARE}
    assert len({tuple(image) for image in images.values()}) == 8
    for k, image in images.items():
        assert sorted(image) == sorted((y, x) if k & 4 else (x, y) for x, y in cells)
    assert images[IDENTITY] == cells
    assert images[HALF_TURN] == cells[::-1]
    assert square_image(0, 0, ANTIDIAGONAL, 5, 5) == (4, 4)
    assert square_image(0, 4, ANTIDIAGONAL, 5, 5) == (0, 4)


def test_symmetries_of_the_hexagon_are_twelve_and_keep_neighbours() -> None:
    ring = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
    images = {tuple(hexagon_image(q, r, k) for q, r in ring) for k in HEXAGON}
    assert len(images) == 12
    assert all(sorted(image) == sorted(ring) for image in images)


@given(st.integers(0, 25), st.integers(0, 98))
def test_names_of_cells(x: int, y: int) -> None:
    assert read_cell_name(cell_name(x, y)) == (x, y)


@pytest.mark.parametrize(
    "text", ["", "a", "1", "a0", "a100", "aa1", "a-1", "a1 b", "a1\N{ARABIC-INDIC DIGIT THREE}", "A1"]
)
def test_what_is_no_cell(text: str) -> None:
    assert read_cell_name(text) is None


def test_heads() -> None:
    assert split_head(" Red:A1 ") == ("red", "a1")
    assert split_head("a1") == ("", "a1")
    assert read_seat("3", 4) == 3
    for refused in (lambda: split_head(":a1"), lambda: read_seat("4", 4), lambda: read_seat("\u00b2", 4)):
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
            refused()
    with pytest.raises(ValueError, match="plain letters"):
        plain("\N{KELVIN SIGN}1")


@pytest.mark.parametrize("name", NAMES)
def test_no_notation_reads_digits_of_other_scripts(name: str) -> None:
    rules = ruleset(name)
    play = Play(rules, started_with_chance(rules, rules.start(), 1))
    word = rules.notation.write(play.started, play.legal()[0])
    assert rules.notation.read(play.started, play.state, word) == play.legal()[0]
    digits = [at for at, letter in enumerate(word) if letter.isdigit()]
    assert digits
    for at in digits:
        for digit in (chr(0x660 + int(word[at])), word[at] + "\N{ARABIC-INDIC DIGIT THREE}"):
            with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
                rules.notation.read(play.started, play.state, word[:at] + digit + word[at + 1 :])


def test_labels_of_a_board() -> None:
    assert [(one.x, one.y, one.text) for one in board_labels(2, 3)] == [
        (0, 2, "1"),
        (0, 1, "2"),
        (0, 0, "3"),
        (1, 3, "a"),
        (2, 3, "b"),
    ]
    top = board_labels(1, 2, from_top=True, pitch=(2, 4), first=(1.5, 0.5))
    assert [(one.x, one.y, one.text) for one in top] == [(0, 0.5, "1"), (0, 4.5, "2"), (1.5, 8, "a")]


def test_variants_by_name() -> None:
    variants = toy.RACE.variants
    assert [variant_number(variants, variant.name) for variant in variants] == [0, 1]
    assert by_variant(variants, {"more": 5, "two": 2}) == [2, 5]
    with pytest.raises(KeyError):
        by_variant(variants, {"two": 2})


def module(name: str, **functions: Any) -> ModuleType:
    made = ModuleType(name)
    for key, function in functions.items():
        function.__module__ = name
        setattr(made, key, function)
    return made


def test_rules_are_found_by_name() -> None:
    rules = Rules.of(toy)
    assert rules.check is toy.check
    assert rules.actor is toy.actor
    assert rules.chance is toy.chance
    assert rules.greedy is toy.greedy
    few = {name: lambda *_: 0 for name in ("set_up", "check", "apply", "legal", "turn", "result")}
    assert (Rules.of(module("few", **few)).actor, Rules.of(module("few", **few)).greedy) == (seat_of, any_of)


def test_rules_say_what_is_missing_or_twice() -> None:
    with pytest.raises(DeclarationError, match="need a function set_up"):
        Rules.of(module("none"))
    with pytest.raises(DeclarationError, match="apply is defined by two modules"):
        Rules.of(toy, module("again", apply=lambda *_: 0))


def test_what_a_module_only_imports_is_not_its_rule() -> None:
    imported = ModuleType("imported")
    imported.check = toy.check
    assert Rules.of(toy, imported).check is toy.check
