"""Unionking: greedy play, notation, picture and openings."""

from __future__ import annotations

import random
import re

import pytest

from kifold.core.emit import Out
from kifold.core.events import Started
from kifold.core.play import Play
from kifold.core.rng import Random
from kifold.core.rulesets.unionking import UNIONKING, rules
from kifold.core.rulesets.unionking.declaration import Decline, Move, UnionkingSetup
from kifold.core.rulesets.unionking.layouts import GAMES_1_AND_2, points_of
from tests.rulesets.unionking_cases import (
    BLACK,
    NAMES,
    READY,
    THERE,
    WHITE,
    begin,
    go,
    go_words,
    name_of,
    pairs_at,
    point,
    setup,
)

# Greedy


def greedy_takes(play: Play) -> set[str]:
    taken = set()
    for drawn in range(40):
        out, source = Out(UNIONKING.event_record), Random()
        source.match = drawn
        n = rules.legal(play.state, play.turn, out)
        event = out[UNIONKING.rules.greedy(play.state, out, n, source)]
        taken.add(NAMES[event.colour * 14 + event.part * 7 + event.figure] + "-" + name_of(event.to))
    return taken


def test_greedy_takes_the_highest_total_after_the_move() -> None:
    play = begin("woA a1 wiA a2 woB c3 wiB c2", free="b1 b3 d2 d3 d4")
    assert greedy_takes(play) == {"wiB-c3"}, "8 line ends, not 4 or 3"
    level = begin("woA a1 wiA a2 woB g1 wiB g2")
    assert greedy_takes(level) >= {"woA-a2", "wiA-a1", "woB-g2", "wiB-g1"}


# Notation, picture, opening


def test_notation_says_every_event_and_reads_it_again() -> None:
    play = begin(READY["game3"], variant="game3")
    go(play, THERE["game3"])
    rng = random.Random(1)
    anywhere = [Move(rng.randrange(2), rng.randrange(2), rng.randrange(7), rng.randrange(81)) for _ in range(50)]
    for event in [*play.legal(WHITE), *play.legal(BLACK), *anywhere, Decline(WHITE)]:
        word = UNIONKING.notation.write(play.started, event)
        assert " " not in word
        assert UNIONKING.notation.read(play.started, play.state, word) == event
    assert UNIONKING.notation.example == "woA-a3"


def test_notation_without_colour_and_by_point() -> None:
    play = begin()
    read = UNIONKING.notation.read
    assert read(play.started, play.state, " OA-A3 ") == Move(WHITE, 0, 0, point("a3"))
    assert read(play.started, play.state, "a2-a3") == Move(WHITE, 1, 3, point("a3"))
    go(play, "a1-a3")
    assert read(play.started, play.state, "g7-g5") == Move(BLACK, 0, 0, point("g5"))
    assert read(play.started, play.state, "decline") == Decline(BLACK)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("hello", "write piece and point"),
        ("woH-a1", "write piece and point"),
        ("woA-h1", "no point h1: the board is a1..g7"),
        ("woA-a0", "write piece and point"),
        ("a5-a6", "white has no piece on a5"),
        ("b2-b3", "write woA-b3 or wiA-b3"),
        ("red:decline", "no colour 'red'"),
    ],
)
def test_notation_says_what_is_wrong(word: str, said: str) -> None:
    play = begin(pairs_at("w", "b2"), free="a5")
    with pytest.raises(ValueError, match=re.escape(said)):
        UNIONKING.notation.read(play.started, play.state, word)


def test_nothing_is_read_without_a_colour_when_the_match_is_over() -> None:
    play = begin(options={"max_plies": 1})
    go(play, "woA-a3")
    for word in ("oA-a4", "a3-a4", "decline"):
        with pytest.raises(ValueError, match="the match is over"):
            UNIONKING.notation.read(play.started, play.state, word)


def letters(play: Play) -> dict[str, set[tuple[str, str]]]:
    """Kind and letters of the shapes on each point."""
    scene, found = UNIONKING.picture(play.started, play.state), {}
    for shape in scene.shapes:
        found.setdefault(shape.title.replace(",", "").split()[0], set()).add((shape.kind, shape.letter))
    return found


