"""Nibble: how a match ends, by the rules or early. Rule file nibble.md, 004.5 and 004-6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kifold.core.corpus import Corpus
from kifold.core.emit import Out
from kifold.core.play import Play, fold
from kifold.core.rng import Random, below, seed_random
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.rulesets.nibble.board import N_CELLS, N_COLOURS
from kifold.core.rulesets.nibble.declaration import (
    HEX13,
    SQUARE9,
    SQUARE13,
    Take,
)
from tests.rulesets.harness import folder, logs_of
from tests.rulesets.nibble_cases import ALL, NAMES, effects, put, simulated, start_of, winner


def one_tile_left(variant: int, own: Sequence[int], other: Sequence[int], colour: int, **options: Any) -> Play:
    """Seat 0 takes the last tile, of the given colour, and then has what `own` says; seat 1 has `other`."""
    before = [n - (c == colour) for c, n in enumerate(own)]
    assert all(a + b == N_COLOURS[variant] for a, b in zip(own, other, strict=True))
    return put(variant, {40: colour}, [before, other], **options)


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
