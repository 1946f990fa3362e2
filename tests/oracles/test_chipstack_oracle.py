"""The chipstack oracle against the test vectors and checked statements of ``rules/chipstack.md``."""

from __future__ import annotations

import random
import sys
from collections import Counter
from itertools import combinations_with_replacement, pairwise, permutations, product
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from chipstack import AREA, CELLS, COLOURS, EFFECTS, REASONS, ROUND, SHAPES, SQUARE, Oracle, area, can_match

PURPLE, RED = 0, 1


def at(name: str) -> int:
    """Cell id of a name such as 4-e."""
    number, letter = name.split("-")
    return 6 * (int(number) - 1) + "abcdef".index(letter)


def cells(*names: str) -> tuple[int, ...]:
    return tuple(sorted(at(name) for name in names))


def random_placement(match: Oracle, rng: random.Random) -> tuple:
    """A legal placement drawn kind and cell first: not uniform over events, but quick."""
    kinds = [kind for kind in product(COLOURS, SHAPES) if match.placeable(*kind)]
    colour, shape = rng.choice(kinds)
    cell = rng.choice([cell for cell in CELLS if cell not in match.pieces])
    targets = rng.choice(sorted(match.legal_outcomes(colour, shape, cell)))
    return ("place", match.to_move(), colour, shape, cell, targets)


def quick_event(match: Oracle, rng: random.Random) -> tuple:
    return random_placement(match, rng) if match.phase == 1 else match.random_event(rng)


def random_position(rng: random.Random, placements: int) -> Oracle:
    match = Oracle("standard", seats=rng.randint(2, 5))
    for _ in range(placements):
        if match.phase == 2:
            break
        match.apply(random_placement(match, rng))
    return match


def total_chips(match: Oracle) -> int:
    held = sum(sum(counts) for counts in match.holdings)
    return held + sum(match.chip_supply) + sum(len(stack) for stack in match.stacks.values())


def supply_of(colour: int, left: int) -> list[int]:
    return [left if other == colour else 10 for other in COLOURS]


# 000.2: areas


@pytest.mark.parametrize(
    ("shape", "cell", "expected"),
    [
        (SQUARE, "4-e", ("3-e", "5-e", "4-d", "4-f")),
        (SQUARE, "4-d", ("3-d", "5-d", "4-c", "4-e")),
        (ROUND, "5-e", ("4-d", "4-f", "6-d", "6-f")),
        (SQUARE, "4-f", ("3-f", "4-e", "5-f")),
        (ROUND, "5-b", ("4-a", "4-c", "6-a", "6-c")),
    ],
)
def test_areas_named_in_the_rule_file(shape: int, cell: str, expected: tuple[str, ...]) -> None:
    assert set(area(shape, at(cell))) == set(cells(*expected))


def test_slot_order() -> None:
    assert area(SQUARE, at("4-e")) == [at("3-e"), at("5-e"), at("4-d"), at("4-f")]
    assert area(ROUND, at("5-b")) == [at("4-a"), at("4-c"), at("6-a"), at("6-c")]


def test_area_sizes() -> None:
    sizes = {SQUARE: (4, 3, 2), ROUND: (4, 2, 1)}
    for shape, cell in product(SHAPES, CELLS):
        number, letter = divmod(cell, 6)
        borders = (number in (0, 5)) + (letter in (0, 5))
        assert len(AREA[shape, cell]) == sizes[shape][borders]
        assert cell not in AREA[shape, cell]


# 000.8: vectors


def v1(purple: int, fillers: tuple[tuple[int, int], ...] = ((2, 0), (2, 1), (3, 0))) -> Oracle:
    pieces = {at("4-d"): (4, SQUARE), at("5-e"): (4, ROUND), at("4-f"): (3, SQUARE)}
    pieces |= {at(name): piece for name, piece in zip(("3-f", "5-f", "6-f"), fillers, strict=True)}
    return Oracle.from_position(seats=3, pieces=pieces, chip_supply=supply_of(PURPLE, purple))


