"""What a seat may see: its own hand, the sizes of hands and deck, the board; seat −1, a spectator, sees no hand.

Pure functions from what happened to what may be told of it. What a seat does not hold and has not seen on the board is
one set of cards, whether they are in another hand or in the deck.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from kifold.core.events import Event, Started, kind_of
from kifold.core.rulesets.edgecolor.cards import N_CARDS, card_text
from kifold.core.rulesets.edgecolor.declaration import MOST_SEATS, NO_CARD, Draw, EdgecolorSetup, State
from kifold.core.rulesets.edgecolor.picture import picture
from kifold.core.scene import Scene

SPECTATOR = -1


@dataclass(frozen=True, slots=True)
class Hidden:
    """What may be told of an event instead of the event itself: its word and whose it was."""

    kind: str
    seat: int


def hide_event(started: Started, event: Event, seat: int) -> Event | Hidden:
    """The event as a seat sees it. A drawn card is seen by its drawer only; everything else happens on the table."""
    if isinstance(event, Draw) and event.seat != seat:
        return Hidden(kind_of(Draw), event.seat)
    return event


def hide_setup(started: Started, setup: EdgecolorSetup, seat: int) -> EdgecolorSetup:
    """The setup without the other hands, whose sizes follow from variant and seats."""
    hidden = {f"hand_{other}": () for other in range(MOST_SEATS) if other != seat}
    return msgspec.structs.replace(setup, **hidden)


def hide_state(started: Started, state: State, seat: int) -> State:
    """The position as a seat sees it: other hands keep their sizes, their cards count as unseen.

    The same for every way in which the unseen cards may lie in the other hands and the deck. In such a state `legal`
    for the seat itself, and for all the cells and blockers that are public, says the same as in the true one.
    """
    seen = state.copy()
    for other in range(MOST_SEATS):
        if other != seat:
            seen.unseen |= seen.hands[other]
            seen.hands[other] = 0
    if state.seat != seat:
        seen.drawn = NO_CARD
    return seen


def seat_picture(started: Started, state: State, seat: int) -> Scene:
    """The picture with the seat's own hand in the legend."""
    scene = picture(started, hide_state(started, state, seat))
    if seat != SPECTATOR:
        hand = [card_text(state.edges, card, 0) for card in range(N_CARDS) if state.hands[seat] >> card & 1]
        if state.blocker_in_hand[seat]:
            hand.append("blocker")
        scene.legend.insert(state.seats, f"seat {seat} holds {' '.join(hand) or 'nothing'}")
    return scene
