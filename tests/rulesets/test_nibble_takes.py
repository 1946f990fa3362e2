"""Nibble: what may be taken. Rule file nibble.md, 004.4."""

from __future__ import annotations

import msgspec
import pytest

from kifold.core.codec import decode, encode
from kifold.core.play import Play
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.rulesets.nibble.board import EXPOSED_NEEDED, N_CELLS
from kifold.core.rulesets.nibble.declaration import (
    HEX13,
    SQUARE9,
    SQUARE13,
    Take,
)
from tests.rulesets.nibble_cases import (
    ALL,
    SIDES,
    cells,
    effects,
    free_sides,
    is_one_group,
    put,
    reason,
    start_of,
    takes,
    tiles_of,
)

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
