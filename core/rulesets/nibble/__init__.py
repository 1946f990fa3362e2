"""Nibble: two players take tiles of one colour from the rim of the board. Rule file nibble.md."""

from __future__ import annotations

from kifold.core.rules import Rules
from kifold.core.ruleset import Notation, Ruleset
from kifold.core.rulesets.nibble import layout, notation, rules, standing
from kifold.core.rulesets.nibble.declaration import (
    EFFECTS,
    OPTIONS,
    REASONS,
    VARIANTS,
    WIN_TYPES,
    NibbleSetup,
    Result,
    State,
    Take,
)
from kifold.core.rulesets.nibble.numbering import numberings
from kifold.core.rulesets.nibble.opening import opening
from kifold.core.rulesets.nibble.picture import picture

NIBBLE = Ruleset(
    name="nibble",
    revision=1,
    title="Nibble",
    variants=VARIANTS,
    options=OPTIONS,
    actions=(Take,),
    setup=NibbleSetup,
    state=State,
    result=Result,
    reasons=REASONS,
    effects=EFFECTS,
    rules=Rules.of(rules, standing, layout),
    notation=Notation(notation.write, notation.read, "a1,c3"),
    picture=picture,
    opening=opening,
    numberings=numberings,
    units={
        "tiles_taken": "tiles taken",
        "colours_owned": "colours in which the seat has the majority of the tiles",
        "win_type": "how the match was won, the same for both seats",
    },
    words={"win_type": WIN_TYPES},
)
