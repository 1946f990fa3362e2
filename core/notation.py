"""What the short notations of all games share: names of cells, the head that says whose event it is, what is refused.

Words are read in ASCII only. Regular expressions and `int` take the digits of every script, and `str.lower` makes a
plain letter of some that are none; then several texts would name one cell, and nobody could tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase

LETTERS = ascii_lowercase
"""Columns a, b, … from the left."""
CELL = re.compile(r"([a-z])0*([1-9][0-9]?)")
SEAT = re.compile(r"[0-9]{1,2}")


def plain(text: str) -> str:
    """A text as notations are read: small letters, no blanks around.

    Raises:
        ValueError: when it has characters beyond ASCII.
    """
    if not text.isascii():
        raise ValueError(f"{text!r} has characters that no notation has: write plain letters and digits")
    return text.strip().lower()


def cell_name(x: int, y: int) -> str:
    """The cell in column x and row y, both from 0: ``a1``."""
    return f"{LETTERS[x]}{y + 1}"


def read_cell_name(text: str) -> tuple[int, int] | None:
    """(x, y) of a cell such as ``a1``, on whatever board; None for any other text."""
    match = CELL.fullmatch(text.strip())
    return (LETTERS.index(match[1]), int(match[2]) - 1) if match else None


def split_head(text: str) -> tuple[str, str]:
    """What stands before the colon, and the rest: ``red:t1``, ``1:take@4-e``. Without a colon the head is empty.

    Raises:
        ValueError: when a colon has nothing before it.
    """
    head, colon, rest = plain(text).rpartition(":")
    if colon and not head:
        raise ValueError(f"{text!r} says nothing before the colon: leave the colon out")
    return head, rest


def read_seat(head: str, seats: int) -> int:
    """The seat that a head names.

    Raises:
        ValueError: when the match has no such seat.
    """
    if not SEAT.fullmatch(head) or int(head) >= seats:
        raise ValueError(f"no seat {head}: seats are 0..{seats - 1}")
    return int(head)


def read_colour(head: str, colours: Sequence[str]) -> int:
    """The colour that a head names.

    Raises:
        ValueError: when there is none of that name.
    """
    if head not in colours:
        raise ValueError(f"no colour {head!r}: choose from {', '.join(colours)}")
    return colours.index(head)


def nobody_to_move(who: str) -> ValueError:
    """What to raise when a text leaves out whose event it is and nobody is to move; `who` is a seat, a colour, …."""
    return ValueError(f"the match is over: no {who} is to move")
