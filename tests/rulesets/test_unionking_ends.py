"""Unionking: how a match ends and who wins (rule file, 4.7 to 4.11), and the history below it."""

from __future__ import annotations

import random

import pytest

from kifold.core.events import Event
from kifold.core.play import Play
from kifold.core.records import essential_size
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking import UNIONKING, history, rules
from kifold.core.rulesets.unionking.declaration import Decline, Move
from tests.rulesets.harness import chosen_log, random_log
from tests.rulesets.unionking_cases import (
    AND_BACK,
    BLACK,
    FOUR,
    GAMES,
    NAMES,
    READY,
    THERE,
    WHITE,
    begin,
    go,
    go_words,
    idle,
    name_of,
    pairs_at,
    totals,
    why_not,
)

# 4.7 The end


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


@pytest.mark.parametrize("times", [2, 3, 5])
def test_the_start_counts_for_repetition(times: int) -> None:
    play = begin(options={"repetition": times})
    effects = go_words(play, AND_BACK * (times - 1))
    assert effects[-1] == {"jumped", "ended_by_repetition"}
    assert all("ended_by_repetition" not in said for said in effects[:-1])
    assert play.turn == NOBODY


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
