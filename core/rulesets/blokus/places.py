"""Where the forms of all pieces fit, for all squares of the board at once; after `board.spread`.

A *plane* is the board as seen from a step away: bit for bit, the square that lies x columns to the right and y rows up.
So the cells of a form, each looked up in its plane, lie one upon the other wherever the form is put. A plane has `SEEN`
words of open squares, then as many of squares that are no anchors. A form fits where all its cells are open, and where
not all of them are no anchors: both are one `and` over its cells.
"""

from __future__ import annotations

from kifold.core.rulesets.blokus.declaration import LANE, PLANE, ROWS, SEEN, State
from kifold.core.rulesets.blokus.pieces import FIRST_FORM, FORM_CELLS, MOST_SQUARES, N_PIECES, ORIENTATIONS
from kifold.core.rulesets.blokus.words import WORD

CELL_PLANE = [
    PLANE * (MOST_SQUARES * x + y) for form in FORM_CELLS for x, y in (*form, *(form[-1:] * (MOST_SQUARES - len(form))))
]
"""The plane of each cell of form f at `MOST_SQUARES`·f …, its last one repeated up to so many."""


def spread_out(state: State) -> None:
    """Write the planes, the one of x columns and y rows at `PLANE`·(`MOST_SQUARES`·x + y)."""
    for y in range(MOST_SQUARES):
        down, up = LANE * (y % ROWS), LANE * (ROWS - y % ROWS)
        for word in range(SEEN - 1):
            at, first = PLANE * y + word, word + y // ROWS
            anchors = state.anchor_words[first] >> down | state.anchor_words[first + 1] << up & WORD
            state.planes[at] = state.open_words[first] >> down | state.open_words[first + 1] << up & WORD
            state.planes[at + SEEN] = ~anchors
    for x in range(1, MOST_SQUARES):
        for at in range(PLANE * MOST_SQUARES):
            state.planes[PLANE * MOST_SQUARES * x + at] = state.planes[at] >> x


def find_places(state: State, pieces: int) -> int:
    """After `spread_out`, list the words in which forms of these pieces have places; returns how many there are.

    `found[i]` has a bit for the lower left corner of each place, `found_at[i]` says of which form and in which word:
    form << 3 | word.
    """
    n = 0
    for piece in range(N_PIECES):
        if pieces >> piece & 1:
            for form in range(FIRST_FORM[piece], FIRST_FORM[piece] + ORIENTATIONS[piece]):
                fit(state, form)
                for word in range(SEEN - 1):
                    places = state.fits[word] & ~state.fits[SEEN + word]
                    state.found[n] = places
                    state.found_at[n] = form << 3 | word
                    # A question would be answered at random, which costs more than to write what is written over.
                    n += places != 0
    return n


def fit(state: State, form: int) -> None:
    """Write into `fits` the places where all cells of a form are open, then those where none of them is an anchor."""
    cell = MOST_SQUARES * form
    a, b, c = CELL_PLANE[cell], CELL_PLANE[cell + 1], CELL_PLANE[cell + 2]
    d, e = CELL_PLANE[cell + 3], CELL_PLANE[cell + 4]
    for word in range(state.plane):
        state.fits[word] = (
            state.planes[a + word]
            & state.planes[b + word]
            & state.planes[c + word]
            & state.planes[d + word]
            & state.planes[e + word]
        )
