"""The edgecolor oracle against the rule file's vectors and checked statements, every option, and in random play."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections import Counter
from itertools import combinations, permutations, product
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest


def load_oracle() -> ModuleType:
    """By path, so that it works in every import mode of pytest."""
    spec = importlib.util.spec_from_file_location("edgecolor_oracle", Path(__file__).with_name("edgecolor.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


ec: Any = load_oracle()
Oracle = ec.Oracle
at = Oracle.from_position
card = ec.find_card
R, B, Y, K = 0, 1, 2, 3
RED, BLUE, YELLOW, BLACK = 0, 1, 2, 3  # marks
BLOCK = (ec.BLOCKER, 0)
RBYK = (R, B, Y, K)
SIDES = "NESW"


def cid(sides: tuple[int, ...], mark: int) -> int:
    return card(sides, mark)[0]


def play(sides: tuple[int, ...], mark: int, cell: int, seat: int = 0) -> tuple[Any, ...]:
    item = card(sides, mark)
    return ("play", seat, item[0], cell, item[1])


def draw(card_id: int, seat: int = 0) -> tuple[Any, ...]:
    return ("draw", seat, card_id)


def ids(mark: int, *types: int) -> list[int]:
    return [edge_type * 4 + mark for edge_type in types]


def showing(side: int, colour: int, mark: int, skip: int = 0) -> tuple[int, int]:
    """A card with this colour on this side; skip takes another one."""
    fitting = [sides for sides in permutations(RBYK) if sides[side] == colour]
    return card(fitting[skip], mark)


def filled(size: int, deck: bool, fixed: dict[int, tuple[int, int]] | None = None) -> dict[int, list[tuple[int, int]]]:
    """A board where every cell but the deck's has a card with a red or yellow mark (blue marks cannot be stacked)."""
    board = {cell: [item] for cell, item in (fixed or {}).items()}
    used = {item[0] for item in (fixed or {}).values()}
    spare = [each for mark in (RED, YELLOW) for each in ids(mark, *range(12)) if each not in used]
    for cell in range(size * size):
        if cell not in board and not (deck and cell == size * size // 2):
            board[cell] = [(spare.pop(0), 0)]
    return board


# On a filled 4x4 board with these cells: TWO fits cell 0 with two matches, ONE with one match and one black side.
CORNER = {
    0: card((0, 1, 3, 2), YELLOW),
    1: card((0, 1, 3, 2), RED),  # faces cell 0 with yellow
    4: card((0, 1, 2, 3), RED),  # faces cell 0 with red
}
TWO = (1, Y, R, K)
ONE = (1, Y, K, R)
# On a filled 5x5 board with these cells: RBYK and three more types fit the centre.
CROSS = {
    7: card((B, Y, R, K), RED),
    13: card((R, Y, K, B), RED),
    17: card((Y, R, B, K), RED),
    11: card((R, K, B, Y), RED),
}


def corner_match(hands: list[list[int]], **more: Any) -> Any:
    return at("4x4", hands, filled(4, False, CORNER), **more)


# 003.1 and 003.2


def test_census_of_edge_colourings() -> None:
    orbits = {ec.canonical(sides) for sides in product(range(4), repeat=4)}
    assert len(orbits) == 136
    census = Counter((tuple(sorted(Counter(o).values(), reverse=True)), o.count(K)) for o in orbits)
    assert census == {
        ((1, 1, 1, 1), 1): 12,
        ((2, 1, 1), 0): 18,
        ((2, 1, 1), 1): 36,
        ((2, 1, 1), 2): 18,
        ((2, 2), 0): 12,
        ((2, 2), 2): 12,
        ((3, 1), 0): 12,
        ((3, 1), 1): 6,
        ((3, 1), 3): 6,
        ((4,), 0): 3,
        ((4,), 4): 1,
    }


def test_catalogue() -> None:
    assert len(ec.EDGE_TYPES) == 12
    assert sorted(ec.EDGE_TYPES) == ec.EDGE_TYPES
    assert ec.EDGE_TYPES[0] == RBYK
    oracle = at("beginner", [[0], [1]])
    patterns = {oracle.sides(each, flip) for each in range(48) for flip in (0, 1)}
    assert patterns == set(permutations(RBYK))
    for (first, second), (colour, other) in product(combinations(range(4), 2), permutations(RBYK, 2)):
        assert sum(p[first] == colour and p[second] == other for p in patterns) == 2
    assert all(oracle.sides(*card(sides, mark)) == sides for sides in patterns for mark in range(4))


VECTORS = [
    ({"N": R}, True, 1),
    ({"N": R, "E": B}, True, 2),
    ({"N": R, "E": K}, True, 1),
    ({"N": R, "W": Y}, True, 1),
    ({"N": R, "E": B, "W": Y}, True, 2),
    ({"N": R, "E": K, "W": B}, True, 1),
    ({"N": R, "E": B, "S": Y, "W": R}, True, 3),
    ({"N": B}, False, None),
    ({"N": K, "E": K, "S": K, "W": K}, True, 0),
]


def around(cell: int, size: int, facing: dict[str, int], marks: str = "1230") -> dict[int, list[tuple[int, int]]]:
    """Neighbours that show these colours to the cell."""
    board = {}
    for side, name in enumerate(SIDES):
        if name in facing:
            neighbour = cell + (-size, 1, size, -1)[side]
            board[neighbour] = [showing((side + 2) % 4, facing[name], int(marks[side]), skip=side)]
    return board


@pytest.mark.parametrize(("facing", "legal", "matches"), VECTORS)
@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_edge_vectors(facing: dict[str, int], legal: bool, matches: int | None, stacked: bool, turned: bool) -> None:
    if turned:  # everything by a half turn
        facing = {SIDES[(SIDES.index(name) + 2) % 4]: colour for name, colour in facing.items()}
    sides = (Y, K, R, B) if turned else RBYK
    board = around(6, 5, facing)
    if stacked:
        board[6] = [card((B, R, K, Y), RED)]
    oracle = at("beginner", [[cid(RBYK, RED), 1], [2, 3], [6]], board)
    event = play(sides, RED, 6)
    assert oracle.reasons(event) == (set() if legal else {"edge_mismatch"})
    if legal:
        effects = oracle.apply(event)
        assert ("extra_play" in effects) == (matches is not None and matches >= 2)
        assert ("stacked" in effects) == stacked
        assert oracle.matches(event[2], 6, event[4]) == matches


@pytest.mark.parametrize(
    ("facing", "legal"), [({"N": R}, True), ({"N": R, "E": K}, False), ({"W": K}, True), ({"W": Y}, False)]
)
def test_solo_edge_vectors(facing: dict[str, int], legal: bool) -> None:
    event = play(RBYK, RED, 4)  # the centre, open
    for mark in (RED, YELLOW):
        oracle = at("solo", [[event[2], 1 + 4 * mark]], around(4, 3, facing, "1210"), deck=0)
        assert ("edge_mismatch" in oracle.reasons(event)) == (not legal)
        assert oracle.reasons(event) <= {"edge_mismatch", "match_over"}
        assert (event in oracle.normal_plays(0)) == legal


def test_counts_of_fitting_patterns() -> None:
    def fits(facing: dict[str, int]) -> list[int]:
        board = around(6, 5, facing)
        oracle = at("beginner", [[0], [1], [2]], board)
        hand = sorted(oracle.unseen())
        oracle = at("beginner", [hand, [1], [2]], board, deck=0)
        types = {each // 4: each for each in hand}
        assert len(types) == 12
        found = [(each, flip) for each in types.values() for flip in (0, 1)]
        return [oracle.matches(e, 6, f) for e, f in found if not oracle.reasons(("play", 0, e, 6, f))]

    assert len(fits({"N": R})) == 12
    assert len(fits({"S": B})) == 12
    assert len(fits({"N": K})) == 24
    both = fits({"N": R, "E": B})
    assert len(both) == 6
    assert sum(matches >= 2 for matches in both) == 2


# 003.3: setup


@pytest.mark.parametrize("variant", ec.VARIANTS)
def test_deal(variant: str) -> None:
    decks = {1: 5, 2: 18, 3: 18, 4: 16}
    for seats in ec.SEATS[variant]:
        oracle = Oracle(variant, setup=ec.random_setup(variant, seats, random.Random(seats)))
        state = oracle.position()
        assert state["deck"] == decks[seats]
        assert len(oracle.unseen()) == (26 if variant == "solo" else decks[seats])
        assert state["hand_blockers"] == [int(variant == "duo")] * seats
        assert state["blockers_due"] == {"standard": 1, "hard": 2}.get(variant, 0)
        assert oracle.to_move() == 0
        assert state["board"] == [None] * oracle.size**2
        size = {1: 10, 2: 15, 3: 10, 4: 8}[seats] + (variant == "duo")
        assert [line["score"] for line in oracle.result()] == ([None] if seats == 1 else [-size] * seats)


def test_bad_setups() -> None:
    def refused(variant: str, hands: list[list[int]], options: Any = None, seats: Any = None, **more: Any) -> str:
        with pytest.raises(ValueError, match=r"^\w+$") as caught:
            Oracle(variant, options, seats, {"hands": hands, **more})
        return str(caught.value)

    two = [list(range(15)), list(range(15, 30))]
    solo = [[each for each in range(20) if each % 4 != 3][:10]]
    assert refused("beginner", [two[0], two[1][:-1]]) == "wrong_hand_size"
    assert refused("duo", [two[0], [*two[1], 30]]) == "wrong_hand_size"
    assert refused("beginner", [two[0], [0, *two[1][1:]]]) == "card_twice"
    assert refused("beginner", [two[0], [two[1][0], *two[1][:-1]]]) == "card_twice"
    assert refused("solo", [[3, *solo[0][1:]]]) == "black_mark_in_solo"
    assert refused("solo", two) == "wrong_number_of_hands"
    assert refused("beginner", [two[0]]) == "wrong_number_of_hands"
    assert refused("beginner", two, seats=3) == "wrong_number_of_hands"
    assert refused("duo", [list(range(seat * 10, seat * 10 + 10)) for seat in range(3)]) == "wrong_number_of_hands"
    assert refused("4x4", two, {"seed_card": True}) == "seed_missing"
    assert refused("4x4", two, {"seed_card": True}, seed={"card": 40, "cell": 16, "flip": 0}) == "seed_missing"
    assert refused("4x4", two, {"seed_card": True}, seed={"card": 5, "cell": 5, "flip": 0}) == "card_twice"
    with pytest.raises(ValueError, match="extra_play"):
        Oracle("beginner", {"extra_play": "sometimes"}, setup={"hands": two})
    assert Oracle("beginner", {"seed_card": True}, setup={"hands": two}).to_move() == 0
    assert Oracle("solo", setup={"hands": solo}).to_move() == 0


def test_standard_blocker_setup() -> None:
    oracle = Oracle("standard", setup=ec.random_setup("standard", 2, random.Random(1)))
    assert oracle.legal(0) == {("blocker_setup", 0, cell) for cell in range(25) if cell != 12}
    assert oracle.reasons(("blocker_setup", 0, 12)) == {"deck_cell"}
    assert oracle.reasons(("blocker_setup", 1, 3)) == {"not_your_turn"}
    event = next(iter(oracle.normal_plays(0)))
    assert oracle.reasons(event) == {"blockers_to_place"}
    assert oracle.reasons(("play_blocker", 0, 3)) == {"blockers_to_place", "no_blocker_in_hand", "opening_with_blocker"}
    assert oracle.apply(("blocker_setup", 0, 7)) == set()
    assert oracle.to_move() == 0
    assert oracle.reasons(("blocker_setup", 0, 7)) == {"no_blocker_to_place", "cell_taken"}
    assert {e[3] for e in oracle.legal(0)} == {11, 13, 17}
    assert oracle.legal(0) == {("play", 0, e, c, f) for e in oracle.hands[0] for c in (11, 13, 17) for f in (0, 1)}
    assert oracle.position()["deck"] == 18


@pytest.mark.parametrize(("reading", "cells"), [("ring8", {6, 7, 8, 11, 13, 16, 17, 18}), ("cross4", {7, 11, 13, 17})])
def test_hard_blockers(reading: str, cells: set[int]) -> None:
    setup = ec.random_setup("hard", 3, random.Random(2))
    oracle = Oracle("hard", {"hard_blockers": reading}, 3, setup)
    assert {e[2] for e in oracle.legal(0)} == cells
    assert oracle.reasons(("blocker_setup", 0, 0)) == {"not_around_deck"}
    assert oracle.reasons(("blocker_setup", 0, 12)) == {"not_around_deck", "deck_cell"}
    oracle.apply(("blocker_setup", 0, 7))
    assert oracle.to_move() == 0
    assert oracle.reasons(("blocker_setup", 0, 7)) == {"cell_taken"}
    assert {e[2] for e in oracle.legal(0)} == cells - {7}
    oracle.apply(("blocker_setup", 0, 17))
    assert oracle.position()["phase"] == "turn"
    assert {e[3] for e in oracle.legal(0)} == {11, 13}
    assert oracle.reasons(("blocker_setup", 0, 13)) == {"no_blocker_to_place"}


def test_four_by_four_opens_anywhere() -> None:
    oracle = Oracle("4x4", setup=ec.random_setup("4x4", 4, random.Random(3)))
    assert {e[3] for e in oracle.legal(0)} == set(range(16))
    assert oracle.reasons(("play", 0, min(oracle.hands[0]), 16, 0)) == {"off_board"}
    assert oracle.reasons(("blocker_setup", 0, 24)) == {"no_blocker_to_place", "off_board"}


def test_seed_card() -> None:
    hands = [list(range(15)), list(range(15, 30))]
    seed = {"card": 44, "cell": 5, "flip": 1}
    oracle = Oracle("4x4", {"seed_card": True}, setup={"hands": hands, "seed": seed})
    assert oracle.position()["board"][5] == {"card": 44, "flip": 1, "mark": 0}
    assert oracle.position()["deck"] == 17
    assert {e[3] for e in oracle.legal(0)} == {1, 4, 6, 9}
    assert oracle.position()["played"] == [0, 0]
    default = Oracle("4x4", {"seed_card": True}, setup={"hands": hands, "seed": {"card": 44}})
    assert default.position()["board"][5] == {"card": 44, "flip": 0, "mark": 0}
    without = Oracle("4x4", setup={"hands": hands, "seed": seed})
    assert without.position()["board"] == [None] * 16
    assert without.position()["deck"] == 18


# 003.4: the turn


@pytest.mark.parametrize(("seats", "draws"), [(2, 1), (3, 0), (4, 0)])
def test_opening_beside_the_deck(seats: int, draws: int) -> None:
    """State vector iv."""
    oracle = Oracle("beginner", setup=ec.random_setup("beginner", seats, random.Random(4)))
    first = min(oracle.hands[0])
    assert {e[3] for e in oracle.legal(0)} == {7, 11, 13, 17}
    assert oracle.reasons(("play", 0, first, 6, 0)) == {"opening_not_beside_deck"}
    assert oracle.reasons(("play", 0, first, 12, 0)) == {"deck_cell", "opening_not_beside_deck"}
    effects = oracle.apply(("play", 0, first, 7, 0))
    assert effects == ({"penalty_deck"} if draws else set())
    if draws:
        assert oracle.position()["draw_due"] == {"seat": 0, "kind": "penalty", "count": 1}
        assert oracle.to_move() == "chance"
        unseen = min(oracle.unseen())
        event = next(iter(oracle.legal(1)))
        assert oracle.reasons(event) == {"not_your_turn", "draw_due"}
        assert oracle.reasons(draw(unseen, 1)) == {"wrong_drawer"}
        assert oracle.reasons(draw(first)) == {"card_seen"}
        assert oracle.reasons(("stop", 0)) == {"draw_due", "stop_not_allowed"}
        assert oracle.legal_draws() == {draw(each) for each in oracle.unseen()}
        assert oracle.apply(draw(unseen)) == set()
        assert unseen in oracle.hands[0]
        assert oracle.position()["deck"] == 17
    assert oracle.to_move() == 1
    assert oracle.reasons(draw(min(oracle.unseen()), 1)) == {"no_draw_due"}
    assert {e[3] for e in oracle.legal(1)} <= {2, 6, 8}
    other = min(oracle.hands[1])
    assert "not_connected" in oracle.reasons(("play", 1, other, 17, 0))
    assert "deck_cell" in oracle.reasons(("play", 1, other, 12, 0))
    assert "not_in_hand" in oracle.reasons(("play", 1, first, 6, 0))


def test_reasons_of_seats_and_cells_in_range_but_absent() -> None:
    oracle = Oracle("4x4", setup=ec.random_setup("4x4", 2, random.Random(5)))
    assert oracle.reasons(("play", 3, 0, 24, 1)) == {"not_your_turn", "not_in_hand", "off_board"}
    assert oracle.reasons(("play_blocker", 3, 2)) == {"not_your_turn", "no_blocker_in_hand", "opening_with_blocker"}
    assert oracle.reasons(("stop", 3)) == {"not_your_turn", "stop_not_allowed"}
    assert oracle.legal(3) == set()


def test_flip_not_canonical() -> None:
    class Other(Oracle):
        edge_types: ClassVar = [(R, K, R, K), *ec.EDGE_TYPES[1:]]

    oracle = Other("4x4", setup={"hands": [list(range(15)), list(range(15, 30))]})
    assert oracle.reasons(("play", 0, 0, 5, 1)) == {"flip_not_canonical"}
    assert oracle.reasons(("play", 0, 0, 5, 0)) == set()
    assert oracle.reasons(("play", 0, 4, 5, 1)) == set()


@pytest.mark.parametrize("reading", ["both", "cover_only"])
def test_marks_of_stacks(reading: str) -> None:
    """003-3 and both readings of black_mark; 003-32: the other sentences stay."""
    for below, above in product(range(4), repeat=2):
        board = {6: [card((B, R, K, Y), below)], 1: [card((B, K, R, Y), RED)]}
        event = play(RBYK, above, 6)
        others = [ids(BLUE, 7, 8), ids(BLUE, 9), ids(BLUE, 10)]
        others[0].append(event[2])
        oracle = at("beginner", others, board, options={"black_mark": reading})
        allowed = below == above or BLACK in ((above,) if reading == "cover_only" else (below, above))
        assert oracle.reasons(event) == (set() if allowed else {"mark_mismatch"})
        away = play((Y, K, R, B), above, 6)
        assert oracle.reasons(away) == ({"edge_mismatch"} if allowed else {"edge_mismatch", "mark_mismatch"})
    board = {6: [card((B, R, K, Y), BLACK)], 1: [card((B, K, R, Y), RED)]}
    duo = at("duo", [ids(BLUE, 7), [1]], board, options={"black_mark": reading}, hand_blockers=[1, 1])
    assert duo.reasons(("play_blocker", 0, 6)) == set()


@pytest.mark.parametrize("needed", [True, False])
def test_stack_needs_neighbour(needed: bool) -> None:
    options = {"stack_needs_neighbour": needed}
    oracle = at("beginner", [[cid(RBYK, RED), 1], [2], [6]], {7: [card((B, R, K, Y), RED)]}, options=options)
    assert oracle.reasons(play(RBYK, RED, 7)) == ({"not_connected"} if needed else set())
    assert oracle.reasons(play(RBYK, RED, 20)) == {"not_connected"}
    if not needed:
        assert oracle.apply(play(RBYK, RED, 7)) == {"stacked"}


def test_last_card_black() -> None:
    board = {6: [card((B, R, K, Y), RED)], 1: [card((B, K, R, Y), RED)]}
    black = cid(RBYK, BLACK)
    alone = at("beginner", [[black], [2], [6]], board, turn=1)
    assert alone.reasons(play(RBYK, BLACK, 6)) == {"last_card_black", "not_your_turn"}
    assert alone.legal(0) == set()
    assert not at("beginner", [[black, 1], [2], [6]], board).reasons(play(RBYK, BLACK, 6))
    assert not at("duo", [[black], [2]], board, hand_blockers=[1, 0]).reasons(play(RBYK, BLACK, 6))


def test_black_last_chain() -> None:
    """State vector i."""
    black = ids(BLACK, 6, 7, 8)
    oracle = corner_match([[cid(ONE, YELLOW), black[0]], [1, 5]], deck=3)
    assert oracle.apply(play(ONE, YELLOW, 0)) == {"stacked", "black_last"}
    assert oracle.position()["draw_due"] == {"seat": 0, "kind": "black_last", "count": 1}
    assert oracle.apply(draw(black[1])) == set()
    assert oracle.position()["draw_due"] == {"seat": 0, "kind": "black_last", "count": 1}
    fork = oracle.copy()
    assert oracle.apply(draw(black[2])) == set()
    assert "deck_emptied" in oracle.apply(draw(cid(TWO, YELLOW)))
    assert len(oracle.hands[0]) == 4
    assert oracle.position()["deck"] == 0
    fork.apply(draw(cid(TWO, YELLOW)))
    assert len(fork.hands[0]) == 3
    assert fork.position()["draw_due"] == {"seat": 1, "kind": "stuck", "count": 1}
    short = corner_match([[cid(ONE, YELLOW), black[0]], [1, 5]], deck=1)
    short.apply(play(ONE, YELLOW, 0))
    assert "deck_emptied" in short.apply(draw(black[1]))
    assert short.position()["draw_due"] is None


def test_black_last_with_empty_deck_passes() -> None:
    """State vector ii, and black-last without a deck draws nothing."""
    board = {6: [card((B, R, K, Y), RED)], 1: [card((B, K, R, Y), RED)]}
    black = cid(RBYK, BLACK)
    oracle = at("beginner", [[cid(RBYK, RED), black], ids(RED, 6, 7, 8, 9)], board, deck=0)
    assert oracle.apply(play(RBYK, RED, 6)) == {"stacked"}
    assert oracle.to_move() == 1
    event = next(e for e in sorted(oracle.legal(1)) if oracle.matches(*e[2:]) < 2)
    assert oracle.apply(event) == {"turn_passed"} | ({"stacked"} if event[3] in (1, 6) else set())
    assert oracle.to_move() == 1
    assert oracle.legal(0) == set()
    assert oracle.position()["hands"][0] == [black]


@pytest.mark.parametrize("before_win", [True, False])
def test_last_card_beside_a_blocker(before_win: bool) -> None:
    """State vector iii and both readings of penalty_before_win."""
    board = {7: [BLOCK], 1: [card((B, K, R, Y), RED)]}
    hands = [[cid(RBYK, RED)], [2], [6]]
    options = {"penalty_before_win": before_win}
    black, red = ids(BLACK, 9)[0], ids(RED, 9)[0]

    def start(deck: int) -> tuple[Any, set[str]]:
        oracle = at("standard", hands, board, options=options, deck=deck)
        return oracle, oracle.apply(play(RBYK, RED, 6))

    oracle, effects = start(0)
    assert effects == {"won"}
    assert [line["rank"] for line in oracle.result()] == [1, 2, 2]
    oracle, effects = start(5)
    if not before_win:
        assert effects == {"won"}
        assert oracle.position()["deck"] == 5
        return
    assert effects == {"penalty_blocker"}
    assert oracle.apply(draw(red)) == set()
    assert oracle.hands[0] == {red}
    assert oracle.position()["turn"] == 1
    oracle, effects = start(2)
    assert oracle.apply(draw(black)) == {"black_last"}
    assert oracle.apply(draw(red)) == {"deck_emptied", "centre_opened"}
    assert oracle.hands[0] == {black, red}


@pytest.mark.parametrize("reading", ["per_source", "once"])
def test_several_penalty_sources(reading: str) -> None:
    board = {6: [BLOCK], 8: [BLOCK], 24: [card(RBYK, RED)]}
    hands = [[cid(RBYK, BLUE), 2], [6, 10]]

    def effects(deck: int, players: int = 2) -> tuple[set[str], Any]:
        seats = hands if players == 2 else [*hands, [14]]
        oracle = at("hard", seats, board, options={"penalty": reading}, deck=deck)
        return oracle.apply(play(RBYK, BLUE, 7)), oracle.position()["draw_due"]

    one = {"seat": 0, "kind": "penalty", "count": 1}
    if reading == "once":
        assert effects(18) == ({"penalty_blocker"}, one)
    else:
        assert effects(18) == ({"penalty_blocker", "penalty_deck"}, one | {"count": 3})
        assert effects(2) == ({"penalty_blocker"}, one | {"count": 2})
        assert effects(18, 3) == ({"penalty_blocker"}, one | {"count": 2})
    assert effects(1) == ({"penalty_blocker"}, one)
    assert effects(0) == (set(), None)


def test_penalty_when_stacking() -> None:
    """003-10: beside the deck, and beside a blocker, also when stacking."""
    board = {7: [card((B, R, K, Y), RED)], 8: [BLOCK], 2: [card((B, K, R, Y), RED)]}
    oracle = at("standard", [[cid(RBYK, RED), 2], [6, 10]], board)
    assert oracle.apply(play(RBYK, RED, 7)) == {"stacked", "penalty_blocker", "penalty_deck"}
    oracle.apply(draw(3))
    oracle.apply(draw(7))
    assert oracle.to_move() == 1
    assert oracle.position()["covered"] == [card((B, R, K, Y), RED)[0]]


@pytest.mark.parametrize("triggers", [True, False])
def test_blocker_play_triggers(triggers: bool) -> None:
    board = {6: [BLOCK], 2: [card((B, K, R, Y), RED)]}
    options = {"blocker_play_triggers": triggers}
    oracle = at("duo", [[2], [6, 10]], board, options=options, hand_blockers=[1, 0])
    effects = oracle.apply(("play_blocker", 0, 7))
    assert effects == ({"penalty_blocker", "penalty_deck"} if triggers else set())
    assert oracle.to_move() == ("chance" if triggers else 1)
    black = at("duo", [[3], [6, 10]], board, options=options, hand_blockers=[1, 0])
    effects = black.apply(("play_blocker", 0, 2))
    assert effects == {"stacked", "black_last"}
    assert black.position()["blockers"] == [2, 6]
    assert black.position()["draw_due"]["kind"] == "black_last"


@pytest.mark.parametrize("connects", [True, False])
def test_blocker_connects(connects: bool) -> None:
    board = {6: [BLOCK], 24: [card(RBYK, RED)]}
    oracle = at("standard", [[cid(RBYK, BLUE), 2], [6], [10]], board, options={"blocker_connects": connects})
    assert oracle.reasons(play(RBYK, BLUE, 5)) == (set() if connects else {"not_connected"})
    assert oracle.reasons(play(RBYK, BLUE, 19)) == {"edge_mismatch"}
    assert not oracle.reasons(play((B, K, R, Y), BLUE, 19)) & {"not_connected"}


def test_blocker_places() -> None:
    """003-14: any free cell or any basic card, never a blocker or the deck."""
    board = {6: [BLOCK], 24: [card(RBYK, BLACK)]}
    oracle = at("duo", [[2], [6, 10]], board, hand_blockers=[1, 0])
    assert {e[2] for e in oracle.legal(0) if e[0] == "play_blocker"} == set(range(25)) - {6, 12}
    assert oracle.reasons(("play_blocker", 0, 6)) == {"blocker_there"}
    assert oracle.reasons(("play_blocker", 0, 12)) == {"deck_cell"}
    assert oracle.reasons(("play_blocker", 1, 5)) == {"not_your_turn", "no_blocker_in_hand"}
    assert oracle.reasons(("play", 0, 2, 6, 0)) >= {"blocker_there"}
    gone = at("duo", [[2], [6, 10]], board, hand_blockers=[1, 0], deck=0)
    assert not gone.reasons(("play_blocker", 0, 12))


@pytest.mark.parametrize("reading", ["forbidden", "allowed"])
def test_blocker_opening(reading: str) -> None:
    setup = ec.random_setup("duo", 2, random.Random(6))
    oracle = Oracle("duo", {"blocker_opening": reading}, 2, setup)
    event = ("play_blocker", 0, 3)
    assert oracle.reasons(event) == ({"opening_with_blocker"} if reading == "forbidden" else set())
    assert {e[2] for e in oracle.legal(0) if e[0] == "play_blocker"} == (
        set() if reading == "forbidden" else set(range(25)) - {12}
    )
    if reading == "allowed":
        assert oracle.apply(event) == set()
        assert oracle.to_move() == 1
        assert {e[3] for e in oracle.legal(1) if e[0] == "play"} == {7, 11, 13, 17}


@pytest.mark.parametrize("reading", ["allowed", "forbidden"])
def test_blocker_out(reading: str) -> None:
    options = {"blocker_out": reading}
    board = {24: [card(RBYK, RED)], 23: [card((R, B, K, Y), RED)]}
    oracle = at("duo", [[], [6, 10]], board, options=options, hand_blockers=[1, 0], deck=0)
    if reading == "allowed":
        assert oracle.apply(("play_blocker", 0, 0)) == {"won"}
        assert [line["score"] for line in oracle.result()] == [0, -2]
    else:  # vector ii: no legal play, pass
        assert oracle.start_effects == {"turn_passed"}
        assert oracle.reasons(("play_blocker", 0, 0)) == {"last_card_black", "not_your_turn"}
        assert oracle.to_move() == 1
    before = at("duo", [[cid((B, Y, R, K), RED)], [6, 10]], board, options=options, hand_blockers=[1, 0], deck=2)
    effects = before.apply(play((B, Y, R, K), RED, 19))
    assert effects == (set() if reading == "allowed" else {"black_last"})
    if reading == "forbidden":
        assert before.apply(draw(3)) == set()
        assert before.apply(draw(7)) == {"deck_emptied", "centre_opened"}
        assert before.to_move() == 1
        assert before.position()["hands"][0] == [3, 7]


@pytest.mark.parametrize("reading", ["optional", "mandatory", "full_turn"])
def test_extra_play(reading: str) -> None:
    options = {"extra_play": reading}
    oracle = corner_match([[cid(TWO, YELLOW), cid(ONE, YELLOW), 1], [5, 9]], options=options)
    assert oracle.reasons(("stop", 0)) == {"stop_not_allowed"}
    assert oracle.apply(play(TWO, YELLOW, 0)) == {"stacked", "extra_play"}
    assert oracle.to_move() == 0
    assert oracle.position()["phase"] == ("turn" if reading == "full_turn" else "extra")
    assert oracle.reasons(("stop", 0)) == (set() if reading == "optional" else {"stop_not_allowed"})
    assert oracle.reasons(("stop", 1)) == {"not_your_turn", "stop_not_allowed"}
    assert (("stop", 0) in oracle.legal(0)) == (reading == "optional")
    assert play(ONE, YELLOW, 0) in oracle.legal(0)
    if reading == "optional":
        fork = oracle.copy()
        assert fork.apply(("stop", 0)) == {"stuck_draw"}
        assert fork.position()["turn"] == 1
    assert oracle.apply(play(ONE, YELLOW, 0)) == {"stacked", "stuck_draw"}
    assert oracle.position()["turn"] == 1


@pytest.mark.parametrize("reading", ["optional", "mandatory", "full_turn"])
def test_extra_play_impossible(reading: str) -> None:
    options = {"extra_play": reading}
    oracle = corner_match([[cid(TWO, YELLOW), 1], [5, 9]], options=options, deck=3)
    effects = oracle.apply(play(TWO, YELLOW, 0))
    drawer = oracle.position()["turn"]
    if reading == "full_turn":
        assert effects == {"stacked", "extra_play", "stuck_draw"}
        assert drawer == 0
        oracle.apply(draw(cid(ONE, YELLOW)))
        assert oracle.position()["phase"] == "drawn"
    else:
        assert effects == {"stacked", "extra_play", "extra_play_impossible", "stuck_draw"}
        assert drawer == 1
    hands = [[cid(TWO, YELLOW), 1], [cid(ONE, YELLOW), 9]]
    empty = corner_match(hands, options=options, deck=0)
    effects = empty.apply(play(TWO, YELLOW, 0))
    last = "turn_passed" if reading == "full_turn" else "extra_play_impossible"
    assert effects == {"stacked", "extra_play", last}
    assert empty.to_move() == 1


def test_constructed_extra_play() -> None:
    oracle = corner_match([[cid(TWO, YELLOW), 1], [5, 9]], extra=True)
    assert oracle.start_effects == {"extra_play"}
    assert oracle.legal(0) >= {play(TWO, YELLOW, 0), ("stop", 0)}
    none = corner_match([[1], [cid(TWO, YELLOW), 9]], extra=True, deck=0)
    assert none.start_effects == {"extra_play", "extra_play_impossible"}
    assert none.to_move() == 1


def test_extra_play_waits_for_draws() -> None:
    board = {6: [card((B, R, K, Y), RED)], 2: [card((B, K, R, Y), RED)], 8: [card((R, Y, K, B), RED)]}
    oracle = at("beginner", [[cid(RBYK, BLUE), 1, 2], [6, 10]], board)
    assert oracle.apply(play(RBYK, BLUE, 7)) == {"penalty_deck"}
    assert oracle.position()["extra_due"]
    assert oracle.apply(draw(3)) == {"extra_play"}
    assert not oracle.position()["extra_due"]
    assert oracle.position()["phase"] == "extra"
    assert any(e[2] == 3 for e in oracle.legal(0) if e[0] == "play")


@pytest.mark.parametrize("reading", ["must", "may"])
def test_drawn_card(reading: str) -> None:
    options = {"drawn_card": reading}
    oracle = corner_match([[1, 5], [9, 13]], options=options)
    assert oracle.start_effects == {"stuck_draw"}
    assert oracle.position()["draw_due"] == {"seat": 0, "kind": "stuck", "count": 1}
    oracle.apply(draw(cid(TWO, YELLOW)))
    assert oracle.position()["drawn"] == cid(TWO, YELLOW)
    assert oracle.reasons(("play", 0, 1, 0, 0)) >= {"must_play_drawn_card"}
    assert oracle.reasons(("play_blocker", 0, 0)) >= {"must_play_drawn_card", "no_blocker_in_hand"}
    assert "must_play_drawn_card" not in oracle.reasons(("play", 1, 9, 0, 0))
    assert {e[2] for e in oracle.legal(0) if e[0] == "play"} == {cid(TWO, YELLOW)}
    assert oracle.reasons(("stop", 0)) == ({"stop_not_allowed"} if reading == "must" else set())
    if reading == "may":
        fork = oracle.copy()
        fork.apply(("stop", 0))
        assert fork.position()["turn"] == 1
        assert fork.position()["drawn"] is None
    assert oracle.apply(play(TWO, YELLOW, 0)) >= {"extra_play", "extra_play_impossible", "stuck_draw"}
    useless = corner_match([[1, 5], [9, 13]], options=options)
    assert useless.apply(draw(17)) == {"turn_passed", "stuck_draw"}
    assert useless.position()["turn"] == 1


def test_drawn_card_may_earn_an_extra_play() -> None:
    oracle = corner_match([[1, 5], [9, 13]], options={"extra_play": "full_turn"}, deck=4)
    oracle.apply(draw(cid(TWO, YELLOW)))
    assert oracle.apply(play(TWO, YELLOW, 0)) == {"stacked", "extra_play", "stuck_draw"}
    assert oracle.position()["turn"] == 0


@pytest.mark.parametrize("opens", [True, False])
def test_centre_opens_on_the_last_stuck_draw(opens: bool) -> None:
    """003-12, 003-34: after the centre has opened, the drawn card only."""
    fits, other = cid(RBYK, BLUE), cid((B, Y, R, K), BLUE)
    hands = [[fits], [other, cid((B, R, K, Y), BLUE)]]

    def start() -> Any:
        oracle = at("beginner", hands, filled(5, True, CROSS), options={"centre_opens": opens}, deck=1)
        assert oracle.start_effects == {"stuck_draw"}
        assert oracle.reasons(draw(fits)) == {"card_seen"}
        return oracle

    also_fits = cid((R, K, Y, B), BLUE)
    oracle = start()
    if not opens:
        assert oracle.apply(draw(also_fits)) == {"deck_emptied", "exhausted"}
        assert oracle.to_move() is None
        assert oracle.reasons(play(RBYK, BLUE, 12)) == {"match_over", "deck_cell"}
        return
    assert oracle.apply(draw(also_fits)) == {"deck_emptied", "centre_opened"}
    assert oracle.reasons(play(RBYK, BLUE, 12)) == {"must_play_drawn_card"}
    assert oracle.legal(0) == {play((R, K, Y, B), BLUE, 12)}
    assert oracle.apply(play((R, K, Y, B), BLUE, 12)) == {"extra_play"}
    assert oracle.legal(0) == {play(RBYK, BLUE, 12), ("stop", 0)}
    assert oracle.apply(play(RBYK, BLUE, 12)) == {"stacked", "won"}
    oracle = start()
    cannot = cid((Y, R, B, K), BLUE)
    assert oracle.apply(draw(cannot)) == {"deck_emptied", "centre_opened", "turn_passed"}
    assert oracle.to_move() == 0  # seat 1 has no play either and is passed over


def test_penalties_vanish_with_the_deck() -> None:
    board = {7: [card((B, R, K, Y), RED)], 8: [BLOCK], 2: [card((B, K, R, Y), RED)]}
    oracle = at("standard", [[cid(RBYK, RED), 2], [6, 10]], board, deck=0)
    assert oracle.apply(play(RBYK, RED, 7)) == {"stacked"}


@pytest.mark.parametrize("reading", ["draw", "none"])
def test_deck_4x4(reading: str) -> None:
    options = {"deck_4x4": reading}
    setup = ec.random_setup("4x4", 3, random.Random(7))
    assert Oracle("4x4", options, 3, setup).position()["deck"] == (18 if reading == "draw" else 0)
    oracle = corner_match([[cid(ONE, YELLOW), 1], [5, 9], [13]], options=options)
    effects = oracle.apply(play(ONE, YELLOW, 0))
    assert effects == ({"stacked", "stuck_draw"} if reading == "draw" else {"stacked", "exhausted"})
    black = corner_match([[cid(ONE, YELLOW), 3], [cid(TWO, YELLOW), 9], [13]], options=options)
    effects = black.apply(play(ONE, YELLOW, 0))
    assert effects == ({"stacked", "black_last"} if reading == "draw" else {"stacked"})


def test_exhaustion_and_ranks() -> None:
    """003-26, 003-27: ties share, all others share the next rank."""
    one = cid(ONE, YELLOW)

    def ends(*hands: list[int]) -> list[tuple[int, bool, int]]:
        oracle = corner_match([list(hand) for hand in hands], deck=0)
        assert oracle.apply(play(ONE, YELLOW, 0)) == {"stacked", "exhausted"}
        assert oracle.to_move() is None
        assert oracle.legal(0) == set()
        assert oracle.reasons(("stop", 0)) == {"match_over", "stop_not_allowed"}
        assert oracle.reasons(draw(47)) == {"match_over", "no_draw_due"}
        return [(line["rank"], line["shared"], line["score"]) for line in oracle.result()]

    assert ends([one, 1], [5], [9, 13]) == [(1, True, -1), (1, True, -1), (3, False, -2)]
    assert ends([one, 1, 5], [9], [13, 17, 21]) == [(2, True, -2), (1, False, -1), (2, True, -3)]
    assert ends([one, 1], [5], [9], [13]) == [(1, True, -1)] * 4


def test_exhausted_by_an_extra_play_and_by_a_stuck_draw() -> None:
    oracle = corner_match([[cid(TWO, YELLOW), 1], [5]], deck=0)
    effects = oracle.apply(play(TWO, YELLOW, 0))
    assert effects == {"stacked", "extra_play", "extra_play_impossible", "exhausted"}
    stuck = corner_match([[1, 5], [9]], deck=1)
    assert stuck.apply(draw(17)) == {"deck_emptied", "exhausted"}
    assert [line["rank"] for line in stuck.result()] == [2, 1]


def test_only_the_hand_blocker_left_to_play() -> None:
    board = filled(5, True, CROSS)
    oracle = at("duo", [[1, 5], [9]], board, hand_blockers=[1, 0], deck=0, options={"centre_opens": False})
    assert {e[0] for e in oracle.legal(0)} == {"play_blocker"}
    assert oracle.apply(("play_blocker", 0, 0)) == {"stacked", "exhausted"}
    assert [line["rank"] for line in oracle.result()] == [2, 1]


def test_going_out_and_components() -> None:
    board = {6: [card((B, R, K, Y), RED)], 1: [card((B, K, R, Y), RED)]}
    oracle = at("beginner", [[cid(RBYK, RED)], [2, 6], [10]], board)
    assert oracle.apply(play(RBYK, RED, 6)) == {"stacked", "won"}
    assert oracle.result() == [
        {"rank": 1, "shared": False, "score": 0, "cards_left": 0, "played": 1},
        {"rank": 2, "shared": True, "score": -2, "cards_left": 2, "played": 0},
        {"rank": 2, "shared": True, "score": -1, "cards_left": 1, "played": 0},
    ]


# 003.5: solo


def solo_board(cells: dict[int, tuple[int, int]]) -> dict[int, list[tuple[int, int]]]:
    return {cell: [item] for cell, item in cells.items()}


def test_solo_opening_and_penalty() -> None:
    setup = ec.random_setup("solo", 1, random.Random(8))
    oracle = Oracle("solo", None, 1, setup)
    first = min(oracle.hands[0])
    assert {e[3] for e in oracle.legal(0)} == {1, 3, 5, 7}
    assert oracle.apply(("play", 0, first, 1, 0)) == {"penalty_deck"}
    assert oracle.reasons(draw(cid(RBYK, BLACK))) == {"card_seen"}
    assert len(oracle.legal_draws()) == 26
    effects = oracle.apply(draw(min(oracle.unseen())))
    assert effects <= {"stuck_draw"}
    assert oracle.position()["deck"] == 4


def test_solo_deck_is_no_connection() -> None:
    """003.5 rule 5: only the first card's corners would be left if the deck's sides were closed for ever."""
    oracle = at("solo", [[cid(RBYK, RED), 1]], solo_board({1: card((B, R, K, Y), BLUE)}))
    reached = {1}
    for _ in range(9):
        reached |= {c for r in reached for c in ec.neighbours(3, r) if c is not None and not oracle.beside_deck(c)} - {
            4
        }
    assert reached == {0, 1, 2}
    assert "not_connected" in oracle.reasons(play(RBYK, RED, 7))
    assert "not_connected" not in oracle.reasons(play(RBYK, RED, 2))
    assert "stack_too_early" in oracle.reasons(play(RBYK, RED, 1))


def test_solo_stack_needs_four_covered_cells() -> None:
    # 0 and 1 show each other blue, 1 and 2 red
    row = {0: card((R, B, K, Y), RED), 1: card((K, R, Y, B), RED), 2: card((Y, B, K, R), RED)}
    above = (Y, R, K, B)
    three = at("solo", [[cid(above, RED), 1]], solo_board(row), deck=5)
    assert three.reasons(play(above, RED, 1)) == {"stack_too_early"}
    row[8] = card(RBYK, BLUE)
    four = at("solo", [[cid(above, RED), cid(above, YELLOW)]], solo_board(row), deck=5)
    assert four.reasons(play(above, RED, 1)) == set()
    assert four.reasons(play(above, YELLOW, 1)) == {"mark_mismatch"}
    assert four.apply(play(above, RED, 1)) == {"stacked", "penalty_deck"}


@pytest.mark.parametrize("before_win", [True, False])
def test_solo_success_after_the_draw(before_win: bool) -> None:
    board = solo_board({0: card((R, B, K, Y), RED)})
    options = {"penalty_before_win": before_win}
    last = (K, R, Y, B)
    oracle = at("solo", [[cid(last, BLUE)]], board, deck=5, options=options)
    effects = oracle.apply(play(last, BLUE, 1))
    if before_win:
        assert effects == {"penalty_deck"}
        assert oracle.apply(draw(cid((R, Y, K, B), BLUE))) <= {"stuck_draw"}
    else:
        assert effects == {"solo_success"}
    corner = at("solo", [[cid((K, R, Y, B), BLUE)]], solo_board({1: card((R, B, K, Y), RED)}), deck=2, options=options)
    assert corner.apply(play((K, R, Y, B), BLUE, 2)) == {"solo_success"}
    assert corner.result() == [{"rank": 1, "shared": False, "score": 1, "cards_left": 0, "played": 1}]
    assert corner.reasons(draw(9)) == {"match_over", "no_draw_due"}


def solo_full() -> dict[int, tuple[int, int]]:
    """All cells but the centre; RBYK fits there."""
    cross = {1: card((B, Y, R, K), RED), 5: card((R, Y, K, B), RED), 7: card((Y, R, B, K), RED)}
    cross[3] = card((R, K, B, Y), RED)
    return cross | dict(
        zip((0, 2, 6, 8), [card(RBYK, mark) for mark in (RED, YELLOW)] + [(6, 0), (10, 0)], strict=True)
    )


@pytest.mark.parametrize("opens", [True, False])
def test_solo_great_success(opens: bool) -> None:
    """The centre needs the deck used up; solo keeps its own sentence about the centre."""
    board = solo_board(solo_full())
    closed = at("solo", [[cid(RBYK, BLUE)]], board, deck=1, options={"centre_opens": opens})
    assert closed.start_effects == {"stuck_draw"}
    assert closed.reasons(play(RBYK, BLUE, 4)) == {"draw_due", "deck_cell"}
    assert closed.apply(draw(cid((Y, R, B, K), BLUE))) == {"deck_emptied", "centre_opened"}
    assert closed.legal(0) == {play(RBYK, BLUE, 4)}  # not the drawn card: all cards are tested again
    assert closed.apply(play(RBYK, BLUE, 4)) == {"solo_failed"}
    oracle = at("solo", [[cid(RBYK, BLUE)]], board, deck=0, options={"centre_opens": opens})
    assert oracle.apply(play(RBYK, BLUE, 4)) == {"solo_great_success"}
    assert oracle.result()[0]["score"] == 2


def test_solo_success_without_the_centre() -> None:
    """003-29: a deck that is gone does not make it a great success, all 9 cells do."""
    oracle = at("solo", [[cid((K, R, Y, B), BLUE)]], solo_board({1: card((R, B, K, Y), RED)}), deck=0)
    assert oracle.apply(play((K, R, Y, B), BLUE, 2)) == {"solo_success"}


def test_solo_has_no_extra_play() -> None:
    two = at("solo", [[cid(TWO, YELLOW), 9]], solo_board({1: card((0, 1, 3, 2), RED), 3: card((0, 1, 2, 3), RED)}))
    event = play(TWO, YELLOW, 0)
    assert two.matches(*event[2:]) == 2
    assert "extra_play" not in two.apply(event)
    assert not two.position()["extra_due"]
    assert two.position()["phase"] in ("turn", "draw")


@pytest.mark.parametrize("reading", ["draw", "failure"])
def test_solo_stuck(reading: str) -> None:
    board = solo_board(solo_full())
    oracle = at("solo", [[1]], board, deck=2, options={"solo_stuck": reading, "drawn_card": "may"})
    if reading == "failure":
        assert oracle.start_effects == {"solo_failed"}
        assert oracle.result()[0]["score"] == 0
        return
    assert oracle.start_effects == {"stuck_draw"}
    assert oracle.apply(draw(5)) == {"stuck_draw"}
    assert oracle.reasons(("stop", 0)) == {"draw_due", "stop_not_allowed"}
    assert oracle.apply(draw(9)) >= {"deck_emptied", "centre_opened"}


# Random play


def spec_around(state: dict[str, Any], size: int, row: int, column: int) -> tuple[dict[int, int], int, int]:
    """The colours that the four neighbours ask for, and how many neighbours are basic cards and blockers."""
    asked, cards, blockers = {}, 0, 0
    for side, (r, c) in enumerate([(-1, 0), (0, 1), (1, 0), (0, -1)]):
        if 0 <= row + r < size and 0 <= column + c < size:
            there = state["board"][(row + r) * size + column + c] or {}
            blockers += "blocker" in there
            if "card" in there:
                cards += 1
                sides = ec.EDGE_TYPES[there["card"] // 4]
                asked[side] = sides[side] if there["flip"] else sides[(side + 2) % 4]
    return asked, cards, blockers


def spec_cell_open(state: dict[str, Any], variant: str, options: dict[str, Any], row: int, column: int) -> bool:
    """Whether some basic card may come here."""
    size = {"4x4": 4, "solo": 3}.get(variant, 5)
    here = state["board"][row * size + column]
    if not any(each < 48 for stack in state["stacks"] for each in stack):
        return variant == "4x4" or abs(row - size // 2) + abs(column - size // 2) == 1
    if here and variant == "solo" and sum(top is not None for top in state["board"]) < 4:
        return False
    _, cards, blockers = spec_around(state, size, row, column)
    joined = cards + blockers if options["blocker_connects"] else cards
    return joined > 0 or bool(here and not options["stack_needs_neighbour"])


def spec_fits(each: int, flip: int, asked: dict[int, int], here: dict[str, Any] | None, wild: bool, both: bool) -> bool:
    sides = ec.EDGE_TYPES[each // 4]
    shown = sides[2:] + sides[:2] if flip else sides
    clash = [side for side, colour in asked.items() if shown[side] != colour]
    if any(not wild or K not in (shown[side], asked[side]) for side in clash):
        return False
    return here is None or each % 4 == BLACK or here["mark"] == each % 4 or (both and here["mark"] == BLACK)


def spec_legal(state: dict[str, Any], variant: str, options: dict[str, Any], seat: int) -> set[tuple[Any, ...]]:
    """A second wording of 003.4 a to f and 003.5, read off the position alone: what a cell asks, then which cards."""
    solo = variant == "solo"
    size = {"4x4": 4, "solo": 3}.get(variant, 5)
    left = len(state["hands"][seat]) + state["hand_blockers"][seat]
    opened = any(each < 48 for stack in state["stacks"] for each in stack)
    shut = variant != "4x4" and (state["deck"] > 0 or not (solo or options["centre_opens"]))
    blocker = state["hand_blockers"][seat] > 0 and (opened or options["blocker_opening"] == "allowed")
    blocker = blocker and (left > 1 or options["blocker_out"] == "allowed")
    hand = [each for each in state["hands"][seat] if left > 1 or each % 4 != BLACK]
    found: set[tuple[Any, ...]] = set()
    for row, column in product(range(size), repeat=2):
        cell = row * size + column
        here = state["board"][cell]
        if (shut and row == column == size // 2) or (here and "blocker" in here):
            continue
        if blocker:
            found.add(("play_blocker", seat, cell))
        if spec_cell_open(state, variant, options, row, column):
            asked, _, _ = spec_around(state, size, row, column)
            both = options["black_mark"] == "both"
            fitting = [(e, f) for e, f in product(hand, (0, 1)) if spec_fits(e, f, asked, here, not solo, both)]
            found.update(("play", seat, each, cell, flip) for each, flip in fitting)
    return found


def random_options(rng: random.Random) -> dict[str, Any]:
    return {name: rng.choice(values) for name, values in ec.OPTIONS.items()}


def random_try(rng: random.Random) -> tuple[Any, ...]:
    seat, cell = rng.randrange(4), rng.randrange(25)
    return rng.choice(
        [
            ("blocker_setup", seat, cell),
            ("play", seat, rng.randrange(48), cell, rng.randrange(2)),
            ("play_blocker", seat, cell),
            ("stop", seat),
            ("draw", seat, rng.randrange(48)),
        ]
    )


def check_invariants(oracle: Any, start: dict[str, Any]) -> None:
    state = oracle.position()
    laid = [each for stack in state["stacks"] for each in stack]
    basic = [each for each in laid if each < 48] + [each for hand in state["hands"] for each in hand]
    pool = 36 if oracle.solo else 48
    assert len(basic) == len(set(basic))
    assert len(basic) + len(oracle.unseen()) == pool
    drawn = start["deck"] - state["deck"]
    dealt = sum(map(len, start["hands"]))
    seeds = sum(map(len, start["stacks"]))
    assert len(basic) == dealt + drawn + seeds
    blockers = {"standard": 1, "hard": 2, "duo": 2}.get(oracle.variant, 0)
    assert laid.count(48) + sum(state["hand_blockers"]) + state["blockers_due"] == blockers
    assert all(48 not in stack[:-1] for stack in state["stacks"])
    setup_blockers = start["blockers_due"] - state["blockers_due"]
    assert sum(state["played"]) == len(laid) - setup_blockers - seeds <= 50
    assert not (state["extra_due"] and (oracle.solo or state["phase"] != "draw"))
    if state["phase"] == "draw":
        assert state["draw_due"]["count"] <= state["deck"]
        assert oracle.legal_draws()
    elif state["phase"] != "over":
        assert oracle.legal(state["turn"])


def check_step(before: dict[str, Any], event: tuple[Any, ...], effects: set[str], oracle: Any) -> None:
    """What may happen at all, with the default options or others."""
    state = oracle.position()
    assert effects <= ec.EFFECTS.keys()
    assert ("deck_emptied" in effects) == (event[0] == "draw" and state["deck"] == 0)
    if event[0] in ("play", "play_blocker"):
        cell = event[2] if event[0] == "play_blocker" else event[3]
        assert ("stacked" in effects) == (before["board"][cell] is not None)
        assert state["stacks"][cell] == before["stacks"][cell] + [48 if event[0] == "play_blocker" else event[2]]
    if "won" in effects:
        assert oracle.hand_size(event[1]) == 0
    if "exhausted" in effects:
        assert state["deck"] == 0
        assert not any(oracle.normal_plays(seat) for seat in range(oracle.seats))
    if state["phase"] == "extra":
        assert event[1] == state["turn"]
        assert "extra_play" in effects


def check_end(oracle: Any) -> None:
    assert oracle.ending in {"won", "exhausted", "solo_failed", "solo_success", "solo_great_success"}
    lines = oracle.result()
    ranks = Counter(line["rank"] for line in lines)
    assert ranks[1] >= 1
    assert set(ranks) <= {1, ranks[1] + 1}
    assert all(line["shared"] == (ranks[line["rank"]] > 1) for line in lines)
    if oracle.solo:
        assert (lines[0]["score"] > 0) == (lines[0]["cards_left"] == 0)
        assert (lines[0]["score"] == 2) == (lines[0]["cards_left"] == 0 and len(oracle.board) == 9)
    else:
        best = max(line["score"] for line in lines)
        assert all((line["rank"] == 1) == (line["score"] == best) for line in lines)


def play_out(variant: str, seats: int, options: dict[str, Any], rng: random.Random) -> tuple[set[str], set[str]]:
    """One random match with all checks; the effects and the reasons met."""
    setup = ec.random_setup(variant, seats, rng, options)
    oracle = Oracle(variant, options, seats, setup)
    start, events = oracle.position(), []
    met, refused = set(oracle.start_effects), set()
    resolved = ec.resolve(options)
    while oracle.to_move() is not None:
        before = oracle.position()
        for event in (random_try(rng) for _ in range(6)):
            reasons = oracle.reasons(event)
            refused |= reasons
            due = oracle.to_move() == "chance"
            legal = oracle.legal_draws() if due else oracle.legal(oracle.turn) if len(reasons) < 2 else set()
            assert (event in legal) == (not reasons)
        seat = rng.randrange(seats)
        assert oracle.normal_plays(seat) == spec_legal(before, variant, resolved, seat)
        event = oracle.random_event(rng)
        fork = oracle.copy()
        effects = oracle.apply(event)
        assert fork.position() == before
        check_step(before, event, effects, oracle)
        check_invariants(oracle, start)
        met |= effects
        events.append(event)
        assert len(events) <= 2 + 50 + 18 + 50
    check_end(oracle)
    replayed = Oracle(variant, options, seats, setup)
    for event in events:
        replayed.apply(event)
    assert replayed.position() == oracle.position()
    return met, refused | {reason for event in (random_try(rng) for _ in range(20)) for reason in oracle.reasons(event)}


@pytest.mark.parametrize("variant", ec.VARIANTS)
def test_random_play(variant: str) -> None:
    rng = random.Random(ec.VARIANTS.index(variant))
    for seats in ec.SEATS[variant]:
        effects, _ = play_out(variant, seats, {}, rng)
        assert effects & {"won", "exhausted", "solo_failed", "solo_success", "solo_great_success"}


def test_random_play_with_random_options() -> None:
    rng = random.Random(11)
    effects: set[str] = set()
    reasons: set[str] = set()
    for number in range(18):
        variant = ec.VARIANTS[number % 6]
        met, refused = play_out(variant, rng.choice(ec.SEATS[variant]), random_options(rng), rng)
        effects |= met
        reasons |= refused
    rare = {"exhausted", "turn_passed", "extra_play_impossible", "solo_success", "solo_great_success"}
    assert effects >= ec.EFFECTS.keys() - rare
    assert reasons >= ec.REASONS.keys() - {"flip_not_canonical", "last_card_black", "must_play_drawn_card"}


def test_names_are_documented() -> None:
    texts = [*ec.REASONS.values(), *ec.EFFECTS.values()]
    assert all(text.startswith("003") for text in texts)
    assert len(set(texts)) == len(texts)
