"""What people see of blokus: notation, pictures, keys of openings; and that symmetric play is treated alike."""

from __future__ import annotations

import random

import pytest

from kifold.core.play import Play
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import COLOURS, Pass, Place
from kifold.core.rulesets.blokus.pieces import cells_of, piece_of
from tests.rulesets.blokus_cases import BLUE, RED, all_but, cells, packed, place, position, setup_of
from tests.rulesets.harness import chosen_log, random_logs

PASSING = {"voluntary_pass": True}
LETTERS = {"B": 0, "Y": 1, "R": 2, "G": 3}


def moved(event: Place, k: int, side: int) -> Place:
    """The placement under symmetry k of the board: mirrored in columns, in rows, and along the diagonal."""
    squares = cells_of(event.piece, event.orientation, event.x, event.y)
    for bit, step in enumerate(
        (lambda x, y: (side - 1 - x, y), lambda x, y: (x, side - 1 - y), lambda x, y: (y, x)),
    ):
        if k >> bit & 1:
            squares = tuple(step(x, y) for x, y in squares)
    found = piece_of(set(squares))
    assert found is not None
    return Place(event.colour, *found)


# Openings


def test_232_first_placements_are_31_openings() -> None:
    started = BLOKUS.start()
    first = Play(BLOKUS, started).legal()
    keys = {BLOKUS.opening(started, [event]) for event in first}
    assert (len(first), len(keys)) == (232, 31)


@pytest.mark.parametrize("variant", ["classic", "two_player", "three_player"])
def test_openings_where_corners_are_free_have_one_key_under_all_symmetries(variant: str) -> None:
    for started, log in random_logs(BLOKUS, variant, count=3, seed=1, limit=6):
        images = [[moved(event, k, 20) for event in log] for k in range(8)]
        assert len({tuple(image) for image in images}) == 8
        assert len({BLOKUS.opening(started, image) for image in images}) == 1
        for image in images:
            play = Play(BLOKUS, started)
            for event in image:
                play.add(event)


def test_openings_by_colour_have_keys_of_their_own() -> None:
    started = BLOKUS.start(options={"start_corner": "by_colour"})
    first = Play(BLOKUS, started).legal()
    assert len({BLOKUS.opening(started, [event]) for event in first}) == len(first) == 58


def test_openings_of_duo_are_the_same_along_the_diagonal_of_the_start_squares() -> None:
    for started, log in random_logs(BLOKUS, "duo", count=4, seed=2, limit=4):
        image = [moved(event, 7, 14) for event in log]
        play = Play(BLOKUS, started)
        for event in image:
            play.add(event)
        assert BLOKUS.opening(started, image) == BLOKUS.opening(started, log)
        assert BLOKUS.opening(started, [moved(event, 1, 14) for event in log]) != BLOKUS.opening(started, log)


def test_different_openings_have_different_keys() -> None:
    started = BLOKUS.start()
    keys = [BLOKUS.opening(started, log) for _, log in random_logs(BLOKUS, count=20, seed=3, limit=5)]
    assert len(set(keys)) == 20


# Pictures


def board_of(scene: object, side: int) -> list[list[int]]:
    """The board as the picture's squares show it, rows from the bottom, −1 for nothing."""
    rows = [[-1] * side for _ in range(side)]
    for shape in scene.shapes:
        x, y = int(shape.x) - 1, side - 1 - int(shape.y)
        if shape.colour != "board":
            rows[y][x] = LETTERS[shape.letter]
            assert shape.colour == COLOURS[LETTERS[shape.letter]]
        assert shape.title.split()[0] == f"{chr(ord('a') + x)}{y + 1}"
    return rows


