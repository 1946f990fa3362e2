"""Unionking: the vectors and statements of the rule file, section by section, its options, notation and picture."""

from __future__ import annotations

import random
import re

import pytest

from kifold.core.codec import valid
from kifold.core.emit import Out
from kifold.core.events import Event, Started
from kifold.core.flat import flatten
from kifold.core.play import Play, Refused
from kifold.core.records import essential_size
from kifold.core.rng import Random
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking import UNIONKING, history, rules
from kifold.core.rulesets.unionking.board import is_board, line_ends
from kifold.core.rulesets.unionking.declaration import Decline, Move, UnionkingSetup
from kifold.core.rulesets.unionking.layouts import GAME_3, GAMES_1_AND_2, points_of
from kifold.core.rulesets.unionking.picture import _lines
from tests.rulesets.harness import chosen_log, random_log

WHITE, BLACK = 0, 1
GAMES = ("game1", "game2", "game3")
NAMES = [colour + part + figure for colour in "wb" for part in "oi" for figure in "ABCDEFG"]
FIRST_MOVES = """
    a1-a3 a1-c3 a2-a3 b1-b3 b2-a3 b2-b3 b2-c3 c1-a3 c1-c3 c1-e3 c2-c3 d1-d3 d2-c3 d2-d3 d2-e3
    e1-c3 e1-e3 e1-g3 e2-e3 f1-f3 f2-e3 f2-f3 f2-g3 g1-e3 g1-g3 g2-g3
"""


def point(name: str, width: int = 7) -> int:
    return (int(name[1:]) - 1) * width + ord(name[0]) - ord("a")


def name_of(number: int, width: int = 7) -> str:
    return f"{'abcdefghi'[number % width]}{number // width + 1}"


def setup(text: str, free: str = "", width: int = 7, height: int = 7) -> UnionkingSetup:
    """The pieces that `text` names on their points, ``woA a1 wiA b1``; the others singly from the last point down,
    except on those that are to stay free.
    """
    words = text.split()
    at = {piece: point(where, width) for piece, where in zip(words[::2], words[1::2], strict=True)}
    kept = {*at.values(), *(point(where, width) for where in free.split())}
    rest = (number for number in reversed(range(width * height)) if number not in kept)
    return UnionkingSetup(width, height, tuple(at[name] if name in at else next(rest) for name in NAMES))


def begin(text: str = "", free: str = "", variant: str = "game1", options: dict | None = None, **size: int) -> Play:
    return Play(UNIONKING, UNIONKING.start(variant, options, setup=setup(text, free, **size) if text else None))


def go(play: Play, *words: str) -> list[set[str]]:
    """Play events in short notation; the effects of each."""
    events = [UNIONKING.notation.read(play.started, play.state, word) for word in words]
    return [set(UNIONKING.effects.of(play.add(event))) for event in events]


def why_not(play: Play, word: str) -> str:
    refused = play.why_not(UNIONKING.notation.read(play.started, play.state, word))
    return refused.reason if refused else ""


def targets(play: Play, piece: str) -> set[str]:
    """Where a piece may go, in turn or out of it."""
    colour, part, figure = "wb".index(piece[0]), "oi".index(piece[1]), "ABCDEFG".index(piece[2])
    return {
        name_of(event.to, play.started.setup.width)
        for event in play.legal(colour)
        if isinstance(event, Move) and (event.part, event.figure) == (part, figure)
    }


def totals(play: Play) -> list[int | None]:
    return [standing.score for standing in play.result()]


def pairs_at(colour: str, *points: str) -> str:
    """``woA b2 wiA b2 woB …``: merged pairs of the first figures."""
    return " ".join(f"{colour}o{f} {at} {colour}i{f} {at}" for f, at in zip("ABCDEFG", points))  # noqa: B905


# 1 The board


def test_line_ends_of_the_board() -> None:
    drawn = """3 3 5 3 5 3 3
        3 8 4 8 4 8 3
        5 4 8 4 8 4 5
        3 8 4 8 4 8 3
        5 4 8 4 8 4 5
        3 8 4 8 4 8 3
        3 3 5 3 5 3 3"""
    rows = [[int(n) for n in line.split()] for line in drawn.splitlines()]
    assert [[line_ends(x, 6 - y, 7, 7) for x in range(7)] for y in range(7)] == rows
    flat = [n for row in rows for n in row]
    assert [flat.count(n) for n in (3, 4, 5, 8)] == [16, 12, 8, 13]
    low = [line_ends(x, y, 7, 5) for x in range(7) for y in range(5)]
    assert [low.count(n) for n in (3, 4, 5, 8)] == [14, 7, 6, 8]
    assert len(_lines(7, 7)) == 120


