"""A picture as lines of text: every shape's letter at its place, coordinates around, the legend below.

A cell of a square board is two characters wide and one line high. Other boards are mapped so that nothing collides:
each distinct y becomes a line of its own (the rows of a hexagon board lie 0.866 apart), and columns are spread until
the letters of every line stand apart. Boards of points joined by lines get twice the room, and the lines are drawn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from math import floor

from kifold.core.scene import Line, Scene, Shape
from kifold.replay.printable import printable
from kifold.replay.tones import DARK, ink, terminal

SAME = 0.2
"""What lies less than this apart, in board units, stands at the same place in text."""
SPREADS = (2, 3, 4, 5, 6, 8, 10, 12, 16)
"""Characters per board unit to be tried, from the tightest."""
LATTICE_SPREADS = (4, 6, 8, 12, 16)
LATTICE_LINES = 2
"""Lines of text per board unit of a lattice."""
COORDINATE = 3
"""Labels up to this many characters stand exactly at their places; longer ones go where there is room in their line."""

Letters = list[tuple[str, str]]
"""Characters, each with its colour."""
Canvas = dict[tuple[int, int], tuple[str, str]]
"""(line, column) -> character and colour."""


def draw_text(scene: Scene, *, colour: bool) -> str:
    """The picture as text, ending with a line feed.

    Without `colour` it is plain text. With it, ANSI escape codes put each letter on its colour, and the letters are the
    same: nobody has to tell colours apart. Whether to ask for colour (a terminal, ``NO_COLOR``) is for the caller.

    Raises:
        ValueError: when a shape has a colour that is not in `PALETTE`.
    """
    spots = _spots(scene)
    is_lattice = _is_lattice(scene)
    canvas = _on_lattice(scene, spots) if is_lattice else _in_rows(scene, spots)
    lines = _coloured(canvas) if colour else _plain(canvas)
    legend = [printable(line) for line in scene.legend]
    return "\n".join([*lines, *([""] if lines and legend else []), *legend, ""])


def _spots(scene: Scene) -> dict[tuple[float, float], Letters]:
    """What stands at each place: letters of the shapes that are seen there, lowest first, or a short label."""
    labels = [label for label in scene.labels if len(label.text) <= COORDINATE]
    xs = _snapped([shape.x for shape in scene.shapes] + [label.x for label in labels])
    ys = _snapped([shape.y for shape in scene.shapes] + [label.y for label in labels])
    piles: defaultdict[tuple[float, float], list[Shape]] = defaultdict(list)
    for shape in scene.shapes:
        piles[xs[shape.x], ys[shape.y]].append(shape)
    spots = {place: _seen(pile) for place, pile in piles.items()}
    for label in labels:
        spots.setdefault((xs[label.x], ys[label.y]), [(char, "board") for char in printable(label.text)])
    return {place: letters for place, letters in spots.items() if letters}


def _seen(pile: list[Shape]) -> Letters:
    """The letters of a pile: not of shapes that a later one covers or repeats, nor of the board below something."""
    letters: Letters = []
    for i, shape in enumerate(pile):
        above = [other for other in pile[i + 1 :] if other.letter.strip()]
        is_covered = any(other.kind != "ring" and other.size >= shape.size for other in above)
        is_repeated = any((other.letter, other.colour) == (shape.letter, shape.colour) for other in above)
        if not (is_covered or is_repeated or (above and shape.colour == "board")):
            letters += [(char, shape.colour) for char in printable(shape.letter).strip()]
    return letters


def _snapped(values: Iterable[float]) -> dict[float, float]:
    """Each value, and the first of those that count as the same."""
    snapped: dict[float, float] = {}
    first = -1e9
    for value in sorted(set(values)):
        first = value if value - first >= SAME else first
        snapped[value] = first
    return snapped


def _rounded(value: float) -> int:
    """The nearest integer, halves up: `round` would send 0.5 down and 1.5 up."""
    return floor(value + 0.5 + 1e-9)


# Boards of cells


def _in_rows(scene: Scene, spots: dict[tuple[float, float], Letters]) -> Canvas:
    long = [label for label in scene.labels if len(label.text) > COORDINATE]
    ys = _snapped([y for _, y in spots] + [label.y for label in long])
    line_of = _lines_of(sorted(set(ys.values())))
    placed = {(x, line_of[ys[y]]): letters for (x, y), letters in spots.items()}
    canvas: Canvas = {}
    spread = _spread(placed, SPREADS)
    _put(canvas, placed, spread)
    for label in long:
        _put_where_free(canvas, line_of[ys[label.y]], _rounded(spread * label.x), printable(label.text))
    return canvas


def _lines_of(ys: list[float]) -> dict[float, int]:
    """The line of each distinct y: the next one, or further down where rows of the board are empty."""
    gaps = Counter(round(below - above, 1) for above, below in pairwise(ys))
    usual = min(gaps, key=lambda gap: (-gaps[gap], gap), default=1.0)
    # Parts of one cell lie closer together than rows do; they alone shall not blow up the picture.
    pitch = max(usual, 0.5)
    lines, at = {}, 0
    for i, y in enumerate(ys):
        at += max(1, _rounded((y - ys[i - 1]) / pitch)) if i else 0
        lines[y] = at
    return lines


def _spread(placed: dict[tuple[float, int], Letters], spreads: tuple[int, ...]) -> int:
    """The fewest characters per board unit that leave a space between all neighbours in a line."""
    for spread in spreads:
        ends: dict[int, int] = {}
        for (x, line), letters in sorted(placed.items()):
            start = _start(x, len(letters), spread)
            if start <= ends.get(line, start - 1):
                break
            ends[line] = start + len(letters)
        else:
            return spread
    return spreads[-1]


def _start(x: float, length: int, spread: int) -> int:
    return _rounded(spread * x) - length // 2


def _put(canvas: Canvas, placed: dict[tuple[float, int], Letters], spread: int) -> None:
    for (x, line), letters in placed.items():
        for i, letter in enumerate(letters):
            canvas[line, _start(x, len(letters), spread) + i] = letter


def _put_where_free(canvas: Canvas, line: int, middle: int, text: str) -> None:
    """Write a long label as near to its place as its line has room."""
    wanted = middle - len(text) // 2
    for distance in range(1000):
        for start in (wanted + distance, wanted - distance):
            if all((line, column) not in canvas for column in range(start - 1, start + len(text) + 1)):
                canvas.update({(line, start + i): (char, "board") for i, char in enumerate(text)})
                return


# Boards of points and lines


def _is_lattice(scene: Scene) -> bool:
    """Whether lines join points one unit apart, straight or at 45 degrees, and the shapes between them lie on points.

    Grid lines around cells do not: they would leave no room for letters, and text has none to spare for them.
    """
    if not scene.lines:
        return False
    left, top = scene.lines[0].x1, scene.lines[0].y1
    xs = [x for line in scene.lines for x in (line.x1, line.x2)]
    ys = [y for line in scene.lines for y in (line.y1, line.y2)]
    inside = [s for s in scene.shapes if min(xs) <= s.x <= max(xs) and min(ys) <= s.y <= max(ys)]
    xs += [shape.x for shape in inside]
    ys += [shape.y for shape in inside]
    is_whole = all(abs(x - left - round(x - left)) < 1e-6 for x in xs) and all(
        abs(y - top - round(y - top)) < 1e-6 for y in ys
    )
    return is_whole and all(0 in _extent(line) or len(set(_extent(line))) == 1 for line in scene.lines)


def _extent(line: Line) -> tuple[int, int]:
    return abs(round(line.x2 - line.x1)), abs(round(line.y2 - line.y1))


def _on_lattice(scene: Scene, spots: dict[tuple[float, float], Letters]) -> Canvas:
    left, top = scene.lines[0].x1, scene.lines[0].y1
    placed = {(x - left, _rounded(LATTICE_LINES * (y - top))): letters for (x, y), letters in spots.items()}
    spread = _spread(placed, LATTICE_SPREADS)
    canvas: Canvas = {}
    for line in scene.lines:
        _draw_line(canvas, line, left, top, spread)
    _put(canvas, placed, spread)
    for label in scene.labels:
        if len(label.text) > COORDINATE:
            at = _rounded(LATTICE_LINES * (label.y - top))
            _put_where_free(canvas, at, _rounded(spread * (label.x - left)), printable(label.text))
    return canvas


def _draw_line(canvas: Canvas, line: Line, left: float, top: float, spread: int) -> None:
    steps = max(_extent(line))
    right = (line.x2 > line.x1) - (line.x2 < line.x1)
    down = (line.y2 > line.y1) - (line.y2 < line.y1)
    for step in range(steps + 1):
        x = spread * round(line.x1 - left + step * right)
        y = LATTICE_LINES * round(line.y1 - top + step * down)
        canvas[y, x] = ("+", "board")
        if step == steps:
            break
        if down == 0:
            canvas.update({(y, x + right * i): ("-", "board") for i in range(1, spread)})
            continue
        mark = "|" if right == 0 else "\\" if right == down else "/"
        middle = (y + down, x + right * spread // 2)
        crossed = canvas.get(middle, (mark, ""))[0] != mark
        canvas[middle] = ("X" if crossed else mark, "board")


# From canvas to lines


def _plain(canvas: Canvas) -> list[str]:
    return ["".join(char for char, _ in row).rstrip() for row in _rows(canvas)]


def _rows(canvas: Canvas) -> list[Letters]:
    if not canvas:
        return []
    lines, columns = [line for line, _ in canvas], [column for _, column in canvas]
    across = range(min(columns), max(columns) + 1)
    return [[canvas.get((y, x), (" ", "board")) for x in across] for y in range(min(lines), max(lines) + 1)]


def _coloured(canvas: Canvas) -> list[str]:
    """Lines with escape codes. The free character after a letter is filled too, so that cells look square."""
    from rich.color import ColorSystem
    from rich.style import Style

    filled = dict(canvas)
    for (line, column), (_, colour) in canvas.items():
        if terminal(colour):
            filled.setdefault((line, column + 1), (" ", colour))
    lines = []
    for row in _rows(filled):
        text, rest = "", [*row, ("", "board")]
        while len(rest) > 1:
            colour = rest[0][1]
            length = next(i for i, (char, other) in enumerate(rest) if other != colour or not char)
            part, rest = "".join(char for char, _ in rest[:length]), rest[length:]
            if terminal(colour):
                front = "grey0" if ink(colour) == DARK else "grey100"
                part = Style(color=front, bgcolor=terminal(colour), bold=True).render(
                    part, color_system=ColorSystem.EIGHT_BIT
                )
            text += part
        lines.append(text.rstrip())
    return lines
