"""How a match begins: the deal, the catalogue and the seed card, drawn by chance and checked (003.1, 003.3, 003.5)."""

from __future__ import annotations

from kifold.core.bits import count_bits, nth_bit
from kifold.core.emit import EventRecord
from kifold.core.names import LEGAL
from kifold.core.rng import Random, below
from kifold.core.rulesets.edgecolor.board import lay_card, set_fitting, set_fitting_of_a
from kifold.core.rulesets.edgecolor.cards import (
    ALL_CARDS,
    BASIC_CARDS,
    BLACK_CARDS,
    CATALOGUE_A,
    CATALOGUE_A_DIGEST,
    N_CARDS,
    N_EDGES,
    N_TYPES,
    table_digest,
)
from kifold.core.rulesets.edgecolor.declaration import (
    FREE,
    MOST_CELLS,
    MOST_SEATS,
    NAMED_A,
    NO_CARD,
    NO_CELL,
    NO_SEED,
    NOTHING,
    PLACING_BLOCKERS,
    State,
)
from kifold.core.rulesets.edgecolor.names import (
    BLACK_MARK_IN_SOLO,
    CARD_TWICE,
    CATALOGUE_DIFFERS,
    CATALOGUE_INCOMPLETE,
    DUO,
    EDGES_NOT_ASCENDING,
    EDGES_NOT_CANONICAL,
    FLIP_NOT_CANONICAL,
    FOUR_BY_FOUR,
    HARD,
    NO_DECK,
    SEED_MISSING,
    SEED_NOT_PLAYED,
    SIZE,
    SOLO,
    STANDARD,
    WRONG_HAND_SIZE,
    WRONG_NUMBER_OF_HANDS,
)
from kifold.core.rulesets.edgecolor.places import note_all_places
from kifold.core.rulesets.edgecolor.turns import start_solo_turn, start_turn

HAND_SIZE = [0, 10, 15, 10, 8]
"""Cards per hand, by the number of seats."""
SOLO_DECK = 5


def set_up(state: State, setup: EventRecord) -> int:
    """The board empty but for the deck and a seed card, the hands dealt; the first seat begins."""
    reason = why_no_seats(setup)
    if reason == LEGAL:
        reason = take_catalogue(state, setup)
    if reason != LEGAL:
        return reason
    set_board(state, setup)
    reason = take_hands(state, setup)
    if reason != LEGAL:
        return reason
    reason = take_seed(state, setup)
    if reason != LEGAL:
        return reason
    state.deck = deck_size(state, setup)
    note_all_places(state)
    if state.blockers_to_place:
        state.phase = PLACING_BLOCKERS
    elif state.variant == SOLO:
        start_solo_turn(state)
    else:
        start_turn(state, 0)
    return LEGAL


def why_no_seats(setup: EventRecord) -> int:
    """Duo is for two seats, solo for one, the others for two to four."""
    fewest = 1 if setup.variant == SOLO else 2
    most = 1 if setup.variant == SOLO else 2 if setup.variant == DUO else MOST_SEATS
    return LEGAL if fewest <= setup.seats <= most else WRONG_NUMBER_OF_HANDS


def take_catalogue(state: State, setup: EventRecord) -> int:
    """The edge types: a named table, or one that the setup brings along."""
    if setup.n_edges != (0 if setup.catalogue == NAMED_A else N_EDGES):
        return CATALOGUE_INCOMPLETE
    if setup.catalogue == NAMED_A:
        if setup.catalogue_digest != CATALOGUE_A_DIGEST:
            return CATALOGUE_DIFFERS
        for i in range(N_EDGES):
            state.edges[i] = CATALOGUE_A[i]
        return LEGAL
    for i in range(N_EDGES):
        state.edges[i] = setup.edges[i]
    before = -1
    for edge_type in range(N_TYPES):
        at = edge_type * 4
        north, east, south, west = state.edges[at], state.edges[at + 1], state.edges[at + 2], state.edges[at + 3]
        upright, turned = sides_number(north, east, south, west), sides_number(south, west, north, east)
        if turned < upright:
            return EDGES_NOT_CANONICAL
        if upright <= before:
            return EDGES_NOT_ASCENDING
        before = upright
    return LEGAL if setup.catalogue_digest == table_digest(state.edges) else CATALOGUE_DIFFERS


def sides_number(north: int, east: int, south: int, west: int) -> int:
    """Four colours as one number, in their order."""
    return north << 6 | east << 4 | south << 2 | west


