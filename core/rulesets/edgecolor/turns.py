"""What follows a play and a draw, step by step (003.4): penalties, win, black-last, extra play, next turn."""

from __future__ import annotations

from kifold.core.bits import count_bits
from kifold.core.emit import EventRecord
from kifold.core.names import LEGAL
from kifold.core.rulesets.edgecolor.board import beside
from kifold.core.rulesets.edgecolor.cards import BLACK, BLACK_CARDS
from kifold.core.rulesets.edgecolor.declaration import (
    BLACK_LAST_DUE,
    DRAWN_CARD,
    EXTRA_TURN,
    NO_CARD,
    NO_CELL,
    OVER,
    PENALTY_DUE,
    STUCK_DUE,
    TURN,
    State,
)
from kifold.core.rulesets.edgecolor.names import (
    BLACK_LAST,
    CENTRE_OPENED,
    DECK_EMPTIED,
    EXHAUSTED,
    EXTRA_PLAY,
    EXTRA_PLAY_IMPOSSIBLE,
    FULL_TURN,
    LAST_CARD_BLACK,
    NO_BLOCKER_IN_HAND,
    ONCE,
    OPENING_ALLOWED,
    OPENING_WITH_BLOCKER,
    OUT_FORBIDDEN,
    PENALTY_BLOCKER,
    PENALTY_DECK,
    SOLO,
    SOLO_FAILED,
    SOLO_GREAT_SUCCESS,
    SOLO_SUCCESS,
    STUCK_DRAW,
    STUCK_FAILS,
    TURN_PASSED,
    WON,
)
from kifold.core.rulesets.edgecolor.places import card_cells, has_place, note_places

ENOUGH_MATCHES = 2


def playable(state: State, seat: int) -> int:
    """The cards that a seat may play, wherever they fit: its last card only if its mark is not black (003.4 f)."""
    hand = state.hands[seat]
    return hand & ~BLACK_CARDS if state.hand_sizes[seat] == 1 else hand


def why_not_blocker(state: State, seat: int) -> int:
    """Why a seat may play no blocker, wherever it would lie."""
    if not state.blocker_in_hand[seat]:
        return NO_BLOCKER_IN_HAND
    if not state.opened and state.blocker_opening != OPENING_ALLOWED:
        return OPENING_WITH_BLOCKER
    if state.blocker_out == OUT_FORBIDDEN and state.hand_sizes[seat] == 1:
        return LAST_CARD_BLACK
    return LEGAL


def can_play(state: State, seat: int) -> bool:
    """Whether a seat has a legal play on a turn. For a blocker there is always a cell."""
    return why_not_blocker(state, seat) == LEGAL or has_place(state, playable(state, seat))


def settle_play(state: State, cell: int, matches: int, is_blocker: bool) -> int:
    """Everything that a play brings about, as far as it needs no draw. Returns the effects."""
    state.drawn = NO_CARD
    state.earned = 1 if matches >= ENOUGH_MATCHES and state.variant != SOLO else 0
    if state.hand_sizes[state.seat] == 0 and not state.penalty_before_win:
        return go_out(state)
    effects = fall_due(state, cell, is_blocker)
    return effects if state.draws else effects | settle_hand(state)


def fall_due(state: State, cell: int, is_blocker: bool) -> int:
    """Step 1: the penalty draws. Neighbouring blockers are served before the deck, where it cannot serve all."""
    state.draws = penalty_draws(state, cell, is_blocker)
    if state.draws == 0:
        return 0
    state.phase = PENALTY_DUE
    blockers = count_bits(beside(state, cell) & state.blockers)
    effects = PENALTY_BLOCKER if blockers else 0
    return effects | PENALTY_DECK if state.draws > blockers else effects


def penalty_draws(state: State, cell: int, is_blocker: bool) -> int:
    """How many draws a play costs: one for each neighbouring blocker, and beside the deck one in solo and for two.

    Or one in all (003-9); at most what the deck has.
    """
    if is_blocker and not state.blocker_play_triggers:
        return 0
    sources = count_bits(beside(state, cell) & state.blockers) if state.blockers else 0
    if state.deck_cell != NO_CELL and state.seats <= 2 and beside(state, cell) >> state.deck_cell & 1:
        sources += 1
    return min(sources, state.deck, 1) if state.penalty == ONCE else min(sources, state.deck)