def test_boards_are_those_with_line_ends_of_3_4_5_and_8() -> None:
    for width in range(3, 10):
        for height in range(3, 10):
            ends = {line_ends(x, y, width, height) for x in range(width) for y in range(height)}
            assert is_board(width, height) == (ends == {3, 4, 5, 8}), (width, height)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (UnionkingSetup(8, 7, tuple(range(28))), "bad_board"),
        (UnionkingSetup(7, 6, tuple(range(28))), "bad_board"),
        (UnionkingSetup(3, 3, (0,) * 28), "bad_board"),
        (UnionkingSetup(9, 7), "bad_board"),
        (UnionkingSetup(7, 9), "bad_board"),
        (UnionkingSetup(7, 7, tuple(range(27))), "point_off_board"),
        (UnionkingSetup(7, 7, (*range(27), 49)), "point_off_board"),
        (UnionkingSetup(5, 9, (*range(27), 45)), "point_off_board"),
        (UnionkingSetup(7, 7, (*range(27), 0)), "points_not_distinct"),
        (UnionkingSetup(7, 7, (0, 0, *range(2, 28))), "points_not_distinct"),
        (UnionkingSetup(7, 7, (*range(14), *range(14))), "points_not_distinct"),
        (UnionkingSetup(7, 7, (*range(7), *range(7), *range(7), *range(7))), "points_not_distinct"),
    ],
)
def test_setups_against_the_rules(given: UnionkingSetup, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        Play(UNIONKING, UNIONKING.start(setup=given))
    assert (refused.value.seq, refused.value.reason) == (0, reason)


def test_another_board_and_layout_and_pairs_that_are_merged_already() -> None:
    layout = (*range(7), *range(7), *range(20, 27), *range(27, 34))
    play = Play(UNIONKING, UNIONKING.start("game3", setup=UnionkingSetup(9, 5, layout)))
    assert [standing.components["pairs"] for standing in play.result()] == [7, 0]
    assert [valid(UNIONKING, event) for event in play.legal()] == play.legal()


# 2 Points


@pytest.mark.parametrize(
    ("variant", "counts", "seven", "five"),
    [("game1", (3, 4, 5, 8), 56, 40), ("game2", (6, 8, 10, 16), 112, 80), ("game3", (11, 13, 15, 21), 147, 105)],
)
def test_points_of_pairs(variant: str, counts: tuple[int, ...], seven: int, five: int) -> None:
    alone = [begin(pairs_at("w", where), variant=variant) for where in ("a1", "c2", "c1", "b2")]
    assert [totals(play)[WHITE] for play in alone] == list(counts)
    most = begin(pairs_at("w", "b2", "d2", "f2", "b4", "d4", "f4", "c3"), variant=variant)
    assert totals(most) == [seven, 0]
    # The vector of 4.12.
    assert totals(begin(pairs_at("w", "b2", "d2", "f2", "b4", "d4"), variant=variant)) == [five, 0]


def test_four_pairs_on_8_and_one_on_5_miss_the_goal_of_game_3() -> None:
    assert totals(begin(pairs_at("w", "b2", "d2", "f2", "b4", "c1"), variant="game3")) == [99, 0]


# 3 Layouts


@pytest.mark.parametrize(("variant", "shift"), [("game1", 3), ("game2", 3), ("game3", 4)])
def test_recommended_layouts(variant: str, shift: int) -> None:
    at = {}
    for x in range(7):
        at["wo" + "ABCDEFG"[x]] = (x, 0)
        at["wi" + "ABCDEFG"[(x + shift) % 7]] = (x, 1)
    at |= {"b" + name[1:]: (6 - x, 6 - y) for name, (x, y) in at.items()}
    expected = [at[name][1] * 7 + at[name][0] for name in NAMES]
    play = Play(UNIONKING, UNIONKING.start(variant))
    spots = [(spot // 10 - 1) * 7 + spot % 10 - 1 for spot in play.state.spots]
    assert spots == expected


def test_the_layout_of_game_3_is_the_mirror_image_with_the_figures_renamed() -> None:
    one, three = points_of(GAMES_1_AND_2), points_of(GAME_3)
    mirrored = [number // 7 * 7 + 6 - number % 7 for number in one]
    assert three == [mirrored[base + 6 - figure] for base in (0, 7, 14, 21) for figure in range(7)]


@pytest.mark.parametrize("variant", GAMES)
def test_first_moves(variant: str) -> None:
    play = Play(UNIONKING, UNIONKING.start(variant))
    layout = points_of(GAME_3 if variant == "game3" else GAMES_1_AND_2)
    listed = [f"{name_of(layout[e.colour * 14 + e.part * 7 + e.figure])}-{name_of(e.to)}" for e in play.legal(WHITE)]
    assert sorted(listed) == sorted(FIRST_MOVES.split())
    for colour in (WHITE, BLACK):
        for event in play.legal(colour):
            assert not rules.gain(play.state, flatten(UNIONKING, event)), "nobody merges at the first move"


@pytest.mark.parametrize(("jump_merge", "third"), [(True, 24102), (False, 23998)])
@pytest.mark.parametrize("variant", GAMES)
def test_numbers_of_move_sequences(variant: str, jump_merge: bool, third: int) -> None:
    assert sequences(variant, jump_merge, 3) == [26, 676, third]


def sequences(variant: str, jump_merge: bool, depth: int) -> list[int]:
    """How many sequences of 1 … `depth` moves there are; longer ones are counted in test_unionking_compiled."""
    states, counts = [Play(UNIONKING, UNIONKING.start(variant, {"jump_merge": jump_merge, "repetition": 0})).state], []
    for ply in range(depth):
        following, count = [], 0
        for state in states:
            out = Out(UNIONKING.event_record)
            n = rules.legal(state, state.to_move, out)
            count += n
            for event in out[:n] if ply < depth - 1 else []:
                after = state.copy()
                rules.apply(after, event)
                following.append(after)
        states, counts = following, [*counts, count]
    return counts


# 4.1, 4.2 Turns


def test_sides_alternate_and_a_piece_may_move_twice_running() -> None:
    play = begin()
    assert play.turn == WHITE
    assert why_not(play, "boA-g5") == "not_your_turn"
    assert go(play, "woA-a3", "boA-g5", "woA-a4", "boA-g4") == [{"jumped"}, {"jumped"}, set(), set()]
    assert why_not(play, "black:decline") == why_not(play, "white:decline") == "decline_not_allowed"


def test_reasons_hold_out_of_turn() -> None:
    play = begin()
    for word, reason in (("boA-f1", "not_on_a_line"), ("boA-g6", "not_reachable"), ("boA-g8", "off_board")):
        assert why_not(play, word) == reason
    assert {UNIONKING.notation.write(play.started, e)[0] for e in play.legal(BLACK)} == {"b"}
    assert len(play.legal(BLACK)) == 26


# 4.3 Moves


def test_a_piece_steps_to_the_next_point_along_a_line() -> None:
    play = begin("woA c3 woB d3", free="b2 b3 b4 c2 c4 d2 d4 e2 e3 e4")
    assert targets(play, "woA") == {"b2", "c2", "d2", "b3", "b4", "c4", "d4", "e3"}
    assert targets(play, "woB") == {"d2", "d4", "e3", "b3"}, "no diagonals at an odd point"
    assert why_not(play, "woB-e4") == "not_on_a_line"
    assert why_not(play, "woA-e4") == "not_on_a_line"
    assert why_not(play, "woA-c3") == "not_on_a_line"
    assert why_not(play, "woA-a3") == "not_reachable"
    assert why_not(play, "woA-d3") == "not_reachable"


def test_a_jump_goes_over_the_whole_run_of_either_colour_and_takes_nothing() -> None:
    play = begin("woA a1 boC b1 woD c1 biE d1 woF b2 woG d2", free="e1 f1 g1 a2 a3 c2 c3 d3")
    assert targets(play, "woA") == {"e1", "a2", "c3"}
    assert why_not(play, "woA-f1") == "not_reachable"
    before = play.state.spots[:]
    assert go(play, "woA-e1") == [{"jumped"}]
    assert play.state.spots[1:] == before[1:]


def test_a_run_up_to_the_edge_gives_no_move() -> None:
    play = begin("woA a1 woB b1 boC c1 woD d1 biE e1 woF f1 woG g1", free="a2 b2")
    assert targets(play, "woA") == {"a2", "b2"}
    assert why_not(play, "woA-g1") == "not_reachable"


def test_a_merged_pair_is_one_obstacle() -> None:
    play = begin("woA a1 woB b1 wiB b1 boC c1 biC c1", free="d1 e1")
    assert targets(play, "woA") >= {"d1"}
    assert "e1" not in targets(play, "woA")


# 4.4 Merging


def test_vectors_of_merging_along_a_rank() -> None:
    near = begin("woA a1 wiA b1 boC c1", free="d1 a2 b2")
    assert targets(near, "woA") - {"a2", "b2"} == {"b1", "d1"}
    far = "woA a1 boC b1 wiA c1"
    play = begin(far, free="d1 a2 b2")
    assert targets(play, "woA") - {"a2", "b2"} == {"c1", "d1"}
    assert go(play, "woA-c1") == [{"jumped", "merged"}]
    step_only = begin(far, free="d1 a2 b2", options={"jump_merge": False})
    assert targets(step_only, "woA") - {"a2", "b2"} == {"d1"}
    assert why_not(step_only, "woA-c1") == "not_reachable"
    assert go(near, "woA-b1") == [{"merged"}]


def test_only_halves_of_one_colour_and_one_figure_merge() -> None:
    play = begin("woA a1 biA b1 wiB a2 woC b2", free="c1 a3 c3")
    assert targets(play, "woA") == {"c1", "a3", "c3"}


def test_a_partner_may_be_jumped_over() -> None:
    assert go(begin("woA a1 wiA b1", free="c1"), "woA-c1") == [{"jumped"}]


def test_no_third_piece_joins_a_pair() -> None:
    play = begin("woA a1 woB b1 wiB b1", free="c1")
    assert why_not(play, "woA-b1") == "not_reachable"


# 4.5 Splitting


@pytest.mark.parametrize("half", ["woA", "wiA"])
def test_either_half_of_a_pair_moves_and_the_other_stays(half: str) -> None:
    play = begin(pairs_at("w", "b2", "d2"), free="b3 b1 a2 a1", variant="game3")
    assert totals(play) == [42, 0]
    effects = go(play, f"{half}-b3")
    assert effects == [{"split"}]
    assert totals(play) == [21, 0]
    play.add(idle(play))
    other = "wiA" if half == "woA" else "woA"
    assert go(play, f"{half}-b2") == [{"merged"}]
    assert totals(play) == [42, 0], "from the position, never accumulated"
    play.add(idle(play))
    assert go(play, f"{other}-a1") == [{"split"}]


def test_a_half_that_leaves_cannot_stay() -> None:
    assert why_not(begin(pairs_at("w", "b2"), free="b3"), "woA-b2") == "not_on_a_line"


# 4.7 The end

FOUR = ("a1", "c1", "e1", "g1")
READY = {
    # White's E merges at the next move and reaches the goal: five pairs, 76 points, 102 points.
    "game1": pairs_at("w", *FOUR) + " woE a2 wiE a3",
    "game2": pairs_at("w", "b2", "d2", "f2", "b4") + " woE d3 wiE d4",
    "game3": pairs_at("w", "b2", "d2", "f2", "b4") + " woE d3 wiE d4",
}
THERE = {"game1": "woE-a3", "game2": "woE-d4", "game3": "woE-d4"}


@pytest.mark.parametrize("variant", GAMES)
def test_white_at_the_goal_gives_black_one_more_move(variant: str) -> None:
    play = begin(READY[variant], variant=variant)
    assert why_not(play, "black:decline") == "decline_not_allowed"
    assert go(play, THERE[variant]) == [{"merged", "last_move_granted"}]
    assert play.turn == BLACK
    assert Decline(BLACK) in play.legal()
    assert Decline(WHITE) not in play.legal(WHITE)
    assert why_not(play, "white:decline") == "decline_not_allowed"
    move = next(event for event in play.legal() if isinstance(event, Move))
    assert set(UNIONKING.effects.of(play.add(move))) >= {"ended_by_goal"}
    assert play.turn == NOBODY
    assert play.legal(WHITE) == play.legal(BLACK) == []
    assert why_not(play, "woA-a2") == why_not(play, "black:decline") == "match_over"


def test_black_may_decline_the_last_move() -> None:
    play = begin(READY["game1"])
    go(play, THERE["game1"])
    assert go(play, "black:decline") == [{"ended_by_goal"}]
    assert play.turn == NOBODY
    assert [standing.rank for standing in play.result()] == [1, 2]


def test_black_must_make_the_last_move_under_the_other_reading() -> None:
    play = begin(READY["game1"], options={"last_move": "must"})
    go(play, THERE["game1"])
    assert why_not(play, "black:decline") == "decline_not_allowed"
    assert Decline(BLACK) not in play.legal()


def test_black_at_the_goal_ends_the_match_at_once() -> None:
    play = begin(pairs_at("b", *FOUR) + " boE a2 biE a3 woG a7")
    play.add(idle(play))
    assert go(play, "boE-a3") == [{"merged", "ended_by_goal"}]
    assert play.turn == NOBODY


def test_goals_count_pairs_in_game_1_and_points_in_the_others() -> None:
    rich = pairs_at("w", "b2", "d2", "f2", "b4") + " woG g1"
    assert go(begin(rich), "woA-b3") == [{"split"}]
    short = begin(pairs_at("w", "b2", "d2", "f2", "b4") + " woE c2 wiE c1", variant="game3")
    assert go(short, "woE-c1") == [{"merged"}], "99 points"
    exact = begin(pairs_at("w", "b2", "d2", "f2", "a1") + " woE d3 wiE d4", variant="game2")
    assert go(exact, "woE-d4") == [{"merged", "last_move_granted"}], "70 points"
    assert totals(exact) == [70, 0]


B_POINTS = ("a4", "b4", "c4", "a5", "b5", "c5")
CROWDED = pairs_at("b", "a3", "c3", "c4", "a4", "a5", "c5", "c2")
"""On 3×5 with White on the other points, all lines to b1 are White's."""


def test_without_a_last_move_the_match_ends_at_once() -> None:
    white = " woA b1 wiA b2 woB a1 wiB a1 woC c1 wiC c1 woD b3 wiD b3 woE b4 wiE b4 woF b5 wiF b5 woG a2 wiG a2"
    play = begin(CROWDED + white, width=3, height=5)
    assert play.legal(BLACK) == []
    assert go(play, "woA-b2") == [{"merged", "ended_by_goal"}]
    assert play.turn == NOBODY


# 4.8, 4.9 The winner


def test_the_higher_total_wins_whoever_ended_the_match() -> None:
    black = "boE a2 biE a3 " + pairs_at("b", *FOUR)
    play = begin(black + " " + pairs_at("w", "d4", "f4", "b4", "d2"))
    play.add(idle(play))
    assert go(play, "boE-a3") == [{"merged", "ended_by_goal"}]
    assert totals(play) == [32, 21]
    assert [standing.rank for standing in play.result()] == [1, 2]


def idle(play: Play, colour: int | None = None) -> Event:
    """A move that changes no pair, of the side to move or of one that is not."""
    moves = [event for event in play.legal(colour) if isinstance(event, Move)]
    return next(event for event in moves if not rules.gain(play.state, flatten(UNIONKING, event)))


def test_black_overtakes_with_the_last_move_and_equal_totals_are_shared() -> None:
    white = READY["game1"]  # 3 + 5 + 5 + 3, then 5 more: 21
    ahead = begin(white + " " + pairs_at("b", "b2", "d2") + " boG f3 biG f4")
    go(ahead, THERE["game1"])
    assert totals(ahead) == [21, 16]
    assert go(ahead, "boG-f4") == [{"merged", "ended_by_goal"}]
    assert [(s.score, s.rank, s.shared) for s in ahead.result()] == [(21, 2, False), (24, 1, False)]
    level = begin(white + " " + pairs_at("b", "b2", "d2") + " boG f7 biG e7")
    go(level, THERE["game1"], "boG-e7")
    assert [(s.score, s.rank, s.shared) for s in level.result()] == [(21, 1, True), (21, 1, True)]
    assert [s.components for s in level.result()] == [
        {"pairs": 5, "points_sum": 21},
        {"pairs": 3, "points_sum": 21},
    ]


# 4.11 No move, repetition, length


def test_a_side_without_a_move_is_skipped() -> None:
    white = " woA b1 wiA b2 woB a1 wiB a1 woC c1 wiC c1 woD b3 wiD b3 woE b4 wiE b4 woF b5 wiF b5 woG a2 wiG a2"
    play = begin(CROWDED + white, variant="game3", width=3, height=5)
    assert go(play, "woA-b2") == [{"merged", "turn_skipped"}]
    assert play.turn == WHITE
    assert why_not(play, "boA-b1") == "not_on_a_line"


def test_a_side_that_is_stuck_at_the_start_lets_the_other_begin() -> None:
    black = "boA a3 biA b3 " + " ".join(f"bo{f} {at} bi{f} {at}" for f, at in zip("BCDEFG", B_POINTS, strict=True))
    play = begin(pairs_at("w", "a1", "b1", "c1", "a2", "b2", "c2", "c3") + " " + black, width=3, height=5)
    assert play.turn == BLACK
    assert play.legal(WHITE) == []
    assert {e.figure for e in play.legal() if isinstance(e, Move)} == {0}


def test_both_sides_stuck_at_the_start() -> None:
    black = "boA a3 biA c3 " + " ".join(f"bo{f} {at} bi{f} {at}" for f, at in zip("BCDEFG", B_POINTS, strict=True))
    text = pairs_at("w", "a1", "b1", "c1", "a2", "b2", "c2", "b3") + " " + black
    play = begin(text, options={"jump_merge": False}, width=3, height=5)
    assert play.turn == NOBODY
    assert play.legal(WHITE) == play.legal(BLACK) == []
    assert why_not(play, "boA-b3") == "match_over"
    assert begin(text, width=3, height=5).turn == BLACK


def test_the_match_ends_when_both_sides_are_stuck() -> None:
    text = pairs_at("w", "a1", "b1", "a2", "b2", "c2", "a3", "b3") + " "
    text += pairs_at("b", "c3", "a4", "b4", "c4", "a5", "b5", "c5")
    stuck = begin(text, variant="game3", options={"jump_merge": False}, width=3, height=5)
    assert go(stuck, "woA-c1") == [{"split", "jumped", "ended_stuck"}]
    assert stuck.turn == NOBODY
    skipped = begin(text, variant="game3", width=3, height=5)
    assert go(skipped, "woA-c1") == [{"split", "jumped", "turn_skipped"}]


AND_BACK = ("woA-a3", "boA-g5", "woA-a1", "boA-g7")


@pytest.mark.parametrize("times", [2, 3, 5])
def test_the_start_counts_for_repetition(times: int) -> None:
    play = begin(options={"repetition": times})
    effects = go_words(play, AND_BACK * (times - 1))
    assert effects[-1] == {"jumped", "ended_by_repetition"}
    assert all("ended_by_repetition" not in said for said in effects[:-1])
    assert play.turn == NOBODY


def go_words(play: Play, words: tuple[str, ...]) -> list[set[str]]:
    return [go(play, word)[0] for word in words]


def test_one_occurrence_is_the_first_move_and_none_is_off() -> None:
    assert go(begin(options={"repetition": 1}), "woA-a3") == [{"jumped", "ended_by_repetition"}]
    play = begin(options={"repetition": 0, "max_plies": 200})
    effects = go_words(play, AND_BACK * 50)
    assert effects[-1] == {"jumped", "ended_by_length"}
    assert set().union(*effects[:-1]) == {"jumped"}


def test_the_same_points_with_other_pieces_are_another_position() -> None:
    """A and B change places: the occupied points are those of the start."""
    play = begin("woA a1 woB b1", free="a2 b2 a3", options={"repetition": 2})
    black = UNIONKING.notation.write(play.started, idle(play, BLACK))
    back = f"{black[:3]}-{name_of(play.started.setup.layout[NAMES.index(black[:3])])}"
    effects = go_words(play, ("woA-a2", black, "woB-a1", back, "woA-b2", black, "woA-b1", back))
    assert all("ended_by_repetition" not in said for said in effects)


def test_length() -> None:
    play = begin(options={"max_plies": 2})
    assert go(play, "woA-a3", "boA-g5") == [{"jumped"}, {"jumped", "ended_by_length"}]


def test_the_goal_is_tested_first_and_a_last_move_may_be_one_too_many() -> None:
    play = begin(READY["game1"], options={"max_plies": 1, "repetition": 1})
    assert go(play, THERE["game1"]) == [{"merged", "last_move_granted"}]
    move = idle(play)
    assert "ended_by_goal" in UNIONKING.effects.of(play.add(move))
    assert play.ply == 2
    longest = begin(READY["game1"], options={"max_plies": 1000})
    longest.state.plies = 999  # by White: one turn was skipped
    assert go(longest, THERE["game1"]) == [{"merged", "last_move_granted"}]
    longest.add(idle(longest))
    assert longest.state.plies == 1001
    first = begin(pairs_at("w", "a1", "c1", "e1", "g1", "b2") + " woG c3", free="c4")
    assert go(first, "woG-c4") == [{"last_move_granted"}], "who stands at the goal has reached it"


def test_random_play_hardly_ever_finishes() -> None:
    started = UNIONKING.start("game3")
    for seed in range(3):
        assert len(random_log(UNIONKING, started, seed, 0)[1]) == 300


# Repetition below the rules


def shuffling(play: Play, events: list[Event], rng: random.Random) -> Event:
    """Mostly the side's last move back."""
    if len(play.log) > 1 and rng.random() < 0.9:
        piece, spot = play.state.moved[len(play.log) - 1], play.state.came_from[len(play.log) - 1]
        for event in events:
            if event == Move(piece // 14, piece // 7 % 2, piece % 7, (spot // 10 - 1) * 7 + spot % 10 - 1):
                return event
    return rng.choice(events)


def test_a_collision_of_hashes_changes_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    started = UNIONKING.start("game3", {"repetition": 4})
    logs = [chosen_log(UNIONKING, started, shuffling, seed)[1] for seed in range(6)]
    monkeypatch.setattr(rules, "WEIGHT", [0] * 28)
    found = 0
    for log in logs:
        blind = Play(UNIONKING, started)
        for event in log:
            blind.add(event)
        # Compared with positions as they are, counted in a dictionary.
        seen: dict[tuple[int, ...], int] = {}
        again = Play(UNIONKING, started)
        for event in log:
            key = (*again.state.spots, again.turn)
            seen[key] = seen.get(key, 0) + 1
            assert again.state.times[again.state.plies] == seen[key]
            again.add(event)
        assert blind.turn == NOBODY
        assert blind.effects == again.effects
        assert len(set(blind.state.keys[: len(log)])) <= 2
        found += "ended_by_repetition" in UNIONKING.effects.of(blind.effects[-1])
    assert found


def test_the_fingerprint_has_the_history_in_any_order() -> None:
    one, two, other = begin(), begin(), begin()
    go_words(one, (*AND_BACK, "woB-b3", "boB-f5", "woB-b1", "boB-f7"))
    go_words(two, ("woB-b3", "boB-f5", "woB-b1", "boB-f7", *AND_BACK))
    go_words(other, (*AND_BACK, "woC-c3", "boC-e5", "woC-c1", "boC-e7"))
    assert one.state.essential() == two.state.essential() != other.state.essential()
    assert one.state.spots == other.state.spots
    assert essential_size(UNIONKING.state) < 64
    assert all(weight % 2 and weight < 1 << 48 for weight in history.WEIGHT)


# Greedy


def greedy_takes(play: Play) -> set[str]:
    taken = set()
    for drawn in range(40):
        out, source = Out(UNIONKING.event_record), Random()
        source.match = drawn
        n = rules.legal(play.state, play.turn, out)
        event = out[rules.greedy(play.state, out, n, source)]
        taken.add(NAMES[event.colour * 14 + event.part * 7 + event.figure] + "-" + name_of(event.to))
    return taken


def test_greedy_takes_the_highest_total_after_the_move() -> None:
    play = begin("woA a1 wiA a2 woB c3 wiB c2", free="b1 b3 d2 d3 d4")
    assert greedy_takes(play) == {"wiB-c3"}, "8 line ends, not 4 or 3"
    level = begin("woA a1 wiA a2 woB g1 wiB g2")
    assert greedy_takes(level) >= {"woA-a2", "wiA-a1", "woB-g2", "wiB-g1"}


# Notation, picture, opening


def test_notation_says_every_event_and_reads_it_again() -> None:
    play = begin(READY["game3"], variant="game3")
    go(play, THERE["game3"])
    rng = random.Random(1)
    anywhere = [Move(rng.randrange(2), rng.randrange(2), rng.randrange(7), rng.randrange(81)) for _ in range(50)]
    for event in [*play.legal(WHITE), *play.legal(BLACK), *anywhere, Decline(WHITE)]:
        word = UNIONKING.notation.write(play.started, event)
        assert " " not in word
        assert UNIONKING.notation.read(play.started, play.state, word) == event
    assert UNIONKING.notation.example == "woA-a3"


def test_notation_without_colour_and_by_point() -> None:
    play = begin()
    read = UNIONKING.notation.read
    assert read(play.started, play.state, " OA-A3 ") == Move(WHITE, 0, 0, point("a3"))
    assert read(play.started, play.state, "a2-a3") == Move(WHITE, 1, 3, point("a3"))
    go(play, "a1-a3")
    assert read(play.started, play.state, "g7-g5") == Move(BLACK, 0, 0, point("g5"))
    assert read(play.started, play.state, "decline") == Decline(BLACK)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("hello", "write piece and point"),
        ("woH-a1", "write piece and point"),
        ("woA-h1", "no point h1: the board is a1..g7"),
        ("woA-a0", "write piece and point"),
        ("a5-a6", "white has no piece on a5"),
        ("b2-b3", "write woA-b3 or wiA-b3"),
        ("red:decline", "no colour 'red'"),
    ],
)
def test_notation_says_what_is_wrong(word: str, said: str) -> None:
    play = begin(pairs_at("w", "b2"), free="a5")
    with pytest.raises(ValueError, match=re.escape(said)):
        UNIONKING.notation.read(play.started, play.state, word)


def test_nothing_is_read_without_a_colour_when_the_match_is_over() -> None:
    play = begin(options={"max_plies": 1})
    go(play, "woA-a3")
    for word in ("oA-a4", "a3-a4", "decline"):
        with pytest.raises(ValueError, match="the match is over"):
            UNIONKING.notation.read(play.started, play.state, word)


def letters(play: Play) -> dict[str, set[tuple[str, str]]]:
    """Kind and letters of the shapes on each point."""
    scene, found = UNIONKING.picture(play.started, play.state), {}
    for shape in scene.shapes:
        found.setdefault(shape.title.replace(",", "").split()[0], set()).add((shape.kind, shape.letter))
    return found


def test_picture() -> None:
    play = begin("woA a1 wiB b1 " + pairs_at("b", "c1", "d1"), free="e1 d2")
    at = letters(play)
    assert at["a1"] == {("ring", "oA")}
    assert at["b1"] == {("disc", "iB")}
    assert at["d1"] == {("ring", "bb"), ("disc", "bb")}
    assert at["e1"] == {("dot", "5")}
    assert at["d2"] == {("dot", "8")}
    assert len(at) == 49
    scene = UNIONKING.picture(play.started, play.state)
    assert len(scene.lines) == 120
    assert {label.text for label in scene.labels} == {*"abcdefg", *"1234567"}
    assert "white has 0 pairs, 0 points" in scene.legend
    assert "black has 2 pairs, 8 points" in scene.legend
    assert any(line.startswith("white to move") for line in scene.legend)


def test_what_is_a_reconstruction_says_so() -> None:
    play = begin()
    legend = UNIONKING.picture(play.started, play.state).legend
    assert any("reconstruction: board and starting layout are ours" in line for line in legend)
    custom = begin("woA a1")
    legend = UNIONKING.picture(custom.started, custom.state).legend
    assert any("reconstruction: the board is ours" in line and "set up by hand" in line for line in legend)
    assert "reconstruction" in UNIONKING.notes


def test_picture_of_the_last_move_and_of_the_end() -> None:
    play = begin(READY["game1"])
    go(play, THERE["game1"])
    assert any("black to move, its last move" in line for line in UNIONKING.picture(play.started, play.state).legend)
    go(play, "decline")
    assert any("match over" in line for line in UNIONKING.picture(play.started, play.state).legend)


def opening(started: Started, *words: str) -> str:
    play = Play(UNIONKING, started)
    go_words(play, words)
    return UNIONKING.opening(started, play.log)


def mirror(given: UnionkingSetup) -> UnionkingSetup:
    width = given.width
    layout = tuple(number // width * width + width - 1 - number % width for number in given.layout)
    return UnionkingSetup(width, given.height, layout)


def test_openings_of_the_recommended_layout_are_their_moves() -> None:
    assert opening(UNIONKING.start(), "woA-a3", "boA-g5") == "a1-a3 g7-g5"
    assert opening(UNIONKING.start(), "woG-g3") == "g1-g3", "mirrored it is another game"
    given = UnionkingSetup(layout=tuple(points_of(GAMES_1_AND_2)))
    assert opening(UNIONKING.start(setup=given), "woA-a3") == "a1-a3"


def test_openings_of_other_layouts_are_the_same_from_every_side() -> None:
    given = setup("woA a1 wiB c3", free="a2 b1 c2 c4 d3 b3", width=7, height=9)
    one = opening(UNIONKING.start(setup=given), "woA-a2")
    assert one == opening(UNIONKING.start(setup=mirror(given)), "woA-g2")
    assert one != opening(UNIONKING.start(setup=given), "woA-b1")
    assert one != opening(UNIONKING.start(setup=mirror(given)), "woA-f1")
    # Turned by a quarter: 9 wide, 7 high.
    turned = UnionkingSetup(9, 7, tuple(number % 7 * 9 + number // 7 for number in given.layout))
    assert one == opening(UNIONKING.start(setup=turned), "woA-b1")


def test_openings_leave_out_which_half_of_a_pair_moved_and_which_figure_is_where() -> None:
    given = setup(pairs_at("w", "b2"), free="b3 b1")
    started = UNIONKING.start(setup=given)
    assert opening(started, "woA-b3") == opening(started, "wiA-b3") != opening(started, "woA-b1")
    layout = given.layout
    renamed = UnionkingSetup(layout=tuple(layout[base + (f + 1) % 7] for base in (0, 7, 14, 21) for f in range(7)))
    assert opening(started, "woA-b3") == opening(UNIONKING.start(setup=renamed), "woG-b3")
