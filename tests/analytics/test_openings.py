"""Openings and how seats fare, counted anew in Python from the logs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.counting import WAYS_TO_END, Choice, ended_otherwise, group_columns
from kifold.analytics.intervals import wilson
from kifold.analytics.openings import for_people, openings
from kifold.analytics.query import Answer, QueryError
from kifold.analytics.readings import without_usual
from kifold.analytics.scores import scores
from kifold.core.events import ENDINGS, Finished, Undone
from kifold.core.options import RulesetError
from kifold.core.play import Play
from kifold.core.registry import ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.samples import sample_match
from kifold.records.store import Store
from tests.analytics.conftest import Mixed
from tests.analytics.mixed import Known, count_openings, readings
from tests.registered import NAMES
from tests.stores import archive_all, duo, game

pytestmark = pytest.mark.xdist_group("analytics_mixed")

AGREED = Finished(ENDINGS.index("agreed"))
DEFAULT = Choice()
ALL = Choice(endings=WAYS_TO_END)


def as_dicts(answer: Answer) -> list[dict[str, Any]]:
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


# Openings


@pytest.mark.parametrize(("depth", "choice"), [(1, DEFAULT), (1, ALL), (2, ALL), (5, DEFAULT)])
@pytest.mark.parametrize("name", NAMES)
def test_openings_are_those_of_the_logs(mixed: Mixed, name: str, depth: int, choice: Choice) -> None:
    rules = ruleset(name)
    expected = count_openings(mixed.known, name, depth, choice.endings)
    totals: Counter[tuple[Any, ...]] = Counter()
    for (*kind, _), (n, _) in expected.items():
        totals[tuple(kind)] += n
    found = as_dicts(openings(mixed.sql, rules, depth, choice))
    assert len(found) == len(expected)
    for row in found:
        [(variant, seats, reading, opening)] = [
            (v, s, r, k)
            for v, s, r, k in expected
            if (v, r, k) == (row["variant"], row["readings"], row["opening"]) and row.get("seats", s) == s
        ]
        n, places = expected[variant, seats, reading, opening]
        assert (row["n"], row["share"]) == (n, round(n / totals[variant, seats, reading], 4))
        for seat in range(rules.most_seats):
            said = [row[f"seat_{seat}{what}"] for what in ("", "_low", "_high")]
            rate = places.get(seat, 0)
            low, high = wilson(rate, n)
            assert said == ([None] * 3 if seat >= seats else pytest.approx([rate / n, low, high], abs=0.000051))
    assert [row["n"] for row in found] == sorted((row["n"] for row in found), reverse=True)
    assert sum(row["n"] for row in found) == sum(totals.values())


def test_first_places_sum_to_the_matches_however_they_are_shared(mixed: Mixed) -> None:
    shared = 0
    for row in as_dicts(openings(mixed.sql, BLOKUS, 1, Choice("duo", WAYS_TO_END))):
        assert (row["seat_0"] + row["seat_1"]) * row["n"] == pytest.approx(row["n"], abs=0.001)
        shared += row["seat_0"] * row["n"] % 1 != 0
    assert shared


def test_seats_that_do_not_play_have_no_rate(mixed: Mixed) -> None:
    """Matches of two and of three are not thrown together: the third seat would seem to win less often."""
    found = as_dicts(openings(mixed.sql, ruleset("chipstack"), 1, DEFAULT))
    assert {row["seats"] for row in found} == {2, 3}
    for row in found:
        assert (row["seat_2"] is None) == (row["seats"] == 2)
        assert row["seat_3"] is None


def test_one_variant(mixed: Mixed) -> None:
    every = openings(mixed.sql, BLOKUS, 1, DEFAULT)
    for variant in ("duo", "classic"):
        assert openings(mixed.sql, BLOKUS, 1, Choice(variant)).rows == [row for row in every.rows if row[0] == variant]
    assert openings(mixed.sql, BLOKUS, 1, Choice("three_player")).rows == []


@pytest.mark.parametrize(("depth", "variant"), [(0, None), (-1, None), (1, "nope"), (1, "duo' OR 1 = 1")])
def test_wrong_questions(mixed: Mixed, depth: int, variant: str | None) -> None:
    with pytest.raises(RulesetError):
        openings(mixed.sql, BLOKUS, depth, Choice(variant))


def test_a_depth_that_no_match_has(mixed: Mixed) -> None:
    assert openings(mixed.sql, BLOKUS, 1000, ALL).rows == []


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
        [row] = openings(sql, BLOKUS, 1, ALL).rows
    assert row[:5] == ("duo", "", BLOKUS.opening_key(duo(), [first]), 3, 1.0)


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
        found = openings(sql, BLOKUS, 1, ALL)
    assert len(found.rows) == len(classes) == 31
    assert {frozenset(symmetric(squares(row[2]))): row[3] for row in found.rows} == classes


def test_with_corners_by_colour_a_board_has_no_symmetry_left(store: Store) -> None:
    started = BLOKUS.start("classic", {"start_corner": "by_colour"})
    moves = Play(BLOKUS, started).legal()
    for move in moves:
        store.new(started, (), [move, AGREED])
    with connect(store, BLOKUS) as sql:
        found = openings(sql, BLOKUS, 1, ALL)
    assert len(moves) == len(found.rows) == 58
    assert {row[3] for row in found.rows} == {1}


def test_for_people(mixed: Mixed) -> None:
    answer = openings(mixed.sql, ruleset("chipstack"), 1, DEFAULT)
    shown = for_people(Answer(answer.columns, answer.rows[:3]))
    most = max(row[1] for row in answer.rows[:3])
    rates = [f"first, seat {i}" for i in range(most)]
    assert shown.columns == ["variant", "seats", "readings", "opening", "n", "share", *rates]
    first, row = shown.rows[0], as_dicts(answer)[0]
    assert first[6] == f"{row['seat_0']:.2f} ({row['seat_0_low']:.2f}–{row['seat_0_high']:.2f})"
    assert [sum(text != "" for text in one[6:]) for one in shown.rows] == [one[1] for one in shown.rows]


# Scores


@pytest.mark.parametrize("choice", [DEFAULT, ALL, Choice(endings=("resigned", "agreed"))])
@pytest.mark.parametrize("name", NAMES)
def test_how_seats_fare(mixed: Mixed, name: str, choice: Choice) -> None:
    rules = ruleset(name)
    groups: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for one in mixed.known.values():
        if one.log.started.ruleset == name and one.ending in choice.endings:
            for standing in one.play.result():
                groups[*kind_of(one), standing.seat].append(standing)
    found = scores(mixed.sql, rules, choice)
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


def kind_of(one: Known) -> tuple[Any, ...]:
    """What matches have to share to be counted together."""
    started = one.log.started
    said = {"variant": started.variant, "seats": started.seats, "readings": readings(one)}
    return tuple(said[column] for column in group_columns(one.play.ruleset))


def test_one_variant_of_scores(mixed: Mixed) -> None:
    every = scores(mixed.sql, BLOKUS, DEFAULT)
    assert scores(mixed.sql, BLOKUS, Choice("duo")).rows == [row for row in every.rows if row[0] == "duo"]
    assert scores(mixed.sql, BLOKUS, Choice("two_player")).rows == []
    with pytest.raises(RulesetError, match="no variant 'nope' of blokus"):
        scores(mixed.sql, BLOKUS, Choice("nope"))


# What counts


def test_what_ended_otherwise_is_counted_by_its_ending(mixed: Mixed) -> None:
    finished = Counter(
        one.ending for one in mixed.known.values() if one.log.started.variant == "duo" and one.ending is not None
    )
    assert set(finished) == set(WAYS_TO_END)
    for counted in (("rules",), ("resigned", "agreed"), WAYS_TO_END):
        found = ended_otherwise(mixed.sql, BLOKUS, Choice("duo", counted))
        assert found == {ending: n for ending, n in finished.items() if ending not in counted}
        assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_condition_chooses_matches_for_both(mixed: Mixed) -> None:
    """A half of them and the other half are all, seat by seat and opening by opening."""
    where = "tags['policy'] = 'random' AND match_id % 2 = {} -- a half"
    halves = [Choice(where=where.format(half)) for half in (0, 1)]
    every = Choice(where="tags['source'] = 'simulation'")
    for tell, at in (
        (lambda choice: scores(mixed.sql, BLOKUS, choice), 3),
        (lambda choice: openings(mixed.sql, BLOKUS, 1, choice), 3),
    ):
        found: Counter[tuple[Any, ...]] = Counter()
        for half in halves:
            found.update({row[:at]: row[at] for row in tell(half).rows})
        assert found == {row[:at]: row[at] for row in tell(every).rows}
        assert sum(found.values()) > 0
    assert scores(mixed.sql, BLOKUS, Choice(where="false")).rows == []


@pytest.mark.parametrize(
    "where", ["nope = 1", "1 +", "true) OR (true", "", "true); DROP TABLE _live_blokus_matches; --"]
)
def test_a_wrong_condition_is_refused_or_chooses_only_finished_matches(mixed: Mixed, where: str) -> None:
    try:
        found = scores(mixed.sql, BLOKUS, Choice("duo", where=where))
    except QueryError:
        return
    assert found == scores(mixed.sql, BLOKUS, Choice("duo"))


def test_matches_under_other_readings_stand_apart_and_say_which(mixed: Mixed) -> None:
    for answer in (scores(mixed.sql, BLOKUS, DEFAULT), openings(mixed.sql, BLOKUS, 1, DEFAULT)):
        rows = [row for row in as_dicts(answer) if row["variant"] == "duo"]
        assert {row["readings"] for row in rows} == {"", "voluntary_pass=true"}
        assert without_usual(answer) == answer
    usual = scores(mixed.sql, BLOKUS, Choice(where="readings = ''"))
    assert "readings" not in without_usual(usual).columns
    assert [row[:1] + row[2:] for row in usual.rows] == without_usual(usual).rows


def test_readings_are_told_from_what_is_usual_in_the_variant(store: Store) -> None:
    """In `duo` corners go by colour anyway, in the other variants they are said; and every option of every game is."""
    expected = {store.new(duo()): "", store.new(BLOKUS.start("classic", {"start_corner": "any_free"})): ""}
    expected[store.new(BLOKUS.start("classic", {"start_corner": "by_colour"}))] = "start_corner=by_colour"
    expected[store.new(BLOKUS.start("duo", {"voluntary_pass": True}))] = "voluntary_pass=true"
    for name in NAMES:
        rules = ruleset(name)
        other = {option.name: option.values[-1] if option.values else option.high for option in rules.options}
        text = " ".join(f"{option.name}={str(other[option.name]).lower()}" for option in rules.options)
        begun = sample_match(rules, rules.start(options=other), 1, limit=1)
        expected[store.new(begun.started)] = text
    with connect(store) as sql:
        assert dict(sql.execute("SELECT match_id, readings FROM matches").fetchall()) == expected