def settle_hand(state: State) -> int:
    """Steps 2 and 3, after the penalties: the empty hand wins, a black mark left alone has to be joined."""
    if state.hand_sizes[state.seat] == 0:
        return go_out(state)
    if state.variant == SOLO:
        return start_solo_turn(state)
    if is_black_last(state, state.seat) and state.deck > 0:
        state.phase = BLACK_LAST_DUE
        return BLACK_LAST
    return go_on(state)


def is_black_last(state: State, seat: int) -> bool:
    """Whether a hand is one black mark; where it may not go out, a blocker counts as one (003-15)."""
    if state.hand_sizes[seat] != 1:
        return False
    return state.hands[seat] & BLACK_CARDS != 0 or (
        state.blocker_out == OUT_FORBIDDEN and state.blocker_in_hand[seat] == 1
    )


def go_on(state: State) -> int:
    """Step 4: an extra play, if one was earned and can be made; else the turn ends."""
    if not state.earned:
        return start_turn(state, next_seat(state))
    state.earned = 0
    if state.extra_play == FULL_TURN:
        return EXTRA_PLAY | start_turn(state, state.seat)
    if can_play(state, state.seat):
        state.phase = EXTRA_TURN
        return EXTRA_PLAY
    return EXTRA_PLAY | EXTRA_PLAY_IMPOSSIBLE | start_turn(state, next_seat(state))


def next_seat(state: State) -> int:
    """The seat after the one whose turn it is."""
    return (state.seat + 1) % state.seats


def start_turn(state: State, seat: int) -> int:
    """A normal turn: a seat that can play plays; stuck, it draws; without a deck the next that can play has the turn.

    The match ends when the deck is empty and no seat has a legal play (003-33).
    """
    state.seat = seat
    state.phase = TURN
    if can_play(state, seat):
        return 0
    if state.deck > 0:
        state.phase = STUCK_DUE
        return STUCK_DRAW
    for step in range(1, state.seats):
        other = (seat + step) % state.seats
        if can_play(state, other):
            state.seat = other
            return TURN_PASSED
    state.phase = OVER
    return EXHAUSTED


def start_solo_turn(state: State) -> int:
    """Solo: play if possible; stuck, draw again and again; without a deck the game is lost (003.5, 003-28)."""
    state.phase = TURN
    if has_place(state, state.hands[0]):
        return 0
    if state.deck > 0 and state.solo_stuck != STUCK_FAILS:
        state.phase = STUCK_DUE
        return STUCK_DRAW
    state.phase = OVER
    return SOLO_FAILED


def go_out(state: State) -> int:
    """Step 2: the hand is empty."""
    state.phase = OVER
    state.earned = 0
    if state.variant != SOLO:
        return WON
    is_full = state.covered == state.size * state.size
    state.outcome = 2 if is_full else 1
    return SOLO_GREAT_SUCCESS if is_full else SOLO_SUCCESS


def draw(state: State, event: EventRecord) -> int:
    """A card turns up; then what it was drawn for goes on."""
    seat, card = event.seat, event.card
    state.unseen &= ~(1 << card)
    state.hands[seat] |= 1 << card
    state.hand_sizes[seat] += 1
    state.deck -= 1
    effects = 0
    if state.deck == 0:
        effects |= DECK_EMPTIED
        if state.deck_cell != NO_CELL and state.centre_opens:
            effects |= CENTRE_OPENED
            note_places(state, card_cells(state), state.deck_cell)
    if state.phase == PENALTY_DUE:
        state.draws -= 1
        return effects if state.draws else effects | settle_hand(state)
    if state.phase == BLACK_LAST_DUE:
        is_joined = card & 3 != BLACK or state.deck == 0
        return effects | go_on(state) if is_joined else effects
    if state.variant == SOLO:
        return effects | start_solo_turn(state)
    return effects | try_drawn_card(state, card)


def try_drawn_card(state: State, card: int) -> int:
    """A stuck seat plays the card that it has just drawn (003-34); if that has no place, the turn passes."""
    if has_place(state, 1 << card):
        state.phase = DRAWN_CARD
        state.drawn = card
        return 0
    effects = start_turn(state, next_seat(state))
    return effects if effects & EXHAUSTED else effects | TURN_PASSED
