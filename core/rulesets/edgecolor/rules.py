"""The rules of edgecolor, as the rule text has them. Rule file edgecolor.md, 003.2–003.5.

What speaks against a cell stands in `places.py`, what follows a play or a draw in `turns.py`, the deal in `deal.py`.
"""

from __future__ import annotations

from kifold.core.bits import lowest_bit
from kifold.core.emit import EventRecord, Out, slot
from kifold.core.events import tag_of
from kifold.core.names import LEGAL
from kifold.core.ruleset import CHANCE, NOBODY
from kifold.core.rulesets.edgecolor.board import CROSS, RING, matches
from kifold.core.rulesets.edgecolor.declaration import (
    DRAWN_CARD,
    EXTRA_TURN,
    NO_CARD,
    NOTHING,
    OVER,
    PENALTY_DUE,
    PLACING_BLOCKERS,
    STUCK_DUE,
    BlockerSetup,
    Draw,
    Play,
    PlayBlocker,
    State,
    Stop,
)
from kifold.core.rulesets.edgecolor.names import (
    BLOCKERS_TO_PLACE,
    CARD_SEEN,
    CELL_TAKEN,
    DECK_CELL,
    DRAW_DUE,
    HARD,
    LAST_CARD_BLACK,
    MATCH_OVER,
    MAY_STOP,
    MUST_PLAY_DRAWN_CARD,
    NO_BLOCKER_TO_PLACE,
    NO_DRAW_DUE,
    NOT_AROUND_DECK,
    NOT_IN_HAND,
    NOT_YOUR_TURN,
    OFF_BOARD,
    ON_CROSS,
    OPTIONAL,
    STACKED,
    STOP_NOT_ALLOWED,
    WRONG_DRAWER,
)
from kifold.core.rulesets.edgecolor.places import (
    blocker_cells,
    has_place_at,
    is_closed,
    place_blocker,
    place_card,
    why_no_place,
    why_nothing_there,
)
from kifold.core.rulesets.edgecolor.turns import (
    draw,
    next_seat,
    playable,
    settle_play,
    start_turn,
    why_not_blocker,
)

BLOCKER_SETUP, PLAY, PLAY_BLOCKER = tag_of(BlockerSetup), tag_of(Play), tag_of(PlayBlocker)
STOP, DRAW = tag_of(Stop), tag_of(Draw)


def check(state: State, event: EventRecord) -> int:
    """Why the event is refused."""
    if state.phase == OVER:
        return MATCH_OVER
    if event.tag == DRAW:
        return why_not_draw(state, event.seat, event.card)
    if is_draw_due(state):
        return DRAW_DUE
    if event.tag == BLOCKER_SETUP:
        reason = why_not_blocker_setup(state, event.cell)
    elif event.tag == STOP:
        reason = LEGAL if may_stop(state) else STOP_NOT_ALLOWED
    elif state.phase == PLACING_BLOCKERS:
        reason = BLOCKERS_TO_PLACE
    elif event.tag == PLAY:
        reason = why_not_play(state, event.seat, event.card, event.cell, event.flip)
    else:
        reason = why_not_play_blocker(state, event.seat, event.cell)
    if reason != LEGAL:
        return reason
    return LEGAL if event.seat == state.seat else NOT_YOUR_TURN


def is_draw_due(state: State) -> bool:
    """Whether a card has to be drawn: a penalty, for a black mark left alone, or because the seat is stuck."""
    return PENALTY_DUE <= state.phase <= STUCK_DUE


def why_not_draw(state: State, seat: int, card: int) -> int:
    """A draw that is due, of a card that nobody has seen, by the seat whose turn it is."""
    if not is_draw_due(state):
        return NO_DRAW_DUE
    if not state.unseen >> card & 1:
        return CARD_SEEN
    return LEGAL if seat == state.seat else WRONG_DRAWER


def why_not_blocker_setup(state: State, cell: int) -> int:
    """Before the opening: a free cell of the board; in hard mode around the deck (003-11)."""
    if not state.blockers_to_place:
        return NO_BLOCKER_TO_PLACE
    if cell >= state.size * state.size:
        return OFF_BOARD
    if is_closed(state, cell):
        return DECK_CELL
    if state.tops[cell] != NOTHING:
        return CELL_TAKEN
    if not blocker_setup_cells(state) >> cell & 1:
        return NOT_AROUND_DECK
    return LEGAL


def blocker_setup_cells(state: State) -> int:
    """The cells where the first seat may put a blocker."""
    cells = blocker_cells(state)
    if state.variant != HARD:
        return cells
    return cells & (CROSS if state.hard_blockers == ON_CROSS else RING)


