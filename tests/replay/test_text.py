"""Text that a person, and a test, can read the board back from."""

import re
import subprocess
import sys

import pytest

from kifold.core.play import fold
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import SIDE, State
from kifold.core.scene import Label, Line, Scene, Shape
from kifold.replay.text import draw_text
from tests.rulesets.matches import random_log

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def plain(scene: Scene) -> list[str]:
    return draw_text(scene, colour=False).splitlines()


def squares_of(state: State) -> dict[tuple[int, int], str]:
    """(column, row) -> capital letter of the colour there, "" for nobody."""
    return {
        (x, y): "".join("BYRG"[c] for c in range(state.colours) if state.own[c * SIDE + y] >> x & 1)
        for y in range(state.side)
        for x in range(state.side)
    }


@pytest.mark.parametrize(("variant", "events"), [("classic", 0), ("classic", 45), ("two_player", 90), ("duo", 20)])
def test_every_square_of_a_blokus_board_reads_back(variant: str, events: int) -> None:
    started, log = random_log(BLOKUS, BLOKUS.start(variant), 5, 0, limit=events)
    play, refused = fold(BLOKUS, started, log)
    assert refused is None
    lines = plain(BLOKUS.picture(started, play.state))
    side = play.state.side
    read = {}
    for y, line in zip(reversed(range(side)), lines, strict=False):
        number, *letters = line.split()
        assert int(number) == y + 1
        read.update({(x, y): letter if letter in "BYRG" else "" for x, letter in enumerate(letters)})
    assert read == squares_of(play.state)
    columns = {letter: lines[side].index(letter) for letter in lines[side].split()}
    assert list(columns.values()) == [3 + 2 * x for x in range(side)], "a cell is two characters wide"
    assert lines[0][columns["a"]] in "B*."
    assert lines[side + 1] == ""
    assert lines[side + 2].startswith("B blue   has")


def test_colour_adds_only_escape_codes() -> None:
    started, log = random_log(BLOKUS, BLOKUS.start(), 6, 0, limit=30)
    scene = BLOKUS.picture(started, fold(BLOKUS, started, log)[0].state)
    coloured = draw_text(scene, colour=True)
    assert len(ESCAPE.findall(coloured)) > 40
    stripped = [ESCAPE.sub("", line).rstrip() for line in coloured.splitlines()]
    assert stripped == plain(scene)
    for line in coloured.splitlines():
        assert not ESCAPE.findall(line) or ESCAPE.findall(line)[-1] == "\x1b[0m", "no colour runs on into the next line"


def test_colour_is_not_lost_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    scene = Scene(1, 1, [Shape("square", 0, 0, "red", "R")])
    assert draw_text(scene, colour=True).startswith("\x1b[")


