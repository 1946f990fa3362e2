"""What edgecolor names: variants, options with their readings, reasons and effects. Rule file edgecolor.md."""

from __future__ import annotations

from kifold.core.names import Effects, Reasons
from kifold.core.options import Option, Variant, by_variant, variant_number

VARIANTS = (
    Variant("beginner", "5×5 around the deck, no blockers", (2, 3, 4)),
    Variant("standard", "5×5 around the deck; the first seat places one blocker before its first card", (2, 3, 4)),
    Variant("hard", "5×5 around the deck; the first seat places two blockers around the deck", (2, 3, 4)),
    Variant("duo", "5×5 around the deck, two seats, each with a blocker in hand", (2,)),
    Variant("4x4", "4×4, the deck beside the board, no blockers", (2, 3, 4)),
    Variant("solo", "3×3 around a deck of five, one seat, no black marks", (1,)),
)
STANDARD, HARD, DUO, FOUR_BY_FOUR, SOLO = (
    variant_number(VARIANTS, name) for name in ("standard", "hard", "duo", "4x4", "solo")
)
SIZE = by_variant(VARIANTS, {"beginner": 5, "standard": 5, "hard": 5, "duo": 5, "4x4": 4, "solo": 3})
"""Rows and columns of each variant's board."""

BLACK_MARK = Option(
    "black_mark",
    "003-3",
    "what a black mark means for stacking",
    ("both", "cover_only"),
    (
        "a black mark covers any card, and any card covers a black mark",
        "it covers any card, but only a black mark covers it",
    ),
)
EXTRA_PLAY_OPTION = Option(
    "extra_play",
    "003-6",
    "what two matches earn",
    ("optional", "mandatory", "full_turn"),
    (
        "another play that may be left unused; no draw",
        "another play that has to be made if possible; no draw",
        "another turn like any other, with the stuck draw",
    ),
)
PENALTY = Option(
    "penalty",
    "003-9",
    "how many penalty draws a play costs",
    ("per_source", "once"),
    ("one for each neighbouring blocker and one for the deck", "one if there is any source"),
)
PENALTY_BEFORE_WIN = Option(
    "penalty_before_win",
    "003-8",
    "whether penalties are drawn before an empty hand wins",
    (True, False),
    ("the draws belong to the play", "an emptied hand wins before any draw"),
)
BLOCKER_PLAY_TRIGGERS = Option(
    "blocker_play_triggers",
    "003-10",
    "whether playing a blocker from the hand costs penalty draws",
    (True, False),
    ("like any other play", "no draws for a blocker"),
)
BLOCKER_CONNECTS = Option(
    "blocker_connects",
    "003-13",
    "whether a card may be laid beside nothing but blockers",
    (True, False),
    ("a blocker is a neighbour too", "one neighbour has to be a basic card"),
)
BLOCKER_OUT = Option(
    "blocker_out",
    "003-15",
    "whether a blocker may be the last card played (duo)",
    ("allowed", "forbidden"),
    ("only black marks are forbidden", "a blocker left as the last card counts as a black mark"),
)
BLOCKER_OPENING = Option(
    "blocker_opening",
    "003-25",
    "whether a blocker may be played before the opening card (duo)",
    ("forbidden", "allowed"),
    ("the first card is a basic card beside the deck", "a blocker may come before it"),
)
HARD_BLOCKERS = Option(
    "hard_blockers",
    "003-11",
    "where the two blockers of hard mode go",
    ("ring8", "cross4"),
    ("on the eight cells around the deck", "on the four cells beside the deck"),
)
CENTRE_OPENS = Option(
    "centre_opens",
    "003-12",
    "whether the centre of 5×5 can be covered once the deck is gone",
    (True, False),
    ("it becomes an ordinary empty cell", "it stays closed"),
)
STACK_NEEDS_NEIGHBOUR = Option(
    "stack_needs_neighbour",
    "003-5",
    "whether a card with no neighbour may be covered",
    (True, False),
    ("stacking needs a neighbour like any play", "a lonely card may be covered"),
)
DRAWN_CARD_OPTION = Option(
    "drawn_card",
    "003-19",
    "whether a card drawn when stuck is played",
    ("must", "may"),
    ("at once, if it can be", "its seat may stop instead"),
)
DECK_4X4 = Option(
    "deck_4x4",
    "003-21",
    "what the deck beside the 4×4 board is for",
    ("draw", "none"),
    ("it is drawn from like any other", "it counts as empty"),
)
SEED_CARD = Option(
    "seed_card",
    "003-23",
    "whether 4×4 begins with a card from the deck on the board",
    (False, True),
    ("the board is empty", "the setup names the card and where it lies"),
)
SOLO_STUCK = Option(
    "solo_stuck",
    "003-28",
    "what happens in solo when no card can be played",
    ("draw", "failure"),
    ("one card is drawn, again and again while the deck lasts", "the game is lost"),
)
OPTIONS = (
    BLACK_MARK,
    EXTRA_PLAY_OPTION,
    PENALTY,
    PENALTY_BEFORE_WIN,
    BLOCKER_PLAY_TRIGGERS,
    BLOCKER_CONNECTS,
    BLOCKER_OUT,
    BLOCKER_OPENING,
    HARD_BLOCKERS,
    CENTRE_OPENS,
    STACK_NEEDS_NEIGHBOUR,
    DRAWN_CARD_OPTION,
    DECK_4X4,
    SEED_CARD,
    SOLO_STUCK,
)

