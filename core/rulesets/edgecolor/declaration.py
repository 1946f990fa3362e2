"""What edgecolor declares: its events, setup, state and result.

Rule file edgecolor.md. Cells are row · size + column, row 0 on top; cards as in `cards.py`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kifold.core.events import Event, Setup
from kifold.core.fields import named
from kifold.core.records import DERIVED, I8, I32, I64, Array, Record
from kifold.core.rulesets.edgecolor.cards import CATALOGUE_A_DIGEST, CATALOGUES, COLOURS, N_CARDS, N_EDGES

MOST_SEATS = 4
MOST_CELLS = 25
LARGEST_HAND = 15

Seat = Annotated[int, Meta(ge=0, le=MOST_SEATS - 1, description="seat; seats are numbered in turn order")]
Card = Annotated[int, Meta(ge=0, le=N_CARDS - 1, description="basic card: edge type · 4 + mark")]
Cell = Annotated[int, Meta(ge=0, le=MOST_CELLS - 1, description="row · size + column, row 0 on top")]
Flip = Annotated[int, Meta(ge=0, le=1, description="0 as in the catalogue, 1 turned by a half turn")]


class BlockerSetup(Event, frozen=True, tag=16):
    """The first seat puts a blocker on the board before the opening (003.3)."""

    seat: Seat
    cell: Cell


class Play(Event, frozen=True, tag=17):
    """A seat plays a basic card, onto an empty cell or onto another card (003.4)."""

    seat: Seat
    card: Card
    cell: Cell
    flip: Flip


class PlayBlocker(Event, frozen=True, tag=18):
    """A seat plays the blocker from its hand (duo, 003.4)."""

    seat: Seat
    cell: Cell


class Stop(Event, frozen=True, tag=19):
    """A seat leaves an extra play unused (003-6), or what it has just drawn unplayed (003-19)."""

    seat: Seat


class Draw(Event, frozen=True, tag=20):
    """Chance: the card that a seat draws from the deck."""

    seat: Seat
    card: Card


NO_SEED = N_CARDS
NAMED_A, OWN = range(2)
Hand = Annotated[tuple[Card, ...], Meta(max_length=LARGEST_HAND)]


class EdgecolorSetup(Setup, frozen=True):
    """The deal, the seed card of 4x4, and the catalogue of edge types that the cards are made of.

    A named catalogue is a table of kifold, and its digest stands here, so a log tells when that table is no longer the
    one it was played with. A catalogue of its own stands here in full.
    """

    hand_0: Hand = ()
    hand_1: Hand = ()
    hand_2: Hand = ()
    hand_3: Hand = ()
    seed: Annotated[
        int, Meta(ge=0, le=NO_SEED, description=f"card on the board at the start (4x4, seed_card); {NO_SEED}: none")
    ] = NO_SEED
    seed_cell: Annotated[int, Meta(ge=0, le=15, description="cell of the seed card")] = 5
    seed_flip: Flip = 0
    catalogue: Annotated[int, named((*CATALOGUES, "own"), "which edge types the cards have")] = NAMED_A
    catalogue_digest: Annotated[
        int, Meta(ge=0, le=(1 << 48) - 1, description="digest of the catalogue, see catalogue A")
    ] = CATALOGUE_A_DIGEST
    edges: Annotated[
        tuple[Annotated[int, named(COLOURS)], ...],
        Meta(max_length=N_EDGES, description="with a catalogue of its own: N, E, S, W of the 12 edge types, ascending"),
    ] = ()


BLOCKER = N_CARDS
NOTHING = N_CARDS + 1
NO_CARD = N_CARDS
NO_CELL = -1
FREE = 4
"""What faces a side where no colour does: a blocker, the deck, an empty cell or the border."""

# What the match waits for.
PHASES = (
    *("placing_blockers", "turn", "extra_turn", "drawn_card"),
    *("penalty_due", "black_last_due", "stuck_due", "over"),
)
PLACING_BLOCKERS, TURN, EXTRA_TURN, DRAWN_CARD, PENALTY_DUE, BLACK_LAST_DUE, STUCK_DUE, OVER = range(len(PHASES))


class State(Record):
    """A position. Hands are bit sets of cards, sets of cells bit sets of cells."""

    variant: I8
    seats: I8
    size: I8
    deck_cell: I8
    """Where the deck lies, or `NO_CELL`: beside the board (4x4)."""
    black_mark: I8
    extra_play: I8
    penalty: I8
    penalty_before_win: I8
    blocker_play_triggers: I8
    blocker_connects: I8
    blocker_out: I8
    blocker_opening: I8
    hard_blockers: I8
    centre_opens: I8
    stack_needs_neighbour: I8
    drawn_card: I8
    solo_stuck: I8
    edges: Annotated[list[int], Array("i1", N_EDGES)]
    """The catalogue: N, E, S, W of edge type t at 4·t …."""
    hands: Annotated[list[int], Array("i8", MOST_SEATS)]
    blocker_in_hand: Annotated[list[int], Array("i1", MOST_SEATS)]
    unseen: I64
    """The cards that nobody has seen: those of the deck, and in solo those out of the game."""
    deck: I8
    """How many cards the deck has."""
    tops: Annotated[list[int], Array("i1", MOST_CELLS)]
    """Per cell the card on top, `BLOCKER`, or `NOTHING`. A card that is covered plays no part any more."""
    flips: I32
    """The cells whose top card is turned."""
    opened: I8
    """Whether the opening card, the first basic card on the board, has been laid."""
    seat: I8
    """Whose turn it is."""
    phase: I8
    draws: I8
    """How many penalty draws are due."""
    earned: I8
    """Whether the play that is being settled has earned an extra play."""
    drawn: I8
    """The card that a stuck seat drew and plays now, or `NO_CARD`."""
    blockers_to_place: I8
    played: Annotated[list[int], Array("i1", MOST_SEATS)]
    outcome: I8
    """Solo: 0 failure, 1 success, 2 great success."""

    hand_sizes: Annotated[list[int], Array("i1", MOST_SEATS), DERIVED]
    """Cards in hand, the blocker included."""
    cards: Annotated[I32, DERIVED]
    """The cells with a basic card on top."""
    blockers: Annotated[I32, DERIVED]
    covered: Annotated[I8, DERIVED]
    """How many cells have something on them."""
    facing: Annotated[list[int], Array("i1", 4 * MOST_CELLS), DERIVED]
    """Which colour touches each side of a cell, or `FREE`: N, E, S, W of cell c at 4·c …."""
    turnable: Annotated[I64, DERIVED]
    """The cards that look different after a half turn."""
    fitting: Annotated[list[int], Array("i8", 2 * 4 * 5), DERIVED]
    """The cards whose side fits beside a colour: (flip · 4 + side) · 5 + colour, `FREE` included."""
    places: Annotated[list[int], Array("i8", 2 * MOST_CELLS), DERIVED]
    """The cards that may be laid on a cell, whoever holds them: 2 · cell + flip. See `places.py`."""


class Result(Record):
    """How a match ended per seat (003.4): −1 for each card left in hand; solo: 0, 1 or 2 (003.5)."""

    rank: Annotated[list[int], Array("i1", MOST_SEATS)]
    score: Annotated[list[int], Array("i1", MOST_SEATS)]
    cards_left: Annotated[list[int], Array("i1", MOST_SEATS)]
    played: Annotated[list[int], Array("i1", MOST_SEATS)]
