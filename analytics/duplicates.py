"""Matches in which nothing was played that another has not: the view `duplicates`."""

from __future__ import annotations

from kifold.analytics.sources import FORKS
from kifold.core.events import Noted, kind_of
from kifold.core.ruleset import Ruleset
from kifold.core.schema import columns_of


def duplicates_query(rules: Ruleset, *, has_forks: bool) -> str:
    """The duplicates of a ruleset: match_id, of, kind, finished, same_players.

    Two matches are compared by their variant, seats, options and setup, and by the events that count but for notes: of
    these each becomes 16 characters, so that a text begins with another where a match begins with another. In the order
    of these texts everything that begins with one stands directly after it.

    A match and its forks, its `family`, are not told of one another. If anything of another family begins with a text,
    then so does the first one after it that is of another family: where the next run of one family begins.

    A match that is being played soon is the beginning of another one, and two pairs of people may play the same short
    game: `finished` and `same_players` tell these from what was recorded twice. So of several that are the same, `of`
    is the first with the same players, and for that one the first of all.
    """
    name = rules.name
    columns = ", ".join(["event", *(f'"{column}"' for column in columns_of(rules))])
    family, joined = "match_id", ""
    if has_forks:
        family, joined = "coalesce(f.family, match_id)", f"LEFT JOIN {FORKS} AS f USING (match_id)"
    return f"""
    WITH played AS (
        SELECT match_id, string_agg(printf('%016x', hash({columns})), '' ORDER BY seq) AS played
        FROM {name}_events WHERE event <> '{kind_of(Noted)}' GROUP BY match_id),
    compared AS (
        SELECT match_id, finished, players, played, hash(variant, seats, options, setup) AS beginning,
            {family} AS family
        FROM played JOIN {name}_matches USING (match_id) {joined}),
    alike AS (
        SELECT match_id, family,
            first(match_id) OVER everybody AS of_all, first(family) OVER everybody AS family_of_all,
            first(match_id) OVER themselves AS own, first(family) OVER themselves <> family AS is_own
        FROM compared
        WINDOW everybody AS (PARTITION BY beginning, played ORDER BY match_id),
            themselves AS (PARTITION BY beginning, played, players ORDER BY match_id)),
    firsts AS (
        SELECT beginning, played, min(match_id) AS match_id, arg_min(family, match_id) AS family
        FROM compared GROUP BY beginning, played),
    turns AS (
        SELECT *, family IS DISTINCT FROM lag(family) OVER (PARTITION BY beginning ORDER BY played) AS is_turn
        FROM firsts),
    runs AS (
        SELECT *, sum(is_turn::INTEGER) OVER (PARTITION BY beginning ORDER BY played) AS run FROM turns),
    found AS (
        SELECT match_id, CASE WHEN is_own THEN own ELSE of_all END AS "of", 'same' AS kind
        FROM alike WHERE is_own OR family_of_all <> family
        UNION ALL
        SELECT one.match_id, other.match_id, 'prefix'
        FROM runs AS one JOIN runs AS other
        ON other.beginning = one.beginning AND other.run = one.run + 1 AND other.is_turn
        WHERE starts_with(other.played, one.played))
    SELECT found.*, one.finished, one.players IS NOT DISTINCT FROM other.players AS same_players
    FROM found JOIN compared AS one USING (match_id) JOIN compared AS other ON found."of" = other.match_id"""
