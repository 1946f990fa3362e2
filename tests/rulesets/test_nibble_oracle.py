"""Nibble against the brute-force oracle tests/oracles/nibble.py, and plain against compiled, in every setting."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

import msgspec
import pytest

from kifold.core.events import Event, Started
from kifold.core.flat import flatten_setup
from kifold.core.play import Play, Refused
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.rulesets.nibble.board import N_CELLS, N_COLOURS
from kifold.core.rulesets.nibble.declaration import VARIANTS, NibbleSetup, Take
from kifold.core.rulesets.nibble.notation import variant_of
from tests.rulesets.harness import (
    Adapter,
    Log,
    Seen,
    assert_agrees_with_oracle,
    assert_covers,
    assert_plays_alike,
    assert_two_ways,
    folder,
    load_oracle,
    logs_of,
    random_logs,
    started_with_chance,
)

ORACLE: Any = load_oracle("nibble")
NAMES = [variant.name for variant in VARIANTS]
SETTINGS = [(name, order, stop) for name in NAMES for order in ("random", "fixed") for stop in (False, True)]
OF_A_SETUP = ("wrong_quota", "equal_neighbours", "table_no_permutation", "table_not_identity")


class Oracle(ORACLE.Oracle):
    """The oracle, with a shared first rank before the end: the rule file ranks nobody then, and 1 is the best rank."""

    def result(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = super().result()
        return rows if self.winner is not None else [row | {"rank": 1, "shared": True} for row in rows]


def build(started: Started) -> Oracle:
    setup = started.setup
    data = {"layout": setup.layout, "table": setup.table, "first": setup.first}
    return Oracle(started.variant, started.options, started.seats, data)


def to_oracle(event: Event) -> tuple[Any, ...]:
    assert isinstance(event, Take)
    return ("take", event.seat, event.tiles)


def position(state: Any) -> dict[str, Any]:
    places = ORACLE.hex_coordinates() if state.variant == 2 else ORACLE.square_coordinates(N_COLOURS[state.variant])
    board = []
    for cell, (a, b) in enumerate(places):
        row, column = (b + 7, a + 7) if state.variant == 2 else (a, b)
        board.append(state.layout[cell] if state.rows[row + 1] >> column & 1 else -1)
    k = N_COLOURS[state.variant]
    assert state.tiles_left == sum(colour >= 0 for colour in board)
    assert [state.table[place] for place in state.place[:k]] == list(range(k))
    return {
        "board": board,
        "counts": [state.taken[:k], state.taken[13 : 13 + k]],
        "table": state.table[:k],
        "to_move": None if state.win_type else state.to_move,
        "winner": state.winner if state.win_type else None,
        "win_type": state.win_type,
        "decided_early": state.win_type == 3 and state.tiles_left > 0,
    }


ADAPTER = Adapter(NIBBLE, build, to_oracle, position)


@pytest.mark.parametrize(("variant", "order", "stop"), SETTINGS)
def test_random_matches(variant: str, order: str, stop: bool) -> None:
    options = {"table_order": order, "early_stop": stop}
    logs = random_logs(NIBBLE, variant, options, count=1, seed=5)
    logs += random_logs(NIBBLE, variant, options, count=1, seed=6, greedy=True)
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=7, folder=folder(NIBBLE))
    assert seen.positions > 10
    assert_two_ways(NIBBLE, logs, folder(NIBBLE))


def simulated(variant: str, options: dict[str, Any], seed: int, count: int, *, greedy: bool = False) -> list[Log]:
    started = NIBBLE.start(variant, options)
    corpora = folder(NIBBLE).play(flatten_setup(NIBBLE, started), seed, 0, count, greedy=greedy)
    return [log for corpus in corpora for log in logs_of(corpus, started)]


def test_fifty_positions_for_each_reason_and_each_effect() -> None:
    logs = simulated("square9", {}, 1, 52)
    logs += simulated("square9", {"early_stop": True}, 2, 76)
    logs += simulated("square9", {}, 3, 420, greedy=True)[::2]
    logs += simulated("square9", {"early_stop": True}, 4, 210, greedy=True)
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=25, probes=12)
    seen += asked_of_exposed_tiles(simulated("square9", {}, 1, 24) + simulated("hex13", {}, 1, 6))
    assert_covers(NIBBLE, seen, minimum=50, never=OF_A_SETUP)
    assert seen.positions > 700
    assert set(ORACLE.REASONS) | set(OF_A_SETUP) == {name.name for name in NIBBLE.reasons}
    assert set(ORACLE.EFFECTS) == {name.name for name in NIBBLE.effects}


def asked_of_exposed_tiles(logs: list[Log]) -> Seen:
    """Every exposed tile alone, and every two of one colour: few of them cannot go, so random takes miss those."""
    seen = Seen()
    for started, log in logs:
        play, oracle = Play(NIBBLE, started), build(started)
        for event in log:
            tiles = [tile for tile in sorted(oracle.tiles) if ORACLE.is_exposed(oracle.rules, oracle.tiles, tile)]
            takes = [(tile,) for tile in tiles]
            takes += [(a, b) for a, b in combinations(tiles, 2) if oracle.tiles[a] == oracle.tiles[b]]
            seen.reasons.update({agreed_reason(play, oracle, Take(play.turn, take)) for take in takes} - {""})
            seen.positions += 1
            play.add(event)
            oracle.apply(to_oracle(event))
    return seen


def agreed_reason(play: Play, oracle: Oracle, event: Take) -> str:
    refused, expected = play.why_not(event), oracle.reasons(to_oracle(event))
    reason = refused.reason if refused else ""
    assert reason in (expected or {""}), (event, reason, expected, play.log)
    return reason


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("variant", NAMES)
def test_simulations_play_alike(variant: str, greedy: bool) -> None:
    started = NIBBLE.start(variant, {"early_stop": True})
    logs = assert_plays_alike(NIBBLE, started, folder(NIBBLE), seed=1 << 40 | 9, count=3, greedy=greedy)
    assert len({log[0].setup.layout for log in logs}) == 3


def damaged(started: Started, rng: random.Random) -> Started:
    """A setup with one fault, or with two that may cancel out."""
    setup, variant = started.setup, variant_of(started)
    layout, table, k = list(setup.layout), list(setup.table), N_COLOURS[variant]
    a, b = rng.randrange(N_CELLS[variant]), rng.randrange(N_CELLS[variant])
    p, q = rng.randrange(k), rng.randrange(k)
    match rng.randrange(7):
        case 0:
            layout[a] = rng.randrange(13)
        case 1:
            layout[a], layout[b] = layout[b], layout[a]
        case 2:
            layout = layout[:-1] if rng.random() < 0.5 else (layout + [0] * 88)[:169]
        case 3:
            table[p] = rng.randrange(13)
        case 4:
            table[p], table[q] = table[q], table[p]
        case 5:
            table = table[:-1] if rng.random() < 0.5 else [*table, 9, 10, 11, 12][:13]
        case 6:
            layout, table = [], []
    return msgspec.structs.replace(started, setup=NibbleSetup(tuple(layout), tuple(table), rng.randrange(2)))


def test_setups_are_refused_as_the_oracle_refuses_them() -> None:
    rng, reasons, logs = random.Random(4), Counter[str](), []
    good = [
        started_with_chance(NIBBLE, NIBBLE.start(name, {"table_order": order}), 1, m)
        for name in NAMES
        for order in ("random", "fixed")
        for m in range(2)
    ]
    for i in range(900):
        started = damaged(good[i % len(good)], rng)
        logs.append((started, [Take(0, (0,))]))
        expected, said = "", ""
        try:
            build(started)
        except ValueError as error:
            expected = str(error)
        try:
            Play(NIBBLE, started)
        except Refused as refused:
            said = refused.reason
        assert said == expected, started
        reasons[said] += 1
    assert set(reasons) == {"", *OF_A_SETUP}
    assert min(reasons.values()) >= 50, reasons
    assert_two_ways(NIBBLE, logs, folder(NIBBLE), mutations=0, lists=0)
