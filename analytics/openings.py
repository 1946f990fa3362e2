"""Openings: how matches begin, and how they end from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb

from kifold.analytics.intervals import wilson
from kifold.analytics.query import Answer
from kifold.core.events import Event, Started, tag_of
from kifold.core.fields import fields_of
from kifold.core.options import RulesetError
from kifold.core.ruleset import Ruleset
from kifold.records.tables import row_started

BATCH = 10_000


def openings(connection: duckdb.DuckDBPyConnection, rules: Ruleset, depth: int, variant: str | None) -> Answer:
    """Finished matches grouped by their first `depth` decisions, up to the symmetries that the ruleset declares.

    Columns: variant, opening, n, share (of all matches of the variant that are long enough), then for each seat the
    rate of first places with its 95 % interval, as `seat_0`, `seat_0_low`, `seat_0_high`, …: a first place shared by k
    seats counts 1/k. Sorted by n, the commonest first.

    Raises:
        RulesetError: for a depth below 1 or an unknown variant.
    """
    if depth < 1:
        raise RulesetError(f"a depth is 1 or more, not {depth}")
    if variant is not None:
        rules.variant(variant)
    groups: dict[tuple[str, str], list[float]] = {}
    totals: dict[str, int] = {}
    for started, events, n, firsts in _prefixes(connection, rules, depth, variant):
        key = (started.variant, rules.opening_key(started, events))
        group = groups.setdefault(key, [0.0] * (1 + rules.most_seats))
        totals[started.variant] = totals.get(started.variant, 0) + n
        group[0] += n
        for seat, first in enumerate(firsts):
            group[1 + seat] += first
    columns = ["variant", "opening", "n", "share"]
    for seat in range(rules.most_seats):
        columns += [f"seat_{seat}", f"seat_{seat}_low", f"seat_{seat}_high"]
    order = sorted(groups.items(), key=lambda item: (-item[1][0], item[0]))
    return Answer(columns, [_row(rules, key, group, totals[key[0]]) for key, group in order])


def for_people(answer: Answer) -> Answer:
    """The same with one column per seat: the rate and its interval in one text, ``0.29 (0.21–0.40)``."""
    seats = (len(answer.columns) - 4) // 3
    rows = []
    for row in answer.rows:
        texts = [
            "" if rate is None else f"{rate:.2f} ({low:.2f}–{high:.2f})"
            for rate, low, high in (row[4 + 3 * seat : 7 + 3 * seat] for seat in range(seats))
        ]
        rows.append((*row[:4], *texts))
    return Answer([*answer.columns[:4], *(f"first, seat {seat}" for seat in range(seats))], rows)


def _row(rules: Ruleset, key: tuple[str, str], group: Sequence[float], total: int) -> tuple[Any, ...]:
    n = int(group[0])
    row: list[Any] = [*key, n, round(n / total, 4)]
    seats = max(rules.variant(key[0]).seats)
    for seat in range(rules.most_seats):
        low, high = wilson(group[1 + seat], n)
        row += [round(group[1 + seat] / n, 4), round(low, 4), round(high, 4)] if seat < seats else [None] * 3
    return tuple(row)


def _prefixes(
    connection: duckdb.DuckDBPyConnection, rules: Ruleset, depth: int, variant: str | None
) -> Iterator[tuple[Started, list[Event], int, list[float]]]:
    """The distinct beginnings of matches, with how many matches have them and the first places per seat.

    SQL finds the distinct ones, so that a key is worked out once for each and memory holds no match twice.
    """
    names = sorted({field.name for event in rules.actions for field in fields_of(event)})
    tags = ", ".join(str(tag_of(event)) for event in rules.actions)
    fields = ", ".join(f'"{name}" := "{name}"' for name in ["tag", *names])
    sharing = "list_count([1 FOR other IN result IF other.rank = 1])"
    firsts = ", ".join(
        f"sum(coalesce(list_sum([1.0 / {sharing} FOR one IN result IF one.seat = {seat} AND one.rank = 1]), 0))"
        for seat in range(rules.most_seats)
    )
    where = "" if variant is None else " AND variant = $variant"
    undone = f"(SELECT match_id, seq FROM {rules.name}_log WHERE NOT undone)"
    cursor = connection.execute(
        f"""WITH decisions AS (
            SELECT match_id, seq, struct_pack({fields}) AS event,
                row_number() OVER (PARTITION BY match_id ORDER BY seq) AS ply
            FROM _{rules.name}_events SEMI JOIN {undone} USING (match_id, seq)
            WHERE tag IN ({tags}) AND seq <= $reach),
        prefixes AS (
            SELECT match_id, list(event ORDER BY ply) AS events FROM decisions WHERE ply <= $depth
            GROUP BY match_id HAVING count(*) = $depth)
        SELECT variant, revision, schema, options, seats, setup, events, count(*), {firsts}
        FROM prefixes JOIN _{rules.name}_matches USING (match_id)
        WHERE finished{where} GROUP BY ALL""",
        {"depth": depth, "reach": _reach(connection, rules, depth)} | ({} if variant is None else {"variant": variant}),
    )
    while rows := cursor.fetchmany(BATCH):
        for variant_, revision, schema, options, seats, setup, events, n, *first in rows:
            row = {
                "variant": variant_,
                "revision": revision,
                "schema": schema,
                "options": list(options.items()),
                "seats": seats,
                "tags": [],
                "setup": setup,
            }
            yield row_started(rules, row), [_event(rules, event) for event in events], n, [float(f) for f in first]


def _reach(connection: duckdb.DuckDBPyConnection, rules: Ruleset, depth: int) -> int:
    """A sequence number that the first decisions do not pass: exact where a log holds nothing else than decisions."""
    tags = ", ".join(str(tag_of(event)) for event in rules.actions)
    others = connection.execute(f"SELECT count(*) FROM _{rules.name}_events WHERE tag NOT IN ({tags})").fetchone()
    return depth if others is not None and others[0] == 0 else 1 << 30


def _event(rules: Ruleset, packed: dict[str, Any]) -> Event:
    kind = next(event for event in rules.actions if tag_of(event) == packed["tag"])
    values = (packed[field.name] for field in fields_of(kind))
    return kind(*(tuple(value) if isinstance(value, list) else value for value in values))
