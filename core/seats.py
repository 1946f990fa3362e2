"""Seats as a person names them: by number, or by the colour that they are called."""

from __future__ import annotations

from kifold.core.events import Started
from kifold.core.notation import SEAT
from kifold.core.ruleset import Ruleset


def seat_named(ruleset: Ruleset, started: Started, text: str) -> int:
    """The seat that a text names: ``1``, ``yellow``, ``seat 1``; of a pair such as ``blue+red`` also each colour.

    Raises:
        ValueError: when the match has no such seat; it says which there are.
    """
    said = text.strip().lower()
    for seat, name in enumerate(ruleset.seat_names(started)):
        if said in (name, *name.split("+")) or (SEAT.fullmatch(said) and int(said) == seat):
            return seat
    raise ValueError(f"no seat {text!r}: choose {seats_in_words(ruleset, started)}")


def seats_in_words(ruleset: Ruleset, started: Started) -> str:
    """The seats of a match: ``0 blue, 1 yellow``, or ``0..3`` where they have no names."""
    if len(ruleset.variant(started.variant).seat_names) != started.seats:
        return f"0..{started.seats - 1}"
    return ", ".join(f"{seat} {name}" for seat, name in enumerate(ruleset.seat_names(started)))
