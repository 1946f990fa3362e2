"""The board as a bit set of `WORDS` words, so that a question about a piece is three `and`s.

A word holds three rows of `LANE` bits, one more than the board has columns: square (x, y) is bit x + 1 of row y + 1.
So there is an empty row below the board and one above it, and an empty column between the end of a row and the
beginning of the next: what touches a piece has a bit, also off the board. A piece at (x, y) lies, with all that it
touches, in three words from number y // 3 on, however high it is. Its *shape* is these at column 0, for each y % 3.
"""

from __future__ import annotations

from kifold.core.rulesets.blokus.declaration import LANE, ROWS, SIDE
from kifold.core.rulesets.blokus.pieces import FORM_CELLS, Cells

WORD_BITS = ROWS * LANE
WORD = (1 << WORD_BITS) - 1
COLUMN_OF_BIT = [bit % LANE - 1 for bit in range(WORD_BITS)]
ROW_OF_BIT = [bit // LANE for bit in range(WORD_BITS)]
"""Where each bit of a word lies: dividing costs more than looking it up."""
FIRST_WORD = [y // ROWS for y in range(SIDE)]
PHASE = [3 * (y % ROWS) for y in range(SIDE)]
"""The first of the three words of a piece in row y, and where among the form's shapes is the one for it."""


def _shapes(*steps: tuple[int, int]) -> list[int]:
    """The shapes of all squares that are such a step away from a form's; of form f for y % 3 = p at 9·f + 3·p."""
    words = []
    for form in FORM_CELLS:
        reached = tuple({(x + dx, y + dy) for x, y in form for dx, dy in steps})
        for phase in range(ROWS):
            words += _shape(reached, phase)
    return words


def _shape(cells: Cells, phase: int) -> list[int]:
    bits = sum(1 << LANE * (phase + y + 1) + x + 1 for x, y in cells)
    return [bits >> WORD_BITS * word & WORD for word in range(3)]


FORM_SQUARES = _shapes((0, 0))
FORM_EDGES = _shapes((1, 0), (-1, 0), (0, 1), (0, -1))
"""What shares a side with a form."""
FORM_CORNERS = _shapes((1, 1), (-1, 1), (1, -1), (-1, -1))
"""What touches a form at a corner of one of its squares."""


def word_of(y: int) -> int:
    """The word that holds row y."""
    return (y + 1) // ROWS


def bit_of(x: int, y: int) -> int:
    """The bit of square (x, y) in that word."""
    return (y + 1) % ROWS * LANE + x + 1
