"""Short notation: a placement is its squares, ``a20,b20``; with the colour if it is not to move, ``red:t1``."""

from __future__ import annotations

from collections.abc import Iterable

from kifold.core.events import Event, Started
from kifold.core.notation import cell_name, nobody_to_move, plain, read_cell_name, read_colour, split_head
from kifold.core.options import variant_number
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.blokus.declaration import COLOURS, SIDE, SIDE_OF, VARIANTS, Pass, Place, State
from kifold.core.rulesets.blokus.pieces import cells_of, piece_of
from kifold.core.rulesets.blokus.rules import colour_to_move


def squares_text(cells: Iterable[tuple[int, int]]) -> str:
    """Squares row by row from the bottom: ``a1,b1,a2``."""
    return ",".join(cell_name(x, y) for x, y in sorted(cells, key=lambda cell: (cell[1], cell[0])))


def write(started: Started, event: Event) -> str:
    """The event in short notation, always with its colour."""
    if isinstance(event, Place):
        squares = squares_text(cells_of(event.piece, event.orientation, event.x, event.y))
        return f"{COLOURS[event.colour]}:{squares}"
    assert isinstance(event, Pass)
    return f"{COLOURS[event.colour]}:pass"


def read(started: Started, state: State, text: str) -> Event:
    """The event that short notation says; without a colour, of the colour to move.

    Raises:
        ValueError: for a text that names no square, no piece or no colour.
    """
    head, squares = split_head(text)
    colour = read_colour(head, COLOURS) if head else colour_to_move(state)
    if colour == NOBODY:
        raise nobody_to_move("colour")
    if squares == "pass":
        return Pass(colour)
    side = side_of(started)
    cells = [square(part, side) for part in squares.split(",")]
    placed = piece_of(set(cells)) if len(set(cells)) == len(cells) else None
    if placed is None:
        raise ValueError(f"{squares} is no piece: write the squares that it covers, such as a1,b1,a2")
    return Place(colour, *placed)


def square(text: str, side: int) -> tuple[int, int]:
    """(x, y) of a square such as ``a20``, on the widest board: the rules refuse what is off a smaller one."""
    found = read_cell_name(plain(text))
    if found is None or max(found) >= SIDE:
        last = cell_name(side - 1, side - 1)
        raise ValueError(f"{text!r} is no square: a letter a..{last[0]} and a row 1..{side}, such as {last}")
    return found


def side_of(started: Started) -> int:
    """Rows and columns of the board of a match."""
    return SIDE_OF[variant_number(VARIANTS, started.variant)]
