"""The cards: 12 edge types × 4 marks, and sets of cards as bit sets. Rule file edgecolor.md, 003.1.

A card is `edge type · 4 + mark`. An edge type is its four colours (north, east, south, west) in canonical form: the
smaller of the two ways up. Cards lie upright, so a half turn (`flip` 1) is the only other way. Which 12 types the game
has is a table that a match brings along; the pictures of the cards are missing from the rule text, so catalogue A is a
reconstruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

COLOURS = ("c1", "c2", "c3", "K")
"""Three basic colours, whose names the rule text does not give, and black. Marks are of the same four."""
COLOUR_LETTERS = "123K"
BLACK = 3
N_TYPES = 12
N_MARKS = 4
N_CARDS = N_TYPES * N_MARKS
N_EDGES = 4 * N_TYPES

NORTH, EAST, SOUTH, WEST = range(4)

Sides = tuple[int, int, int, int]


def half_turn(sides: Sides) -> Sides:
    """(N, E, S, W) of a card the other way up."""
    north, east, south, west = sides
    return south, west, north, east


def canonical(sides: Sides) -> Sides:
    """The smaller of the two ways up."""
    return min(sides, half_turn(sides))


def table_digest(edges: Sequence[int]) -> int:
    """48 bits that tell one catalogue from another. The rules compute it too, so it is plain arithmetic."""
    digest = N_TYPES
    for i in range(N_EDGES):
        digest = (digest * 32749 + edges[i] + 1) & 0xFFFFFFFFFFFF
    return digest


CATALOGUE_A = [
    colour for sides in sorted({canonical((n, e, s, w)) for n, e, s, w in permutations(range(4))}) for colour in sides
]
"""Hypothesis A of 003.1: each of the four colours once, up to a half turn. N, E, S, W of type t at 4·t …."""
CATALOGUES = {"A": CATALOGUE_A}
CATALOGUE_A_DIGEST = table_digest(CATALOGUE_A)

ALL_CARDS = (1 << N_CARDS) - 1
CARDS_OF_MARK = [sum(1 << card for card in range(N_CARDS) if card % N_MARKS == mark) for mark in range(N_MARKS)]
BLACK_CARDS = CARDS_OF_MARK[BLACK]
BASIC_CARDS = ALL_CARDS & ~BLACK_CARDS

# Which marks may cover a card of each mark (003-3). Under `both`, black covers anything and anything covers black.
COVERS_BOTH = [*(of_mark | BLACK_CARDS for of_mark in CARDS_OF_MARK[:BLACK]), ALL_CARDS]
COVERS_ONLY = [of_mark | BLACK_CARDS for of_mark in CARDS_OF_MARK]


def mark_of(card: int) -> int:
    """The mark in the middle of a card."""
    return card % N_MARKS


def sides_of(edges: Sequence[int], card: int, flip: int) -> Sides:
    """(N, E, S, W) of a card as it lies, under a catalogue."""
    at = card // N_MARKS * 4
    sides = edges[at], edges[at + 1], edges[at + 2], edges[at + 3]
    return half_turn(sides) if flip else sides


def find_card(edges: Sequence[int], sides: Sides, mark: int) -> tuple[int, int] | None:
    """(card, flip) that shows these sides and this mark, or None where the catalogue has no such card."""
    for card in range(mark, N_CARDS, N_MARKS):
        for flip in range(2):
            if sides_of(edges, card, flip) == sides:
                return card, flip
    return None


def card_text(edges: Sequence[int], card: int, flip: int) -> str:
    """A card as one sees it: its colours north, east, south, west, and its mark, ``12K3/2``."""
    return (
        "".join(COLOUR_LETTERS[colour] for colour in sides_of(edges, card, flip)) + "/" + COLOUR_LETTERS[mark_of(card)]
    )
