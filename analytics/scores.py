"""How seats fare: scores and first places per variant and seat."""

from __future__ import annotations

from typing import Any

import duckdb

from kifold.analytics.intervals import wilson
from kifold.analytics.query import Answer, run
from kifold.core.ruleset import Ruleset


def scores(connection: duckdb.DuckDBPyConnection, rules: Ruleset) -> Answer:
    """How seats fare in finished matches, per variant and seat.

    `first` counts first places alone, `shared_first` those shared; `first_rate` counts both as one, `low` and `high`
    are its 95 % interval.

    Columns: variant, seat, n, first, shared_first, first_rate, low, high, then score and score_sd where the game has
    points, then the components.
    """
    numbers = [slot.name for slot in rules.components if slot.length == rules.most_seats]
    means = "".join(f', round(avg("{name}"), 2) AS "{name}"' for name in numbers)
    points = ", round(avg(score), 2) AS score, round(stddev_samp(score), 2) AS score_sd" if rules.has_score else ""
    answer = run(
        connection,
        "SELECT variant, seat, count(*) AS n, sum((rank = 1 AND NOT shared)::INT)::INT AS first, "
        f"sum((rank = 1 AND shared)::INT)::INT AS shared_first{points}{means} "
        f"FROM {rules.name}_scores WHERE finished GROUP BY variant, seat ORDER BY variant, seat",
    )
    return Answer(
        [*answer.columns[:5], "first_rate", "low", "high", *answer.columns[5:]], [_rated(row) for row in answer.rows]
    )


def _rated(row: tuple[Any, ...]) -> tuple[Any, ...]:
    n, first = row[2], row[3] + row[4]
    low, high = wilson(first, n)
    return (*row[:5], round(first / n, 4), round(low, 4), round(high, 4), *row[5:])
