"""A picture of a position."""

from __future__ import annotations

from kifold.core.events import Started
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.blokus.board import is_anchor
from kifold.core.rulesets.blokus.declaration import COLOURS, SIDE, State
from kifold.core.rulesets.blokus.pieces import ALL_PIECES, PIECES
from kifold.core.rulesets.blokus.rules import colour_to_move
from kifold.core.scene import Scene, square_board

COLOUR_LETTERS = ("B", "Y", "R", "G")


def picture(started: Started, state: State) -> Scene:
    """The board, row 1 at the bottom; each square with its colour's letter, free start squares with a small one."""
    scene = square_board(state.side, state.side, lambda x, y: _square(state, x, y))
    scene.legend += [_pieces_line(state, colour) for colour in range(state.colours)]
    colour = colour_to_move(state)
    scene.turn = "" if colour == NOBODY else f"{COLOURS[colour]} to move"
    return scene


def _square(state: State, x: int, y: int) -> tuple[str, str]:
    for owner in range(state.colours):
        if state.own[owner * SIDE + y] >> x & 1:
            return COLOURS[owner], COLOUR_LETTERS[owner]
    for colour in range(state.colours):
        if state.left[colour] == ALL_PIECES and is_anchor(state, colour, x, y):
            return "board", "*" if not state.starts_by_colour else COLOUR_LETTERS[colour].lower()
    return "board", "."


def _pieces_line(state: State, colour: int) -> str:
    left = [name for piece, name in enumerate(PIECES) if state.left[colour] >> piece & 1]
    return f"{COLOUR_LETTERS[colour]} {COLOURS[colour]:6} has {' '.join(left) or 'placed everything'}"
