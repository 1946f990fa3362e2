"""How seats fare: scores and first places per variant and seat."""

from __future__ import annotations

from typing import Any

import duckdb

from kifold.analytics.catalogue import is_list
from kifold.analytics.counting import Choice, chosen, group_columns
from kifold.analytics.intervals import wilson
from kifold.analytics.query import Answer, run
from kifold.core.ruleset import Ruleset


def scores(connection: duckdb.DuckDBPyConnection, rules: Ruleset, choice: Choice) -> Answer:
    """How seats fare in the matches that count, per variant, readings and seat.

    `first` counts first places alone, `shared_first` those shared; `first_rate` counts both as one, `low` and `high`
    are its 95 % interval.

    Columns: variant, then seats (how many play) where a variant of the game leaves that open, readings (of the options
    that the variant has otherwise), seat, n, first, shared_first, first_rate, low, high, then the means: score with its
    deviation score_sd where the game has points, and the components that are one number for a seat.

    Raises:
        RulesetError: for an unknown variant.
    """
    keys = ", ".join([*group_columns(rules), "seat"])
    numbers = [slot.name for slot in rules.components if not is_list(rules, slot) and slot.name not in rules.words]
    means = "".join(f', round(avg("{name}"), 2) AS "{name}"' for name in numbers)
    points = ", round(avg(score), 2) AS score, round(stddev_samp(score), 2) AS score_sd" if rules.has_score else ""
    answer = run(
        connection,
        f"SELECT {keys}, count(*) AS n, count(*) FILTER (rank = 1 AND NOT shared) AS first, "
        f"count(*) FILTER (rank = 1 AND shared) AS shared_first{points}{means} FROM {rules.name}_scores "
        f"SEMI JOIN ({chosen(rules, choice)}) USING (match_id) GROUP BY {keys} ORDER BY {keys}",
    )
    at = answer.columns.index("n")
    columns = [*answer.columns[: at + 3], "first_rate", "low", "high", *answer.columns[at + 3 :]]
    return Answer(columns, [_rated(row, at) for row in answer.rows])


def _rated(row: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    n, first, shared = row[at : at + 3]
    low, high = wilson(first + shared, n)
    rates = (round(rate, 4) for rate in ((first + shared) / n, low, high))
    return (*row[: at + 3], *rates, *row[at + 3 :])