def test_plain_text_loads_no_terminal_library() -> None:
    code = (
        "import sys; from kifold.core.scene import *; from kifold.replay.text import draw_text\n"
        "draw_text(Scene(1, 1, [Shape('disc', 0, 0, 'red', 'R')]), colour=False)\n"
        "sys.exit(bool({'rich', 'numpy', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_hexagons_stand_between_those_above() -> None:
    scene = Scene(4, 3)
    for row, letters in enumerate(("AB", "CDE", "FG")):
        for i, letter in enumerate(letters):
            scene.shapes.append(Shape("hexagon", 1 + i + (row != 1) / 2, 0.866 * row, "red", letter))
        scene.labels.append(Label((row != 1) / 2, 0.866 * row, str(row + 9)))
    assert plain(scene) == ["  9 A B", "10 C D E", " 11 F G"], "a label of two characters ends at its place"


def test_points_and_lines_are_drawn_at_double_spacing() -> None:
    lines = [Line(0, 0, 2, 0), Line(0, 1, 2, 1), Line(0, 0, 0, 1), Line(1, 0, 1, 1), Line(2, 0, 2, 1)]
    lines += [Line(0, 0, 1, 1), Line(2, 0, 1, 1), Line(1, 0, 0, 1)]
    shapes = [
        Shape("disc", 0, 0, "white", "A"),
        Shape("ring", 1, 1, "black", "oB"),
        Shape("dot", 2, 1, "board", ".", "", 0.2),
    ]
    scene = Scene(3, 2, shapes, lines, [Label(-1, 0, "2"), Label(-1, 1, "1"), Label(1, 2, "b")])
    assert plain(scene) == [
        "2   A---+---+",
        "    | X | / |",
        "1   +--oB---.",
        "",
        "        b",
    ]


def test_grid_lines_between_cells_are_left_out() -> None:
    scene = Scene(2, 1, [Shape("square", x, 0, "red", "R") for x in range(2)])
    scene.lines = [Line(x - 0.5, -0.5, x - 0.5, 0.5) for x in range(3)]
    assert plain(scene) == ["R R"]


@pytest.mark.parametrize(
    ("pile", "text"),
    [
        ([Shape("square", 0, 0, "board", "."), Shape("disc", 0, 0, "red", "R", "", 0.5)], "R"),
        ([Shape("square", 0, 0, "red", "R"), Shape("disc", 0, 0, "blue", "b", "", 0.5)], "Rb"),
        ([Shape("disc", 0, 0, "red", "R"), Shape("disc", 0, 0, "blue", "B")], "B"),
        ([Shape("disc", 0, 0, "red", "r", "", 0.5), Shape("ring", 0, 0, "red", "R")], "rR"),
        ([Shape("ring", 0, 0, "red", "RR"), Shape("disc", 0, 0, "red", "RR", "", 0.5)], "RR"),
        ([Shape("square", 0, 0, "red", "R"), Shape("dot", 0, 0, "board", "")], "R"),
    ],
)
def test_a_pile_shows_what_can_be_seen(pile: list[Shape], text: str) -> None:
    assert plain(Scene(1, 1, pile)) == [text]


def test_parts_of_a_cell_make_room() -> None:
    scene = Scene(2, 2)
    for x in range(2):
        for y in range(2):
            scene.shapes.append(Shape("card", x, y, "board", "12"))
            scene.shapes += [
                Shape("square", x + dx, y + dy, "red", "R", "", 0.2)
                for dx, dy in ((0, -0.35), (0.35, 0), (0, 0.35), (-0.35, 0))
            ]
    lines = plain(scene)
    assert [line.split() for line in lines] == [["R", "R"], ["R", "12", "R"] * 2, ["R", "R"]] * 2
    assert lines[:3] == lines[3:]


def test_empty_rows_keep_their_lines() -> None:
    scene = Scene(1, 6, [Shape("disc", 0, y, "red", "R") for y in (0, 1, 2, 5)])
    assert plain(scene) == ["R", "R", "R", "", "", "R"]


def test_long_labels_go_where_there_is_room() -> None:
    scene = Scene(3, 1, [Shape("square", x, 0, "red", "R") for x in range(3)], labels=[Label(1, 0, "the north side")])
    assert plain(scene) in (["R R R the north side"], ["the north side R R R"])


def test_nothing_that_a_terminal_obeys_gets_through() -> None:
    scene = Scene(1, 1, [Shape("disc", 0, 0, "red", "\x1b")], labels=[Label(0, 1, "\x9b1")])
    scene.legend = ["\x1b[2Jname\nnext\u202e", "日本\N{LATIN SMALL LETTER E WITH ACUTE}"]
    text = draw_text(scene, colour=False)
    assert all(char.isprintable() for char in text.replace("\n", ""))
    assert text.splitlines()[-2:] == ["\ufffd[2Jname next", "日本é"]


def test_an_unknown_colour_is_named() -> None:
    with pytest.raises(ValueError, match="no colour 'mauve' in pictures: choose from board, blue"):
        draw_text(Scene(1, 1, [Shape("disc", 0, 0, "mauve", "M")]), colour=True)


def test_an_empty_picture_is_its_legend() -> None:
    assert draw_text(Scene(1, 1, legend=["nothing yet"]), colour=False) == "nothing yet\n"
