"""Blokus against the brute-force oracle tests/oracles/blokus.py, and plain against compiled, in every setting."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest

from kifold.core.events import Event
from kifold.core.play import Play, Refused
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import BlokusSetup, Pass
from kifold.core.rulesets.blokus.pieces import PIECES
from tests.rulesets.blokus_cases import ADAPTER, ORACLE, all_but, build, packed, placed_in, scattered, setup_of
from tests.rulesets.harness import (
    Log,
    assert_agrees_with_oracle,
    assert_covers,
    assert_plays_alike,
    assert_two_ways,
    changed,
    chosen_log,
    folder,
    random_log,
    random_logs,
)

BY_COLOUR = {"start_corner": "by_colour"}
PASSING = {"voluntary_pass": True}
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *(
        (variant, options)
        for variant in ("classic", "two_player", "three_player")
        for options in ({}, BY_COLOUR, PASSING, BY_COLOUR | PASSING)
    ),
    ("duo", {}),
    ("duo", PASSING),
]


def mostly_pass(play: Play, events: list[Event], rng: random.Random) -> Event:
    passes = [event for event in events if isinstance(event, Pass)]
    return passes[0] if passes and rng.random() < 0.7 else rng.choice(events)


def endgame(variant: str, seed: int) -> BlokusSetup:
    """The first colour has one or two pieces left, often the single square; the others have many."""
    rng = random.Random(seed)
    last = ["1", *rng.sample(PIECES[1:], seed % 2)] if seed % 4 < 2 else rng.sample(PIECES[1:], 1 + seed % 2)
    pieces = all_but(0, *last)
    for colour in range(1, ORACLE.COLOUR_COUNT[variant]):
        pieces += [(colour, name) for name in rng.sample(PIECES, 3)]
    return setup_of(packed(pieces, ORACLE.BOARD_SIZE[variant]), seed % 3 % ORACLE.COLOUR_COUNT[variant])


@pytest.mark.parametrize(("variant", "options"), SETTINGS)
def test_random_matches(variant: str, options: dict[str, Any]) -> None:
    started = BLOKUS.start(variant, options)
    logs = random_logs(BLOKUS, variant, options, count=2, seed=5)
    logs += random_logs(BLOKUS, variant, options, count=1, seed=6, greedy=True)
    if options.get("voluntary_pass"):
        logs.append(chosen_log(BLOKUS, started, mostly_pass, 7))
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=2, probes=24, folder=folder(BLOKUS))
    assert seen.positions > 25
    assert_two_ways(BLOKUS, logs, folder(BLOKUS))


@pytest.mark.parametrize(("variant", "options"), SETTINGS)
def test_positions_set_up_by_hand(variant: str, options: dict[str, Any]) -> None:
    left = {"classic": (3, 9, 16), "two_player": (3, 9, 16), "three_player": (3, 9, 16), "duo": (9, 13)}[variant]
    starts = [BLOKUS.start(variant, options, setup=scattered(variant, n, seed)) for n in left for seed in range(2)]
    logs = [random_log(BLOKUS, started, 8, m, limit=8) for m, started in enumerate(starts)]
    assert_agrees_with_oracle(ADAPTER, logs, every=4, probes=24, folder=folder(BLOKUS))
    assert_two_ways(BLOKUS, logs, folder(BLOKUS))


def test_fifty_positions_for_each_reason_and_each_effect() -> None:
    logs: list[Log] = random_logs(BLOKUS, "duo", count=12, seed=1)
    logs += [random_log(BLOKUS, BLOKUS.start("classic", BY_COLOUR), 2, m, limit=6) for m in range(6)]
    logs += [chosen_log(BLOKUS, BLOKUS.start("duo", PASSING), mostly_pass, seed) for seed in range(60)]
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=6, probes=24)
    starts = [BLOKUS.start("two_player", setup=endgame("two_player", seed)) for seed in range(125)]
    ends = [random_log(BLOKUS, started, 3, m, limit=9) for m, started in enumerate(starts)]
    seen += assert_agrees_with_oracle(ADAPTER, ends, every=9, probes=24)
    assert_covers(BLOKUS, seen, minimum=50, never=["incomplete_setup"])
    assert seen.positions > 400
    assert set(ORACLE.REASONS) | {"incomplete_setup"} == {name.name for name in BLOKUS.reasons}
    assert set(ORACLE.EFFECTS) == {name.name for name in BLOKUS.effects}


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("variant", ["classic", "two_player", "three_player", "duo"])
def test_simulations_play_alike(variant: str, greedy: bool) -> None:
    logs = assert_plays_alike(
        BLOKUS, BLOKUS.start(variant, PASSING), folder(BLOKUS), seed=1 << 40 | 9, count=4, greedy=greedy
    )
    assert len({tuple(log) for _, log in logs}) == 4


def changed_setup(setup: BlokusSetup, rng: random.Random) -> BlokusSetup:
    """One piece of a setup changed anyhow within the ranges, or another colour to move."""
    placed = placed_in(setup)
    if rng.random() < 0.2:
        return msgspec.structs.replace(setup, to_move=rng.randrange(5))
    i = rng.randrange(len(placed))
    placed[i] = changed(BLOKUS, placed[i], rng)
    return setup_of(placed, setup.to_move)


def refusal(begin: Callable[[], Any]) -> str:
    """Why a setup is refused, or nothing."""
    try:
        begin()
    except Refused as refused:
        return refused.reason
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("variant", ["classic", "duo"])
def test_setups_are_refused_as_the_oracle_refuses_them(variant: str) -> None:
    rng, reasons, logs = random.Random(4), Counter(), []
    good = [scattered(variant, 12, seed) for seed in range(3)]
    for _ in range(300):
        started = BLOKUS.start(variant, PASSING, setup=changed_setup(rng.choice(good), rng))
        logs.append((started, [Pass(0)]))
        reason = refusal(partial(Play, BLOKUS, started))
        assert bool(reason) == bool(refusal(partial(build, started))), started
        reasons[reason] += 1
    expected = {"", "not_a_piece", "piece_already_placed", "off_board", "overlaps"}
    assert set(reasons) == (expected | {"colour_not_in_play"} if variant == "duo" else expected)
    assert_two_ways(BLOKUS, logs, folder(BLOKUS), mutations=0)