# The readings that rules look for, as they see them.
COVER_ONLY = BLACK_MARK.number("cover_only")
OPTIONAL, FULL_TURN = EXTRA_PLAY_OPTION.number("optional"), EXTRA_PLAY_OPTION.number("full_turn")
ONCE = PENALTY.number("once")
OUT_FORBIDDEN = BLOCKER_OUT.number("forbidden")
OPENING_ALLOWED = BLOCKER_OPENING.number("allowed")
ON_CROSS = HARD_BLOCKERS.number("cross4")
MAY_STOP = DRAWN_CARD_OPTION.number("may")
NO_DECK = DECK_4X4.number("none")
STUCK_FAILS = SOLO_STUCK.number("failure")

REASONS = Reasons()
MATCH_OVER = REASONS.name("match_over", "003.4", "the match is over")
NOT_YOUR_TURN = REASONS.name("not_your_turn", "003.4", "it is another seat's turn")
DRAW_DUE = REASONS.name("draw_due", "003.4", "a card has to be drawn first")
NO_DRAW_DUE = REASONS.name("no_draw_due", "003.4", "no card has to be drawn")
WRONG_DRAWER = REASONS.name("wrong_drawer", "003.4", "another seat has to draw")
CARD_SEEN = REASONS.name(
    "card_seen", "003.4", "the card has been seen already, or is not in the game: it cannot be in the deck"
)
BLOCKERS_TO_PLACE = REASONS.name("blockers_to_place", "003.4", "the first seat has to place blockers first")
NO_BLOCKER_TO_PLACE = REASONS.name("no_blocker_to_place", "003.4", "no blocker has to be placed before the opening")
NO_BLOCKER_IN_HAND = REASONS.name("no_blocker_in_hand", "003.3", "the seat has no blocker in hand")
NOT_IN_HAND = REASONS.name("not_in_hand", "003.4", "the seat does not have the card")
MUST_PLAY_DRAWN_CARD = REASONS.name("must_play_drawn_card", "003-34", "only the card just drawn may be played")
OFF_BOARD = REASONS.name("off_board", "003.4 a", "the cell is off the board")
DECK_CELL = REASONS.name("deck_cell", "003.4 a", "the deck lies there, or the cell stays closed after it")
BLOCKER_THERE = REASONS.name("blocker_there", "003.4 a", "a blocker cannot be covered")
CELL_TAKEN = REASONS.name("cell_taken", "003.3", "the blocker needs a free cell")
NOT_AROUND_DECK = REASONS.name("not_around_deck", "003-11", "in hard mode the blockers go around the deck")
OPENING_NOT_BESIDE_DECK = REASONS.name("opening_not_beside_deck", "003.4 b", "the opening card goes beside the deck")
OPENING_WITH_BLOCKER = REASONS.name("opening_with_blocker", "003-25", "a blocker cannot be the opening card")
NOT_CONNECTED = REASONS.name("not_connected", "003.4 c", "no card lies beside the cell")
EDGE_MISMATCH = REASONS.name("edge_mismatch", "003.4 d", "a side of the card does not fit its neighbour")
MARK_MISMATCH = REASONS.name("mark_mismatch", "003.4 e", "the card's mark does not allow it to cover this one")
STACK_TOO_EARLY = REASONS.name("stack_too_early", "003.5", "in solo cards are covered only when four cells are")
LAST_CARD_BLACK = REASONS.name("last_card_black", "003.4 f", "the last card in hand may not be a black mark")
STOP_NOT_ALLOWED = REASONS.name("stop_not_allowed", "003.4", "there is no extra play to leave unused")
FLIP_NOT_CANONICAL = REASONS.name(
    "flip_not_canonical", "003.4", "a half turn changes nothing on this card: it is written unturned"
)
WRONG_HAND_SIZE = REASONS.name(
    "wrong_hand_size", "003.3", "a hand has too few or too many cards for the number of seats"
)
CARD_TWICE = REASONS.name("card_twice", "003.1", "a card is dealt twice")
BLACK_MARK_IN_SOLO = REASONS.name("black_mark_in_solo", "003.5", "solo is played without black marks")
WRONG_NUMBER_OF_HANDS = REASONS.name(
    "wrong_number_of_hands", "003.3", "there have to be as many hands as the variant has seats"
)
SEED_MISSING = REASONS.name("seed_missing", "003.3", "with seed_card the setup names the card on the board")
SEED_NOT_PLAYED = REASONS.name("seed_not_played", "003.3", "only 4x4 with seed_card begins with a card on the board")
CATALOGUE_INCOMPLETE = REASONS.name(
    "catalogue_incomplete", "003.1", "a catalogue of its own names the 4 sides of 12 edge types, a named one none"
)
EDGES_NOT_CANONICAL = REASONS.name(
    "edges_not_canonical", "003.1", "an edge type is written as the smaller of its two ways up"
)
EDGES_NOT_ASCENDING = REASONS.name(
    "edges_not_ascending", "003.1", "the edge types are all different and in ascending order"
)
CATALOGUE_DIFFERS = REASONS.name("catalogue_differs", "003.1", "the digest is not that of the catalogue's table")

