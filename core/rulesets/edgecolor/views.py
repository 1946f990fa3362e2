"""What a seat may see: its own hand, the sizes of hands and deck, the board; a spectator sees no hand.

What a seat does not hold and has not seen on the board is one set of cards, whether they are in another hand or in the
deck. The end of a match opens nothing: the hands are counted, not shown.
"""

from __future__ import annotations

import msgspec

from kifold.core.events import Event, Started, kind_of
from kifold.core.ruleset import SPECTATOR, Hidden
from kifold.core.rulesets.edgecolor.cards import N_CARDS, card_text
from kifold.core.rulesets.edgecolor.declaration import MOST_SEATS, NO_CARD, Draw, EdgecolorSetup, State
from kifold.core.rulesets.edgecolor.picture import picture
from kifold.core.scene import Scene


def hide_event(started: Started, event: Event, seat: int) -> Event | Hidden:
    """The event as a seat sees it. A drawn card is seen by its drawer only; everything else happens on the table."""
    if isinstance(event, Draw) and event.seat != seat:
        return Hidden(kind_of(Draw), event.seat)
    return event


def hide_setup(started: Started, setup: EdgecolorSetup, seat: int) -> EdgecolorSetup:
    """The setup without the other hands, whose sizes follow from variant and seats."""
    hidden = {f"hand_{other}": () for other in range(MOST_SEATS) if other != seat}
    return msgspec.structs.replace(setup, **hidden)


def hide_state(started: Started, state: State, seat: int, is_over: bool) -> State:
    """The position as a seat sees it: other hands keep their sizes, their cards count as unseen.

    It is the same for every way in which the unseen cards may lie in the other hands and the deck. Asked for the seat
    itself, and for whatever needs no hand, the rules say of it what they say of the true position.
    """
    seen = state.copy()
    for other in range(MOST_SEATS):
        if other != seat:
            seen.unseen |= seen.hands[other]
            seen.hands[other] = 0
    if state.seat != seat:
        seen.drawn = NO_CARD
    return seen


def seat_picture(started: Started, state: State, seat: int, is_over: bool) -> Scene:
    """The picture, which shows no hand, with the seat's own hand in the legend."""
    scene = picture(started, hide_state(started, state, seat, is_over))
    if seat != SPECTATOR:
        hand = [card_text(state.edges, card, 0) for card in range(N_CARDS) if state.hands[seat] >> card & 1]
        if state.blocker_in_hand[seat]:
            hand.append("blocker")
        scene.legend.insert(state.seats, f"seat {seat} holds {' '.join(hand) or 'nothing'}")
    return scene
