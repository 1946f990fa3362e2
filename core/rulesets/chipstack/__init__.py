"""Chipstack: pieces spread chips over the board, then take them from it; few colours win. Rule file chipstack.md."""

from __future__ import annotations

from kifold.core.rules import Rules
from kifold.core.ruleset import Notation, Ruleset, Views
from kifold.core.rulesets.chipstack import notation, rules, standing
from kifold.core.rulesets.chipstack.declaration import (
    EFFECTS,
    OPTIONS,
    REASONS,
    VARIANTS,
    ChipstackSetup,
    Place,
    Result,
    State,
    Take,
)
from kifold.core.rulesets.chipstack.opening import opening
from kifold.core.rulesets.chipstack.picture import picture
from kifold.core.rulesets.chipstack.views import hide_state, seat_picture

CHIPSTACK = Ruleset(
    name="chipstack",
    revision=1,
    title="Chipstack",
    variants=VARIANTS,
    options=OPTIONS,
    actions=(Place, Take),
    setup=ChipstackSetup,
    state=State,
    result=Result,
    reasons=REASONS,
    effects=EFFECTS,
    rules=Rules.of(rules, standing),
    notation=Notation(notation.write, notation.read, "purple-square@4-e:3-d,3-e,6-d"),
    picture=picture,
    views=Views(hide_state, picture=seat_picture),
    opening=opening,
    phases=("stacking", "taking", "over"),
    notes=(
        "The game's published name is not known; chipstack is ours. The rule text names two of the five colours, "
        "purple and red; blue, green and yellow are our names for the others. It gives no number of players; "
        "two to five is our range."
    ),
    units={
        "colours": "colours of which the seat has a chip; fewest is best",
        "chips": "chips the seat has, bonus chips of phase 1 included",
        "sorted_counts": "chips per colour, ascending; of equal colours the first that differs decides, more is better",
    },
)
