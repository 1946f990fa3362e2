"""Which readings of the rules a match was played under, as far as they are not the usual ones of its variant."""

from __future__ import annotations

from kifold.analytics.query import Answer
from kifold.analytics.sources import quoted
from kifold.core.options import Option, option_text
from kifold.core.ruleset import Ruleset


def readings_sql(rules: Ruleset) -> str:
    """The options that a match has otherwise than its variant has them, in SQL, such as
    ``start_corner=by_colour voluntary_pass=true``; an empty text where there is none. A log that is older than an
    option was played under its default.
    """
    said = [
        f"CASE WHEN options['{option.name}'] <> {_usual(rules, option)} "
        f"THEN '{option.name}=' || options['{option.name}'] END"
        for option in rules.options
    ]
    return f"concat_ws(' ', {', '.join(said)})" if said else "''"


def _usual(rules: Ruleset, option: Option) -> str:
    presets = [
        (variant.name, variant.options[option.name]) for variant in rules.variants if option.name in variant.options
    ]
    default = quoted(option_text(option.default))
    whens = " ".join(f"WHEN '{variant}' THEN {quoted(option_text(value))}" for variant, value in presets)
    return f"CASE variant {whens} ELSE {default} END" if whens else default


def without_usual(answer: Answer) -> Answer:
    """An answer for people: without its column `readings`, where nothing stands in it."""
    at = answer.columns.index("readings")
    if any(row[at] for row in answer.rows):
        return answer
    return Answer(answer.columns[:at] + answer.columns[at + 1 :], [row[:at] + row[at + 1 :] for row in answer.rows])
