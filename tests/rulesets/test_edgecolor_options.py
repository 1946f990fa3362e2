"""Every option of 003.9: a position in which its readings differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from kifold.core.events import Event
from kifold.core.play import Play
from kifold.core.ruleset import CHANCE, NOBODY
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.edgecolor.declaration import BlockerSetup, Draw, PlayBlocker, Stop
from kifold.core.rulesets.edgecolor.declaration import Play as PlayCard
from tests.rulesets.edgecolor_cases import BLOCK, Item, Position, Table, bits, card, cards, full_board, layout, put
from tests.rulesets.harness import started_with_chance

SPARE = cards("3K21/3", "12K3/3")
CORNER = layout(4, b1="12K3/2", a2="1K23/2", c1="2K13/2", d4="12K3/3")
"""a1 touches 3 to the east and 1 to the south: 231K has two matches there."""
MISFITS = [number for number in range(48) if number % 4 == 1][:8]
"""Nowhere to be laid on a full board of marks 1 and 3."""


def table(variant: str, hands: Sequence[Sequence[int]], board: dict[int, list[Item]], **more: Any) -> Table:
    options = {name: more.pop(name) for name in [*more] if name in {option.name for option in EDGECOLOR.options}}
    return Table(Position(variant, hands, board, options, **more))


def test_the_first_value_of_each_is_the_default_and_all_have_a_reading() -> None:
    expected = {
        "black_mark": ("both", "cover_only"),
        "extra_play": ("optional", "mandatory", "full_turn"),
        "penalty": ("per_source", "once"),
        "penalty_before_win": (True, False),
        "blocker_play_triggers": (True, False),
        "blocker_connects": (True, False),
        "blocker_out": ("allowed", "forbidden"),
        "blocker_opening": ("forbidden", "allowed"),
        "hard_blockers": ("ring8", "cross4"),
        "centre_opens": (True, False),
        "stack_needs_neighbour": (True, False),
        "drawn_card": ("must", "may"),
        "deck_4x4": ("draw", "none"),
        "seed_card": (False, True),
        "solo_stuck": ("draw", "failure"),
    }
    assert {option.name: option.values for option in EDGECOLOR.options} == expected
    assert all(len(option.readings) == len(option.values) for option in EDGECOLOR.options)
    for variant in EDGECOLOR.variants:
        assert EDGECOLOR.start(variant.name).options == {name: values[0] for name, values in expected.items()}


@pytest.mark.parametrize(("value", "reason"), [("both", ""), ("cover_only", "mark_mismatch")])
def test_black_mark(value: str, reason: str) -> None:
    """003-3: whether any card covers a black mark."""
    board = layout(4, b1="123K/K", c1="13K2/3")  # b1 touches 2 to the east, c1 touches 2 to the west
    t = table("4x4", [cards("K213/2", "K213/K", "321K/K"), SPARE], board, black_mark=value)
    assert t.why(put(0, "K213/2", "b1", 4)) == reason
    assert t.why(put(0, "K213/K", "b1", 4)) == ""
    assert t.why(put(0, "1K32/K", "c1", 4)) == ""


def test_extra_play() -> None:
    """003-6."""

    def after(value: str, hand: Sequence[str], deck: int = 5) -> tuple[Table, set[str]]:
        t = table("4x4", [cards(*hand), SPARE], CORNER, extra_play=value, deck=deck)
        return t, t.do(put(0, "231K/1", "a1", 4))[0]

    hand = ["231K/1", "K123/2", "K321/2"]
    for value, may_stop in (("optional", True), ("mandatory", False), ("full_turn", False)):
        t, effects = after(value, hand)
        assert effects == {"extra_play"}
        assert (t.turn, Stop(0) in t.legal()) == (0, may_stop)
        assert t.why(Stop(0)) == ("" if may_stop else "stop_not_allowed")

    # Without a legal play: the turn ends, or it is a stuck turn like any other.
    board = CORNER | {cell: stack for cell, stack in full_board(4).items() if cell not in CORNER and cell != 0}
    laid = {stack[0][0] for stack in CORNER.values()}
    free = iter(n for n in range(48) if n % 4 in {0, 2} and n not in laid and n != card("231K/1")[0])
    board = {cell: stack if cell in CORNER else [(next(free), 0)] for cell, stack in board.items()}
    unfit = [n for n in range(48) if n % 4 == 1 and n not in laid]
    number, flip = card("231K/1")
    for value in ("optional", "mandatory", "full_turn"):
        probe = table("4x4", [[number, *unfit], [3, 7]], board, deck=0)
        kept = [n for n in unfit if not probe.cells(0, n)][:2]
        t = table("4x4", [[number, *kept], [3, 7]], board, extra_play=value, deck=4)
        effects = t.do(PlayCard(0, number, 0, flip))[0]
        if value == "full_turn":
            assert effects == {"extra_play", "stuck_draw"}
            assert (t.turn, t.state.seat) == (CHANCE, 0)
        else:
            assert effects >= {"extra_play", "extra_play_impossible"}
            assert t.state.seat == 1


@pytest.mark.parametrize(("value", "draws", "effects"), [
    ("per_source", 3, {"stacked", "penalty_blocker", "penalty_deck"}),
    ("once", 1, {"stacked", "penalty_blocker"}),
])  # fmt: skip
def test_penalty(value: str, draws: int, effects: set[str]) -> None:
    """003-9."""
    board = layout(5, c2="123K/1", b2=BLOCK, d2=BLOCK)
    t = table("hard", [cards("13K2/1", "K321/2"), SPARE], board, penalty=value, deck=9)
    assert t.do(put(0, "13K2/1", "c2"))[0] == effects
    assert t.state.draws == draws


@pytest.mark.parametrize(("value", "effects"), [(True, {"penalty_blocker"}), (False, {"won"})])
def test_penalty_before_win(value: bool, effects: set[str]) -> None:
    """003-8."""
    board = layout(4, b1="123K/1", a1=BLOCK)
    t = table("4x4", [cards("321K/1"), SPARE], board, penalty_before_win=value, deck=5)
    assert t.do(put(0, "321K/1", "a2", 4))[0] == effects
    assert t.turn == (CHANCE if value else NOBODY)


@pytest.mark.parametrize(("value", "draws"), [(True, 2), (False, 0)])
def test_blocker_play_triggers(value: bool, draws: int) -> None:
    """003-10: beside a blocker and the deck."""
    board = layout(5, c4="123K/1", b2=BLOCK)
    t = table(
        "duo", [SPARE, cards("12K3/1", "13K2/1")], board, blocker_play_triggers=value, deck=9, hand_blockers=(1, 0)
    )
    t.do(PlayBlocker(0, 7))
    assert t.state.draws == draws
    assert t.turn == (CHANCE if draws else 1)


@pytest.mark.parametrize(("value", "reason"), [(True, ""), (False, "not_connected")])
def test_blocker_connects(value: bool, reason: str) -> None:
    """003-13."""
    board = layout(5, e5="123K/2", b2=BLOCK)
    t = table("hard", [cards("123K/1", "13K2/1"), SPARE], board, blocker_connects=value)
    assert t.why(put(0, "123K/1", "a2")) == reason


def test_blocker_out() -> None:
    """003-15: a blocker left alone wins, or counts as a black mark: not playable, black-last, pass without a deck."""
    board = layout(5, c2="123K/1")
    hands = [cards("321K/1"), cards("12K3/3", "13K2/3")]
    for value, effects in (("allowed", set()), ("forbidden", {"black_last"})):
        t = table("duo", hands, board, blocker_out=value, deck=6, hand_blockers=(1, 0))
        assert t.do(put(0, "321K/1", "c1"))[0] == effects
        if value == "forbidden":
            black, other = (next(n for n in bits(t.state.unseen) if n % 4 == mark) for mark in (3, 0))
            assert t.do(Draw(0, black))[0] == set()
            assert t.turn == CHANCE
            t.do(Draw(0, other))
            assert t.turn == 1
    for value, effects in (("allowed", {"won"}), ("forbidden", set())):
        t = table("duo", [[], hands[1]], board, blocker_out=value, deck=0, hand_blockers=(1, 0), turn=0)
        if effects:
            assert t.do(PlayBlocker(0, 0))[0] == effects
        else:
            assert t.turn == 1  # the first seat has been passed over
            assert t.why(PlayBlocker(0, 0)) == "last_card_black"


def test_blocker_opening() -> None:
    """003-25: the opening card still lies beside the deck afterwards."""
    for value in ("forbidden", "allowed"):
        started = EDGECOLOR.start("duo", {"blocker_opening": value})
        play = Play(EDGECOLOR, started_with_chance(EDGECOLOR, started, 1, 0))
        blockers = [event for event in play.legal() if isinstance(event, PlayBlocker)]
        assert len(blockers) == (24 if value == "allowed" else 0)
        if value == "allowed":
            assert EDGECOLOR.effects.of(play.add(PlayBlocker(0, 6))) == []
            cards_of_1: list[Event] = [event for event in play.legal() if isinstance(event, PlayCard)]
            assert {event.cell for event in cards_of_1} == {7, 11, 13, 17}


@pytest.mark.parametrize(("value", "cells"), [("ring8", {6, 7, 8, 11, 13, 16, 17, 18}), ("cross4", {7, 11, 13, 17})])
def test_hard_blockers(value: str, cells: set[int]) -> None:
    """003-11."""
    started = EDGECOLOR.start("hard", {"hard_blockers": value})
    play = Play(EDGECOLOR, started_with_chance(EDGECOLOR, started, 1, 0))
    assert set(play.legal()) == {BlockerSetup(0, cell) for cell in cells}


@pytest.mark.parametrize("value", [True, False])
def test_centre_opens(value: bool) -> None:
    """003-12."""
    board = layout(5, c2="K321/1", b2="213K/2")
    t = table("beginner", [cards("213K/1", "13K2/1"), SPARE], board, centre_opens=value, deck=1)
    assert t.why(put(1, "K312/3", "c3")) == "deck_cell"
    assert t.do(put(0, "3K21/1", "c2"))[0] == {"stacked", "penalty_deck"}
    effects = t.do(Draw(0, bits(t.state.unseen)[0]))[0]
    assert effects == {"deck_emptied", "centre_opened"} if value else {"deck_emptied"}
    assert t.why(put(1, "K312/3", "c3")) == ("" if value else "deck_cell")


@pytest.mark.parametrize(("value", "reason"), [(True, "not_connected"), (False, "")])
def test_stack_needs_neighbour(value: bool, reason: str) -> None:
    """003-5: the second card of the game on the first."""
    t = table("4x4", [cards("123K/1", "13K2/2"), SPARE], layout(4, b2="K321/1"), stack_needs_neighbour=value)
    assert t.why(put(0, "123K/1", "b2", 4)) == reason
    assert t.why(put(0, "123K/1", "d4", 4)) == "not_connected"
    assert t.why(put(0, "13K2/2", "b2", 4)) == (reason or "mark_mismatch")


@pytest.mark.parametrize(("value", "may_stop"), [("must", False), ("may", True)])
def test_drawn_card(value: str, may_stop: bool) -> None:
    """003-19."""
    t = table("4x4", [MISFITS[:2], MISFITS[2:4]], full_board(4), drawn_card=value, deck=6)
    assert t.turn == CHANCE
    fits = (n for n in bits(t.state.unseen) if any((t.state.places[i] >> n) & 1 for i in range(32)))
    number = next(fits)
    t.do(Draw(0, number))
    assert t.turn == 0
    assert (Stop(0) in t.legal()) == may_stop
    assert t.why(Stop(0)) == ("" if may_stop else "stop_not_allowed")
    if may_stop:
        t.do(Stop(0))
        assert t.state.seat == 1
        assert t.state.hands[0] >> number & 1


@pytest.mark.parametrize(("value", "deck"), [("draw", 18), ("none", 0)])
def test_deck_4x4(value: str, deck: int) -> None:
    """003-21: without a deck a stuck seat is passed over."""
    started = EDGECOLOR.start("4x4", {"deck_4x4": value})
    state: Any = Play(EDGECOLOR, started_with_chance(EDGECOLOR, started, 1, 0)).state
    assert state.deck == deck
    started = EDGECOLOR.start("4x4", {"deck_4x4": value, "seed_card": True}, 3)
    state = Play(EDGECOLOR, started_with_chance(EDGECOLOR, started, 1, 0)).state
    assert state.deck == (17 if deck else 0)
    assert state.unseen.bit_count() == 17


@pytest.mark.parametrize("value", [False, True])
def test_seed_card(value: bool) -> None:
    """003-23: then the first card of a seat needs a neighbour."""
    started = EDGECOLOR.start("4x4", {"seed_card": value})
    play = Play(EDGECOLOR, started_with_chance(EDGECOLOR, started, 1, 0))
    cells = {event.cell for event in play.legal() if isinstance(event, PlayCard)}
    assert cells <= {1, 4, 6, 9} if value else cells == set(range(16))


@pytest.mark.parametrize(("value", "turn"), [("draw", CHANCE), ("failure", NOBODY)])
def test_solo_stuck(value: str, turn: int) -> None:
    """003-28."""
    board = layout(3, b1="123K/1")
    probe = table("solo", [[n for n in range(48) if n % 4 < 3 and n != card("123K/1")[0]][:10]], board, deck=5)
    unfit = [n for n in bits(probe.state.unseen | probe.state.hands[0]) if not probe.state.places[0] >> n & 1]
    unfit = [n for n in unfit if not any(probe.state.places[i] >> n & 1 for i in range(18))]
    t = table("solo", [unfit[:2]], board, deck=3, solo_stuck=value)
    assert t.turn == turn
