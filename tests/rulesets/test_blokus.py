"""The statements of rule file blokus.md, one by one; the numbers are those of its sections and readings."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from kifold.core.corpus import Corpus
from kifold.core.events import Event
from kifold.core.options import RulesetError
from kifold.core.play import Play, Refused
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.board import can_place, squares_left
from kifold.core.rulesets.blokus.declaration import LANE, ROWS, BlokusSetup, Pass
from kifold.core.rulesets.blokus.growth import NODE_AFTER, NODE_PIECE, NODE_STEP, NODES
from kifold.core.rulesets.blokus.pieces import FORM_CELLS, ORIENTATIONS, PIECES, SQUARES, cells_of, piece_of
from kifold.core.rulesets.blokus.rules import colour_to_move
from tests.rulesets.blokus_cases import BLUE, GREEN, RED, YELLOW, all_but, cells, packed, place, setup_of
from tests.rulesets.harness import folder, random_logs

BY_COLOUR = {"start_corner": "by_colour"}
PASSING = {"voluntary_pass": True}


def begin(variant: str = "classic", options: dict[str, Any] | None = None, setup: BlokusSetup | None = None) -> Play:
    return Play(BLOKUS, BLOKUS.start(variant, options, setup=setup))


def reason(play: Play, event: Event) -> str:
    refused = play.why_not(event)
    return refused.reason if refused else ""


def effects(play: Play, event: Event) -> list[str]:
    return BLOKUS.effects.of(play.add(event))


def scores(play: Play) -> list[int | None]:
    return [standing.score for standing in play.result()]


def sizes(events: list[Event]) -> dict[int, int]:
    return dict(Counter(SQUARES[event.piece] for event in events))


# 001.2 Components


def test_pieces_and_orientations() -> None:
    assert Counter(SQUARES) == {1: 1, 2: 1, 3: 2, 4: 5, 5: 12}
    assert sum(SQUARES) == 89
    assert Counter(len(form) for form in FORM_CELLS) == {1: 1, 2: 2, 3: 6, 4: 19, 5: 63}
    assert sum(ORIENTATIONS) == len({frozenset(form) for form in FORM_CELLS}) == 91


@pytest.mark.parametrize(("side", "count"), [(20, 30_433), (14, 13_729)])
def test_placements_on_an_empty_board(side: int, count: int) -> None:
    widths = [(max(x for x, _ in form) + 1, max(y for _, y in form) + 1) for form in FORM_CELLS]
    assert sum((side + 1 - width) * (side + 1 - height) for width, height in widths) == count


# 001.3 Turn


@pytest.mark.parametrize(
    ("variant", "seats"),
    [
        ("classic", [0, 1, 2, 3, 0, 1, 2, 3]),
        ("two_player", [0, 1, 0, 1, 0, 1, 0, 1]),
        ("three_player", [0, 1, 2, 0, 0, 1, 2, 1, 0, 1, 2, 2, 0, 1, 2, 0]),
        ("duo", [0, 1, 0, 1]),
    ],
)
def test_order_of_turns(variant: str, seats: list[int]) -> None:
    play, rng, turns = begin(variant), random.Random(1), []
    for _ in seats:
        turns.append(play.turn)
        play.add(rng.choice(play.legal()))
    assert turns == seats


def test_growth_reaches_each_set_of_squares_once() -> None:
    """1, 2, 6, 19 and 63 fixed pieces of 1 … 5 squares, each as often as it has squares to begin with."""
    grown: list[frozenset[tuple[int, int]]] = []
    above: list[tuple[int, frozenset[tuple[int, int]]]] = []
    for node in range(NODES):
        while above and above[-1][0] <= node:
            above.pop()
        words, bits = divmod(NODE_STEP[NODES + node] + LANE + 8, 64)
        x, y = bits % LANE - 8, bits // LANE + ROWS * words - 1
        squares = frozenset([*(above[-1][1] if above else ()), (x, y)])
        above.append((NODE_AFTER[node], squares))
        grown.append(squares)
        assert len(squares) == len(above)
        found = piece_of(set(squares))
        assert found is not None
        assert found[0] == NODE_PIECE[node]
    assert len(set(grown)) == len(grown)
    assert Counter(map(len, grown)) == {1: 1, 2: 2 * 2, 3: 6 * 3, 4: 19 * 4, 5: 63 * 5}


def test_each_rule_of_placing() -> None:
    play = begin()
    for colour, corner in enumerate(("a20,a19", "t20", "t1", "a1")):
        assert effects(play, place(colour, corner)) == []
    assert reason(play, place(BLUE, "b18")) == ""
    assert reason(play, place(BLUE, "a20,a19")) == "piece_already_placed"
    assert reason(play, place(BLUE, "a20")) == "overlaps"
    assert reason(play, place(BLUE, "b19")) == "touches_own_edge"
    assert reason(play, place(BLUE, "j10")) == "no_own_corner"
    assert reason(play, msgspec.structs.replace(place(BLUE, "b18,b17,b16"), y=18)) == "off_board"
    assert reason(play, msgspec.structs.replace(place(BLUE, "b18"), orientation=1)) == "not_a_piece"
    assert reason(play, place(YELLOW, "s19,s18")) == "not_your_turn"
    assert reason(play, place(YELLOW, "s19")) == "piece_already_placed"
    with pytest.raises(Refused, match="event 5 is refused: touches_own_edge"):
        play.add(place(BLUE, "b19"))


def test_contact_with_other_colours_does_not_matter() -> None:
    play = begin(setup=setup_of([place(BLUE, "a2")], to_move=YELLOW))
    assert reason(play, place(YELLOW, "a1,b1")) == ""


def test_forced_skips_need_no_event() -> None:
    done = packed([p for c in (YELLOW, GREEN) for p in all_but(c)], keep_free=cells("a1,t1,a20,t20"))
    play = begin(setup=setup_of(done))
    assert effects(play, place(BLUE, "a1")) == []
    assert effects(play, place(RED, "t1")) == ["skipped"]
    assert colour_to_move(play.state) == RED
    assert [can_place(play.state, colour) for colour in range(4)] == [False, False, True, False]
    assert effects(play, play.legal()[0]) == ["skipped"]


@pytest.mark.parametrize("variant", ["classic", "two_player", "three_player", "duo"])
def test_a_colour_that_can_place_nothing_never_can_again(variant: str) -> None:
    """The lemma of 001.3, and the invariants of 001.4, in full matches."""
    for started, log in random_logs(BLOKUS, variant, count=3, seed=11):
        play, blocked = Play(BLOKUS, started), set()
        for event in log:
            play.add(event)
            able = {colour for colour in range(play.state.colours) if can_place(play.state, colour)}
            assert not able & blocked
            blocked = set(range(play.state.colours)) - able
        assert blocked == set(range(play.state.colours))
        assert play.turn == NOBODY
        assert len(log) <= 84
        for colour in range(play.state.colours):
            score = play.state.bonus[colour] - squares_left(play.state, colour)
            assert score in (15, 20) or -88 <= score <= -1


# 001.4 Score, 001.5 Test vectors


@pytest.mark.parametrize("colour", range(4))
def test_first_placements_of_a_colour(colour: int) -> None:
    by_colour, any_free = begin(options=BY_COLOUR), begin()
    assert sizes(by_colour.legal(colour)) == {1: 1, 2: 2, 3: 5, 4: 13, 5: 37}
    assert sizes(any_free.legal(colour)) == {size: 4 * n for size, n in {1: 1, 2: 2, 3: 5, 4: 13, 5: 37}.items()}
    assert len(by_colour.legal(colour)) == 58
    assert len(any_free.legal(colour)) == 232


def test_a_taken_corner_is_not_free() -> None:
    play = begin()
    play.add(place(BLUE, "t1,t2"))
    assert len(play.legal()) == 3 * 58
    assert reason(play, place(YELLOW, "t1")) == "overlaps"


def example() -> Play:
    """Blue has only the single square left to place; 8, 24 and 20 squares are left to the others."""
    pieces = all_but(BLUE, "1") + all_but(YELLOW, "O", "T4")
    pieces += all_but(RED, "V3", "I4", "L4", "T4", "Z4", "W") + all_but(GREEN, "I3", "L4", "O", "Z4", "X")
    return begin(setup=setup_of(packed(pieces)))


def test_scores_of_the_example() -> None:
    """001-5: the squares left are counted with 4-square pieces."""
    play = example()
    assert scores(play) == [-1, -8, -24, -20]
    assert effects(play, play.legal()[0]) == ["monomino_last"]
    assert scores(play) == [20, -8, -24, -20]
    assert [standing.rank for standing in play.result()] == [1, 2, 4, 3]
    assert play.result()[RED].components == {"squares_left": 24, "pieces_left": 6, "bonus": 0}


def test_scores_of_the_example_compiled() -> None:
    play = example()
    corpus = Corpus.of(BLOKUS, [(play.started, []), (play.started, play.legal()[:1])])
    folded = folder(BLOKUS).fold(corpus)
    assert folded.results["score"].tolist() == [[-1, -8, -24, -20], [20, -8, -24, -20]]
    assert folded.results["rank"].tolist() == [[1, 2, 4, 3]] * 2


def test_fifteen_for_another_last_piece() -> None:
    play = begin(setup=setup_of(packed(all_but(RED, "2")), to_move=RED))
    assert effects(play, play.legal()[0]) == ["all_placed"]
    assert scores(play) == [-89, -89, 15, -89]


def test_a_colour_set_up_whole_has_fifteen() -> None:
    assert scores(begin(setup=setup_of(packed(all_but(BLUE))))) == [15, -89, -89, -89]


# 001.6 Ambiguities


def test_reading_001_1_start_corner() -> None:
    assert reason(begin(), place(BLUE, "a1")) == ""
    assert reason(begin(options=BY_COLOUR), place(BLUE, "a1")) == "misses_start"
    for colour, corner in enumerate(("a20", "t20", "t1", "a1")):
        assert place(colour, corner) in begin(options=BY_COLOUR).legal(colour)


def test_reading_001_2_passing() -> None:
    assert reason(begin(), Pass(BLUE)) == "passing_not_allowed"
    play = begin(options=PASSING)
    assert Pass(BLUE) in play.legal()
    for colour in (BLUE, YELLOW, RED):
        assert effects(play, Pass(colour)) == []
    assert effects(play, place(GREEN, "a1")) == []
    for colour in (BLUE, YELLOW, RED):
        assert effects(play, Pass(colour)) == []
    assert effects(play, Pass(GREEN)) == ["passed_out"]
    assert play.turn == NOBODY
    assert play.legal(0) == []
    assert reason(play, place(BLUE, "t1")) == "match_over"
    assert scores(play) == [-89, -89, -89, -88]
    assert [(standing.rank, standing.shared) for standing in play.result()] == [(2, True)] * 3 + [(1, False)]


def test_reading_001_2_a_colour_that_can_place_nothing_has_nothing_to_pass() -> None:
    play = begin(options=PASSING, setup=setup_of(packed(all_but(BLUE))))
    assert reason(play, Pass(BLUE)) == "passing_not_allowed"
    for colour in (YELLOW, RED):
        play.add(Pass(colour))
    assert effects(play, Pass(GREEN)) == ["passed_out"]


def test_reading_001_3_all_symmetries() -> None:
    first = {event for event in begin(options=BY_COLOUR).legal() if PIECES[event.piece] == "F"}
    assert {event.orientation for event in first} <= set(range(8))
    assert {event.orientation for event in begin("duo").legal() if PIECES[event.piece] == "F"} == set(range(8))


def test_reading_001_4_and_001_7_variants() -> None:
    pieces = setup_of(packed([(BLUE, "X"), (YELLOW, "2"), (RED, "I4"), (GREEN, "W")]))
    assert scores(begin("classic", setup=pieces)) == [-84, -87, -85, -84]
    assert scores(begin("two_player", setup=pieces)) == [-169, -171]
    assert scores(begin("three_player", setup=pieces)) == [-84, -87, -85]
    with pytest.raises(RulesetError, match="classic is for 4 seats, not 3"):
        BLOKUS.start("classic", seats=3)


def test_reading_001_6_ties_share() -> None:
    pieces = setup_of(packed([(BLUE, "X"), (YELLOW, "2"), (RED, "I4"), (GREEN, "W")]))
    ranks = [(standing.rank, standing.shared) for standing in begin(setup=pieces).result()]
    assert ranks == [(1, True), (4, False), (3, False), (1, True)]


def test_duo_starts_on_its_own_squares() -> None:
    play = begin("duo")
    assert len(play.legal(0)) == len(play.legal(1)) == 414
    assert all((4, 9) in cells_of(e.piece, e.orientation, e.x, e.y) for e in play.legal(0))
    assert reason(play, place(0, "j5")) == "misses_start"
    assert reason(play, place(RED, "a1")) == "colour_not_in_play"
    with pytest.raises(RulesetError, match="start_corner is always by_colour in variant duo"):
        BLOKUS.start("duo", {"start_corner": "any_free"})


# Setups


def test_a_setup_needs_an_entry_of_every_list_for_each_piece() -> None:
    whole = setup_of([place(BLUE, "j10"), place(RED, "c3,c4")])
    for name in ("colours", "pieces", "orientations", "xs", "ys"):
        column = getattr(whole, name)
        for wrong in (column[:1], (*column, 0)):
            setup = msgspec.structs.replace(whole, **{name: wrong})
            with pytest.raises(Refused, match="event 0 is refused: incomplete_setup"):
                begin(setup=setup)


def test_a_setup_may_break_the_rules_of_placing() -> None:
    play = begin(setup=setup_of([place(BLUE, "j10"), place(BLUE, "j11,k11")]))
    assert reason(play, place(BLUE, "a1,a2,a3")) == "no_own_corner"
    assert reason(play, place(BLUE, "l12,l13,l14")) == ""
