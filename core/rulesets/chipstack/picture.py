"""A picture of a position."""

from __future__ import annotations

from collections.abc import Collection

from kifold.core.events import Started
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.chipstack.board import SIZE, SQUARE, colour_at, colour_on, kind_of, shape_on, top_colour
from kifold.core.rulesets.chipstack.declaration import CELLS, COLOURS, N_COLOURS, N_SHAPES, SHAPES, STACKING, State
from kifold.core.rulesets.chipstack.notation import cell_text
from kifold.core.rulesets.chipstack.rules import turn
from kifold.core.scene import Line, Scene, Shape, board_labels

COLOUR_LETTERS = ("P", "R", "B", "G", "Y")
PHASES = ("phase 1, stacking", "phase 2, taking")


def picture(started: Started, state: State, behind: Collection[int] = ()) -> Scene:
    """The board, 1-a at the upper left. A cell is two squares wide: its piece, ``(P)`` round or ``[P]`` square, and
    beside it its chips, ``3r`` for three with a red one on top. The chips of the seats `behind` screens are not told.
    """
    scene = Scene(2 * SIZE + 1, SIZE + 1, labels=board_labels(SIZE, SIZE, from_top=True, pitch=(2, 1)))
    for cell in range(CELLS):
        x, y = 1 + 2 * (cell % SIZE), cell // SIZE
        scene.shapes += [_piece(state, cell, x, y), _chips(state, cell, x + 1, y)]
    for i in range(SIZE + 1):
        scene.lines.append(Line(0.5, i - 0.5, 2 * SIZE + 0.5, i - 0.5))
        scene.lines.append(Line(0.5 + 2 * i, -0.5, 0.5 + 2 * i, SIZE - 0.5))
    scene.legend += [_supply_line(state, colour) for colour in range(N_COLOURS)]
    scene.legend += [_seat_line(state, seat, seat in behind) for seat in range(state.seats)]
    to_move = turn(state)
    scene.turn = "" if to_move == NOBODY else f"{PHASES[state.phase]}: seat {to_move} to move"
    return scene


def _piece(state: State, cell: int, x: int, y: int) -> Shape:
    if not state.pieces[cell]:
        return Shape("square", x, y, "board", ".", cell_text(cell))
    colour, shape = colour_on(state, cell), shape_on(state, cell)
    title = f"{cell_text(cell)} {COLOURS[colour]} {SHAPES[shape]}"
    if shape == SQUARE:
        return Shape("square", x, y, COLOURS[colour], f"[{COLOUR_LETTERS[colour]}]", title)
    return Shape("disc", x, y, COLOURS[colour], f"({COLOUR_LETTERS[colour]})", title)


def _chips(state: State, cell: int, x: int, y: int) -> Shape:
    if not state.heights[cell]:
        return Shape("square", x, y, "board", ".", cell_text(cell))
    top = top_colour(state, cell)
    stack = " ".join(COLOURS[colour_at(state, cell, height)] for height in range(state.heights[cell]))
    letter = f"{state.heights[cell]}{COLOUR_LETTERS[top].lower()}"
    return Shape("disc", x, y, COLOURS[top], letter, f"{cell_text(cell)} from the bottom: {stack}", 0.7)


def _supply_line(state: State, colour: int) -> str:
    line = f"{COLOUR_LETTERS[colour]} {COLOURS[colour]:6} {state.supply[colour]:2} chips in supply"
    if state.phase == STACKING:
        line += ", " + ", ".join(f"{state.left[kind_of(colour, shape)]} {SHAPES[shape]}" for shape in range(N_SHAPES))
    return line


def _seat_line(state: State, seat: int, is_behind: bool) -> str:
    if is_behind:
        return f"seat {seat}: behind its screen"
    counts = state.held[N_COLOURS * seat : N_COLOURS * (seat + 1)]
    chips = " ".join(f"{count}{COLOUR_LETTERS[colour].lower()}" for colour, count in enumerate(counts) if count)
    return f"seat {seat}: {chips or 'no chips'}"
