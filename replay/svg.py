"""A picture as a standalone SVG: no scripts, nothing from elsewhere, every letter as text.

Each shape is a group of class ``shape``: its middle in board units as ``data-x`` and ``data-y``, its colour and letter
as ``data-colour`` and ``data-letter``, and in ``<title>`` what lies there, which a pointer shows and a test reads.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from math import cos, pi, sin, sqrt
from xml.sax.saxutils import escape, quoteattr

from kifold.core.scene import Label, Line, Scene, Shape
from kifold.replay.printable import printable
from kifold.replay.tones import fill, ink, rim

UNIT = 36
"""Pixels per board unit of a wide board."""
WIDTH = 500
"""Pixels: narrow boards are drawn larger, or stand in the middle of so much, so that the legend has room."""
LARGEST = 1.6
"""How much larger a narrow board is drawn."""
PADDING = 12
"""Pixels around everything."""
LEGEND_SIZE, LEGEND_HEIGHT = 14, 20
"""Pixels: the legend's font, and from line to line."""
SANS = "Helvetica, Arial, sans-serif"
FIXED = "ui-monospace, Menlo, Consolas, monospace"
"""Fonts of the board and of the legend, whose columns are set with spaces."""
ADVANCE = 0.6
"""Width of a character of fixed-width fonts, in font sizes."""
PAPER = "#fbfaf7"
GRID = "#d8d2c4"
EDGE = "#a39a86"
TEXT = "#3b3831"
FAINT = "#6b6558"
UNSEEN = frozenset({"", ".", "+"})
"""Letters of free places, which the picture shows without them."""


def draw_svg(scene: Scene, title: str) -> str:
    """The picture as an SVG document, the legend below the board; `title` names it for pointers and screen readers.

    Raises:
        ValueError: when a shape is of a kind or colour that pictures do not have.
    """
    return "\n".join([*svg_parts(scene, title), ""])


def svg_parts(scene: Scene, title: str) -> list[str]:
    """The document in parts that joined give it. Pictures of one match share most of theirs. Raises as `draw_svg`."""
    left, top, right, bottom = _bounds(scene)
    room = (WIDTH - 2 * PADDING) / (right - left)
    pen = _Pen(UNIT * min(max(1.0, room / UNIT), LARGEST))
    board = (right - left) * pen.unit + 2 * PADDING
    width, height = max(board, WIDTH), (bottom - top) * pen.unit + 2 * PADDING
    legend = _wrapped(scene.legend, width)
    x, y = left * pen.unit - PADDING - (width - board) / 2, top * pen.unit - PADDING
    box = (x, y, width, height + (LEGEND_HEIGHT * len(legend) + PADDING if legend else 0))
    frame = f'x="{_n(box[0])}" y="{_n(box[1])}" width="{_n(box[2])}" height="{_n(box[3])}"'
    name, (lowest, rest) = printable(title), _layers(scene)
    root = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(map(_n, box))}" width="{_n(width)}" '
        f'height="{_n(box[3])}" role="img" aria-label={quoteattr(name)} text-anchor="middle" font-family="{SANS}">'
    )
    return [
        root,
        f"<title>{escape(name)}</title>",
        f'<rect {frame} fill="{PAPER}"/>',
        *map(pen.shape, lowest),
        f'<g stroke="{EDGE}" stroke-width="1.3" stroke-linecap="round">',
        *map(pen.line, scene.lines),
        "</g>",
        *map(pen.shape, rest),
        f'<g fill="{FAINT}" class="labels">',
        *map(pen.label, scene.labels),
        "</g>",
        f'<g fill="{TEXT}" class="legend" text-anchor="start" font-family="{FIXED}" font-size="{LEGEND_SIZE}">',
        *[_legend_line(x + PADDING, y + height + LEGEND_HEIGHT * (i + 0.7), line) for i, line in enumerate(legend)],
        "</g>",
        "</svg>",
    ]


def _bounds(scene: Scene) -> tuple[float, float, float, float]:
    """Left, top, right and bottom in board units; at least what the scene says, so that a match keeps one frame."""
    xs, ys = [-0.5, scene.width - 0.5], [-0.5, scene.height - 0.5]
    for shape in scene.shapes:
        xs += [shape.x - shape.size / 2, shape.x + shape.size / 2]
        ys += [shape.y - shape.size / 2, shape.y + shape.size / 2]
    for line in scene.lines:
        xs += [line.x1, line.x2]
        ys += [line.y1, line.y2]
    for label in scene.labels:
        half = 0.12 * len(label.text)
        xs += [label.x - half, label.x + half]
        ys += [label.y - 0.3, label.y + 0.3]
    return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True, slots=True)
class _Laid:
    """A shape, and what its place tells: whether its letter is seen, and whether it lies on the board itself."""

    shape: Shape
    is_lettered: bool
    is_first: bool


def _layers(scene: Scene) -> tuple[list[_Laid], list[_Laid]]:
    """Cells of the board, which lie below its lines, and the rest.

    Where a later shape has a letter at the same middle, only that one is written.
    """
    places = [(round(shape.x, 2), round(shape.y, 2)) for shape in scene.shapes]
    lettered = {place: i for i, place in enumerate(places) if scene.shapes[i].letter not in UNSEEN}
    taken: set[tuple[float, float]] = set()
    lowest: list[_Laid] = []
    rest: list[_Laid] = []
    for i, (shape, place) in enumerate(zip(scene.shapes, places, strict=True)):
        laid = _Laid(shape, lettered.get(place) == i, place not in taken)
        (lowest if _is_cell(shape) else rest).append(laid)
        if not _is_cell(shape):
            taken.add(place)
    return lowest, rest


