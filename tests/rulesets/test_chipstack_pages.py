"""Chipstack for people: short notation, pictures, keys of openings."""

from __future__ import annotations

import pytest

from kifold.core.codec import decode, encode, from_json, to_json
from kifold.core.play import Play
from kifold.core.rulesets.chipstack import CHIPSTACK
from kifold.core.rulesets.chipstack.declaration import ChipstackSetup, Place, Take
from kifold.core.rulesets.chipstack.picture import SIZE
from kifold.core.scene import PALETTE
from tests.rulesets.chipstack_cases import BLUE, GREEN, PURPLE, RED, ROUND, SQUARE, cell, cells, table
from tests.rulesets.harness import random_logs

STARTED = CHIPSTACK.start(seats=3)
START = Play(CHIPSTACK, STARTED).state


def read(text: str):
    return CHIPSTACK.notation.read(STARTED, START, text)


def test_notation_round_trip():
    for started, log in random_logs(CHIPSTACK, seats=4, count=2, seed=60):
        play = Play(CHIPSTACK, started)
        for event in log:
            text = CHIPSTACK.notation.write(started, event)
            assert " " not in text
            assert CHIPSTACK.notation.read(started, play.state, text) == event
            assert CHIPSTACK.notation.read(started, play.state, text.partition(":")[2]) == event
            assert decode(CHIPSTACK, encode(event)) == event
            assert from_json(CHIPSTACK, to_json(event)) == event
            play.add(event)


def test_notation():
    expected = Place(1, PURPLE, SQUARE, cell("4-e"), cells("3-d 3-e 6-d"))
    assert CHIPSTACK.notation.write(STARTED, expected) == "1:purple-square@4-e:3-d,3-e,6-d"
    assert read("1:purple-square@4-e:6-d,3-d,3-e") == expected
    assert read(" 1:Purple-Square@4e:3d,3e,6d ") == expected
    assert read(CHIPSTACK.notation.example) == Place(0, *list(vars_of(expected))[1:])
    assert CHIPSTACK.notation.write(STARTED, Take(2, cell("6-f"))) == "2:take@6-f"
    assert read("take@6-f") == Take(0, 35)
    assert CHIPSTACK.notation.write(STARTED, Place(0, RED, ROUND, 0, ())) == "0:red-round@1-a"
    assert read("red-round@1-a") == Place(0, RED, ROUND, 0, ())


def vars_of(event):
    return (getattr(event, name) for name in event.__struct_fields__)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no event"),
        ("purple-square", "is no event"),
        ("purple-square@4-e:3-d:3-e", "is no event"),
        ("3:take@1-a", "no seat 3"),
        ("take@7-a", "'7-a' is no cell"),
        ("take@1-g", "'1-g' is no cell"),
        ("take@1-a:1-b", "take names one cell"),
        ("pink-square@1-a", "'pink-square' is no piece"),
        ("red@1-a", "'red' is no piece"),
        ("red-square@1-a:1-b,,2-a", "'' is no cell"),
        ("red-square@3-c:1-a,1-a,1-a,1-a,1-a", "at most 4 chips"),
    ],
)
def test_notation_says_what_is_wrong(text, said):
    with pytest.raises(ValueError, match=said) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_notation_needs_a_seat_after_the_end():
    over = table(phase=2, to_move=None).state
    with pytest.raises(ValueError, match="match is over"):
        CHIPSTACK.notation.read(STARTED, over, "take@1-a")


def test_picture():
    stacks = {"1-a": [RED, GREEN], "2-b": [BLUE] * 12, "6-f": [PURPLE]}
    play = table({"2-b": (RED, SQUARE), "3-c": (PURPLE, ROUND)}, stacks, holdings=[[0, 2, 0, 0, 1], [0] * 5])
    scene = CHIPSTACK.picture(play.started, play.state)
    at = {(shape.x, shape.y): shape for shape in scene.shapes}
    assert len(at) == len(scene.shapes) == 72
    assert [at[x, 0].letter for x in (1, 2)] == [".", "2g"]
    assert [(at[x, 1].letter, at[x, 1].kind, at[x, 1].colour) for x in (3, 4)] == [
        ("[R]", "square", "red"),
        ("12b", "disc", "blue"),
    ]
    assert (at[5, 2].letter, at[5, 2].kind, at[6, 2].letter) == ("(P)", "disc", ".")
    assert at[2, 0].title == "1-a from the bottom: red green"
    assert at[12, 5].letter == "1p"
    assert {shape.colour for shape in scene.shapes} <= set(PALETTE)
    assert all(0 <= s.x < scene.width and 0 <= s.y < scene.height for s in scene.shapes)
    assert len([label for label in scene.labels if label.y < SIZE]) == 6
    legend = "\n".join(scene.legend)
    assert "R red    17 chips in supply, 3 round, 2 square" in legend
    assert "seat 0: 2r 1y" in legend
    assert "seat 1: no chips" in legend
    seen = CHIPSTACK.views.picture(STARTED, play.state, 1, False).legend
    assert {"seat 0: behind its screen", "seat 1: no chips"} <= set(seen)
    assert scene.turn == "phase 1, stacking: seat 0 to move"


def test_picture_at_the_end():
    scene = CHIPSTACK.picture(STARTED, table(phase=2, to_move=None, seats=3).state)
    assert scene.turn == ""
    assert scene.legend[-1] == "seat 2: no chips"


def turned(at: int) -> int:
    """A quarter turn of the board."""
    number, letter = divmod(at, 6)
    return 6 * letter + 5 - number


def mirrored(at: int) -> int:
    return at // 6 * 6 + 5 - at % 6


def image(event, move, colours):
    if isinstance(event, Take):
        return Take(event.seat, move(event.cell))
    targets = tuple(sorted(map(move, event.targets)))
    return Place(event.seat, colours[event.colour], event.shape, move(event.cell), targets)


def test_symmetric_openings_have_one_key():
    for started, log in random_logs(CHIPSTACK, seats=3, count=2, seed=61):
        key = CHIPSTACK.opening(started, log)
        for move, colours in ((turned, (4, 3, 2, 1, 0)), (mirrored, (1, 0, 4, 2, 3)), (turned, (0, 1, 2, 3, 4))):
            same = [image(event, move, colours) for event in log]
            assert CHIPSTACK.opening(started, same) == key
            play = Play(CHIPSTACK, CHIPSTACK.start(seats=3, setup=ChipstackSetup(started.setup.first)))
            for event in same:
                play.add(event)
            assert play.is_over


def test_different_openings_have_different_keys():
    keys = {CHIPSTACK.opening(STARTED, [event]) for event in Play(CHIPSTACK, STARTED).legal()}
    assert len(keys) == 2 * 6
    assert "A-round@1-a:2-b" in keys
    assert CHIPSTACK.opening(STARTED, []) == ""
