"""Openings: how matches begin, and how they end from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb

from kifold.analytics.counting import Choice, chosen, group_columns
from kifold.analytics.intervals import wilson
from kifold.analytics.query import Answer, QueryError, run, stream
from kifold.analytics.sources import FORKS
from kifold.core.codec import lifted, valid_started
from kifold.core.counted import counted
from kifold.core.events import Event, tag_of
from kifold.core.fields import fields_of
from kifold.core.options import RulesetError
from kifold.core.ruleset import Ruleset
from kifold.records.tables import row_started, value_of
from kifold.records.unreadable import UNREADABLE


def openings(connection: duckdb.DuckDBPyConnection, rules: Ruleset, depth: int, choice: Choice) -> Answer:
    """The matches that count, grouped by their first `depth` decisions, up to the symmetries that the ruleset declares.

    A fork that has them all from its parent counts only where no match of the same family has played them itself. So
    decisions that forks share count once.

    Columns: variant, then seats (how many play) where a variant of the game leaves that open, readings (of the options
    that the variant has otherwise), opening, n, share (of all matches of these that are long enough), then for each
    seat the rate of first places with its 95 % interval, as `seat_0`, `seat_0_low`, `seat_0_high`, …: a first place
    shared by k seats counts 1/k. Sorted by n, the commonest first.

    Raises:
        RulesetError: for a depth below 1 or an unknown variant.
        QueryError: when an event holds what no writer wrote.
    """
    if depth < 1:
        raise RulesetError(f"a depth is 1 or more, not {depth}")
    keys = group_columns(rules)
    groups: dict[tuple[Any, ...], list[float]] = {}
    seats: dict[tuple[Any, ...], int] = {}
    totals: dict[tuple[Any, ...], int] = {}
    for kind, count, opening, n, firsts in _prefixes(connection, rules, depth, choice):
        group = groups.setdefault((*kind, opening), [0.0] * (1 + rules.most_seats))
        totals[kind] = totals.get(kind, 0) + n
        seats[kind] = count
        group[0] += n
        for seat, first in enumerate(firsts):
            group[1 + seat] += first
    columns = [*keys, "opening", "n", "share"]
    for seat in range(rules.most_seats):
        columns += [f"seat_{seat}", f"seat_{seat}_low", f"seat_{seat}_high"]
    order = sorted(groups.items(), key=lambda item: (-item[1][0], item[0]))
    return Answer(
        columns, [_row(rules, key, group, totals[key[: len(keys)]], seats[key[: len(keys)]]) for key, group in order]
    )


def why_none(connection: duckdb.DuckDBPyConnection, rules: Ruleset, depth: int, choice: Choice) -> str:
    """Why there are no openings of so many decisions, in words."""
    which = rules.name if choice.variant is None else f"{rules.name} {choice.variant}"
    if run(connection, f"{chosen(rules, choice)} LIMIT 1").rows:
        return f"no finished match of {which} has {counted(depth, 'decision', 'decisions')}"
    return f"no finished matches of {which} to count"


def for_people(answer: Answer) -> Answer:
    """The same with one column per seat that is there: the rate and its interval in one text, ``0.29 (0.21–0.40)``."""
    before = answer.columns.index("share") + 1
    seats = max((sum(value is not None for value in row[before:]) // 3 for row in answer.rows), default=0)
    rows = []
    for row in answer.rows:
        texts = [
            "" if rate is None else f"{rate:.2f} ({low:.2f}–{high:.2f})"
            for rate, low, high in (row[before + 3 * seat : before + 3 + 3 * seat] for seat in range(seats))
        ]
        rows.append((*row[:before], *texts))
    return Answer([*answer.columns[:before], *(f"first, seat {seat}" for seat in range(seats))], rows)


def _row(rules: Ruleset, key: tuple[Any, ...], group: Sequence[float], total: int, seats: int) -> tuple[Any, ...]:
    n = int(group[0])
    row: list[Any] = [*key, n, round(n / total, 4)]
    for seat in range(rules.most_seats):
        low, high = wilson(group[1 + seat], n)
        row += [round(group[1 + seat] / n, 4), round(low, 4), round(high, 4)] if seat < seats else [None] * 3
    return tuple(row)


def _prefixes(
    connection: duckdb.DuckDBPyConnection, rules: Ruleset, depth: int, choice: Choice
) -> Iterator[tuple[tuple[Any, ...], int, str, int, list[float]]]:
    """The distinct beginnings of matches: their values of `group_columns`, how many seats they have, the key of their
    opening, how many matches have them, the first places per seat.

    SQL finds the distinct ones, so that a key is worked out once for each and memory holds no match twice.
    """
    kinds = _decisions(rules)
    names = sorted({field.name for event in kinds.values() for field in fields_of(event)})
    tags = ", ".join(map(str, kinds))
    fields = ", ".join(f'"{name}" := "{name}"' for name in ["tag", *names])
    sharing = "list_count([1 FOR other IN result IF other.rank = 1])"
    firsts = ", ".join(
        f"sum(coalesce(list_sum([1.0 / {sharing} FOR one IN result IF one.seat = {seat} AND one.rank = 1]), 0))"
        for seat in range(rules.most_seats)
    )
    standing = f"(SELECT match_id, seq, inherited FROM {rules.name}_log WHERE NOT undone)"
    query = f"""WITH decisions AS (
        SELECT match_id, seq, inherited, struct_pack({fields}) AS event,
            row_number() OVER (PARTITION BY match_id ORDER BY seq) AS ply
        FROM _{rules.name}_events JOIN {standing} USING (match_id, seq)
        WHERE tag IN ({tags}) AND seq <= $reach),
    prefixes AS (
        SELECT match_id, list(event ORDER BY ply) AS events, bool_and(inherited) AS is_shared
        FROM decisions WHERE ply <= $depth GROUP BY match_id HAVING count(*) = $depth),
    counting AS (
        SELECT * FROM prefixes JOIN _{rules.name}_matches USING (match_id)
        SEMI JOIN ({chosen(rules, choice)}) USING (match_id)),
    once AS ({_once(connection)})
    SELECT struct_pack({", ".join(group_columns(rules))}),
        variant, revision, schema, options, seats, setup, events, count(*), {firsts}
    FROM once GROUP BY ALL"""
    values = {"depth": depth, "reach": _reach(connection, rules, depth)}
    for kind, name, revision, schema, options, seats, setup, events, n, *first in stream(
        connection, query, values
    ).rows:
        row = {
            "variant": name,
            "revision": revision,
            "schema": schema,
            "options": list(options.items()),
            "seats": seats,
            "tags": [],
            "setup": setup,
        }
        yield tuple(kind.values()), seats, _opening(rules, row, events), n, [float(f) for f in first]


def _opening(rules: Ruleset, row: dict[str, Any], events: list[dict[str, Any]]) -> str:
    """The key of an opening. What a damaged file says may be in no range, or on no board."""
    try:
        started = valid_started(rules, row_started(rules, row))
        return rules.opening_key(started, [_event(rules, event) for event in events])
    except UNREADABLE as error:
        said = f"the beginning of a match cannot be read: {type(error).__name__}: {error}; see `kifold verify`"
        raise QueryError(said, is_of_data=True) from error


def _once(connection: duckdb.DuckDBPyConnection) -> str:
    """Those of the matches that are `counting` that count for their beginning."""
    if not run(connection, "SELECT 1 FROM duckdb_columns() WHERE table_name = $name", {"name": FORKS}).rows:
        return "FROM counting"
    return (
        f"SELECT counting.* FROM counting LEFT JOIN {FORKS} USING (match_id) QUALIFY NOT is_shared OR "
        "row_number() OVER (PARTITION BY coalesce(family, match_id), events ORDER BY is_shared, match_id) = 1"
    )


def _reach(connection: duckdb.DuckDBPyConnection, rules: Ruleset, depth: int) -> int:
    """A sequence number that the first decisions do not pass: exact where a log holds nothing else than decisions."""
    tags = ", ".join(map(str, _decisions(rules)))
    [(others,)] = run(connection, f"SELECT count(*) FROM _{rules.name}_events WHERE tag NOT IN ({tags})").rows
    return 1 << 30 if others else depth


def _event(rules: Ruleset, packed: dict[str, Any]) -> Event:
    kind = _decisions(rules)[packed["tag"]]
    return lifted(rules, kind(*(value_of(field, packed[field.name]) for field in fields_of(kind))))


def _decisions(rules: Ruleset) -> dict[int, type[Event]]:
    """The types of events that are decisions of seats, by tag, also those that were retired."""
    became = {one.old: one.now for one in rules.upcasters}
    kinds = {}
    for kind in rules.known:
        now = kind
        while now in became:
            now = became[now]
        if now in rules.actions:
            kinds[tag_of(kind)] = kind
    return kinds
