"""Tests of the Union King referee: the vectors of the rule file, each reason and effect, and random play-outs."""

from __future__ import annotations

import importlib.util
import random
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

# Loaded by path, so that the tests run under every import mode of pytest.
_spec = importlib.util.spec_from_file_location("unionking_oracle", Path(__file__).with_name("unionking.py"))
assert _spec is not None
assert _spec.loader is not None
uk = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(uk)

WHITE, BLACK, OUTER, INNER = 0, 1, 0, 1
A, B, C, D, E, F, G = range(7)
VARIANTS = ("game1", "game2", "game3")

FIRST_MOVES = (
    "a1-a3 a1-c3 a2-a3 b1-b3 b2-a3 b2-b3 b2-c3 c1-a3 c1-c3 c1-e3 c2-c3 d1-d3 d2-c3 d2-d3 d2-e3 "
    "e1-c3 e1-e3 e1-g3 e2-e3 f1-f3 f2-e3 f2-f3 f2-g3 g1-e3 g1-g3 g2-g3"
)
ALL_EVENTS = [
    ("move", colour, part, figure, to) for colour, part, figure, to in product(range(2), range(2), range(7), range(81))
] + [("decline", WHITE), ("decline", BLACK)]


def at(name: str, width: int = 7) -> int:
    return (int(name[1]) - 1) * width + "abcdefghi".index(name[0])


