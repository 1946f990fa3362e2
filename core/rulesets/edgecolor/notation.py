"""Short notation. A card is what one sees of it, ``12K3/2``: its colours north, east, south, west, and its mark.

Colours are 1, 2, 3 and K for black; cells are columns a … from the left and rows 1 … from the top. ``12K3/2@c2`` plays
a card, ``blocker@c2`` the blocker from the hand, ``setup@c2`` puts one before the opening, ``draw:12K3/2`` is a drawn
card (any way up), ``stop`` leaves an extra play unused. The seat may stand before it, ``1:stop``; without it, it is the
one whose turn it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kifold.core.events import Event, Started
from kifold.core.notation import LETTERS, cell_name, plain, read_cell_name, read_seat
from kifold.core.options import variant_number
from kifold.core.rulesets.edgecolor.cards import CATALOGUES, COLOUR_LETTERS, card_text, find_card
from kifold.core.rulesets.edgecolor.declaration import (
    OWN,
    BlockerSetup,
    Draw,
    Play,
    PlayBlocker,
    State,
    Stop,
)
from kifold.core.rulesets.edgecolor.names import SIZE, VARIANTS

CARD = re.compile(r"([123K]{4})/([123K])")
WORD = re.compile(r"(?:([0-9]):)?(?:(stop)|draw:(.+)|([^@]+)@([^@]+))")


def size_of(started: Started) -> int:
    """Rows and columns of the board of a match."""
    return SIZE[variant_number(VARIANTS, started.variant)]


def edges_of(started: Started) -> Sequence[int]:
    """The catalogue of a match."""
    own: Sequence[int] = started.setup.edges
    return own if started.setup.catalogue == OWN else tuple(CATALOGUES.values())[started.setup.catalogue]


def cell_text(size: int, cell: int) -> str:
    """``c2``: column c, second row from the top. A cell off the board is its number."""
    return cell_name(cell % size, cell // size) if cell < size * size else f"#{cell}"


def write(started: Started, event: Event) -> str:
    """The event in short notation, always with its seat."""
    size, edges = size_of(started), edges_of(started)
    if isinstance(event, Play):
        return f"{event.seat}:{card_text(edges, event.card, event.flip)}@{cell_text(size, event.cell)}"
    if isinstance(event, PlayBlocker):
        return f"{event.seat}:blocker@{cell_text(size, event.cell)}"
    if isinstance(event, BlockerSetup):
        return f"{event.seat}:setup@{cell_text(size, event.cell)}"
    if isinstance(event, Draw):
        return f"{event.seat}:draw:{card_text(edges, event.card, 0)}"
    assert isinstance(event, Stop)
    return f"{event.seat}:stop"


def read(started: Started, state: State, text: str) -> Event:
    """The event that short notation says.

    Raises:
        ValueError: for a text that names no card of the catalogue or no cell of the board.
    """
    found = WORD.fullmatch(plain(text))
    if found is None:
        raise ValueError(f"{text!r} is no play: write 12K3/2@c2, blocker@c2, setup@c2, draw:12K3/2 or stop")
    said, stops, drawn, what, where = found.groups()
    seat = read_seat(said, started.seats) if said else state.seat
    if stops:
        return Stop(seat)
    edges = edges_of(started)
    if drawn:
        return Draw(seat, read_card(edges, drawn)[0])
    cell = read_cell(size_of(started), where)
    if what == "setup":
        return BlockerSetup(seat, cell)
    if what == "blocker":
        return PlayBlocker(seat, cell)
    card, flip = read_card(edges, what)
    return Play(seat, card, cell, flip)


def read_card(edges: Sequence[int], text: str) -> tuple[int, int]:
    """(card, flip) of ``12K3/2``."""
    match = CARD.fullmatch(text.strip().upper())
    if match is None:
        raise ValueError(
            f"{text!r} is no card: four colours north, east, south, west and a mark, of 1 2 3 K, such as 12K3/2"
        )
    north, east, south, west = (COLOUR_LETTERS.index(letter) for letter in match[1])
    found = find_card(edges, (north, east, south, west), COLOUR_LETTERS.index(match[2]))
    if found is None:
        raise ValueError(f"no card of the catalogue has the sides {match[1]}")
    return found


def read_cell(size: int, text: str) -> int:
    """The cell of ``c2``."""
    found = read_cell_name(plain(text))
    if found is None or max(found) >= size:
        raise ValueError(f"{text!r} is no cell: a column a..{LETTERS[size - 1]} and a row 1..{size}, such as b1")
    column, row = found
    return row * size + column
