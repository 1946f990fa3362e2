"""Short notation: a take is the cells of its tiles, ``a1,c3``; with the seat where it is not the one to move, ``1:a1``.

A cell is a letter for its column and a number for its row, counted from the top, so that tiles named in order read like
a page. On the hexagon a column is a diagonal that falls to the right: the letter is q of 004.3, a for −7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kifold.core.events import Event, Started
from kifold.core.notation import cell_name, nobody_to_move, read_cell_name, read_seat, split_head
from kifold.core.options import variant_number
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.nibble.board import NUMBERS, PLACES
from kifold.core.rulesets.nibble.declaration import MOST_CELLS, MOST_COLOURS, VARIANTS, State, Take
from kifold.core.rulesets.nibble.rules import turn

NUMBER = re.compile(r"#0*([0-9]{1,3})")
"""A tile that the board does not have, by its number."""


def variant_of(started: Started) -> int:
    """The number of a match's variant."""
    return variant_number(VARIANTS, started.variant)


def cell_text(variant: int, cell: int) -> str:
    """A cell such as ``a1``; ``#100`` for a number that the board does not have."""
    if cell >= len(PLACES[variant]):
        return f"#{cell}"
    return cell_name(*PLACES[variant][cell])


def cells_text(variant: int, cells: Iterable[int]) -> str:
    """Cells in the order given: ``a1,c3``."""
    return ",".join(cell_text(variant, cell) for cell in cells)


def write(started: Started, event: Event) -> str:
    """The event in short notation, always with its seat."""
    assert isinstance(event, Take)
    return f"{event.seat}:{cells_text(variant_of(started), event.tiles)}"


def read(started: Started, state: State, text: str) -> Event:
    """The event that short notation says, its tiles put in order; without a seat, of the seat to move.

    Raises:
        ValueError: for a text that names no seat of the match or no cell of the board, or one cell twice.
    """
    head, cells = split_head(text)
    seat = read_seat(head, started.seats) if head else turn(state)
    if seat == NOBODY:
        raise nobody_to_move("seat")
    tiles = sorted(cell_of(variant_of(started), part.strip()) for part in cells.split(","))
    if len(set(tiles)) != len(tiles):
        raise ValueError(f"{cells} names a tile twice")
    if len(tiles) > MOST_COLOURS:
        raise ValueError(f"{len(tiles)} tiles are more than any colour has")
    return Take(seat, tuple(tiles))


def cell_of(variant: int, text: str) -> int:
    """The number of a cell such as ``a1``."""
    number = NUMBER.fullmatch(text)
    if number and int(number[1]) < MOST_CELLS:
        return int(number[1])
    place = read_cell_name(text)
    if place in NUMBERS[variant]:
        return NUMBERS[variant][place]
    raise ValueError(f"{text!r} is no cell of {VARIANTS[variant].name}: {_rows_text(variant)}")


def _rows_text(variant: int) -> str:
    """The first, the middle and the last row, so that one sees how long rows are: ``row 1 is a1 … i1, …``."""
    rows = sorted({y for _, y in PLACES[variant]})
    said = []
    for y in (rows[0], rows[len(rows) // 2], rows[-1]):
        columns = [x for x, row in PLACES[variant] if row == y]
        said.append(f"row {y + 1} is {cell_name(min(columns), y)} … {cell_name(max(columns), y)}")
    return ", ".join(said)
