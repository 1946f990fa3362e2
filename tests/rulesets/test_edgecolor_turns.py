"""Edgecolor turn by turn (003.3–003.5): opening, penalties, win, black-last, extra plays, stuck draws, ends, solo."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from kifold.core.events import Event
from kifold.core.play import Play
from kifold.core.ruleset import CHANCE, NOBODY
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.edgecolor.board import matches
from kifold.core.rulesets.edgecolor.declaration import BlockerSetup, Draw, PlayBlocker, Stop
from kifold.core.rulesets.edgecolor.declaration import Play as PlayCard
from tests.rulesets.edgecolor_cases import (
    BLOCK,
    Item,
    Position,
    Table,
    at,
    bits,
    build,
    card,
    cards,
    fitting_solo_board,
    full_board,
    layout,
    put,
    to_oracle,
)
from tests.rulesets.harness import random_logs, started_with_chance

BESIDE_DECK = ("c2", "b3", "d3", "c4")


def begin(variant: str, seats: int | None = None, options: dict[str, Any] | None = None, seed: int = 1) -> Play:
    started = EDGECOLOR.start(variant, options, seats)
    return Play(EDGECOLOR, started_with_chance(EDGECOLOR, started, seed, 0))


def effects_of(play: Play, event: Event) -> set[str]:
    return set(EDGECOLOR.effects.of(play.add(event)))


def reason(play: Play, event: Event) -> str:
    refused = play.why_not(event)
    assert (refused.reason if refused else "") in (build(play.started).reasons(to_oracle(event)) or {""}) or play.log
    return refused.reason if refused else ""


# Opening, blockers, draws


@pytest.mark.parametrize(("seats", "due"), [(2, 1), (3, 0), (4, 0)])
def test_opening_beside_the_deck(seats: int, due: int) -> None:
    """003.4 b; 003.7 (iv): for two it costs a draw, for more none."""
    play = begin("beginner", seats)
    number = bits(play.state.hands[0])[0]
    for name in ("a1", "b2", "e5"):
        assert reason(play, PlayCard(0, number, at(name), 0)) == "opening_not_beside_deck"
    assert reason(play, PlayCard(0, number, at("c3"), 0)) == "deck_cell"
    opening = {event.cell for event in play.legal() if isinstance(event, PlayCard)}
    assert opening == {at(name) for name in BESIDE_DECK}
    assert len(play.legal()) == 2 * 4 * play.state.hand_sizes[0]
    effects = effects_of(play, PlayCard(0, number, at("c2"), 0))
    assert effects == ({"penalty_deck"} if due else set())
    assert play.turn == (CHANCE if due else 1)
    assert play.state.draws == due


def test_while_a_draw_is_due_nothing_else_is_legal_and_no_card_appears_twice() -> None:
    play = begin("beginner")
    mine, other = bits(play.state.hands[0]), bits(play.state.hands[1])
    play.add(PlayCard(0, mine[0], at("c2"), 0))
    assert play.turn == CHANCE
    draws = play.legal()
    assert {event.card for event in draws if isinstance(event, Draw)} == set(range(48)) - {*mine, *other}
    assert len(draws) == 18
    for event in (PlayCard(1, other[0], at("b2"), 0), PlayCard(0, mine[1], at("b2"), 0), Stop(0), BlockerSetup(0, 3)):
        assert reason(play, event) == "draw_due"
    drawn = draws[0].card
    assert reason(play, Draw(1, drawn)) == "wrong_drawer"
    for seen in (mine[0], mine[1], other[0]):
        assert reason(play, Draw(0, seen)) == "card_seen"
    play.add(draws[0])
    assert play.turn == 1
    assert reason(play, draws[0]) == "no_draw_due"
    assert play.state.hands[0] >> drawn & 1


def test_opening_on_4x4_goes_anywhere_and_costs_nothing() -> None:
    play = begin("4x4", 2)
    number = bits(play.state.hands[0])[0]
    assert {event.cell for event in play.legal() if isinstance(event, PlayCard)} == set(range(16))
    assert reason(play, PlayCard(0, number, 16, 0)) == "off_board"
    assert effects_of(play, PlayCard(0, number, 5, 0)) == set()
    assert play.turn == 1


def test_standard_one_blocker_anywhere_before_the_opening() -> None:
    """003-24: mandatory, without a draw, and it does not use up the turn."""
    play = begin("standard", 3)
    number = bits(play.state.hands[0])[0]
    assert {type(event) for event in play.legal()} == {BlockerSetup}
    assert len(play.legal()) == 24
    assert reason(play, PlayCard(0, number, at("c2"), 0)) == "blockers_to_place"
    assert reason(play, BlockerSetup(0, at("c3"))) == "deck_cell"
    assert reason(play, BlockerSetup(1, at("c2"))) == "not_your_turn"
    assert effects_of(play, BlockerSetup(0, at("c2"))) == set()
    assert play.turn == 0
    assert reason(play, BlockerSetup(0, at("a1"))) == "no_blocker_to_place"
    assert reason(play, PlayCard(0, number, at("c2"), 0)) == "blocker_there"
    opening = {event.cell for event in play.legal() if isinstance(event, PlayCard)}
    assert opening == {at(name) for name in BESIDE_DECK[1:]}


def test_hard_two_blockers_around_the_deck() -> None:
    play = begin("hard", 4)
    assert {event.cell for event in play.legal()} == {6, 7, 8, 11, 13, 16, 17, 18}
    assert reason(play, BlockerSetup(0, at("a1"))) == "not_around_deck"
    play.add(BlockerSetup(0, 6))
    assert reason(play, BlockerSetup(0, 6)) == "cell_taken"
    assert len(play.legal()) == 7
    play.add(BlockerSetup(0, 8))
    assert play.turn == 0
    assert {type(event) for event in play.legal()} == {PlayCard}


def test_no_blocker_is_placed_elsewhere() -> None:
    for variant in ("beginner", "duo", "4x4", "solo"):
        assert reason(begin(variant), BlockerSetup(0, 3)) == "no_blocker_to_place"


# Where a card may lie

SPARE = cards("3K21/3", "12K3/3")


def placing(hand: Sequence[str], board: dict[int, list[Item]], **more: Any) -> Table:
    """Three seats on 5×5, so that the deck costs nothing; the others hold something."""
    others = [[card("K312/3")[0]], [card("21K3/3")[0]]]
    return Table(Position(more.pop("variant", "beginner"), [cards(*hand) + SPARE, *others], board, **more))


def test_a_card_needs_a_neighbour_and_the_deck_is_none() -> None:
    table = placing(["123K/1"], layout(a1="123K/2"))
    assert table.why(put(0, "123K/1", "c2")) == "not_connected"
    assert table.why(put(0, "123K/1", "a1")) == "not_connected"
    assert table.why(put(0, "32K1/1", "b1")) == "not_in_hand"
    assert table.why(put(0, "123K/1", "b1")) == ""  # its black west side fits 2


def test_all_touching_sides_have_to_fit() -> None:
    """003-31, 003-2: black fits everything, on the board and on the card."""
    table = placing(["123K/1"], layout(b1="2K31/2", a2="213K/2"))  # b2 touches 3 to the north and 1 to the west
    assert table.why(put(0, "123K/1", "b2")) == "edge_mismatch"  # black fits in the west, 1 not below 3
    assert table.why(put(0, "3K12/1", "b2")) == "edge_mismatch"  # 3 fits below 3, 2 not beside 1
    table = placing(["123K/1"], layout(b1="2K31/2", a2="12K3/2"))  # and now 2 to the west
    assert table.why(put(0, "3K12/1", "b2")) == ""


def test_stacking_on_an_equal_mark_or_with_black() -> None:
    """003-3, 003-4, 003-7: the edge rule stays, the sides of the covered card do not matter."""
    board = layout(c2="123K/1", b2="2K31/2", c1="31K2/K")
    hand = ["3K12/1", "13K2/1", "132K/2", "231K/2", "K123/K"]
    table = placing(hand, board)
    assert table.why(put(0, "3K12/1", "c2")) == ""
    assert table.why(put(0, "13K2/1", "c2")) == ""
    assert table.why(put(0, "132K/2", "c2")) == "mark_mismatch"
    assert table.why(put(0, "K123/K", "c2")) == ""  # a black mark covers anything
    assert table.why(put(0, "231K/2", "c1")) == ""  # anything covers a black mark
    assert "stacked" in table.do(put(0, "13K2/1", "c2"))[0]
    assert table.state.tops[at("c2")] == card("13K2/1")[0]


def test_no_card_lies_on_a_blocker_or_the_deck() -> None:
    table = placing(["123K/1"], layout(c2="123K/2", b2=BLOCK))
    assert table.why(put(0, "123K/1", "b2")) == "blocker_there"
    assert table.why(put(0, "123K/1", "c3")) == "deck_cell"
    assert table.why(put(0, "123K/1", "a2")) == ""  # 003-13: a blocker connects, and every side fits beside it


# Penalties, the win and black-last

DOWN = layout(c2="123K/1", b2=BLOCK, d2=BLOCK)


def penalised(hand: Sequence[str], deck: int, *, seats: int = 2, **more: Any) -> Table:
    """c2 lies beside the deck and between two blockers; b1 and d1 beside one."""
    others = [cards("K312/3", "31K2/3"), cards("21K3/3", "13K2/3")][: seats - 1]
    return Table(Position("duo" if seats == 2 else "hard", [cards(*hand), *others], DOWN, deck=deck, **more))


def unseen(table: Table, *marks: int) -> list[int]:
    """Unseen cards of these marks, in order."""
    left = bits(table.state.unseen)
    return [left.pop(left.index(next(number for number in left if number % 4 == mark))) for mark in marks]


def test_penalties_per_source() -> None:
    """003-9: two blockers and the deck are three draws; for three players the deck costs nothing."""
    table = penalised(["13K2/1", "K321/2"], 10)
    assert table.do(put(0, "13K2/1", "c2"))[0] == {"stacked", "penalty_blocker", "penalty_deck"}
    assert table.state.draws == 3
    for left in (2, 1, 0):
        table.do(Draw(0, bits(table.state.unseen)[0]))
        assert table.state.draws == left
    assert table.turn == 1
    assert len(table.hand(0)) == 4
    table = penalised(["13K2/1", "K321/2"], 10, seats=3)
    assert table.do(put(0, "13K2/1", "c2"))[0] == {"stacked", "penalty_blocker"}
    assert table.state.draws == 2


@pytest.mark.parametrize(
    ("deck", "effects"),
    [(3, {"penalty_blocker", "penalty_deck"}), (2, {"penalty_blocker"}), (1, {"penalty_blocker"}), (0, set())],
)
def test_penalties_only_while_the_deck_has_cards(deck: int, effects: set[str]) -> None:
    table = penalised(["13K2/1", "K321/2"], deck)
    assert table.do(put(0, "13K2/1", "c2"))[0] == {"stacked"} | effects
    assert table.state.draws == deck


def test_the_last_draw_empties_the_deck_and_opens_the_centre() -> None:
    table = penalised(["13K2/1", "K321/2"], 1)
    assert table.why(put(0, "K321/2", "c3")) == "deck_cell"
    table.do(put(0, "13K2/1", "c2"))
    assert table.do(Draw(0, bits(table.state.unseen)[0]))[0] >= {"deck_emptied", "centre_opened"}
    assert table.turn == 1
    assert any(event.cell == at("c3") for event in table.legal(0) if isinstance(event, PlayCard))


def test_penalties_come_before_the_win() -> None:
    """003-8; 003.7 (iii): the last card beside a blocker draws first, and without a deck it wins."""
    hands = [[card("321K/1")[0]], SPARE]
    table = Table(Position("4x4", hands, layout(4, b1="123K/1", a1=BLOCK), deck=5))
    drawn = unseen(table, 0)[0]
    assert table.do(put(0, "321K/1", "a2", 4))[0] == {"penalty_blocker"}
    assert table.do(Draw(0, drawn))[0] == set()
    assert (table.hand(0), table.turn) == ([drawn], 1)

    table = Table(Position("4x4", hands, layout(4, b1="123K/1", a1=BLOCK), deck=5))
    black, other = unseen(table, 3, 0)
    table.do(put(0, "321K/1", "a2", 4))
    assert table.do(Draw(0, black))[0] == {"black_last"}
    assert table.turn == CHANCE
    assert table.do(Draw(0, other))[0] == set()
    assert table.hand(0) == sorted([black, other])

    table = Table(Position("4x4", hands, layout(4, b1="123K/1", a1=BLOCK), deck=0))
    assert table.do(put(0, "321K/1", "a2", 4))[0] == {"won"}
    assert table.turn == NOBODY
    assert [s.rank for s in table.play.result()] == [1, 2]


def test_black_last_draws_until_another_mark() -> None:
    """003-17; 003.7 (i): hand black, deck black, black, red: three draws, a hand of four."""
    table = Table(Position("4x4", [cards("321K/1", "12K3/K"), SPARE], layout(4, a1="123K/1"), deck=9))
    first, second, red = unseen(table, 3, 3, 0)
    assert table.do(put(0, "321K/1", "b1", 4))[0] == {"black_last"}
    assert table.do(Draw(0, first), Draw(0, second)) == [set(), set()]
    assert table.turn == CHANCE
    assert table.do(Draw(0, red))[0] == set()
    assert len(table.hand(0)) == 4
    assert table.turn == 1


def test_black_last_ends_with_the_deck() -> None:
    table = Table(Position("4x4", [cards("321K/1", "12K3/K"), SPARE], layout(4, a1="123K/1"), deck=2))
    first, second = unseen(table, 3, 3)
    table.do(put(0, "321K/1", "b1", 4), Draw(0, first))
    assert table.do(Draw(0, second))[0] == {"deck_emptied"}
    assert len(table.hand(0)) == 3
    assert table.turn == 1


def test_a_black_mark_never_goes_out() -> None:
    """003-18; 003.7 (ii): hand black, deck empty: no legal play, the turn passes."""
    table = Table(Position("4x4", [cards("321K/1", "2K13/2"), cards("12K3/K")], layout(4, a1="123K/1"), deck=0))
    assert table.why(put(1, "12K3/K", "a1", 4)) == "not_connected"
    assert table.why(put(1, "12K3/K", "b1", 4)) == "edge_mismatch"
    black = card("12K3/K")[0]
    assert table.why(PlayCard(1, black, at("a2", 4), 1)) == "last_card_black"
    assert table.do(put(0, "321K/1", "b1", 4))[0] == {"turn_passed"}
    assert table.turn == 0


def test_black_last_before_the_extra_play() -> None:
    """Step 3 before step 4: the draws come first, then the extra play may use what was drawn."""
    board = layout(4, b1="K213/2", a2="3K12/2")  # around b2: 1 above, K to the west
    board[at("c2", 4)] = [card("1K32/2")]
    number, flip = card("123K/1")
    table = Table(Position("4x4", [[number, card("321K/K")[0]], SPARE], board, deck=9))
    assert matches(table.state, number, at("b2", 4), flip) == 2
    assert table.do(PlayCard(0, number, at("b2", 4), flip))[0] == {"black_last"}
    drawn = unseen(table, 0)[0]
    assert "extra_play" in table.do(Draw(0, drawn))[0]


# Extra plays

CORNER = layout(4, b1="12K3/2", a2="1K23/2", c1="2K13/2", d4="12K3/3")
"""a1 touches 3 to the east and 1 to the south."""


def extra(hand: Sequence[str], *others: str, **more: Any) -> Table:
    hands = [cards(*hand), cards(*others) if others else SPARE]
    return Table(Position("4x4", hands, CORNER, **more))


def test_two_matches_earn_an_extra_play_that_may_be_left() -> None:
    table = extra(["231K/1", "K123/2", "K321/2"])
    assert table.why(Stop(0)) == "stop_not_allowed"
    assert table.do(put(0, "231K/1", "a1", 4))[0] == {"extra_play"}
    assert table.turn == 0
    assert Stop(0) in table.legal()
    assert table.why(Stop(1)) == "not_your_turn"
    assert table.do(Stop(0))[0] == set()
    assert table.turn == 1
    assert table.why(Stop(1)) == "stop_not_allowed"


def test_extra_plays_chain_without_limit() -> None:
    table = extra(["231K/1", "K312/1", "23K1/1", "231K/2"])
    for text in ("231K/1", "K312/1"):
        assert table.do(put(0, text, "a1", 4))[0] >= {"extra_play"}
        assert table.turn == 0


def test_an_extra_play_that_is_impossible_ends_the_turn_without_a_draw() -> None:
    hand = cards("231K/1", "12K3/K")
    table = Table(Position("4x4", [hand, SPARE], CORNER, deck=0))
    assert table.do(put(0, "231K/1", "a1", 4))[0] == {"extra_play", "extra_play_impossible"}
    assert (table.turn, len(table.hand(0))) == (1, 1)


def test_the_last_card_wins_before_the_extra_play() -> None:
    table = extra(["231K/1"])
    assert table.do(put(0, "231K/1", "a1", 4))[0] == {"won"}
    standing = table.play.result()
    assert [(s.rank, s.shared, s.score) for s in standing] == [(1, False, 0), (2, False, -2)]


# Stuck

FULL = full_board(4)
STUCK = [card for card in range(48) if card % 4 == 1][:6]
"""Cards of mark 2: nowhere to be laid on a full board of marks 1 and 3."""


def stuck(deck: int, *, size: int = 4, mine: int = 2, options: dict[str, Any] | None = None, seats: int = 2) -> Table:
    """The first seat has one card that can be played; the others, and what it keeps, cannot be."""
    board = full_board(size, {} if size == 4 else {24: BLOCK})
    variant = "4x4" if size == 4 else "beginner"
    probe = Table(Position(variant, [[3], [1]], board, deck=0))
    first = next(n for n in bits(probe.state.unseen) if n % 4 in {0, 2} and has_place(probe, n))
    hands = [[first, *STUCK[4:6]], *(STUCK[2 * i : 2 * i + mine] for i in range(seats - 1))]
    return Table(Position(variant, hands, board, options or {}, deck))


def has_place(table: Table, number: int) -> bool:
    return any((table.state.places[2 * cell] | table.state.places[2 * cell + 1]) >> number & 1 for cell in range(25))


def play_first(table: Table) -> list[set[str]]:
    """The seat to move plays its only playable card."""
    plays = [event for event in table.legal() if isinstance(event, PlayCard)]
    plays.sort(key=lambda e: matches(table.state, e.card, e.cell, e.flip))
    return table.do(plays[0])


def drawable(table: Table, *, playable: bool) -> int:
    return next(
        number for number in bits(table.state.unseen) if number % 4 in {1, 3} and has_place(table, number) == playable
    )


def test_a_stuck_seat_draws_one_card_and_plays_it_at_once() -> None:
    table = stuck(5)
    assert play_first(table)[0] == {"stacked", "stuck_draw"}
    assert table.turn == CHANCE
    number = drawable(table, playable=True)
    assert table.do(Draw(1, number))[0] == set()
    assert (table.turn, table.state.drawn) == (1, number)
    other = table.hand(1)[0]
    assert table.why(PlayCard(1, other, 0, 0)) in {"must_play_drawn_card", "not_in_hand"}
    assert {event.card for event in table.legal() if isinstance(event, PlayCard)} == {number}
    assert table.why(Stop(1)) == "stop_not_allowed"
    table.do(next(iter(table.legal())))
    assert not table.state.hands[1] >> number & 1


def test_a_drawn_card_without_a_place_passes() -> None:
    table = stuck(5)
    play_first(table)
    assert "turn_passed" in table.do(Draw(1, drawable(table, playable=False)))[0]
    assert len(table.hand(1)) == 3
    assert table.state.seat == 0


def test_the_drawn_card_may_earn_an_extra_play() -> None:
    board = CORNER | {cell: stack for cell, stack in full_board(4).items() if cell not in {0, *CORNER}}
    used = {stack[0][0] for stack in CORNER.values()}
    spare = iter(n for n in range(48) if n % 4 in {0, 2} and n not in used and n != card("231K/1")[0])
    board |= {cell: [(next(spare), 0)] for cell in board if cell not in CORNER}
    free = [cell for cell in range(16) if cell not in board]
    assert free == [0]
    hand = [n for n in range(48) if n % 4 == 1 and n not in used]
    probe = Table(Position("4x4", [hand, [3]], board, deck=0))
    misfits = [n for n in hand if not has_place(probe, n)][:2]
    table = Table(Position("4x4", [misfits, [3, 7]], board, deck=9))
    assert table.turn == CHANCE
    number, flip = card("231K/1")
    table.do(Draw(0, number))
    assert "extra_play" in table.do(PlayCard(0, number, 0, flip))[0]


def test_the_stuck_draw_of_the_last_card_opens_the_centre_for_that_card_only() -> None:
    """003-34: other cards might lie in the centre now, but only the drawn one may be played."""
    table = stuck(1, size=5, seats=3)
    assert play_first(table)[0] == {"stacked", "stuck_draw"}
    fitting = [n for n in bits(table.state.unseen) if n % 4 == 1]
    effects = table.do(Draw(1, fitting[0]))[0]
    assert effects >= {"deck_emptied", "centre_opened"}
    centre = {number for number in range(48) if number % 4 == 1 and has_place(table, number)}
    if fitting[0] in centre:
        assert {event.card for event in table.legal(1) if isinstance(event, PlayCard)} == {fitting[0]}
    else:
        assert table.turn != 1 or "turn_passed" in effects


def test_exhaustion_the_fewest_cards_win() -> None:
    """003-33, 003-26, 003-27: nobody can play; ties share, all others share the rank below the winners."""
    table = stuck(0, mine=1)
    assert play_first(table)[0] == {"stacked", "exhausted"}
    assert table.turn == NOBODY
    assert [(s.rank, s.shared, s.score) for s in table.play.result()] == [(2, False, -2), (1, False, -1)]
    table = stuck(0, mine=2, seats=3)
    play_first(table)
    assert [(s.rank, s.shared) for s in table.play.result()] == [(1, True)] * 3
    table = stuck(0, mine=1, seats=3)
    play_first(table)
    assert [(s.rank, s.shared) for s in table.play.result()] == [(3, False), *[(1, True)] * 2]
    for event in (Stop(0), Draw(0, 1), PlayCard(0, STUCK[4], 0, 0), PlayBlocker(0, 0), BlockerSetup(0, 0)):
        assert table.why(event) == "match_over"
    assert not table.legal(0)


def test_a_seat_without_a_play_is_passed_over_while_another_can_play() -> None:
    table = Table(
        Position("4x4", [cards("321K/1", "2K13/2"), cards("12K3/K"), cards("K123/K")], layout(4, a1="123K/1"), deck=0)
    )
    assert table.do(put(0, "321K/1", "b1", 4))[0] == {"turn_passed"}
    assert table.turn == 0


# Duo


def duo(hands: list[list[int]], has: list[int], board: dict[int, list[Item]], **more: Any) -> Table:
    return Table(Position("duo", hands, board, hand_blockers=has, **more))


def test_a_hand_blocker_goes_anywhere_but_on_blockers_and_the_deck() -> None:
    """003-14: on a free cell, connected or not, on any card whatever its mark; it has no matches."""
    table = duo([cards("321K/1", "2K13/2"), SPARE], [1, 1], layout(c2="123K/1", a1=BLOCK))
    cells = {event.cell for event in table.legal() if isinstance(event, PlayBlocker)}
    assert cells == set(range(25)) - {at("a1"), at("c3")}
    assert table.why(PlayBlocker(0, at("a1"))) == "blocker_there"
    assert table.why(PlayBlocker(0, at("c3"))) == "deck_cell"
    assert table.do(PlayBlocker(0, at("c2")))[0] == {"stacked", "penalty_deck"}
    table.do(Draw(0, bits(table.state.unseen)[0]))
    assert table.turn == 1
    assert table.why(PlayBlocker(0, at("e5"))) == "no_blocker_in_hand"
    assert table.why(put(1, "12K3/3", "c2")) == "blocker_there"
    assert {event.cell for event in table.legal(1) if isinstance(event, PlayCard)} >= {at("b2"), at("c1"), at("d2")}


def test_a_blocker_may_not_open_but_may_go_out() -> None:
    """003-25, 003-15."""
    play = begin("duo")
    assert reason(play, PlayBlocker(0, 0)) == "opening_with_blocker"
    table = duo([[], SPARE], [1, 0], layout(c2="123K/1"))
    assert table.do(PlayBlocker(0, at("e5")))[0] == {"won"}


def test_who_can_play_only_the_blocker_must() -> None:
    board = full_board(5)
    table = duo([STUCK[:2], STUCK[2:4]], [1, 0], board, deck=5)
    assert table.turn == 0
    assert {type(event) for event in table.legal()} == {PlayBlocker}
    assert table.why(Stop(0)) == "stop_not_allowed"


def test_blockers_count_among_the_fewest_cards() -> None:
    table = duo([cards("321K/1"), cards("12K3/K")], [1, 1], layout(c2="123K/1"))
    assert [s.components["cards_left"] for s in table.play.result()] == [2, 2]


# Solo


def solo(hand: Sequence[int], board: dict[int, list[Item]], deck: int = 0, **options: Any) -> Table:
    return Table(Position("solo", [list(hand)], board, options, deck))


def three(**tops: str) -> dict[int, list[Item]]:
    return layout(3, **tops)


def test_solo_opening_and_draws_beside_the_deck() -> None:
    play = begin("solo")
    number = bits(play.state.hands[0])[0]
    assert {event.cell for event in play.legal() if isinstance(event, PlayCard)} == {1, 3, 5, 7}
    assert reason(play, PlayCard(0, number, 0, 0)) == "opening_not_beside_deck"
    assert effects_of(play, PlayCard(0, number, 1, 0)) == {"penalty_deck"}
    assert {event.card % 4 for event in play.legal() if isinstance(event, Draw)} == {0, 1, 2}
    assert len(play.legal()) == 26
    assert reason(play, Draw(0, 3)) == "card_seen"


def test_solo_sides_have_to_be_equal() -> None:
    """003.5: black beside black only; what fits nothing in solo fits in the game of several."""
    board = three(b1="123K/2")  # a1 touches K to the east, c1 touches 2 to the west
    table = solo(cards("K123/1", "213K/2"), board, 3)
    assert table.why(put(0, "K123/1", "a1", 3)) == "edge_mismatch"
    assert table.why(put(0, "213K/2", "a1", 3)) == "edge_mismatch"
    assert table.why(put(0, "3K21/2", "a1", 3)) == ""
    assert table.why(put(0, "213K/2", "c1", 3)) == "edge_mismatch"


def test_solo_stacks_only_when_four_cells_are_covered() -> None:
    board = three(b1="123K/1", c1="13K2/2", c2="K321/2")
    table = solo(cards("K213/1", "231K/1"), board)
    assert table.why(put(0, "K213/1", "b1", 3)) == "stack_too_early"
    table = solo(cards("K213/1", "231K/1"), board | three(c3="312K/3"))
    assert table.why(put(0, "231K/1", "b1", 3)) == "edge_mismatch"
    assert table.do(put(0, "K213/1", "b1", 3))[0] >= {"stacked"}


def test_solo_stuck_draws_again_and_again_then_fails() -> None:
    """003-28: while the deck lasts; then the game is lost."""
    board = three(b1="123K/1")
    misfits = [n for n in range(48) if n % 4 != 3 and n != card("123K/1")[0]]
    probe = solo(misfits[:10], board, 5)
    unfit = [n for n in misfits if not has_place(probe, n)]
    table = solo(unfit[:2], board, 2)
    assert table.turn == CHANCE
    assert table.do(Draw(0, unfit[2]))[0] == {"stuck_draw"}
    effects = table.do(Draw(0, unfit[3]))[0]
    assert effects >= {"deck_emptied", "centre_opened"}
    lost = "solo_failed" in effects
    assert lost == (table.turn == NOBODY)
    if lost:
        assert table.play.result()[0].score == 0


def fitted() -> dict[int, list[Item]]:
    """Nine cards that fit."""
    return fitting_solo_board(random.Random(3))


def test_solo_success_and_great_success() -> None:
    """003-29: the hand is empty; great when all nine cells are covered, the centre included."""
    board = fitted()
    ((number, flip),) = board.pop(4)
    table = solo([number], board, 0)
    assert table.do(PlayCard(0, number, 4, flip))[0] == {"solo_great_success"}
    assert table.play.result()[0].score == 2
    ((other, _),) = board.pop(0)
    assert other != number
    table = solo([number], board, 0)
    assert table.do(PlayCard(0, number, 4, flip))[0] == {"solo_success"}
    assert (table.play.result()[0].score, table.play.result()[0].rank) == (1, 1)


def test_solo_success_with_cards_left_in_the_deck_needs_a_corner() -> None:
    board = fitted()
    ((number, flip),) = board.pop(0)
    del board[4]
    table = solo([number], board, 2)
    assert table.do(PlayCard(0, number, 0, flip))[0] == {"solo_success"}
    board = fitted()
    ((number, flip),) = board.pop(1)
    del board[4]
    table = solo([number], board, 2)
    assert table.do(PlayCard(0, number, 1, flip))[0] == {"penalty_deck"}
    assert table.turn == CHANCE


# Sums


def test_simulated_matches_end_within_fifty_plays() -> None:
    """Termination: at most 50 plays; nearly all matches of greedy players end by going out (003.7)."""
    ends = {"won": 0, "exhausted": 0}
    for variant in ("beginner", "standard", "hard", "duo", "4x4"):
        for started, log in random_logs(EDGECOLOR, variant, count=12, seed=4, greedy=True):
            play = Play(EDGECOLOR, started)
            names = [effect for event in log for effect in EDGECOLOR.effects.of(play.add(event))]
            assert play.turn == NOBODY
            assert sum(isinstance(event, PlayCard | PlayBlocker) for event in log) <= 50
            for end in ends:
                ends[end] += names.count(end)
    assert sum(ends.values()) == 60
    assert ends["won"] >= 57