@pytest.mark.parametrize("variant", ["classic", "two_player", "three_player", "duo"])
def test_the_board_can_be_read_back_from_its_picture(variant: str) -> None:
    for started, log in random_logs(BLOKUS, variant, count=2, seed=4):
        play = Play(BLOKUS, started)
        for i, event in enumerate(log):
            play.add(event)
            if i % 7 == 0 or event is log[-1]:
                scene = BLOKUS.picture(started, play.state)
                assert len(scene.shapes) == play.state.side**2
                assert board_of(scene, play.state.side) == position(play.state)["board"]
        assert scene.turn == ""


def test_a_picture_has_coordinates_start_squares_and_what_is_left() -> None:
    red = packed(all_but(RED), keep_free=cells("a1,t1,a20,t20"))
    started = BLOKUS.start(options={"start_corner": "by_colour"}, setup=setup_of(red, BLUE))
    scene = BLOKUS.picture(started, Play(BLOKUS, started).state)
    assert {label.text for label in scene.labels} == {*map(str, range(1, 21)), *"abcdefghijklmnopqrst"}
    marks = {shape.title: shape.letter for shape in scene.shapes if shape.letter not in ".R"}
    assert marks == {"a20": "b", "t20": "y", "a1": "g"}
    assert "R red    has placed everything" in scene.legend
    assert scene.turn == "blue to move"
    free = BLOKUS.picture(BLOKUS.start(), Play(BLOKUS, BLOKUS.start()).state)
    assert [shape.title for shape in free.shapes if shape.letter == "*"] == ["a1", "t1", "a20", "t20"]


# Notation


def test_notation_reads_back_what_it_writes() -> None:
    def any_event(play: Play, events: list, rng: random.Random) -> Place | Pass:
        return rng.choice(events[-1:] + events[:20])

    for variant in ("classic", "two_player", "three_player", "duo"):
        started, log = chosen_log(BLOKUS, BLOKUS.start(variant, PASSING), any_event, 5)
        play = Play(BLOKUS, started)
        for event in log:
            text = BLOKUS.notation.write(started, event)
            assert BLOKUS.notation.read(started, play.state, text) == event
            assert BLOKUS.notation.read(started, play.state, text.partition(":")[2]) == event
            play.add(event)
        assert {type(event) for event in log} == {Place, Pass}


def test_the_example_of_the_notation_is_an_event() -> None:
    play = Play(BLOKUS, BLOKUS.start())
    event = BLOKUS.notation.read(play.started, play.state, BLOKUS.notation.example)
    assert event == place(BLUE, "a1,b1,a2")
    assert play.why_not(event) is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("pink:a1", "no colour 'pink': choose from blue, yellow, red, green"),
        ("a1,b2", "a1,b2 is no piece"),
        ("a1,a1", "a1,a1 is no piece"),
        ("u1", "'u1' is no square"),
        ("a21", "'a21' is no square"),
        ("a1,", "'' is no square"),
        ("", "'' is no square"),
    ],
)
def test_notation_says_what_is_wrong(text: str, error: str) -> None:
    play = Play(BLOKUS, BLOKUS.start())
    with pytest.raises(ValueError, match="^" + error.replace("?", "[?]")):
        BLOKUS.notation.read(play.started, play.state, text)


@pytest.mark.parametrize(("variant", "said"), [("duo", "a..n and a row 1..14, such as n14"), ("classic", "1..20")])
def test_a_square_that_is_none_is_answered_with_those_of_the_board(variant: str, said: str) -> None:
    play = Play(BLOKUS, BLOKUS.start(variant))
    with pytest.raises(ValueError, match=f"'foo' is no square: a letter .*{said}"):
        BLOKUS.notation.read(play.started, play.state, "foo")
    assert BLOKUS.notation.read(play.started, play.state, BLOKUS.notation.example), "is one on every board"


def test_notation_without_a_colour_needs_a_colour_to_move() -> None:
    play = Play(BLOKUS, BLOKUS.start("duo", PASSING))
    play.add(Pass(0))
    play.add(Pass(1))
    assert play.turn == NOBODY
    with pytest.raises(ValueError, match="the match is over"):
        BLOKUS.notation.read(play.started, play.state, "a1")
