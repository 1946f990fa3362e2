"""Short notation: the piece and where it goes, ``woA-a3`` (white outer A); ``black:decline``: no last move.

A piece may also be named without its colour, ``oA-a3``, or by its point, ``a1-a3``: then it is one of the side to move.
"""

from __future__ import annotations

import re

from kifold.core.events import Event, Started
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking.board import POINT_OF_SPOT, POINTS, SPOTS
from kifold.core.rulesets.unionking.declaration import COLOURS, Decline, Move, State
from kifold.core.rulesets.unionking.layouts import FIGURES, PIECES

LETTERS = "abcdefghi"
"""Files of the widest board."""
POINT = r"([a-i])0*([1-9]\d?)"
BY_NAME = re.compile(rf"([wb]?)([oi])([a-g])-{POINT}")
BY_POINT = re.compile(rf"{POINT}-{POINT}")


def point_text(point: int, width: int) -> str:
    """A point by its file and rank: ``a1``."""
    return f"{LETTERS[point % width]}{point // width + 1}"


def piece_name(piece: int) -> str:
    """A piece by colour, part and figure: ``woA``."""
    return "wb"[piece // 14] + "oi"[piece // 7 % 2] + FIGURES[piece % 7]


def point_of(state: State, piece: int) -> int:
    """The point on which a piece stands."""
    return POINT_OF_SPOT[state.width * SPOTS + state.spots[piece]]


def write(started: Started, event: Event) -> str:
    """The event in short notation, always with its colour."""
    if isinstance(event, Move):
        piece = (event.colour * 2 + event.part) * 7 + event.figure
        return f"{piece_name(piece)}-{point_text(event.to, started.setup.width)}"
    assert isinstance(event, Decline)
    return f"{COLOURS[event.colour]}:decline"


def read(started: Started, state: State, text: str) -> Event:
    """The event that short notation says; without a colour, of the side to move.

    Raises:
        ValueError: for a text that names no piece, point or colour, or the point of a pair without saying which half.
    """
    word = text.strip().lower()
    colour, _, rest = word.rpartition(":")
    if rest == "decline":
        if colour and colour not in COLOURS:
            raise ValueError(f"no colour {colour!r}: choose from {', '.join(COLOURS)}")
        return Decline(COLOURS.index(colour) if colour else _to_move(state))
    named = BY_NAME.fullmatch(word)
    if named:
        side = "wb".index(named[1]) if named[1] else _to_move(state)
        return Move(side, "oi".index(named[2]), "abcdefg".index(named[3]), _point(state, named[4], named[5]))
    moved = BY_POINT.fullmatch(word)
    if moved:
        return _from_point(state, _point(state, moved[1], moved[2]), _point(state, moved[3], moved[4]))
    raise ValueError(f"{text!r} is no move: write piece and point, such as woA-a3 or a1-a3, or decline")


def _from_point(state: State, start: int, to: int) -> Move:
    side = _to_move(state)
    where = point_text(start, state.width)
    there = [piece for piece in range(PIECES) if piece // 14 == side and point_of(state, piece) == start]
    if not there:
        raise ValueError(f"{COLOURS[side]} has no piece on {where}")
    if len(there) > 1:
        one, other = (f"{piece_name(piece)}-{point_text(to, state.width)}" for piece in there)
        raise ValueError(f"a pair stands on {where}, and one half of it moves: write {one} or {other}")
    return Move(side, there[0] // 7 % 2, there[0] % 7, to)


def _to_move(state: State) -> int:
    if state.to_move == NOBODY:
        raise ValueError("the match is over: no side is to move")
    return state.to_move


def _point(state: State, file: str, rank: str) -> int:
    x, y = LETTERS.index(file), int(rank) - 1
    point = y * state.width + x
    if x >= state.width or point >= POINTS:
        last = f"{LETTERS[state.width - 1]}{state.height}"
        raise ValueError(f"there is no point {file}{rank}: the board is a1..{last}")
    return point
