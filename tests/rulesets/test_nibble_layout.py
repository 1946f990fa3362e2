"""Nibble: boards, and how the tiles are laid out. Rule file nibble.md, 004.2–004.3."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from kifold.core.events import Started
from kifold.core.flat import flatten_setup
from kifold.core.names import LEGAL
from kifold.core.play import Play, Refused
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.rulesets.nibble.board import N_CELLS, N_COLOURS, PLACES
from kifold.core.rulesets.nibble.declaration import (
    HEX13,
    SQUARE9,
    SQUARE13,
)
from tests.rulesets.harness import logs_of, started_with_chance
from tests.rulesets.nibble_cases import (
    ALL,
    NAMES,
    SIDES,
    reason,
    simulated,
    start_of,
)

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
