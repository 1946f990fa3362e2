"""A picture of a position, symmetries of the board, and the key of an opening."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kifold.core.events import Event, Started
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.blokus.board import start_row
from kifold.core.rulesets.blokus.declaration import COLOURS, DUO, SIDE, VARIANTS, Pass, Place, State
from kifold.core.rulesets.blokus.notation import side_of, squares_text
from kifold.core.rulesets.blokus.pieces import ALL_PIECES, PIECES, Cells, cells_of
from kifold.core.rulesets.blokus.rules import colour_to_move
from kifold.core.scene import Scene, square_board

LETTER = ("B", "Y", "R", "G")


def picture(started: Started, state: State) -> Scene:
    """The board, row 1 at the bottom; each square with its colour's letter, free start squares with a small one."""
    scene = square_board(state.side, state.side, lambda x, y: _square(state, x, y))
    scene.legend += [_pieces_line(state, colour) for colour in range(state.colours)]
    colour = colour_to_move(state)
    scene.legend.append("match over" if colour == NOBODY else f"{COLOURS[colour]} to move")
    return scene


def _square(state: State, x: int, y: int) -> tuple[str, str]:
    for owner in range(state.colours):
        if state.own[owner * SIDE + y] >> x & 1:
            return COLOURS[owner], LETTER[owner]
    for colour in range(state.colours):
        if state.left[colour] == ALL_PIECES and start_row(state, colour, y) >> x & 1:
            return "board", "*" if not state.starts_by_colour else LETTER[colour].lower()
    return "board", "."


def _pieces_line(state: State, colour: int) -> str:
    left = [name for piece, name in enumerate(PIECES) if state.left[colour] >> piece & 1]
    return f"{LETTER[colour]} {COLOURS[colour]:6} has {' '.join(left) or 'placed everything'}"


def opening(started: Started, events: Sequence[Event]) -> str:
    """The placements as squares, under that symmetry of the board that gives the least text.

    Where start corners are free all 8 symmetries hold. Where they belong to colours, the reflection in the diagonal
    through the first colour's corner swaps yellow and green, who take turns in one order only: so the key is taken as
    it is. In duo that diagonal holds both start squares, and the reflection in it changes nothing. Pieces that were set
    up by hand come first, in brackets; a pass is written as such.
    """
    side = side_of(started)
    images: Iterable[int] = (0,)
    if started.variant == VARIANTS[DUO].name:
        images = (0, 7)
    elif started.options["start_corner"] == "any_free":
        images = range(8)
    put = started.setup
    set_up = sorted(zip(put.colours, put.pieces, put.orientations, put.xs, put.ys, strict=True))
    before = [(colour, cells_of(*where)) for colour, *where in set_up]
    played = [
        (e.colour, cells_of(e.piece, e.orientation, e.x, e.y) if isinstance(e, Place) else ())
        for e in events
        if isinstance(e, Place | Pass)
    ]

    def written(placed: Sequence[tuple[int, Cells]], k: int) -> str:
        return " ".join(f"{COLOURS[c]}:{squares_text(_image(cells, k, side)) or 'pass'}" for c, cells in placed)

    keys = [(written(before, k), written(played, k)) for k in images]
    start, moves = min(keys)
    return f"[{start}] {moves}" if start else moves


def _image(cells: Cells, k: int, side: int) -> list[tuple[int, int]]:
    """The cells under symmetry k: bit 0 mirrors columns, bit 1 mirrors rows, bit 2 swaps columns and rows."""
    moved = []
    for x, y in cells:
        u = side - 1 - x if k & 1 else x
        v = side - 1 - y if k & 2 else y
        moved.append((v, u) if k & 4 else (u, v))
    return moved
