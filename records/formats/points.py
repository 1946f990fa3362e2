"""Cells of a square grid as Blokus records write them: `a1` is the lower left corner, `a1,b1,a2` a piece of three.

Columns are letters, a to z and then aa, ab, ... (i is one of them); rows are numbers from 1, counted upwards. Here a
cell is (x, y), both from 0, x to the right and y upwards. Source: the public description of `.blksgf`, and probes of
what Pentobi 31 accepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

Cell = tuple[int, int]

_POINT = re.compile(r"([A-Za-z]{1,6})0*+([0-9]{1,9})")


def cells(value: str, width: int, height: int) -> tuple[Cell, ...]:
    """The cells of a value such as `"a20,b20"`, in its order; a repeated cell stays repeated.

    Capital letters, white space round a coordinate and zeros before a row are accepted. Raises ValueError ("invalid
    point 'u1'") for whatever is no cell of a board of `width` by `height`, the empty value too.
    """
    table = _table(width, height)
    texts = value.split(",")
    try:
        return tuple([table[text] for text in texts])
    except KeyError:
        return tuple([table.get(text) or _cell(text, width, height) for text in texts])


def point_text(x: int, y: int) -> str:
    """The coordinate of one cell: `(0, 19)` is `"a20"`, `(26, 0)` is `"aa1"`. ValueError if x or y is below 0."""
    if x < 0 or y < 0:
        raise ValueError(f"invalid cell ({x}, {y})")
    column = ""
    rest = x + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        column = chr(ord("a") + letter) + column
    return f"{column}{y + 1}"


def cells_text(cells: Iterable[Cell]) -> str:
    """The value for these cells in canonical order: by row from below, then by column. ValueError if there are none."""
    ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    if not ordered:
        raise ValueError("no cells")
    return ",".join([point_text(x, y) for x, y in ordered])


def _cell(text: str, width: int, height: int) -> Cell:
    found = _POINT.fullmatch(text.strip(" \t\n\v\f\r"))
    if found:
        column = 0
        for letter in found[1].lower():
            column = column * 26 + ord(letter) - ord("a") + 1
        row = int(found[2])
        if column <= width and 1 <= row <= height:
            return column - 1, row - 1
    raise ValueError(f"invalid point {text if len(text) <= 40 else text[:37] + '...'!r}")


@lru_cache(maxsize=16)
def _table(width: int, height: int) -> dict[str, Cell]:
    """Every cell of the board by its canonical text: most values need nothing more."""
    return {point_text(x, y): (x, y) for y in range(height) for x in range(width)}
