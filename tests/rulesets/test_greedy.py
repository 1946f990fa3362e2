"""The greedy player of every ruleset: it names what it goes by, takes the best of it, and beats random play clearly."""

from __future__ import annotations

import random
from math import sqrt
from typing import Any

import numpy as np
import pytest

from kifold.core.corpus import Folder, array_of
from kifold.core.emit import Out
from kifold.core.flat import flatten_setup
from kifold.core.records import dtype_of, to_numpy
from kifold.core.registry import ruleset
from kifold.core.rng import Random, seed_random
from kifold.core.ruleset import NOBODY
from kifold.core.samples import sample_match
from tests.registered import NAMES, VARIANTS
from tests.rulesets.matches import folder

ALONE = [("edgecolor", "solo")]
SEVERAL = [variant for variant in VARIANTS if variant not in ALONE]
COUNT, CLEARLY = 200, 4
"""How many matches, and how many standard deviations above what luck gives are clear."""


def seeded(seed: int, match: int) -> Random:
    source = Random()
    seed_random(source, seed, match, 0)
    return source


def numpy_random(source: Random) -> Any:
    """The same source for compiled rules."""
    made = np.zeros(1, dtype_of(Random))
    to_numpy(source, made[0])
    return made[0]


def played(made: Folder, template: Any, match: int, greedy: frozenset[int]) -> Any:
    """The result of a match in which these seats take the greedy choice and the others any."""
    rules, state, rng = made.code.rules, made.state, random.Random(match)
    setup, source = array_of(made.ruleset.setup_record, [template]), numpy_random(seeded(5, match))
    rules["chance"](setup[0], source)
    made.state_bytes[:] = 0
    rules["set_up"](state[0], setup[0])
    while (seat := rules["turn"](state[0])) != NOBODY:
        n = rules["legal"](state[0], seat, made.out)
        if n > len(made.out):
            made.legal(seat)
            continue
        i = rules["greedy"](state[0], made.out, n, source) if seat in greedy else rng.randrange(n)
        rules["apply"](state[0], made.out[i])
    result = np.zeros(1, dtype_of(made.ruleset.result))
    rules["result"](state[0], result[0])
    return result[0]


@pytest.mark.parametrize(("name", "variant"), SEVERAL)
def test_greedy_beats_random(name: str, variant: str) -> None:
    """One seat greedy, the others random, each seat in turn: a win shared by k seats counts as 1/k of one."""
    rules = ruleset(name)
    started = rules.start(variant)
    template, seats = flatten_setup(rules, started), started.seats
    won = 0.0
    for match in range(COUNT):
        ranks = list(played(folder(rules), template, match, frozenset({match % seats}))["rank"][:seats])
        won += (ranks[match % seats] == 1) / ranks.count(1)
    luck = 1 / seats
    assert won >= COUNT * luck + CLEARLY * sqrt(COUNT * luck * (1 - luck)), won / COUNT


@pytest.mark.parametrize(("name", "variant"), ALONE)
def test_greedy_is_left_with_fewer_cards_than_random(name: str, variant: str) -> None:
    """Played alone: the same deals, once greedy and once at random."""
    rules = ruleset(name)
    template = flatten_setup(rules, rules.start(variant))
    greedy, any_ = (
        np.array([played(folder(rules), template, match, seats)["cards_left"][0] for match in range(COUNT)], int)
        for seats in (frozenset({0}), frozenset[int]())
    )
    fewer = any_ - greedy
    assert fewer.mean() >= CLEARLY * fewer.std() / sqrt(COUNT), (fewer.mean(), fewer.std())


@pytest.mark.parametrize("name", NAMES)
def test_what_a_greedy_player_goes_by_has_a_name(name: str) -> None:
    gain = ruleset(name).rules.gain
    assert gain is not None
    assert (gain.__doc__ or "").strip()


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_greedy_takes_any_of_the_best(name: str, variant: str) -> None:
    """All of them in so many compiled draws; the plain ones are fewer, for they take milliseconds each."""
    rules, made = ruleset(name), folder(ruleset(name))
    assert rules.rules.gain is not None
    samples = (sample_match(rules, rules.start(variant), 1, limit=limit).state for limit in range(2, 20))
    state = next(state for state in samples if rules.rules.turn(state) >= 0)
    seat, source, out = rules.rules.turn(state), seeded(2, 0), Out(rules.event_record)
    n = rules.rules.legal(state, seat, out)
    gains = [rules.rules.gain(state, out[i]) for i in range(n)]
    best = {i for i in range(n) if gains[i] == max(gains)}
    assert {rules.rules.greedy(state, out, n, source) for _ in range(40)} <= best
    to_numpy(state, made.state[0])
    assert len(made.legal(seat)) == n
    draws = numpy_random(source)
    assert {made.code.rules["greedy"](made.state[0], made.out, n, draws) for _ in range(40 * len(best))} == best