def test_picture() -> None:
    play = begin("woA a1 wiB b1 " + pairs_at("b", "c1", "d1"), free="e1 d2")
    at = letters(play)
    assert at["a1"] == {("ring", "oA")}
    assert at["b1"] == {("disc", "iB")}
    assert at["d1"] == {("ring", "bb"), ("disc", "bb")}
    assert at["e1"] == {("dot", "5")}
    assert at["d2"] == {("dot", "8")}
    assert len(at) == 49
    scene = UNIONKING.picture(play.started, play.state)
    assert len(scene.lines) == 120
    assert {label.text for label in scene.labels} == {*"abcdefg", *"1234567"}
    assert "white has 0 pairs, 0 points" in scene.legend
    assert "black has 2 pairs, 8 points" in scene.legend
    assert any(line.startswith("game") and line.endswith(" end it") for line in scene.legend)


def test_what_is_a_reconstruction_says_so() -> None:
    play = begin()
    legend = UNIONKING.picture(play.started, play.state).legend
    assert any("reconstruction: board and starting layout are ours" in line for line in legend)
    custom = begin("woA a1")
    legend = UNIONKING.picture(custom.started, custom.state).legend
    assert any("reconstruction: the board is ours" in line and "set up by hand" in line for line in legend)
    assert "reconstruction" in UNIONKING.notes


def test_picture_of_the_last_move_and_of_the_end() -> None:
    play = begin(READY["game1"])
    go(play, THERE["game1"])
    assert UNIONKING.picture(play.started, play.state).turn == "black to move, its last move"
    go(play, "decline")
    assert UNIONKING.picture(play.started, play.state).turn == ""


def opening(started: Started, *words: str) -> str:
    play = Play(UNIONKING, started)
    go_words(play, words)
    return UNIONKING.opening(started, play.log)


def mirror(given: UnionkingSetup) -> UnionkingSetup:
    width = given.width
    layout = tuple(number // width * width + width - 1 - number % width for number in given.layout)
    return UnionkingSetup(width, given.height, layout)


def test_openings_of_the_recommended_layout_are_their_moves() -> None:
    assert opening(UNIONKING.start(), "woA-a3", "boA-g5") == "a1-a3 g7-g5"
    assert opening(UNIONKING.start(), "woG-g3") == "g1-g3", "mirrored it is another game"
    given = UnionkingSetup(layout=tuple(points_of(GAMES_1_AND_2)))
    assert opening(UNIONKING.start(setup=given), "woA-a3") == "a1-a3"


def test_openings_of_other_layouts_are_the_same_from_every_side() -> None:
    given = setup("woA a1 wiB c3", free="a2 b1 c2 c4 d3 b3", width=7, height=9)
    one = opening(UNIONKING.start(setup=given), "woA-a2")
    assert one == opening(UNIONKING.start(setup=mirror(given)), "woA-g2")
    assert one != opening(UNIONKING.start(setup=given), "woA-b1")
    assert one != opening(UNIONKING.start(setup=mirror(given)), "woA-f1")
    # Turned by a quarter: 9 wide, 7 high.
    turned = UnionkingSetup(9, 7, tuple(number % 7 * 9 + number // 7 for number in given.layout))
    assert one == opening(UNIONKING.start(setup=turned), "woA-b1")


def test_openings_leave_out_which_half_of_a_pair_moved_and_which_figure_is_where() -> None:
    given = setup(pairs_at("w", "b2"), free="b3 b1")
    started = UNIONKING.start(setup=given)
    assert opening(started, "woA-b3") == opening(started, "wiA-b3") != opening(started, "woA-b1")
    layout = given.layout
    renamed = UnionkingSetup(layout=tuple(layout[base + (f + 1) % 7] for base in (0, 7, 14, 21) for f in range(7)))
    assert opening(started, "woA-b3") == opening(UNIONKING.start(setup=renamed), "woG-b3")
