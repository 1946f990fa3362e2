"""Which matches the statistics of a game count."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from kifold.analytics.query import run
from kifold.analytics.sources import quoted
from kifold.core.events import ENDINGS
from kifold.core.ruleset import Ruleset

BY_RULES = "rules"
WAYS_TO_END = (BY_RULES, "resigned", *ENDINGS)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which finished matches of a ruleset count: of a variant, that ended in certain ways, and for which a condition on
    the view `matches` holds.

    The standings of a match that ended otherwise than by the rules are those of where it stopped, which says little of
    how it would have ended. So nobody gets them without asking for them.
    """

    variant: str | None = None
    endings: tuple[str, ...] = (BY_RULES,)
    where: str | None = None


def chosen(rules: Ruleset, choice: Choice) -> str:
    """A query for the `match_id` of the matches that count.

    Raises:
        RulesetError: for an unknown variant.
    """
    return f"SELECT match_id FROM ({_whatever_their_ending(rules, choice)}) WHERE ending IN {_listed(choice)}"


def ended_otherwise(connection: duckdb.DuckDBPyConnection, rules: Ruleset, choice: Choice) -> dict[str, int]:
    """How many finished matches are left out for their ending alone, by ending, the commonest first.

    Raises:
        RulesetError: for an unknown variant.
        QueryError: for a condition that is wrong.
    """
    others = f"({_whatever_their_ending(rules, choice)}) WHERE ending NOT IN {_listed(choice)}"
    return dict(run(connection, f"SELECT ending, count(*) FROM {others} GROUP BY 1 ORDER BY 2 DESC, 1").rows)


def _whatever_their_ending(rules: Ruleset, choice: Choice) -> str:
    conditions = ["finished", f"ruleset = '{rules.name}'"]
    if choice.variant is not None:
        conditions.append(f"variant = {quoted(rules.variant(choice.variant).name)}")
    # A comment at the end of the condition is to end there.
    where = "" if choice.where is None else f" WHERE {choice.where}\n"
    return f"SELECT match_id, ending FROM (SELECT * FROM matches{where}) WHERE {' AND '.join(conditions)}"


def _listed(choice: Choice) -> str:
    return f"({', '.join(map(quoted, choice.endings))})"


def group_columns(rules: Ruleset) -> list[str]:
    """What matches have to share to be compared: with fewer seats it is easier to come first, and another reading of
    the rules makes another game.
    """
    seats = ["seats"] if any(len(variant.seats) > 1 for variant in rules.variants) else []
    return ["variant", *seats, "readings"]
