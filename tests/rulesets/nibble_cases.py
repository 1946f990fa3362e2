"""Nibble: positions by hand, and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kifold.core.corpus import Corpus, array_of
from kifold.core.events import Started, tag_of
from kifold.core.flat import flatten_setup
from kifold.core.names import LEGAL
from kifold.core.play import Play
from kifold.core.records import to_numpy
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.rulesets.nibble.board import N_CELLS, N_COLOURS, PLACES, sides_of
from kifold.core.rulesets.nibble.declaration import (
    VARIANTS,
    Take,
)
from kifold.core.rulesets.nibble.notation import cell_of
from tests.rulesets.harness import folder, random_logs, started_with_chance

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
    return reached_from(variant, list(left)[:1], left) == left


def reached_from(variant: int, edge: Iterable[int], among: set[int]) -> set[int]:
    """The cells to which a way leads from some, over sides and only among these."""
    reached = set(edge)
    edge = list(reached)
    while edge:
        fresh = {n for n in SIDES[variant][edge.pop()] if n in among} - reached
        reached |= fresh
        edge += fresh
    return reached


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


def winner(play: Play) -> tuple[int, int]:
    """Who has won, and how."""
    ranks = [standing.rank for standing in play.result()]
    kinds = {standing.components["win_type"] for standing in play.result()}
    assert sorted(ranks) == [1, 2]
    assert not any(standing.shared for standing in play.result())
    assert play.turn == NOBODY
    return ranks.index(1), int(kinds.pop())
