"""How a match of edgecolor stands, and what a greedy player goes by."""

from __future__ import annotations

from kifold.core.emit import EventRecord
from kifold.core.rulesets.edgecolor.board import matches
from kifold.core.rulesets.edgecolor.declaration import Result, State
from kifold.core.rulesets.edgecolor.names import SOLO
from kifold.core.rulesets.edgecolor.rules import BLOCKER_SETUP, PLAY, PLAY_BLOCKER, STOP
from kifold.core.rulesets.edgecolor.turns import ENOUGH_MATCHES, penalty_draws


def result(state: State, result: Result) -> None:
    """The fewest cards win, blockers included, and share (003-26); all others share the rank below (003-27).

    Who has gone out has none, so this holds for both ends. In solo the score is 0, 1 or 2.
    """
    fewest = state.hand_sizes[0]
    for seat in range(state.seats):
        fewest = min(fewest, state.hand_sizes[seat])
    winners = 0
    for seat in range(state.seats):
        winners += 1 if state.hand_sizes[seat] == fewest else 0
    for seat in range(state.seats):
        is_winner = state.hand_sizes[seat] == fewest
        result.rank[seat] = 1 if is_winner else winners + 1
        result.score[seat] = state.outcome if state.variant == SOLO else -state.hand_sizes[seat]
        result.cards_left[seat] = state.hand_sizes[seat]
        result.played[seat] = state.played[seat]


def gain(state: State, event: EventRecord) -> int:
    """By how many cards the decision brings its seat nearer to an empty hand at once.

    One for the play, one for an extra play that it earns, and one less for each penalty draw that it costs.
    """
    if event.tag == STOP or event.tag == BLOCKER_SETUP:
        return 0
    draws = penalty_draws(state, event.cell, event.tag == PLAY_BLOCKER)
    if event.tag == PLAY and matches(state, event.card, event.cell, event.flip) >= ENOUGH_MATCHES:
        return 2 - draws
    return 1 - draws
