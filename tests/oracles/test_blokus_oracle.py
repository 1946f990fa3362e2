"""The blokus oracle against the rule file's statements, against an independent engine's games, and in random play."""

from __future__ import annotations

import gzip
import importlib.util
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[1] / "data" / "blokus"


def load_oracle() -> ModuleType:
    """By path, so that it works in every import mode of pytest."""
    spec = importlib.util.spec_from_file_location("blokus_oracle", Path(__file__).with_name("blokus.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


blokus: Any = load_oracle()
Oracle = blokus.Oracle
BY_COLOUR = {"start_corner": "by_colour"}
PASSING = {"voluntary_pass": True}
BLUE, YELLOW, RED, GREEN = range(4)


def cells(text: str) -> frozenset[tuple[int, int]]:
    """``a1,b1`` as cells."""
    return frozenset((ord(name[0]) - ord("a"), int(name[1:]) - 1) for name in text.split(","))


def text_of(placed: frozenset[tuple[int, int]]) -> str:
    """Canonical: rows from the bottom, then columns."""
    return ",".join(f"{chr(ord('a') + x)}{y + 1}" for x, y in sorted(placed, key=lambda cell: (cell[1], cell[0])))


def place(colour: int, text: str) -> tuple:
    return ("place", colour, cells(text))


def packed(pieces: list[tuple[int, str]], size: int = 20, keep_free: frozenset = frozenset()) -> list[tuple]:
    """Set-up pieces put wherever there is room, the largest first."""
    taken: set[tuple[int, int]] = set(keep_free)
    put = []
    for colour, name in sorted(pieces, key=lambda piece: -blokus.PIECE_SIZE[piece[1]]):
        spots = (spot for piece, spot in blokus.all_placements(size) if piece == name and taken.isdisjoint(spot))
        spot = next(spots)
        taken |= spot
        put.append((colour, spot))
    return put


def all_but(colour: int, *names: str) -> list[tuple[int, str]]:
    assert set(names) <= set(blokus.DRAWINGS)
    return [(colour, name) for name in blokus.DRAWINGS if name not in names]


def play_out(oracle: Any, rng: random.Random, pass_rate: float = 0.0) -> Counter:
    """Random play to the end; how often each effect came up."""
    effects: Counter = Counter()
    while (colour := oracle.colour_to_move()) is not None:
        passing = oracle.voluntary_pass and rng.random() < pass_rate
        effects.update(oracle.apply(("pass", colour) if passing else oracle.random_event(rng)))
    return effects


# 001.2: pieces


def grown(size: int) -> set[frozenset]:
    """All free polyominoes of a size, each as its least orientation, grown square by square."""
    shapes = {frozenset({(0, 0)})}
    for _ in range(size - 1):
        bigger = {shape | {near} for shape in shapes for cell in shape for near in blokus.edge_neighbours(cell)}
        bigger = {shape for shape in bigger if len(shape) > 1}
        shapes = {min(blokus.symmetries(s), key=sorted) for s in bigger if len(s) > len(next(iter(shapes)))}
    return shapes


def test_the_drawn_pieces_are_all_polyominoes_up_to_five() -> None:
    drawn = {min(shapes, key=sorted) for shapes in blokus.ORIENTATIONS.values()}
    assert drawn == set().union(*(grown(size) for size in range(1, 6)))
    assert len(drawn) == len(blokus.DRAWINGS) == 21


def test_numbers_of_pieces_orientations_and_squares() -> None:
    sizes = blokus.PIECE_SIZE
    assert Counter(sizes.values()) == {1: 1, 2: 1, 3: 2, 4: 5, 5: 12}
    assert Counter(len(shape) for shape in blokus.PIECE_OF_SHAPE) == {1: 1, 2: 2, 3: 6, 4: 19, 5: 63}
    assert sum(sizes.values()) == blokus.SQUARES == 89


def test_numbers_of_orientations_by_name() -> None:
    expected = "1:1 2:2 I3:2 V3:4 I4:2 O:1 T4:4 L4:8 Z4:4 I5:2 L5:8 V5:4 Z5:4 N:8 W:4 X:1 F:8 T5:4 Y:8 P:8 U:4"
    assert {f"{name}:{len(shapes)}" for name, shapes in blokus.ORIENTATIONS.items()} == set(expected.split())


@pytest.mark.parametrize(("size", "count"), [(20, 30_433), (14, 13_729)])
def test_numbers_of_placements_on_the_empty_board(size: int, count: int) -> None:
    placements = [placed for _, placed in blokus.all_placements(size)]
    assert len(placements) == len(set(placements)) == count


# 001.5: test vectors


@pytest.mark.parametrize("colour", range(4))
def test_first_placements_in_the_own_corner(colour: int) -> None:
    first = Oracle("classic", BY_COLOUR).legal_of(colour)
    assert Counter(len(event[2]) for event in first) == {1: 1, 2: 2, 3: 5, 4: 13, 5: 37}
    assert all(blokus.CORNERS[colour] in event[2] for event in first)


def test_own_corners_by_colour() -> None:
    assert [text_of(frozenset({corner})) for corner in blokus.CORNERS] == ["a20", "t20", "t1", "a1"]


def test_first_placements_in_any_free_corner() -> None:
    oracle = Oracle("classic")
    assert len(oracle.legal(0)) == len(oracle.legal_of(RED)) == 232
    oracle.apply(place(BLUE, "t1,t2"))
    assert len(oracle.legal(1)) == 3 * 58
    assert oracle.reasons(place(YELLOW, "t1")) == {"overlaps"}
    assert oracle.reasons(place(YELLOW, "t3")) == {"misses_start"}


def test_duo_starts_on_its_own_cells_whatever_the_option() -> None:
    for options in ({}, BY_COLOUR, {"start_corner": "any_free"}):
        oracle = Oracle("duo", options)
        assert [len(oracle.legal_of(colour)) for colour in range(4)] == [414, 414, 0, 0]
        assert all(cells("e10") <= event[2] for event in oracle.legal(0))
        assert all(cells("j5") <= event[2] for event in oracle.legal(1))
        assert oracle.reasons(place(0, "j5")) == {"misses_start"}


def example_of_the_rule_file() -> Any:
    """Blue has only the monomino left to place; 8, 24 and 20 squares are left to the others."""
    pieces = all_but(BLUE, "1") + all_but(YELLOW, "O", "T4")
    pieces += all_but(RED, "V3", "I4", "L4", "T4", "Z4", "W") + all_but(GREEN, "I3", "L4", "O", "Z4", "X")
    return Oracle("classic", setup={"pieces": packed(pieces)})


def test_scores_of_the_example() -> None:
    oracle = example_of_the_rule_file()
    assert [each["score"] for each in oracle.result()] == [-1, -8, -24, -20]
    last = sorted(oracle.legal_of(BLUE), key=lambda event: sorted(event[2]))
    assert oracle.apply(last[0]) == {"monomino_last"}
    assert [each["score"] for each in oracle.result()] == [20, -8, -24, -20]
    assert [each["rank"] for each in oracle.result()] == [1, 2, 4, 3]
    assert oracle.colour_points() == [109, 81, 65, 69]
    assert oracle.result()[RED] == {
        "rank": 4, "shared": False, "score": -24, "squares_left": 24, "pieces_left": 6, "bonus": 0,
    }  # fmt: skip


def test_last_piece_other_than_the_monomino() -> None:
    oracle = Oracle("classic", setup={"pieces": packed(all_but(RED, "2")), "to_move": RED})
    assert oracle.apply(oracle.random_event(random.Random(1))) == {"all_placed"}
    assert oracle.result()[RED]["score"] == oracle.result()[RED]["bonus"] == 15
    assert oracle.colour_points() == [0, 0, 104, 0]


# 001.3: turn, skipping, end


def test_order_of_colours_and_seats() -> None:
    rng = random.Random(2)
    for variant, seats in [
        ("classic", [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]),
        ("two_player", [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]),
        ("three_player", [0, 1, 2, 0, 0, 1, 2, 1, 0, 1, 2, 2, 0, 1, 2, 0]),
        ("duo", [0, 1, 0, 1]),
    ]:
        oracle = Oracle(variant)
        for ply, seat in enumerate(seats):
            assert (oracle.to_move(), oracle.colour_to_move()) == (seat, ply % oracle.colours)
            assert oracle.apply(oracle.random_event(rng)) == set()


def test_finished_colours_are_skipped_and_a_lone_colour_skips_the_others() -> None:
    done = packed([piece for colour in (YELLOW, GREEN) for piece in all_but(colour)], keep_free=cells("a1,t1,a20,t20"))
    oracle = Oracle("classic", setup={"pieces": done})
    assert [oracle.bonus[colour] for colour in range(4)] == [0, 15, 0, 15]
    assert oracle.apply(place(BLUE, "a1")) == set()
    assert oracle.colour_to_move() == RED
    # yellow was passed over: nobody before it can place, so turn is not the reason
    assert oracle.reasons(("pass", YELLOW)) == {"passing_not_allowed"}
    assert oracle.reasons(("pass", GREEN)) == {"passing_not_allowed", "not_your_turn"}
    assert oracle.apply(place(RED, "t1")) == {"skipped"}

    lone = Oracle("duo", setup={"pieces": packed(all_but(0), 14, cells("j5"))})
    for event in (place(1, "j5"), place(1, "k6,l6")):
        assert lone.colour_to_move() == 1
        assert lone.apply(event) == {"skipped"}


def test_a_blocked_colour_never_gets_a_placement_again() -> None:
    rng = random.Random(4)
    oracle = Oracle("classic", BY_COLOUR)
    blocked: set[int] = set()
    while oracle.to_move() is not None:
        oracle.apply(oracle.random_event(rng))
        able = {colour for colour in range(4) if oracle.can_place(colour)}
        assert not able & blocked
        blocked = set(range(4)) - able
    assert blocked == {0, 1, 2, 3}
    assert all(oracle.reasons(("pass", colour)) == {"match_over", "passing_not_allowed"} for colour in range(4))
    assert all(oracle.legal(seat) == set() for seat in range(4))
    assert "match_over" in oracle.reasons(place(BLUE, "a1"))
    with pytest.raises(ValueError, match="match_over"):
        oracle.random_event(rng)


# 001-2: voluntary passes


def test_passing_is_off_by_default() -> None:
    assert Oracle("classic").reasons(("pass", BLUE)) == {"passing_not_allowed"}
    assert ("pass", BLUE) not in Oracle("classic").legal(0)


def test_match_ends_when_all_that_can_place_have_passed_in_succession() -> None:
    oracle = Oracle("classic", PASSING)
    assert oracle.legal(0) == oracle.legal_of(BLUE) | {("pass", BLUE)}
    assert not any(event[0] == "pass" for event in oracle.legal(1))
    assert oracle.reasons(("pass", YELLOW)) == {"not_your_turn"}
    for colour in (BLUE, YELLOW, RED):
        assert oracle.apply(("pass", colour)) == set()
    assert oracle.apply(place(GREEN, "a1")) == set()
    for colour in (BLUE, YELLOW, RED):
        assert oracle.apply(("pass", colour)) == set()
    assert oracle.apply(("pass", GREEN)) == {"passed_out"}
    assert oracle.position()["over"]
    assert oracle.to_move() is oracle.colour_to_move() is None
    assert oracle.legal(0) == set()
    assert len(oracle.legal_of(BLUE)) == 232 - 58
    assert oracle.reasons(place(BLUE, "t1")) == {"match_over"}
    assert oracle.reasons(("pass", YELLOW)) == {"match_over"}
    assert [each["score"] for each in oracle.result()] == [-89, -89, -89, -88]
    assert [(each["rank"], each["shared"]) for each in oracle.result()] == [(2, True), (2, True), (2, True), (1, False)]


def test_only_those_that_can_place_need_to_pass() -> None:
    row = frozenset((x, 9) for x in range(14))
    oracle = Oracle("duo", PASSING, setup={"pieces": packed(all_but(1), 14, row)})
    assert oracle.apply(place(0, "e10,f10,g10,h10,i10")) == set()
    assert oracle.can_place(0)
    assert oracle.reasons(("pass", 1)) == {"passing_not_allowed"}
    assert oracle.apply(("pass", 0)) == {"skipped", "passed_out"}
    assert oracle.to_move() is None
    assert oracle.can_place(0)


def test_a_placement_between_passes_starts_the_count_again() -> None:
    oracle = Oracle("duo", PASSING)
    events = [("pass", 0), place(1, "j5"), ("pass", 0), place(1, "k6,l6"), place(0, "e10"), ("pass", 1), ("pass", 0)]
    effects = [oracle.apply(event) for event in events]
    assert effects == [set()] * 6 + [{"passed_out"}]


# Reasons


def test_each_reason_on_its_own() -> None:
    oracle = Oracle("classic")
    for colour, corner in enumerate(("a20,a19", "t20", "t1", "a1")):
        oracle.apply(place(colour, corner))
    assert oracle.reasons(place(BLUE, "b18")) == set()
    assert oracle.reasons(place(BLUE, "b18,c17")) == {"not_a_piece"}
    assert oracle.reasons(place(BLUE, "b18,c18,d18,e18,e17,e16")) == {"not_a_piece"}
    assert oracle.reasons(place(BLUE, "a18,a17,a16")) == {"touches_own_edge", "no_own_corner"}
    assert oracle.reasons(place(BLUE, "b19")) == {"touches_own_edge"}
    assert oracle.reasons(place(BLUE, "b18,b19")) == {"touches_own_edge", "piece_already_placed"}
    assert oracle.reasons(place(BLUE, "j10")) == {"no_own_corner"}
    assert oracle.reasons(place(BLUE, "b16,b17,b18,a18")) == {"touches_own_edge"}
    assert oracle.reasons(place(BLUE, "a20,a19")) == {
        "overlaps",
        "touches_own_edge",
        "piece_already_placed",
        "no_own_corner",
    }
    assert oracle.reasons(place(YELLOW, "s19,s18")) == {"not_your_turn"}
    assert oracle.reasons(place(YELLOW, "s19")) == {"not_your_turn", "piece_already_placed"}
    assert oracle.reasons(place(BLUE, "t1")) == {"overlaps", "no_own_corner"}
    outside = frozenset({(-1, 17), (-1, 16)})
    assert oracle.reasons(("place", BLUE, outside)) == {"off_board", "piece_already_placed"}
    assert oracle.reasons(("place", BLUE, frozenset())) == {"not_a_piece", "no_own_corner"}


def test_reasons_of_first_pieces() -> None:
    oracle = Oracle("classic", BY_COLOUR)
    assert oracle.reasons(place(BLUE, "a1")) == {"misses_start"}
    assert oracle.reasons(place(BLUE, "a20,b20")) == set()
    assert oracle.reasons(place(BLUE, "a20,b19")) == {"not_a_piece"}
    assert oracle.reasons(place(GREEN, "a1")) == {"not_your_turn"}
    assert oracle.reasons(("place", BLUE, frozenset({(0, 19), (0, 20)}))) == {"off_board"}


def test_contact_with_other_colours_does_not_matter() -> None:
    wrapped = {"pieces": [(BLUE, cells("a2"))], "to_move": YELLOW}
    assert Oracle("classic", setup=wrapped).reasons(place(YELLOW, "a1,b1")) == set()


def test_colours_that_are_not_in_play() -> None:
    oracle = Oracle("duo", PASSING)
    assert oracle.reasons(place(RED, "a1")) == {"colour_not_in_play"}
    assert oracle.reasons(place(GREEN, "t20")) == {"colour_not_in_play", "off_board"}
    assert oracle.reasons(("pass", RED)) == {"colour_not_in_play", "passing_not_allowed"}
    assert oracle.reasons(("place", RED, frozenset())) == {"colour_not_in_play", "not_a_piece"}


@pytest.mark.parametrize("variant", ["classic", "duo"])
def test_search_and_reasons_agree_on_every_placement(variant: str) -> None:
    rng = random.Random(5)
    oracle = Oracle(variant)
    for _ in range(14):
        oracle.apply(oracle.random_event(rng))
    for colour in range(1 if variant == "classic" else 2):
        everything = (placed for _, placed in blokus.all_placements(oracle.size))
        good = {("place", colour, placed) for placed in everything if not oracle.placement_reasons(colour, placed)}
        assert oracle.legal_of(colour) == good != set()


def random_place(rng: random.Random) -> tuple:
    """Any cells: a placement from the empty board, perhaps shifted, torn or enlarged."""
    _, placed = rng.choice(blokus.all_placements(20))
    shift = rng.randrange(4)
    changed = {(x + shift, y) for x, y in placed} if rng.random() < 0.3 else set(placed)
    if rng.random() < 0.2:
        changed ^= {(rng.randrange(20), rng.randrange(20))}
    return ("place", rng.randrange(4), frozenset(changed))


def test_every_reason_turns_up_and_no_event_breaks_the_referee() -> None:
    rng = random.Random(6)
    seen: set[str] = set()
    for variant in ("classic", "duo"):
        oracle = Oracle(variant, PASSING)
        while (seat := oracle.to_move()) is not None:
            legal = oracle.legal(seat)
            for event in (random_place(rng), ("pass", rng.randrange(4))):
                reasons = oracle.reasons(event)
                seen |= reasons
                assert (not reasons) == (event in legal)
            oracle.apply(oracle.random_event(rng))
        seen |= oracle.reasons(random_place(rng))
    assert seen == set(blokus.REASONS)


def test_illegal_events_are_not_applied() -> None:
    oracle = Oracle("classic")
    before = oracle.position()
    with pytest.raises(ValueError, match="misses_start"):
        oracle.apply(place(BLUE, "b2"))
    assert oracle.position() == before


# Positions set up by hand


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ([(0, frozenset({(19, 0), (20, 0)}))], "off_board"),
        ([(0, cells("a1,a2")), (1, cells("a2"))], "overlaps"),
        ([(0, cells("a1,b2"))], "not_a_piece"),
        ([(0, frozenset())], "not_a_piece"),
        ([(0, cells("a1")), (0, cells("c3"))], "piece_already_placed"),
    ],
)
def test_bad_setups(pieces: list[tuple], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        Oracle("classic", setup={"pieces": pieces})


def test_setup_and_arguments_that_name_what_is_not_there() -> None:
    for setup in ({"pieces": [(2, cells("a1"))]}, {"to_move": 2}):
        with pytest.raises(ValueError, match="colour_not_in_play"):
            Oracle("duo", setup=setup)
    for variant, options, seats in (("junior", {}, None), ("classic", {}, 3), ("classic", {"start_corner": "x"}, None)):
        with pytest.raises(ValueError, match=r"^(variant|seats|start_corner)$"):
            Oracle(variant, options, seats)


def test_setup_needs_not_follow_the_rules_and_counts_as_on_the_board() -> None:
    oracle = Oracle("classic", setup={"pieces": [(BLUE, cells("j10")), (BLUE, cells("j11,k11"))], "to_move": BLUE})
    assert oracle.colour_points() == [3, 0, 0, 0]
    assert oracle.reasons(place(BLUE, "a1,a2,a3")) == {"no_own_corner"}
    assert oracle.reasons(place(BLUE, "l12,l13,l14")) == set()


def test_colour_to_move_after_setup() -> None:
    full = packed(all_but(BLUE))
    assert Oracle("classic", setup={"pieces": full}).colour_to_move() == YELLOW
    assert Oracle("classic", setup={"pieces": full, "to_move": BLUE}).colour_to_move() == YELLOW
    assert Oracle("classic", setup={"pieces": full, "to_move": GREEN}).colour_to_move() == GREEN
    assert Oracle("classic", setup={}).colour_to_move() == BLUE


def test_a_colour_set_up_whole_gets_fifteen_once() -> None:
    oracle = Oracle("classic", setup={"pieces": packed(all_but(BLUE))})
    assert oracle.colour_points() == [104, 0, 0, 0]
    assert oracle.result()[0]["score"] == oracle.result()[0]["bonus"] == 15


def test_set_up_green_pieces_count_for_its_seat() -> None:
    pieces = packed([(GREEN, name) for name in ("1", "2", "I3", "V3")])
    oracle = Oracle("three_player", setup={"pieces": pieces, "to_move": GREEN})
    assert oracle.to_move() == 4 % 3
    assert oracle.legal(1) == oracle.legal_of(GREEN)
    assert oracle.legal(0) == oracle.legal_of(BLUE)


# Seats, results, copies


def test_legal_out_of_turn() -> None:
    oracle = Oracle("two_player", BY_COLOUR)
    assert oracle.legal(0) == oracle.legal_of(BLUE)
    assert oracle.legal(1) == oracle.legal_of(YELLOW) | oracle.legal_of(GREEN)
    assert Oracle("classic").legal(2) == Oracle("classic").legal_of(RED)


def test_results_by_variant() -> None:
    pieces = packed([(BLUE, "X"), (YELLOW, "2"), (RED, "I4"), (GREEN, "W")])
    scores = {
        "classic": [-84, -87, -85, -84],
        "two_player": [-169, -171],
        "three_player": [-84, -87, -85],
    }
    for variant, expected in scores.items():
        result = Oracle(variant, setup={"pieces": pieces}).result()
        assert [each["score"] for each in result] == expected
        assert all(each["score"] == each["bonus"] - each["squares_left"] for each in result)
    assert [each["pieces_left"] for each in Oracle("two_player").result()] == [42, 42]
    tie = Oracle("classic", setup={"pieces": pieces}).result()
    assert [(each["rank"], each["shared"]) for each in tie] == [(1, True), (4, False), (3, False), (1, True)]


def test_copies_are_independent() -> None:
    oracle = Oracle("classic", PASSING)
    twin = oracle.copy()
    before = oracle.position()
    twin.apply(("pass", BLUE))
    assert oracle.position() == before != twin.position()
    twin.apply(place(YELLOW, "a1"))
    assert oracle.position() == before != twin.position()


def test_position_is_plain_data() -> None:
    position = Oracle("duo", BY_COLOUR).position()
    assert json.loads(json.dumps(position)) == position


# Random play


@pytest.mark.parametrize(
    ("variant", "options"), [("classic", {}), ("two_player", BY_COLOUR), ("three_player", {}), ("duo", {})]
)
def test_random_play_to_the_last_piece(variant: str, options: dict) -> None:
    oracle = Oracle(variant, options)
    effects = play_out(oracle, random.Random(8))
    placed = sum(21 - len(left) for left in oracle.left)
    assert placed <= 84
    assert effects["passed_out"] == 0
    assert sum(oracle.colour_points()) - sum(oracle.bonus) == len(oracle.board)
    for points in oracle.colour_points():
        score = points - 89
        assert score in (15, 20) or -88 <= score <= -1
    assert not any(oracle.can_place(colour) for colour in range(oracle.colours))


def test_random_play_with_passes_ends() -> None:
    effects: Counter = Counter()
    for seed in range(6):
        oracle = Oracle("duo", PASSING)
        effects += play_out(oracle, random.Random(seed), pass_rate=0.4)
        assert oracle.to_move() is None
    assert effects["passed_out"]


# Games of an independent engine

RULES_OF = {
    "classic_l1_nobook": "classic",
    "classic_random_uniform": "classic",
    "classic_edgecases": "classic",
    "classic2_l1_book": "two_player",
    "classic2_random_uniform": "two_player",
    "classic3_l1_book": "three_player",
    "classic3_random_uniform": "three_player",
    "duo_l1_book": "duo",
    "duo_random_uniform": "duo",
}
MOVE = re.compile(r";([1-4BW])\[([a-t0-9,]+)\]")
COLOUR_OF = {"1": BLUE, "2": YELLOW, "3": RED, "4": GREEN, "B": 0, "W": 1}


def records(source: str) -> list[list[tuple]]:
    """The moves of every game of a file, as events."""
    lines = (DATA / f"{source}.blksgf").read_text("utf-8").splitlines()
    games = [[place(COLOUR_OF[colour], text) for colour, text in MOVE.findall(line)] for line in lines]
    assert all(line.count(";") == 1 + len(game) for line, game in zip(lines, games, strict=True))
    return games


def verdicts(name: str) -> list[dict]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def fnv1a64(data: bytes) -> str:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def legal_digest(events: set[tuple]) -> str:
    return fnv1a64("".join(sorted(text_of(event[2]) + "\n" for event in events)).encode())


def check_game(source: str, moves: list[tuple], expected: dict, hash_every: int) -> set[str]:
    """Replay one game beside the engine's verdicts; the effects that turned up."""
    oracle = Oracle(RULES_OF[source], BY_COLOUR)
    seen: set[str] = set()
    assert len(moves) == expected["n_moves"] == len(expected["moves"])
    for ply, (event, told) in enumerate(zip(moves, expected["moves"], strict=True)):
        assert oracle.colour_to_move() == event[1] == told["color"]
        assert blokus.piece_of(event[2]) == told["piece"]
        legal = oracle.legal_of(event[1])
        assert event in legal
        assert len(legal) == told["n_legal"]
        if ply % hash_every == 0:
            assert legal_digest(legal) == told["legal_fnv1a64"]
        seen |= oracle.apply(event)
    check_end(oracle, expected)
    return seen


def check_end(oracle: Any, expected: dict) -> None:
    assert oracle.colour_points() == expected["points"]
    assert oracle.bonus == expected["bonus"]
    assert [sorted(left) for left in oracle.left] == [sorted(left) for left in expected["pieces_left"]]
    assert [oracle.can_place(colour) for colour in range(oracle.colours)] == expected["has_moves"]
    assert (oracle.to_move() is None) == expected["game_over"]
    result = oracle.result()
    for colour, (rank, shared) in enumerate(expected["place"]):
        if rank == 100:  # three players: green is not ranked
            continue
        seat = oracle.seat_of(colour)
        assert (result[seat]["rank"], result[seat]["shared"]) == (rank, shared)


@pytest.mark.parametrize("source", RULES_OF)
def test_games_of_the_engine(source: str) -> None:
    games, expected = records(source), verdicts(f"{source}.expected")
    assert len(games) == len(expected)
    line = len(games) // 2
    check_game(source, games[line], expected[line], hash_every=4)


def test_games_of_the_engine_with_bonuses_ties_and_skips() -> None:
    games, expected = records("classic_edgecases"), verdicts("classic_edgecases.expected")
    chosen = [next(line for line, game in enumerate(expected) if bonus in game["bonus"]) for bonus in (15, 20)]
    chosen.append(next(line for line, game in enumerate(expected) if any(shared for _, shared in game["place"])))
    seen = set().union(*(check_game("classic_edgecases", games[n], expected[n], hash_every=9) for n in chosen))
    assert seen == {"all_placed", "monomino_last", "skipped"}


def agrees(verdict: str, reasons: set[str]) -> bool:
    """The engine names one reason only, and does not look at turns."""
    reasons = reasons - {"not_your_turn", "match_over"}
    if verdict == "piece already played":
        return "piece_already_placed" in reasons
    if verdict == "invalid move":
        return bool(reasons & {"not_a_piece", "off_board"})
    if verdict == "illegal move":
        return bool(reasons) and reasons <= {"overlaps", "misses_start", "touches_own_edge", "no_own_corner"}
    return verdict == "legal" and not reasons


def check_probes(probes: list[dict]) -> Counter:
    """Ask about every probe at its position; how often each verdict was given."""
    told: Counter = Counter()
    games = {source: records(source) for source in {probe["src"] for probe in probes}}
    where: tuple | None = None
    oracle: Any = None
    for probe in sorted(probes, key=lambda probe: (probe["src"], probe["game"], probe["ply"])):
        if where is None or where[:2] != (probe["src"], probe["game"]):
            where, oracle = (probe["src"], probe["game"], 0), Oracle(RULES_OF[probe["src"]], BY_COLOUR)
        for event in games[probe["src"]][probe["game"]][where[2] : probe["ply"]]:
            oracle.apply(event)
        where = (probe["src"], probe["game"], probe["ply"])
        colour = probe["color"] - 1  # probes count colours from 1, the other files from 0
        reasons = oracle.reasons(place(colour, probe["cells"]))
        assert agrees(probe["verdict"], reasons), (probe, reasons)
        told[probe["verdict"]] += 1
    return told


def test_probes_of_the_engine() -> None:
    probes = verdicts("probes")
    games = sorted({(probe["src"], probe["game"]) for probe in probes})
    some = set(random.Random(7).sample(games, 4))
    told = check_probes([probe for probe in probes if (probe["src"], probe["game"]) in some])
    assert set(told) == {"legal", "illegal move", "piece already played", "invalid move"}
    assert sum(told.values()) > 500
