"""What cannot work is said when a ruleset is made, with what to change."""

from dataclasses import replace
from typing import Annotated, Any

import pytest
from msgspec import Meta

from kifold.core.declared import DeclarationError
from kifold.core.events import Event, Setup
from kifold.core.fields import between, named
from kifold.core.names import Reasons
from kifold.core.options import Option
from kifold.core.records import Array, Record
from tests.core.toy import RACE, race


class Worded(Event, tag=20):
    seat: Annotated[int, named(("left", "right"))]


class Tagged(Event, tag=20):
    tag: Annotated[int, between(0, 1)]


class Counted(Event, tag=20):
    cells: Annotated[tuple[Annotated[int, between(0, 1)], ...], Meta(max_length=3)]
    n_cells: Annotated[int, between(0, 3)]


class GoalSetup(Setup):
    goal: Annotated[int, between(0, 1)] = 0


class Unranked(Record):
    score: Annotated[list[int], Array("i2", 4)]


class Named(Record):
    rank: Annotated[list[int], Array("i1", 4)]
    player: Annotated[list[int], Array("i1", 4)]


class Listed(Record):
    rank: Annotated[list[int], Array("i1", 4)]
    legal: Annotated[list[int], Array("i1", 4)]


class TooShort(Record):
    rank: Annotated[list[int], Array("i1", 4)]
    coins: Annotated[list[int], Array("i1", 3)]


def same_twice() -> Reasons:
    reasons = Reasons()
    reasons.name("over", "1", "")
    reasons.name("over", "2", "")
    return reasons


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "two-up"}, "small letters, digits and _"),
        ({"actions": (Worded,)}, "seat is a number without words"),
        ({"actions": (Tagged,)}, "cannot be called tag"),
        ({"actions": (Counted,)}, "two things are called n_cells"),
        ({"setup": GoalSetup}, "two things are called goal"),
        ({"options": (Option("seats", "1", "", (True, False)),)}, "two things are called seats"),
        ({"result": Unranked}, "rank is a list of 4"),
        ({"result": TooShort}, "coins is a list of 4 × k"),
        ({"result": Named}, "cannot be called player"),
        ({"result": Listed}, "cannot be called legal, every row of plies"),
        ({"phases": ("one", "two")}, "phases are a function `phase` of the rules and their words"),
        ({"rules": replace(RACE.rules, phase=RACE.rules.turn)}, "phases are a function `phase` of the rules"),
        ({"words": {"pair": ("no", "yes")}}, "words for pair"),
        ({"words": {"score": ("no", "yes")}}, "words for score"),
        ({"reasons": same_twice()}, "reasons: two things are called over"),
    ],
)
def test_it_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        race(**changes)
