"""Short notation: a take is the cells of its tiles, ``a1,c3``; with the seat where it is not the one to move, ``1:a1``.

A cell is a letter for its column and a number for its row, counted from the top, so that tiles named in order read like
a page. On the hexagon a column is a diagonal that falls to the right: the letter is q of 004.3, a for −7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kifold.core.events import Event, Started
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.nibble.board import NUMBERS, PLACES
from kifold.core.rulesets.nibble.declaration import MOST_CELLS, MOST_COLOURS, VARIANTS, State, Take
from kifold.core.rulesets.nibble.rules import turn

LETTERS = "abcdefghijklmno"
CELL = re.compile(r"([a-z])0*([1-9]\d?)|#0*(\d{1,3})", re.ASCII)
SEAT = re.compile(r"[01]", re.ASCII)


def variant_of(started: Started) -> int:
    """The number of a match's variant."""
    return [variant.name for variant in VARIANTS].index(started.variant)


def cell_text(variant: int, cell: int) -> str:
    """A cell such as ``a1``; ``#100`` for a number that the board does not have."""
    if cell >= len(PLACES[variant]):
        return f"#{cell}"
    x, y = PLACES[variant][cell]
    return f"{LETTERS[x]}{y + 1}"


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
    word, colon, cells = text.strip().lower().rpartition(":")
    if colon and not SEAT.fullmatch(word):
        raise ValueError(f"no seat {word!r}: seats are 0 and 1")
    seat = int(word) if colon else turn(state)
    if seat == NOBODY:
        raise ValueError("the match is over: no seat is to move")
    tiles = sorted(cell_of(variant_of(started), part.strip()) for part in cells.split(","))
    if len(set(tiles)) != len(tiles):
        raise ValueError(f"{cells} names a tile twice")
    if len(tiles) > MOST_COLOURS:
        raise ValueError(f"{len(tiles)} tiles are more than any colour has")
    return Take(seat, tuple(tiles))


def cell_of(variant: int, text: str) -> int:
    """The number of a cell such as ``a1``."""
    match = CELL.fullmatch(text)
    if match is not None and match[3] and int(match[3]) < MOST_CELLS:
        return int(match[3])
    if match is not None and match[1] and match[1] in LETTERS:
        cell = NUMBERS[variant].get((LETTERS.index(match[1]), int(match[2]) - 1))
        if cell is not None:
            return cell
    first, last = cell_text(variant, 0), cell_text(variant, len(PLACES[variant]) - 1)
    raise ValueError(f"{text!r} is no cell of {VARIANTS[variant].name}: cells are {first} … {last}, column and row")
