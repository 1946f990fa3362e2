"""Whose turn it is, or how a match ended and how its seats stand then, in one line."""

from __future__ import annotations

from typing import Any

from kifold.core.events import ENDINGS, Finished, Resigned, Started
from kifold.core.play import Play, Refused, fold
from kifold.core.ruleset import CHANCE, NOBODY, Ruleset
from kifold.core.standings import Standing, standings
from kifold.records.log import Log


def turn_of(play: Play) -> str:
    """The line of a match as far as it was folded."""
    return turn_line(play.ruleset, play.started, play.state, play.ending)


def turn_of_log(log: Log) -> str:
    """The same of a stored log; of one that cannot be folded to its end where the rules refuse it, and why."""
    try:
        play, refused = fold(log.rules, log.started, log.events)
    except Refused as refusal:
        return str(refusal)
    return str(refused) if refused else turn_of(play)


def turn_line(
    ruleset: Ruleset, started: Started, state: Any, ending: Finished | Resigned | None, in_own_words: str = ""
) -> str:
    """``yellow to move``, ``chance decides``, or ``match over, yellow resigned: 1. blue (-44), 2. yellow (-55)``.

    Args:
        ending: what closed the match, if the rules did not.
        in_own_words: what the game says instead while the match goes on, see `Scene.turn`.
    """
    turn = NOBODY if ending else ruleset.rules.turn(state)
    names = ruleset.seat_names(started)
    if turn == NOBODY:
        result: Any = ruleset.result()
        ruleset.rules.result(state, result)
        table = standings(ruleset, started.seats, result, ending)
        return f"match over{_why(names, ending)}: {_in_words(names, table)}"
    if in_own_words:
        return in_own_words
    return "chance decides" if turn == CHANCE else f"{names[turn]} to move"


def _why(names: tuple[str, ...], ending: Finished | Resigned | None) -> str:
    if ending is None:
        return ""
    return f", {names[ending.seat]} resigned" if isinstance(ending, Resigned) else f", {ENDINGS[ending.ending]}"


def _in_words(names: tuple[str, ...], table: list[Standing]) -> str:
    parts = []
    for one in sorted(table, key=lambda standing: standing.rank):
        score = "" if one.score is None else f" ({one.score})"
        parts.append(f"{one.rank}. {names[one.seat]}{score}")
    return ", ".join(parts)
