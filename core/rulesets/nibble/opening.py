"""The key of an opening, the same for openings that differ by a symmetry of the board or the colour table only."""

from __future__ import annotations

from collections.abc import Sequence

from kifold.core.events import Event, Started
from kifold.core.rulesets.nibble.board import N_COLOURS, NUMBERS, PLACES, REACH, Place
from kifold.core.rulesets.nibble.declaration import HEX13, VARIANTS, Take
from kifold.core.rulesets.nibble.notation import cells_text, variant_of
from kifold.core.symmetry import HEXAGON, SQUARE, hexagon_image, square_image


def _image(variant: int, place: Place, k: int) -> Place:
    x, y = place
    if variant == HEX13:
        q, r = hexagon_image(x - REACH, y - REACH, k)
        return q + REACH, r + REACH
    return square_image(x, y, k, N_COLOURS[variant], N_COLOURS[variant])


SYMMETRIES = [
    [
        [NUMBERS[variant][_image(variant, place, k)] for place in PLACES[variant]]
        for k in (HEXAGON if variant == HEX13 else SQUARE)
    ]
    for variant in range(len(VARIANTS))
]
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
