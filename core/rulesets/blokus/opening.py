"""The key of an opening, the same for openings that differ by a symmetry of the rules only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kifold.core.events import Event, Started
from kifold.core.options import variant_number
from kifold.core.rulesets.blokus.declaration import COLOURS, DUO, VARIANTS, Pass, Place
from kifold.core.rulesets.blokus.notation import side_of, squares_text
from kifold.core.rulesets.blokus.pieces import Cells, cells_of
from kifold.core.symmetry import ANTIDIAGONAL, IDENTITY, SQUARE, square_image


def opening(started: Started, events: Sequence[Event]) -> str:
    """The placements as squares, under that symmetry of the board that gives the least text.

    Where start corners are free all 8 symmetries hold. Where they belong to colours, the reflection in the diagonal
    through the first colour's corner swaps yellow and green, who take turns in one order only: so the key is taken as
    it is. In duo that diagonal holds both start squares, and the reflection in it changes nothing. Pieces that were set
    up by hand come first, in brackets; a pass is written as such.
    """
    side = side_of(started)
    images: Iterable[int] = (IDENTITY,)
    if variant_number(VARIANTS, started.variant) == DUO:
        images = (IDENTITY, ANTIDIAGONAL)
    elif started.options["start_corner"] == "any_free":
        images = SQUARE
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
    return [square_image(x, y, k, side, side) for x, y in cells]