def test_v1_three_outcomes_whatever_stands_on_the_other_cells() -> None:
    expected = {cells("3-e", "6-d", name) for name in ("3-d", "4-c", "5-d")}
    for shapes in product(SHAPES, repeat=3):
        match = v1(10, tuple((2, shape) for shape in shapes))
        assert match.legal_outcomes(PURPLE, SQUARE, at("4-e")) == expected
        slots = {slot.cell: (slot.direct, set(slot.targets)) for slot in match.slots(SQUARE, at("4-e"))}
        assert slots == {
            at("3-e"): (True, {at("3-e")}),
            at("5-e"): (False, {at("6-d")}),
            at("4-d"): (False, set(cells("3-d", "4-c", "5-d"))),
            at("4-f"): (False, set()),
        }


def test_v1_effects_and_chips_used() -> None:
    match = v1(10)
    targets = cells("3-e", "6-d", "3-d")
    assert match.apply(("place", 0, PURPLE, SQUARE, at("4-e"), targets)) == {"redirected", "slot_dead"}
    assert match.chip_supply[PURPLE] == 7
    assert {cell for cell in CELLS if match.stacks[cell]} == set(targets)


@pytest.mark.parametrize(("purple", "outcomes"), [(3, 3), (2, 7), (1, 5), (0, 0)])
def test_v1_derived_with_few_chips(purple: int, outcomes: int) -> None:
    assert len(v1(purple).legal_outcomes(PURPLE, SQUARE, at("4-e"))) == outcomes


def test_v1_derived_shortage_is_below_the_live_slots_only() -> None:
    targets = cells("3-e", "6-d", "3-d")
    assert "shortage" not in v1(3).apply(("place", 0, PURPLE, SQUARE, at("4-e"), targets))
    effects = v1(2).apply(("place", 0, PURPLE, SQUARE, at("4-e"), cells("3-e", "6-d")))
    assert effects == {"redirected", "slot_dead", "shortage"}
    effects = v1(1).apply(("place", 0, PURPLE, SQUARE, at("4-e"), cells("3-e")))
    assert effects == {"slot_dead", "shortage"}


def test_v2_four_ways_to_omit_one_neighbour() -> None:
    match = Oracle.from_position(chip_supply=supply_of(RED, 3))
    around = area(SQUARE, at("3-c"))
    expected = {tuple(sorted(set(around) - {omitted})) for omitted in around}
    assert match.legal_outcomes(RED, SQUARE, at("3-c")) == expected
    assert len(expected) == 4


def v3() -> Oracle:
    return Oracle.from_position(
        seats=4,
        to_move=2,
        pieces={at("1-f"): (RED, ROUND), at("3-f"): (RED, ROUND)},
        stacks={at("4-a"): [2] * 4, at("4-c"): [3] * 5, at("6-c"): [4] * 6, at("6-a"): [2] * 3},
        chip_supply=[20, 7, 13, 15, 14],
    )


def test_v3_bonus_paid_in_part() -> None:
    match = v3()
    targets = cells("4-a", "4-c", "6-a", "6-c")
    assert match.legal_outcomes(RED, ROUND, at("5-b")) == {targets}
    effects = match.apply(("place", 2, RED, ROUND, at("5-b"), targets))
    assert effects == {"last_of_kind", "tall_stack", "bonus_unpaid"}
    assert match.holdings[2] == [0, 3, 0, 0, 0]
    assert match.chip_supply[RED] == 0
    assert all(match.stacks[target][-1] == RED for target in targets)
    assert not any(match.legal_outcomes(RED, shape, cell) for shape in SHAPES for cell in CELLS)


def v4(height: int) -> Oracle:
    pieces = {at("2-c"): (2, SQUARE), at("3-b"): (3, SQUARE)}
    return Oracle.from_position(pieces=pieces, stacks={at("2-b"): [4] * height})


def test_v4_double_landing() -> None:
    outcomes = v4(0).legal_outcomes(RED, SQUARE, at("3-c"))
    assert cells("2-b", "2-b", "3-d", "4-c") in outcomes
    assert len(outcomes) == 9


