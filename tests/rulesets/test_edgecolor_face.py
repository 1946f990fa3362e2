"""What people see of edgecolor: short notation, pictures, opening keys, JSON, and what the greedy player prefers."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kifold.core.codec import decode, encode, from_json, to_json
from kifold.core.emit import Out
from kifold.core.events import Event, kind_of
from kifold.core.flat import unflatten
from kifold.core.play import Play
from kifold.core.records import essential_size
from kifold.core.rng import Random, seed_random
from kifold.core.rulesets.edgecolor import EDGECOLOR, rules
from kifold.core.rulesets.edgecolor.cards import CATALOGUE_A, find_card, mark_of, sides_of
from kifold.core.rulesets.edgecolor.declaration import BlockerSetup, Draw, EdgecolorSetup, PlayBlocker, Stop
from kifold.core.rulesets.edgecolor.declaration import Play as PlayCard
from kifold.core.rulesets.edgecolor.picture import OUTCOMES
from tests.rulesets.edgecolor_cases import OWN_CATALOGUE, Position, Table, card, cards, layout, put
from tests.rulesets.harness import random_log, started_with_chance

VARIANTS = [variant.name for variant in EDGECOLOR.variants]


# Notation


@pytest.mark.parametrize("catalogue", [{}, OWN_CATALOGUE])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_event_is_read_as_it_is_written(variant: str, catalogue: dict[str, Any]) -> None:
    started = EDGECOLOR.start(variant, setup=EdgecolorSetup(**catalogue))
    for m in range(2):
        begun, log = random_log(EDGECOLOR, started, 6, m)
        play = Play(EDGECOLOR, begun)
        for event in log:
            word = EDGECOLOR.notation.write(begun, event)
            assert not set(word) & set(" \t\n")
            assert EDGECOLOR.notation.read(begun, play.state, word) == event
            assert EDGECOLOR.notation.read(begun, play.state, word.partition(":")[2]) == event
            play.add(event)


def test_words() -> None:
    play = Play(EDGECOLOR, started_with_chance(EDGECOLOR, EDGECOLOR.start("duo"), 1, 0))
    number, flip = card("12K3/2")
    said = {
        PlayCard(0, number, 7, flip): "0:12K3/2@c2",
        PlayCard(0, number, 7, 1 - flip): "0:K312/2@c2",
        PlayBlocker(1, 24): "1:blocker@e5",
        BlockerSetup(0, 0): "0:setup@a1",
        Stop(1): "1:stop",
        Draw(1, number): "1:draw:12K3/2",
    }
    for event, word in said.items():
        assert EDGECOLOR.notation.write(play.started, event) == word
        assert EDGECOLOR.notation.read(play.started, play.state, word) == event
    assert EDGECOLOR.notation.read(play.started, play.state, " k312/2@C2 ") == PlayCard(0, number, 7, 1 - flip)
    assert EDGECOLOR.notation.read(play.started, play.state, EDGECOLOR.notation.example)
    assert EDGECOLOR.notation.write(play.started, PlayCard(0, number, 24, flip)) == "0:12K3/2@e5"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("", "is no play"),
        ("12K3/2", "is no play"),
        ("2:stop", "no seat 2"),
        ("12K4/2@c2", "is no card"),
        ("12K/2@c2", "is no card"),
        ("1123/2@c2", "no card of the catalogue has the sides 1123"),
        ("12K3/2@f1", "is no cell"),
        ("12K3/2@a6", "is no cell"),
        ("12K3/2@a", "is no cell"),
        ("12K3/2@a²", "plain letters and digits"),
        ("blocker@", "is no play"),
        ("draw:", "is no play"),
        ("draw:12", "is no card"),
        ("stop@a1", "is no card"),
    ],
)
def test_what_is_no_word_is_said(word: str, said: str) -> None:
    play = Play(EDGECOLOR, started_with_chance(EDGECOLOR, EDGECOLOR.start("duo"), 1, 0))
    with pytest.raises(ValueError, match=said):
        EDGECOLOR.notation.read(play.started, play.state, word)


# JSON and bytes


def test_kinds_and_json() -> None:
    kinds = [kind_of(event) for event in EDGECOLOR.events]
    assert kinds == ["blocker_setup", "play", "play_blocker", "stop", "draw"]
    assert EDGECOLOR.chance == (Draw,)
    event = PlayCard(1, 47, 24, 1)
    assert to_json(event) == {"event": "play", "seat": 1, "card": 47, "cell": 24, "flip": 1}
    assert from_json(EDGECOLOR, to_json(event)) == event == decode(EDGECOLOR, encode(event))
    setup = EDGECOLOR.make_setup({"hand_0": [1, 2], "catalogue": 1, "edges": [0, 1]})
    assert setup.edges == (0, 1)
    assert setup.hand_1 == ()


def test_state_is_compact() -> None:
    assert essential_size(EDGECOLOR.state) < 180


# Pictures


def test_picture_of_a_position() -> None:
    table = Table(
        Position(
            "duo",
            [cards("321K/1", "231K/2"), cards("123K/3")],
            layout(5, c2="12K3/2", a1=(48, 0)),
            hand_blockers=(1, 0),
        )
    )
    scene = EDGECOLOR.picture(table.play.started, table.state)
    tops = {shape.title: shape for shape in scene.shapes if shape.kind == "card"}
    assert {title.split(",")[0] for title in tops} == {"c2 12K3/2", "a1 blocker", "c3 deck"}
    assert tops["c2 12K3/2"].letter == "2"
    dots = {shape.title: shape for shape in scene.shapes if shape.kind == "dot"}
    assert [dots[t].letter for t in sorted(dots)] == ["2", "1", "K", "3"]  # east, north, south, west
    middle = tops["c2 12K3/2"]
    north = dots["c2 north: 1 (red)"]
    assert (north.x, north.y < middle.y) == (middle.x, True)
    assert all(shape.letter for shape in scene.shapes)
    assert len([shape for shape in scene.shapes if shape.kind == "square"]) == 22
    legend = "\n".join(scene.legend)
    assert "seat 0 has 3 cards, a blocker among them" in legend
    assert "seat 1 has 1 card\n" in legend
    assert "the deck has 44 cards" in legend
    assert scene.turn == "seat 0 to play"
    assert "reconstruction" in legend


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_picture_at_every_position(variant: str) -> None:
    started, log = random_log(EDGECOLOR, EDGECOLOR.start(variant, {"centre_opens": False}), 3, 1, greedy=True)
    play = Play(EDGECOLOR, started)
    for event in log:
        play.add(event)
        scene = EDGECOLOR.picture(started, play.state)
        assert len([s for s in scene.shapes if s.kind in {"card", "square"}]) == play.state.size**2
        assert len([s for s in scene.shapes if s.kind == "dot"]) == 4 * play.state.cards.bit_count()
    assert scene.turn == ""
    assert [line for line in scene.legend if line in OUTCOMES] == (
        [OUTCOMES[play.state.outcome]] if variant == "solo" else []
    )


# Openings


def image(event: Event, k: int, size: int, edge_map: dict[int, int], mark_map: dict[int, int]) -> Event:
    """A play under symmetry k of the board and an exchange of colours, done by hand on the card one sees."""
    if not isinstance(event, PlayCard | PlayBlocker | BlockerSetup):
        return event
    row, column = divmod(event.cell, size)
    for _ in range(k % 4):
        row, column = column, size - 1 - row
    column = size - 1 - column if k >= 4 else column
    cell = row * size + column
    if not isinstance(event, PlayCard):
        return type(event)(event.seat, cell)
    north, east, south, west = sides_of(CATALOGUE_A, event.card, event.flip)
    for _ in range(k % 4):
        north, east, south, west = west, north, east, south
    if k >= 4:
        east, west = west, east
    sides = edge_map[north], edge_map[east], edge_map[south], edge_map[west]
    found = find_card(CATALOGUE_A, sides, mark_map[mark_of(event.card)])
    assert found is not None
    return PlayCard(event.seat, found[0], cell, found[1])


@pytest.mark.parametrize("variant", ["hard", "duo", "4x4", "solo"])
def test_openings_that_differ_by_a_symmetry_have_one_key(variant: str) -> None:
    rng = random.Random(5)
    started, log = random_log(EDGECOLOR, EDGECOLOR.start(variant), 4, 2)
    size = {"4x4": 4, "solo": 3}.get(variant, 5)
    key = EDGECOLOR.opening(started, log[:7])
    assert key
    for k in range(8):
        edges, marks = rng.sample(range(3), 3), rng.sample(range(3), 3)
        maps = dict(enumerate([*edges, 3])), dict(enumerate([*marks, 3]))
        assert EDGECOLOR.opening(started, [image(event, k, size, *maps) for event in log[:7]]) == key


def test_a_symmetric_match_is_as_legal() -> None:
    """That the key may leave symmetries out: a whole match stays legal under them, with the same effects."""
    for k in range(8):
        maps = {0: 2, 1: 0, 2: 1, 3: 3}, {0: 1, 1: 0, 2: 2, 3: 3}
        started, log = random_log(EDGECOLOR, EDGECOLOR.start("hard"), 4, k)
        moved = {
            f"hand_{seat}": tuple(_moved(n, k, *maps) for n in getattr(started.setup, f"hand_{seat}"))
            for seat in range(2)
        }
        play, other = Play(EDGECOLOR, started), Play(EDGECOLOR, EDGECOLOR.start("hard", setup=EdgecolorSetup(**moved)))
        for event in log:
            twin = (
                Draw(event.seat, _moved(event.card, k, *maps)) if isinstance(event, Draw) else image(event, k, 5, *maps)
            )
            assert other.add(twin) == play.add(event)
            assert len(other.legal()) == len(play.legal())


def _moved(number: int, k: int, edge_map: dict[int, int], mark_map: dict[int, int]) -> int:
    moved = image(PlayCard(0, number, 0, 0), k, 5, edge_map, mark_map)
    assert isinstance(moved, PlayCard)
    return moved.card


def test_opening_keys_tell_what_matters() -> None:
    started = EDGECOLOR.start("beginner")
    first = put(0, "123K/1", "c2")
    keys = {
        EDGECOLOR.opening(started, [put(0, text, "c2")]) for text in ("123K/1", "K123/1", "12K3/1", "321K/2", "123K/K")
    }
    assert len(keys) == 4  # black to the side (twice), away from the deck, towards it; and the black mark
    assert EDGECOLOR.opening(started, [first, Draw(0, 5), Stop(0)]) == EDGECOLOR.opening(started, [first])
    assert EDGECOLOR.opening(started, [put(1, "123K/1", "c2")]) != EDGECOLOR.opening(started, [first])
    assert EDGECOLOR.opening(started, []) == ""
    seeded, _ = random_log(EDGECOLOR, EDGECOLOR.start("4x4", {"seed_card": True}), 1, 1, limit=1)
    assert EDGECOLOR.opening(seeded, []).startswith("seed:")
    own = EDGECOLOR.start("beginner", setup=EdgecolorSetup(**OWN_CATALOGUE))
    assert EDGECOLOR.opening(own, [PlayCard(0, 0, 7, 0)]) == EDGECOLOR.opening(own, [PlayCard(0, 0, 17, 1)])


# The greedy player


def test_greedy_prefers_extra_plays_and_avoids_penalties() -> None:
    board = layout(4, b1="12K3/2", a2="1K23/2", c1="2K13/2", d4="12K3/3")
    table = Table(Position("4x4", [cards("231K/1", "K123/2", "K321/2"), cards("3K21/3", "12K3/3")], board))
    assert chosen(table) == {put(0, "231K/1", "a1", 4)}
    board = layout(5, b1="123K/1", b2=(48, 0), c2="12K3/3")
    table = Table(Position("duo", [cards("321K/1", "231K/2"), cards("3K21/3", "12K3/3")], board))
    picked = chosen(table)
    assert all(isinstance(event, PlayCard) for event in picked)
    assert {event.cell for event in picked if isinstance(event, PlayCard)} <= {0, 2, 8}  # neither blocker nor deck


def chosen(table: Table) -> set[Event]:
    found, source = set(), Random()
    out = Out(EDGECOLOR.event_record)
    n = rules.legal(table.state, table.turn, out)
    for m in range(60):
        seed_random(source, 1, m, 0)
        found.add(unflatten(EDGECOLOR, out[EDGECOLOR.rules.greedy(table.state, out, n, source)]))
    return found
