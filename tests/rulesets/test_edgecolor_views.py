"""What a seat may see of a match of edgecolor: nothing that depends on cards that it does not know."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kifold.core.play import Play
from kifold.core.ruleset import CHANCE, SPECTATOR, Hidden
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.edgecolor.cards import ALL_CARDS, BASIC_CARDS
from kifold.core.rulesets.edgecolor.declaration import DRAWN_CARD, NO_CARD, Draw, EdgecolorSetup, State
from kifold.core.rulesets.edgecolor.views import hide_event, hide_setup, hide_state, seat_picture
from tests.rulesets.edgecolor_cases import bits, late_position, stuck_position
from tests.rulesets.harness import random_log

VARIANTS = [variant.name for variant in EDGECOLOR.variants]


def reshuffled(state: Any, seat: int, rng: random.Random) -> Any:
    """Another world that looks the same to a seat: the cards that it does not know lie otherwise."""
    other: Any = state.copy()
    unknown = state.unseen | sum(state.hands[s] for s in range(4) if s != seat)
    cards = bits(unknown)
    rng.shuffle(cards)
    for s in range(4):
        if s != seat:
            other.hands[s] = sum(1 << cards.pop() for _ in range(state.hands[s].bit_count()))
    other.unseen = sum(1 << card for card in cards)
    if state.phase == DRAWN_CARD and state.seat != seat:
        other.drawn = bits(other.hands[state.seat])[0]
    return other


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_view_is_the_same_for_all_worlds_that_a_seat_cannot_tell_apart(variant: str) -> None:
    rng, compared = random.Random(1), 0
    for m in range(3):
        seats = EDGECOLOR.variant(variant).seats[-1]
        started, log = random_log(EDGECOLOR, EDGECOLOR.start(variant, seats=seats), 8, m)
        play = Play(EDGECOLOR, started)
        for event in log:
            play.add(event)
            for seat in (SPECTATOR, *range(seats)):
                before = play.state.copy()
                seen = hide_state(started, play.state, seat, False)
                assert play.state == before
                assert hide_state(started, reshuffled(play.state, seat, rng), seat, False) == seen
                assert_holds_no_more(play.state, seen, seat)
                compared += 1
    assert compared > 60


def assert_holds_no_more(state: State, seen: State, seat: int) -> None:
    """The own hand, all sizes, and one set of unseen cards."""
    pool = BASIC_CARDS if state.variant == VARIANTS.index("solo") else ALL_CARDS
    own = state.hands[seat] if seat >= 0 else 0
    assert [seen.hands[s] for s in range(4)] == [own if s == seat else 0 for s in range(4)]
    assert seen.hand_sizes == state.hand_sizes
    assert seen.deck == state.deck
    assert seen.tops == state.tops
    table = pool & ~state.unseen & ~sum(state.hands)  # on the board, covered or not
    assert seen.unseen == pool & ~table & ~own


def test_a_drawn_card_is_seen_by_its_drawer_only() -> None:
    started = EDGECOLOR.start("beginner", seats=3)
    draw = Draw(1, 40)
    assert hide_event(started, draw, 1) == draw
    for seat in (0, 2, SPECTATOR):
        assert hide_event(started, draw, seat) == Hidden("draw", 1)
    assert "40" not in repr(hide_event(started, draw, 0))
    looked = 0
    for seed in range(30):
        position = stuck_position("4x4", {}, 2, seed)
        play = Play(position.ruleset, position.started)
        while play.turn == CHANCE and play.state.phase != DRAWN_CARD:
            play.add(random.Random(seed).choice(play.legal()))
        if play.state.phase == DRAWN_CARD:
            drawer, looked = play.state.seat, looked + 1
            assert hide_state(position.started, play.state, drawer, False).drawn == play.state.drawn != NO_CARD
            assert hide_state(position.started, play.state, 1 - drawer, False).drawn == NO_CARD
            assert hide_state(position.started, play.state, SPECTATOR, False).drawn == NO_CARD
    assert looked


@pytest.mark.parametrize("variant", VARIANTS)
def test_everything_else_happens_on_the_table(variant: str) -> None:
    started, log = random_log(EDGECOLOR, EDGECOLOR.start(variant), 2, 0)
    for event in log:
        for seat in (SPECTATOR, 0, 1):
            shown = hide_event(started, event, seat)
            if isinstance(event, Draw) and event.seat != seat:
                assert shown == Hidden("draw", event.seat)
            else:
                assert shown == event


def test_a_setup_shows_the_own_hand_only() -> None:
    started, _ = random_log(EDGECOLOR, EDGECOLOR.start("4x4", {"seed_card": True}, 4), 2, 0)
    setup = started.setup
    seen = hide_setup(started, setup, 2)
    assert (seen.hand_0, seen.hand_1, seen.hand_2, seen.hand_3) == ((), (), setup.hand_2, ())
    assert (seen.seed, seen.catalogue_digest) == (setup.seed, setup.catalogue_digest)
    nobody = hide_setup(started, setup, SPECTATOR)
    assert nobody == EdgecolorSetup(seed=setup.seed, seed_cell=setup.seed_cell, seed_flip=setup.seed_flip)


def test_a_seat_knows_its_own_plays_from_its_view() -> None:
    for seed in range(20):
        position = late_position("duo", {}, 2, seed)
        play = Play(position.ruleset, position.started)
        for seat in range(2):
            seen = Play(position.ruleset, position.started)
            seen.state = hide_state(position.started, play.state, seat, False)
            assert seen.legal(seat) == play.legal(seat)
            assert seen.turn == play.turn


def test_pictures_show_sizes_and_at_most_the_own_hand() -> None:
    started, log = random_log(EDGECOLOR, EDGECOLOR.start("duo"), 2, 0)
    play = Play(EDGECOLOR, started)
    for event in log[:6]:
        play.add(event)
    rng = random.Random(3)
    for seat in (SPECTATOR, 0, 1):
        shown = seat_picture(started, play.state, seat, False)
        assert seat_picture(started, reshuffled(play.state, seat, rng), seat, False) == shown
        holds = [line for line in shown.legend if " holds " in line]
        assert len(holds) == (seat != SPECTATOR)
        if holds:
            assert holds[0].startswith(f"seat {seat} holds")
            assert len(holds[0].split()) == 3 + play.state.hand_sizes[seat]
    assert EDGECOLOR.picture(started, play.state) == seat_picture(started, play.state, SPECTATOR, False)
