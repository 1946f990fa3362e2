"""Test vectors (004.6) and checked statements of rules/nibble.md, tried on the brute-force oracle."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections import Counter
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest


def load_oracle() -> ModuleType:
    """By path, so that it works in every import mode of pytest."""
    spec = importlib.util.spec_from_file_location("nibble_oracle", Path(__file__).with_name("nibble.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


nibble = load_oracle()
EFFECTS, REASONS, VARIANTS, Oracle = nibble.EFFECTS, nibble.REASONS, nibble.VARIANTS, nibble.Oracle
HEX_SIDES, hex_coordinates, square_coordinates = nibble.HEX_SIDES, nibble.hex_coordinates, nibble.square_coordinates
conflicts, is_connected, random_setup = nibble.conflicts, nibble.is_connected, nibble.random_setup
rules_of = nibble.rules_of

ALL = tuple(VARIANTS)
GAMES = {"square9": 6, "square13": 2, "hex13": 2}


def coordinates(variant: str) -> list[tuple[int, int]]:
    return hex_coordinates() if variant == "hex13" else square_coordinates(rules_of(variant).colours)


def middle(variant: str) -> int:
    return len(rules_of(variant).sides) // 2


def split_rest(variant: str, tiles: dict[int, int]) -> list[list[int]]:
    """Whatever is not on the board, shared out evenly: nobody near a win by colour or by three."""
    colours = rules_of(variant).colours
    rest = [colours - list(tiles.values()).count(colour) for colour in range(colours)]
    halves = [(number + colour % 2) // 2 for colour, number in enumerate(rest)]
    return [halves, [number - half for number, half in zip(rest, halves, strict=True)]]


def constructed(variant: str, tiles: dict[int, int], to_move: int = 0) -> Oracle:
    table = list(range(rules_of(variant).colours))
    return Oracle.from_position(variant, tiles, split_rest(variant, tiles), table, to_move)


def sets_of(oracle: Oracle, seat: int = 0) -> set[tuple[int, ...]]:
    return {event[2] for event in oracle.legal(seat)}


def singles(oracle: Oracle) -> set[int]:
    return {cells[0] for cells in sets_of(oracle) if len(cells) == 1}


@cache
def setups(variant: str) -> tuple[dict, ...]:
    rng = random.Random(f"setups {variant}")
    return tuple(random_setup(variant, rng) for _ in range(15))


class Seen(NamedTuple):
    """A position of a play-out and the sets that could be taken there."""

    oracle: Oracle
    sets: set[tuple[int, ...]]

    def singles(self) -> set[int]:
        return {cells[0] for cells in self.sets if len(cells) == 1}


@cache
def games(variant: str) -> tuple[tuple[Seen, ...], ...]:
    """Random play-outs, each as its positions from the first to the end."""
    rng = random.Random(f"games {variant}")
    played = []
    for setup in setups(variant)[: GAMES[variant]]:
        oracle = Oracle(variant, setup=setup)
        positions = []
        while oracle.to_move() is not None:
            sets = sets_of(oracle)
            positions.append(Seen(oracle.copy(), sets))
            assert oracle.apply(("take", oracle.to_move(), rng.choice(sorted(sets)))) <= set(EFFECTS)
        played.append((*positions, Seen(oracle, set())))
    return tuple(played)


def open_positions(variant: str) -> list[Seen]:
    return [seen for game in games(variant) for seen in game[:-1]]


# --- 004.2, 004.3: boards and setups


def test_only_two_hexagons_can_be_shared_out_among_13_colours() -> None:
    centred = [1 + 3 * side * (side - 1) for side in range(1, 12)]
    assert centred == [1, 7, 19, 37, 61, 91, 127, 169, 217, 271, 331]
    assert [number for number in centred if number % 13 == 0] == [91, 169]


@pytest.mark.parametrize("variant", ALL)
def test_board(variant: str) -> None:
    sides = rules_of(variant).sides
    assert len(sides) == rules_of(variant).colours ** 2
    for cell, around in enumerate(sides):
        half = len(around) // 2
        for direction, other in enumerate(around):
            assert other is None or sides[other][(direction + half) % len(around)] == cell
    edge_counts = Counter(sum(other is None for other in around) for around in sides)
    expected = {"square9": {0: 49, 1: 28, 2: 4}, "square13": {0: 121, 1: 44, 2: 4}, "hex13": {0: 127, 2: 36, 3: 6}}
    assert edge_counts == expected[variant]


def test_cell_ids() -> None:
    assert square_coordinates(9)[10] == (1, 1)
    cells = hex_coordinates()
    rows = Counter(r for _, r in cells)
    assert [rows[r] for r in range(-7, 8)] == [8, 9, 10, 11, 12, 13, 14, 15, 14, 13, 12, 11, 10, 9, 8]
    assert (cells[0], cells[7], cells[8], cells[84], cells[168]) == ((0, -7), (7, -7), (-1, -6), (0, 0), (0, 7))
    assert cells == sorted(cells, key=lambda cell: (cell[1], cell[0]))


def test_sides_are_in_cyclic_order() -> None:
    centre = rules_of("hex13").sides[84]
    for direction, cell in enumerate(centre):
        assert hex_coordinates()[cell] == HEX_SIDES[direction]
        assert centre[(direction + 1) % 6] in rules_of("hex13").sides[cell]
    assert rules_of("square9").sides[40] == (31, 41, 49, 39)


@pytest.mark.parametrize("variant", ALL)
def test_random_setups_are_valid(variant: str) -> None:
    rules = rules_of(variant)
    for setup in setups(variant):
        assert Counter(setup["layout"]) == dict.fromkeys(range(rules.colours), rules.colours)
        assert not any(conflicts(rules, setup["layout"], cell) for cell in range(len(rules.sides)))
        assert sorted(setup["table"]) == list(range(rules.colours))
        oracle = Oracle(variant, setup=setup)
        assert oracle.to_move() == setup["first"]
        assert oracle.position()["board"] == setup["layout"]
    assert {setup["first"] for setup in setups(variant)} == {0, 1}
    assert random_setup(variant, random.Random(5)) == random_setup(variant, random.Random(5))
    fixed = random_setup(variant, random.Random(5), table_order="fixed")
    assert Oracle(variant, {"table_order": "fixed"}, 2, fixed).table == list(range(rules.colours))


def with_neighbours_made_equal(variant: str) -> list[int]:
    """Still the right quota: cells 1 and some cell of the colour of cell 0 change places."""
    layout = list(setups(variant)[0]["layout"])
    other = next(cell for cell in range(2, len(layout)) if layout[cell] == layout[0])
    layout[1], layout[other] = layout[other], layout[1]
    return layout


@pytest.mark.parametrize("variant", ALL)
def test_invalid_setups(variant: str) -> None:
    good = setups(variant)[0]
    layout, colours = good["layout"], rules_of(variant).colours
    reverse = list(range(colours))[::-1]
    cases: list[tuple[str, dict, dict]] = [
        ("wrong_quota", {}, {"layout": layout[:-1]}),
        ("wrong_quota", {}, {"layout": [*layout, 0]}),
        ("wrong_quota", {}, {"layout": [(layout[0] + 1) % colours, *layout[1:]]}),
        ("wrong_quota", {}, {"layout": [colours if colour == 0 else colour for colour in layout]}),
        ("equal_neighbours", {}, {"layout": with_neighbours_made_equal(variant)}),
        ("table_no_permutation", {}, {"table": reverse[:-1]}),
        ("table_no_permutation", {}, {"table": [*reverse[:-1], reverse[0]]}),
        ("table_no_permutation", {"table_order": "fixed"}, {"table": [*range(1, colours + 1)]}),
        ("table_not_identity", {"table_order": "fixed"}, {"table": reverse}),
    ]
    for name, options, change in cases:
        with pytest.raises(ValueError, match=f"^{name}$"):
            Oracle(variant, options, setup=good | change)
    Oracle(variant, {"something_else": 1}, setup=good | {"table": reverse})


def test_without_a_setup_or_with_other_seats_there_is_no_match() -> None:
    with pytest.raises(ValueError, match="wrong_quota"):
        Oracle("square9")
    with pytest.raises(ValueError, match="seats"):
        Oracle("square9", seats=3, setup=setups("square9")[0])
    with pytest.raises(ValueError, match="variant"):
        Oracle("square7", setup=setups("square9")[0])


def test_constructed_positions_are_checked() -> None:
    table, line = list(range(9)), {0: 1, 1: 2, 2: 3}
    counts = split_rest("square9", line)
    Oracle.from_position("square9", line, counts, table, 1)
    bad = [
        ("wrong_quota", {0: 1, 1: 2}, counts),
        ("equal_neighbours", {0: 1, 1: 1}, split_rest("square9", {0: 1, 1: 1})),
        ("one group", {0: 1, 2: 2}, split_rest("square9", {0: 1, 2: 2})),
        ("on the board", {81: 1}, split_rest("square9", {81: 1})),
        ("one at least", {}, split_rest("square9", {})),
    ]
    for words, tiles, taken in bad:
        with pytest.raises(ValueError, match=words):
            Oracle.from_position("square9", tiles, taken, table, 0)


# --- 004.6: vectors of the turn


@pytest.mark.parametrize("variant", ALL)
def test_at_the_start_the_corners_can_be_taken(variant: str) -> None:
    last = len(rules_of(variant).sides) - 1
    size = rules_of(variant).colours
    corners = {0, 7, 77, 91, last - 7, last} if variant == "hex13" else {0, size - 1, last - size + 1, last}
    for setup in setups(variant)[:5]:
        oracle = Oracle(variant, setup=setup)
        assert singles(oracle) == corners
        for cell in set(range(last + 1)) - corners:
            assert oracle.reasons(("take", setup["first"], (cell,))) == {"not_exposed"}


@pytest.mark.parametrize("variant", ALL)
def test_line_of_three(variant: str) -> None:
    left = middle(variant) - 1
    oracle = constructed(variant, {left: 1, left + 1: 2, left + 2: 3})
    assert sets_of(oracle) == {(left,), (left + 2,)}
    # in hex each of the two free arcs beside the middle tile has two sides only
    assert oracle.reasons(("take", 0, (left + 1,))) == {"not_exposed", "disconnects"}
    assert oracle.reasons(("take", 0, (left, left + 2))) == {"mixed_colours"}


@pytest.mark.parametrize("variant", ["square9", "square13"])
@pytest.mark.parametrize("corner", [0, 30])
def test_block_of_two_by_two(variant: str, corner: int) -> None:
    below = corner + rules_of(variant).colours
    oracle = constructed(variant, {corner: 1, corner + 1: 2, below: 3, below + 1: 1})
    assert sets_of(oracle) == {(corner,), (corner + 1,), (below,), (below + 1,)}
    assert oracle.reasons(("take", 0, (corner, below + 1))) == {"disconnects"}


def test_ends_of_one_colour_can_be_taken_together() -> None:
    for variant in ALL:
        left = middle(variant) - 1
        oracle = constructed(variant, {left: 1, left + 1: 2, left + 2: 1})
        assert sets_of(oracle) == {(left,), (left + 2,), (left, left + 2)}


@pytest.mark.parametrize("variant", ALL)
def test_last_tile_ends_the_match(variant: str) -> None:
    for cell in (0, middle(variant)):
        oracle = constructed(variant, {cell: 3}, to_move=1)
        assert oracle.legal(1) == {("take", 1, (cell,))}
        assert oracle.apply(("take", 1, (cell,))) == {"won_by_majority", "board_emptied"}
        assert oracle.to_move() is None
        assert oracle.legal(0) == oracle.legal(1) == set()
        assert oracle.reasons(("take", 0, (cell,))) == {"match_over", "not_your_turn", "tile_gone"}
        with pytest.raises(ValueError, match="over"):
            oracle.random_event(random.Random(1))


@cache
def is_arc(directions: tuple[int, ...], most: int) -> bool:
    return any(
        set(directions) == {(first + step) % 6 for step in range(length)}
        for first in range(6)
        for length in range(1, most + 1)
    )


def test_all_hex_neighbourhoods() -> None:
    around = rules_of("hex13").sides[84]
    for size in range(1, 7):
        for directions in combinations(range(6), size):
            oracle = constructed("hex13", {84: 0} | {around[direction]: 1 + direction for direction in directions})
            assert (84 in singles(oracle)) == is_arc(directions, 3), directions


def test_hex_vectors() -> None:
    around = rules_of("hex13").sides[84]
    for directions, expected in (
        ((0, 1, 2), set()),
        ((0, 2), {"disconnects"}),
        ((0, 1, 2, 3), {"not_exposed"}),
        ((0,), set()),
        ((0, 3), {"not_exposed", "disconnects"}),
    ):
        oracle = constructed("hex13", {84: 0} | {around[direction]: 1 + direction for direction in directions})
        assert oracle.reasons(("take", 0, (84,))) == expected


def local_square(oracle: Oracle, cell: int) -> bool:
    """004.4: one occupied neighbour, or two perpendicular ones whose common diagonal cell is occupied; or the last."""
    sides = oracle.rules.sides
    near = [(side, other) for side, other in enumerate(sides[cell]) if other in oracle.tiles]
    if len(oracle.tiles) == 1 or len(near) == 1:
        return True
    if len(near) != 2 or (near[0][0] - near[1][0]) % 2 == 0:
        return False
    (_, one), (direction, _) = near
    return sides[one][direction] in oracle.tiles


def local_hex(oracle: Oracle, cell: int) -> bool:
    """004.4: the occupied neighbours are one arc of 1..3; or it is the last tile."""
    near = tuple(side for side, other in enumerate(oracle.rules.sides[cell]) if other in oracle.tiles)
    return len(oracle.tiles) == 1 or is_arc(near, 3)


def test_all_square_neighbourhoods() -> None:
    """Every connected part of a 3 x 3 block that contains its centre: the local rule is the global one."""
    ring = (30, 31, 32, 39, 41, 48, 49, 50)
    seen = 0
    for size in range(9):
        for others in combinations(ring, size):
            tiles = {cell: colour for colour, cell in enumerate((40, *others))}
            if is_connected(rules_of("square9"), set(tiles)):
                oracle = constructed("square9", tiles)
                assert (40 in singles(oracle)) == local_square(oracle, 40), others
                seen += 1
    assert seen > 100


# --- 004.4: structural facts, on play-outs and on small positions


@pytest.mark.parametrize("variant", ALL)
def test_local_rule_is_the_global_one(variant: str) -> None:
    local = local_hex if variant == "hex13" else local_square
    for seen in open_positions(variant):
        assert seen.singles() == {cell for cell in seen.oracle.tiles if local(seen.oracle, cell)}


@pytest.mark.parametrize("variant", ALL)
def test_any_sides_are_as_good_as_consecutive_ones(variant: str) -> None:
    rules = rules_of(variant)
    for seen in open_positions(variant):
        tiles = set(seen.oracle.tiles)
        loose = {
            cell
            for cell in tiles
            if sum(other not in tiles for other in rules.sides[cell]) >= rules.exposed_needed
            and is_connected(rules, tiles - {cell})
        }
        assert loose == seen.singles()


@pytest.mark.parametrize("variant", ALL)
def test_there_are_always_two_tiles_to_take(variant: str) -> None:
    fewest = min(len(seen.singles()) for seen in open_positions(variant) if len(seen.oracle.tiles) >= 2)
    assert fewest == 2


def refused_pairs(variant: str) -> int:
    """Pairs of one colour that can be taken each alone and not together."""
    refused = 0
    for oracle, sets in open_positions(variant):
        for pair in combinations(sorted(cells[0] for cells in sets if len(cells) == 1), 2):
            refused += oracle.tiles[pair[0]] == oracle.tiles[pair[1]] and pair not in sets
    return refused


def test_only_squares_need_the_joint_check() -> None:
    assert refused_pairs("square9") + refused_pairs("square13") > 0
    assert refused_pairs("hex13") == 0
    for seen in open_positions("hex13"):
        by_colour = Counter(seen.oracle.tiles[cell] for cell in seen.singles())
        assert len(seen.sets) == sum(2**number - 1 for number in by_colour.values())


def subsets(cells: list[int]) -> list[tuple[int, ...]]:
    return [part for size in range(1, len(cells) + 1) for part in combinations(sorted(cells), size)]


def by_trying(oracle: Oracle, candidates: list[tuple[int, ...]]) -> set[tuple[int, ...]]:
    return {cells for cells in candidates if not oracle.reasons(("take", oracle.to_move(), cells))}


def small_position(variant: str, rng: random.Random) -> Oracle:
    """A random group of 4 to 8 tiles, in few colours (so that one take can have many tiles), maybe with a hole."""
    rules = rules_of(variant)
    group = [middle(variant)]
    for _ in range(rng.randrange(3, 8)):
        border = {other for cell in group for other in rules.sides[cell] if other is not None} - set(group)
        group.append(rng.choice(sorted(border)))
    tiles: dict[int, int] = {}
    for cell in group:
        taken = {tiles[other] for other in rules.sides[cell] if other in tiles}
        tiles[cell] = rng.choice([colour for colour in range(rules.colours) if colour not in taken][:2])
    return constructed(variant, tiles, rng.randrange(2))


@cache
def small_positions(variant: str) -> tuple[Oracle, ...]:
    rng = random.Random(f"small {variant}")
    late = [seen.oracle for seen in open_positions(variant) if len(seen.oracle.tiles) <= 7]
    return (*late, *(small_position(variant, rng) for _ in range(60)))


@pytest.mark.parametrize("variant", ALL)
def test_legal_is_what_trying_every_set_finds(variant: str) -> None:
    largest = 0
    for oracle in small_positions(variant):
        tried = by_trying(oracle, subsets(list(oracle.tiles)))
        assert sets_of(oracle) == tried
        largest = max(largest, *map(len, tried))
    assert largest >= 3


@pytest.mark.parametrize("variant", ALL)
def test_legal_is_what_trying_every_set_of_one_colour_finds(variant: str) -> None:
    """Positions from the middle of games, all sets of all tiles of one colour."""
    rng = random.Random(f"middle {variant}")
    busy = [seen for seen in open_positions(variant) if len(seen.oracle.tiles) >= 20]
    for oracle, sets in rng.sample(busy, 8):
        for colour in rng.sample(range(oracle.rules.colours), 3):
            cells = [cell for cell in oracle.tiles if oracle.tiles[cell] == colour]
            cells = rng.sample(cells, min(len(cells), 8))
            found = {part for part in sets if set(part) <= set(cells)}
            assert found == by_trying(oracle, subsets(cells))


@pytest.mark.parametrize("variant", ALL)
def test_every_part_of_a_legal_set_is_legal(variant: str) -> None:
    """The fact that legal() grows its sets by."""
    small = [sets_of(oracle) for oracle in small_positions(variant)]
    for legal in (*small, *(seen.sets for seen in open_positions(variant))):
        assert all(part in legal for cells in legal if len(cells) > 1 for part in combinations(cells, len(cells) - 1))


def one_by_one(oracle: Oracle, order: tuple[int, ...]) -> bool:
    """Whether the tiles can be taken in this order, each judged on the board that the one before it left."""
    tiles = dict(oracle.tiles)
    for cell in order:
        if constructed(oracle.variant, tiles).reasons(("take", 0, (cell,))):
            return False
        del tiles[cell]
    return True


@pytest.mark.parametrize("variant", ALL)
def test_order_and_timing_do_not_matter(variant: str) -> None:
    together = 0
    for oracle in small_positions(variant)[-40:]:
        legal = sets_of(oracle)
        for cells in subsets(list(oracle.tiles)):
            if 2 <= len(cells) <= 3 and len({oracle.tiles[cell] for cell in cells}) == 1:
                outcomes = {one_by_one(oracle, order) for order in permutations(cells)}
                assert outcomes == {cells in legal}
                together += cells in legal
    assert together > 10


def has_hole(oracle: Oracle) -> bool:
    sides = oracle.rules.sides
    empty = set(range(len(sides))) - set(oracle.tiles)
    outside = {cell for cell in empty if None in sides[cell]}
    frontier = list(outside)
    while frontier:
        for other in sides[frontier.pop()]:
            if other in empty and other not in outside:
                outside.add(other)
                frontier.append(other)
    return outside != empty


@pytest.mark.parametrize("variant", ALL)
def test_invariants_of_play(variant: str) -> None:
    colours = rules_of(variant).colours
    for game in games(variant):
        for number, (oracle, _) in enumerate(game):
            assert is_connected(oracle.rules, set(oracle.tiles))
            assert not has_hole(oracle)
            on_board = Counter(oracle.tiles.values())
            for colour in range(colours):
                assert on_board[colour] + oracle.counts[0][colour] + oracle.counts[1][colour] == colours
            expected = None if number == len(game) - 1 else (game[0].oracle.mover + number) % 2
            assert oracle.to_move() == expected
        check_end(game[-1].oracle)


def check_end(oracle: Oracle) -> None:
    owned = [row["colours_owned"] for row in oracle.result()]
    assert sorted(row["rank"] for row in oracle.result()) == [1, 2]
    assert oracle.result()[oracle.winner]["rank"] == 1
    if oracle.win_type == 3:
        assert not oracle.tiles
        assert sum(owned) == oracle.rules.colours
        assert owned[oracle.winner] > owned[1 - oracle.winner]


@pytest.mark.parametrize("variant", ALL)
def test_legal_in_and_out_of_turn(variant: str) -> None:
    for oracle, sets in open_positions(variant)[::8]:
        seat = oracle.to_move()
        assert oracle.legal(seat) == {("take", seat, cells) for cells in sets}
        assert oracle.legal(1 - seat) == {("take", 1 - seat, cells) for cells in sets}
        for cells in sets:
            assert oracle.reasons(("take", seat, cells)) == set()
            assert oracle.reasons(("take", 1 - seat, cells)) == {"not_your_turn"}


# --- reasons


def random_ids(seen: Seen, rng: random.Random) -> tuple[int, ...]:
    """Any ids, or ids of tiles that are there, or a legal take with or without a change."""
    kind = rng.randrange(4)
    if kind == 0:
        return tuple(rng.randrange(169) for _ in range(rng.randrange(1, 5)))
    if kind == 1 and seen.oracle.tiles:
        return tuple(sorted(rng.choices(sorted(seen.oracle.tiles), k=rng.randrange(1, 4))))
    ids = list(rng.choice(sorted(seen.sets) or [(0,)]))
    if kind == 2:
        ids.insert(rng.randrange(len(ids) + 1), rng.choice([*ids, rng.randrange(169)]))
    return tuple(ids)


def test_reasons_and_legal_agree_on_any_event() -> None:
    rng = random.Random(11)
    met: Counter[str] = Counter()
    for variant in ALL:
        for seen in [each for game in games(variant) for each in (*game[::3], game[-1])]:
            oracle, before = seen.oracle, seen.oracle.position()
            for _ in range(15):
                event = ("take", rng.randrange(2), random_ids(seen, rng))
                reasons = oracle.reasons(event)
                assert reasons <= set(REASONS)
                assert (not reasons) == (event[1] == oracle.to_move() and event[2] in seen.sets)
                met.update(reasons or {"none"})
            assert oracle.position() == before
    assert set(met) == {*REASONS, "none"}


def test_each_reason_on_its_own() -> None:
    oracle = constructed("square9", {0: 1, 1: 2, 2: 1, 9: 3, 10: 4})
    cases = [
        ((0,), set()),
        ((2,), set()),
        ((0, 2), set()),
        ((2, 0), {"not_ascending"}),
        ((2, 2), {"not_ascending"}),
        ((1,), {"not_exposed", "disconnects"}),
        ((10,), set()),
        ((2, 81), {"off_board"}),
        ((168,), {"off_board"}),
        ((80,), {"tile_gone"}),
        ((80, 168), {"tile_gone", "off_board"}),
        ((2, 80), {"tile_gone"}),
        ((2, 10), {"mixed_colours"}),
        ((0, 10), {"mixed_colours", "disconnects"}),
        ((0, 1, 2), {"mixed_colours", "not_exposed"}),
        ((0, 1, 2, 9, 10), {"mixed_colours", "not_exposed"}),
        ((168, 80, 10, 0), {"not_ascending", "off_board", "tile_gone", "mixed_colours", "disconnects"}),
    ]
    for ids, expected in cases:
        assert oracle.reasons(("take", 0, ids)) == expected, ids
        assert oracle.reasons(("take", 1, ids)) == expected | {"not_your_turn"}, ids


def test_taking_nothing_is_no_event() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Oracle("square9", setup=setups("square9")[0]).reasons(("take", 0, ()))


def test_an_illegal_event_is_not_applied() -> None:
    oracle = constructed("square9", {0: 1, 1: 2, 2: 3})
    before = oracle.position()
    with pytest.raises(ValueError, match="disconnects, not_exposed"):
        oracle.apply(("take", 0, (1,)))
    assert oracle.position() == before


def test_random_events_are_uniform() -> None:
    oracle, rng = constructed("hex13", {83: 1, 84: 2, 85: 1}, to_move=1), random.Random(8)
    drawn = Counter(oracle.random_event(rng) for _ in range(600))
    assert set(drawn) == oracle.legal(1)
    assert all(150 < number < 250 for number in drawn.values())


def test_a_copy_is_on_its_own() -> None:
    oracle = Oracle("hex13", {"early_stop": True}, setup=setups("hex13")[0])
    twin = oracle.copy()
    before = oracle.position()
    for _ in range(10):
        twin.apply(twin.random_event(random.Random(3)))
    assert oracle.position() == before != twin.position()
    assert twin.early_stop is True


# --- 004.5, 004.6: ends


def shuffled_table(variant: str, seed: int) -> list[int]:
    table = list(range(rules_of(variant).colours))
    random.Random(seed).shuffle(table)
    return table


def before_last_take(
    variant: str,
    final: list[int],
    take_at: int,
    others_at: list[int],
    seat: int = 0,
    seed: int = 1,
    early: bool = False,
) -> tuple[Oracle, tuple]:
    """The position before a take of one tile (of the colour at that table place) after which `final` is the seat's row.

    final[place] is that seat's number of tiles of the colour at that place; the tiles at others_at stay on the board.
    """
    table = shuffled_table(variant, seed)
    line = {cell: table[place] for cell, place in enumerate([take_at, *others_at])}
    own = [0] * len(table)
    for place, number in enumerate(final):
        own[table[place]] = number - (place == take_at)
    on_board = Counter(line.values())
    other = [len(table) - own[colour] - on_board[colour] for colour in range(len(table))]
    counts = [own, other] if seat == 0 else [other, own]
    return Oracle.from_position(variant, line, counts, table, seat, {"early_stop": early}), ("take", seat, (0,))


def row(variant: str, at: dict[int, int], rest: int) -> list[int]:
    return [at.get(place, rest) for place in range(rules_of(variant).colours)]


@pytest.mark.parametrize("variant", ALL)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("seed", [1, 2])
def test_three_consecutive_colours(variant: str, seat: int, seed: int) -> None:
    last = rules_of(variant).colours - 1
    enough = rules_of(variant).three_needed
    few = rules_of(variant).majority - 2
    win: set[str] = {"won_by_three"}
    cases = [
        ({3: enough, 4: enough, 5: enough}, win),
        ({0: enough, 1: enough, 2: enough}, win),
        ({last: enough, last - 1: enough, last - 2: enough}, win),
        ({3: enough + 1, 4: enough, 5: enough + 1}, win),
        ({last: enough, 0: enough, 1: enough}, set()),
        ({last - 1: enough, last: enough, 0: enough}, set()),
        ({2: enough, 3: enough, 5: enough}, set()),
        ({3: enough, 4: enough, 5: enough - 1}, set()),
    ]
    for at, effects in cases:
        for take_at in at:
            others = [place for place in range(last + 1) if place not in at][:2]
            oracle, event = before_last_take(variant, row(variant, at, few), take_at, others, seat, seed)
            assert oracle.apply(event) == effects, at
            check_winner(oracle, seat if effects else None, 2 if effects else 0)


def check_winner(oracle: Oracle, winner: int | None, win_type: int) -> None:
    position = oracle.position()
    assert (position["winner"], position["win_type"]) == (winner, win_type)
    assert (oracle.to_move() is None) == (winner is not None)
    ranks = [0, 0] if winner is None else [1 + (seat != winner) for seat in (0, 1)]
    for seat, line in enumerate(oracle.result()):
        assert line["rank"] == ranks[seat]
        assert (line["shared"], line["score"], line["win_type"]) == (False, None, win_type)
        assert line["tiles_taken"] == sum(position["counts"][seat])


@pytest.mark.parametrize("variant", ALL)
def test_a_whole_colour_wins_at_once(variant: str) -> None:
    colours, enough = rules_of(variant).colours, rules_of(variant).three_needed
    for place in (0, 4, colours - 1):
        for at in ({place: colours}, {3: enough, 4: enough, 5: enough} | {place: colours}):
            others = [each for each in (1, 7, 8) if each not in at][:2]
            oracle, event = before_last_take(variant, row(variant, at, 0 if len(at) == 1 else 2), place, others, 1)
            assert oracle.apply(event) == {"won_by_colour"}
            check_winner(oracle, 1, 1)
            assert len(oracle.tiles) == 2
    oracle, event = before_last_take(variant, row(variant, {4: colours - 1}, 0), 4, [5, 6], 1)
    assert oracle.apply(event) == set()


def test_instant_wins_come_before_the_empty_board() -> None:
    for at, name in (({2: 9}, "won_by_colour"), ({2: 7, 3: 7, 4: 7}, "won_by_three")):
        oracle, event = before_last_take("square9", row("square9", at, 1), 2, [])
        assert oracle.apply(event) == {name, "board_emptied"}
        check_winner(oracle, 0, {"won_by_colour": 1, "won_by_three": 2}[name])


MAJORITIES = [
    ("square9", [5, 5, 5, 5, 5, 4, 4, 4, 4], True),
    ("square9", [8, 8, 4, 8, 8, 4, 4, 4, 4], False),
    ("square9", [1, 1, 5, 1, 1, 5, 5, 5, 5], True),
    ("square13", [7] * 7 + [6] * 6, True),
    ("square13", [12, 12, 6, 12, 12, 6, 12, 12, 6, 6, 6, 6, 6], False),
    ("hex13", [6] * 6 + [7] * 7, True),
    ("hex13", [1, 1, 7, 1, 1, 7, 1, 1, 7, 7, 7, 7, 7], True),
]


@pytest.mark.parametrize(("variant", "final", "wins"), MAJORITIES)
@pytest.mark.parametrize("seat", [0, 1])
def test_majority_on_the_empty_board(variant: str, final: list[int], wins: bool, seat: int) -> None:
    """`seat` has the tiles `final`; whoever takes the last tile, and of whatever colour, the same seat wins."""
    rest = [len(final) - number for number in final]
    winner = seat if wins else 1 - seat
    for taker, tiles in ((seat, final), (1 - seat, rest)):
        for place in range(len(final)):
            oracle, event = before_last_take(variant, tiles, place, [], taker)
            assert oracle.apply(event) == {"won_by_majority", "board_emptied"}
            check_winner(oracle, winner, 3)
            owned = oracle.result()[seat]["colours_owned"]
            assert owned == sum(number >= rules_of(variant).majority for number in final)


def test_tiles_of_the_majority_vectors() -> None:
    oracle, event = before_last_take("square9", [8, 8, 4, 8, 8, 4, 4, 4, 4], 0, [])
    oracle.apply(event)
    assert [line["tiles_taken"] for line in oracle.result()] == [52, 29]
    assert [line["colours_owned"] for line in oracle.result()] == [4, 5]
    oracle, event = before_last_take("square9", [5, 5, 5, 5, 5, 4, 4, 4, 4], 0, [])
    oracle.apply(event)
    assert [line["tiles_taken"] for line in oracle.result()] == [41, 40]


def test_there_is_always_one_majority() -> None:
    rng = random.Random(2)
    for variant in ALL:
        rules = rules_of(variant)
        for _ in range(300):
            own = [rng.randrange(rules.colours + 1) for _ in range(rules.colours)]
            owners = [sum(number >= rules.majority for number in own)]
            owners.append(sum(rules.colours - number >= rules.majority for number in own))
            assert sum(owners) == rules.colours
            assert sum(number >= rules.majority for number in owners) == 1


def test_only_the_mover_is_judged_before_the_board_is_empty() -> None:
    """Such a position cannot come up in play; it shows that conditions 1 and 2 are tried on the mover alone."""
    for final in ([2, 2, 2, 4, 4, 4, 4, 4, 4], [0, 4, 4, 4, 4, 4, 4, 4, 4]):
        oracle, event = before_last_take("square9", final, 8, [5, 6])
        assert oracle.apply(event) == set()
        assert [oracle.counts[1][colour] for colour in oracle.table[:3]] == [9 - number for number in final[:3]]
        check_winner(oracle, None, 0)


# --- 004-6: early stop

LEADS = {
    "square9": [5, 5, 5, 1, 1, 3, 5, 5, 1],
    "square13": [7, 7, 7, 1, 1, 4, 7, 7, 1, 7, 7, 1, 1],
    "hex13": [7, 7, 7, 1, 1, 4, 7, 7, 1, 7, 7, 1, 1],
}


@pytest.mark.parametrize("variant", ALL)
@pytest.mark.parametrize("seat", [0, 1])
def test_early_stop(variant: str, seat: int) -> None:
    lead = LEADS[variant]
    guard = lead[5]
    changes: list[tuple[dict[int, int], set[str]]] = [
        ({}, {"won_by_majority", "decided_early"}),
        ({5: guard - 1}, set()),  # a window without a colour that the other seat is kept from
        ({8: 0}, set()),  # the other seat could still get all of one colour
        ({1: lead[1] - 1}, set()),  # one colour short
        ({8: guard, 4: 2}, {"won_by_majority", "decided_early"}),
    ]
    for change, effects in changes:
        final = [change.get(place, number) for place, number in enumerate(lead)]
        for early in (True, False):
            oracle, event = before_last_take(variant, final, 0, [3, 4], seat, 3, early)
            assert oracle.apply(event) == (effects if early else set()), change
            ended = early and bool(effects)
            check_winner(oracle, seat if ended else None, 3 if ended else 0)
            assert oracle.position()["decided_early"] is ended


def test_early_stop_judges_the_mover_after_the_instant_wins() -> None:
    behind = [4, 3, 3, 8, 8, 6, 4, 4, 8]
    oracle, event = before_last_take("square9", behind, 0, [1, 2], early=True)
    assert oracle.apply(event) == set()
    assert [oracle.counts[1][colour] for colour in oracle.table] == LEADS["square9"]
    for final, name in (([9, 5, 5, 1, 1, 3, 5, 5, 1], "won_by_colour"), ([7, 7, 7, 1, 1, 3, 5, 5, 1], "won_by_three")):
        oracle, event = before_last_take("square9", final, 0, [3, 4], early=True)
        assert oracle.apply(event) == {name}
        assert oracle.position()["decided_early"] is False


def test_nothing_is_early_once_the_board_is_empty() -> None:
    oracle, event = before_last_take("square9", LEADS["square9"], 0, [], early=True)
    assert oracle.apply(event) == {"won_by_majority", "board_emptied"}
    assert oracle.position()["decided_early"] is False


@pytest.mark.parametrize("variant", ALL)
def test_early_stop_never_changes_the_winner(variant: str) -> None:
    rng = random.Random(f"early {variant}")
    stopped = 0
    for setup in setups(variant)[-4 if variant == "square9" else -2 :]:
        whole = Oracle(variant, setup=setup)
        short = Oracle(variant, {"early_stop": True}, setup=setup)
        while whole.to_move() is not None:
            event = whole.random_event(rng)
            if short.to_move() is not None:
                short.apply(event)
            whole.apply(event)
        assert short.winner == whole.winner
        stopped += short.decided_early
        assert short.decided_early == bool(short.tiles and short.win_type == 3)
    assert stopped > 0


def test_every_effect_has_a_meaning() -> None:
    assert set(EFFECTS) == {"won_by_colour", "won_by_three", "won_by_majority", "decided_early", "board_emptied"}
    assert all(text.startswith(("004.", "004-")) for text in (*REASONS.values(), *EFFECTS.values()))


def test_position_of_a_new_match() -> None:
    setup = setups("square9")[0]
    assert Oracle("square9", setup=setup).position() == {
        "board": setup["layout"],
        "counts": [[0] * 9, [0] * 9],
        "table": setup["table"],
        "to_move": setup["first"],
        "winner": None,
        "win_type": 0,
        "decided_early": False,
    }
    assert [line["rank"] for line in Oracle("square9", setup=setup).result()] == [0, 0]
