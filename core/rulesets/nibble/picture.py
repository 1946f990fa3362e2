"""A picture of a position."""

from __future__ import annotations

from kifold.core.events import Started
from kifold.core.names import LEGAL
from kifold.core.notation import LETTERS
from kifold.core.rulesets.nibble.board import (
    MAJORITY,
    N_COLOURS,
    PLACES,
    REACH,
    lies_there,
    why_not_loose,
)
from kifold.core.rulesets.nibble.declaration import COLOURS, HEX13, MOST_COLOURS, N_SEATS, STILL_ON, WIN_TYPES, State
from kifold.core.rulesets.nibble.notation import cell_text
from kifold.core.rulesets.nibble.rules import colours_owned
from kifold.core.scene import Label, Scene, Shape

COLOUR_LETTERS = ("R", "O", "Y", "G", "C", "B", "P", "N", "K", "W", "L", "T", "I")
"""A letter beside each colour; browN, blacK and pInk yield theirs."""
ROW_HEIGHT = 0.866


def picture(started: Started, state: State) -> Scene:
    """The board, row 1 at the top, each tile with its colour's letter; below it the table with what each seat has.

    Hexagons stand on a corner: x = q + r/2 (shifted so that row numbers fit in), rows 0.866 apart. Twice an x is a
    whole number for every cell, so text with a column for each half unit and a line for each row shows the hexagon too.
    """
    variant = state.variant
    scene = Scene(*_size(variant))
    kind = "hexagon" if variant == HEX13 else "square"
    for cell, place in enumerate(PLACES[variant]):
        colour, letter, title = "board", ".", cell_text(variant, cell)
        if lies_there(state, cell):
            colour, letter = COLOURS[state.layout[cell]], COLOUR_LETTERS[state.layout[cell]]
            title += f" {colour}" + (", loose" if why_not_loose(state, *place) == LEGAL else "")
        scene.shapes.append(Shape(kind, *_middle(variant, *place), colour, letter, title))
    scene.labels += _labels(variant)
    scene.legend += _legend(state)
    return scene


def _size(variant: int) -> tuple[float, float]:
    if variant == HEX13:
        return 2 * REACH + 3, round(ROW_HEIGHT * (2 * REACH + 1) + 1, 3)
    return N_COLOURS[variant] + 1, N_COLOURS[variant] + 1


def _middle(variant: int, x: int, y: int) -> tuple[float, float]:
    """Where the middle of a column and row lies in the picture; the left and the lower edge are for labels."""
    if variant == HEX13:
        return x + 1 + (y - REACH) / 2, round(ROW_HEIGHT * y, 3)
    return x + 1, y


def _labels(variant: int) -> list[Label]:
    """Row numbers to the left of each row, column letters below the end of each column."""
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    for x, y in PLACES[variant]:
        starts.setdefault(y, x)
        ends[x] = y
    labels = [Label(*_middle(variant, x - 1, y), str(y + 1)) for y, x in starts.items()]
    return labels + [Label(*_middle(variant, x, ends[x] + 1), LETTERS[x]) for x in sorted(ends)]


def _legend(state: State) -> list[str]:
    table = state.table[: N_COLOURS[state.variant]]
    lines = ["colour table  " + " ".join(f"{COLOUR_LETTERS[colour]:>2}" for colour in table)]
    for seat in range(N_SEATS):
        heights = [state.taken[seat * MOST_COLOURS + colour] for colour in table]
        row = " ".join(f"{height:2}" for height in heights)
        lines.append(f"seat {seat} has    {row}   majority in {colours_owned(state, seat)}")
    lines.append("colours       " + ", ".join(f"{COLOUR_LETTERS[colour]} {COLOURS[colour]}" for colour in table))
    lines.append(f"majority: {MAJORITY[state.variant]} tiles in {MAJORITY[state.variant]} colours")
    if state.win_type != STILL_ON:
        lines.append(f"seat {state.winner} has won, {WIN_TYPES[state.win_type]}")
    return lines
