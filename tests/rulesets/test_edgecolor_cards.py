"""Edgecolor's cards and edges: the catalogue, the edge rule with every vector of 003.7, the deal."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from typing import Any

import msgspec
import pytest

from kifold.core.codec import decode_started, encode, with_setup
from kifold.core.events import Started
from kifold.core.play import Play, Refused
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.edgecolor.board import edges_fit, matches
from kifold.core.rulesets.edgecolor.cards import (
    BLACK,
    CARDS_OF_MARK,
    CATALOGUE_A,
    CATALOGUE_A_DIGEST,
    CATALOGUES,
    canonical,
    card_text,
    find_card,
    sides_of,
    table_digest,
)
from kifold.core.rulesets.edgecolor.declaration import EdgecolorSetup
from kifold.core.rulesets.edgecolor.declaration import Play as PlayCard
from tests.rulesets.edgecolor_cases import OWN_CATALOGUE, OWN_EDGES, Item, Position, Table, card
from tests.rulesets.harness import started_with_chance

R, B, Y, K = range(4)
N, E, S, W = range(4)
RBYK = card("123K/1")
"""(R, B, Y, K) of 003.7, with the mark c1."""


def test_census_of_edge_colourings() -> None:
    orbits = {canonical(sides) for sides in product(range(4), repeat=4)}
    assert len(orbits) == 136
    census = Counter((tuple(sorted(Counter(o).values(), reverse=True)), o.count(K)) for o in orbits)
    assert [number for pattern, number in sorted(census.items()) if number == 12] == [12] * 4
    assert census[(1, 1, 1, 1), 1] == census[(2, 2), 0] == census[(2, 2), 2] == census[(3, 1), 0] == 12
    assert [census[(2, 1, 1), black] for black in range(3)] == [18, 36, 18]
    assert census[(3, 1), 1] == census[(3, 1), 3] == 6
    assert (census[(4,), 0], census[(4,), 4]) == (3, 1)


def test_catalogue_a() -> None:
    types = [tuple(CATALOGUE_A[at : at + 4]) for at in range(0, 48, 4)]
    assert types == sorted({canonical(sides) for sides in permutations(range(4))})
    assert len(types) == 12
    shown = {sides_of(CATALOGUE_A, number, flip) for number in range(48) for flip in range(2)}
    assert shown == set(permutations(range(4)))
    assert len({card_text(CATALOGUE_A, number, 0) for number in range(48)}) == 48
    assert all(
        find_card(CATALOGUE_A, sides_of(CATALOGUE_A, n, f), n % 4) == (n, f) for n in range(48) for f in range(2)
    )
    # Any ordered pair of sides is on exactly 2 of the 12 types, so on 8 cards (003.1).
    for first, second in permutations(range(4), 2):
        for one, other in permutations(range(4), 2):
            found = {
                number
                for number in range(48)
                for flip in range(2)
                if [sides_of(CATALOGUE_A, number, flip)[side] for side in (first, second)] == [one, other]
            }
            assert len(found) == 8


def test_sets_of_cards() -> None:
    assert [of_mark.bit_count() for of_mark in CARDS_OF_MARK] == [12] * 4
    assert sum(CARDS_OF_MARK) == (1 << 48) - 1


def neighbour(side: int, colour: int, taken: set[int], marks: tuple[int, ...]) -> Item:
    """A card that shows this colour to the cell whose neighbour on that side it is."""
    for number in range(48):
        for flip in range(2):
            shows_it = sides_of(CATALOGUE_A, number, flip)[side ^ 2] == colour
            if shows_it and number % 4 in marks and number not in taken:
                taken.add(number)
                return number, flip
    raise AssertionError


def between(facing: dict[int, int], variant: str, hands: list[list[int]]) -> Table:
    """A free cell with neighbours that show it these colours: the centre of solo, or b2 of 4x4."""
    cells = {N: 1, E: 5, S: 7, W: 3} if variant == "solo" else {N: 1, E: 6, S: 9, W: 4}
    taken = {number for hand in hands for number in hand}
    marks = (0, 1, 2) if variant == "solo" else (0, 1, 2, 3)
    board = {cells[side]: [neighbour(side, colour, taken, marks)] for side, colour in facing.items()}
    return Table(Position(variant, hands, board, deck=0))


VECTORS = [
    ({N: R}, True, 1),
    ({N: R, E: B}, True, 2),
    ({N: R, E: K}, True, 1),
    ({N: R, W: Y}, True, 1),
    ({N: R, E: B, W: Y}, True, 2),
    ({N: R, E: K, W: B}, True, 1),
    ({N: R, E: B, S: Y, W: R}, True, 3),
    ({N: B}, False, 0),
    ({N: K, E: K, S: K, W: K}, True, 0),
]


@pytest.mark.parametrize(("facing", "is_legal", "found"), VECTORS)
def test_edge_vectors(facing: dict[int, int], is_legal: bool, found: int) -> None:
    number, flip = RBYK
    spare = [card("K321/2")[0], card("21K3/K")[0]]
    table = between(facing, "4x4", [[number, *spare], [card("2K13/3")[0]]])
    play = PlayCard(0, number, 5, flip)
    assert table.why(play) == ("" if is_legal else "edge_mismatch")
    if is_legal:
        assert matches(table.state, number, 5, flip) == found
        effects = table.do(play)[0]
        assert ("extra_play" in effects) == (found >= 2)


@pytest.mark.parametrize(
    ("facing", "is_legal"), [({N: R}, True), ({N: R, E: K}, False), ({W: K}, True), ({W: Y}, False)]
)
def test_edge_vectors_of_solo(facing: dict[int, int], is_legal: bool) -> None:
    number, flip = RBYK
    table = between(facing, "solo", [[number, *(n for n in range(16, 30) if n % 4 != BLACK)]])
    assert table.why(PlayCard(0, number, 4, flip)) == ("" if is_legal else "edge_mismatch")


def test_how_many_patterns_fit() -> None:
    def fitting(facing: dict[int, int]) -> list[tuple[int, int]]:
        table = between(facing, "4x4", [[RBYK[0]], [0]])
        return [
            (number, flip)
            for flip in range(2)
            for number in range(0, 48, 4)
            if edges_fit(table.state, 5, flip) >> number & 1
        ]

    assert len(fitting({})) == 24
    assert len(fitting({N: R})) == 12
    assert len(fitting({N: K})) == 24
    both = fitting({N: R, E: B})
    assert len(both) == 6
    table = between({N: R, E: B}, "4x4", [[RBYK[0]], [0]])
    assert sum(matches(table.state, number, 5, flip) == 2 for number, flip in both) == 2


def test_no_event_turns_a_card_by_a_quarter() -> None:
    """003.7 (v): a card lies upright or turned by half; the sides of any event are one of these two."""
    number, _ = RBYK
    assert sides_of(CATALOGUE_A, number, 0) == (R, B, Y, K)
    assert sides_of(CATALOGUE_A, number, 1) == (Y, K, R, B)
    assert find_card(CATALOGUE_A, (K, R, B, Y), 0) not in {(number, 0), (number, 1)}
    with pytest.raises(msgspec.ValidationError, match="<= 1"):
        EDGECOLOR.decoder.decode(msgspec.msgpack.encode([17, 0, number, 7, 2]))


# The deal


def dealt(variant: str, seats: int | None = None, options: dict[str, Any] | None = None, **setup: Any) -> Started:
    started = EDGECOLOR.start(variant, options, seats, setup=EdgecolorSetup(**setup))
    return started_with_chance(EDGECOLOR, started, 3, 0)


def refusal(started: Started, **changes: Any) -> str:
    changed = msgspec.structs.replace(started, setup=msgspec.structs.replace(started.setup, **changes))
    with pytest.raises(Refused) as refused:
        Play(EDGECOLOR, changed)
    assert refused.value.seq == 0
    return refused.value.reason


@pytest.mark.parametrize(("seats", "hand", "deck"), [(2, 15, 18), (3, 10, 18), (4, 8, 16)])
@pytest.mark.parametrize("variant", ["beginner", "standard", "hard", "4x4"])
def test_hands_and_deck(variant: str, seats: int, hand: int, deck: int) -> None:
    state: Any = Play(EDGECOLOR, dealt(variant, seats)).state
    assert [state.hand_sizes[seat] for seat in range(seats)] == [hand] * seats
    assert (state.deck, state.unseen.bit_count()) == (deck, deck)
    assert state.unseen | sum(state.hands) == (1 << 48) - 1


def test_hands_and_deck_of_duo_and_solo() -> None:
    duo: Any = Play(EDGECOLOR, dealt("duo")).state
    assert (duo.hand_sizes[:2], duo.blocker_in_hand[:2], duo.deck) == ([16, 16], [1, 1], 18)
    solo: Any = Play(EDGECOLOR, dealt("solo")).state
    assert (solo.hand_sizes[0], solo.deck, solo.unseen.bit_count()) == (10, 5, 26)
    assert not (solo.hands[0] | solo.unseen) & CARDS_OF_MARK[BLACK]


def test_deals_against_the_rules_are_refused() -> None:
    two, solo = dealt("beginner"), dealt("solo")
    hand = two.setup.hand_0
    assert refusal(two, hand_0=hand[1:]) == "wrong_hand_size"
    assert refusal(two, hand_0=()) == "wrong_hand_size"
    assert refusal(dealt("beginner", 3), hand_0=hand) == "wrong_hand_size"
    assert refusal(two, hand_0=(two.setup.hand_1[0], *hand[1:])) == "card_twice"
    assert refusal(two, hand_0=(hand[1], *hand[1:])) == "card_twice"
    assert refusal(two, hand_2=(0,)) == "wrong_number_of_hands"
    assert refusal(solo, hand_0=(3, *solo.setup.hand_0[1:])) == "black_mark_in_solo"
    assert refusal(msgspec.structs.replace(two, seats=5)) == "wrong_number_of_hands"
    assert refusal(msgspec.structs.replace(solo, seats=2)) == "wrong_number_of_hands"
    assert refusal(msgspec.structs.replace(two, seats=1)) == "wrong_number_of_hands"
    assert refusal(msgspec.structs.replace(dealt("duo"), seats=3)) == "wrong_number_of_hands"


def test_every_card_is_dealt_to_every_seat_in_the_long_run() -> None:
    started = EDGECOLOR.start("4x4", {"seed_card": True}, 4)
    seen: Counter[tuple[str, int]] = Counter()
    for match in range(600):
        setup = started_with_chance(EDGECOLOR, started, 9, match).setup
        for name in ("hand_0", "hand_1", "hand_2", "hand_3"):
            seen.update((name, number) for number in getattr(setup, name))
        seen["seed", setup.seed] += 1
    hands = [seen[f"hand_{seat}", number] for seat in range(4) for number in range(48)]
    assert min(hands) > 60  # 100 expected, standard deviation 9
    assert max(hands) < 140
    assert sum(seen["seed", number] > 0 for number in range(48)) == 48


def test_seed_card() -> None:
    started = dealt("4x4", 2, {"seed_card": True})
    seed = started.setup.seed
    state: Any = Play(EDGECOLOR, started).state
    assert (state.tops[5], state.flips, state.opened, state.deck) == (seed, 0, 1, 17)
    moved = msgspec.structs.replace(started.setup, seed_cell=15, seed_flip=1)
    state = Play(EDGECOLOR, msgspec.structs.replace(started, setup=moved)).state
    assert (state.tops[15], state.flips) == (seed, 1 << 15)
    assert refusal(started, seed=48) == "seed_missing"
    assert refusal(started, seed=started.setup.hand_0[0]) == "card_twice"
    for variant in ("4x4", "beginner", "solo"):
        options = {"seed_card": variant != "4x4"}
        free = next(n for n in range(48) if n not in (s := dealt(variant, None, options).setup).hand_0 + s.hand_1)
        assert refusal(dealt(variant, None, options), seed=free) == "seed_not_played"


# The catalogue as data


def test_the_digest_of_the_named_catalogue_stands_in_started() -> None:
    started = dealt("beginner")
    assert started.setup.catalogue_digest == CATALOGUE_A_DIGEST == table_digest(CATALOGUES["A"])
    # A table that is not the one the log was played with is noticed. This number is for ever: logs carry it.
    assert CATALOGUE_A_DIGEST == 90764375119460
    assert refusal(started, catalogue_digest=CATALOGUE_A_DIGEST ^ 1) == "catalogue_differs"
    assert refusal(started, edges=tuple(CATALOGUE_A)) == "catalogue_incomplete"
    assert with_setup(EDGECOLOR, decode_started(encode(started))) == started


def test_one_changed_edge_changes_the_digest() -> None:
    digests = {table_digest([*CATALOGUE_A[:i], c, *CATALOGUE_A[i + 1 :]]) for i in range(48) for c in range(4)}
    assert len(digests) == 1 + 48 * 3


def test_a_catalogue_of_its_own() -> None:
    started = dealt("beginner", **OWN_CATALOGUE)
    state: Any = Play(EDGECOLOR, started).state
    assert tuple(state.edges) == OWN_CATALOGUE["edges"]
    edges = OWN_CATALOGUE["edges"]

    def with_types(types: list[tuple[int, ...]]) -> dict[str, Any]:
        flat = tuple(colour for sides in types for colour in sides)
        return {"edges": flat, "catalogue_digest": table_digest(flat)}

    types = list(OWN_EDGES)
    assert refusal(started, edges=edges[:44]) == "catalogue_incomplete"
    assert refusal(started, edges=()) == "catalogue_incomplete"
    assert refusal(started, catalogue_digest=CATALOGUE_A_DIGEST) == "catalogue_differs"
    assert refusal(started, **with_types([types[1], types[0], *types[2:]])) == "edges_not_ascending"
    assert refusal(started, **with_types([types[0], types[0], *types[2:]])) == "edges_not_ascending"
    turned = next(i for i, s in enumerate(types) if (s[2], s[3], s[0], s[1]) != s)
    n, e, s, w = types[turned]
    assert (
        refusal(started, **with_types([*types[:turned], (s, w, n, e), *types[turned + 1 :]])) == "edges_not_canonical"
    )


def test_a_catalogue_decides_which_cards_fit() -> None:
    """The same numbers are other cards: the catalogue is a table that the rules read."""
    number = 0
    board = {5: [(4, 0)]}
    own = Position("4x4", [[number, 8], [12, 20]], board, setup=EdgecolorSetup(**OWN_CATALOGUE))
    named = Position("4x4", [[number, 8], [12, 20]], board)
    assert Table(own).cells(0, number) != Table(named).cells(0, number)
    symmetric = next(i for i, sides in enumerate(OWN_EDGES) if sides[:2] == sides[2:]) * 4
    table = Table(Position("4x4", [[symmetric, 8], [12, 20]], board, setup=EdgecolorSetup(**OWN_CATALOGUE)))
    assert {lies for _, lies in table.cells(0, symmetric)} <= {0}
    assert table.why(PlayCard(0, symmetric, 1, 1)) == "flip_not_canonical"
