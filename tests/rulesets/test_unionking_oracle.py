"""Unionking against the brute-force oracle tests/oracles/unionking.py, and plain against compiled, in every setting."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from kifold.core.events import Event, Started
from kifold.core.play import Play, Refused
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking import UNIONKING
from kifold.core.rulesets.unionking.declaration import ENDED_STUCK, JUMPED, SPLIT, Decline, Move, UnionkingSetup
from tests.rulesets.harness import (
    Adapter,
    Log,
    assert_agrees_with_oracle,
    assert_covers,
    assert_plays_alike,
    assert_two_ways,
    chosen_log,
    folder,
    load_oracle,
    random_log,
    random_logs,
)

ORACLE: Any = load_oracle("unionking")
GAMES = ("game1", "game2", "game3")
PAIRS = 14
SETUP_REASONS = ("bad_board", "point_off_board", "points_not_distinct")
SETTINGS: list[dict[str, Any]] = [
    {"max_plies": 40},
    {"max_plies": 40, "jump_merge": False},
    {"max_plies": 60, "last_move": "must", "repetition": 2},
    {"max_plies": 60, "jump_merge": False, "last_move": "must", "repetition": 0},
]


def build(started: Started) -> Any:
    setup = {"width": started.setup.width, "height": started.setup.height}
    if started.setup.layout:
        setup["layout"] = list(started.setup.layout)
    return ORACLE.Oracle(started.variant, started.options, started.seats, setup)


def to_oracle(event: Event) -> tuple[Any, ...]:
    if isinstance(event, Decline):
        return ("decline", event.colour)
    assert isinstance(event, Move)
    return ("move", event.colour, event.part, event.figure, event.to)


def position(state: Any) -> dict[str, Any]:
    """With how often the position was there, where that counts."""
    found = {
        "width": state.width,
        "height": state.height,
        "points": [(spot // 10 - 1) * state.width + spot % 10 - 1 for spot in state.spots],
        "to_move": None if state.to_move == NOBODY else state.to_move,
        "last_move_due": bool(state.is_last_move),
        "plies": state.plies,
    }
    if state.to_move != NOBODY and not state.is_last_move:
        found["seen"] = state.times[state.plies] if state.repetition else 0
    return found


ADAPTER = Adapter(UNIONKING, build, to_oracle, position)


# Layouts


def scattered(rng: random.Random, width: int, height: int, pairs: int) -> UnionkingSetup:
    """Pieces anywhere on a board, so many pairs merged, the others not."""
    points = rng.sample(range(width * height), 28 - pairs)
    merged = set(rng.sample(range(PAIRS), pairs))
    layout = [0] * 28
    for pair in range(PAIRS):
        outer = pair // 7 * 14 + pair % 7
        layout[outer] = points.pop()
        layout[outer + 7] = layout[outer] if pair in merged else points.pop()
    return UnionkingSetup(width, height, tuple(layout))


def crowded(rng: random.Random, free: int) -> UnionkingSetup:
    """A small board with few free points, where sides get stuck."""
    width, height = rng.choice([(3, 5), (5, 3), (3, 7), (7, 3), (5, 5), (3, 9), (9, 3)])
    return scattered(rng, width, height, 28 - (width * height - free))


def walled(rng: random.Random) -> UnionkingSetup:
    """On a full board of 3×5 Black's pairs are all merged, and White's last free point will touch few of them."""
    columns = [x + 3 * y for x in range(3) for y in range(5)]
    points = columns if rng.random() < 0.5 else columns[::-1]
    white, black = points[:8], points[8:]
    singles = rng.randrange(7)
    layout = [0] * 28
    for figure in range(7):
        layout[figure] = layout[figure + 7] = white.pop()
        layout[figure + 14] = layout[figure + 21] = black.pop()
        if figure == singles:
            layout[figure + 7] = white.pop()
    return UnionkingSetup(3, 5, tuple(layout))


@cache
def near_the_goal(seed: int) -> UnionkingSetup:
    rng = random.Random(seed)
    return scattered(rng, *rng.choice([(7, 7), (5, 7), (9, 9)]), pairs=rng.randint(6, 9))


def shuffling(play: Play, events: list[Event], rng: random.Random) -> Event:
    """Mostly the side's last move back, so that positions come again."""
    at = len(play.log) - 1
    if at > 0 and rng.random() < 0.8:
        piece, spot = play.state.moved[at], play.state.came_from[at]
        back = Move(piece // 14, piece // 7 % 2, piece % 7, (spot // 10 - 1) * play.state.width + spot % 10 - 1)
        return back if back in events else rng.choice(events)
    return rng.choice(events)


def filling(play: Play, events: list[Event], rng: random.Random) -> Event:
    """A half of a pair jumps to the last free point, if that stops everybody."""
    for event in events:
        after = Play(UNIONKING, play.started)
        for before in play.log:
            after.add(before)
        if after.add(event) == ENDED_STUCK | SPLIT | JUMPED:
            return event
    return rng.choice(events)


# Agreement


@pytest.mark.parametrize("variant", GAMES)
@pytest.mark.parametrize("options", SETTINGS)
def test_matches_from_the_recommended_layout(variant: str, options: dict[str, Any]) -> None:
    started = UNIONKING.start(variant, options)
    logs = random_logs(UNIONKING, variant, options, count=1, seed=5)
    logs += random_logs(UNIONKING, variant, options | {"max_plies": 200}, count=2, seed=6, greedy=True)
    logs.append(chosen_log(UNIONKING, started, shuffling, 7))
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=7, folder=folder(UNIONKING))
    assert seen.positions > 15
    assert_two_ways(UNIONKING, logs, folder(UNIONKING))


