"""What a seat cannot know does not reach it: pairs of full logs that differ only in that give it the same view.

The pairs are made from random matches of edgecolor, cut at a random event: cards that a seat has never seen change
places among the other hands, the drawn cards and the deck. Only pairs whose second log is legal, too, and differs are
counted. In chipstack every event is public; there the pairs are states that differ behind the other screens.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from kifold.core.codec import digest
from kifold.core.events import Event, Started
from kifold.core.play import Play, fold
from kifold.core.registry import ruleset
from kifold.core.ruleset import NOBODY, SPECTATOR
from kifold.replay.svg import draw_svg
from kifold.replay.text import draw_text
from kifold.replay.views import seen_json, seen_legal, seen_log, seen_picture, seen_state
from tests.rulesets.harness import random_log, random_logs

EDGECOLOR, CHIPSTACK = ruleset("edgecolor"), ruleset("chipstack")
PAIRS = 200
HANDS = ("hand_0", "hand_1", "hand_2", "hand_3")
Pair = tuple[Play, Play]


def view(play: Play, seat: int, *, with_pictures: bool = True) -> list[str]:
    """Everything that a seat is told: log, whole state, legal moves, pictures; sizes and digests of these."""
    rules, started, is_over = play.ruleset, play.started, play.turn == NOBODY
    parts = [
        json.dumps(seen_json(seen_log(rules, started, play.log, seat))),
        repr(seen_state(rules, started, play.state, seat, is_over=is_over)),
        repr(sorted(map(repr, seen_legal(play, seat)))),
    ]
    if with_pictures:
        scene = seen_picture(rules, started, play.state, seat, is_over=is_over)
        parts += [draw_text(scene, colour=False), draw_svg(scene, "match")]
    return parts + [f"{len(part)} {blake2b(part.encode()).hexdigest()}" for part in parts]


def known_cards(started: Started, log: list[Event], seat: int) -> set[int]:
    """The cards that a seat has seen: in its hand, drawn by it, or played."""
    known = set(getattr(started.setup, HANDS[seat])) if seat != SPECTATOR else set()
    for event in log:
        card = getattr(event, "card", None)
        if card is not None and (type(event) not in EDGECOLOR.chance or getattr(event, "seat", None) == seat):
            known.add(card)
    return known | {started.setup.seed}


def other_world(started: Started, log: list[Event], seat: int, rng: random.Random) -> tuple[Started, list[Event]]:
    """The same match to a seat: the cards that it has not seen change places."""
    unknown = [card for card in range(48) if card not in known_cards(started, log, seat)]
    if started.variant == "solo":
        unknown = [card for card in unknown if card % 4 != 3]
    moved = dict(zip(unknown, rng.sample(unknown, len(unknown)), strict=True))

    def carry(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(moved.get(card, card) for card in cards)

    setup = msgspec.structs.replace(started.setup, **{hand: carry(getattr(started.setup, hand)) for hand in HANDS})
    events = [
        msgspec.structs.replace(event, card=moved.get(event.card, event.card)) if hasattr(event, "card") else event
        for event in log
    ]
    return msgspec.structs.replace(started, setup=setup), events


def pairs(variant: str, seats: int, seat: int, rng: random.Random) -> Iterator[Pair]:
    """Legal pairs of logs that differ."""
    for _ in range(1000):
        started, whole = random_log(EDGECOLOR, EDGECOLOR.start(variant, seats=seats), rng.randrange(1 << 30), 0)
        log = list(whole)[: rng.randrange(len(whole) + 1)]
        first, refused = fold(EDGECOLOR, started, log)
        assert refused is None
        for _ in range(12):
            other, events = other_world(started, log, seat, rng)
            if digest(other, events) == digest(started, log):
                continue
            second, refused = fold(EDGECOLOR, other, events)
            if refused is None and (second.turn, second.is_over) == (first.turn, first.is_over):
                yield first, second


CASES = [
    (variant.name, variant.seats[-1], seat)
    for variant in EDGECOLOR.variants
    for seat in (SPECTATOR, *range(min(2, variant.seats[-1])))
    if variant.name != "solo" or seat == SPECTATOR
]


@pytest.mark.parametrize(("variant", "seats", "seat"), CASES)
def test_two_logs_that_a_seat_cannot_tell_apart(variant: str, seats: int, seat: int) -> None:
    compared = 0
    for first, second in pairs(variant, seats, seat, random.Random(f"{variant} {seat}")):
        pictures = compared % 10 == 0
        assert view(first, seat, with_pictures=pictures) == view(second, seat, with_pictures=pictures)
        compared += 1
        if compared == PAIRS:
            return
    raise AssertionError(f"only {compared} pairs")


def leak_a_card(started: Started, setup: Any, seat: int) -> Any:
    return setup


def leak_a_size(started: Started, setup: Any, seat: int) -> Any:
    return msgspec.structs.replace(setup, seed_cell=sum(setup.hand_1) % 10, hand_0=(), hand_1=(), hand_2=(), hand_3=())


def leak_a_digest(started: Started, setup: Any, seat: int) -> Any:
    told = int.from_bytes(blake2b(repr(setup).encode(), digest_size=5).digest(), "big")
    return msgspec.structs.replace(setup, catalogue_digest=told, hand_0=(), hand_1=(), hand_2=(), hand_3=())


@pytest.mark.parametrize("leak", [leak_a_card, leak_a_size, leak_a_digest])
def test_a_leak_is_noticed(leak: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    views = SimpleNamespace(**(EDGECOLOR.views.__dict__ | {"setup": leak}))
    found = pairs("beginner", 2, 0, random.Random(5))
    several = [next(found) for _ in range(20)]
    monkeypatch.setitem(EDGECOLOR.__dict__, "views", views)
    assert any(view(first, 0) != view(second, 0) for first, second in several)


def chips_shown(play: Play, seat: int) -> str:
    return draw_text(seen_picture(CHIPSTACK, play.started, play.state, seat, is_over=False), colour=False)


def test_chips_behind_screens() -> None:
    rng = random.Random(2)
    compared = 0
    for seats in (2, 3, 4, 5):
        for started, log in random_logs(CHIPSTACK, seats=seats, count=2, seed=3):
            play = Play(CHIPSTACK, started)
            for event in log:
                if not play.is_over:
                    for seat in (SPECTATOR, *range(seats)):
                        other = play.copy()
                        hidden = [i for i in range(5 * seats) if i // 5 != seat]
                        other.state.held[rng.choice(hidden)] += 1
                        shown = [seen_state(CHIPSTACK, started, p.state, seat, is_over=False) for p in (play, other)]
                        assert repr(shown[0]) == repr(shown[1])
                        if compared % 25 == 0:
                            scenes = [
                                seen_picture(CHIPSTACK, started, p.state, seat, is_over=False) for p in (play, other)
                            ]
                            assert draw_text(scenes[0], colour=False) == draw_text(scenes[1], colour=False)
                        compared += 1
                play.add(event)
    assert compared >= PAIRS
