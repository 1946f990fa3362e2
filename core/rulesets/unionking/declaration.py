"""What unionking declares: its events, setup, state, result, reasons, effects, options and variants.

Rule file unionking.md. Seat 0 is White. A piece is one of 28, see `pairs.piece_of`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kifold.core.events import Event, Setup
from kifold.core.fields import named
from kifold.core.names import Effects, Reasons
from kifold.core.options import Option, Variant, by_variant, variant_number
from kifold.core.records import DERIVED, HISTORY, I8, I16, I64, SCRATCH, Array, Record
from kifold.core.rulesets.unionking.board import LARGEST, POINTS, SMALLEST, SPOTS
from kifold.core.rulesets.unionking.layouts import FIGURES, LAYOUT_OF, PIECES, SIDE

COLOURS = ("white", "black")
PARTS = ("outer", "inner")
WHITE, BLACK = COLOURS.index("white"), COLOURS.index("black")
OUTER, INNER = PARTS.index("outer"), PARTS.index("inner")
N_COLOURS, N_PARTS, N_FIGURES = len(COLOURS), len(PARTS), len(FIGURES)
MOST_PLIES = 1000
POSITIONS = MOST_PLIES + 2
"""The start, one more for each ply, and one for the last move that may follow them."""
TABLE = 2048

Colour = Annotated[int, named(COLOURS, "the side that moves")]
Part = Annotated[int, named(PARTS, "the hollow frame or the solid figure")]
Figure = Annotated[int, named(FIGURES, "A circle, B triangle, C square, D pentagon, E hexagon, F octagon, G cross")]
Point = Annotated[int, Meta(ge=0, le=POINTS - 1, description="y * width + x, 0 = a1, row by row")]
Length = Annotated[int, Meta(ge=SMALLEST, le=LARGEST)]


class Move(Event, frozen=True, tag=16):
    """A piece moves along a line (4.1): `to` fixes direction, jump and merger."""

    colour: Colour
    part: Part
    figure: Figure
    to: Point


class Decline(Event, frozen=True, tag=17):
    """Black does without its last move (4.7, option last_move)."""

    colour: Colour


class UnionkingSetup(Setup, frozen=True):
    """The board, and where the pieces stand on it: white outer A..G, white inner A..G, black outer, black inner.

    No layout means the variant's recommended one for 7×7, a reconstruction. The halves of a pair may share a point,
    other pieces may not.
    """

    width: Length = SIDE
    height: Length = SIDE
    layout: Annotated[tuple[Point, ...], Meta(max_length=PIECES)] = ()


class State(Record):
    """A position, what may still happen in it, and which positions there were before it."""

    variant: I8
    width: I8
    height: I8
    jump_merge: I8
    must_move_last: I8
    repetition: I8
    max_plies: I16
    plies: I16
    to_move: I8
    """The side to move, or `NOBODY`."""
    is_last_move: I8
    """White has reached the goal, and the move that Black now makes is the last of all (4.7)."""
    spots: Annotated[list[int], Array("i1", PIECES)]
    """Where each piece stands, on the lattice of `board`."""
    past: I64
    """A digest of all positions so far, in whatever order: for the fingerprint, see `history`."""

    board: Annotated[list[int], Array("i1", SPOTS), DERIVED]
    """How many pieces stand on a spot, `EDGE` off the board."""
    number: Annotated[I8, DERIVED]
    """The number of the board, see `board.board_number`."""
    key: Annotated[I64, DERIVED]
    """The hash of the points of all pieces, kept move by move."""
    keys: Annotated[list[int], Array("i4", POSITIONS), HISTORY]
    times: Annotated[list[int], Array("i1", POSITIONS), HISTORY]
    moved: Annotated[list[int], Array("i1", POSITIONS), HISTORY]
    came_from: Annotated[list[int], Array("i1", POSITIONS), HISTORY]
    latest: Annotated[list[int], Array("i2", TABLE), HISTORY]
    """The history of positions, see `history`. Each move is in the digest `past`."""
    earlier: Annotated[list[int], Array("i1", PIECES), SCRATCH]


class Result(Record):
    """The totals of 4.8 by the scale of the game, and what they come from."""

    rank: Annotated[list[int], Array("i1", 2)]
    score: Annotated[list[int], Array("i2", 2)]
    pairs: Annotated[list[int], Array("i1", 2)]
    points_sum: Annotated[list[int], Array("i1", 2)]


REASONS = Reasons()
MATCH_OVER = REASONS.name("match_over", "4.7, 4.11", "the match is over")
OFF_BOARD = REASONS.name("off_board", "1", "the board has no such point")
NOT_ON_A_LINE = REASONS.name("not_on_a_line", "4.3", "no straight drawn line leads from the piece to that point")
NOT_REACHABLE = REASONS.name(
    "not_reachable",
    "4.3, 4.4",
    "a piece goes to the next point, over all pieces in a row to the first free one, or to its partner",
)
DECLINE_NOT_ALLOWED = REASONS.name(
    "decline_not_allowed", "4.1, 4.7", "there is no pass; only Black may do without the last move, if that is played"
)
NOT_YOUR_TURN = REASONS.name("not_your_turn", "4.1, 4.11", "the other side is to move")
BAD_BOARD = REASONS.name(
    "bad_board", "1, 3", "both sides of a board are odd, 3×3 is none, and only 7×7 has a layout of its own"
)
POINT_OFF_BOARD = REASONS.name(
    "point_off_board", "1, 3", "a piece of the layout has no point, or one that is not on the board"
)
POINTS_NOT_DISTINCT = REASONS.name(
    "points_not_distinct", "2, 3", "two pieces of the layout that are no pair stand on one point"
)

EFFECTS = Effects()
MERGED = EFFECTS.name("merged", "4.4", "the piece joined its partner")
SPLIT = EFFECTS.name("split", "4.5", "the piece left its partner")
JUMPED = EFFECTS.name("jumped", "4.3, 4.4", "the piece went over others")
LAST_MOVE_GRANTED = EFFECTS.name("last_move_granted", "4.7", "White has reached the goal: Black has one more move")
TURN_SKIPPED = EFFECTS.name("turn_skipped", "4.11", "the other side has no move: the same side moves again")
ENDED_BY_GOAL = EFFECTS.name("ended_by_goal", "4.7", "the goal is reached and no last move is left to make")
ENDED_STUCK = EFFECTS.name("ended_stuck", "4.11", "neither side has a move")
ENDED_BY_REPETITION = EFFECTS.name(
    "ended_by_repetition", "4.11", "the same position came up as often as the option says"
)
ENDED_BY_LENGTH = EFFECTS.name("ended_by_length", "4.11", "the match is as long as the option allows")

JUMP_MERGE = Option(
    "jump_merge",
    "4.4",
    "whether a piece may land on its partner after a jump",
    (True, False),
    (
        "on the partner wherever it stands in the jumped row",
        "only on a partner at the next point; others are jumped over",
    ),
)
LAST_MOVE = Option(
    "last_move",
    "4.7",
    "whether Black has to make the move that follows when White has reached the goal",
    ("may", "must"),
    ("Black may decline it", "Black moves if it can"),
)
REPETITION = Option(
    "repetition",
    "4.11",
    "how often the same position with the same side to move ends the match, the start counting; 0: it does not",
    low=0,
    high=100,
    default_number=3,
)
MAX_PLIES = Option(
    "max_plies", "4.11", "after how many moves the match ends", low=1, high=MOST_PLIES, default_number=300
)
OPTIONS = (JUMP_MERGE, LAST_MOVE, REPETITION, MAX_PLIES)

GOALS = {"game1": 5, "game2": 70, "game3": 100}
"""What ends each game (4.7): pairs in game 1, the total in the others."""
VARIANTS = (
    Variant("game1", "five pairs end it; a pair counts the line ends at its point", (2,), COLOURS),
    Variant("game2", f"{GOALS['game2']} points end it; a pair counts twice the line ends at its point", (2,), COLOURS),
    Variant(
        "game3", f"{GOALS['game3']} points end it; a pair counts twice the line ends at its point, and 5", (2,), COLOURS
    ),
)
GAME1 = variant_number(VARIANTS, "game1")

# What a pair counts in each game (2): so many times the line ends at its point, and so much more.
TIMES_LINE_ENDS = by_variant(VARIANTS, {"game1": 1, "game2": 2, "game3": 2})
AND_MORE = by_variant(VARIANTS, {"game1": 0, "game2": 0, "game3": 5})
GOAL = by_variant(VARIANTS, GOALS)
LAYOUTS = [point for layout in by_variant(VARIANTS, LAYOUT_OF) for point in layout]
"""The recommended layout of game g at g·28 …: the point of each piece."""
