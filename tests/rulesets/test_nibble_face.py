"""Nibble: the state and what is played with, notation, pictures, openings."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from kifold.core.corpus import array_of
from kifold.core.emit import Out
from kifold.core.events import Event
from kifold.core.flat import flatten_setup, unflatten_setup
from kifold.core.options import RulesetError
from kifold.core.play import Play, fold
from kifold.core.records import essential_size, from_numpy
from kifold.core.rng import Random, seed_random
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.rulesets.nibble.board import N_CELLS, N_COLOURS
from kifold.core.rulesets.nibble.declaration import (
    COLOURS,
    HEX13,
    SQUARE9,
    SQUARE13,
    NibbleSetup,
    State,
    Take,
)
from kifold.core.rulesets.nibble.notation import cell_of, cell_text, read, write
from kifold.core.rulesets.nibble.opening import SYMMETRIES, opening
from kifold.core.rulesets.nibble.picture import COLOUR_LETTERS, picture
from kifold.core.scene import PALETTE
from tests.rulesets.harness import Log, random_log, random_logs
from tests.rulesets.nibble_cases import ALL, SIDES, positions, start_of, takes, tiles_of, winner


def test_two_players_only() -> None:
    for seats in (1, 3, 4):
        with pytest.raises(RulesetError):
            NIBBLE.start(seats=seats)


def test_the_state_is_small() -> None:
    assert essential_size(NIBBLE.state) < 256
    blank = NIBBLE.state()
    assert isinstance(blank, State)
    assert len(blank.essential()) == essential_size(NIBBLE.state)


def test_scratch_and_caches_are_in_no_fingerprint() -> None:
    play = Play(NIBBLE, start_of(SQUARE13))
    before = play.state.essential()
    play.legal()
    assert play.state.essential() == before
    play.state.place[0] += 1
    play.state.tiles_left += 1
    assert play.state.essential() == before


def test_greedy_makes_the_tallest_column() -> None:
    for started, log in random_logs(NIBBLE, "square9", count=3, seed=51, greedy=True):
        play = Play(NIBBLE, started)
        for event in log:
            assert isinstance(event, Take)

            def height(take: Any, play: Play = play) -> int:
                colour = play.state.layout[take.tiles[0]]
                return len(take.tiles) + int(play.state.taken[take.seat * 13 + colour])

            assert height(event) == max(map(height, play.legal()))
            play.add(event)


def test_greedy_breaks_ties_at_random() -> None:
    play = Play(NIBBLE, start_of(SQUARE9))
    out, source = Out(NIBBLE.event_record), Random()
    n = NIBBLE.rules.legal(play.state, play.turn, out)
    seed_random(source, 1, 0, 1)
    longest = max(record.n_tiles for record in out[:n])
    best = {i for i in range(n) if out[i].n_tiles == longest}
    assert {NIBBLE.rules.greedy(play.state, out, n, source) for _ in range(200)} == best


# Notation


@pytest.mark.parametrize("variant", ALL)
def test_notation_reads_what_it_writes(variant: int) -> None:
    for play in positions(variant, 1, 61, every=5):
        for event in play.legal():
            assert isinstance(event, Take)
            text = write(play.started, event)
            assert " " not in text
            assert read(play.started, play.state, text) == event
            assert read(play.started, play.state, text.partition(":")[2]) == event
            assert (
                read(play.started, play.state, f" {event.seat}:" + ",".join(reversed(text[2:].upper().split(","))))
                == event
            )
    assert [cell_of(variant, cell_text(variant, c)) for c in range(169)] == list(range(169))


def test_notation_as_a_player_writes_it() -> None:
    square, hexagon = start_of(SQUARE9), start_of(HEX13)
    assert write(square, Take(1, (0, 8, 80))) == "1:a1,i1,i9"
    assert write(hexagon, Take(0, (0, 7, 84, 168))) == "0:h1,o1,h8,h15"
    assert write(square, Take(0, (81,))) == "0:#81"


@pytest.mark.parametrize(
    "text", ["", "j1", "a0", "a10", "1", "2:a1", "x:a1", ":a1", "a1,a1", "a1,", "#169", "a1 b1", "a\u0661", "\u00b2:a1"]
)
def test_notation_refuses_in_one_line(text: str) -> None:
    play = Play(NIBBLE, start_of(SQUARE9))
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        read(play.started, play.state, text)


def test_notation_says_how_long_rows_are() -> None:
    """A first and a last cell do not say it of a hexagon."""
    said = {
        SQUARE9: "square9: row 1 is a1 … i1, row 5 is a5 … i5, row 9 is a9 … i9",
        SQUARE13: "square13: row 1 is a1 … m1, row 7 is a7 … m7, row 13 is a13 … m13",
        HEX13: "hex13: row 1 is h1 … o1, row 8 is a8 … o8, row 15 is a15 … h15",
    }
    for variant, rows in said.items():
        play = Play(NIBBLE, start_of(variant))
        with pytest.raises(ValueError, match=f"^'z9' is no cell of {rows}$"):
            read(play.started, play.state, "z9")


def test_notation_without_a_seat_after_the_end() -> None:
    started, log = random_log(NIBBLE, start_of(SQUARE9), 1, 0)
    play, _ = fold(NIBBLE, started, log)
    with pytest.raises(ValueError, match="over"):
        read(started, play.state, "a1")
    with pytest.raises(ValueError, match="more than any colour"):
        read(started, play.state, "0:" + ",".join(cell_text(SQUARE9, c) for c in range(14)))


# Pictures and openings


def text_of(play: Play) -> list[str]:
    """As a renderer draws it that has a line for each row and two columns for each unit."""
    scene = picture(play.started, play.state)
    lines: dict[float, dict[int, str]] = {}
    for x, y, text in [(s.x, s.y, s.letter) for s in scene.shapes] + [(t.x, t.y, t.text) for t in scene.labels]:
        assert lines.setdefault(y, {}).setdefault(round(2 * x), text) == text
    drawn = []
    for _, letters in sorted(lines.items()):
        line = ""
        for column, text in sorted(letters.items()):
            line = line.ljust(column) + text
        drawn.append(line)
    return drawn


def test_the_hexagon_is_a_hexagon_in_text() -> None:
    play = Play(NIBBLE, start_of(HEX13))
    lines = text_of(play)
    assert len(lines) == 16
    lettered = [line[len(line) - len(line.lstrip("0123456789 ")) :] for line in lines]
    assert [len("".join(c for c in line if c.isupper())) for line in lettered[:15]] == [
        *range(8, 16),
        *range(14, 7, -1),
    ]
    left = [len(line) - len(line.lstrip("0123456789 ")) for line in lines[:15]]
    assert left == [9, 8, 7, 6, 5, 4, 3, 2, 3, 4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("variant", ALL)
def test_pictures(variant: int) -> None:
    started, log = random_log(NIBBLE, start_of(variant), 1, 0)
    play = Play(NIBBLE, started)
    for event in (None, *log):
        if event:
            play.add(event)
        scene = picture(started, play.state)
        assert len(scene.shapes) == N_CELLS[variant]
        assert {shape.kind for shape in scene.shapes} == {"hexagon" if variant == HEX13 else "square"}
        assert sum(shape.colour != "board" for shape in scene.shapes) == len(tiles_of(play))
        assert all(
            (s.letter == ".") if s.colour == "board" else (COLOUR_LETTERS[COLOURS.index(s.colour)] == s.letter)
            for s in scene.shapes
        )
        loose = {s.title.split()[0] for s in scene.shapes if s.title.endswith("loose")}
        singles = {take[0] for take in takes(play) if len(take) == 1} if play.turn != NOBODY else set()
        assert play.turn == NOBODY or loose == {cell_text(variant, c) for c in singles}
        inside = [(s.x, s.y) for s in scene.shapes] + [(label.x, label.y) for label in scene.labels]
        assert all(0 <= x <= scene.width - 1 and 0 <= y <= scene.height - 1 for x, y in inside)
    assert f"seat {winner(play)[0]} has won" in scene.legend[-1]
    assert scene.turn == ""
    assert scene.legend[1].startswith("seat 0 has")


def test_neighbouring_hexagons_are_one_apart() -> None:
    scene = picture(start_of(HEX13), Play(NIBBLE, start_of(HEX13)).state)
    for cell, sides in enumerate(SIDES[HEX13]):
        for side in sides:
            if side >= 0:
                a, b = scene.shapes[cell], scene.shapes[side]
                assert (a.x - b.x) ** 2 + (a.y - b.y) ** 2 == pytest.approx(1, abs=0.002)


def test_colours_have_names_of_the_palette_and_letters_of_their_own() -> None:
    assert set(COLOURS) <= set(PALETTE) - {"board"}
    assert len(set(COLOURS)) == len(set(COLOUR_LETTERS)) == 13
    assert all(letter.lower() in colour for letter, colour in zip(COLOUR_LETTERS, COLOURS, strict=True))


@pytest.mark.parametrize("variant", ALL)
def test_symmetries_keep_neighbours(variant: int) -> None:
    assert len(set(map(tuple, SYMMETRIES[variant]))) == (12 if variant == HEX13 else 8)
    for image in SYMMETRIES[variant]:
        assert sorted(image) == list(range(N_CELLS[variant]))
        for cell, sides in enumerate(SIDES[variant]):
            assert {image[s] for s in sides if s >= 0} == {s for s in SIDES[variant][image[cell]] if s >= 0}


def image_of(log: Log, image: Sequence[int], colours: Sequence[int], reverse: bool) -> Log:
    """The same match seen otherwise: cells moved, colours renamed, the table from its other end, seats exchanged."""
    started, events = log
    setup = started.setup
    layout = [0] * len(setup.layout)
    for cell, colour in enumerate(setup.layout):
        layout[image[cell]] = colours[colour]
    table = tuple(colours[colour] for colour in setup.table)[:: -1 if reverse else 1]
    moved: list[Event] = [Take(1 - e.seat, tuple(sorted(image[c] for c in e.tiles))) for e in events]
    return msgspec.structs.replace(started, setup=NibbleSetup(tuple(layout), table, 1 - setup.first)), moved


@pytest.mark.parametrize("variant", ALL)
def test_symmetric_openings_have_one_key(variant: int) -> None:
    """And symmetric matches are legal and end alike, which is what makes the symmetries those of the rules."""
    log = random_log(NIBBLE, start_of(variant), 1, 0)
    rng, keys, lengths = random.Random(7), {opening(log[0], log[1][:6])}, (1, 2, 4)
    expected, _ = fold(NIBBLE, *log)
    for image in SYMMETRIES[variant]:
        for reverse in (False, True):
            colours = rng.sample(range(N_COLOURS[variant]), N_COLOURS[variant])
            started, events = image_of(log, image, colours, reverse)
            play, refused = fold(NIBBLE, started, events)
            assert refused is None
            assert [s.components for s in play.result()] == [s.components for s in expected.result()[::-1]]
            keys.add(opening(started, events[:6]))
            for n in lengths:
                assert opening(started, events[:n]) == opening(log[0], log[1][:n])
    assert len(keys) == 1
    assert opening(log[0], []) == ""


def test_different_openings_have_different_keys() -> None:
    play = Play(NIBBLE, start_of(SQUARE9))
    play.add(Take(play.turn, (0,)))
    first = Take(1 - play.turn, (0,))
    keys = {opening(play.started, [first, event]) for event in play.legal()}
    singles = [event for event in play.legal() if isinstance(event, Take) and len(event.tiles) == 1]
    assert len(singles) == 5
    assert len({opening(play.started, [first, event]).split()[1].partition(":")[2] for event in singles}) >= 3
    assert all(key.count(":") == 2 for key in keys)
    place = play.started.setup.table.index(play.started.setup.layout[0]) + 1
    assert opening(play.started, [first]) == f"{min(place, 10 - place)}:a1"


def test_setup_survives_the_record() -> None:
    started = start_of(HEX13)
    record = flatten_setup(NIBBLE, started)
    assert unflatten_setup(NIBBLE, record) == started.setup
    row = array_of(NIBBLE.setup_record, [record])[0]
    assert unflatten_setup(NIBBLE, from_numpy(NIBBLE.setup_record, row)) == started.setup
