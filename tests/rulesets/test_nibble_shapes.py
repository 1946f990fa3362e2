"""Nibble: the shapes that tiles can have in play. The shortcuts of the rules rest on them. Rule file, 004.4."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import pytest

from kifold.core.names import LEGAL
from kifold.core.records import to_numpy
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.rulesets.nibble.board import EXPOSED_NEEDED, N_CELLS, N_COLOURS, NUMBERS
from kifold.core.rulesets.nibble.declaration import (
    HEX13,
    SQUARE9,
    SQUARE13,
    Take,
)
from kifold.core.rulesets.nibble.notation import cell_of
from tests.rulesets.harness import folder
from tests.rulesets.nibble_cases import (
    ALL,
    SIDES,
    free_sides,
    has_run,
    is_one_group,
    positions,
    put,
    reached_from,
    reason,
    simulated,
    takes,
    tiles_of,
)

# 004.4: structural facts. The positions of play have no holes; the shortcuts of the rules rest on that.


@pytest.mark.parametrize("variant", ALL)
def test_local_rule_and_flood_fill_agree(variant: int) -> None:
    """For every tile alone: the window says what exposure and a flood fill say, with "adjacent" and without (004-1)."""
    cut_tiles = straight = 0
    needed = EXPOSED_NEEDED[variant]
    for play in positions(variant, 12, 21):
        left = set(tiles_of(play))
        for cell in left:
            free = free_sides(variant, left, cell)
            enough, adjacent = sum(free) >= needed, has_run(free, needed)
            holds = enough and is_one_group(variant, left - {cell})
            refused = NIBBLE.rules.check(play.state, NIBBLE.flatten(Take(play.turn, (cell,))))
            assert (refused == LEGAL) == holds == (adjacent and holds)
            if refused != LEGAL:
                assert NIBBLE.reasons[refused].name == ("disconnects" if adjacent else "not_exposed")
                cut_tiles += adjacent
                straight += enough and not adjacent
    assert cut_tiles > 10
    assert straight > 10


@pytest.mark.parametrize("variant", ALL)
def test_joint_takes_and_flood_fill_agree(variant: int) -> None:
    """Every set of loose tiles of one colour; only on squares can two be loose alone and not together."""
    refused = allowed = 0
    for play in positions(variant, 20 if variant == SQUARE9 else 6, 22):
        left, listed = set(tiles_of(play)), takes(play)
        loose = [take[0] for take in listed if len(take) == 1]
        by_colour = [[c for c in sorted(loose) if play.state.layout[c] == colour] for colour in range(13)]
        expected = set()
        for tiles in by_colour:
            for n in range(1, len(tiles) + 1):
                for chosen in combinations(tiles, n):
                    if is_one_group(variant, left - set(chosen)):
                        expected.add(chosen)
                        allowed += n > 1
                    else:
                        refused += 1
                        assert reason(play, chosen, play.turn) == "disconnects"
        assert listed == expected
    assert allowed > 100
    assert (refused == 0) == (variant == HEX13)


def test_joint_takes_of_constructed_blocks() -> None:
    """Bridges are rare in play: here one colour has two, at two ends of a board that hangs together otherwise."""
    corner = "a1=0 b1=1 a2=2 b2=0"
    link = "c1=3 d1=4 e1=5 f1=6"
    other = "g1=1 g2=0 f2=2 f3=0 g3=3"
    tiles = {}
    for word in f"{corner} {link} {other}".split():
        cell, _, colour = word.partition("=")
        tiles[cell_of(SQUARE13, cell)] = int(colour)
    play, left = put(SQUARE13, tiles), set(tiles)
    assert is_one_group(SQUARE13, left)
    own = sorted(cell for cell in tiles if tiles[cell] == 0)
    loose = [cell for cell in own if (cell,) in takes(play)]
    expected = {
        chosen
        for n in range(1, len(loose) + 1)
        for chosen in combinations(loose, n)
        if is_one_group(SQUARE13, left - set(chosen))
    }
    assert {take for take in takes(play) if tiles[take[0]] == 0} == expected
    assert len(loose) >= 3
    assert len(expected) < 2 ** len(loose) - 1
    for n in range(2, len(loose) + 1):
        for chosen in combinations(loose, n):
            assert (reason(play, chosen) == "") == (chosen in expected)


@pytest.mark.parametrize("variant", ALL)
def test_order_and_timing_do_not_matter(variant: int) -> None:
    """004-2, 004-4: one after the other in any order, each judged when it goes, is the same as all at once."""
    rng, needed = random.Random(5), EXPOSED_NEEDED[variant]
    tried = 0
    for play in positions(variant, 3, 23, every=3):
        tiles = tiles_of(play)
        colour = rng.choice(list(tiles.values()))
        exposed = [c for c in tiles if tiles[c] == colour and has_run(free_sides(variant, tiles, c), needed)][:3]
        if len(exposed) < 2:
            continue
        tried += 1
        at_once = is_one_group(variant, set(tiles) - set(exposed))
        for order in permutations(exposed):
            left, steps = set(tiles), True
            for cell in order:
                steps = steps and has_run(free_sides(variant, left, cell), needed)
                left.discard(cell)
                steps = steps and is_one_group(variant, left)
            assert steps == at_once == (reason(play, sorted(exposed), play.turn) == "")
    assert tried > 10


@pytest.mark.parametrize("variant", ALL)
def test_no_stalemate_no_hole_and_lists_without_doubles(variant: int) -> None:
    for play in positions(variant, 3, 24):
        tiles, events = tiles_of(play), play.legal()
        assert len(set(events)) == len(events)
        assert all(list(e.tiles) == sorted(set(e.tiles)) and len({tiles[c] for c in e.tiles}) == 1 for e in events)
        assert sum(len(event.tiles) == 1 for event in events) >= min(2, len(tiles))
        outside = set(range(N_CELLS[variant])) - set(tiles)
        edge = [c for c in outside if -1 in SIDES[variant][c]]
        assert reached_from(variant, edge, outside) == outside


def test_lists_stay_within_what_the_docstring_says() -> None:
    for variant in ALL:
        for greedy in (False, True):
            for corpus in simulated(variant, 100, 25, greedy=greedy):
                counts = folder(NIBBLE).count_legal(corpus)
                assert counts.min() >= 1
                assert counts.max() <= N_COLOURS[variant] * (2 ** N_COLOURS[variant] - 1)


def test_many_loose_tiles_of_one_colour() -> None:
    """A comb of 12 teeth of one colour: all 2^12 − 1 sets, in both ways; the compiled list has to grow for them."""
    teeth = [NUMBERS[HEX13][x, 6] for x in range(2, 14)]
    spine = [NUMBERS[HEX13][x, 7] for x in range(1, 15)]
    tiles = dict.fromkeys(teeth[::2], 0) | {c: 1 + i % 2 for i, c in enumerate(spine)}
    below = [NUMBERS[HEX13][x, 8] for x in range(1, 13, 2)]
    tiles |= dict.fromkeys(below, 0)
    play = put(HEX13, tiles)
    listed = play.legal(0)
    assert sum(tiles[event.tiles[0]] == 0 for event in listed) == 2**12 - 1
    compiled = folder(NIBBLE)
    to_numpy(play.state, compiled.state[0])
    rows = compiled.legal(0)
    assert [tuple(row["tiles"][: row["n_tiles"]].tolist()) for row in rows] == [event.tiles for event in listed]
