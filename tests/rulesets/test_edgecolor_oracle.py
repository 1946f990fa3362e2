"""Edgecolor against the brute-force oracle tests/oracles/edgecolor.py, and plain against compiled, in every setting."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kifold.core.events import Event
from kifold.core.play import Play, Refused
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.edgecolor.cards import table_digest
from kifold.core.rulesets.edgecolor.declaration import EdgecolorSetup, PlayBlocker
from kifold.core.rulesets.edgecolor.declaration import Play as PlayCard
from tests.rulesets.edgecolor_cases import (
    ADAPTER,
    LATE_KINDS,
    MULTIPLAYER,
    ORACLE,
    OWN_CATALOGUE,
    Position,
    bits,
    build,
    late_match,
    late_position,
    late_solo_position,
    to_oracle,
)
from tests.rulesets.harness import (
    Log,
    Seen,
    assert_agrees_with_oracle,
    assert_covers,
    assert_plays_alike,
    assert_two_ways,
    folder,
    random_log,
    random_logs,
    started_with_chance,
)

VARIANTS = [variant.name for variant in EDGECOLOR.variants]
SETUP_REASONS = {
    "wrong_hand_size",
    "card_twice",
    "black_mark_in_solo",
    "wrong_number_of_hands",
    "seed_missing",
    "seed_not_played",
    "catalogue_incomplete",
    "edges_not_canonical",
    "edges_not_ascending",
    "catalogue_differs",
}

KNOWN_TO_ORACLE = {"", "wrong_hand_size", "card_twice", "black_mark_in_solo", "seed_missing"}
"""It has no catalogues as data, and is not told of a hand too many or a seed card that is not played."""


def any_options(rng: random.Random) -> dict[str, Any]:
    """About half of the options at another value than the default."""
    return {o.name: rng.choice(o.values) for o in EDGECOLOR.options if rng.random() < 0.7}


def late_logs(seeds: range, kinds: tuple[str, ...] = LATE_KINDS) -> list[tuple[Position, Log]]:
    """Matches from late positions of all variants under all sorts of options."""
    found = []
    for seed in seeds:
        rng = random.Random(seed)
        variant = rng.choice(EDGECOLOR.variants)
        options = any_options(rng) if rng.random() < 0.3 else {}
        catalogue = OWN_CATALOGUE if rng.random() < 0.3 else {}
        kind = kinds[seed % len(kinds)]
        found.append(late_position(variant.name, options, rng.choice(variant.seats), seed, kind, **catalogue))
    return [(position, late_match(position, seed)) for seed, position in enumerate(found)]


def ask_about_hands(position: Position, log: Log, seen: Seen) -> None:
    """At every position every card in hand on every cell, and the blockers: what random events rarely ask about."""
    play, oracle = Play(position.ruleset, position.started), position.oracle()
    for event in [*log[1], None]:
        reasons = set()
        for asked in all_plays(play):
            refused = play.why_not(asked)
            expected = oracle.reasons(to_oracle(asked))
            assert (refused.reason if refused else "") in (expected or {""}), (asked, expected)
            reasons.add(refused.reason if refused else "")
        seen.reasons.update(reasons - {""})
        if event is not None:
            play.add(event)
            oracle.apply(to_oracle(event))


def all_plays(play: Play) -> list[Event]:
    cells = range(play.state.size**2)
    asked: list[Event] = []
    for seat in range(play.started.seats):
        asked += [
            PlayCard(seat, card, cell, flip)
            for card in bits(play.state.hands[seat])
            for cell in cells
            for flip in range(2)
        ]
        asked += [PlayBlocker(seat, cell) for cell in cells]
    return asked


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("variant", MULTIPLAYER)
def test_random_matches(variant: str, seats: int) -> None:
    if seats not in EDGECOLOR.variant(variant).seats:
        pytest.skip("duo is for two")
    logs = random_logs(EDGECOLOR, variant, seats=seats, count=2, seed=5)
    logs += random_logs(EDGECOLOR, variant, seats=seats, count=2, seed=6, greedy=True)
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=3, probes=24, folder=folder(EDGECOLOR))
    assert seen.positions > 25
    assert_two_ways(EDGECOLOR, logs, folder(EDGECOLOR))


def test_random_solo_matches() -> None:
    logs = random_logs(EDGECOLOR, "solo", count=10, seed=5)
    logs += random_logs(EDGECOLOR, "solo", {"solo_stuck": "failure"}, count=4, seed=5)
    logs += random_logs(EDGECOLOR, "solo", count=10, seed=6, greedy=True)
    assert_agrees_with_oracle(ADAPTER, logs, every=2, probes=24, folder=folder(EDGECOLOR))
    assert_two_ways(EDGECOLOR, logs, folder(EDGECOLOR))


@pytest.mark.parametrize("seed", range(6))
def test_random_matches_under_any_options(seed: int) -> None:
    rng = random.Random(seed)
    logs = []
    for variant in EDGECOLOR.variants:
        setup = EdgecolorSetup(**(OWN_CATALOGUE if rng.random() < 0.4 else {}))
        started = EDGECOLOR.start(variant.name, any_options(rng), rng.choice(variant.seats), setup=setup)
        logs.append(random_log(EDGECOLOR, started, seed, 1, greedy=rng.random() < 0.5))
    assert_agrees_with_oracle(ADAPTER, logs, every=4, probes=24, seed=seed, folder=folder(EDGECOLOR))
    assert_two_ways(EDGECOLOR, logs, folder(EDGECOLOR))


@pytest.mark.parametrize("first", [0, 50, 100, 150])
def test_late_positions(first: int) -> None:
    solo = [late_solo_position(seed) for seed in range(first, first + 10)]
    for position, log in late_logs(range(first, first + 40)) + [(each, late_match(each, first)) for each in solo]:
        assert_agrees_with_oracle(position.adapter, [log], probes=8, folder=folder(EDGECOLOR))


@pytest.mark.slow
def test_fifty_positions_for_each_reason_and_each_effect() -> None:
    seen = Seen()
    for position, log in late_logs(range(1000, 1400), ("stuck", "black", "match", "black")):
        seen += assert_agrees_with_oracle(position.adapter, [log], probes=4)
        if position.variant in {"4x4", "duo"}:
            ask_about_hands(position, log, seen)
    for seed in range(150):
        position = late_solo_position(seed)
        seen += assert_agrees_with_oracle(position.adapter, [late_match(position, seed)], probes=4)
    for variant, limit in (("standard", 1), ("hard", 2), ("duo", 1), ("beginner", 1), ("solo", 5)):
        logs = random_logs(EDGECOLOR, variant, count=80 if variant == "duo" else 52, seed=2, limit=limit)
        seen += assert_agrees_with_oracle(ADAPTER, logs, probes=40)
    logs = random_logs(EDGECOLOR, "hard", count=12, seed=3)
    seen += assert_agrees_with_oracle(ADAPTER, logs, every=50)
    assert_covers(EDGECOLOR, seen, minimum=50, never=sorted(SETUP_REASONS))
    assert set(ORACLE.REASONS) == {name.name for name in EDGECOLOR.reasons} - SETUP_REASONS
    assert set(ORACLE.EFFECTS) == {name.name for name in EDGECOLOR.effects}


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_simulations_play_alike(variant: str, greedy: bool) -> None:
    options = {"seed_card": True}
    logs = assert_plays_alike(
        EDGECOLOR, EDGECOLOR.start(variant, options), folder(EDGECOLOR), seed=1 << 40 | 9, count=4, greedy=greedy
    )
    assert len({tuple(log) for _, log in logs}) == 4


WAYS = (
    *("card",) * 4,
    *("add", "no_seed") * 2,
    *("drop", "seed", "digest", "edges", "swap", "turn", "cut", "flip"),
)


def changed_setup(setup: EdgecolorSetup, rng: random.Random) -> EdgecolorSetup:
    """A deal with one thing changed within the ranges."""
    name = rng.choice(["hand_0", "hand_0", "hand_1", "hand_3"])
    hand = list(getattr(setup, name))
    edges = list(setup.edges)
    way = rng.choice(WAYS)
    if way == "card" and hand:
        hand[rng.randrange(len(hand))] = rng.randrange(48)
    elif way == "drop" and hand:
        hand.pop()
    elif way == "add" and len(hand) < 15:
        hand.append(rng.randrange(48))
    elif way in {"seed", "no_seed"}:
        seed = rng.randrange(48) if way == "seed" else 48
        return msgspec.structs.replace(setup, seed=seed, seed_cell=rng.randrange(16), seed_flip=rng.randrange(2))
    elif way == "flip":
        return msgspec.structs.replace(setup, seed_flip=1)
    elif way == "digest":
        return msgspec.structs.replace(setup, catalogue_digest=rng.randrange(1 << 48))
    elif edges:
        at = 4 * rng.randrange(11)
        if way == "edges":
            edges[at : at + 4] = [rng.randrange(4) for _ in range(4)]
        elif way == "swap":
            edges[at : at + 8] = [*edges[at + 4 : at + 8], *edges[at : at + 4]]
        elif way == "turn":
            edges[at : at + 4] = [*edges[at + 2 : at + 4], *edges[at : at + 2]]
        else:
            return msgspec.structs.replace(setup, edges=tuple(edges[:at]))
        return msgspec.structs.replace(setup, edges=tuple(edges), catalogue_digest=table_digest(edges))
    return msgspec.structs.replace(setup, **{name: tuple(hand)})


def refusal(begin: Callable[[], Any]) -> str:
    """Why a setup is refused, or nothing."""
    try:
        begin()
    except Refused as refused:
        return refused.reason
    except ValueError as error:
        return str(error)
    return ""


def test_setups_are_refused_as_by_the_oracle_and_compiled() -> None:
    rng, tried = random.Random(4), []
    seen: Counter[str] = Counter()
    for seed in range(2000):
        variant = EDGECOLOR.variant(rng.choice([*VARIANTS, "4x4", "4x4", "solo", "solo", "solo"]))
        setup = EdgecolorSetup(**(OWN_CATALOGUE if rng.random() < 0.5 else {}))
        options = {"seed_card": rng.random() < 0.7}
        started = EDGECOLOR.start(variant.name, options, rng.choice(variant.seats), setup=setup)
        started = started_with_chance(EDGECOLOR, started, seed, 0)
        assert refusal(lambda s=started: Play(EDGECOLOR, s)) == ""
        started = msgspec.structs.replace(started, setup=changed_setup(started.setup, rng))
        reason = refusal(lambda s=started: Play(EDGECOLOR, s))
        seen[reason] += 1
        tried.append((started, []))
        if reason in KNOWN_TO_ORACLE:
            assert refusal(lambda s=started: build(s)) == reason
    assert_two_ways(EDGECOLOR, tried, folder(EDGECOLOR), mutations=0)
    assert set(seen) == {"", "flip_not_canonical", *SETUP_REASONS}
    assert min(seen[reason] for reason in SETUP_REASONS) >= 20, seen
