"""What chipstack declares: its events, setup, state, result, reasons, effects, options and variants.

Rule file chipstack.md. Cells are 0..35, 6·(number − 1) + letter: 1-a is 0, 1-f is 5, 6-f is 35. Colours have neutral
ids: the rule text names purple and red only, the other three names are ours.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kifold.core.events import Event, Setup
from kifold.core.fields import named
from kifold.core.names import Effects, Reasons
from kifold.core.options import Option, Variant
from kifold.core.records import DERIVED, I8, I64, SCRATCH, Array, Record

COLOURS = ("purple", "red", "blue", "green", "yellow")
SHAPES = ("round", "square")
N_COLOURS, N_SHAPES = len(COLOURS), len(SHAPES)
N_KINDS = N_COLOURS * N_SHAPES
MOST_SEATS = 5
CELLS = 36
MOST_SLOTS = 4
"""The area of a piece has at most four cells (000.2)."""
CHIPS_PER_WORD = 20
MOST_HEIGHT = 2 * CHIPS_PER_WORD
"""No stack is ever higher than 40 chips.

Phase 1 lays at most one piece on each of the other cells, and a piece has at most three slots that can bring a chip to
one cell; added up over the cells around the middle this makes 40. `most_chips_on` in the tests does so for each cell.
"""

Seat = Annotated[int, Meta(ge=0, le=MOST_SEATS - 1, description="seat that acts, in left-hand order")]
Colour = Annotated[int, named(COLOURS, "colour of the piece and of its chips; blue, green and yellow are our names")]
Shape = Annotated[int, named(SHAPES, "shape of the piece: it decides its area")]
Cell = Annotated[int, Meta(ge=0, le=CELLS - 1, description="6·(number − 1) + letter, letter a = 0")]


class Place(Event, frozen=True, tag=16):
    """Phase 1: a piece goes on a cell, and chips of its colour on `targets`, ascending, repeats allowed (000.4)."""

    seat: Seat
    colour: Colour
    shape: Shape
    cell: Cell
    targets: Annotated[tuple[Cell, ...], Meta(max_length=MOST_SLOTS, description="cells that get a chip, ascending")]


class Take(Event, frozen=True, tag=17):
    """Phase 2: a piece is removed, and the seat gets the top chips of its area (000.5)."""

    seat: Seat
    cell: Cell


class ChipstackSetup(Setup, frozen=True):
    """Who begins: the only thing that is left to chance."""

    first: Annotated[int, Meta(ge=0, le=MOST_SEATS - 1, description="seat that places the first piece")] = 0


STACKING, TAKING, OVER = range(3)


class State(Record):
    """A position. Kinds of pieces are numbered colour by colour, see `board.kind_of`.

    Who placed last needs no field: in phase 1 it is the left neighbour of the seat to move, in phase 2 it is of no more
    consequence.
    """

    seats: I8
    zero_is_worst: I8
    phase: I8
    """`STACKING`, `TAKING` or `OVER`."""
    to_move: I8
    """The seat that acts next; after the match the one that acted last."""
    supply: Annotated[list[int], Array("i1", N_COLOURS)]
    """Chips left of each colour."""
    left: Annotated[list[int], Array("i1", N_KINDS)]
    """Pieces left of each kind."""
    held: Annotated[list[int], Array("i1", MOST_SEATS * N_COLOURS)]
    """Chips behind the screens: of seat s and colour c at 5·s + c."""
    pieces: Annotated[list[int], Array("i1", CELLS)]
    """Per cell 1 + kind, or 0 for no piece."""
    heights: Annotated[list[int], Array("i1", CELLS)]
    chips: Annotated[list[int], Array("i8", CELLS * 2)]
    """The colours of a cell's stack from the bottom, 3 bits each: twenty in word 2·cell, then twenty in the next."""

    occupied: Annotated[I64, DERIVED]
    """Bit set of the cells with a piece."""
    stacked: Annotated[I64, DERIVED]
    """Bit set of the cells with chips."""
    slot_targets: Annotated[list[int], Array("i8", MOST_SLOTS), SCRATCH]
    """For each live slot of the placement last asked about the bit set of its targets, see `board.find_slots`."""
    chosen: Annotated[list[int], Array("i1", MOST_SLOTS), SCRATCH]
    untried: Annotated[list[int], Array("i8", MOST_SLOTS + 1), SCRATCH]
    filled: Annotated[list[int], Array("i8", MOST_SLOTS + 1), SCRATCH]
    """How far the list of outcomes has come, see `board.next_outcome`."""
    targets: Annotated[list[int], Array("i1", MOST_SLOTS), SCRATCH]
    """The outcome that is being listed."""
    imagined: Annotated[list[int], Array("i1", N_COLOURS), SCRATCH]
    """Chips per colour that the greedy player thinks of."""


