"""The key of an opening, the same for openings that differ by a symmetry of the rules only."""

from __future__ import annotations

from collections.abc import Sequence

from kifold.core.events import Event, Started
from kifold.core.rulesets.unionking.declaration import (
    INNER,
    N_COLOURS,
    N_FIGURES,
    OUTER,
    Move,
    UnionkingSetup,
)
from kifold.core.rulesets.unionking.layouts import LAYOUT_OF, SIDE
from kifold.core.rulesets.unionking.notation import point_text
from kifold.core.rulesets.unionking.pairs import piece_of
from kifold.core.symmetry import SQUARE, square_image


def opening(started: Started, events: Sequence[Event]) -> str:
    """The moves from point to point, such as ``a1-a3 g7-g5``; what is the same game from another side has one key.

    Which half of a pair moves is left out, and so is which figure stands where: no rule tells them apart. The
    recommended layouts look the same from no other side – mirrored, they set partners three files apart the other way
    round, and turned by 180° they swap the colours – so there the key is taken as it is. A layout that was set up by
    hand is part of the key: mirrored or turned together with the moves, whichever symmetry gives the least text.
    """
    setup: UnionkingSetup = started.setup
    recommended = LAYOUT_OF[started.variant]
    points = list(setup.layout or recommended)
    moves = _moves(points, events)
    if points == recommended and setup.width == setup.height == SIDE:
        return " ".join(f"{point_text(a, setup.width)}-{point_text(b, setup.width)}" for a, b in moves)
    return min(_key(points, moves, k, setup.width, setup.height) for k in SQUARE)


def _moves(layout: list[int], events: Sequence[Event]) -> list[tuple[int, int]]:
    points = layout[:]
    moves = []
    for event in events:
        if isinstance(event, Move):
            piece = piece_of(event.colour, event.part, event.figure)
            moves.append((points[piece], event.to))
            points[piece] = event.to
    return moves


def _key(points: list[int], moves: list[tuple[int, int]], k: int, width: int, height: int) -> str:
    across = height if k & 4 else width
    to = [_image(point, k, width, height) for point in range(width * height)]
    pairs_of_colour = (
        sorted(
            tuple(sorted((to[points[piece_of(colour, OUTER, figure)]], to[points[piece_of(colour, INNER, figure)]])))
            for figure in range(N_FIGURES)
        )
        for colour in range(N_COLOURS)
    )
    layout = ";".join(
        ",".join(point_text(a, across) + point_text(b, across) for a, b in pairs) for pairs in pairs_of_colour
    )
    words = [f"{point_text(to[a], across)}-{point_text(to[b], across)}" for a, b in moves]
    return " ".join([f"{across}x{width + height - across}:{layout}", *words])


def _image(point: int, k: int, width: int, height: int) -> int:
    x, y = square_image(point % width, point // width, k, width, height)
    return y * (height if k & 4 else width) + x
