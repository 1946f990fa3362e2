"""A picture of a position, and the key of an opening."""

from __future__ import annotations

from collections.abc import Sequence

from kifold.core.events import Event, Started
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking.board import DEGREE, LINES, POINTS, SPOT_OF_POINT, SPOTS, STEP
from kifold.core.rulesets.unionking.declaration import COLOURS, PARTS, VARIANTS, Move, State, UnionkingSetup
from kifold.core.rulesets.unionking.layouts import FIGURES, LAYOUTS, PIECES
from kifold.core.rulesets.unionking.notation import LETTERS, point_of, point_text
from kifold.core.rulesets.unionking.pairs import pairs, total
from kifold.core.scene import Label, Line, Scene, Shape

MISSING = "the rule text's figures of board and starting positions are missing"
RECONSTRUCTION = f"reconstruction: board and starting layout are ours, {MISSING}"
BOARD_ONLY = f"reconstruction: the board is ours, {MISSING}; layout set up by hand"
LETTERS_LINE = "capitals white, small letters black; o outer, i inner, a letter twice: a pair; digits: line ends"
GOAL = ("5 pairs", "70 points", "100 points")


def picture(started: Started, state: State) -> Scene:
    """The lines with rank 1 at the bottom, and on the points pieces or what a pair there counts as line ends.

    A piece's letters are its part (``o`` outer, ``i`` inner) and figure, ``oA``; a merged pair has its figure twice,
    ``AA``. White's figures are capital letters, Black's small ones.
    """
    width, height = state.width, state.height
    scene = Scene(width + 1, height + 1, lines=_lines(width, height))
    for y in range(height):
        scene.labels.append(Label(0, height - 1 - y, str(y + 1)))
    scene.labels += [Label(x + 1, height, LETTERS[x]) for x in range(width)]
    for point in range(width * height):
        scene.shapes += _shapes(state, point)
    scene.legend += [_side_line(state, colour) for colour in range(2)]
    scene.legend.append(_turn_line(state))
    scene.legend.append(LETTERS_LINE)
    scene.legend.append(BOARD_ONLY if started.setup.layout else RECONSTRUCTION)
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
    colour = COLOURS[there[0] // 14]
    letter = _letter(there)
    if len(there) == 2:
        title = f"{where} {colour} pair {FIGURES[there[0] % 7]}"
        return [Shape("ring", x, y, colour, letter, title, 0.8), Shape("disc", x, y, colour, letter, title, 0.5)]
    is_inner = there[0] // 7 % 2
    title = f"{where} {colour} {PARTS[is_inner]} {FIGURES[there[0] % 7]}"
    return [Shape("disc" if is_inner else "ring", x, y, colour, letter, title, 0.5 if is_inner else 0.8)]


def _letter(pieces: list[int]) -> str:
    figure = FIGURES[pieces[0] % 7]
    if pieces[0] // 14:
        figure = figure.lower()
    return figure * 2 if len(pieces) == 2 else "oi"[pieces[0] // 7 % 2] + figure


def _side_line(state: State, colour: int) -> str:
    return f"{COLOURS[colour]} has {pairs(state, colour)} pairs, {total(state, colour)} points"


def _turn_line(state: State) -> str:
    goal = f"{VARIANTS[state.variant].name}, {GOAL[state.variant]} end it"
    if state.to_move == NOBODY:
        return f"match over ({goal})"
    last = ", its last move" if state.is_last_move else ""
    return f"{COLOURS[state.to_move]} to move{last} ({goal})"


def opening(started: Started, events: Sequence[Event]) -> str:
    """The moves from point to point, such as ``a1-a3 g7-g5``; what is the same game from another side has one key.

    Which half of a pair moves is left out, and so is which figure stands where: no rule tells them apart. The
    recommended layouts look the same from no other side – mirrored, they set partners three files apart the other way
    round, and turned by 180° they swap the colours – so there the key is taken as it is. A layout that was set up by
    hand is part of the key: mirrored or turned together with the moves, whichever symmetry gives the least text.
    """
    setup: UnionkingSetup = started.setup
    recommended = _recommended(started.variant)
    points = list(setup.layout or recommended)
    moves = _moves(points, events)
    if points == recommended and setup.width == setup.height == 7:
        return " ".join(f"{point_text(a, setup.width)}-{point_text(b, setup.width)}" for a, b in moves)
    return min(_key(points, moves, k, setup.width, setup.height) for k in range(8))


def _recommended(variant: str) -> list[int]:
    game = [known.name for known in VARIANTS].index(variant)
    return LAYOUTS[game * PIECES : (game + 1) * PIECES]


def _moves(layout: list[int], events: Sequence[Event]) -> list[tuple[int, int]]:
    points = layout[:]
    moves = []
    for event in events:
        if isinstance(event, Move):
            piece = (event.colour * 2 + event.part) * 7 + event.figure
            moves.append((points[piece], event.to))
            points[piece] = event.to
    return moves


def _key(points: list[int], moves: list[tuple[int, int]], k: int, width: int, height: int) -> str:
    across = height if k & 4 else width
    to = [_image(point, k, width, height) for point in range(width * height)]
    pairs_of_colour = (
        sorted(tuple(sorted((to[points[base + i]], to[points[base + 7 + i]]))) for i in range(7)) for base in (0, 14)
    )
    layout = ";".join(
        ",".join(point_text(a, across) + point_text(b, across) for a, b in pairs) for pairs in pairs_of_colour
    )
    words = [f"{point_text(to[a], across)}-{point_text(to[b], across)}" for a, b in moves]
    return " ".join([f"{across}x{width + height - across}:{layout}", *words])


def _image(point: int, k: int, width: int, height: int) -> int:
    """A point under symmetry k: bit 0 mirrors files, bit 1 mirrors ranks, bit 2 swaps files and ranks."""
    x, y = point % width, point // width
    if k & 1:
        x = width - 1 - x
    if k & 2:
        y = height - 1 - y
    return x * height + y if k & 4 else y * width + x
