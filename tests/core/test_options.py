"""Variants, options and what a match is started with."""

from __future__ import annotations

import pytest

from kifold.core.options import Option, RulesetError, Variant, resolve_options
from tests.core.toy import RACE, RaceSetup

CORNER = Option("corner", "1-1", "where", ("any", "own"), ("any corner", "the own corner"))
PASSING = Option("passing", "1-2", "whether", (False, True), ("no", "yes"))
LIMIT = Option("limit", "1-3", "how long", low=1, high=300, default_number=40)
OPTIONS = (CORNER, PASSING, LIMIT)
FREE = Variant("free", "as it comes", (2, 3))
FIXED = Variant("fixed", "set", (4,), ("n", "e", "s", "w"), {"corner": "own", "limit": 9}, frozenset({"corner"}))


def test_defaults_and_choices() -> None:
    assert [option.default for option in OPTIONS] == ["any", False, 40]
    assert [option.choices for option in OPTIONS] == ["any / own", "false / true", "1..300"]


def test_options_are_resolved_in_the_order_of_the_ruleset() -> None:
    resolved = resolve_options(OPTIONS, FREE, {"limit": 7, "corner": "own"})
    assert resolved == {"corner": "own", "passing": False, "limit": 7}
    assert list(resolved) == ["corner", "passing", "limit"]


def test_a_variant_has_its_own_defaults_and_may_fix_them() -> None:
    assert resolve_options(OPTIONS, FIXED, {}) == {"corner": "own", "passing": False, "limit": 9}
    assert resolve_options(OPTIONS, FIXED, {"limit": 10, "corner": "own"})["limit"] == 10
    with pytest.raises(RulesetError, match="option corner is always own in variant fixed"):
        resolve_options(OPTIONS, FIXED, {"corner": "any"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"colour": 1}, "no option 'colour': choose from corner, limit, passing"),
        ({"corner": "mine"}, "option corner cannot be 'mine': choose any / own"),
        ({"corner": True}, "option corner cannot be True"),
        ({"passing": 1}, "option passing cannot be 1: choose false / true"),
        ({"passing": "true"}, "option passing cannot be 'true'"),
        ({"limit": 0}, "option limit cannot be 0: choose 1..300"),
        ({"limit": 301}, "option limit cannot be 301"),
        ({"limit": True}, "option limit cannot be True"),
        ({"limit": 1.0}, "option limit cannot be 1.0"),
    ],
)
def test_wrong_options_are_refused_in_one_line(given: dict, said: str) -> None:
    with pytest.raises(RulesetError, match=r"^[^\n]+$") as error:
        resolve_options(OPTIONS, FREE, given)
    assert str(error.value).startswith(said)
    with pytest.raises(RulesetError, match="choose from none"):
        resolve_options((), FREE, {"x": 1})


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (CORNER, " OWN ", "own"),
        (PASSING, "True", True),
        (PASSING, "false", False),
        (LIMIT, "12", 12),
        (LIMIT, " 300", 300),
    ],
)
def test_what_people_type(option: Option, text: str, value: object) -> None:
    assert option.parse(text) == value
    assert type(option.parse(text)) is type(value)


@pytest.mark.parametrize(
    ("option", "text"),
    [(CORNER, "a"), (PASSING, "1"), *((LIMIT, text) for text in ("", "0", "-1", "x", "--1", "²", "1.0"))],
)
def test_what_people_mistype(option: Option, text: str) -> None:
    with pytest.raises(RulesetError, match=f"option {option.name} cannot be"):
        option.parse(text)


def test_numbers_that_the_rules_see() -> None:
    assert [CORNER.number("any"), CORNER.number("own")] == [0, 1]
    assert [PASSING.number(False), PASSING.number(True)] == [0, 1]
    assert LIMIT.number(77) == 77
    turned = Option("turned", "1", "", (True, False))
    assert [turned.number(True), turned.number(False)] == [1, 0]


# Ruleset.start


def test_a_start_resolves_everything() -> None:
    started = RACE.start()
    assert (started.ruleset, started.variant, started.revision, started.seats) == ("race", "two", 1, 2)
    assert (started.options, started.tags, started.setup) == ({"goal": 30}, {}, RaceSetup(0))
    more = RACE.start("more", {"goal": 99}, 4, {"event": "x"}, RaceSetup(3))
    assert (more.options, more.seats, more.tags, more.setup) == ({"goal": 99}, 4, {"event": "x"}, RaceSetup(3))
    assert RACE.start("more").options == {"goal": 60}
    assert RACE.start("more").seats == 3


def test_a_start_that_names_what_is_not_there() -> None:
    with pytest.raises(RulesetError, match="no variant 'solo' of race: choose from two, more"):
        RACE.start("solo")
    with pytest.raises(RulesetError, match=r"race more is for 3 seats, or 4, not 2; for 2 there is two$"):
        RACE.start("more", seats=2)
    with pytest.raises(RulesetError, match="no option 'speed'"):
        RACE.start(options={"speed": 1})


def test_seats_have_names_or_numbers() -> None:
    assert RACE.seat_names(RACE.start("more")) == ("seat 0", "seat 1", "seat 2")
    assert RACE.most_seats == 4
