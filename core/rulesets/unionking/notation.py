"""Short notation: the piece and where it goes, ``woA-a3`` (white outer A); ``black:decline``: no last move.

A piece may also be named without its colour, ``oA-a3``, or by its point, ``a1-a3``: then it is one of the side to move.
"""

from __future__ import annotations

import re

from kifold.core.events import Event, Started
from kifold.core.notation import cell_name, nobody_to_move, plain, read_cell_name, read_colour, split_head
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking.board import POINT_OF_SPOT, POINTS, SPOTS
from kifold.core.rulesets.unionking.declaration import COLOURS, Decline, Move, State
from kifold.core.rulesets.unionking.layouts import FIGURES, PIECES
from kifold.core.rulesets.unionking.pairs import colour_of, figure_of, part_of, piece_of

COLOUR_LETTERS = "wb"
PART_LETTERS = "oi"
BY_NAME = re.compile(rf"([{COLOUR_LETTERS}]?)([{PART_LETTERS}])([a-g])-([^-]+)")
BY_POINT = re.compile(r"([^-]+)-([^-]+)")


def point_text(point: int, width: int) -> str:
    """A point by its file and rank: ``a1``."""
    return cell_name(point % width, point // width)


def piece_name(piece: int) -> str:
    """A piece by colour, part and figure: ``woA``."""
    return COLOUR_LETTERS[colour_of(piece)] + PART_LETTERS[part_of(piece)] + FIGURES[figure_of(piece)]


def point_of(state: State, piece: int) -> int:
    """The point on which a piece stands."""
    return POINT_OF_SPOT[state.width * SPOTS + state.spots[piece]]


def write(started: Started, event: Event) -> str:
    """The event in short notation, always with its colour."""
    if isinstance(event, Move):
        piece = piece_of(event.colour, event.part, event.figure)
        return f"{piece_name(piece)}-{point_text(event.to, started.setup.width)}"
    assert isinstance(event, Decline)
    return f"{COLOURS[event.colour]}:decline"


def read(started: Started, state: State, text: str) -> Event:
    """The event that short notation says; without a colour, of the side to move.

    Raises:
        ValueError: for a text that names no piece, point or colour, or the point of a pair without saying which half.
    """
    word = plain(text)
    head, rest = split_head(text)
    if rest == "decline":
        return Decline(read_colour(head, COLOURS) if head else _to_move(state))
    named = BY_NAME.fullmatch(word)
    if named and (to := read_cell_name(named[4])):
        side = COLOUR_LETTERS.index(named[1]) if named[1] else _to_move(state)
        figure = FIGURES.index(named[3].upper())
        return Move(side, PART_LETTERS.index(named[2]), figure, _point(state, *to))
    moved = BY_POINT.fullmatch(word)
    if moved and (start := read_cell_name(moved[1])) and (to := read_cell_name(moved[2])):
        return _from_point(state, _point(state, *start), _point(state, *to))
    raise ValueError(f"{text!r} is no move: write piece and point, such as woA-a3 or a1-a3, or decline")


def _from_point(state: State, start: int, to: int) -> Move:
    side = _to_move(state)
    where = point_text(start, state.width)
    there = [piece for piece in range(PIECES) if colour_of(piece) == side and point_of(state, piece) == start]
    if not there:
        raise ValueError(f"{COLOURS[side]} has no piece on {where}")
    if len(there) > 1:
        one, other = (f"{piece_name(piece)}-{point_text(to, state.width)}" for piece in there)
        raise ValueError(f"a pair stands on {where}, and one half of it moves: write {one} or {other}")
    return Move(side, part_of(there[0]), figure_of(there[0]), to)


def _to_move(state: State) -> int:
    if state.to_move == NOBODY:
        raise nobody_to_move("side")
    return state.to_move


def _point(state: State, x: int, y: int) -> int:
    point = y * state.width + x
    if x >= state.width or point >= POINTS:
        last = cell_name(state.width - 1, state.height - 1)
        raise ValueError(f"there is no point {cell_name(x, y)}: the board is a1..{last}")
    return point
