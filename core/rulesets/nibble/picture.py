"""A picture of a position, the symmetries of the boards, and the key of an opening."""

from __future__ import annotations

from collections.abc import Sequence

from kifold.core.events import Event, Started
from kifold.core.names import LEGAL
from kifold.core.rulesets.nibble.board import (
    MAJORITY,
    N_COLOURS,
    NUMBERS,
    PLACES,
    REACH,
    lies_there,
    why_not_loose,
)
from kifold.core.rulesets.nibble.declaration import COLOURS, HEX13, MOST_COLOURS, STILL_ON, WIN_TYPES, State, Take
from kifold.core.rulesets.nibble.notation import LETTERS, cell_text, cells_text, variant_of
from kifold.core.rulesets.nibble.rules import colours_owned
from kifold.core.scene import Label, Scene, Shape

LETTER = ("R", "O", "Y", "G", "C", "B", "P", "N", "K", "W", "L", "T", "I")
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
            colour, letter = COLOURS[state.layout[cell]], LETTER[state.layout[cell]]
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
    lines = ["colour table  " + " ".join(f"{LETTER[colour]:>2}" for colour in table)]
    for seat in range(2):
        heights = [state.taken[seat * MOST_COLOURS + colour] for colour in table]
        row = " ".join(f"{height:2}" for height in heights)
        lines.append(f"seat {seat} has    {row}   majority in {colours_owned(state, seat)}")
    lines.append("colours       " + ", ".join(f"{LETTER[colour]} {COLOURS[colour]}" for colour in table))
    lines.append(f"majority: {MAJORITY[state.variant]} tiles in {MAJORITY[state.variant]} colours")
    if state.win_type == STILL_ON:
        lines.append(f"seat {state.to_move} to move")
    else:
        lines.append(f"match over: seat {state.winner} has won, {WIN_TYPES[state.win_type]}")
    return lines


def _images(variant: int, place: tuple[int, int]) -> list[tuple[int, int]]:
    """A column and row under each symmetry of the board, in one order: 8 of the square, 12 of the hexagon."""
    x, y = place
    if variant != HEX13:
        far = N_COLOURS[variant] - 1
        turned = [(x, y), (far - x, y), (x, far - y), (far - x, far - y)]
        return turned + [(v, u) for u, v in turned]
    images = []
    q, r = x - REACH, y - REACH
    for _ in range(6):
        q, r = -r, q + r
        images += [(q + REACH, r + REACH), (r + REACH, q + REACH)]
    return images


SYMMETRIES = tuple(
    tuple(zip(*[[NUMBERS[v][image] for image in _images(v, place)] for place in PLACES[v]])) for v in range(len(PLACES))
)
"""For each variant the symmetries of its board: where each takes every cell."""


def opening(started: Started, events: Sequence[Event]) -> str:
    """What was taken relative to what chance laid out: for each take the place of its colour in the colour table, from
    1, and the cells of its tiles, such as ``3:a1 5:a2,i9``.

    The layout differs from match to match, so the names of colours say nothing: what a colour is worth follows from its
    neighbours in the table, and what a take opens follows from where on the rim it lies. The key is the least text over
    the symmetries of the board and both directions of the table, since the rules are the same under all of these; seats
    are left out, as chance decides who begins.
    """
    variant = variant_of(started)
    setup = started.setup
    takes = [event for event in events if isinstance(event, Take)]
    places = [setup.table.index(setup.layout[take.tiles[0]]) for take in takes]
    return min(
        " ".join(
            f"{(N_COLOURS[variant] - place if backwards else place + 1)}:"
            + cells_text(variant, sorted(image[tile] for tile in take.tiles))
            for take, place in zip(takes, places)
        )
        for image in SYMMETRIES[variant]
        for backwards in (False, True)
    )
