"""One match in plain Python: what may come next, taking back, remarks, giving up, ends."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.core.events import Event, Finished, Noted, Resigned, Started, Undone
from kifold.core.play import Play, Refused, fold, no_place, standing_events
from kifold.core.ruleset import CHANCE, NOBODY, SNAPSHOT
from tests.core.toy import EFFECTS, RACE, RaceSetup, Roll, Step


def play_of(*events: Event, started: Started | None = None) -> Play:
    play = Play(RACE, started or RACE.start())
    for event in events:
        play.add(event)
    return play


def why(play: Play, event: Event) -> str:
    refused = play.why_not(event)
    return refused.reason if refused else ""


def same(one: Play, other: Play) -> bool:
    """Whether two matches stand alike, whatever was taken back in them."""
    parts = ("state", "effects", "seats", "snapshots", "ending", "turn", "ply")
    return all(getattr(one, part) == getattr(other, part) for part in parts) and [e for _, e in one.effective] == [
        e for _, e in other.effective
    ]


def test_events_one_after_the_other() -> None:
    play = Play(RACE, RACE.start())
    assert (play.turn, play.ply, play.is_over, play.log, play.effective) == (0, 0, False, [], [])
    assert play.add(Step(0, 3)) == 0
    assert play.add(Step(1, 2)) == 0
    assert EFFECTS.of(play.add(Step(0, 1))) == ["roll_came_due"]
    assert (play.turn, play.ply) == (CHANCE, 3)
    assert play.add(Roll(6)) == 0
    assert (play.turn, play.ply, play.state.total) == (1, 3, 12)
    assert play.log == [Step(0, 3), Step(1, 2), Step(0, 1), Roll(6)]
    assert play.effective == list(enumerate(play.log, start=1))
    assert play.seats == [0, 1, 0, CHANCE]


def test_what_the_rules_refuse_changes_nothing() -> None:
    play = play_of(Step(0, 3))
    before, log = play.state.copy(), list(play.log)
    with pytest.raises(Refused, match=r"^event 2 is refused: not_your_turn – another seat is next$") as refused:
        play.add(Step(0, 1))
    assert (refused.value.seq, refused.value.reason, refused.value.event) == (2, "not_your_turn", Step(0, 1))
    assert why(play, Step(1, 4)) == "too_much"
    assert why(play, Step(3, 1)) == "no_such_seat"
    assert why(play, Roll(1)) == "no_roll_due"
    assert why(play, Step(1, 1)) == ""
    assert (play.state, play.log, play.effects) == (before, log, [0])


def test_a_setup_that_the_rules_refuse_is_event_0() -> None:
    with pytest.raises(Refused, match=r"^event 0 is refused: too_far") as refused:
        Play(RACE, RACE.start(options={"goal": 20}, setup=RaceSetup(20)))
    assert refused.value.seq == 0


def test_lists_of_legal_events() -> None:
    play = play_of(Step(0, 1), Step(1, 1))
    assert play.legal() == play.legal(0) == [Step(0, n) for n in (1, 2, 3)]
    assert play.legal(1) == [Step(1, n) for n in (1, 2, 3)]
    play.add(Step(0, 1))
    assert play.legal() == [Roll(n) for n in range(1, 7)]
    assert play.legal(NOBODY) == []


def test_the_rules_end_the_match() -> None:
    play = play_of(Step(0, 3), started=RACE.start(options={"goal": 5}))
    assert EFFECTS.of(play.add(Step(1, 2))) == ["reached"]
    assert (play.turn, play.is_over, play.legal(), play.ending) == (NOBODY, True, [], None)
    for event in (Step(0, 1), Roll(1), Finished(0), Resigned(1)):
        assert why(play, event) == "match_over"
    assert why(play, Noted("C", ("well played",))) == ""
    assert why(play, Undone(0)) == ""


# Results


def test_standings_have_rank_score_and_components() -> None:
    first, second = play_of(Step(0, 2), Step(1, 3)).result()
    assert (first.seat, first.rank, first.shared, first.score) == (0, 2, False, 2)
    assert (second.seat, second.rank, second.shared, second.score) == (1, 1, False, 3)
    assert second.components == {"pair": [1, 2]}
    assert [(s.rank, s.shared) for s in play_of(Step(0, 2), Step(1, 2)).result()] == [(1, True), (1, True)]


# Finished, Resigned


def test_finished_closes_the_match() -> None:
    play = play_of(Step(0, 3), Finished(1))
    assert (play.turn, play.is_over, play.legal(), play.legal(1)) == (NOBODY, True, [], [])
    assert play.ending == Finished(1)
    assert play.ply == 1
    for event in (Step(1, 1), Finished(0), Resigned(0)):
        assert why(play, event) == "match_over"
    assert [standing.rank for standing in play.result()] == [1, 2]


def test_who_resigns_is_last() -> None:
    play = play_of(Step(0, 3), Resigned(0))
    assert (play.turn, play.ending) == (NOBODY, Resigned(0))
    assert [(s.rank, s.shared, s.score) for s in play.result()] == [(2, False, 3), (1, False, 0)]


def test_of_several_seats_the_others_stand_as_they_stood() -> None:
    started = RACE.start("more", seats=4)
    play = play_of(Step(0, 3), Step(1, 2), Step(2, 2), started=started)
    assert [s.rank for s in play.result()] == [1, 2, 2, 4]
    play.add(Resigned(0))
    assert [(s.rank, s.shared) for s in play.result()] == [(4, False), (1, True), (1, True), (3, False)]


def test_a_seat_resigns_at_any_time_but_must_be_there() -> None:
    assert why(play_of(), Resigned(1)) == ""
    assert why(play_of(Step(0, 1), Step(1, 1), Step(0, 1)), Resigned(1)) == ""
    assert why(play_of(), Resigned(2)) == "no_such_seat"


# Noted


def test_remarks_change_nothing_but_the_log() -> None:
    remark = Noted("C", ("a", "b"))
    play, plain = play_of(remark, Step(0, 3), remark, Step(1, 1), remark), play_of(Step(0, 3), Step(1, 1))
    assert same(play, plain)
    assert play.effective == [(2, Step(0, 3)), (4, Step(1, 1))]
    with pytest.raises(Refused) as refused:
        play.add(Step(1, 1))
    assert refused.value.seq == 6


# Undone


def test_taking_back_to_an_event() -> None:
    play = play_of(Step(0, 3), Step(1, 2), Step(0, 1), Roll(6), Undone(2))
    assert same(play, play_of(Step(0, 3), Step(1, 2)))
    assert len(play.log) == 5
    assert play.effective == [(1, Step(0, 3)), (2, Step(1, 2))]
    play.add(Step(0, 2))
    assert play.effective[-1] == (6, Step(0, 2))
    assert same(play, play_of(Step(0, 3), Step(1, 2), Step(0, 2)))


def test_taking_back_everything_and_nothing() -> None:
    assert same(play_of(Step(0, 3), Step(1, 2), Undone(0)), play_of())
    assert same(play_of(Step(0, 3), Step(1, 2), Undone(2)), play_of(Step(0, 3), Step(1, 2)))
    assert same(play_of(Undone(0)), play_of())


def test_what_is_not_there_cannot_be_gone_back_to() -> None:
    play = play_of(Step(0, 3), Step(1, 2))
    assert why(play, Undone(3)) == "no_such_seq"
    assert why(play, Undone(2)) == ""


def test_taking_back_an_end() -> None:
    play = play_of(Step(0, 3), Resigned(1), Undone(1))
    assert (play.ending, play.turn) == (None, 1)
    play.add(Finished(2))
    play.add(Undone(1))
    play.add(Step(1, 1))
    assert same(play, play_of(Step(0, 3), Step(1, 1)))
    over = play_of(Step(0, 3), Step(1, 2), started=RACE.start(options={"goal": 5}))
    over.add(Undone(1))
    assert over.turn == 1


def test_going_back_to_an_event_that_was_itself_taken_back() -> None:
    """It stays so: event 2 was taken back by event 3, and going back to 2 does not bring it back."""
    play = play_of(Step(0, 3), Step(1, 2), Undone(1), Step(1, 3), Undone(2))
    assert same(play, play_of(Step(0, 3)))


@given(st.integers(0, 1 << 30))
def test_there_is_a_place_to_go_back_to_where_the_match_then_stands_as_it_did(seed: int) -> None:
    rng = random.Random(seed)
    play = Play(RACE, RACE.start(options={"goal": 100}))
    for _ in range(12):
        undone = Undone(rng.randint(0, len(play.log)))
        then, now = fold(RACE, play.started, play.log[: undone.back_to])[0], play.copy()
        now.add(undone)
        stands = standing_events(then.log) == standing_events(now.log)
        assert (no_place(play.log, undone) is None) == stands
        assert same(now, then) or not stands
        play.add(undone if rng.random() < 0.4 else rng.choice([*play.legal()[:1], Noted("C", (str(seed),))]))
    assert no_place(play.log, Undone(99)) is no_place(play.log, Noted("C")) is None


def test_what_stands_of_a_log() -> None:
    log = [Step(0, 3), Noted("C"), Step(1, 2), Undone(2), Step(1, 1), Finished(0), Undone(5)]
    assert standing_events(log) == [(1, Step(0, 3)), (2, Noted("C")), (5, Step(1, 1))]


@given(st.integers(0, 1 << 30))
def test_random_logs_stand_like_what_was_not_taken_back(seed: int) -> None:
    rng = random.Random(seed)
    play = Play(RACE, RACE.start("more", {"goal": 100}, setup=RaceSetup(rng.randint(0, 50))))
    for _ in range(rng.randint(0, 60)):
        choice = rng.random()
        if choice < 0.1:
            play.add(Undone(rng.randint(0, len(play.log))))
        elif choice < 0.2:
            play.add(Noted("C", (str(choice),)))
        elif choice < 0.22 and not play.is_over:
            play.add(rng.choice([Finished(0), Resigned(2)]))
        elif not play.is_over:
            play.add(rng.choice(play.legal()))
    standing = [event for _, event in standing_events(play.log)]
    assert same(play, play_of(*standing, started=play.started))
    again, refused = fold(RACE, play.started, play.log)
    assert refused is None
    assert same(play, again)
    assert again.effective == play.effective
    assert len(play.snapshots) == len(play.effective) // SNAPSHOT


# fold, copy


def test_a_fold_stops_at_the_first_refusal() -> None:
    play, refused = fold(RACE, RACE.start(), [Step(0, 3), Noted("C"), Step(0, 1), Step(1, 1)])
    assert refused is not None
    assert (refused.seq, refused.reason) == (3, "not_your_turn")
    assert same(play, play_of(Step(0, 3)))


def test_copies_are_independent() -> None:
    play = play_of(Step(0, 3))
    other = play.copy()
    other.add(Step(1, 1))
    other.add(Resigned(0))
    assert same(play, play_of(Step(0, 3)))
    assert same(other, play_of(Step(0, 3), Step(1, 1), Resigned(0)))


def test_one_live_match_starts_no_compiler_and_imports_no_numpy() -> None:
    source = """
import random, sys
from kifold.core import codec, play, registry
for name in registry.names():
    ruleset = registry.ruleset(name)
    started = ruleset.start()
    if ruleset.rules.chance is None:
        match = play.Play(ruleset, started)
        for _ in range(5):
            event = random.Random(1).choice(match.legal())
            match.add(codec.from_json(ruleset, codec.to_json(event)))
        match.result(), ruleset.picture(started, match.state), ruleset.opening(started, match.log)
print([name for name in ("numba", "numpy", "duckdb", "pyarrow") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