@pytest.mark.parametrize(("height", "bonus"), [(0, 0), (2, 0), (3, 1), (4, 2), (7, 2)])
def test_v4_bonus_counts_chip_by_chip(height: int, bonus: int) -> None:
    match = v4(height)
    effects = match.apply(("place", 0, RED, SQUARE, at("3-c"), cells("2-b", "2-b", "3-d", "4-c")))
    assert match.holdings[0][RED] == bonus
    assert effects == {"redirected"} | ({"tall_stack"} if bonus else set())


def test_v5_taking() -> None:
    match = v1(10)
    match.apply(("place", 0, PURPLE, SQUARE, at("4-e"), cells("3-e", "6-d", "3-d")))
    found = match.position()
    match = Oracle.from_position(**(found | {"phase": 2, "to_move": 0}))
    for seat, piece, emptied in ((0, "4-e", "3-e"), (1, "5-e", "6-d"), (2, "4-d", "3-d")):
        before = match.holdings[seat][PURPLE]
        assert match.apply(("take", seat, at(piece))) == set()
        assert match.holdings[seat] == [before + 1, 0, 0, 0, 0]
        assert not match.stacks[at(emptied)]


def ranks(*holdings: tuple[int, ...], zero_colours: str = "best") -> list[tuple[int, bool]]:
    match = Oracle.from_position(
        seats=len(holdings), phase=2, to_move=None, holdings=holdings, options={"zero_colours": zero_colours}
    )
    return [(row["rank"], row["shared"]) for row in match.result()]


def test_v6_ranking() -> None:
    assert ranks((9, 9, 9, 0, 0), (1, 1, 0, 0, 0)) == [(2, False), (1, False)]
    assert ranks((3, 9, 0, 0, 0), (5, 4, 0, 0, 0)) == [(2, False), (1, False)]
    assert ranks((2, 3, 3, 0, 0), (2, 3, 4, 0, 0)) == [(2, False), (1, False)]
    assert ranks((3, 0, 4, 2, 0), (4, 3, 2, 0, 0)) == [(1, True), (1, True)]
    assert ranks((3, 0, 4, 2, 0), (1, 1, 1, 1, 1), (4, 3, 2, 0, 0)) == [(1, True), (3, False), (1, True)]


def test_v6_components_and_reading_000_7() -> None:
    match = Oracle.from_position(seats=2, phase=2, to_move=None, holdings=[(3, 0, 4, 2, 0), (0, 0, 0, 0, 0)])
    assert match.result() == [
        {"rank": 2, "shared": False, "score": None, "colours": 3, "chips": 9, "sorted_counts": [0, 0, 2, 3, 4]},
        {"rank": 1, "shared": False, "score": None, "colours": 0, "chips": 0, "sorted_counts": [0, 0, 0, 0, 0]},
    ]
    nothing, everything = (0, 0, 0, 0, 0), (4, 4, 4, 4, 4)
    assert ranks(nothing, everything) == [(1, False), (2, False)]
    assert ranks(nothing, everything, nothing, zero_colours="worst") == [(2, True), (1, False), (2, True)]


def test_v7_turn_order() -> None:
    match = Oracle("standard", seats=3, setup={"first": 0})
    order = []
    for cell in ("1-a", "3-c", "5-e", "6-b"):
        order.append(match.to_move())
        targets = tuple(sorted(area(ROUND, at(cell))))
        match.apply(("place", match.to_move(), PURPLE if len(order) < 3 else RED, ROUND, at(cell), targets))
    assert order == [0, 2, 1, 0]


def test_v7_phase_2_starts_with_the_last_placer() -> None:
    match = last_chip_position()
    assert match.apply(("place", 1, PURPLE, SQUARE, at("1-a"), cells("1-b"))) == {"shortage", "phase_ended_no_kind"}
    assert (match.phase, match.last_placer) == (2, 1)
    order = []
    while match.to_move() is not None:
        order.append(match.to_move())
        effects = match.apply(("take", match.to_move(), min(match.pieces)))
        assert effects == (set() if match.pieces else {"match_ended"})
    assert order == [1, 2, 0, 1]


