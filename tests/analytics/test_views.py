"""Every row of every view against what plain Python reads from the logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from kifold.analytics.catalogue import connect
from kifold.core.events import Noted, Undone
from kifold.core.fields import fields_of
from kifold.core.play import standing_events
from kifold.core.registry import names, ruleset
from kifold.core.schema import columns_of, sql_type
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.analytics.conftest import Mixed
from tests.analytics.mixed import Known, family, kind, readings
from tests.registered import NAMES

pytestmark = pytest.mark.xdist_group("analytics_mixed")


def shown(value: Any) -> Any:
    """A value of Python as DuckDB gives it back."""
    return list(map(shown, value)) if isinstance(value, tuple) else value


def in_words(struct: Any) -> dict[str, Any]:
    """The fields of an event or a setup, words for numbers that have them."""
    said = {}
    for field in fields_of(type(struct)):
        value = getattr(struct, field.name)
        if field.words and field.kind == "int":
            value = field.words[value]
        elif field.words and field.kind == "ints":
            value = [field.words[one] for one in value]
        said[field.name] = shown(value)
    return said


def columns(mixed: Mixed, view: str) -> list[str]:
    return [row[0] for row in mixed.rows(f"DESCRIBE {view}")]


def of(mixed: Mixed, name: str) -> Iterable[Known]:
    return (one for one in mixed.known.values() if one.log.started.ruleset == name)


def assert_same(found: Iterable[tuple[Any, ...]], expected: Iterable[tuple[Any, ...]]) -> None:
    """The same rows, in whatever order, each as often."""
    left, right = (Counter(map(repr, rows)) for rows in (found, expected))
    assert left == right, (list((left - right).items())[:3], list((right - left).items())[:3])


def test_the_store_has_everything_that_these_tests_are_about(mixed: Mixed) -> None:
    known = mixed.known.values()
    assert {one.log.started.ruleset for one in known} == set(NAMES)
    assert {one.ending for one in known} >= {"rules", "resigned", "abandoned", None}
    assert any(one.undone() and one.log.is_archived for one in known)
    assert any(one.undone() and not one.log.is_archived for one in known)
    assert any(isinstance(event, Noted) for one in known for event in one.log.events)


# matches


def match_row(one: Known) -> tuple[Any, ...]:
    log, started = one.log, one.log.started
    options = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in started.options.items()
    }
    return (
        log.match_id,
        started.ruleset,
        started.variant,
        started.revision,
        options,
        readings(one),
        started.seats,
        started.tags,
        list(log.players),
        len(log.events),
        one.play.is_over,
        one.ending,
        log.is_archived,
        log.fork.parent if log.fork else None,
        log.fork.at_seq if log.fork else None,
        None,
        id_text(log.match_id),
    )


MATCHES = [
    *("match_id", "ruleset", "variant", "revision", "options", "readings", "seats", "tags", "players", "n_events"),
    *("finished", "ending", "archived", "parent", "forked_at", "promoted", "match"),
]


def test_matches(mixed: Mixed) -> None:
    assert columns(mixed, "matches") == MATCHES
    assert_same(mixed.rows("FROM matches"), map(match_row, mixed.known.values()))


def test_deleted_matches_are_in_no_view(mixed: Mixed) -> None:
    gone = {mixed.named["deleted"], mixed.named["archived_deleted"]}
    assert gone.isdisjoint(mixed.known)
    for view in ("matches", "events", "scores", *(f"blokus_{part}" for part in ("matches", "events", "log", "scores"))):
        assert gone.isdisjoint(row[0] for row in mixed.rows(f"SELECT DISTINCT match_id FROM {view}")), view


@pytest.mark.parametrize(
    ("name", "archived", "ending", "events"),
    [
        ("archived_varied", True, "resigned", None),
        ("archived_twice", True, "rules", None),
        ("brought_back", False, None, None),
        ("varied", False, "rules", None),
        ("resigned", False, "resigned", None),
        ("abandoned", False, "abandoned", 7),
        ("resigned_taken_back", False, "rules", None),
        ("unfinished", False, None, 7),
        ("empty", False, None, 0),
    ],
)
def test_each_match_is_there_once(
    mixed: Mixed, name: str, archived: bool, ending: str | None, events: int | None
) -> None:
    match = mixed.named[name]
    found = mixed.rows(f"SELECT archived, ending, n_events FROM matches WHERE match_id = {match}")
    assert found == [(archived, ending, len(mixed.known[match].log.events) if events is None else events)]
    assert mixed.rows(f"SELECT count(*) FROM scores WHERE match_id = {match}") == [
        (mixed.known[match].log.started.seats,)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_matches_of_a_ruleset(mixed: Mixed, name: str) -> None:
    assert columns(mixed, f"{name}_matches") == [
        *("match_id", "variant", "revision", "schema", "options", "seats", "tags", "setup", "players", "n_events"),
        *("finished", "ending", "result", "digest", "fingerprints", "archived", "promoted", "readings"),
        *("parent", "forked_at", "ruleset"),
    ]
    found = mixed.rows(f"SELECT match_id, schema, setup, digest, result FROM {name}_matches")
    assert_same(
        found,
        (
            (
                one.log.match_id,
                one.log.started.schema,
                in_words(one.log.started.setup),
                one.log.digest,
                [
                    {"seat": s.seat, "rank": s.rank, "shared": s.shared, "score": s.score, **s.components}
                    for s in one.play.result()
                ],
            )
            for one in of(mixed, name)
        ),
    )


def test_ids_as_text(mixed: Mixed) -> None:
    low, high = 1 << 59, (1 << 60) - 1
    for number in [*range(low, low + 40), *range(high - 40, high + 1), *list(mixed.known)[:200]]:
        assert mixed.rows(f"SELECT match_text({number})") == [(id_text(number),)]
    assert mixed.rows("SELECT match_text(NULL)") == [(None,)]


# events


def test_events(mixed: Mixed) -> None:
    assert columns(mixed, "events") == ["match_id", "ruleset", "seq", "event", "seat", "undone", "inherited"]
    expected = []
    for match, one in mixed.known.items():
        undone, seats, inherited = one.undone(), one.seats(), one.inherited(mixed.known)
        for seq, event in enumerate(one.log.events, start=1):
            row = (match, one.log.started.ruleset, seq, kind(event), seats.get(seq), seq in undone, seq <= inherited)
            expected.append(row)
    assert_same(mixed.rows("FROM events"), expected)
    assert sum(row[-2] for row in expected) > 20
    assert sum(row[-1] for row in expected) > 20


@pytest.mark.parametrize("name", NAMES)
def test_events_of_a_ruleset(mixed: Mixed, name: str) -> None:
    own = list(columns_of(ruleset(name)))
    assert columns(mixed, f"{name}_events") == ["match_id", "seq", "event", *own, "inherited"]
    assert columns(mixed, f"{name}_log") == ["match_id", "seq", "event", *own, "undone", "inherited"]
    log, counting = [], []
    for match, one in ((one.log.match_id, one) for one in of(mixed, name)):
        undone, seats, inherited = one.undone(), one.seats(), one.inherited(mixed.known)
        for seq, event in enumerate(one.log.events, start=1):
            said = {"seat": seats.get(seq)} | in_words(event)
            row = (match, seq, kind(event), *(said.get(column) for column in own))
            log.append((*row, seq in undone, seq <= inherited))
            if seq not in undone and not isinstance(event, Undone):
                counting.append((*row, seq <= inherited))
    assert_same(mixed.rows(f"FROM {name}_log"), log)
    assert_same(mixed.rows(f"FROM {name}_events"), counting)


@pytest.mark.parametrize("name", NAMES)
def test_columns_have_the_types_that_the_reference_says(mixed: Mixed, name: str) -> None:
    found = {row[0]: row[1] for row in mixed.rows(f"DESCRIBE {name}_events")}
    assert {column: found[column] for column in columns_of(ruleset(name))} == {
        column: sql_type(field) for column, field in columns_of(ruleset(name)).items()
    }


def test_words_and_lists_can_be_asked_for(mixed: Mixed) -> None:
    assert mixed.rows("SELECT DISTINCT colour FROM blokus_events ORDER BY ALL") == [
        ("blue",),
        ("green",),
        ("red",),
        ("yellow",),
        (None,),
    ]
    ((some,),) = mixed.rows("SELECT count(*) FROM nibble_events WHERE list_contains(tiles, 0)")
    assert some == sum(0 in event.tiles for one in of(mixed, "nibble") for event in one.log.events)
    ((reds,),) = mixed.rows("SELECT sum(len(list_filter(setup.layout, lambda c: c = 'red'))) FROM nibble_matches")
    assert reds == 9 * sum(1 for _ in of(mixed, "nibble"))


# scores


@pytest.mark.parametrize("name", NAMES)
def test_scores(mixed: Mixed, name: str) -> None:
    rules = ruleset(name)
    components = [slot.name for slot in rules.components]
    base = ["match_id", "variant", "readings", "seats", "finished", "ending"]
    base += ["ruleset", "seat", "player", "score", "rank", "shared"]
    assert columns(mixed, f"{name}_scores") == base + components
    assert columns(mixed, "scores")[: len(base)] == base
    expected = []
    for one in of(mixed, name):
        started, players = one.log.started, one.log.players
        for s in one.play.result():
            values = [rules.words[c][s.components[c]] if c in rules.words else s.components[c] for c in components]
            player = players[s.seat] if s.seat < len(players) else None
            of_match = (one.log.match_id, started.variant, readings(one), started.seats, one.play.is_over, one.ending)
            expected.append((*of_match, name, s.seat, player, s.score, s.rank, s.shared, *values))
    assert_same(mixed.rows(f"FROM {name}_scores"), expected)
    chosen = ", ".join([*base, *(f'"{component}"' for component in components)])
    assert_same(mixed.rows(f"SELECT {chosen} FROM scores WHERE ruleset = '{name}'"), expected)


def test_a_resigner_is_last_and_a_player_has_a_name(mixed: Mixed) -> None:
    found = mixed.rows(f"SELECT player, rank FROM scores WHERE match_id = {mixed.named['resigned']} ORDER BY seat")
    assert found == [("Ada", 1), (None, 2)]
    assert mixed.rows(f"SELECT player FROM scores WHERE match_id = {mixed.named['varied']} ORDER BY seat") == [
        ("Ça 'va",),
        ("棋譜",),
    ]


# duplicates


def test_duplicates(mixed: Mixed) -> None:
    """Found pair by pair among all matches; of several that have all its events SQL names one."""
    played: dict[int, tuple[Any, ...]] = {}
    for match, one in mixed.known.items():
        started = one.log.started
        beginning = (started.ruleset, started.variant, started.options, started.seats, started.setup)
        standing = standing_events(one.log.events)
        played[match] = (repr(beginning), *(event for _, event in standing if not isinstance(event, Noted)))
    families = {match: family(one, mixed.known) for match, one in mixed.known.items()}
    players = {match: one.log.players for match, one in mixed.known.items()}
    by_first: dict[Any, list[int]] = {}
    for match, events in played.items():
        by_first.setdefault(events[:2], []).append(match)
    same, prefix = {}, {}
    for match, events in played.items():
        if len(events) == 1:
            continue
        begin_so = [other for other in by_first[events[:2]] if played[other][: len(events)] == events]
        alike = [other for other in begin_so if played[other] == events]
        first = min(alike)
        own = min(other for other in alike if players[other] == players[match])
        told = own if families[own] != families[match] else first
        if families[told] != families[match]:
            same[match] = told
        elif first == match:
            longer = {o for o in begin_so if played[o] != events and families[o] != families[match]}
            if longer:
                prefix[match] = longer
    assert len(same) > 3
    assert len(prefix) > 5
    assert columns(mixed, "duplicates") == ["match_id", "of", "kind", "finished", "same_players"]
    found = mixed.rows("SELECT match_id, of, kind FROM duplicates")
    assert {(match, of) for match, of, kind in found if kind == "same"} == set(same.items())
    pairs = {match: of for match, of, kind in found if kind == "prefix"}
    assert pairs.keys() == prefix.keys()
    assert all(of in prefix[match] for match, of in pairs.items())
    assert len(found) == len(same) + len(prefix)
    beside = mixed.rows("SELECT match_id, of, finished, same_players FROM duplicates")
    assert beside == [
        (match, of, mixed.known[match].play.is_over, players[match] == players[of]) for match, of, *_ in beside
    ]
    assert [{row[at] for row in beside} for at in (2, 3)] == [{True, False}] * 2


# An empty store


def test_an_empty_store_has_the_same_views(mixed: Mixed, store: Store) -> None:
    described = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
    with connect(store, plies=None) as empty:
        views = [row[0] for row in empty.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()]
        assert len([view for view in views if not view.startswith("_")]) == 5 + 5 * len(names())
        for view in views:
            assert empty.execute(f"SELECT count(*) FROM {view}").fetchall() == [(0,)]
        found = [row for row in empty.execute(described).fetchall() if not row[0].startswith("_")]
    assert found == [row for row in mixed.rows(described) if not row[0].startswith("_")]
