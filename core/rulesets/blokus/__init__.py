"""Blokus: four colours, 21 pieces each, own pieces touch at corners only. Rule file blokus.md."""

from __future__ import annotations

from kifold.core.rules import Rules
from kifold.core.ruleset import Notation, Ruleset
from kifold.core.rulesets.blokus import notation, rules, standing
from kifold.core.rulesets.blokus.declaration import (
    BONUS,
    EFFECTS,
    MONOMINO_BONUS,
    OPTIONS,
    REASONS,
    VARIANTS,
    BlokusSetup,
    Pass,
    Place,
    Result,
    State,
)
from kifold.core.rulesets.blokus.numbering import numberings
from kifold.core.rulesets.blokus.opening import opening
from kifold.core.rulesets.blokus.picture import picture

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
    rules=Rules.of(rules, standing),
    notation=Notation(notation.write, notation.read, "blue:a1,b1,a2"),
    picture=picture,
    opening=opening,
    numberings=numberings,
    units={
        "squares_left": "squares of the pieces not placed",
        "pieces_left": "pieces not placed",
        "bonus": f"+{BONUS} for placing everything, +{MONOMINO_BONUS} with the single square last, per colour",
    },
)
