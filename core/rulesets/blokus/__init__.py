"""Blokus: four colours, 21 pieces each, own pieces touch at corners only. Rule file blokus.md."""

from __future__ import annotations

from kifold.core.rules import Rules
from kifold.core.ruleset import Notation, Ruleset
from kifold.core.rulesets.blokus import notation, rules
from kifold.core.rulesets.blokus.declaration import (
    EFFECTS,
    OPTIONS,
    REASONS,
    VARIANTS,
    BlokusSetup,
    Pass,
    Place,
    Result,
    State,
)
from kifold.core.rulesets.blokus.picture import opening, picture

BLOKUS = Ruleset(
    name="blokus",
    revision=1,
    title="Blokus",
    variants=VARIANTS,
    options=OPTIONS,
    actions=(Place, Pass),
    setup=BlokusSetup,
    state=State,
    result=Result,
    reasons=REASONS,
    effects=EFFECTS,
    rules=Rules(
        set_up=rules.set_up,
        check=rules.check,
        apply=rules.apply,
        legal=rules.legal,
        turn=rules.turn,
        actor=rules.actor,
        result=rules.result,
        greedy=rules.greedy,
    ),
    notation=Notation(notation.write, notation.read, "blue:a20,b20,b19"),
    picture=picture,
    opening=opening,
    units={
        "squares_left": "squares of the pieces not placed",
        "pieces_left": "pieces not placed",
        "bonus": "+15 for placing everything, +20 with the single square last, per colour",
    },
)