def set_board(state: State, setup: EventRecord) -> None:
    """An empty board, and how it is played on."""
    state.variant = setup.variant
    state.seats = setup.seats
    state.size = SIZE[setup.variant]
    state.deck_cell = NO_CELL if setup.variant == FOUR_BY_FOUR else state.size * state.size // 2
    state.black_mark = setup.black_mark
    state.extra_play = setup.extra_play
    state.penalty = setup.penalty
    state.penalty_before_win = setup.penalty_before_win
    state.blocker_play_triggers = setup.blocker_play_triggers
    state.blocker_connects = setup.blocker_connects
    state.blocker_out = setup.blocker_out
    state.blocker_opening = setup.blocker_opening
    state.hard_blockers = setup.hard_blockers
    state.centre_opens = 1 if setup.variant == SOLO else setup.centre_opens
    state.stack_needs_neighbour = setup.stack_needs_neighbour
    state.drawn_card = setup.drawn_card
    state.solo_stuck = setup.solo_stuck
    state.drawn = NO_CARD
    for cell in range(MOST_CELLS):
        state.tops[cell] = NOTHING
    for side in range(4 * MOST_CELLS):
        state.facing[side] = FREE
    if setup.catalogue == NAMED_A:
        set_fitting_of_a(state)
    else:
        set_fitting(state)
    state.blockers_to_place = 2 if setup.variant == HARD else 1 if setup.variant == STANDARD else 0


def take_hands(state: State, setup: EventRecord) -> int:
    """The dealt hands, each of the size that goes with the number of seats, every card once."""
    reason = take_hand(state, setup, 0, setup.hand_0, setup.n_hand_0)
    if reason == LEGAL:
        reason = take_hand(state, setup, 1, setup.hand_1, setup.n_hand_1)
    if reason == LEGAL:
        reason = take_hand(state, setup, 2, setup.hand_2, setup.n_hand_2)
    if reason == LEGAL:
        reason = take_hand(state, setup, 3, setup.hand_3, setup.n_hand_3)
    if reason != LEGAL:
        return reason
    dealt = dealt_cards(state)
    if setup.variant == SOLO and dealt & BLACK_CARDS:
        return BLACK_MARK_IN_SOLO
    state.unseen = (ALL_CARDS if setup.variant != SOLO else BASIC_CARDS) & ~dealt
    return LEGAL


def take_hand(state: State, setup: EventRecord, seat: int, cards: list[int], count: int) -> int:
    """The first `count` of these cards are a seat's hand."""
    if seat >= setup.seats:
        return WRONG_NUMBER_OF_HANDS if count else LEGAL
    if count != HAND_SIZE[setup.seats]:
        return WRONG_HAND_SIZE
    hand, dealt = 0, dealt_cards(state)
    for i in range(count):
        card = 1 << cards[i]
        if dealt & card:
            return CARD_TWICE
        dealt |= card
        hand |= card
    state.hands[seat] = hand
    state.hand_sizes[seat] = count
    if setup.variant == DUO:
        state.blocker_in_hand[seat] = 1
        state.hand_sizes[seat] += 1
    return LEGAL


def dealt_cards(state: State) -> int:
    """The cards of all hands."""
    return state.hands[0] | state.hands[1] | state.hands[2] | state.hands[3]


def take_seed(state: State, setup: EventRecord) -> int:
    """The card on the board at the start, where that is played (003-23)."""
    if setup.variant != FOUR_BY_FOUR or not setup.seed_card:
        return LEGAL if setup.seed == NO_SEED else SEED_NOT_PLAYED
    if setup.seed == NO_SEED:
        return SEED_MISSING
    if not state.unseen >> setup.seed & 1:
        return CARD_TWICE
    if setup.seed_flip and not state.turnable >> setup.seed & 1:
        return FLIP_NOT_CANONICAL
    state.unseen &= ~(1 << setup.seed)
    lay_card(state, setup.seed, setup.seed_cell, setup.seed_flip)
    state.opened = 1
    return LEGAL


def deck_size(state: State, setup: EventRecord) -> int:
    """All cards not dealt; solo's five; none on 4×4 where the deck counts as empty (003-21)."""
    if setup.variant == SOLO:
        return SOLO_DECK
    if setup.variant == FOUR_BY_FOUR and setup.deck_4x4 == NO_DECK:
        return 0
    left: int = N_CARDS - setup.seats * HAND_SIZE[setup.seats] - state.opened
    return left


def chance(setup: EventRecord, random: Random) -> None:
    """Deal the hands, and where it is played turn up the seed card; its place stays as the setup has it."""
    left = BASIC_CARDS if setup.variant == SOLO else ALL_CARDS
    size = HAND_SIZE[setup.seats]
    setup.n_hand_0 = size
    setup.n_hand_1 = size if setup.seats > 1 else 0
    setup.n_hand_2 = size if setup.seats > 2 else 0
    setup.n_hand_3 = size if setup.seats > 3 else 0
    n_left = count_bits(left)
    for seat in range(setup.seats):
        for i in range(size):
            card = nth_bit(left, below(random, n_left))
            left &= ~(1 << card)
            n_left -= 1
            if seat == 0:
                setup.hand_0[i] = card
            elif seat == 1:
                setup.hand_1[i] = card
            elif seat == 2:
                setup.hand_2[i] = card
            else:
                setup.hand_3[i] = card
    if setup.variant == FOUR_BY_FOUR and setup.seed_card:
        setup.seed = nth_bit(left, below(random, n_left))
