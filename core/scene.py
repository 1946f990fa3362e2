"""A picture as shapes: a ruleset says what lies where, `kifold.replay` draws it as text or SVG.

Coordinates are in board units, x to the right and y downwards; a square cell is 1 × 1 and its shape is placed by its
middle. Every shape has a letter, so that nobody has to tell colours apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kifold.core.notation import LETTERS, cell_name


@dataclass(frozen=True, slots=True)
class Shape:
    """One thing in a picture.

    `kind` is ``square``, ``hexagon``, ``disc``, ``ring``, ``dot`` or ``card``; `colour` a name of `PALETTE`; `letter`
    what stands for it in text; `title` what a pointer shows; `size` its width in board units.
    """

    kind: str
    x: float
    y: float
    colour: str
    letter: str
    title: str = ""
    size: float = 1.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the board, from point to point."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Label:
    """Text in the picture: coordinates, names."""

    x: float
    y: float
    text: str


@dataclass(slots=True)
class Scene:
    """Everything in a picture, and lines of text below it (scores, what is left).

    `turn` says what is to be done and by whom, where the game has more to say than kifold has by itself, ``red to
    move``. It is shown as the last line while the match goes on; then comes how it ended, and how the seats stand.
    """

    width: float
    height: float
    shapes: list[Shape] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    legend: list[str] = field(default_factory=list)
    turn: str = ""


def square_board(columns: int, rows: int, look: Callable[[int, int], tuple[str, str]], kind: str = "square") -> Scene:
    """A board of squares: columns a, b, … from the left, rows 1, 2, … from below.

    Args:
        columns, rows: the size; up to 26 columns.
        look: (x, y) -> colour and letter of what is on a square, x and y from 0; nothing is ("board", ".").
        kind: of the shapes, for boards with holes or points instead of squares.
    """
    scene = Scene(columns + 1, rows + 1, labels=board_labels(columns, rows))
    for y in range(rows):
        for x in range(columns):
            colour, letter = look(x, y)
            title = cell_name(x, y) + (f" {colour}" if colour != "board" else "")
            scene.shapes.append(Shape(kind, x + 1, rows - 1 - y, colour, letter, title))
    return scene


def board_labels(
    columns: int,
    rows: int,
    *,
    from_top: bool = False,
    pitch: tuple[int, int] = (1, 1),
    first: tuple[float, float] = (1, 0),
) -> list[Label]:
    """The coordinates of a board of squares: numbers of the rows to its left, letters of the columns below it.

    Args:
        columns, rows: the size; up to 26 columns.
        from_top: whether row 1 is the top one.
        pitch: how many units a cell is wide and high.
        first: where the labels of the leftmost column and of the top row stand, as x and y.
    """
    (across, down), (left, top) = pitch, first
    numbers = [Label(0, top + down * (y if from_top else rows - 1 - y), str(y + 1)) for y in range(rows)]
    return numbers + [Label(left + across * x, down * rows, LETTERS[x]) for x in range(columns)]


PALETTE = {
    "board": ("#f4f1ea", ""),
    "blue": ("#2f6fd0", "blue"),
    "yellow": ("#f2c230", "yellow"),
    "red": ("#d8403a", "red"),
    "green": ("#3a9d4d", "green"),
    "white": ("#ffffff", "bright_white"),
    "black": ("#26262b", "bright_black"),
    "purple": ("#8e4fb8", "magenta"),
    "orange": ("#ee8a2d", "dark_orange"),
    "cyan": ("#2fb3bf", "cyan"),
    "pink": ("#ec87b4", "pink1"),
    "brown": ("#93643a", "orange4"),
    "grey": ("#9a9aa2", "grey62"),
    "lime": ("#a5cf3f", "chartreuse3"),
    "navy": ("#33418f", "blue3"),
    "teal": ("#27796f", "dark_cyan"),
}
"""Colour names of pictures: the SVG fill, and the terminal's colour (empty: none)."""