def why_not_play(state: State, seat: int, card: int, cell: int, flip: int) -> int:
    """A card of one's hand, on a cell where its sides and its mark fit (003.4 a–f)."""
    if not state.hands[seat] >> card & 1:
        return NOT_IN_HAND
    if state.phase == DRAWN_CARD and seat == state.seat and card != state.drawn:
        return MUST_PLAY_DRAWN_CARD
    if not has_place_at(state, card, cell, flip):
        return why_no_place(state, card, cell, flip)
    if not playable(state, seat) >> card & 1:
        return LAST_CARD_BLACK
    return LEGAL


def why_not_play_blocker(state: State, seat: int, cell: int) -> int:
    """A blocker goes anywhere: onto a free cell, connected or not, or onto any card (003-14)."""
    reason = why_not_blocker(state, seat)
    if reason != LEGAL:
        return reason
    if state.phase == DRAWN_CARD and seat == state.seat:
        return MUST_PLAY_DRAWN_CARD
    return why_nothing_there(state, cell)


def may_stop(state: State) -> bool:
    """An extra play may be left unused (003-6), a drawn card only where the option says so (003-19)."""
    if state.phase == EXTRA_TURN:
        return state.extra_play == OPTIONAL
    return state.phase == DRAWN_CARD and state.drawn_card == MAY_STOP


def apply(state: State, event: EventRecord) -> int:
    """Do what the event says, and what the rules make of it."""
    if event.tag == DRAW:
        return draw(state, event)
    if event.tag == BLOCKER_SETUP:
        place_blocker(state, event.cell)
        state.blockers_to_place -= 1
        return start_turn(state, 0) if state.blockers_to_place == 0 else 0
    if event.tag == STOP:
        state.drawn = NO_CARD
        return start_turn(state, next_seat(state))
    return play(state, event)


def play(state: State, event: EventRecord) -> int:
    """A card or a blocker goes from the hand onto the board."""
    seat, cell = event.seat, event.cell
    effects = STACKED if state.cards >> cell & 1 else 0
    state.hand_sizes[seat] -= 1
    state.played[seat] += 1
    if event.tag == PLAY_BLOCKER:
        state.blocker_in_hand[seat] = 0
        place_blocker(state, cell)
        return effects | settle_play(state, cell, 0, True)
    state.hands[seat] &= ~(1 << event.card)
    found = matches(state, event.card, cell, event.flip)
    place_card(state, event.card, cell, event.flip)
    return effects | settle_play(state, cell, found, False)


def turn(state: State) -> int:
    """The seat whose turn it is; chance while a draw is due."""
    if state.phase == OVER:
        return NOBODY
    return CHANCE if is_draw_due(state) else state.seat


def phase(state: State) -> int:
    """What the match waits for (003.4)."""
    phase: int = state.phase
    return phase


def actor(state: State, event: EventRecord) -> int:
    """The seat that the event names; a draw is chance's."""
    return CHANCE if event.tag == DRAW else event.seat


def legal(state: State, seat: int, out: Out) -> int:
    """What a seat may do; out of turn, and while a draw is due, what it could play on a turn of its own.

    For chance: the draws that may turn up, one for each card that nobody has seen.
    """
    if state.phase == OVER:
        return 0
    if seat == CHANCE:
        return list_draws(state, out)
    is_own_turn = seat == state.seat and not is_draw_due(state)
    if is_own_turn and state.phase == PLACING_BLOCKERS:
        return list_blockers(state, BLOCKER_SETUP, seat, blocker_setup_cells(state), out, 0)
    if is_own_turn and state.phase == DRAWN_CARD:
        n = list_plays(state, seat, 1 << state.drawn, out)
    else:
        n = list_plays(state, seat, playable(state, seat), out)
        if why_not_blocker(state, seat) == LEGAL:
            n = list_blockers(state, PLAY_BLOCKER, seat, blocker_cells(state), out, n)
    if is_own_turn and may_stop(state):
        event = slot(out, n)
        event.tag = STOP
        event.seat = seat
        n += 1
    return n


def list_draws(state: State, out: Out) -> int:
    """Every card that nobody has seen, if a draw is due."""
    n = 0
    cards = state.unseen if is_draw_due(state) else 0
    while cards:
        event = slot(out, n)
        event.tag = DRAW
        event.seat = state.seat
        event.card = lowest_bit(cards)
        cards &= cards - 1
        n += 1
    return n


def list_blockers(state: State, tag: int, seat: int, cells: int, out: Out, n: int) -> int:
    """Append a blocker on each of these cells to `out`, from number n on; the new number."""
    for cell in range(state.size * state.size):
        if cells >> cell & 1:
            event = slot(out, n)
            event.tag = tag
            event.seat = seat
            event.cell = cell
            n += 1
    return n


def list_plays(state: State, seat: int, cards: int, out: Out) -> int:
    """Every place of each of these cards."""
    n = 0
    for cell in range(state.size * state.size):
        for flip in range(2):
            found = state.places[2 * cell + flip] & cards
            while found:
                event = slot(out, n)
                event.tag = PLAY
                event.seat = seat
                event.card = lowest_bit(found)
                event.cell = cell
                event.flip = flip
                found &= found - 1
                n += 1
    return n
