"""The board as data: points, lines, and how many line ends leave a point. Rule file unionking.md, 1.

A reconstruction: rows and columns of odd length, with both diagonals at every second point, the corners among them
("alquerque"). Nothing below the rules knows more of the board than these tables, so another one can take their place.

Events number the points of a board row by row from its lower left corner: y·width + x. The rules walk on a lattice
that has room for every board and a rim around it: spot (y + 1)·10 + x + 1. On it a direction is one number, whatever
the width.
"""

from __future__ import annotations

SMALLEST, LARGEST = 3, 9
POINTS = LARGEST * LARGEST
ROW = LARGEST + 1
SPOTS = ROW * ROW + ROW + 1
"""Spots of the lattice with its rim; the end of one row is the rim of the next."""

STEP = [1, ROW, -1, -ROW, ROW + 1, ROW - 1, -ROW - 1, -ROW + 1]
"""From a spot to the next one along each direction: right, up, left, down, then the diagonals."""


def _spot(x: int, y: int) -> int:
    return (y + 1) * ROW + x + 1


LINES = [8 if (spot % ROW + spot // ROW) % 2 == 0 else 4 for spot in range(SPOTS)]
"""How many of the directions have a line at a spot: diagonals join even points only (x + y even)."""

SPOT_OF_POINT = [
    _spot(point % width, point // width) if width and point // width < LARGEST else 0
    for width in range(LARGEST + 1)
    for point in range(POINTS)
]
"""The spot of point p on a board of width w at w·81 + p."""

POINT_OF_SPOT = [
    (spot // ROW - 1) * width + spot % ROW - 1 if 0 < spot % ROW <= width and 0 < spot // ROW <= LARGEST else 0
    for width in range(LARGEST + 1)
    for spot in range(SPOTS)
]
"""The point at a spot on a board of width w at w·111 + spot."""

REACH = 2 * LARGEST - 1
STEP_OF_OFFSET = [0] * (REACH * REACH)
"""The direction in which a spot lies that is dx to the right and dy up, at (dy + 8)·17 + dx + 8; 0 when in none."""
for _far in range(1, LARGEST):
    for _dx, _dy in ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)):
        STEP_OF_OFFSET[(_dy * _far + LARGEST - 1) * REACH + _dx * _far + LARGEST - 1] = _dy * ROW + _dx


def line_ends(x: int, y: int, width: int, height: int) -> int:
    """How many line ends leave a point: what a merged pair on it counts."""
    ways = STEP[: LINES[_spot(x, y)]]
    board = {_spot(u, v) for u in range(width) for v in range(height)}
    return sum(_spot(x, y) + step in board for step in ways)


DEGREE = [0] * (16 * SPOTS)
"""The line ends at each spot of board number b (`board_number`) at b·111 + spot."""
for _width in range(SMALLEST, LARGEST + 1, 2):
    for _height in range(SMALLEST, LARGEST + 1, 2):
        for _y in range(_height):
            for _x in range(_width):
                _number = (_width - SMALLEST) // 2 * 4 + (_height - SMALLEST) // 2
                DEGREE[_number * SPOTS + _spot(_x, _y)] = line_ends(_x, _y, _width, _height)


def is_board(width: int, height: int) -> bool:
    """Whether the pattern gives line ends of 3, 4, 5 and 8 and no others: both sides odd, and 3×3 is too small."""
    return width % 2 == 1 and height % 2 == 1 and width * height > SMALLEST * SMALLEST


def board_number(width: int, height: int) -> int:
    """The number of a board of odd sides among the sixteen."""
    return (width - SMALLEST) // 2 * 4 + (height - SMALLEST) // 2


def step_to(start: int, target: int) -> int:
    """The step from one spot along the drawn line on which the other lies; 0 when there is no such line."""
    dx = target % ROW - start % ROW
    dy = target // ROW - start // ROW
    if dx != 0 and dy != 0 and LINES[start] == 4:
        return 0
    return STEP_OF_OFFSET[(dy + LARGEST - 1) * REACH + dx + LARGEST - 1]
