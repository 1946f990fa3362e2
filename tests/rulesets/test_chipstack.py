"""Chipstack: the test vectors and readings of its rule file."""

from __future__ import annotations

import itertools
import random

import pytest

from kifold.core.events import Started
from kifold.core.options import RulesetError
from kifold.core.play import Play, Refused
from kifold.core.ruleset import NOBODY, SPECTATOR
from kifold.core.rulesets.chipstack import CHIPSTACK
from kifold.core.rulesets.chipstack.board import AREA_CELLS, AREA_SIZE, area, lay_chip, take_chip, top_colour
from kifold.core.rulesets.chipstack.declaration import MOST_HEIGHT, ChipstackSetup, Place, State, Take
from kifold.core.rulesets.chipstack.views import hide_state
from tests.rulesets.chipstack_cases import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    ROUND,
    SQUARE,
    YELLOW,
    Kind,
    cell,
    cells,
    conserves,
    holds,
    lists,
    outcomes,
    place,
    stack_on,
    table,
    take,
    why_not,
)
from tests.rulesets.harness import folder, random_logs, started_with_chance

NO_PIECES = [[0, 0]] * 5


# 000.2: areas


@pytest.mark.parametrize(
    ("shape", "at", "expected"),
    [
        (SQUARE, "4-e", "3-e 5-e 4-d 4-f"),
        (SQUARE, "4-d", "3-d 5-d 4-c 4-e"),
        (ROUND, "5-e", "4-d 4-f 6-d 6-f"),
        (SQUARE, "4-f", "3-f 4-e 5-f"),
        (ROUND, "5-b", "4-a 4-c 6-a 6-c"),
    ],
)
def test_areas_of_the_text(shape, at, expected):
    assert tuple(sorted(area(shape, cell(at)))) == cells(expected)