class Result(Record):
    """Ranks, and what they come from (000.6). There are no points."""

    rank: Annotated[list[int], Array("i1", MOST_SEATS)]
    colours: Annotated[list[int], Array("i1", MOST_SEATS)]
    chips: Annotated[list[int], Array("i1", MOST_SEATS)]
    sorted_counts: Annotated[list[int], Array("i1", MOST_SEATS * N_COLOURS)]


REASONS = Reasons()
MATCH_OVER = REASONS.name("match_over", "000.5", "no piece is left on the board: the match is over")
NOT_YOUR_TURN = REASONS.name("not_your_turn", "000.4", "another seat is to move")
WRONG_PHASE = REASONS.name("wrong_phase", "000.4", "pieces are placed in phase 1 and taken in phase 2")
NO_PIECE_LEFT = REASONS.name("no_piece_left", "000.4", "all three pieces of this colour and shape have been placed")
NO_CHIP_LEFT = REASONS.name("no_chip_left", "000.4", "a piece cannot be placed when no chip of its colour is left")
CELL_OCCUPIED = REASONS.name("cell_occupied", "000.4", "there is a piece on the cell")
WRONG_NUMBER_OF_TARGETS = REASONS.name(
    "wrong_number_of_targets",
    "000.4",
    "each slot that has a target gets a chip, or as many as there are chips",
)
TARGETS_NOT_SORTED = REASONS.name("targets_not_sorted", "000.4", "targets are listed in the order of the cells")
TARGETS_NOT_ALLOWED = REASONS.name("targets_not_allowed", "000.4", "the chips cannot come there from different slots")
NO_PIECE_THERE = REASONS.name("no_piece_there", "000.5", "there is no piece on the cell")
NO_SUCH_SEAT = REASONS.name("no_such_seat", "000.4", "the match has no such seat to begin")

EFFECTS = Effects()
REDIRECTED = EFFECTS.name("redirected", "000.4", "a chip went round a piece, into that piece's area")
SLOT_DEAD = EFFECTS.name("slot_dead", "000.4", "a slot got no chip: a piece is on it and on every cell of its area")
SHORTAGE = EFFECTS.name("shortage", "000-4", "there were fewer chips than slots")
LAST_OF_KIND = EFFECTS.name("last_of_kind", "000.4", "the last piece of its kind: one bonus chip is due")
TALL_STACK = EFFECTS.name("tall_stack", "000-6", "a chip came on four or more: one bonus chip is due for each")
BONUS_UNPAID = EFFECTS.name("bonus_unpaid", "000.4", "the supply could not pay the whole bonus")
PHASE_ENDED_FULL = EFFECTS.name("phase_ended_full", "000.4", "phase 1 ended: no cell is empty of both piece and chips")
PHASE_ENDED_NO_KIND = EFFECTS.name("phase_ended_no_kind", "000-11", "phase 1 ended: no piece can be placed any more")
MATCH_ENDED = EFFECTS.name("match_ended", "000.5", "the last piece was taken")

ZERO_COLOURS = Option(
    "zero_colours",
    "000-7",
    "where a player without any chip ranks",
    ("best", "worst"),
    ("no colour is fewer than one: first", "behind everybody who has chips"),
)
OPTIONS = (ZERO_COLOURS,)

VARIANTS = (Variant("standard", "two to five players", (2, 3, 4, 5)),)
