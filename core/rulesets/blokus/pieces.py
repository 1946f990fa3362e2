"""The 21 pieces and their orientations, as tables. Rule file blokus.md, 001.2; piece names as in blksgf.md, 1.7.

An orientation of a piece is a *form*: 91 in all, numbered piece by piece. A form's cells are (x, y) from the lower left
corner of its bounding box; within a piece, forms are ordered by their cells, read row by row from the bottom.
"""

from __future__ import annotations

DRAWINGS = {
    "1": "#",
    "2": "##",
    "I3": "###",
    "V3": "## #.",
    "I4": "####",
    "L4": "### #..",
    "T4": "### .#.",
    "Z4": "##. .##",
    "O": "## ##",
    "F": ".## ##. .#.",
    "I5": "#####",
    "L5": "#### #...",
    "N": "##.. .###",
    "P": "### ##.",
    "T5": "### .#. .#.",
    "U": "#.# ###",
    "V5": "### #.. #..",
    "W": "##. .## ..#",
    "X": ".#. ### .#.",
    "Y": "#### .#..",
    "Z5": "##. .#. .##",
}
PIECES = tuple(DRAWINGS)
N_PIECES = len(PIECES)
MOST_SQUARES = 5

Cells = tuple[tuple[int, int], ...]


def _canonical(cells: set[tuple[int, int]]) -> Cells:
    left, low = min(x for x, _ in cells), min(y for _, y in cells)
    return tuple(sorted(((x - left, y - low) for x, y in cells), key=lambda cell: (cell[1], cell[0])))


def forms_of(drawing: str) -> list[Cells]:
    """The different orientations of a drawing under the 8 symmetries of the square (reading 001-3)."""
    cells = {(x, y) for y, row in enumerate(drawing.split()) for x, mark in enumerate(row) if mark == "#"}
    forms = set()
    for _ in range(4):
        cells = {(y, -x) for x, y in cells}
        forms |= {_canonical(cells), _canonical({(-x, y) for x, y in cells})}
    return sorted(forms, key=lambda form: [(y, x) for x, y in form])


FORMS_OF_PIECE = [forms_of(drawing) for drawing in DRAWINGS.values()]
FORM_CELLS = [form for forms in FORMS_OF_PIECE for form in forms]

# What the rules read: one list entry per piece, or per form.
ORIENTATIONS = [len(forms) for forms in FORMS_OF_PIECE]
PIECE_OF_FORM = [piece for piece, forms in enumerate(FORMS_OF_PIECE) for _ in forms]
ORIENTATION_OF_FORM = [orientation for forms in FORMS_OF_PIECE for orientation in range(len(forms))]
FIRST_FORM = [sum(ORIENTATIONS[:piece]) for piece in range(N_PIECES)]
SQUARES = [len(forms[0]) for forms in FORMS_OF_PIECE]
FORM_WIDTH = [max(x for x, _ in form) + 1 for form in FORM_CELLS]
FORM_HEIGHT = [max(y for _, y in form) + 1 for form in FORM_CELLS]
MONOMINO = PIECES.index("1")
ALL_PIECES = (1 << N_PIECES) - 1

ROWS_OF_FORM = 2 * MOST_SQUARES - 1
FORM_ROWS = [
    sum(1 << x for x, y in form if y == row) for form in FORM_CELLS for row in range(1 - MOST_SQUARES, MOST_SQUARES)
]
"""Rows −4 … 4 of form f, the lower ones empty, from `ROWS_OF_FORM`·f on; bit x for column x."""

FORM_OF_CELLS = {
    form: (piece, orientation) for piece, forms in enumerate(FORMS_OF_PIECE) for orientation, form in enumerate(forms)
}


def piece_of(cells: set[tuple[int, int]]) -> tuple[int, int, int, int] | None:
    """(piece, orientation, x, y) of a set of cells, or None when they are no piece."""
    found = FORM_OF_CELLS.get(_canonical(cells)) if cells else None
    if found is None:
        return None
    return (*found, min(x for x, _ in cells), min(y for _, y in cells))


def cells_of(piece: int, orientation: int, x: int, y: int) -> Cells:
    """The cells of a placement, row by row from the bottom."""
    return tuple((x + dx, y + dy) for dx, dy in FORMS_OF_PIECE[piece][orientation])
