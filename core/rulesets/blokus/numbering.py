"""The table of forms: which squares the orientations of each piece cover."""

from __future__ import annotations

from kifold.core.numbering import Numbering
from kifold.core.rulesets.blokus.notation import squares_text
from kifold.core.rulesets.blokus.pieces import FORMS_OF_PIECE, ORIENTATIONS, PIECES


def numberings() -> tuple[Numbering, ...]:
    """The table for the reference page."""
    most = max(ORIENTATIONS)
    meaning = """
        The squares of each piece in each of its orientations, where its `x` and `y` are 0: in the corner at a1. The
        number beside a piece is what the files of the archive have for it.
    """
    rows = (
        (f"`{piece}`", str(number), *(squares_text(form) for form in forms), *[""] * (most - len(forms)))
        for number, (piece, forms) in enumerate(zip(PIECES, FORMS_OF_PIECE, strict=True))
    )
    return (Numbering("Table of forms", meaning, ("piece", "", *map(str, range(most))), tuple(rows)),)
