"""A picture of a position, symmetries of the board, and the key of an opening."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kifold.core.events import Event, Started
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.chipstack.board import SIZE, SQUARE, colour_at, top_colour
from kifold.core.rulesets.chipstack.declaration import CELLS, COLOURS, SHAPES, Place, State, Take
from kifold.core.rulesets.chipstack.notation import LETTERS, cell_text
from kifold.core.rulesets.chipstack.rules import STACKING, turn
from kifold.core.scene import Label, Line, Scene, Shape

LETTER = ("P", "R", "B", "G", "Y")
PHASES = ("phase 1, stacking", "phase 2, taking", "match over")


def picture(started: Started, state: State, behind: Collection[int] = ()) -> Scene:
    """The board, 1-a at the upper left. A cell is two squares wide: its piece, ``(P)`` round or ``[P]`` square, and
    beside it its chips, ``3r`` for three with a red one on top. The chips of the seats `behind` screens are not told.
    """
    scene = Scene(2 * SIZE + 1, SIZE + 1)
    for cell in range(CELLS):
        x, y = 1 + 2 * (cell % SIZE), cell // SIZE
        scene.shapes += [_piece(state, cell, x, y), _chips(state, cell, x + 1, y)]
    for i in range(SIZE + 1):
        scene.lines.append(Line(0.5, i - 0.5, 2 * SIZE + 0.5, i - 0.5))
        scene.lines.append(Line(0.5 + 2 * i, -0.5, 0.5 + 2 * i, SIZE - 0.5))
    scene.labels += [Label(0, number, str(number + 1)) for number in range(SIZE)]
    scene.labels += [Label(1 + 2 * letter, SIZE, LETTERS[letter]) for letter in range(SIZE)]
    scene.legend += [_supply_line(state, colour) for colour in range(len(COLOURS))]
    scene.legend += [_seat_line(state, seat, seat in behind) for seat in range(state.seats)]
    to_move = turn(state)
    scene.legend.append(PHASES[state.phase] + ("" if to_move == NOBODY else f": seat {to_move} to move"))
    return scene


def _piece(state: State, cell: int, x: int, y: int) -> Shape:
    if not state.pieces[cell]:
        return Shape("square", x, y, "board", ".", cell_text(cell))
    colour, shape = divmod(state.pieces[cell] - 1, 2)
    title = f"{cell_text(cell)} {COLOURS[colour]} {SHAPES[shape]}"
    if shape == SQUARE:
        return Shape("square", x, y, COLOURS[colour], f"[{LETTER[colour]}]", title)
    return Shape("disc", x, y, COLOURS[colour], f"({LETTER[colour]})", title)


def _chips(state: State, cell: int, x: int, y: int) -> Shape:
    if not state.heights[cell]:
        return Shape("square", x, y, "board", ".", cell_text(cell))
    top = top_colour(state, cell)
    stack = " ".join(COLOURS[colour_at(state, cell, height)] for height in range(state.heights[cell]))
    letter = f"{state.heights[cell]}{LETTER[top].lower()}"
    return Shape("disc", x, y, COLOURS[top], letter, f"{cell_text(cell)} from the bottom: {stack}", 0.7)


def _supply_line(state: State, colour: int) -> str:
    line = f"{LETTER[colour]} {COLOURS[colour]:6} {state.supply[colour]:2} chips in supply"
    if state.phase == STACKING:
        line += ", " + ", ".join(f"{state.left[2 * colour + shape]} {SHAPES[shape]}" for shape in range(2))
    return line


def _seat_line(state: State, seat: int, is_behind: bool) -> str:
    if is_behind:
        return f"seat {seat}: behind its screen"
    counts = state.held[len(COLOURS) * seat : len(COLOURS) * (seat + 1)]
    chips = " ".join(f"{count}{LETTER[colour].lower()}" for colour, count in enumerate(counts) if count)
    return f"seat {seat}: {chips or 'no chips'}"


def opening(started: Started, events: Sequence[Event]) -> str:
    """The events under that symmetry of the board that gives the least text, colours as A, B, … by first appearance.

    All 8 symmetries of the square leave both areas as they are, and no rule tells the colours apart; shapes differ, so
    they stay. Seats are left out: they follow from who began, whom no rule favours.
    """
    return min(_key(events, k) for k in range(8))


def _key(events: Sequence[Event], k: int) -> str:
    letters: dict[int, str] = {}
    words = []
    for event in events:
        if isinstance(event, Place):
            letter = letters.setdefault(event.colour, chr(ord("A") + len(letters)))
            targets = ",".join(cell_text(cell) for cell in sorted(_image(cell, k) for cell in event.targets))
            words.append(f"{letter}-{SHAPES[event.shape]}@{cell_text(_image(event.cell, k))}:{targets}".rstrip(":"))
        elif isinstance(event, Take):
            words.append(f"take@{cell_text(_image(event.cell, k))}")
    return " ".join(words)


def _image(cell: int, k: int) -> int:
    """The cell under symmetry k: bit 0 mirrors letters, bit 1 mirrors numbers, bit 2 swaps the two."""
    number, letter = divmod(cell, SIZE)
    letter = SIZE - 1 - letter if k & 1 else letter
    number = SIZE - 1 - number if k & 2 else number
    return SIZE * letter + number if k & 4 else SIZE * number + letter