@pytest.mark.parametrize(("width", "height"), [(3, 9), (9, 3), (5, 5), (7, 7), (9, 5), (5, 9), (9, 9)])
def test_other_boards_and_layouts(width: int, height: int) -> None:
    rng, logs = random.Random(width * 10 + height), []
    for n, options in enumerate(SETTINGS * 2):
        pairs = rng.randint(max(0, 29 - width * height), 8)
        started = UNIONKING.start(GAMES[n % 3], options, setup=scattered(rng, width, height, pairs))
        logs.append(random_log(UNIONKING, started, 8, n, greedy=n % 2 == 1, limit=12))
    assert_agrees_with_oracle(ADAPTER, logs, every=4, folder=folder(UNIONKING))
    assert_two_ways(UNIONKING, logs, folder(UNIONKING))


def test_fifty_positions_for_each_reason_and_each_effect() -> None:
    rng = random.Random(1)
    logs: list[Log] = []
    for n in range(60):
        game, options = GAMES[n % 3], SETTINGS[n % 4]
        logs.append(random_log(UNIONKING, UNIONKING.start(game, {"max_plies": 1 + n % 9}), 2, n))
        logs.append(chosen_log(UNIONKING, UNIONKING.start(game, {"repetition": 2 + n % 3}), shuffling, n, limit=40))
        started = UNIONKING.start(game, {"jump_merge": False}, setup=scattered(rng, 3, 5, PAIRS))
        logs.append(chosen_log(UNIONKING, started, filling, n, limit=2))
        logs.append(random_log(UNIONKING, UNIONKING.start(game, options, setup=crowded(rng, n % 2)), 3, n, limit=12))
        logs.append(random_log(UNIONKING, UNIONKING.start("game3", options, setup=walled(rng)), 3, n, limit=6))
    for n in range(150):
        started = UNIONKING.start(GAMES[n % 3], SETTINGS[n % 4], setup=near_the_goal(n))
        logs.append(random_log(UNIONKING, started, 4, n, greedy=True, limit=30))
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=8, probes=24)
    assert_covers(UNIONKING, seen, minimum=50, never=SETUP_REASONS)
    assert seen.positions > 700
    assert set(ORACLE.REASONS) | set(SETUP_REASONS) == {name.name for name in UNIONKING.reasons}
    assert set(ORACLE.EFFECTS) == {name.name for name in UNIONKING.effects}
    assert_two_ways(UNIONKING, logs[::9], folder(UNIONKING))


def test_the_longest_matches() -> None:
    options = {"max_plies": 1000, "repetition": 100}
    logs = random_logs(UNIONKING, "game3", options, count=1, seed=1)
    logs.append(chosen_log(UNIONKING, UNIONKING.start("game1", options), shuffling, 2))
    assert {len(log) for _, log in logs} == {1000}
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=101)
    assert seen.effects["ended_by_length"] == 2
    assert_two_ways(UNIONKING, logs, folder(UNIONKING), mutations=7)


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("variant", GAMES)
def test_simulations_play_alike(variant: str, greedy: bool) -> None:
    started = UNIONKING.start(variant, {"max_plies": 150})
    logs = assert_plays_alike(UNIONKING, started, folder(UNIONKING), seed=1 << 40 | 9, count=4, greedy=greedy)
    assert len({tuple(log) for _, log in logs}) == 4


def refusal(started: Started) -> str:
    try:
        Play(UNIONKING, started)
    except Refused as refused:
        return refused.reason
    return ""


def refusal_of_oracle(started: Started) -> str:
    try:
        build(started)
    except ValueError as error:
        return str(error)
    return ""


def test_setups_are_refused_as_the_oracle_refuses_them() -> None:
    rng, reasons, logs = random.Random(4), set(), []
    for n in range(400):
        width, height = rng.choice([(7, 7), (7, 7), (9, 9), (5, 9), (3, 3), (4, 7), (7, 8), (9, 3)])
        layout = list(scattered(rng, 9, 9, rng.randint(0, 14)).layout)
        if rng.random() < 0.5 and width * height >= 28:
            layout = rng.sample(range(width * height), 28)
        if rng.random() < 0.4:
            layout[rng.randrange(28)] = layout[rng.randrange(28)]
        if rng.random() < 0.1:
            layout = layout[: rng.randint(0, 27)]
        started = UNIONKING.start(GAMES[n % 3], setup=UnionkingSetup(width, height, tuple(layout)))
        logs.append((started, [Move(0, 0, 0, 20)]))
        expected = refusal_of_oracle(started)
        assert refusal(started) == expected, started
        reasons.add(expected)
    assert reasons == {"", *SETUP_REASONS}
    assert_two_ways(UNIONKING, logs, folder(UNIONKING), mutations=0)
