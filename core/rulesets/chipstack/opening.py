"""The key of an opening, the same for openings that differ by a symmetry of the board or of the colours only."""

from __future__ import annotations

from collections.abc import Sequence

from kifold.core.events import Event, Started
from kifold.core.rulesets.chipstack.board import SIZE
from kifold.core.rulesets.chipstack.declaration import SHAPES, Place, Take
from kifold.core.rulesets.chipstack.notation import cell_text
from kifold.core.symmetry import SQUARE, square_image


def opening(started: Started, events: Sequence[Event]) -> str:
    """The events under that symmetry of the board that gives the least text, colours as A, B, … by first appearance.

    All 8 symmetries of the square leave both areas as they are, and no rule tells the colours apart; shapes differ, so
    they stay. Seats are left out: they follow from who began, whom no rule favours.
    """
    return min(_key(events, k) for k in SQUARE)


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
    number, letter = divmod(cell, SIZE)
    letter, number = square_image(letter, number, k, SIZE, SIZE)
    return SIZE * number + letter
