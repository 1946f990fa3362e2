"""The key of an opening, the same for openings that differ by a symmetry of the rules only."""

from __future__ import annotations

from collections.abc import Sequence

from kifold.core.events import Event, Started
from kifold.core.rulesets.edgecolor.cards import BLACK, COLOUR_LETTERS, mark_of, sides_of
from kifold.core.rulesets.edgecolor.declaration import NAMED_A, NO_SEED, BlockerSetup, Play, PlayBlocker
from kifold.core.rulesets.edgecolor.notation import cell_text, edges_of, size_of
from kifold.core.symmetry import HALF_TURN, IDENTITY, SQUARE, square_image

Laid = tuple[str, int, tuple[int, ...], int]
"""Who or what, the cell, the sides as they lie (none on a blocker), the mark."""


def opening(started: Started, events: Sequence[Event]) -> str:
    """Which cards and blockers were laid where, by which seat; draws and stops are left out.

    A card counts as the sides that it shows and its mark, since these decide what can be laid beside and on it; hands
    are too many to tell openings apart by them. Under catalogue A the rules are the same for all 8 symmetries of the
    board (turned or mirrored sides are those of another card of the catalogue), for any exchange of the three basic
    colours on edges, and for any on marks, which are compared with marks only. So colours and marks are numbered as
    they come up, and the least text of the 8 images is the key. A catalogue of its own need not have these symmetries:
    there only the half turn of the board and the exchange of marks are used.
    """
    images = SQUARE if started.setup.catalogue == NAMED_A else (IDENTITY, HALF_TURN)
    laid = _laid(started, events)
    size = size_of(started)
    return min(_text(laid, k, size, renames=started.setup.catalogue == NAMED_A) for k in images)


def _laid(started: Started, events: Sequence[Event]) -> list[Laid]:
    edges, setup = edges_of(started), started.setup
    laid: list[Laid] = []
    if setup.seed != NO_SEED:
        laid.append(("seed", setup.seed_cell, sides_of(edges, setup.seed, setup.seed_flip), mark_of(setup.seed)))
    for event in events:
        if isinstance(event, Play):
            laid.append((str(event.seat), event.cell, sides_of(edges, event.card, event.flip), mark_of(event.card)))
        elif isinstance(event, BlockerSetup | PlayBlocker):
            laid.append((str(event.seat), event.cell, (), BLACK))
    return laid


def _text(laid: Sequence[Laid], k: int, size: int, *, renames: bool) -> str:
    edge_names = {BLACK: "K"} if renames else dict(enumerate(COLOUR_LETTERS))
    mark_names = {BLACK: "K"}
    words = []
    for who, cell, sides, mark in laid:
        where = cell_text(size, _cell_image(cell, k, size))
        if not sides:
            words.append(f"{who}:blocker@{where}")
            continue
        shown = "".join(edge_names.setdefault(s, str(len(edge_names))) for s in _sides_image(sides, k))
        words.append(f"{who}:{shown}/{mark_names.setdefault(mark, str(len(mark_names)))}@{where}")
    return " ".join(words)


def _cell_image(cell: int, k: int, size: int) -> int:
    column, row = square_image(cell % size, cell // size, k, size, size)
    return row * size + column


def _sides_image(sides: tuple[int, ...], k: int) -> tuple[int, ...]:
    north, east, south, west = sides
    if k & 1:
        east, west = west, east
    if k & 2:
        north, south = south, north
    return (west, south, east, north) if k & 4 else (north, east, south, west)