EFFECTS = Effects()
STACKED = EFFECTS.name("stacked", "003.4 e", "the card covers another one")
PENALTY_BLOCKER = EFFECTS.name("penalty_blocker", "003.4 step 1", "draws for neighbouring blockers became due")
PENALTY_DECK = EFFECTS.name("penalty_deck", "003.4 step 1", "a draw for a cell beside the deck became due")
BLACK_LAST = EFFECTS.name(
    "black_last", "003.4 step 3", "the hand is one black mark: its seat draws until another mark turns up"
)
EXTRA_PLAY = EFFECTS.name("extra_play", "003.4 step 4", "two or more matches: the seat may play again")
EXTRA_PLAY_IMPOSSIBLE = EFFECTS.name(
    "extra_play_impossible", "003.4", "the extra play has no legal play: the turn ended"
)
STUCK_DRAW = EFFECTS.name("stuck_draw", "003.4", "the seat whose turn began has no legal play and draws")
TURN_PASSED = EFFECTS.name("turn_passed", "003.4", "a seat without a legal play was passed over")
DECK_EMPTIED = EFFECTS.name("deck_emptied", "003.4", "the last card of the deck was drawn: no more penalties")
CENTRE_OPENED = EFFECTS.name("centre_opened", "003-12", "with the deck gone the centre became an ordinary cell")
WON = EFFECTS.name("won", "003.4 step 2", "the hand is empty: its seat wins")
EXHAUSTED = EFFECTS.name("exhausted", "003.4", "no deck, and no seat has a legal play: the fewest cards win")
SOLO_FAILED = EFFECTS.name("solo_failed", "003.5", "no card can be played or drawn")
SOLO_SUCCESS = EFFECTS.name("solo_success", "003.5", "the hand is empty")
SOLO_GREAT_SUCCESS = EFFECTS.name("solo_great_success", "003.5", "the hand is empty and all nine cells are covered")
