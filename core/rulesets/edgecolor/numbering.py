"""The edge types of catalogue A, and which cards they make."""

from __future__ import annotations

from kifold.core.numbering import Numbering
from kifold.core.rulesets.edgecolor.cards import (
    CATALOGUE_A,
    CATALOGUE_A_DIGEST,
    COLOUR_LETTERS,
    COLOURS,
    N_MARKS,
    N_TYPES,
    sides_of,
)
from kifold.core.rulesets.edgecolor.names import SIZE, VARIANTS


def numberings() -> tuple[Numbering, ...]:
    """The table for the reference page."""
    colours = ", ".join(f"{letter} for {colour}" for letter, colour in zip(COLOUR_LETTERS, COLOURS, strict=True))
    sizes = ", ".join(f"{size} in `{variant.name}`" for variant, size in zip(VARIANTS, SIZE, strict=True))
    meaning = f"""
        The colours of an edge type north, east, south and west as short notation has them ({colours}), as it lies in
        the catalogue and turned by a half turn, and the numbers of its cards by their marks. The digest of a catalogue
        begins as {N_TYPES}, and for each colour c, 0 to 3, of the types in this order it becomes
        (digest · 32749 + c + 1) modulo 2 to the power of 48; that of catalogue A is {CATALOGUE_A_DIGEST}. The
        size of the board, by which cells are numbered, is {sizes}.
    """
    rows = []
    for kind in range(N_TYPES):
        cards = range(kind * N_MARKS, (kind + 1) * N_MARKS)
        lies = ["".join(COLOUR_LETTERS[c] for c in sides_of(CATALOGUE_A, cards[0], flip)) for flip in range(2)]
        rows.append((str(kind), *lies, *map(str, cards)))
    head = ("edge type", "`flip` 0", "`flip` 1", *(f"mark {letter}" for letter in COLOUR_LETTERS))
    return (Numbering("Catalogue A", meaning, head, tuple(rows)),)
