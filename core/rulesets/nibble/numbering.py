"""How cells, and so tiles, are numbered on each board."""

from __future__ import annotations

from kifold.core.numbering import Numbering
from kifold.core.rulesets.nibble.board import PLACES
from kifold.core.rulesets.nibble.declaration import MOST_ROWS, VARIANTS
from kifold.core.rulesets.nibble.notation import cell_text


def numberings() -> tuple[Numbering, ...]:
    """The table for the reference page."""
    meaning = """
        Tiles have the numbers of their cells, and `layout` lists their colours in this order: rows from the top, in a
        row from the left. For each row its first and last cell in short notation, and the numbers of these.
    """
    rows = tuple(
        (str(row + 1), *(_cells_of(variant, row) for variant in range(len(VARIANTS)))) for row in range(MOST_ROWS)
    )
    return (Numbering("Numbers of tiles", meaning, ("row", *(f"`{one.name}`" for one in VARIANTS)), rows),)


def _cells_of(variant: int, row: int) -> str:
    cells = [cell for cell, (_, y) in enumerate(PLACES[variant]) if y == row]
    if not cells:
        return ""
    first, last = cells[0], cells[-1]
    return f"{cell_text(variant, first)} … {cell_text(variant, last)}: {first} … {last}"