def _is_cell(shape: Shape) -> bool:
    return shape.colour == "board" and shape.kind in {"square", "hexagon"}


@dataclass(frozen=True, slots=True)
class _Pen:
    """Draws elements at `unit` pixels per board unit.

    Nothing is left to a transformation: fonts smaller than a pixel, enlarged, are not drawn well everywhere.
    """

    unit: float

    def at(self, units: float) -> str:
        return _n(units * self.unit)

    def shape(self, laid: _Laid) -> str:
        shape = laid.shape
        letter, title = printable(shape.letter), printable(shape.title)
        return (
            f'<g class="shape" data-x="{round(shape.x, 3):g}" data-y="{round(shape.y, 3):g}" '
            f"data-colour={quoteattr(shape.colour)} data-letter={quoteattr(letter)}><title>{escape(title)}</title>"
            f"{self.outline(laid)}{self.letter(shape, letter) if laid.is_lettered and letter else ''}</g>"
        )

    def outline(self, laid: _Laid) -> str:
        shape = laid.shape
        inside, edge = fill(shape.colour), GRID if shape.colour == "board" else rim(shape.colour)
        is_cell = _is_cell(shape)
        # Cells of the board touch, what lies on them leaves a gap.
        size = shape.size if is_cell else 0.92 * shape.size
        paint = f'fill="{inside}" stroke="{edge}"'
        if shape.kind in {"square", "card"}:
            corner = 0 if is_cell else size * (0.14 if shape.kind == "square" else 0.08)
            x, y, side = self.at(shape.x - size / 2), self.at(shape.y - size / 2), self.at(size)
            return f'<rect x="{x}" y="{y}" width="{side}" height="{side}" rx="{self.at(corner)}" {paint}/>'
        if shape.kind == "hexagon":
            points = self.hexagon(shape.x, shape.y, size / sqrt(3))
            return f'<polygon points="{points}" stroke-linejoin="round" {paint}/>'
        middle = f'cx="{self.at(shape.x)}" cy="{self.at(shape.y)}"'
        if shape.kind in {"disc", "dot"}:
            return f'<circle {middle} r="{self.at(size / 2)}" {paint}/>'
        if shape.kind == "ring":
            band = 0.15 * size
            at = f'<circle {middle} r="{self.at((size - band) / 2)}"'
            # What lies below shows through; lines of the board would only make the letter harder to read.
            hole = PAPER if laid.is_first else "none"
            # A wider ring below gives the band a rim on both sides, so that a white one shows on light paper.
            return (
                f'{at} fill="{hole}" stroke="{edge}" stroke-width="{_n(band * self.unit + 2)}"/>'
                f'{at} fill="none" stroke="{inside}" stroke-width="{self.at(band)}"/>'
            )
        raise ValueError(f"no shape {shape.kind!r} in pictures: choose from square, hexagon, disc, ring, dot, card")

    def hexagon(self, x: float, y: float, radius: float) -> str:
        """The corners of a hexagon that stands on one."""
        turns = [pi / 3 * i for i in range(6)]
        return " ".join(f"{self.at(x + radius * sin(turn))},{self.at(y - radius * cos(turn))}" for turn in turns)

    def letter(self, shape: Shape, letter: str) -> str:
        tallest = 0.36 if shape.kind == "card" else 0.52
        widest = 0.65 if shape.kind == "ring" else 1.05
        # A point of a lattice is too small for its letter, which stands over it.
        size = max(min(tallest, widest / len(letter)) * shape.size, 0.26)
        if shape.kind == "ring" or shape.colour == "board":
            front = FAINT if shape.colour == "board" else TEXT
            # Lines of the board pass below points: the letter keeps a little distance from them.
            halo = f' stroke="{PAPER}" stroke-width="4" paint-order="stroke"' if shape.kind == "dot" else ""
            return self.text(shape.x, shape.y, size, letter, f' fill="{front}"{halo}')
        return self.text(shape.x, shape.y, size, letter, f' font-weight="600" fill="{ink(shape.colour)}"')

    def line(self, line: Line) -> str:
        x1, y1, x2, y2 = map(self.at, (line.x1, line.y1, line.x2, line.y2))
        return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'

    def label(self, label: Label) -> str:
        # Coordinates of a board that is drawn larger do not grow with it.
        return self.text(label.x, label.y, 15 / self.unit, printable(label.text))

    def text(self, x: float, y: float, size: float, text: str, paint: str = "") -> str:
        # Half a capital letter lower than the middle; not every renderer knows `dominant-baseline`.
        y += 0.36 * size
        return f'<text x="{self.at(x)}" y="{self.at(y)}" font-size="{self.at(size)}"{paint}>{escape(text)}</text>'


def _legend_line(x: float, y: float, line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    # Columns are set with spaces, of which XML would keep one.
    spaced = line[indent:].replace("  ", "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}")
    return f'<text x="{_n(x + indent * ADVANCE * LEGEND_SIZE)}" y="{_n(y)}">{escape(spaced)}</text>'


def _wrapped(legend: list[str], width: float) -> list[str]:
    """The legend in lines of at most so many pixels."""
    characters = int((width - 2 * PADDING) / (ADVANCE * LEGEND_SIZE))
    wrapper = textwrap.TextWrapper(characters, subsequent_indent="    ")
    return [part for line in legend for part in wrapper.wrap(printable(line)) or [""]]


def _n(pixels: float) -> str:
    """Pixels to a tenth."""
    return f"{round(pixels, 1) + 0:g}"
