"""Short notation: ``purple-square@4-e:3-d,3-e,6-d`` places, ``take@4-e`` takes; with the seat, ``1:take@4-e``."""

from __future__ import annotations

import re

from kifold.core.events import Event, Started
from kifold.core.notation import LETTERS, nobody_to_move, plain, read_seat
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.chipstack.board import SIZE
from kifold.core.rulesets.chipstack.declaration import COLOURS, MOST_SLOTS, SHAPES, Place, State, Take
from kifold.core.rulesets.chipstack.rules import turn

WORD = re.compile(r"(?:(?P<seat>[0-9]+):)?(?P<what>[^@:]*)@(?P<cell>[^@:]*)(?::(?P<targets>[^@:]*))?")
CELL = re.compile(r"([1-6])-?([a-f])")


def cell_text(cell: int) -> str:
    """A cell by the book's name: ``4-e``."""
    return f"{cell // SIZE + 1}-{LETTERS[cell % SIZE]}"


def write(started: Started, event: Event) -> str:
    """The event in short notation, always with its seat."""
    if isinstance(event, Take):
        return f"{event.seat}:take@{cell_text(event.cell)}"
    assert isinstance(event, Place)
    targets = ",".join(cell_text(cell) for cell in event.targets)
    word = f"{event.seat}:{COLOURS[event.colour]}-{SHAPES[event.shape]}@{cell_text(event.cell)}"
    return f"{word}:{targets}" if targets else word


def read(started: Started, state: State, text: str) -> Event:
    """The event that short notation says; without a seat, of the seat to move. Targets may come in any order.

    Raises:
        ValueError: for a text that is no event, or names no seat, piece or cell.
    """
    match = WORD.fullmatch(plain(text))
    if match is None:
        raise ValueError(f"{text!r} is no event: write purple-square@4-e:3-d,3-e,6-d or take@4-e")
    seat = read_seat(match["seat"], started.seats) if match["seat"] else turn(state)
    if seat == NOBODY:
        raise nobody_to_move("seat")
    cell = read_cell(match["cell"])
    targets = sorted(read_cell(part) for part in match["targets"].split(",")) if match["targets"] else []
    if match["what"] == "take":
        if targets:
            raise ValueError("take names one cell, such as take@4-e")
        return Take(seat, cell)
    if len(targets) > MOST_SLOTS:
        raise ValueError(f"a piece brings at most {MOST_SLOTS} chips, not {len(targets)}")
    colour, _, shape = match["what"].partition("-")
    if colour not in COLOURS or shape not in SHAPES:
        known = f"a colour ({', '.join(COLOURS)}) and a shape ({', '.join(SHAPES)})"
        raise ValueError(f"{match['what']!r} is no piece: {known}, such as red-round")
    return Place(seat, COLOURS.index(colour), SHAPES.index(shape), cell, tuple(targets))


def read_cell(text: str) -> int:
    """The cell that a text such as ``4-e`` or ``4e`` names."""
    match = CELL.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no cell: a number 1..6 and a letter a..f, such as 4-e")
    return SIZE * (int(match[1]) - 1) + LETTERS.index(match[2])
