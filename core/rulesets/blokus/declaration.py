"""What blokus declares: its events, setup, state, result, reasons, effects, options and variants.

Rule file blokus.md. Colours are blue 0, yellow 1, red 2, green 3 (duo: 0 and 1), in the order of play.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kifold.core.events import Event, Setup
from kifold.core.fields import named
from kifold.core.names import Effects, Reasons
from kifold.core.options import Option, Variant, by_variant, variant_number
from kifold.core.records import DERIVED, I8, SCRATCH, Array, Record
from kifold.core.rulesets.blokus.pieces import FORM_CELLS, MOST_SQUARES, N_PIECES, PIECES

COLOURS = ("blue", "yellow", "red", "green")
GREEN = COLOURS.index("green")
SIDE, DUO_SIDE = 20, 14
LANE, ROWS, WORDS = SIDE + 1, 3, 9
"""Bits for a row of the board, rows in a word, words of a board: see `words`."""
SEEN = 8
PLANE = 2 * SEEN
"""Words in which lists are looked for: see `places`."""
BONUS, MONOMINO_BONUS = 15, 20

Colour = Annotated[int, named(COLOURS, "colour that places; in duo blue and yellow stand for the two colours")]
Piece = Annotated[int, named(PIECES, "one of the 21 pieces")]
Orientation = Annotated[int, Meta(ge=0, le=7, description="which of the piece's orientations, see the table of forms")]
Column = Annotated[int, Meta(ge=0, le=SIDE - 1, description="leftmost column of the piece, 0 = a")]
Row = Annotated[int, Meta(ge=0, le=SIDE - 1, description="lowest row of the piece, 0 = row 1 at the bottom")]


class Place(Event, frozen=True, tag=16):
    """A colour places a piece (001.3)."""

    colour: Colour
    piece: Piece
    orientation: Orientation
    x: Column
    y: Row


class Pass(Event, frozen=True, tag=17):
    """A colour passes although it could place (reading 001-2, option voluntary_pass)."""

    colour: Colour


MOST_PIECES = len(COLOURS) * N_PIECES
BY_ORDER = len(COLOURS)


class BlokusSetup(Setup, frozen=True):
    """Pieces already on the board, one entry of each list per piece, and the colour that begins."""

    colours: Annotated[tuple[Colour, ...], Meta(max_length=MOST_PIECES)] = ()
    pieces: Annotated[tuple[Piece, ...], Meta(max_length=MOST_PIECES)] = ()
    orientations: Annotated[tuple[Orientation, ...], Meta(max_length=MOST_PIECES)] = ()
    xs: Annotated[tuple[Column, ...], Meta(max_length=MOST_PIECES)] = ()
    ys: Annotated[tuple[Row, ...], Meta(max_length=MOST_PIECES)] = ()
    to_move: Annotated[int, named((*COLOURS, "first"), "colour that begins; first: the first that can place")] = (
        BY_ORDER
    )


class State(Record):
    """A position. Rows of squares are bit sets: bit x of row y for column x."""

    variant: I8
    colours: I8
    seats: I8
    side: I8
    starts_by_colour: I8
    voluntary_pass: I8
    last: I8
    """The colour that acted last; before the first event the one before the first to act."""
    passes: I8
    """Bit set of the colours that have passed since the last placement."""
    passed_out: I8
    left: Annotated[list[int], Array("i4", 4)]
    """Bit set of the pieces that a colour still has."""
    bonus: Annotated[list[int], Array("i1", 4)]
    own: Annotated[list[int], Array("i4", 4 * SIDE)]
    """The squares of each colour, row y of colour c at `SIDE`·c + y."""

    board: Annotated[list[int], Array("i8", WORDS), DERIVED]
    """The board as one bit set, see `words`: all its squares."""
    taken: Annotated[list[int], Array("i8", WORDS), DERIVED]
    """Squares that a piece covers."""
    edges: Annotated[list[int], Array("i8", 4 * WORDS), DERIVED]
    """Squares that share a side with the colour's own, also taken ones and such off the board; word w of colour c at
    `WORDS`·c + w."""
    anchors: Annotated[list[int], Array("i8", 4 * WORDS), DERIVED]
    """Squares of which the colour's next piece has to cover one, laid out like `edges`: its start squares, and later
    what touches its own at a corner."""
    blocked: Annotated[I8, SCRATCH]
    """Bit set of colours known to have no placement left; by the lemma of 001.3 they never get one again."""
    open_words: Annotated[list[int], Array("i8", WORDS), SCRATCH]
    anchor_words: Annotated[list[int], Array("i8", WORDS), SCRATCH]
    """Where the last question looked for placements, see `board.spread`."""
    planes: Annotated[list[int], Array("i8", PLANE * MOST_SQUARES**2), SCRATCH]
    fits: Annotated[list[int], Array("i8", PLANE), SCRATCH]
    found: Annotated[list[int], Array("i8", len(FORM_CELLS) * SEEN), SCRATCH]
    found_at: Annotated[list[int], Array("i2", len(FORM_CELLS) * SEEN), SCRATCH]
    """Where the last list was looked for and found, see `places`."""
    plane: Annotated[I8, DERIVED]
    """`PLANE`. Over a constant number of words the compiler unrolls the loop of `places.fit`; over this many it takes
    four words at a time."""


class Result(Record):
    """Scores per seat (001.4); in `two_player` the sum of both colours, in `three_player` without green."""

    rank: Annotated[list[int], Array("i1", 4)]
    score: Annotated[list[int], Array("i2", 4)]
    squares_left: Annotated[list[int], Array("i2", 4)]
    pieces_left: Annotated[list[int], Array("i1", 4)]
    bonus: Annotated[list[int], Array("i1", 4)]


REASONS = Reasons()
MATCH_OVER = REASONS.name("match_over", "001.3", "no colour can place any more, or all have passed: the match is over")
COLOUR_NOT_IN_PLAY = REASONS.name("colour_not_in_play", "001.7", "this variant is played without that colour")
NOT_A_PIECE = REASONS.name("not_a_piece", "001.2", "the piece has fewer orientations")
PIECE_ALREADY_PLACED = REASONS.name("piece_already_placed", "001.3", "the colour has placed that piece already")
OFF_BOARD = REASONS.name("off_board", "001.3", "a square of the piece is off the board")
OVERLAPS = REASONS.name("overlaps", "001.3", "a square of the piece is taken")
MISSES_START = REASONS.name("misses_start", "001-1", "the first piece of a colour must cover its start square")
TOUCHES_OWN_EDGE = REASONS.name("touches_own_edge", "001.3", "the piece shares a side with one of its own colour")
NO_OWN_CORNER = REASONS.name("no_own_corner", "001.3", "the piece touches no corner of its own colour")
PASSING_NOT_ALLOWED = REASONS.name(
    "passing_not_allowed", "001-2", "passing is not played, or the colour can place nothing"
)
NOT_YOUR_TURN = REASONS.name("not_your_turn", "001.3", "a colour that can place comes first")
INCOMPLETE_SETUP = REASONS.name("incomplete_setup", "001.2", "the lists of pieces set up differ in length")

EFFECTS = Effects()
SKIPPED = EFFECTS.name("skipped", "001.3", "colours that can place nothing were passed over")
ALL_PLACED = EFFECTS.name("all_placed", "001.4", f"the colour has placed everything: +{BONUS}")
MONOMINO_LAST = EFFECTS.name(
    "monomino_last", "001.4", f"the colour has placed everything, the single square last: +{MONOMINO_BONUS}"
)
PASSED_OUT = EFFECTS.name("passed_out", "001-2", "every colour that can place has passed in succession: the match ends")

START_CORNER = Option(
    "start_corner",
    "001-1",
    "where a colour's first piece goes",
    ("any_free", "by_colour"),
    (
        "over any corner of the board that is free",
        "over the corner of its colour: blue a20, yellow t20, red t1, green a1",
    ),
)
VOLUNTARY_PASS = Option(
    "voluntary_pass",
    "001-2",
    "whether a colour that can place may pass",
    (False, True),
    (
        "a turn is lost only by who can place nothing",
        "passing is allowed; the match also ends when all pass in succession",
    ),
)
OPTIONS = (START_CORNER, VOLUNTARY_PASS)

VARIANTS = (
    Variant("classic", "four players, one colour each, 20×20", (4,), COLOURS),
    Variant(
        "two_player",
        "two players with two colours each: blue and red against yellow and green",
        (2,),
        ("blue+red", "yellow+green"),
    ),
    Variant("three_player", "three players; green is played by each in turn and counts for nobody", (3,), COLOURS[:3]),
    Variant(
        "duo",
        "two players, 14×14, first pieces over e10 and j5",
        (2,),
        ("blue", "yellow"),
        {"start_corner": "by_colour"},
        frozenset({"start_corner"}),
    ),
)
TWO_PLAYER, THREE_PLAYER, DUO = (variant_number(VARIANTS, name) for name in ("two_player", "three_player", "duo"))
SIDE_OF = by_variant(VARIANTS, {"classic": SIDE, "two_player": SIDE, "three_player": SIDE, "duo": DUO_SIDE})
COLOURS_OF = by_variant(VARIANTS, {"classic": 4, "two_player": 4, "three_player": 4, "duo": 2})
"""Rows and columns of each variant's board, and with how many colours it is played."""