def test_sizes_of_areas():
    for shape, (middle, edge, corner) in ((SQUARE, (4, 3, 2)), (ROUND, (4, 2, 1))):
        for at in range(36):
            outer = (at // 6 in (0, 5)) + (at % 6 in (0, 5))
            assert len(area(shape, at)) == AREA_SIZE[36 * shape + at] == (middle, edge, corner)[outer]
            first = 4 * (36 * shape + at)
            assert AREA_CELLS[first : first + len(area(shape, at))] == area(shape, at)
            assert at not in area(shape, at)


def most_chips_on(target: int) -> int:
    """How many chips phase 1 can lay on a cell at most.

    Each other cell gets one piece, of the better shape. A slot of it brings a chip to the cell when it is the cell
    itself, or lies beside it, so that a piece on it could reach the cell.
    """
    beside = set(area(ROUND, target)) | set(area(SQUARE, target)) | {target}
    others = [at for at in range(36) if at != target]
    return sum(max(len(beside & set(area(shape, at))) for shape in (ROUND, SQUARE)) for at in others)


def test_no_stack_outgrows_its_words():
    assert max(map(most_chips_on, range(36))) == MOST_HEIGHT


def test_stacks_give_back_what_was_laid():
    rng, state = random.Random(1), State()
    for at in (0, 17, 35):
        laid = [rng.randrange(5) for _ in range(MOST_HEIGHT)]
        for height, colour in enumerate(laid):
            lay_chip(state, at, colour)
            assert (top_colour(state, at), state.heights[at]) == (colour, height + 1)
        assert stack_on(state, at) == laid
        assert [take_chip(state, at) for _ in laid] == laid[::-1]
    assert state == State()


# 000.8: the worked examples

V1_PIECES: dict[str, Kind] = {
    "4-d": (RED, SQUARE),
    "5-e": (RED, ROUND),
    "4-f": (BLUE, SQUARE),
    "3-f": (BLUE, ROUND),
    "5-f": (GREEN, ROUND),
    "6-f": (YELLOW, SQUARE),
}
PURPLE_SQUARE, RED_SQUARE, RED_ROUND = (PURPLE, SQUARE), (RED, SQUARE), (RED, ROUND)


def test_v1_slots_redirected_and_dead():
    play = table(V1_PIECES)
    expected = lists("3-e 6-d 3-d", "3-e 6-d 4-c", "3-e 6-d 5-d")
    assert outcomes(play, PURPLE_SQUARE, "4-e", folder(CHIPSTACK)) == expected
    assert place(play, PURPLE_SQUARE, "4-e", "3-e 6-d 3-d") == ["redirected", "slot_dead"]
    assert play.state.supply[PURPLE] == 17
    assert [stack_on(play.state, cell(at)) for at in ("3-e", "6-d", "3-d", "4-e", "5-e")] == [[PURPLE]] * 3 + [[], []]


@pytest.mark.parametrize(("supply", "count"), [(20, 3), (3, 3), (2, 7), (1, 5)])
def test_v1_with_fewer_chips(supply, count):
    play = table(V1_PIECES, chip_supply=[supply, 20, 20, 20, 20])
    found = outcomes(play, PURPLE_SQUARE, "4-e", folder(CHIPSTACK))
    assert len(found) == count
    assert {len(targets) for targets in found} == {min(supply, 3)}
    effects = CHIPSTACK.effects.of(play.add(Place(0, *PURPLE_SQUARE, cell("4-e"), min(found))))
    assert ("shortage" in effects) == (supply < 3)


def test_v2_three_chips_for_four_neighbours():
    play = table(chip_supply=[20, 3, 20, 20, 20])
    neighbours = cells("2-c 4-c 3-b 3-d")
    assert outcomes(play, RED_SQUARE, "3-c", folder(CHIPSTACK)) == set(itertools.combinations(neighbours, 3))
    assert place(play, RED_SQUARE, "3-c", "2-c 4-c 3-b") == ["shortage"]


def v3(red: int = 7) -> Play:
    tall = [PURPLE, BLUE, GREEN, YELLOW]
    return table(
        {"1-e": RED_ROUND, "2-f": RED_ROUND},
        {"4-a": tall, "4-c": tall, "6-c": [*tall, BLUE], "6-a": tall[:3]},
        chip_supply=[20 - 4, red, 20 - 5, 20 - 4, 20 - 3],
        holdings=[[0] * 5, [0, 20 - red, 0, 0, 0]],
    )


def test_v3_bonus_for_the_last_of_a_kind_and_for_tall_stacks():
    play = v3()
    assert outcomes(play, RED_ROUND, "5-b", folder(CHIPSTACK)) == lists("4-a 4-c 6-a 6-c")
    assert place(play, RED_ROUND, "5-b", "4-a 4-c 6-a 6-c") == ["last_of_kind", "tall_stack", "bonus_unpaid"]
    assert play.state.supply[RED] == 0
    assert holds(play, 0) == [0, 3, 0, 0, 0]
    assert conserves(play.state)


@pytest.mark.parametrize(("red", "paid", "unpaid"), [(4, 0, True), (5, 1, True), (8, 4, False), (9, 4, False)])
def test_v3_pays_what_the_supply_has_after_the_chips_are_laid(red, paid, unpaid):
    play = v3(red)
    effects = place(play, RED_ROUND, "5-b", "4-a 4-c 6-a 6-c")
    assert (holds(play, 0)[RED], "bonus_unpaid" in effects) == (paid, unpaid)
    assert play.state.supply[RED] == red - 4 - paid


@pytest.mark.parametrize(("height", "bonus"), [(0, 0), (2, 0), (3, 1), (4, 2), (5, 2)])
def test_v4_two_chips_on_one_cell(height, bonus):
    play = table({"2-c": (BLUE, SQUARE), "3-b": (GREEN, SQUARE)}, {"2-b": [YELLOW] * height})
    found = outcomes(play, RED_SQUARE, "3-c", folder(CHIPSTACK))
    assert len(found) == 9
    assert cells("2-b 2-b 3-d 4-c") in found
    effects = place(play, RED_SQUARE, "3-c", "2-b 2-b 3-d 4-c")
    assert effects == ["redirected", "tall_stack"][: 1 + (bonus > 0)]
    assert holds(play, 0)[RED] == bonus
    assert stack_on(play.state, cell("2-b")) == [YELLOW] * height + [RED] * 2


def test_v5_taking():
    pieces = {**V1_PIECES, "4-e": PURPLE_SQUARE}
    play = table(pieces, {"3-e": [PURPLE], "6-d": [PURPLE], "3-d": [PURPLE]}, phase=2)
    for at, yields in (("4-e", "3-e"), ("5-e", "6-d"), ("4-d", "3-d")):
        assert stack_on(play.state, cell(yields)) == [PURPLE]
        assert take(play, at) == [1, 0, 0, 0, 0]
        assert stack_on(play.state, cell(yields)) == []
    assert [holds(play, seat)[PURPLE] for seat in (0, 1)] == [2, 1]


def test_v5_chips_under_the_taken_piece_are_only_unlocked():
    play = table({"2-b": RED_SQUARE, "2-c": RED_SQUARE}, {"2-b": [PURPLE, RED]}, phase=2)
    assert take(play, "2-b") == [0] * 5
    assert take(play, "2-c") == [0, 1, 0, 0, 0]
    assert play.is_over


@pytest.mark.parametrize(
    ("better", "worse"),
    [((1, 1, 0, 0, 0), (9, 9, 9, 0, 0)), ((5, 4, 0, 0, 0), (3, 9, 0, 0, 0)), ((2, 3, 4, 0, 0), (2, 3, 3, 0, 0))],
)
def test_v6_ranking(better, worse):
    assert ranks(worse, better) == [(2, False), (1, False)]
    for order in itertools.islice(itertools.permutations(worse), 0, None, 7):
        assert ranks(better, order) == [(1, False), (2, False)]


def ranks(*holdings: tuple[int, ...], zero_colours: str = "best") -> list[tuple[int, bool]]:
    options = {"zero_colours": zero_colours}
    play = table(options=options, seats=len(holdings), phase=2, to_move=None, holdings=holdings)
    assert play.turn == NOBODY
    return [(standing.rank, standing.shared) for standing in play.result()]


def test_v6_equal_counts_share():
    assert ranks((3, 0, 4, 2, 0), (4, 3, 2, 0, 0)) == [(1, True), (1, True)]
    assert ranks((3, 0, 4, 2, 0), (4, 3, 2, 0, 0), (1, 1, 1, 1, 1)) == [(1, True), (1, True), (3, False)]
    assert ranks((1, 1, 1, 1, 1), (2, 0, 0, 0, 0), (0, 0, 2, 0, 0), (0, 0, 3, 0, 0)) == [
        (4, False),
        (2, True),
        (2, True),
        (1, False),
    ]


def test_components_of_the_result():
    play = table(seats=2, phase=2, to_move=None, holdings=[(3, 0, 4, 2, 0), (17, 0, 1, 1, 20)])
    first, second = play.result()
    assert first.components == {"colours": 3, "chips": 9, "sorted_counts": [0, 0, 2, 3, 4]}
    assert second.components == {"colours": 4, "chips": 39, "sorted_counts": [0, 1, 1, 17, 20]}
    assert (first.score, set(CHIPSTACK.units)) == (None, set(first.components))


def test_v7_turns():
    play = Play(CHIPSTACK, CHIPSTACK.start(seats=3, setup=ChipstackSetup(0)))
    for seat in (0, 2, 1, 0, 2):
        assert play.turn == seat
        play.add(play.legal()[0])
    last = table(
        {"1-a": PURPLE_SQUARE, "3-c": RED_SQUARE, "5-e": PURPLE_SQUARE, "6-f": (BLUE, ROUND)},
        seats=3,
        to_move=1,
        piece_supply=[[0, 1], *NO_PIECES[1:]],
    )
    assert place(last, PURPLE_SQUARE, "2-c", "1-c 2-b 2-d 4-c") == ["redirected", "last_of_kind", "phase_ended_no_kind"]
    for seat, at in zip((1, 2, 0, 1, 2), ("1-a", "3-c", "2-c", "5-e", "6-f"), strict=True):
        assert last.turn == seat
        take(last, at)
    assert last.is_over


# 000.4, 000.5: refusals and the ends of the phases


def test_reasons():
    play = table(V1_PIECES, chip_supply=[20, 0, 20, 20, 20], piece_supply=[[0, 3], [2, 2], [2, 2], [2, 3], [3, 2]])
    at, targets = cell("4-e"), cells("3-e 6-d 3-d")
    assert why_not(play, Place(0, *PURPLE_SQUARE, at, targets)) is None
    assert why_not(play, Place(1, *PURPLE_SQUARE, at, targets)) == "not_your_turn"
    assert why_not(play, Place(4, *PURPLE_SQUARE, at, targets)) == "not_your_turn"
    assert why_not(play, Place(0, PURPLE, ROUND, cell("1-b"), cells("2-a 2-c"))) == "no_piece_left"
    assert why_not(play, Place(0, *RED_SQUARE, at, targets)) == "no_chip_left"
    assert why_not(play, Place(0, *PURPLE_SQUARE, cell("4-d"), targets)) == "cell_occupied"
    assert why_not(play, Place(0, *PURPLE_SQUARE, at, targets[:2])) == "wrong_number_of_targets"
    assert why_not(play, Place(0, *PURPLE_SQUARE, at, targets[::-1])) == "targets_not_sorted"
    for wrong in ("3-d 4-c 6-d", "3-d 3-e 3-e", "1-a 3-e 6-d", "3-e 4-e 6-d", "3-e 5-e 6-d"):
        assert why_not(play, Place(0, *PURPLE_SQUARE, at, cells(wrong))) == "targets_not_allowed"
    assert why_not(play, Take(0, cell("4-d"))) == "wrong_phase"

    taking = table({"2-b": RED_SQUARE}, phase=2)
    assert why_not(taking, Take(0, cell("2-c"))) == "no_piece_there"
    assert why_not(taking, Take(1, cell("2-b"))) == "not_your_turn"
    assert why_not(taking, Place(0, *PURPLE_SQUARE, at, targets)) == "wrong_phase"
    taking.add(Take(0, cell("2-b")))
    assert why_not(taking, Take(0, cell("2-b"))) == "match_over"
    assert taking.legal(0) == taking.legal(1) == []


def test_lists_are_the_same_out_of_turn():
    play = table(V1_PIECES, seats=3)
    own = [event[1:] for event in map(astuple, play.legal(0))]
    assert [event[1:] for event in map(astuple, play.legal(2))] == own
    assert {event.seat for event in play.legal(2)} == {2}


def astuple(event):
    return tuple(getattr(event, name) for name in event.__struct_fields__)


def test_the_first_player_is_a_seat():
    with pytest.raises(Refused, match="no_such_seat"):
        Play(CHIPSTACK, CHIPSTACK.start(seats=3, setup=ChipstackSetup(3)))
    for seats in (2, 5):
        drawn = {started_with_chance(CHIPSTACK, CHIPSTACK.start(seats=seats), 1, m).setup.first for m in range(60)}
        assert drawn == set(range(seats))


def test_a_placement_without_live_slots():
    play = table({"2-b": (BLUE, ROUND), "3-c": (GREEN, SQUARE), "1-c": RED_SQUARE, "3-a": RED_SQUARE})
    assert outcomes(play, (PURPLE, ROUND), "1-a") == {()}
    assert place(play, (PURPLE, ROUND), "1-a", "") == ["slot_dead"]
    assert play.state.supply[PURPLE] == 20


def test_only_the_cell_of_the_blocking_piece_is_asked_no_chain():
    # 1-a is blocked by nothing; 2-b is; round 2-b reaches 3-c, which is blocked too and would lead on to 3-d, 4-c, ….
    play = table({"2-b": (BLUE, ROUND), "3-c": (GREEN, SQUARE)})
    assert outcomes(play, (PURPLE, ROUND), "1-a") == lists("1-c", "3-a")


def test_a_piece_goes_on_chips_and_locks_them():
    play = table(stacks={"1-a": [RED, GREEN]})
    assert place(play, PURPLE_SQUARE, "1-a", "1-b 2-a") == []
    assert stack_on(play.state, cell("1-a")) == [RED, GREEN]
    assert outcomes(play, PURPLE_SQUARE, "1-b") == lists("1-c 2-b 2-a")


def test_phase_1_ends_when_no_cell_is_empty():
    names = [f"{number}-{letter}" for number in range(1, 7) for letter in "abcdef"]
    stacks = {name: [i % 5] for i, name in enumerate(names) if name not in ("2-b", "1-b", "6-f")}
    play = table(stacks=stacks, seats=3, to_move=2)
    # 6-f is still empty, then it is reached.
    assert place(play, PURPLE_SQUARE, "2-b", "1-b 2-a 2-c 3-b") == []
    assert play.turn == 1
    assert place(play, (RED, ROUND), "5-e", "4-d 4-f 6-d 6-f") == ["phase_ended_full"]
    assert play.turn == 1
    assert take(play, "5-e") == [0, 4, 0, 0, 0]
    assert play.turn == 2


def test_both_ends_of_phase_1_at_once():
    names = [f"{number}-{letter}" for number in range(1, 7) for letter in "abcdef"]
    stacks = {name: [i % 5] for i, name in enumerate(names) if name != "1-a"}
    pieces = {"5-e": PURPLE_SQUARE, "6-f": PURPLE_SQUARE}
    play = table(pieces, stacks, piece_supply=[[0, 1], *NO_PIECES[1:]])
    effects = place(play, PURPLE_SQUARE, "1-a", "1-b 2-a")
    assert effects == ["last_of_kind", "phase_ended_full", "phase_ended_no_kind"]


# 000.9: ambiguities


def test_000_1_a_redirect_must_be_used():
    play = table(V1_PIECES)
    for left_out in ("3-e 6-d", "3-e 3-d", "3-e", ""):
        event = Place(0, *PURPLE_SQUARE, cell("4-e"), cells(left_out))
        assert why_not(play, event) == "wrong_number_of_targets"


def test_000_2_two_to_five_seats():
    for seats in range(2, 6):
        assert Play(CHIPSTACK, CHIPSTACK.start(seats=seats)).turn == 0
    for seats in (1, 6):
        with pytest.raises(RulesetError, match="for 2 seats, or 3, 4, 5, not"):
            CHIPSTACK.start(seats=seats)


def test_000_3_a_redirect_may_go_where_another_chip_goes():
    # 2-c is blocked by a round piece that reaches 3-d, which is a direct slot as well.
    play = table({"2-c": (BLUE, ROUND)})
    assert cells("3-b 3-d 3-d 4-c") in outcomes(play, RED_SQUARE, "3-c")
    assert place(play, RED_SQUARE, "3-c", "3-b 3-d 3-d 4-c") == ["redirected"]


def test_000_4_which_slots_are_filled_is_a_choice_among_live_ones():
    play = table(V1_PIECES, chip_supply=[2, 20, 20, 20, 20])
    expected = lists("3-e 6-d", "3-e 3-d", "3-e 4-c", "3-e 5-d", "6-d 3-d", "6-d 4-c", "6-d 5-d")
    assert outcomes(play, PURPLE_SQUARE, "4-e") == expected
    # Three chips suffice for the three live slots: the dead one needs none.
    assert "shortage" not in place(table(V1_PIECES, chip_supply=[3] + [20] * 4), PURPLE_SQUARE, "4-e", "3-e 6-d 3-d")


def test_000_5_a_redirected_chip_brings_a_bonus():
    play = table(V1_PIECES, {"6-d": [GREEN] * 4})
    assert "tall_stack" in place(play, PURPLE_SQUARE, "4-e", "3-e 6-d 3-d")
    assert holds(play, 0) == [1, 0, 0, 0, 0]


def test_000_6_one_bonus_chip_per_chip():
    play = v3(20)
    place(play, RED_ROUND, "5-b", "4-a 4-c 6-a 6-c")
    assert holds(play, 0)[RED] == 1 + 3


def test_000_7_no_colour_at_all():
    nothing, one = (0, 0, 0, 0, 0), (7, 0, 0, 0, 0)
    assert ranks(nothing, one, nothing) == [(1, True), (3, False), (1, True)]
    assert ranks(nothing, one, nothing, zero_colours="worst") == [(2, True), (1, False), (2, True)]
    assert ranks(nothing, (1, 1, 1, 1, 1), zero_colours="worst") == [(2, False), (1, False)]


def test_000_8_chips_are_behind_screens_until_the_end():
    play = table(
        {"2-b": RED_SQUARE}, {"2-c": [GREEN]}, seats=3, phase=2, holdings=[[1, 0, 2, 0, 0], [0, 3, 0, 0, 0], [4] * 5]
    )
    before = play.state.copy()
    for seat in range(3):
        seen = hide_state(play.started, play.state, seat, play.is_over)
        shown = [seen.held[5 * other : 5 * other + 5] for other in range(3)]
        assert shown == [holds(play, other) if other == seat else [0] * 5 for other in range(3)]
        seen.held = before.held[:]
        assert seen == before
    assert hide_state(play.started, play.state, SPECTATOR, play.is_over).held == [0] * 25
    assert play.state == before
    take(play, "2-b")
    assert hide_state(play.started, play.state, SPECTATOR, play.is_over) == play.state


def test_000_9_who_placed_last_begins_phase_2():
    for started, log in random_logs(CHIPSTACK, seats=4, count=3, seed=4):
        seats = [event.seat for event in log]
        placed = sum(isinstance(event, Place) for event in log)
        first = started.setup.first
        assert seats[:placed] == [(first - i) % 4 for i in range(placed)]
        assert seats[placed:] == [(seats[placed - 1] + i) % 4 for i in range(placed)]


def test_000_10_two_players_alternate():
    ((_, log),) = random_logs(CHIPSTACK, seats=2, count=1, seed=5)
    same = [i for i in range(1, len(log)) if log[i].seat == log[i - 1].seat]
    assert same == [sum(isinstance(event, Place) for event in log)]


def test_000_11_pieces_without_chips_cannot_be_placed():
    # Every kind but purple squares has pieces left and no chips; purple has one chip, and the piece uses it up.
    play = table(chip_supply=[1, 0, 0, 0, 0], piece_supply=[[3, 3]] * 5)
    assert {(event.colour, event.shape) for event in play.legal()} == {(PURPLE, ROUND), (PURPLE, SQUARE)}
    assert place(play, PURPLE_SQUARE, "1-a", "1-b") == ["shortage", "phase_ended_no_kind"]


def test_000_12_buried_chips_can_be_seen():
    play = table({"2-b": RED_SQUARE}, {"2-b": [GREEN, BLUE]}, phase=2)
    assert stack_on(hide_state(play.started, play.state, SPECTATOR, play.is_over), cell("2-b")) == [GREEN, BLUE]


def test_000_13_the_second_chip_lands_on_the_first():
    # Height 3: by the height at the start of the turn none would be due, chip by chip it is one.
    play = table({"2-c": (BLUE, SQUARE), "3-b": (GREEN, SQUARE)}, {"2-b": [YELLOW] * 3})
    place(play, RED_SQUARE, "3-c", "2-b 2-b 3-d 4-c")
    assert holds(play, 0)[RED] == 1


def play_through(started: Started, log) -> list[State]:
    play = Play(CHIPSTACK, started)
    states = [play.state.copy()]
    for event in log:
        play.add(event)
        states.append(play.state.copy())
    return states


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_chips_are_conserved_at_every_event(seats):
    for greedy in (False, True):
        for started, log in random_logs(CHIPSTACK, seats=seats, count=2, seed=6, greedy=greedy):
            states = play_through(started, log)
            assert all(map(conserves, states))
            placed = sum(isinstance(event, Place) for event in log)
            assert len(log) == 2 * placed
            assert not any(states[-1].pieces)