def last_chip_position() -> Oracle:
    """Seat 1 of 3 to place the last chip there is; three pieces stand far away."""
    pieces = {at("6-f"): (2, ROUND), at("4-f"): (2, SQUARE), at("6-d"): (3, ROUND)}
    holdings = [(19, 20, 0, 0, 0), (0, 0, 20, 20, 0), (0, 0, 0, 0, 20)]
    return Oracle.from_position(seats=3, to_move=1, pieces=pieces, holdings=holdings, chip_supply=[1, 0, 0, 0, 0])


@pytest.mark.parametrize("seats", [2, 5])
def test_the_last_placer_acts_twice_in_a_row(seats: int) -> None:
    rng = random.Random(seats)
    match = Oracle("standard", seats=seats, setup={"first": seats - 1})
    movers = []
    placed = 0
    while match.to_move() is not None:
        movers.append(match.to_move())
        placed += match.phase == 1
        match.apply(quick_event(match, rng))
    assert movers[0] == seats - 1
    assert movers[placed] == movers[placed - 1]
    assert all((a - b) % seats == 1 for a, b in pairwise(movers[:placed]))
    assert all((b - a) % seats == 1 for a, b in pairwise(movers[placed:]))
    assert len(movers) == 2 * placed


# 000.4, 000.5: details


def test_a_redirect_uses_the_blockers_shape_and_does_not_chain() -> None:
    pieces = {at("3-d"): (2, ROUND), at("2-c"): (2, SQUARE), at("2-e"): (3, SQUARE), at("4-e"): (3, ROUND)}
    match = Oracle.from_position(pieces=pieces)
    slots = {slot.cell: slot.targets for slot in match.slots(SQUARE, at("3-c"))}
    assert slots[at("3-d")] == (at("4-c"),)
    assert slots[at("4-c")] == (at("4-c"),)
    assert set(slots[at("2-c")]) == set(cells("1-c", "2-b", "2-d"))
    assert cells("1-c", "3-b", "4-c", "4-c") in match.legal_outcomes(RED, SQUARE, at("3-c"))


def test_the_new_piece_blocks_redirects_to_its_own_cell() -> None:
    match = Oracle.from_position(pieces={at("1-b"): (2, SQUARE)})
    assert {slot.cell: set(slot.targets) for slot in match.slots(SQUARE, at("1-a"))} == {
        at("2-a"): {at("2-a")},
        at("1-b"): set(cells("1-c", "2-b")),
    }


def test_no_live_slot_is_a_legal_placement() -> None:
    match = Oracle.from_position(
        pieces={at("2-b"): (2, SQUARE)}
        | {at(name): (3, ROUND) for name in ("1-b", "2-a", "2-c")}
        | {at("3-b"): (4, SQUARE)}
    )
    assert match.legal_outcomes(RED, ROUND, at("1-a")) == {()}
    assert match.apply(("place", 0, RED, ROUND, at("1-a"), ())) == {"slot_dead"}
    assert match.chip_supply[RED] == 20


def test_a_piece_locks_the_chips_under_it() -> None:
    stacks = {at("1-a"): [2, 3], at("1-b"): [4], at("2-a"): [0, 4]}
    pieces = {at("1-a"): (PURPLE, SQUARE), at("1-b"): (2, SQUARE)}
    match = Oracle.from_position(seats=2, phase=2, pieces=pieces, stacks=stacks)
    match.apply(("take", 0, at("1-a")))
    assert match.holdings[0] == [0, 0, 0, 0, 1]
    assert match.stacks[at("1-a")] == [2, 3]
    assert match.apply(("take", 1, at("1-b"))) == {"match_ended"}
    assert match.holdings[1] == [0, 0, 0, 1, 0]
    assert match.position()["stacks"] == {at("1-a"): [2], at("1-b"): [4], at("2-a"): [0]}


