"""The plies of one match as travelling along its timeline shows them, with none of the code that fills the table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from kifold.core.events import Event, Started
from kifold.core.play import Play
from kifold.core.ruleset import Ruleset
from kifold.replay.timeline import Timeline

NUMBERS = {"chipstack": ("colours", "chips"), "nibble": ("tiles_taken", "colours_owned", "win_type")}
"""Of games without points what the rows have instead."""


def expected_plies(rules: Ruleset, match: int, started: Started, events: Sequence[Event]) -> list[dict[str, Any]]:
    """The rows of a match. Phases are numbers, and so are all words."""
    rows = []
    for before, after in pairwise(Timeline(rules, started, events)):
        play = Play(rules, started)
        play.state = before.state
        assert after.seat == play.turn
        row = {"match_id": match, "ply": after.number, "seq": after.seq, "seat": after.seat}
        row["legal"] = len(play.legal(after.seat))
        row["phase"] = before.state.phase if rules.name in ("chipstack", "edgecolor") else None
        play.state = after.state
        standings = play.result()
        row["scores"] = None if rules.name in NUMBERS else [one.score for one in standings]
        row["ranks"] = [one.rank for one in standings]
        rows.append(row | {name: [one.components[name] for one in standings] for name in NUMBERS.get(rules.name, ())})
    return rows
