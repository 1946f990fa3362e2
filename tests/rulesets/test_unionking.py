"""Unionking: the vectors and statements of the rule file on the board, the pieces and moves (1 to 4.6)."""

from __future__ import annotations

import pytest

from kifold.core.codec import valid
from kifold.core.emit import Out
from kifold.core.play import Play, Refused
from kifold.core.rulesets.unionking import UNIONKING, rules
from kifold.core.rulesets.unionking.board import is_board, line_ends
from kifold.core.rulesets.unionking.declaration import UnionkingSetup
from kifold.core.rulesets.unionking.layouts import GAME_3, GAMES_1_AND_2, points_of
from kifold.core.rulesets.unionking.picture import _lines
from kifold.core.rulesets.unionking.standing import gain
from tests.rulesets.unionking_cases import (
    BLACK,
    GAMES,
    NAMES,
    WHITE,
    begin,
    go,
    idle,
    name_of,
    pairs_at,
    targets,
    totals,
    why_not,
)

FIRST_MOVES = """
    a1-a3 a1-c3 a2-a3 b1-b3 b2-a3 b2-b3 b2-c3 c1-a3 c1-c3 c1-e3 c2-c3 d1-d3 d2-c3 d2-d3 d2-e3
    e1-c3 e1-e3 e1-g3 e2-e3 f1-f3 f2-e3 f2-f3 f2-g3 g1-e3 g1-g3 g2-g3
"""


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
            assert not gain(play.state, UNIONKING.flatten(event)), "nobody merges at the first move"


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