def test_a_take_may_yield_nothing() -> None:
    match = Oracle.from_position(seats=2, phase=2, pieces={0: (0, ROUND), 35: (0, ROUND)})
    assert match.legal(0) == {("take", 0, 0), ("take", 0, 35)}
    assert match.apply(("take", 0, 0)) == set()
    assert match.holdings == [[0] * 5, [0] * 5]


def test_phase_1_ends_when_every_cell_is_covered() -> None:
    stacks = {cell: [cell % 5] for cell in CELLS if cell not in (at("1-a"), at("1-b"), at("2-a"))}
    match = Oracle.from_position(seats=3, to_move=2, stacks=stacks)
    effects = match.apply(("place", 2, RED, SQUARE, at("1-a"), cells("1-b", "2-a")))
    assert effects == {"phase_ended_full"}
    assert (match.phase, match.to_move()) == (2, 2)


def test_one_bare_cell_keeps_phase_1_going() -> None:
    stacks = {cell: [cell % 5] for cell in CELLS if cell not in (at("1-a"), at("1-b"), at("6-f"))}
    match = Oracle.from_position(seats=3, to_move=2, stacks=stacks)
    assert match.apply(("place", 2, RED, SQUARE, at("1-a"), cells("1-b", "2-a"))) == set()
    assert (match.phase, match.to_move()) == (1, 1)


def no_kind_left(piece_supply: list[list[int]], chip_supply: list[int], stacks: dict[int, list[int]]) -> Oracle:
    return Oracle.from_position(seats=2, piece_supply=piece_supply, chip_supply=chip_supply, stacks=stacks)


def test_phase_1_ends_when_the_pieces_are_used_up() -> None:
    match = no_kind_left([[0, 1], [0, 0], [0, 0], [0, 0], [0, 0]], [9] * 5, {})
    assert match.apply(("place", 0, 0, SQUARE, 0, (1, 6))) == {"phase_ended_no_kind"}


def test_phase_1_ends_when_the_colours_left_have_no_chips() -> None:
    match = no_kind_left([[0, 1], [3, 3], [0, 0], [0, 0], [0, 0]], [9, 0, 9, 9, 9], {})
    assert match.apply(("place", 0, 0, SQUARE, 0, (1, 6))) == {"phase_ended_no_kind"}
    match = no_kind_left([[0, 1], [3, 3], [0, 0], [0, 0], [0, 0]], [9, 1, 9, 9, 9], {})
    assert match.apply(("place", 0, 0, SQUARE, 0, (1, 6))) == set()


def test_the_bonus_can_use_up_the_last_chip() -> None:
    match = no_kind_left([[1, 1], [0, 0], [0, 0], [0, 0], [0, 0]], [3, 0, 0, 0, 0], {1: [2] * 4})
    assert match.apply(("place", 0, 0, SQUARE, 0, (1, 6))) == {"tall_stack", "phase_ended_no_kind"}
    assert match.holdings[0] == [1, 0, 0, 0, 0]


def test_both_ends_at_once() -> None:
    stacks = {cell: [2] if cell < 20 else [3] for cell in CELLS if cell > 1}
    match = no_kind_left([[0, 0], [0, 1], [0, 0], [0, 0], [0, 0]], [0, 9, 0, 0, 0], stacks)
    effects = match.apply(("place", 0, RED, SQUARE, 0, (1, 6)))
    assert effects == {"phase_ended_full", "phase_ended_no_kind"}


def test_last_of_kind_counts_colour_and_shape() -> None:
    pieces = {30: (RED, ROUND), 32: (RED, ROUND), 34: (RED, SQUARE)}
    match = Oracle.from_position(pieces=pieces)
    assert match.copy().apply(("place", 0, RED, SQUARE, 0, (1, 6))) == set()
    assert match.copy().apply(("place", 0, PURPLE, ROUND, 0, (7,))) == set()
    assert match.apply(("place", 0, RED, ROUND, 0, (7,))) == {"last_of_kind"}
    assert match.holdings[0] == [0, 1, 0, 0, 0]
    assert match.chip_supply[RED] == 18


