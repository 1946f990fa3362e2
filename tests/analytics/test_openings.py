"""Openings and how seats fare, counted anew in Python from the logs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.intervals import wilson
from kifold.analytics.openings import for_people, openings
from kifold.analytics.query import Answer
from kifold.analytics.scores import group_columns, scores
from kifold.core.events import ENDINGS, Finished, Undone
from kifold.core.options import RulesetError
from kifold.core.play import Play
from kifold.core.registry import ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.store import Store
from tests.analytics.conftest import Mixed
from tests.analytics.mixed import count_openings
from tests.registered import NAMES
from tests.stores import archive_all, duo, game

pytestmark = pytest.mark.xdist_group("analytics_mixed")

AGREED = Finished(ENDINGS.index("agreed"))


def as_dicts(answer: Answer) -> list[dict[str, Any]]:
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


# Openings


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_openings_are_those_of_the_logs(mixed: Mixed, name: str, depth: int) -> None:
    rules = ruleset(name)
    expected = count_openings(mixed.known, name, depth)
    totals: Counter[tuple[Any, ...]] = Counter()
    for (variant, seats, _), (n, _) in expected.items():
        totals[variant, seats] += n
    found = as_dicts(openings(mixed.sql, rules, depth, None))
    assert len(found) == len(expected)
    for row in found:
        [seats] = [s for v, s, k in expected if (v, k) == (row["variant"], row["opening"]) and row.get("seats", s) == s]
        n, places = expected[row["variant"], seats, row["opening"]]
        assert (row["n"], row["share"]) == (n, round(n / totals[row["variant"], seats], 4))
        for seat in range(rules.most_seats):
            said = [row[f"seat_{seat}{what}"] for what in ("", "_low", "_high")]
            rate = places.get(seat, 0)
            low, high = wilson(rate, n)
            assert said == ([None] * 3 if seat >= seats else pytest.approx([rate / n, low, high], abs=0.000051))
    assert [row["n"] for row in found] == sorted((row["n"] for row in found), reverse=True)
    assert sum(row["n"] for row in found) == sum(totals.values())


def test_first_places_sum_to_the_matches_however_they_are_shared(mixed: Mixed) -> None:
    shared = 0
    for row in as_dicts(openings(mixed.sql, BLOKUS, 1, "duo")):
        assert (row["seat_0"] + row["seat_1"]) * row["n"] == pytest.approx(row["n"], abs=0.001)
        shared += row["seat_0"] * row["n"] % 1 != 0
    assert shared


def test_seats_that_do_not_play_have_no_rate(mixed: Mixed) -> None:
    """Matches of two and of three are not thrown together: the third seat would seem to win less often."""
    found = as_dicts(openings(mixed.sql, ruleset("chipstack"), 1, None))
    assert {row["seats"] for row in found} == {2, 3}
    for row in found:
        assert (row["seat_2"] is None) == (row["seats"] == 2)
        assert row["seat_3"] is None


def test_one_variant(mixed: Mixed) -> None:
    every = openings(mixed.sql, BLOKUS, 1, None)
    for variant in ("duo", "classic"):
        assert openings(mixed.sql, BLOKUS, 1, variant).rows == [row for row in every.rows if row[0] == variant]
    assert openings(mixed.sql, BLOKUS, 1, "three_player").rows == []


@pytest.mark.parametrize(("depth", "variant"), [(0, None), (-1, None), (1, "nope"), (1, "duo' OR 1 = 1")])
def test_wrong_questions(mixed: Mixed, depth: int, variant: str | None) -> None:
    with pytest.raises(RulesetError):
        openings(mixed.sql, BLOKUS, depth, variant)


def test_a_depth_that_no_match_has(mixed: Mixed) -> None:
    assert openings(mixed.sql, BLOKUS, 1000, None).rows == []


def test_what_was_taken_back_is_no_opening(store: Store) -> None:
    """The first placement that counts is the opening, in a live match and in an archived one."""
    first = game(0)[0]
    other = next(event for event in Play(BLOKUS, duo()).legal() if event != first)
    store.new(duo(), (), [other, Undone(0), first, AGREED])
    archive_all(store)
    store.new(duo(), (), [other, Undone(0), first, AGREED])
    store.new(duo(), (), [first, AGREED])
    store.new(duo(), (), [first, Undone(0)])  # this one has nothing that counts
    with connect(store, BLOKUS) as sql:
        [row] = openings(sql, BLOKUS, 1, None).rows
    assert row[:4] == ("duo", BLOKUS.opening_key(duo(), [first]), 3, 1.0)


Squares = frozenset[tuple[int, int]]


def squares(text: str) -> Squares:
    """``a20,b20`` as coordinates; a colour may stand before it."""
    words = text.rpartition(":")[2].split(",")
    return frozenset((ord(word[0]) - ord("a"), int(word[1:]) - 1) for word in words)


def symmetric(one: Squares) -> set[Squares]:
    """The eight ways in which the board of 20 × 20 can be turned and mirrored."""
    ways = set()
    for _ in range(4):
        one = frozenset((19 - y, x) for x, y in one)
        ways |= {one, frozenset((y, x) for x, y in one)}
    return ways


def test_232_first_moves_of_classic_blokus_are_31_openings(store: Store) -> None:
    started = BLOKUS.start("classic", {"start_corner": "any_free"})
    moves = Play(BLOKUS, started).legal()
    assert len(moves) == 232
    for move in moves:
        store.new(started, (), [move, AGREED])
    classes: dict[frozenset[Squares], int] = defaultdict(int)
    for move in moves:
        classes[frozenset(symmetric(squares(BLOKUS.notation.write(started, move))))] += 1
    with connect(store, BLOKUS) as sql:
        found = openings(sql, BLOKUS, 1, None)
    assert len(found.rows) == len(classes) == 31
    assert {frozenset(symmetric(squares(row[1]))): row[2] for row in found.rows} == classes


def test_with_corners_by_colour_a_board_has_no_symmetry_left(store: Store) -> None:
    started = BLOKUS.start("classic", {"start_corner": "by_colour"})
    moves = Play(BLOKUS, started).legal()
    for move in moves:
        store.new(started, (), [move, AGREED])
    with connect(store, BLOKUS) as sql:
        found = openings(sql, BLOKUS, 1, None)
    assert len(moves) == len(found.rows) == 58
    assert {row[2] for row in found.rows} == {1}


def test_for_people(mixed: Mixed) -> None:
    answer = openings(mixed.sql, ruleset("chipstack"), 1, None)
    shown = for_people(Answer(answer.columns, answer.rows[:3]))
    most = max(row[1] for row in answer.rows[:3])
    assert shown.columns == ["variant", "seats", "opening", "n", "share", *(f"first, seat {i}" for i in range(most))]
    first, row = shown.rows[0], as_dicts(answer)[0]
    assert first[5] == f"{row['seat_0']:.2f} ({row['seat_0_low']:.2f}–{row['seat_0_high']:.2f})"
    assert [sum(text != "" for text in one[5:]) for one in shown.rows] == [one[1] for one in shown.rows]


# Scores


@pytest.mark.parametrize("name", NAMES)
def test_how_seats_fare(mixed: Mixed, name: str) -> None:
    rules = ruleset(name)
    groups: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for one in mixed.known.values():
        if one.log.started.ruleset == name and one.play.is_over:
            kind = tuple(getattr(one.log.started, column) for column in group_columns(rules))
            for standing in one.play.result():
                groups[*kind, standing.seat].append(standing)
    found = scores(mixed.sql, rules)
    assert [row[: len(group_columns(rules)) + 1] for row in found.rows] == sorted(groups)
    for key, row in zip(sorted(groups), as_dicts(found), strict=True):
        seats, n = groups[key], len(groups[key])
        alone = sum(s.rank == 1 and not s.shared for s in seats)
        shared = sum(s.rank == 1 and s.shared for s in seats)
        assert (row["n"], row["first"], row["shared_first"]) == (n, alone, shared)
        low, high = wilson(alone + shared, n)
        rates = [row["first_rate"], row["low"], row["high"]]
        assert rates == pytest.approx([(alone + shared) / n, low, high], abs=0.000051)
        if rules.has_score:
            assert row["score"] == pytest.approx(sum(s.score for s in seats) / n, abs=0.00501)
        for component in rules.components:
            single = isinstance(seats[0].components[component.name], int)
            assert (component.name in row) == (single and component.name not in rules.words)
            if component.name in row:
                mean = sum(s.components[component.name] for s in seats) / n
                assert row[component.name] == pytest.approx(mean, abs=0.00501)


def test_one_variant_of_scores(mixed: Mixed) -> None:
    every = scores(mixed.sql, BLOKUS)
    assert scores(mixed.sql, BLOKUS, "duo").rows == [row for row in every.rows if row[0] == "duo"]
    assert scores(mixed.sql, BLOKUS, "two_player").rows == []
    with pytest.raises(RulesetError, match="no variant 'nope' of blokus"):
        scores(mixed.sql, BLOKUS, "nope")