def name_of(point: int, width: int = 7) -> str:
    return "abcdefghi"[point % width] + str(point // width + 1)


def board(**pieces: str) -> dict:
    """Points of a 7x7 board from names such as woA="a1"."""
    return {
        ("wb".index(name[0]), "oi".index(name[1]), "ABCDEFG".index(name[2])): at(point)
        for name, point in pieces.items()
    }


def pairs(colour: int, *points: str) -> dict:
    """Merged pairs of the figures A, B, ... on these points."""
    return {(colour, part, k): at(point) for k, point in enumerate(points) for part in (OUTER, INNER)}


def match(points: dict, variant: str = "game1", to_move: int = WHITE, **options: object):
    return uk.from_position(variant, 7, 7, points, to_move, options)


def targets(state, colour: int, part: int, figure: int) -> set[str]:
    return {name_of(e[4]) for e in state.legal(colour) if e[:4] == ("move", colour, part, figure)}


def move(piece: str, point: str) -> tuple:
    return ("move", "wb".index(piece[0]), "oi".index(piece[1]), "ABCDEFG".index(piece[2]), at(point))


def perft(state, depth: int, known: dict) -> int:
    """The number of move sequences; equal positions are counted once, as no end or repetition is near."""
    key = (depth, state.to_move(), *state.points.values())
    if key not in known:
        events = state.legal(state.to_move())
        known[key] = len(events) if depth == 1 else sum(perft(after(state, e), depth - 1, known) for e in events)
    return known[key]


def after(state, event: tuple):
    twin = state.copy()
    twin.apply(event)
    return twin


# The board and the start


def test_degrees_of_the_recommended_board() -> None:
    rows = ["3353533", "3848483", "5484845", "3848483", "5484845", "3848483", "3353533"]
    assert ["".join(str(uk.degree(7, 7, y * 7 + x)) for x in range(7)) for y in range(7)] == rows
    degrees = Counter(uk.degree(7, 7, point) for point in range(49))
    assert degrees == {3: 16, 4: 12, 5: 8, 8: 13}
    assert sum(uk.degree(7, 7, point) for point in range(49)) == 2 * 120


def test_degrees_of_the_7_by_5_board() -> None:
    assert Counter(uk.degree(7, 5, point) for point in range(35)) == {3: 14, 4: 7, 5: 6, 8: 8}


@pytest.mark.parametrize(("width", "height"), list(product(range(3, 11), repeat=2)))
def test_exactly_the_odd_boards_have_the_four_degrees(width: int, height: int) -> None:
    degrees = {uk.degree(width, height, point) for point in range(width * height)}
    fits = width % 2 == 1 and height % 2 == 1 and (width, height) != (3, 3)
    assert (degrees == {3, 4, 5, 8}) == fits


def test_lines_are_symmetric() -> None:
    for width, height in ((7, 7), (3, 5), (9, 3)):
        rays = uk.rays(width, height)
        edges = {(point, line[0]) for point, lines in rays.items() for line in lines}
        assert edges == {(b, a) for a, b in edges}


@pytest.mark.parametrize(("variant", "second_rank"), [("game1", "DEFGABC"), ("game2", "DEFGABC"), ("game3", "EFGABCD")])
def test_recommended_layout(variant: str, second_rank: str) -> None:
    points = dict(zip(uk.PIECES, uk.Oracle(variant).position()["points"], strict=True))
    for x in range(7):
        assert points[WHITE, OUTER, x] == x
        assert points[WHITE, INNER, "ABCDEFG".index(second_rank[x])] == 7 + x
    for part, figure in product(range(2), range(7)):
        assert points[BLACK, part, figure] == 48 - points[WHITE, part, figure]


def test_game_3_starts_as_the_renamed_mirror_image() -> None:
    first = dict(zip(uk.PIECES, uk.recommended_layout("game1"), strict=True))
    third = dict(zip(uk.PIECES, uk.recommended_layout("game3"), strict=True))
    mirrored = {(c, p, 6 - k): point // 7 * 7 + 6 - point % 7 for (c, p, k), point in first.items()}
    assert mirrored == third


@pytest.mark.parametrize("variant", VARIANTS)
def test_first_moves(variant: str) -> None:
    state = uk.Oracle(variant)
    names = {f"{name_of(state.points[e[1:4]])}-{name_of(e[4])}" for e in state.legal(WHITE)}
    assert names == set(FIRST_MOVES.split())
    assert len(state.legal(BLACK)) == 26


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_merge_on_either_first_move(variant: str) -> None:
    start = uk.Oracle(variant)
    for first in start.legal(WHITE):
        then = start.copy()
        assert "merged" not in then.apply(first)
        for second in then.legal(BLACK):
            assert "merged" not in then.copy().apply(second)


@pytest.mark.parametrize(("jump_merge", "counts"), [(True, (26, 676, 24102)), (False, (26, 676, 23998))])
@pytest.mark.parametrize("variant", VARIANTS)
def test_perft(variant: str, jump_merge: bool, counts: tuple[int, ...]) -> None:
    state = uk.Oracle(variant, {"jump_merge": jump_merge})
    assert tuple(perft(state, depth, {}) for depth in (1, 2, 3)) == counts


@pytest.mark.slow
def test_perft_depth_4() -> None:
    assert perft(uk.Oracle("game1"), 4, {}) == 859329


# Set-up


@pytest.mark.parametrize("sides", [(6, 7), (7, 4), (1, 9), (11, 7), (7, 11), (3, 3), (0, 7), (-7, 7)])
def test_bad_board(sides: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"^bad_board$"):
        uk.Oracle("game1", setup={"width": sides[0], "height": sides[1], "layout": list(range(28))})


def test_other_boards_need_a_layout() -> None:
    with pytest.raises(ValueError, match=r"^bad_board$"):
        uk.Oracle("game1", setup={"width": 9})
    state = uk.Oracle("game1", setup={"width": 9, "layout": list(range(28))})
    assert (state.position()["width"], state.position()["height"]) == (9, 7)


@pytest.mark.parametrize("wrong", [49, 80, -1])
def test_point_off_board(wrong: int) -> None:
    layout = [*range(27), wrong]
    with pytest.raises(ValueError, match=r"^point_off_board$"):
        uk.Oracle("game2", setup={"layout": layout})


def test_every_piece_needs_a_point() -> None:
    for layout in (list(range(27)), [*range(27), None]):
        with pytest.raises(ValueError, match=r"^point_off_board$"):
            uk.Oracle("game2", setup={"layout": layout})


def layout_with(changes: dict) -> list[int]:
    points = dict(zip(uk.PIECES, range(28), strict=True)) | changes
    return [points[piece] for piece in uk.PIECES]


def test_only_a_merged_pair_may_share_a_point() -> None:
    free = 40
    pair = {(WHITE, OUTER, C): free, (WHITE, INNER, C): free}
    state = uk.Oracle("game1", setup={"layout": layout_with(pair)})
    assert state.result()[WHITE]["pairs"] == 1
    wrong = [
        {(WHITE, OUTER, C): free, (WHITE, INNER, D): free},
        {(WHITE, OUTER, C): free, (BLACK, INNER, C): free},
        {(WHITE, OUTER, C): free, (WHITE, OUTER, D): free},
        pair | {(BLACK, OUTER, C): free},
    ]
    for changes in wrong:
        with pytest.raises(ValueError, match=r"^points_not_distinct$"):
            uk.Oracle("game1", setup={"layout": layout_with(changes)})


def test_unknown_options_keep_the_defaults() -> None:
    state = uk.Oracle("game1", {"colour": "red", "max_plies": 7})
    assert state.options == {"jump_merge": True, "last_move": "may", "repetition": 3, "max_plies": 7}


# Moves


@pytest.mark.parametrize("other", ["boA", "biG", "woB", "wiC"])
def test_vector_partner_is_next(other: str) -> None:
    for jump_merge in (True, False):
        state = match(board(woA="a1", wiA="b1", **{other: "c1"}), jump_merge=jump_merge)
        assert {point for point in targets(state, WHITE, OUTER, A) if point[1] == "1"} == {"b1", "d1"}


@pytest.mark.parametrize("other", ["boA", "biA", "woB", "wiG"])
@pytest.mark.parametrize(("jump_merge", "along_rank"), [(True, {"c1", "d1"}), (False, {"d1"})])
def test_vector_partner_inside_the_run(other: str, jump_merge: bool, along_rank: set[str]) -> None:
    state = match(board(wiA="c1", woA="a1", **{other: "b1"}), jump_merge=jump_merge)
    assert {point for point in targets(state, WHITE, OUTER, A) if point[1] == "1"} == along_rank
    assert (state.reasons(move("woA", "c1")) == {"not_reachable"}) is (not jump_merge)


def test_vector_full_rank() -> None:
    state = match(board(woA="a1", wiB="b1", boA="c1", biA="d1", woC="e1", wiC="f1", boG="g1"))
    assert targets(state, WHITE, OUTER, A) == {"a2", "b2"}


def test_a_step_does_not_slide_and_a_jump_lands_on_the_first_free_point() -> None:
    state = match(board(woA="a1", boB="a2", woC="a3", boD="a5", boE="b1"))
    assert targets(state, WHITE, OUTER, A) == {"a4", "c1", "b2"}
    for point in ("a2", "a3", "a5", "a6", "b1", "d1", "c3"):
        assert state.reasons(move("woA", point)) == {"not_reachable"}


def test_diagonals_join_even_points_only() -> None:
    state = match(board(woA="b1", boA="d4"))
    assert targets(state, WHITE, OUTER, A) == {"a1", "c1", "b2"}
    for point in ("a2", "c2", "d3", "b1", "d2", "a4"):
        assert state.reasons(move("woA", point)) == {"not_on_a_line"}
    assert len(targets(match(board(woA="b2")), WHITE, OUTER, A)) == 8


def test_a_diagonal_run_is_jumped() -> None:
    state = match(board(woA="a1", boA="b2", biA="c3"))
    assert state.copy().apply(move("woA", "d4")) == {"jumped"}
    assert state.reasons(move("woA", "e5")) == {"not_reachable"}


def test_a_merged_pair_is_one_obstacle_and_closed_to_a_third_piece() -> None:
    state = match(board(woA="a1", woB="b1", wiB="b1", boC="g7"))
    assert targets(state, WHITE, OUTER, A) == {"c1", "a2", "b2"}
    assert state.apply(move("woA", "c1")) == {"jumped"}


def test_only_the_partner_can_be_merged_with() -> None:
    for neighbour in ("woB", "wiB", "boA", "biA"):
        state = match(board(woA="a1", **{neighbour: "b1"}))
        assert state.reasons(move("woA", "b1")) == {"not_reachable"}


def test_merge_split_and_merge_again() -> None:
    state = match(board(woA="a1", wiA="b1", boB="g7"))
    black = [move("boB", "g6"), move("boB", "g5"), move("boB", "g4")]
    assert state.apply(move("woA", "b1")) == {"merged"}
    assert state.result()[WHITE] == {"rank": 1, "shared": False, "score": 3, "pairs": 1, "points_sum": 3}
    state.apply(black[0])
    assert targets(state, WHITE, OUTER, A) == targets(state, WHITE, INNER, A) == {"a1", "c1", "b2"}
    assert state.apply(move("wiA", "c1")) == {"split"}
    assert state.result()[WHITE]["score"] == 0
    state.apply(black[1])
    assert state.apply(move("woA", "c1")) == {"merged"}
    assert state.result()[WHITE]["score"] == 5


def test_merge_by_jump_and_split_by_jump() -> None:
    state = match(board(woA="a1", boA="b1", boB="c1", wiA="d1", boC="e1"))
    assert state.copy().apply(move("woA", "d1")) == {"merged", "jumped"}
    assert state.copy().apply(move("woA", "f1")) == {"jumped"}
    state.apply(move("woA", "d1"))
    state.apply(move("boC", "e2"))
    state.apply(move("woA", "a1"))
    assert state.points[WHITE, OUTER, A] == at("a1")
    assert state.points[WHITE, INNER, A] == at("d1")


def test_split_by_jump_names_both_effects() -> None:
    state = match(board(woA="a1", wiA="a1", boA="a2"))
    assert state.apply(move("woA", "a3")) == {"split", "jumped"}


# Reasons


def test_reasons_are_judged_each_on_its_own() -> None:
    state = uk.Oracle("game1")
    assert state.reasons(("decline", WHITE)) == {"decline_not_allowed"}
    assert state.reasons(("decline", BLACK)) == {"decline_not_allowed", "not_your_turn"}
    assert state.reasons(("move", BLACK, OUTER, A, 49)) == {"not_your_turn", "off_board"}
    assert state.reasons(("move", WHITE, OUTER, A, 80)) == {"off_board"}
    assert state.reasons(("move", BLACK, OUTER, A, at("g7"))) == {"not_your_turn", "not_on_a_line"}
    assert state.reasons(("move", BLACK, OUTER, A, at("g6"))) == {"not_your_turn", "not_reachable"}
    assert state.reasons(("move", BLACK, OUTER, A, at("g5"))) == {"not_your_turn"}
    assert state.reasons(move("woA", "a3")) == set()
    assert state.reasons(move("woA", "a2")) == {"not_reachable"}


def test_a_piece_off_the_board_stands_on_no_line() -> None:
    state = match(board(woA="a1", boA="g7") | {(WHITE, INNER, A): None})
    assert state.reasons(move("wiA", "a1")) == {"not_on_a_line"}
    assert state.reasons(move("wiB", "a2")) == {"not_on_a_line"}


def test_after_the_end_everything_is_refused() -> None:
    state = uk.Oracle("game1", {"max_plies": 1})
    assert state.apply(move("woA", "a3")) == {"jumped", "ended_by_length"}
    assert state.to_move() is None
    assert state.legal(WHITE) == state.legal(BLACK) == set()
    assert state.reasons(move("boA", "g5")) == {"match_over"}
    assert state.reasons(move("boA", "g6")) == {"match_over", "not_reachable"}
    assert state.reasons(("decline", BLACK)) == {"match_over", "decline_not_allowed"}


def test_an_illegal_event_changes_nothing() -> None:
    state = uk.Oracle("game1")
    before = state.position()
    with pytest.raises(ValueError, match="not_reachable"):
        state.apply(move("woA", "a2"))
    assert state.position() == before


# Scores


@pytest.mark.parametrize(("variant", "total"), [("game1", 40), ("game2", 80), ("game3", 105)])
def test_vector_five_pairs_on_eight_points(variant: str, total: int) -> None:
    state = match(pairs(WHITE, "b2", "d2", "f2", "b4", "d4"), variant)
    assert state.result()[WHITE] == {"rank": 1, "shared": False, "score": total, "pairs": 5, "points_sum": 40}
    assert state.result()[BLACK] == {"rank": 2, "shared": False, "score": 0, "pairs": 0, "points_sum": 0}


@pytest.mark.parametrize(
    ("variant", "scale", "maximum"),
    [("game1", (3, 4, 5, 8), 56), ("game2", (6, 8, 10, 16), 112), ("game3", (11, 13, 15, 21), 147)],
)
def test_scale_of_one_pair_and_maximum(variant: str, scale: tuple[int, ...], maximum: int) -> None:
    points = ("a1", "c2", "c1", "b2")
    assert tuple(match(pairs(BLACK, point), variant).total(BLACK) for point in points) == scale
    assert match(pairs(BLACK, "b2", "d2", "f2", "b4", "d4", "f4", "c3"), variant).total(BLACK) == maximum


def test_equal_totals_share_the_first_rank_whatever_the_number_of_pairs() -> None:
    state = match(pairs(WHITE, "b2") | pairs(BLACK, "c7", "a7"))
    assert [(seat["rank"], seat["shared"], seat["score"], seat["pairs"]) for seat in state.result()] == [
        (1, True, 8, 1),
        (1, True, 8, 2),
    ]


# Goal and last move


NEAR_GOAL = {
    # White's or Black's outer A on c4 completes the goal by a step to b4; before it the goal is not reached.
    "game1": ("b4", "a1", "b1", "d1", "f1"),
    "game2": ("b4", "b2", "d2", "f2", "a1"),
    "game3": ("b4", "b2", "d2", "f2", "d4"),
}


def near_goal(variant: str, colour: int) -> dict:
    points = pairs(colour, *NEAR_GOAL[variant])
    points[colour, OUTER, A] = at("c4")
    return points


@pytest.mark.parametrize("variant", VARIANTS)
def test_white_reaches_the_goal_and_black_may_move_or_decline(variant: str) -> None:
    state = match(near_goal(variant, WHITE) | board(boA="g7", biA="g6"), variant)
    assert not state.reached_goal(WHITE)
    assert state.apply(move("woA", "b4")) == {"merged", "last_move_granted"}
    assert state.to_move() == BLACK
    assert state.position()["last_move_due"]
    assert ("decline", BLACK) in state.legal(BLACK)
    assert ("decline", WHITE) not in state.legal(WHITE)
    assert state.reasons(("decline", WHITE)) == {"not_your_turn", "decline_not_allowed"}
    declined = state.copy()
    assert declined.apply(("decline", BLACK)) == {"ended_by_goal"}
    assert declined.position()["plies"] == 2
    assert not declined.position()["last_move_due"]
    assert declined.reasons(("decline", BLACK)) == {"match_over", "decline_not_allowed"}
    assert state.apply(move("boA", "g6")) == {"merged", "ended_by_goal"}
    assert state.to_move() is None
    assert state.position()["ended"] == "ended_by_goal"


def test_the_last_move_must_be_made_under_must() -> None:
    state = match(near_goal("game1", WHITE) | board(boA="g7"), last_move="must")
    state.apply(move("woA", "b4"))
    assert state.reasons(("decline", BLACK)) == {"decline_not_allowed"}
    assert state.legal(BLACK) == {move("boA", point) for point in ("f7", "f6", "g6")}
    assert state.apply(move("boA", "f7")) == {"ended_by_goal"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_black_reaches_the_goal_and_the_match_is_over(variant: str) -> None:
    state = match(near_goal(variant, BLACK) | board(woA="g7"), variant, BLACK)
    assert state.apply(move("boA", "b4")) == {"merged", "ended_by_goal"}
    assert state.result()[BLACK]["rank"] == 1


def test_black_without_a_move_gets_no_last_move() -> None:
    state = match(near_goal("game1", WHITE))
    assert state.apply(move("woA", "b4")) == {"merged", "ended_by_goal"}


def test_black_overtakes_with_the_last_move_and_white_gets_no_more() -> None:
    points = pairs(WHITE, "b4", "a1", "b1", "d1", "f1") | pairs(BLACK, "b6", "d6", "f6", "c5", "e5")
    points |= {(WHITE, OUTER, A): at("c4"), (BLACK, OUTER, E): at("e4")}
    state = match(points)
    assert state.apply(move("woA", "b4")) == {"merged", "last_move_granted"}
    assert state.apply(move("boE", "e5")) == {"merged", "ended_by_goal"}
    assert [seat["score"] for seat in state.result()] == [20, 40]
    assert [seat["rank"] for seat in state.result()] == [2, 1]


def test_who_ends_the_match_need_not_win() -> None:
    points = near_goal("game1", BLACK) | pairs(WHITE, "b6", "d6", "f6")
    state = match(points, to_move=BLACK)
    assert state.apply(move("boA", "b4")) == {"merged", "ended_by_goal"}
    assert [seat["score"] for seat in state.result()] == [24, 20]
    assert [seat["rank"] for seat in state.result()] == [1, 2]


@pytest.mark.parametrize(
    ("variant", "points", "reached"),
    [
        ("game1", ("b2", "d2", "f2", "b4"), False),
        ("game1", ("a1", "b1", "d1", "f1", "g1"), True),
        ("game1", ("a1", "b1", "d1", "f1", "g1", "g2"), True),
        ("game2", ("b2", "d2", "f2", "b4"), False),
        ("game2", ("b2", "d2", "f2", "b4", "a1"), True),
        ("game2", ("c1", "e1", "a3", "g3", "c7", "e7", "a5"), True),
        ("game2", ("c1", "e1", "a3", "g3", "c7", "e7", "c2"), False),
        ("game3", ("b2", "d2", "f2", "b4", "c1"), False),
        ("game3", ("b2", "d2", "f2", "b4", "d4"), True),
        ("game3", ("b2", "d2", "f2", "c1", "a1", "b1"), True),
        ("game3", ("b2", "d2", "c1", "c2", "a1", "b1", "d1"), True),
        ("game3", ("b2", "c1", "e1", "a3", "a1", "b1", "d1"), False),
    ],
)
def test_thresholds(variant: str, points: tuple[str, ...], reached: bool) -> None:
    assert match(pairs(WHITE, *points), variant).reached_goal(WHITE) is reached


def test_least_basic_sums_of_seven_pairs() -> None:
    assert min(s for s in range(57) if 2 * s + 5 * 7 >= 100) == 33
    state = match(pairs(WHITE, "b2", "d2", "c1", "a1", "b1", "d1", "f1"), "game3")
    assert state.points_sum(WHITE) == 33
    assert state.total(WHITE) == 101


def test_the_goal_is_tested_for_the_mover_only() -> None:
    state = match(pairs(BLACK, "b2", "d2", "f2", "b4", "d4") | board(woA="a1"))
    assert state.apply(move("woA", "a2")) == set()
    assert state.apply(move("boA", "a3")) == {"split"}
    state = match(pairs(BLACK, "b2", "d2", "f2", "b4", "d4") | board(woA="a1", boG="g7"))
    state.apply(move("woA", "a2"))
    assert state.apply(move("boG", "g6")) == {"ended_by_goal"}


# Skips, stuck, repetition, length


def test_a_side_without_a_move_is_skipped() -> None:
    state = match(board(woA="d4"))
    assert state.apply(move("woA", "d5")) == {"turn_skipped"}
    assert state.to_move() == WHITE
    assert state.reasons(move("woA", "d4")) == set()


def test_skipped_at_the_start() -> None:
    state = match(board(boA="d4"))
    assert state.to_move() == BLACK
    assert match({}).position()["ended"] == "ended_stuck"


# Fourteen pairs fill a 3 by 5 board but for one point, c3; whoever splits a pair first fills that too.
SMALL = dict(zip(uk.PIECES, [0, 1, 2, 3, 5, 9, 6] * 2 + [11, 12, 13, 14, 4, 7, 10] * 2, strict=True))


def small(variant: str, **options: object):
    layout = [SMALL[piece] for piece in uk.PIECES]
    return uk.Oracle(variant, options, 2, {"width": 3, "height": 5, "layout": layout})


def test_crowded_board_skips_the_opponent_with_all_pieces_on_it() -> None:
    state = small("game3")
    free = set(range(15)) - set(state.points.values())
    assert free == {8}
    first = next(e for e in sorted(state.legal(WHITE)) if state.points[e[1:4]] == 5)
    assert state.apply(first) == {"split", "turn_skipped"}
    assert state.to_move() == WHITE
    assert not state.legal(BLACK)
    assert {e[4] for e in state.legal(WHITE)} <= {5, 8}


def test_crowded_board_gets_stuck() -> None:
    state = small("game3", jump_merge=False)
    first = next(e for e in sorted(state.legal(WHITE)) if state.points[e[1:4]] == 6)
    assert state.apply(first) == {"split", "jumped", "ended_stuck"}
    assert state.to_move() is None


def test_white_at_the_goal_ends_a_crowded_board_at_once() -> None:
    state = small("game1", jump_merge=False)
    first = next(e for e in sorted(state.legal(WHITE)) if state.points[e[1:4]] == 6)
    assert state.apply(first) == {"split", "jumped", "ended_by_goal"}


def shuffle_in_place(state, times: int) -> list[set[str]]:
    cycle = [move("woA", "b1"), move("boA", "f7"), move("woA", "a1"), move("boA", "g7")]
    return [state.apply(event) for event in (cycle * times)[: 4 * times]]


def test_the_start_counts_as_the_first_occurrence() -> None:
    state = match(board(woA="a1", boA="g7"))
    effects = shuffle_in_place(state, 2)
    assert effects[:7] == [set()] * 7
    assert effects[7] == {"ended_by_repetition"}


@pytest.mark.parametrize(("repetition", "plies"), [(1, 1), (2, 4), (3, 8), (5, 16)])
def test_repetition_option(repetition: int, plies: int) -> None:
    state = match(board(woA="a1", boA="g7"), repetition=repetition)
    cycle = [move("woA", "b1"), move("boA", "f7"), move("woA", "a1"), move("boA", "g7")]
    while state.to_move() is not None:
        state.apply(cycle[state.plies % 4])
    assert (state.plies, state.ended) == (plies, "ended_by_repetition")


def test_repetition_off() -> None:
    state = match(board(woA="a1", boA="g7"), repetition=0)
    assert shuffle_in_place(state, 10) == [set()] * 40
    assert state.position()["seen"] == 0


def test_the_side_to_move_belongs_to_the_repeated_position() -> None:
    # White returns to a1 in three moves, Black to g7 in two: the points recur with the other side to move.
    state = match(board(woA="a1", boA="g7"), repetition=2)
    events = [("woA", "b1"), ("boA", "f7"), ("woA", "b2"), ("boA", "g7"), ("woA", "a1")]
    assert [state.apply(move(*event)) for event in events] == [set()] * 5
    events = [("boA", "f7"), ("woA", "b1"), ("boA", "g7"), ("woA", "a1")]
    assert [state.apply(move(*event)) for event in events] == [set()] * 3 + [{"ended_by_repetition"}]


def test_repetition_counts_the_side_to_move_after_skips() -> None:
    state = match(board(woA="a1"))
    steps = ["b1", "a1", "b1"]
    assert [state.apply(move("woA", point)) for point in steps] == [{"turn_skipped"}] * 3
    assert state.apply(move("woA", "a1")) == {"ended_by_repetition"}


def test_swapped_pieces_are_another_position() -> None:
    state = match(board(woA="a1", woB="b1", boA="g7"), repetition=2)
    white = [("woA", "a2"), ("woB", "a1"), ("woA", "b2"), ("woA", "b1")]
    black = [("boA", "g6"), ("boA", "g7")] * 2
    for ours, theirs in zip(white, black, strict=True):
        assert state.apply(move(*ours)) == set()
        assert state.apply(move(*theirs)) == set()
    assert state.points == board(woA="b1", woB="a1", boA="g7")
    assert state.to_move() == WHITE


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_length(limit: int) -> None:
    state = uk.Oracle("game2", {"max_plies": limit})
    rng = random.Random(limit)
    effects = [state.apply(state.random_event(rng)) for _ in range(limit)]
    assert ["ended_by_length" in found for found in effects] == [False] * (limit - 1) + [True]


def test_precedence_of_the_ends() -> None:
    black = match(near_goal("game1", BLACK) | board(woA="g7"), to_move=BLACK, max_plies=1, repetition=1)
    assert black.apply(move("boA", "b4")) == {"merged", "ended_by_goal"}
    white = match(near_goal("game1", WHITE) | board(boA="g7"), max_plies=1, repetition=1)
    assert white.apply(move("woA", "b4")) == {"merged", "last_move_granted"}
    assert white.apply(move("boA", "g6")) == {"ended_by_goal"}
    both = match(board(woA="a1", boA="g7"), max_plies=4, repetition=2)
    assert shuffle_in_place(both, 1)[3] == {"ended_by_repetition"}
    stuck = small("game3", jump_merge=False, max_plies=1)
    first = next(e for e in sorted(stuck.legal(WHITE)) if stuck.points[e[1:4]] == 6)
    assert stuck.apply(first) == {"split", "jumped", "ended_by_length"}


def test_no_skip_is_named_when_the_match_ends() -> None:
    state = match(board(woA="d4"), max_plies=1)
    assert state.apply(move("woA", "d5")) == {"ended_by_length"}


# Play-outs


def check_invariants(state) -> None:
    points = list(state.points.items())
    for (piece, point), (other, other_point) in product(points, repeat=2):
        if piece < other and point == other_point:
            assert piece[0] == other[0]
            assert piece[2] == other[2]
    if state.to_move() is not None:
        assert state.legal(state.to_move())
        assert state.plies < state.options["max_plies"] or state.last_move_due
    assert (state.to_move() is None) == (state.ended is not None)
    for seat in state.result():
        scale = {"game1": (1, 0), "game2": (2, 0), "game3": (2, 5)}[state.variant]
        assert seat["score"] == scale[0] * seat["points_sum"] + scale[1] * seat["pairs"]


def check_reasons_against_legal(state) -> Counter:
    legal = {seat: state.legal(seat) for seat in (WHITE, BLACK)}
    found: Counter = Counter()
    for event in ALL_EVENTS:
        reasons = state.reasons(event)
        found.update(reasons)
        assert reasons <= uk.REASONS.keys()
        assert (not reasons) == (event[1] == state.to_move() and event in legal[event[1]])
        assert (not reasons - {"not_your_turn"}) == (event in legal[event[1]])
    return found


def random_match(rng: random.Random):
    options = {
        "jump_merge": rng.random() < 0.6,
        "last_move": rng.choice(["may", "must"]),
        "repetition": rng.choice([0, 2, 3]),
        "max_plies": rng.choice([5, 40, 80]),
    }
    width, height = rng.choice([(7, 7), (3, 5), (5, 5), (3, 7), (9, 9), (5, 9)])
    free = rng.sample(range(width * height), min(width * height, 28))
    merged = rng.sample(list(product(range(2), range(7))), min(14, max(28 - len(free), rng.randrange(15))))
    points = {}
    for colour, figure in product(range(2), range(7)):
        points[colour, OUTER, figure] = free.pop()
        points[colour, INNER, figure] = points[colour, OUTER, figure] if (colour, figure) in merged else free.pop()
    setup = {"width": width, "height": height, "layout": [points[piece] for piece in uk.PIECES]}
    return uk.Oracle(rng.choice(VARIANTS), options, 2, setup)


def test_random_matches_keep_the_invariants_and_meet_every_reason_and_effect() -> None:
    rng = random.Random(20)
    reasons: Counter = Counter()
    effects: Counter = Counter()
    for _ in range(70):
        state = random_match(rng)
        start = state.copy()
        events = []
        while state.to_move() is not None:
            if rng.random() < 0.01:
                reasons += check_reasons_against_legal(state)
            mover, before = state.to_move(), state.position()
            event = state.random_event(rng)
            found = state.copy().apply(event)
            assert state.position() == before
            assert state.apply(event) == found
            assert len([name for name in found if name.startswith("ended_")]) == (state.to_move() is None)
            assert state.to_move() == (mover if "turn_skipped" in found else None if state.ended else 1 - mover)
            effects.update(found)
            events.append(event)
            check_invariants(state)
        reasons += check_reasons_against_legal(state) if rng.random() < 0.1 else Counter()
        for event in events:
            start.apply(event)
        assert start.position() == state.position()
        assert start.result() == state.result()
    assert reasons.keys() == uk.REASONS.keys()
    assert effects.keys() == uk.EFFECTS.keys()


def distance(state, seat: int) -> int:
    total = 0
    for figure in range(7):
        (y0, x0), (y1, x1) = (divmod(state.points[seat, part, figure], 7) for part in (OUTER, INNER))
        total += max(abs(x0 - x1), abs(y0 - y1))
    return total


def greedy_event(state, rng: random.Random) -> tuple:
    seat = state.to_move()
    ranked = []
    for event in sorted(state.legal(seat)):
        then = after(state, event)
        ranked.append((then.total(seat) - then.total(1 - seat), -distance(then, seat), rng.random(), event))
    return max(ranked)[3]


@pytest.mark.parametrize("variant", VARIANTS)
def test_greedy_matches_reach_the_threshold(variant: str) -> None:
    for seed in range(2):
        state, rng = uk.Oracle(variant), random.Random(seed)
        while state.to_move() is not None:
            state.apply(greedy_event(state, rng))
        assert state.ended == "ended_by_goal"
        assert state.plies < 80
        assert state.reached_goal(WHITE) or state.reached_goal(BLACK)


def test_random_play_hardly_ever_ends_before_the_length() -> None:
    for seed in range(4):
        state, rng = uk.Oracle("game3"), random.Random(seed)
        while state.to_move() is not None:
            state.apply(state.random_event(rng))
        assert (state.ended, state.plies) == ("ended_by_length", 300)


def test_names_are_documented() -> None:
    texts = [*uk.REASONS.values(), *uk.EFFECTS.values()]
    assert all(text[0].isdigit() for text in texts)
    assert len(set(texts)) == len(texts)
    assert not uk.REASONS.keys() & uk.EFFECTS.keys()