# Refusals


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (("place", 0, RED, SQUARE, 0, (1, 6)), set()),
        (("place", 1, RED, SQUARE, 0, (1, 6)), {"not_your_turn"}),
        (("place", 4, RED, SQUARE, 0, (1, 6)), {"not_your_turn"}),
        (("place", 0, RED, SQUARE, 0, (6, 1)), {"targets_not_sorted"}),
        (("place", 0, RED, SQUARE, 0, (1,)), {"wrong_number_of_targets"}),
        (("place", 0, RED, SQUARE, 0, ()), {"wrong_number_of_targets"}),
        (("place", 0, RED, SQUARE, 0, (7,)), {"wrong_number_of_targets", "targets_not_allowed"}),
        (("place", 0, RED, SQUARE, 0, (1, 6, 6)), {"wrong_number_of_targets", "targets_not_allowed"}),
        (("place", 0, RED, SQUARE, 0, (1, 1)), {"targets_not_allowed"}),
        (("place", 0, RED, SQUARE, 0, (6, 0)), {"targets_not_allowed", "targets_not_sorted"}),
        (("place", 0, RED, SQUARE, 35, (35, 0)), {"cell_occupied"}),
        (("place", 1, 2, ROUND, 35, ()), {"cell_occupied", "no_chip_left", "not_your_turn"}),
        (("place", 0, 2, ROUND, 0, ()), {"no_chip_left"}),
        (("place", 0, 2, ROUND, 0, (7,)), {"no_chip_left", "wrong_number_of_targets"}),
        (("place", 0, 3, ROUND, 0, (7,)), {"no_piece_left"}),
        (("place", 0, 3, ROUND, 0, (8,)), {"no_piece_left", "targets_not_allowed"}),
        (("place", 0, 3, SQUARE, 0, (1, 6)), set()),
        (("take", 0, 35), {"wrong_phase"}),
        (("take", 1, 0), {"wrong_phase", "no_piece_there", "not_your_turn"}),
    ],
)
def test_reasons_in_phase_1(event: tuple, expected: set[str]) -> None:
    pieces = {30: (3, ROUND), 32: (3, ROUND), 34: (3, ROUND), 35: (4, ROUND)}
    match = Oracle.from_position(seats=2, pieces=pieces, chip_supply=[9, 9, 0, 9, 9])
    assert match.reasons(event) == expected
    if expected:
        before = match.position()
        with pytest.raises(ValueError, match=min(expected)):
            match.apply(event)
        assert match.position() == before


def test_too_many_targets_for_the_supply_may_still_match() -> None:
    match = Oracle.from_position(chip_supply=supply_of(RED, 1))
    assert match.reasons(("place", 0, RED, SQUARE, 0, (1, 6))) == {"wrong_number_of_targets"}


def test_reasons_in_phase_2_and_after() -> None:
    match = Oracle.from_position(seats=2, phase=2, to_move=1, pieces={0: (RED, SQUARE)})
    assert match.reasons(("take", 1, 0)) == set()
    assert match.reasons(("take", 0, 1)) == {"not_your_turn", "no_piece_there"}
    assert match.reasons(("place", 1, RED, SQUARE, 0, ())) == {"wrong_phase", "cell_occupied"}
    assert match.reasons(("place", 1, RED, SQUARE, 35, (29, 34))) == {"wrong_phase"}
    assert match.apply(("take", 1, 0)) == {"match_ended"}
    assert match.to_move() is None
    assert match.legal(0) == match.legal(1) == set()
    assert match.reasons(("take", 0, 0)) == {"match_over", "not_your_turn", "no_piece_there"}
    assert match.reasons(("place", 0, RED, SQUARE, 35, (29, 34))) == {"match_over", "not_your_turn", "wrong_phase"}


def test_judging_targets_agrees_with_listing_them() -> None:
    rng = random.Random(5)
    for placements in (4, 9, 14, 18, 22):
        match = random_position(rng, placements)
        for _ in range(6):
            event = random_placement(match, rng)
            check_all_target_lists(match, event)


