"""A picture of a position."""

from __future__ import annotations

from kifold.core.events import Started
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking.board import DEGREE, LINES, POINTS, SPOT_OF_POINT, SPOTS, STEP
from kifold.core.rulesets.unionking.declaration import (
    BLACK,
    COLOURS,
    GAME1,
    GOAL,
    INNER,
    N_COLOURS,
    PARTS,
    VARIANTS,
    State,
)
from kifold.core.rulesets.unionking.layouts import FIGURES, PIECES
from kifold.core.rulesets.unionking.notation import PART_LETTERS, point_of, point_text
from kifold.core.rulesets.unionking.pairs import colour_of, figure_of, pairs, part_of, total
from kifold.core.scene import Line, Scene, Shape, board_labels

MISSING = "the rule text's figures of board and starting positions are missing"
RECONSTRUCTION = f"reconstruction: board and starting layout are ours, {MISSING}"
BOARD_ONLY = f"reconstruction: the board is ours, {MISSING}; layout set up by hand"
LETTERS_LINE = "capitals white, small letters black; o outer, i inner, a letter twice: a pair; digits: line ends"


def picture(started: Started, state: State) -> Scene:
    """The lines with rank 1 at the bottom, and on the points pieces or what a pair there counts as line ends.

    A piece's letters are its part (``o`` outer, ``i`` inner) and figure, ``oA``; a merged pair has its figure twice,
    ``AA``. White's figures are capital letters, Black's small ones.
    """
    width, height = state.width, state.height
    scene = Scene(width + 1, height + 1, lines=_lines(width, height), labels=board_labels(width, height))
    for point in range(width * height):
        scene.shapes += _shapes(state, point)
    scene.legend += [_side_line(state, colour) for colour in range(N_COLOURS)]
    scene.legend.append(_goal_line(state))
    scene.legend.append(LETTERS_LINE)
    scene.legend.append(BOARD_ONLY if started.setup.layout else RECONSTRUCTION)
    if state.to_move != NOBODY and state.is_last_move:
        scene.turn = f"{COLOURS[state.to_move]} to move, its last move"
    return scene


def _lines(width: int, height: int) -> list[Line]:
    """Every line between neighbouring points once."""
    found = []
    spots = {SPOT_OF_POINT[width * POINTS + p]: (p % width + 1, height - 1 - p // width) for p in range(width * height)}
    for spot, (x, y) in spots.items():
        for step in STEP[: LINES[spot]]:
            if step > 0 and spot + step in spots:
                u, v = spots[spot + step]
                found.append(Line(x, y, u, v))
    return found


def _shapes(state: State, point: int) -> list[Shape]:
    x, y = point % state.width + 1, state.height - 1 - point // state.width
    where = point_text(point, state.width)
    there = [piece for piece in range(PIECES) if point_of(state, piece) == point]
    if not there:
        ends = DEGREE[state.number * SPOTS + SPOT_OF_POINT[state.width * POINTS + point]]
        return [Shape("dot", x, y, "board", str(ends), f"{where}, {ends} line ends", 0.25)]
    colour, figure = COLOURS[colour_of(there[0])], FIGURES[figure_of(there[0])]
    letter = _letter(there)
    if len(there) == 2:
        title = f"{where} {colour} pair {figure}"
        return [Shape("ring", x, y, colour, letter, title, 0.8), Shape("disc", x, y, colour, letter, title, 0.5)]
    part = part_of(there[0])
    is_inner = part == INNER
    title = f"{where} {colour} {PARTS[part]} {figure}"
    return [Shape("disc" if is_inner else "ring", x, y, colour, letter, title, 0.5 if is_inner else 0.8)]


def _letter(pieces: list[int]) -> str:
    figure = FIGURES[figure_of(pieces[0])]
    if colour_of(pieces[0]) == BLACK:
        figure = figure.lower()
    return figure * 2 if len(pieces) == 2 else PART_LETTERS[part_of(pieces[0])] + figure


def _side_line(state: State, colour: int) -> str:
    return f"{COLOURS[colour]} has {pairs(state, colour)} pairs, {total(state, colour)} points"


def _goal_line(state: State) -> str:
    unit = "pairs" if state.variant == GAME1 else "points"
    return f"{VARIANTS[state.variant].name}: {GOAL[state.variant]} {unit} end it"
