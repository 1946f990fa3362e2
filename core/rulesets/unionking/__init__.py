"""Union King, the three games: two sides bring the halves of their seven pairs together. Rule file unionking.md."""

from __future__ import annotations

from kifold.core.rules import Rules
from kifold.core.ruleset import Notation, Ruleset
from kifold.core.rulesets.unionking import notation, rules, standing
from kifold.core.rulesets.unionking.declaration import (
    EFFECTS,
    OPTIONS,
    REASONS,
    VARIANTS,
    Decline,
    Move,
    Result,
    State,
    UnionkingSetup,
)
from kifold.core.rulesets.unionking.opening import opening
from kifold.core.rulesets.unionking.picture import RECONSTRUCTION, picture

UNIONKING = Ruleset(
    name="unionking",
    revision=1,
    title="Union King",
    variants=VARIANTS,
    options=OPTIONS,
    actions=(Move, Decline),
    setup=UnionkingSetup,
    state=State,
    result=Result,
    reasons=REASONS,
    effects=EFFECTS,
    rules=Rules.of(rules, standing),
    notation=Notation(notation.write, notation.read, "woA-a3"),
    picture=picture,
    opening=opening,
    notes=(
        f"A {RECONSTRUCTION}. Sources say that 3, 4, 5 or 8 line ends leave a point and that each side has seven "
        "pairs; the 7×7 points, the diagonals at every second one and the starting points are our choice. Another "
        "board or layout goes into the setup."
    ),
    units={
        "pairs": "own pairs that are merged at the end",
        "points_sum": "line ends at the points of these pairs, before the scale of the game",
    },
)