def check_all_target_lists(match: Oracle, event: tuple) -> None:
    _, seat, colour, shape, cell, _ = event
    live = match.live_slots(shape, cell)
    near = sorted({target for slot in live for target in slot.targets} | {cell})
    k = min(len(live), match.chip_supply[colour])
    lists = [targets for n in range(len(live) + 1) for targets in combinations_with_replacement(near, n)]
    legal = {targets for targets in lists if not match.reasons(("place", seat, colour, shape, cell, targets))}
    assert legal == match.legal_outcomes(colour, shape, cell)
    assert all(len(targets) == k for targets in legal)


def test_can_match_needs_different_slots() -> None:
    match = v4(0)
    live = match.live_slots(SQUARE, at("3-c"))
    assert can_match(cells("2-b", "2-b"), live)
    assert not can_match(cells("2-b", "2-b", "2-b"), live)
    assert not can_match(cells("1-c", "2-d"), live)
    for order in permutations(cells("2-b", "1-c", "3-d", "4-c")):
        assert can_match(order, live)


# Legal events


def test_opening_position() -> None:
    match = Oracle("standard", seats=5)
    assert len(match.legal(0)) == 10 * 36
    assert {(seat, len(match.legal(seat))) for seat in range(7)} == {(s, 360 if s < 5 else 0) for s in range(7)}


def test_legal_events_are_the_outcomes_of_every_placement() -> None:
    rng = random.Random(8)
    for placements in (3, 12, 20):
        match = random_position(rng, placements)
        seat = match.to_move()
        expected = {
            ("place", seat, colour, shape, cell, targets)
            for colour, shape, cell in product(COLOURS, SHAPES, CELLS)
            for targets in match.legal_outcomes(colour, shape, cell)
        }
        legal = match.legal(seat)
        assert legal == expected
        assert not any(match.reasons(event) for event in legal)
        other = (seat + 1) % match.seats
        assert match.legal(other) == {(event[0], other, *event[2:]) for event in legal}


def test_random_event_is_legal_and_repeatable() -> None:
    runs = []
    for _ in range(2):
        rng = random.Random(77)
        match = random_position(random.Random(6), 10)
        events = []
        for _ in range(6):
            event = match.random_event(rng)
            assert event in match.legal(match.to_move())
            events.append(event)
            match.apply(event)
        runs.append(events)
    assert runs[0] == runs[1]


# Setup


def test_setup() -> None:
    assert Oracle("standard", {"zero_colours": "worst", "other": 1}, 5, {"first": 4}).to_move() == 4
    assert Oracle("standard").position() == Oracle("standard", {}, 2, {"first": 0}).position()


