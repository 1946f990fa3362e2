"""What chance hardly ever comes to, game by game: setups by hand, policies of play, and what to try in a position."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import msgspec

from kifold.core.events import Event, Setup
from kifold.core.options import Variant
from kifold.core.play import Play
from kifold.core.rulesets.chipstack.board import AREA, shape_on
from kifold.core.rulesets.chipstack.declaration import CELLS
from kifold.core.rulesets.chipstack.declaration import Place as ChipPlace
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.edgecolor.board import matches
from kifold.core.rulesets.edgecolor.cards import table_digest
from kifold.core.rulesets.edgecolor.declaration import BLOCKER, NO_SEED, NOTHING, OWN, EdgecolorSetup, PlayBlocker
from kifold.core.rulesets.edgecolor.declaration import Play as CardPlay
from kifold.core.rulesets.edgecolor.turns import penalty_draws
from kifold.core.rulesets.nibble.board import N_COLOURS, THREE_NEEDED
from kifold.core.rulesets.nibble.declaration import MOST_COLOURS, Take
from kifold.core.rulesets.unionking import UNIONKING
from kifold.core.rulesets.unionking.declaration import Move, UnionkingSetup
from tests.mutation.starts import Policy, SetupBy, Tries
from tests.rulesets.blokus_cases import all_but, packed, scattered, setup_of
from tests.rulesets.edgecolor_cases import OWN_CATALOGUE
from tests.rulesets.matches import Log
from tests.rulesets.unionking_cases import NAMES, begin, go, pairs_at, setup

PIECE_COUNT, PAIRS = 28, 14


def blokus(variant: Variant, rng: random.Random) -> Setup:
    """A few pieces of each colour left; sometimes the first has one or two, often the single square."""
    if rng.random() < 0.5:
        return scattered(variant.name, rng.choice((1, 2, 3, 6, 12)), rng.randrange(1000))
    last = rng.choice((["1"], ["2"], ["1", "2"], ["1", "I3"], ["V3", "O"], ["1", "W"]))
    colours, size = (2, 14) if variant.name == "duo" else (4, 20)
    pieces = all_but(0, *last)
    for colour in range(1, colours):
        pieces += [(colour, name) for name in rng.sample(["1", "2", "I3", "V3", "L4", "O", "X", "W"], 3)]
    return setup_of(packed(pieces, size), rng.randrange(colours))


SINGULAR = [
    *(0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 2, 1),
    *(1, 1, 2, 2, 1, 2, 1, 2, 1, 2, 2, 1, 1, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2),
]
"""A catalogue whose first three types fit nothing of the others, and whose first looks the same in any way."""


def edgecolor(variant: Variant, rng: random.Random) -> Setup:
    """A catalogue of its own, in which some cards look the same after a half turn, perhaps wrong; a place for the seed
    card.
    """
    place = {"seed_cell": rng.randrange(16), "seed_flip": rng.randrange(2)} if variant.name == "4x4" else {}
    if rng.random() < 0.3:
        return EdgecolorSetup(**place)
    edges = list(OWN_CATALOGUE["edges"] if rng.random() < 0.7 else SINGULAR)
    at, way = 4 * rng.randrange(11), rng.randrange(6)
    if way == 0:
        edges[at : at + 8] = [*edges[at + 4 : at + 8], *edges[at : at + 4]]
    elif way == 1:
        edges[at : at + 4] = edges[at + 4 : at + 8]
    elif way == 2:
        edges[at : at + 4] = [*edges[at + 2 : at + 4], *edges[at : at + 2]]
    elif way == 3:
        edges[rng.randrange(48)] = rng.randrange(4)
    return EdgecolorSetup(catalogue=OWN, edges=tuple(edges), catalogue_digest=table_digest(edges), **place)


def unionking(variant: Variant, rng: random.Random) -> Setup:
    """Any board; pieces anywhere on it, many pairs merged, or so many that hardly a point is free."""
    width, height = rng.choice((3, 5, 7, 9)), rng.choice((3, 5, 7, 9))
    room = width * height
    fewest = max(0, PIECE_COUNT - room)
    if fewest > PAIRS:
        return UnionkingSetup(width, height, tuple(rng.randrange(room) for _ in range(PIECE_COUNT)))
    pairs = min(PAIRS, fewest + rng.choice((1, 1, 1, 2, 2, 4, 7, 9)))
    points = rng.sample(range(room), PIECE_COUNT - pairs)
    merged = set(rng.sample(range(PAIRS), pairs))
    layout = [0] * PIECE_COUNT
    for pair in range(PAIRS):
        outer = pair // 7 * 14 + pair % 7
        layout[outer] = points.pop()
        layout[outer + 7] = layout[outer] if pair in merged else points.pop()
    if rng.random() < 0.05:
        layout[rng.randrange(PIECE_COUNT)] = min(room, 80)
    return UnionkingSetup(width, height, tuple(layout))


def shuffling(play: Play, events: list[Event], rng: random.Random) -> Event:
    """Unionking: mostly the side's last move back, so that positions come again."""
    at = len(play.log) - 1
    if at > 0 and rng.random() < 0.8:
        piece, spot = play.state.moved[at], play.state.came_from[at]
        back = Move(piece // 14, piece // 7 % 2, piece % 7, (spot // 10 - 1) * play.state.width + spot % 10 - 1)
        return back if back in events else rng.choice(events)
    return rng.choice(events)


def piling(play: Play, events: list[Event], rng: random.Random) -> Event:
    """Chipstack: as many chips as can be onto the highest stack, then off it again."""
    state = play.state
    high = max(range(CELLS), key=lambda cell: state.heights[cell])
    rng.shuffle(events)

    def use(event: Event) -> int:
        if isinstance(event, ChipPlace):
            return event.targets.count(high)
        on_it = event.cell == high
        return 2 * on_it + (AREA[CELLS * shape_on(state, event.cell) + event.cell] >> high & 1)

    return max(events, key=use)


def sharing(play: Play, events: list[Event], rng: random.Random) -> Event:
    """Nibble: one seat gets the majority, but hardly anything of three neighbouring colours."""
    state, variant = play.state, play.state.variant
    few = state.layout[0] % (N_COLOURS[variant] - 2) * (state.layout[1] % 3 > 0)
    needed = THREE_NEEDED[variant]
    rng.shuffle(events)

    def use(event: Take) -> int:
        colour, count = state.layout[event.tiles[0]], len(event.tiles)
        had = state.taken[event.seat * MOST_COLOURS + colour]
        if event.seat:
            return -count if had + count < needed else -20
        most = N_COLOURS[variant] - needed if few <= state.place[colour] < few + 3 else needed - 1
        return count + 5 * (had == 0) if had + count <= most else -20

    return max(events, key=use)


def with_a_plan(play: Play, events: list[Event], rng: random.Random) -> Event:
    """Edgecolor: cards away as fast as can be; or penalties sought, so that the deck runs out; or black marks laid, so
    that seats get stuck. The blocker is kept.
    """
    state, plan = play.state, (play.started.setup.hand_0[0] + play.started.setup.hand_0[1]) % 3
    rng.shuffle(events)

    def use(event: Event) -> float:
        if not isinstance(event, CardPlay):
            return 99 if _is_beside_a_corner_to_be(state, event) else -9
        is_black, draws = event.card % 4 == 3, penalty_draws(state, event.cell, False)
        if plan == 0 and state.deck > 2:
            return 2 * draws + (state.tops[event.cell] >= BLOCKER)
        if plan == 1:
            return 2 * is_black + (state.tops[event.cell] % 4 != 3)
        found = min(matches(state, event.card, event.cell, event.flip), 2)
        return found - 2 * draws + is_black * (0.5 if plan else -3)

    return max(events, key=use)


def _is_beside_a_corner_to_be(state: Any, event: Event) -> bool:
    """Whether a blocker goes to the rim, and the last corner is free with a card beside it."""
    if not isinstance(event, PlayBlocker) or state.tops[24] != NOTHING or event.cell in {19, 23, 24}:
        return False
    return bool(state.cards >> 19 & 1 or state.cards >> 23 & 1) and (event.cell % 5 == 4 or event.cell >= 20)


def two_tiles(play: Play, rng: random.Random) -> list[Event]:
    """Nibble: every tile that can be taken with every other of its colour, and some that cannot."""
    seat = max(play.turn, 0)
    loose = [event.tiles[0] for event in play.legal(seat) if isinstance(event, Take) and len(event.tiles) == 1]
    colour = play.state.layout
    pairs = [Take(seat, pair) for pair in combinations(sorted(loose), 2) if colour[pair[0]] == colour[pair[1]]]
    return pairs + [Take(seat, (tile,)) for tile in rng.sample(range(81), 10)]


def cards_anywhere(play: Play, rng: random.Random) -> list[Event]:
    """Edgecolor: cards that a seat has, on any cell, either way up; blockers on any cell."""
    asked: list[Event] = []
    for _ in range(30):
        seat = rng.randrange(play.started.seats)
        cell = rng.choice((0, 24, rng.randrange(play.state.size**2 + 1)))
        hand = [card for card in range(48) if play.state.hands[seat] >> card & 1]
        if hand:
            asked.append(CardPlay(seat, rng.choice(hand), min(cell, 24), rng.randrange(2)))
        asked.append(PlayBlocker(seat, min(cell, 24)))
    return asked


BY_HAND: dict[str, SetupBy] = {"blokus": blokus, "edgecolor": edgecolor, "unionking": unionking}
POLICIES: dict[str, Policy] = {"unionking": shuffling, "chipstack": piling, "nibble": sharing, "edgecolor": with_a_plan}
TRIES: dict[str, Tries] = {"nibble": two_tiles, "edgecolor": cards_anywhere}


def equal_hashes() -> Log:
    """Unionking: two positions that `history` cannot tell apart by their hash. The second is no repetition."""
    free = "a1 b1 a2 b2 c2 d2 a3 b3 c3 d3 e3 b4 c4 d4 e4 f4 g2"
    pieces = setup("woA c1 woE e2 woF f3 boF a4 boA g3", free)
    play = Play(UNIONKING, UNIONKING.start("game1", {"repetition": 2}, setup=pieces))
    white = ["woA-b1", "woA-a1", *(f"woE-{c}2" for c in "dcba"), *(f"woF-{c}3" for c in "edcba")]
    black = [*(f"boF-{c}4" for c in "bcdef"), *("boA-g2", "boA-g3") * 3]
    for words in zip(white, black, strict=True):
        go(play, *words)
    return play.started, play.log


def just_100_points() -> Log:
    """Unionking: the goal of game 3, and no point more."""
    play = begin(pairs_at("w", "b2", "d2", "f2", "c1", "a1") + " woF g1 wiF g2", variant="game3")
    go(play, "wiF-g1")
    return play.started, play.log


AROUND_A2 = ("b2", "c2", "a1", "a4", "a5", "a6", "a7", "c7", "b7", "c5")


def only_one_can_move(mover: str, partner: str) -> Log:
    """Unionking: the board is full but for a2, and of White only one piece stands on a line with it."""
    black = [name for name in NAMES if name[0] == "b"]
    white = [name for name in NAMES if name[0] == "w" and name[2] != mover[2]]
    points = dict(zip([*black[:5], *black[7:12]], AROUND_A2, strict=True))
    points |= dict(zip([black[5], black[6], black[12], black[13]], ("b6", "b5") * 2, strict=True))
    points |= dict(zip(white, ("b1", "c1", "b3", "c3", "b4", "c4") * 2, strict=True)) | {mover: "a3", partner: "c6"}
    return begin(" ".join(f"{name} {point}" for name, point in points.items()), width=3, height=7).started, []


def first_seat_stuck(solo_stuck: str, deck: str) -> Log:
    """Edgecolor 4×4: nothing that the first seat has fits beside the seed card."""
    lonely, others = range(4, 12), range(12, 48)
    hands = {"hand_0": tuple(others[:15]), "hand_1": (*lonely, *others[15:22])}
    catalogue = {"catalogue": OWN, "edges": tuple(SINGULAR), "catalogue_digest": table_digest(SINGULAR)}
    options = {"seed_card": True, "solo_stuck": solo_stuck, "deck_4x4": deck}
    return EDGECOLOR.start("4x4", options, 2, setup=EdgecolorSetup(seed=0, **hands, **catalogue)), []


def wrong_seed(seed: int, seed_flip: int) -> Log:
    """Edgecolor 4×4: the seed card is missing, or lies as no card of its kind does."""
    started, _ = first_seat_stuck("draw", "draw")
    setup_of_seed = msgspec.structs.replace(started.setup, seed=seed, seed_flip=seed_flip)
    return msgspec.structs.replace(started, setup=setup_of_seed), []


MADE: dict[str, list[Callable[[], Log]]] = {
    "unionking": [
        equal_hashes,
        just_100_points,
        partial(only_one_can_move, "woA", "wiA"),
        partial(only_one_can_move, "wiG", "woG"),
    ],
    "edgecolor": [
        partial(first_seat_stuck, "failure", "draw"),
        partial(first_seat_stuck, "draw", "none"),
        partial(wrong_seed, NO_SEED, 0),
        partial(wrong_seed, 0, 1),
    ],
}
"""Matches that chance never finds."""


def kind_of_position(play: Play) -> tuple[Any, ...]:
    """What is rare in edgecolor: a phase, an empty deck, a last card."""
    state = play.state
    fewest = min(state.hand_sizes[: state.seats])
    return state.variant, state.phase, state.deck == 0, fewest < 2


KINDS: dict[str, Callable[[Play], tuple[Any, ...]]] = {"edgecolor": kind_of_position}
"""By what positions of a ruleset differ; a look is taken at rare ones."""
