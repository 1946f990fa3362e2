"""Nibble: the test vectors, the checked statements and the ambiguities of its rule file, chance, notation, pictures."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

import msgspec
import numpy as np
import pytest

from kifold.core.codec import decode, encode
from kifold.core.corpus import Corpus, array_of
from kifold.core.emit import Out
from kifold.core.events import Event, Started, tag_of
from kifold.core.flat import flatten_setup, unflatten_setup
from kifold.core.names import LEGAL
from kifold.core.options import RulesetError
from kifold.core.play import Play, Refused, fold
from kifold.core.records import essential_size, from_numpy, to_numpy
from kifold.core.rng import Random, below, seed_random
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.rulesets.nibble.board import EXPOSED_NEEDED, N_CELLS, N_COLOURS, NUMBERS, PLACES, sides_of
from kifold.core.rulesets.nibble.declaration import (
    COLOURS,
    HEX13,
    SQUARE9,
    SQUARE13,
    VARIANTS,
    NibbleSetup,
    State,
    Take,
)
from kifold.core.rulesets.nibble.notation import cell_of, cell_text, read, write
from kifold.core.rulesets.nibble.opening import SYMMETRIES, opening
from kifold.core.rulesets.nibble.picture import COLOUR_LETTERS, picture
from kifold.core.scene import PALETTE
from tests.rulesets.harness import Log, folder, logs_of, random_log, random_logs, started_with_chance

NAMES = [variant.name for variant in VARIANTS]
ALL = range(len(VARIANTS))
SIDES = [[sides_of(v, cell) for cell in range(N_CELLS[v])] for v in ALL]


def start_of(variant: int, seed: int = 1, **options: Any) -> Started:
    """A match with its chance part drawn."""
    return started_with_chance(NIBBLE, NIBBLE.start(NAMES[variant], options), seed, 0)


def put(
    variant: int,
    tiles: dict[int, int],
    taken: Sequence[Sequence[int]] = ((), ()),
    table: Sequence[int] = (),
    **options: Any,
) -> Play:
    """A position by hand: the tiles that lie there, what the seats have by colour, seat 0 to move."""
    play = Play(NIBBLE, start_of(variant, **options))
    state = play.state
    state.to_move, state.tiles_left = 0, len(tiles)
    state.rows = [0] * len(state.rows)
    for cell, colour in tiles.items():
        x, y = PLACES[variant][cell]
        state.rows[y + 1] |= 1 << x
        state.layout[cell] = colour
    for seat, counts in enumerate(taken):
        state.taken[seat * 13 : seat * 13 + len(counts)] = counts
    for place, colour in enumerate(table or range(N_COLOURS[variant])):
        state.table[place], state.place[colour] = colour, place
    return play


def cells(variant: int, text: str) -> tuple[int, ...]:
    return tuple(cell_of(variant, part) for part in text.split(","))


def reason(play: Play, tiles: Sequence[int], seat: int = 0) -> str:
    """Why a take is refused, or nothing; asked in both ways, past the door, which lets no empty take in."""
    event: Any = NIBBLE.event_record()
    event.tag, event.seat, event.n_tiles, event.tiles[: len(tiles)] = tag_of(Take), seat, len(tiles), tiles
    compiled = folder(NIBBLE)
    to_numpy(play.state, compiled.state[0])
    number = NIBBLE.rules.check(play.state, event)
    assert compiled.code.rules["check"](compiled.state[0], array_of(NIBBLE.event_record, [event])[0]) == number
    return "" if number == LEGAL else NIBBLE.reasons[number].name


def effects(play: Play, tiles: Sequence[int], seat: int = 0) -> list[str]:
    return NIBBLE.effects.of(play.add(Take(seat, tuple(tiles))))


def takes(play: Play) -> set[tuple[int, ...]]:
    return {event.tiles for event in play.legal()}


def tiles_of(play: Play) -> dict[int, int]:
    """What lies on the board: colour by cell."""
    state = play.state
    places = PLACES[state.variant]
    return {c: state.layout[c] for c, (x, y) in enumerate(places) if state.rows[y + 1] >> x & 1}


def is_one_group(variant: int, left: set[int]) -> bool:
    """By flood fill, whatever the rules say."""
    reached = set(list(left)[:1])
    edge = list(reached)
    while edge:
        fresh = {n for n in SIDES[variant][edge.pop()] if n in left} - reached
        reached |= fresh
        edge += fresh
    return reached == left


def free_sides(variant: int, left: Any, cell: int) -> list[bool]:
    return [side not in left for side in SIDES[variant][cell]]


def has_run(free: list[bool], needed: int) -> bool:
    return any(all(free[(i + k) % len(free)] for k in range(needed)) for i in range(len(free)))


def positions(variant: int, count: int, seed: int, every: int = 1) -> Iterator[Play]:
    """Positions of random matches before their ends."""
    for started, log in random_logs(NIBBLE, NAMES[variant], count=count, seed=seed):
        play = Play(NIBBLE, started)
        for ply, event in enumerate(log):
            if ply % every == 0:
                yield play
            play.add(event)


def simulated(variant: int, count: int, seed: int, *, greedy: bool = False, **options: Any) -> list[Corpus]:
    """Random matches of the compiled rules."""
    template = flatten_setup(NIBBLE, NIBBLE.start(NAMES[variant], options))
    return list(folder(NIBBLE).play(template, seed, 0, count, greedy=greedy))


# 004.2, 004.3: boards


def test_hexagons_divisible_by_13() -> None:
    """Side 6 and side 8 are the only ones up to side 11; all 13 of a colour need side 8."""
    sizes = {side: 3 * side * (side - 1) + 1 for side in range(1, 12)}
    assert [side for side, size in sizes.items() if size % 13 == 0] == [6, 8]
    assert sizes[8] == 13 * 13 == N_CELLS[HEX13]


def test_the_hexagon_has_15_rows_of_8_to_15_and_back() -> None:
    rows = [[x for x, y in PLACES[HEX13] if y == row] for row in range(15)]
    assert [len(row) for row in rows] == [8, 9, 10, 11, 12, 13, 14, 15, 14, 13, 12, 11, 10, 9, 8]
    assert all(row == sorted(row) for row in rows)
    assert [(x - 7, y - 7) for x, y in PLACES[HEX13]][:2] == [(0, -7), (1, -7)]


@pytest.mark.parametrize("variant", ALL)
def test_sides_are_mutual(variant: int) -> None:
    sides, n = SIDES[variant], len(SIDES[variant][0])
    for cell in range(N_CELLS[variant]):
        for side, neighbour in enumerate(sides[cell]):
            assert neighbour < 0 or sides[neighbour][(side + n // 2) % n] == cell
    assert [len(places) for places in PLACES] == N_CELLS


# 004.3: setup


@pytest.mark.parametrize("variant", ALL)
def test_drawn_setups_are_right_and_differ(variant: int) -> None:
    k = N_COLOURS[variant]
    corpus = simulated(variant, 300, 11)
    setups = np.concatenate([part.setups for part in corpus])
    assert {(int(s["n_layout"]), int(s["n_table"])) for s in setups} == {(N_CELLS[variant], k)}
    layouts = setups["layout"][:, : N_CELLS[variant]]
    assert (np.sort(layouts, axis=1) == np.repeat(np.arange(k), k)).all()
    for cell in range(N_CELLS[variant]):
        for side in SIDES[variant][cell]:
            assert side < 0 or (layouts[:, cell] != layouts[:, side]).all()
    assert (np.sort(setups["table"][:, :k], axis=1) == np.arange(k)).all()
    assert len({row.tobytes() for row in layouts}) == 300
    assert len({row.tobytes() for row in setups["table"]}) > 250
    assert 100 < setups["first"].sum() < 200
    assert 0.5 < (layouts == layouts[0]).mean() * k < 2


def test_chance_is_reproducible_and_the_same_in_both_ways() -> None:
    for variant in ALL:
        compiled = simulated(variant, 3, 1 << 50)
        plain = [started_with_chance(NIBBLE, NIBBLE.start(NAMES[variant]), 1 << 50, m).setup for m in range(3)]
        again = [started_with_chance(NIBBLE, NIBBLE.start(NAMES[variant]), 1 << 50, m).setup for m in range(3)]
        logs = [log for corpus in compiled for log in logs_of(corpus, NIBBLE.start(NAMES[variant]))]
        assert [started.setup for started, _ in logs] == plain == again
        assert started_with_chance(NIBBLE, NIBBLE.start(NAMES[variant]), 7, 0).setup not in plain


def refused(started: Started, **changes: Any) -> str:
    changed = msgspec.structs.replace(started, setup=msgspec.structs.replace(started.setup, **changes))
    number = NIBBLE.rules.set_up(NIBBLE.state(), flatten_setup(NIBBLE, changed))
    return "" if number == LEGAL else NIBBLE.reasons[number].name


@pytest.mark.parametrize("variant", ALL)
def test_a_setup_against_the_rules_is_refused(variant: int) -> None:
    started = start_of(variant)
    layout, table = started.setup.layout, started.setup.table
    assert refused(started) == ""
    assert refused(started, layout=()) == "wrong_quota"
    assert refused(started, layout=layout[:-1]) == "wrong_quota"
    other = next(c for c in range(N_COLOURS[variant]) if c != layout[0])
    assert refused(started, layout=(other, *layout[1:])) == "wrong_quota"
    assert refused(started, layout=tuple(sorted(layout))) == "equal_neighbours"
    assert refused(started, table=()) == "table_no_permutation"
    assert refused(started, table=table[:-1]) == "table_no_permutation"
    assert refused(started, table=(table[1], *table[1:])) == "table_no_permutation"
    assert refused(started, table=table[::-1]) == ""
    with pytest.raises(Refused, match="wrong_quota"):
        Play(NIBBLE, NIBBLE.start(NAMES[variant]))


def test_square9_knows_nine_colours() -> None:
    started = start_of(SQUARE9)
    assert refused(started, layout=tuple(9 if c == 8 else c for c in started.setup.layout)) == "wrong_quota"
    assert refused(started, table=tuple(9 if c == 8 else c for c in started.setup.table)) == "table_no_permutation"


def test_table_order_004_5() -> None:
    """Random by default; fixed is the order of the colours, and nothing else."""
    assert NIBBLE.start().options["table_order"] == "random"
    drawn, fixed = start_of(SQUARE13), start_of(SQUARE13, table_order="fixed")
    assert fixed.setup.table == tuple(range(13)) != drawn.setup.table
    assert refused(drawn, table=tuple(range(13))) == ""
    assert refused(fixed, table=drawn.setup.table) == "table_not_identity"
    assert refused(fixed, table=drawn.setup.table[:-1]) == "table_no_permutation"


def test_the_first_player_is_in_the_setup() -> None:
    started = start_of(SQUARE9)
    for first in (0, 1):
        setup = msgspec.structs.replace(started.setup, first=first)
        play = Play(NIBBLE, msgspec.structs.replace(started, setup=setup))
        assert play.turn == first
        assert reason(play, (0,), 1 - first) == "not_your_turn"
        assert reason(play, (0,), first) == ""


# 004.4: what may be taken


@pytest.mark.parametrize("variant", ALL)
def test_at_the_start_only_corners_can_be_taken(variant: int) -> None:
    corners = {
        SQUARE9: "a1,i1,a9,i9",
        SQUARE13: "a1,m1,a13,m13",
        HEX13: "h1,o1,a8,o8,a15,h15",
    }[variant]
    play = Play(NIBBLE, start_of(variant))
    assert {take[0] for take in takes(play) if len(take) == 1} == set(cells(variant, corners))
    left = tiles_of(play)
    edge = cells(variant, "b1" if variant != HEX13 else "i1")[0]
    assert sum(free_sides(variant, left, edge)) == EXPOSED_NEEDED[variant] - 1
    assert reason(play, (edge,)) == "not_exposed"


def test_a_line_of_three() -> None:
    a, b, c = cells(SQUARE9, "d4,e4,f4")
    play = put(SQUARE9, {a: 1, b: 2, c: 3})
    assert takes(play) == {(a,), (c,)}
    assert reason(play, (b,)) == "not_exposed"


def test_a_block_of_four() -> None:
    a, b, c, d = cells(SQUARE9, "d4,e4,d5,e5")
    play = put(SQUARE9, {a: 1, b: 2, c: 3, d: 1})
    assert takes(play) == {(a,), (b,), (c,), (d,)}
    assert reason(play, (a, d)) == "disconnects"
    assert not is_one_group(SQUARE9, {b, c})


def test_two_at_a_corner_that_one_tile_holds_together_go_together() -> None:
    a, b, d = cells(SQUARE9, "d4,e4,e5")
    assert takes(put(SQUARE9, {a: 1, b: 2, d: 1})) == {(a,), (d,), (a, d)}


@pytest.mark.parametrize("variant", ALL)
def test_the_last_tile(variant: int) -> None:
    """Of all cells only that one, and it ends the match – also where no tile can be in the other variants."""
    last = N_CELLS[variant] - 1
    play = put(variant, {last: 0}, [[1] * 9, [1] * 9])
    assert takes(play) == {(last,)}
    assert reason(play, (0,)) == "tile_gone"
    assert "board_emptied" in effects(play, (last,))
    assert play.turn == NOBODY
    assert reason(play, (last,)) == "match_over"


def test_every_tile_of_the_hexagon_keeps_the_match_going() -> None:
    """Not only those of a 13×13 part of its rows and columns."""
    for cell in range(N_CELLS[HEX13]):
        beside = next(n for n in SIDES[HEX13][cell] if n >= 0)
        play = put(HEX13, {cell: 0, beside: 1})
        assert effects(play, (beside,)) == []
        assert play.turn == 1


@pytest.mark.parametrize(
    ("neighbours", "expected"),
    [
        ((0, 1, 2), ""),
        ((0, 2), "disconnects"),
        ((0, 1, 2, 3), "not_exposed"),
        ((0,), ""),
        ((0, 1), ""),
        ((0, 3), "not_exposed"),
        ((0, 2, 4), "not_exposed"),
    ],
)
def test_neighbours_of_a_hexagon(neighbours: tuple[int, ...], expected: str) -> None:
    """By directions going round; the rule is the same for all six turns of them, and for all sets as by brute force."""
    middle = cells(HEX13, "h8")[0]
    for turned in range(6):
        around = [SIDES[HEX13][middle][(side + turned) % 6] for side in neighbours]
        play = put(HEX13, {middle: 0} | {cell: 1 + i for i, cell in enumerate(around)})
        assert reason(play, (middle,)) == expected


def test_all_sets_of_neighbours_of_a_hexagon() -> None:
    middle = cells(HEX13, "h8")[0]
    ring = SIDES[HEX13][middle]
    for chosen in range(64):
        around = {cell for i, cell in enumerate(ring) if chosen >> i & 1}
        play = put(HEX13, {middle: 0} | dict.fromkeys(around, 1))
        one_arc = is_one_group(HEX13, around) and len(around) <= 3
        assert (reason(play, (middle,)) == "") == one_arc


def test_reasons_of_a_named_list() -> None:
    play = Play(NIBBLE, start_of(SQUARE9))
    seat = play.turn
    corner = next(take[0] for take in takes(play) if len(take) == 1)
    layout = play.state.layout
    same = next(c for c in range(81) if layout[c] == layout[corner] and c > corner)
    other = next(c for c in range(81) if layout[c] != layout[corner] and c > corner)
    assert reason(play, (corner, corner), seat) == "not_ascending"
    assert reason(play, (same, corner), seat) == "not_ascending"
    assert reason(play, (81,), seat) == "off_board"
    assert reason(play, (corner, 168), seat) == "off_board"
    assert reason(play, (corner, other), seat) == "mixed_colours"
    play.add(Take(seat, (corner,)))
    assert reason(play, (corner,), 1 - seat) == "tile_gone"


def test_nobody_may_pass() -> None:
    play = Play(NIBBLE, start_of(SQUARE9))
    with pytest.raises(msgspec.ValidationError):
        decode(NIBBLE, encode(Take(play.turn, ())))
    assert reason(play, (), play.turn) != ""


def test_out_of_turn_everything_else_is_answered_first() -> None:
    play = Play(NIBBLE, start_of(SQUARE9))
    seat = 1 - play.turn
    assert reason(play, (40,), seat) == "not_exposed"
    assert reason(play, (0,), seat) == "not_your_turn"
    assert {event.tiles for event in play.legal(seat)} == takes(play)
    assert {event.seat for event in play.legal(seat)} == {seat}


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
        reached = set(edge)
        while edge:
            fresh = {n for n in SIDES[variant][edge.pop()] if n in outside} - reached
            reached |= fresh
            edge += fresh
        assert reached == outside


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


# 004.5: the end


def one_tile_left(variant: int, own: Sequence[int], other: Sequence[int], colour: int, **options: Any) -> Play:
    """Seat 0 takes the last tile, of the given colour, and then has what `own` says; seat 1 has `other`."""
    before = [n - (c == colour) for c, n in enumerate(own)]
    assert all(a + b == N_COLOURS[variant] for a, b in zip(own, other, strict=True))
    return put(variant, {40: colour}, [before, other], **options)


def winner(play: Play) -> tuple[int, int]:
    """Who has won, and how."""
    ranks = [standing.rank for standing in play.result()]
    kinds = {standing.components["win_type"] for standing in play.result()}
    assert sorted(ranks) == [1, 2]
    assert not any(standing.shared for standing in play.result())
    assert play.turn == NOBODY
    return ranks.index(1), int(kinds.pop())


@pytest.mark.parametrize(
    ("places", "wins"), [((3, 4, 5), True), ((8, 0, 1), False), ((2, 3, 5), False), ((6, 7, 8), True)]
)
@pytest.mark.parametrize("last", [0, 1, 2])
def test_three_neighbours_in_the_table(places: tuple[int, ...], wins: bool, last: int) -> None:
    """Seven in each of three places; the last take completes any of the three. The table is no ring."""
    table = [4, 2, 0, 8, 6, 1, 3, 5, 7]
    colours = [table[place] for place in places]
    own = [7 - (c == colours[last]) if c in colours else 0 for c in range(9)]
    play = put(SQUARE9, {40: colours[last], 41: next(c for c in range(9) if c not in colours)}, [own], table)
    assert effects(play, (40,)) == (["won_by_three"] if wins else [])
    if wins:
        assert winner(play) == (0, 2)


@pytest.mark.parametrize("variant", ALL)
def test_three_neighbours_need_enough_of_each(variant: int) -> None:
    """004-10, 004-11: 7 of each (13 colours: 10, the hexagon like the square), not in total, and not one less."""
    needed = {SQUARE9: 7, SQUARE13: 10, HEX13: 10}[variant]
    for short in (0, 1):
        own = [needed - short, needed, needed - 1]
        play = put(variant, {40: 2, 41: 5}, [own])
        assert effects(play, (40,)) == ([] if short else ["won_by_three"])


@pytest.mark.parametrize("variant", ALL)
def test_all_tiles_of_a_colour_win_whatever_else(variant: int) -> None:
    """Precedence over three neighbours, over the majority of the other seat, and over early_stop."""
    k = N_COLOURS[variant]
    own = [k - 1, k - 1, k - 1] + [0] * (k - 3)
    other = [0, 0, 0] + [k] * (k - 4) + [k - 1]
    play = put(variant, {40: 0, 41: k - 1}, [own, other], early_stop=True)
    assert effects(play, (40,)) == ["won_by_colour"]
    assert winner(play) == (0, 1)
    emptied = one_tile_left(variant, [k] + [0] * (k - 1), [0] + [k] * (k - 1), 0)
    assert effects(emptied, (40,)) == ["won_by_colour", "board_emptied"]
    assert winner(emptied) == (0, 1)


def test_three_neighbours_come_before_the_majority() -> None:
    own = [7, 7, 7, 0, 0, 0, 0, 0, 1]
    play = one_tile_left(SQUARE9, own, [9 - n for n in own], 0)
    assert effects(play, (40,)) == ["won_by_three", "board_emptied"]
    assert winner(play) == (0, 2)


@pytest.mark.parametrize(
    ("own", "wins"),
    [
        ([5, 5, 5, 5, 5, 4, 4, 4, 4], True),
        ([8, 8, 4, 8, 8, 4, 4, 4, 4], False),
        ([1, 1, 5, 1, 1, 5, 5, 5, 5], True),
        ([4, 4, 4, 4, 4, 5, 5, 5, 5], False),
    ],
)
def test_majority_counts_colours_and_not_tiles(own: list[int], wins: bool) -> None:
    """52 tiles lose to 29; the mover need not be the winner."""
    for colour in (2, 8):
        play = one_tile_left(SQUARE9, own, [9 - n for n in own], colour)
        assert effects(play, (40,)) == ["won_by_majority", "board_emptied"]
        assert winner(play) == (0 if wins else 1, 3)
        assert [s.components["tiles_taken"] for s in play.result()] == [sum(own), 81 - sum(own)]
        owned = sum(n >= 5 for n in own)
        assert [s.components["colours_owned"] for s in play.result()] == [owned, 9 - owned]


def test_before_the_end_both_share_the_first_rank() -> None:
    result = Play(NIBBLE, start_of(HEX13)).result()
    assert [(s.rank, s.shared, s.score, s.components["win_type"]) for s in result] == [(1, True, None, 0)] * 2


@pytest.mark.parametrize("variant", ALL)
def test_somebody_always_wins(variant: int) -> None:
    compiled, kinds = folder(NIBBLE), set()
    for greedy in (False, True):
        for corpus in simulated(variant, 300, 31, greedy=greedy):
            folded = compiled.fold(corpus)
            assert (folded.matches["turn"] == NOBODY).all()
            assert (np.sort(folded.results["rank"], axis=1) == [1, 2]).all()
            kinds |= set(folded.results["win_type"][:, 0].tolist())
            emptied = folded.results["tiles_taken"].sum(axis=1) == N_CELLS[variant]
            owned = folded.results["colours_owned"][emptied]
            assert (owned.sum(axis=1) == N_COLOURS[variant]).all()
    assert kinds == {1, 2, 3}


# 004-6: early stop


def stopped_early(variant: int, count: int, seed: int) -> tuple[Corpus, np.ndarray, np.ndarray]:
    """Matches played to the end; who won, and at which event each would have stopped early (−1: never)."""
    compiled = folder(NIBBLE)
    (corpus,) = simulated(variant, count, seed)
    played = compiled.fold(corpus)
    setups = corpus.setups.copy()
    setups["early_stop"] = 1
    stopped = compiled.fold(Corpus(NIBBLE, setups, corpus.events, corpus.starts))
    assert (played.results["rank"] == stopped.results["rank"]).all()
    early = stopped.matches["done"] < np.diff(corpus.starts)
    assert {NIBBLE.reasons[int(r)].name for r in stopped.matches["reason"][early]} <= {"match_over"}
    assert (stopped.results["win_type"][early] == 3).all()
    return corpus, np.where(early, stopped.matches["done"], -1), played.results["rank"][:, 0]


@pytest.mark.parametrize("variant", ALL)
def test_early_stop_never_changes_the_winner(variant: int) -> None:
    corpus, stops, _ = stopped_early(variant, 400, 41)
    assert (stops > 0).sum() > 100
    assert (np.diff(corpus.starts)[stops > 0] - stops[stops > 0]).mean() > 1


@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("variant", ALL)
def test_whatever_follows_an_early_stop_the_winner_is_the_same(variant: int, policy: str) -> None:
    """From where a match stops early it goes on in another way than it did, at random or greedily."""
    corpus, stops, first_rank = stopped_early(variant, 30, 42)
    logs = logs_of(corpus, NIBBLE.start(NAMES[variant]))
    source = Random()
    seed_random(source, 42, 99, 1)
    assert (stops > 0).sum() > 8
    for (started, log), stop, rank in zip(logs, stops, first_rank, strict=True):
        if stop < 0:
            continue
        play, refused = fold(NIBBLE, started, log[: int(stop)])
        assert refused is None
        while play.turn != NOBODY:
            out = Out(NIBBLE.event_record)
            n = NIBBLE.rules.legal(play.state, play.turn, out)
            i = NIBBLE.rules.greedy(play.state, out, n, source) if policy == "greedy" else below(source, n)
            play.add(Take(play.turn, tuple(out[i].tiles[: out[i].n_tiles])))
        assert winner(play)[0] == (0 if rank == 1 else 1)


def test_early_stop_is_off_by_default_and_says_so_when_on() -> None:
    own, other = [5, 5, 5, 5, 4, 3, 3, 3, 3], [3, 3, 3, 3, 2, 3, 3, 3, 3]
    for stop in (False, True):
        play = put(SQUARE9, {40: 4, 41: 5}, [own, other], early_stop=stop)
        assert NIBBLE.start().options["early_stop"] is False
        assert effects(play, (40,)) == (["won_by_majority", "decided_early"] if stop else [])
        assert (play.turn == NOBODY) == stop


@pytest.mark.parametrize(
    ("own", "is_decided"),
    [
        ([5, 5, 5, 5, 5, 1, 1, 3, 1], True),
        ([5, 5, 5, 5, 5, 0, 3, 3, 3], False),
        ([5, 5, 5, 5, 5, 2, 2, 2, 3], False),
        ([5, 5, 5, 5, 5, 2, 2, 3, 2], True),
        ([5, 5, 5, 5, 4, 4, 4, 4, 4], False),
        ([2, 2, 3, 5, 5, 5, 5, 5, 1], True),
        ([2, 2, 2, 5, 5, 5, 5, 5, 1], False),
    ],
)
def test_when_a_match_is_decided(own: list[int], is_decided: bool) -> None:
    """Five majorities, a tile of every colour, and in each three neighbours one colour with more than two tiles."""
    before = [n - (c == 3) for c, n in enumerate(own)]
    for reverse in (False, True):
        table = list(range(9))[:: -1 if reverse else 1]
        play = put(SQUARE9, {40: 3, 41: 4}, [before], table, early_stop=True)
        assert effects(play, (40,)) == (["won_by_majority", "decided_early"] if is_decided else [])


@pytest.mark.parametrize("variant", [SQUARE13, HEX13])
def test_when_a_match_of_13_colours_is_decided(variant: int) -> None:
    for held, is_decided in ((4, True), (3, False)):
        own = [6, 7, 7, 7, 7, 7, 7, 1, 1, held, 3, 3, 4]
        play = put(variant, {40: 0, 41: 4}, [own], early_stop=True)
        assert effects(play, (40,)) == (["won_by_majority", "decided_early"] if is_decided else [])


def test_early_stop_is_tested_for_the_mover_only() -> None:
    """The other seat has a decided match in this made-up position; its own next take says so."""
    safe = [5, 5, 5, 5, 5, 3, 3, 3, 3]
    play = put(SQUARE9, {40: 5, 41: 6, 42: 5}, [[0] * 9, safe], early_stop=True)
    assert effects(play, (40,)) == []
    assert effects(play, (42,), 1) == ["won_by_majority", "decided_early"]


def test_no_early_stop_is_flagged_when_the_board_is_emptied() -> None:
    own = [5, 5, 5, 5, 5, 4, 4, 4, 4]
    play = one_tile_left(SQUARE9, own, [9 - n for n in own], 4, early_stop=True)
    assert effects(play, (40,)) == ["won_by_majority", "board_emptied"]


# The state, and what is played with


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
    moved: list[Event] = [Take(1 - e.seat, tuple(sorted(image[c] for c in e.tiles))) for e in events]  # type: ignore[attr-defined]
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