@pytest.mark.parametrize("first", [-1, 3, None, "0"])
def test_no_such_seat(first: object) -> None:
    with pytest.raises(ValueError, match=r"^no_such_seat$"):
        Oracle("standard", seats=3, setup={"first": first})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("other",), "unknown_variant"),
        (("standard", {"zero_colours": "most"}), "unknown_option_value"),
        (("standard", {}, 6), "wrong_number_of_seats"),
    ],
)
def test_what_cannot_be_set_up(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Oracle(*arguments)


def test_from_position_refuses_impossible_counts() -> None:
    with pytest.raises(ValueError, match="too many pieces"):
        Oracle.from_position(pieces=dict.fromkeys(range(4), (RED, ROUND)))
    with pytest.raises(ValueError, match="too many chips"):
        Oracle.from_position(stacks={0: [RED] * 21})
    with pytest.raises(ValueError, match="too many chips"):
        Oracle.from_position(stacks={0: [RED]}, chip_supply=[20] * 5)
    with pytest.raises(ValueError, match="to_move"):
        Oracle.from_position(phase=2)


# Random games


def expected_bonus(match: Oracle, event: tuple) -> int:
    """The bonus due by the formula of 000.4 (b), before the event."""
    _, _, colour, shape, _, targets = event
    due = int(match.piece_supply[colour, shape] == 1)
    for cell, landed in Counter(targets).items():
        due += min(landed, max(0, len(match.stacks[cell]) + landed - 4))
    return due


def check_placement(match: Oracle, event: tuple, effects: set[str], before: Oracle) -> None:
    _, seat, colour, shape, cell, targets = event
    due = expected_bonus(before, event)
    gained = match.holdings[seat][colour] - before.holdings[seat][colour]
    assert gained == min(due, before.chip_supply[colour] - len(targets))
    assert ("bonus_unpaid" in effects) == (gained < due)
    assert {"last_of_kind", "tall_stack"} & effects or due == 0
    direct = [near for near in AREA[shape, cell] if near not in before.pieces]
    assert ("redirected" in effects) == bool(Counter(targets) - Counter(direct))
    if "shortage" not in effects:
        assert set(direct) <= set(targets)
    ended = bool({"phase_ended_full", "phase_ended_no_kind"} & effects)
    assert ended == (match.phase == 2)
    if not ended:
        assert any(match.placeable(*kind) for kind in product(COLOURS, SHAPES))


def check_take(match: Oracle, event: tuple, effects: set[str], before: Oracle) -> None:
    _, seat, cell = event
    gained = sum(match.holdings[seat]) - sum(before.holdings[seat])
    piece = before.pieces[cell]
    yielding = [near for near in AREA[piece[1], cell] if near not in before.pieces and before.stacks[near]]
    assert gained == len(yielding)
    assert match.stacks[cell] == before.stacks[cell]
    assert effects == (set() if match.pieces else {"match_ended"})


def play_and_check(rng: random.Random) -> tuple[Oracle, int, set[str]]:
    match = Oracle("standard", seats=rng.randint(2, 5))
    seen: set[str] = set()
    placed = taken = 0
    while match.to_move() is not None:
        event = quick_event(match, rng)
        before = match.copy()
        untouched = before.position()
        effects = match.apply(event)
        assert before.position() == untouched
        assert effects <= EFFECTS.keys()
        assert total_chips(match) == 100
        if event[0] == "place":
            placed += 1
            check_placement(match, event, effects, before)
        else:
            taken += 1
            check_take(match, event, effects, before)
        seen |= effects
    assert placed == taken == 30 - sum(match.piece_supply.values())
    return match, placed, seen


def test_random_games() -> None:
    rng = random.Random(1)
    lengths = []
    seen: Counter[str] = Counter()
    for _ in range(150):
        match, placed, effects = play_and_check(rng)
        lengths.append(placed)
        seen.update(effects)
        assert min(row["rank"] for row in match.result()) == 1
        assert sum(row["chips"] for row in match.result()) <= 100
    assert seen.keys() == EFFECTS.keys()
    assert max(lengths) <= 30
    assert 24 < sum(lengths) / len(lengths) < 28
    assert seen["phase_ended_full"] > seen["phase_ended_no_kind"]


def test_positions_round_trip() -> None:
    rng = random.Random(3)
    for _ in range(10):
        match = Oracle("standard", seats=rng.randint(2, 5))
        while match.to_move() is not None:
            match.apply(quick_event(match, rng))
            twin = Oracle.from_position(**match.position())
            assert twin.position() == match.position()
            assert twin.result() == match.result()


def any_event(rng: random.Random) -> tuple:
    seat, cell = rng.randrange(5), rng.randrange(36)
    if rng.random() < 0.3:
        return ("take", seat, cell)
    targets = tuple(rng.randrange(36) for _ in range(rng.randrange(5)))
    return ("place", seat, rng.randrange(5), rng.randrange(2), cell, targets)


def test_reasons_of_arbitrary_events() -> None:
    rng = random.Random(4)
    seen: set[str] = set()
    for _ in range(12):
        match = Oracle("standard", seats=rng.randint(2, 5))
        while match.to_move() is not None:
            for event in (any_event(rng) for _ in range(8)):
                reasons = match.reasons(event)
                seen |= reasons
                assert reasons <= REASONS.keys()
                if event[0] == "take" and event[1] < match.seats:
                    assert (event in match.legal(event[1])) == (reasons <= {"not_your_turn"})
            match.apply(quick_event(match, rng))
        seen |= match.reasons(any_event(rng))
    assert seen == REASONS.keys()
