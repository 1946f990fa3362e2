"""The edge-colour card game: matching colours side by side, first without cards wins. Rule file edgecolor.md.

The published name of the game is unknown; the rule text calls for pictures of the cards that are missing from it, so
the catalogue of edge types is a reconstruction, and a match may bring its own.
"""

from __future__ import annotations

from kifold.core.rules import Rules
from kifold.core.ruleset import Notation, Ruleset, Views
from kifold.core.rulesets.edgecolor import deal, notation, rules, standing
from kifold.core.rulesets.edgecolor.declaration import (
    PHASES,
    BlockerSetup,
    Draw,
    EdgecolorSetup,
    Play,
    PlayBlocker,
    Result,
    State,
    Stop,
)
from kifold.core.rulesets.edgecolor.names import EFFECTS, OPTIONS, REASONS, VARIANTS
from kifold.core.rulesets.edgecolor.numbering import numberings
from kifold.core.rulesets.edgecolor.opening import opening
from kifold.core.rulesets.edgecolor.picture import picture
from kifold.core.rulesets.edgecolor.views import hide_event, hide_setup, hide_state, seat_picture

EDGECOLOR = Ruleset(
    name="edgecolor",
    revision=1,
    title="Edge-colour card game",
    variants=VARIANTS,
    options=OPTIONS,
    actions=(BlockerSetup, Play, PlayBlocker, Stop),
    chance=(Draw,),
    setup=EdgecolorSetup,
    state=State,
    result=Result,
    reasons=REASONS,
    effects=EFFECTS,
    rules=Rules.of(rules, standing, deal),
    notation=Notation(notation.write, notation.read, "0:12K3/2@c2"),
    picture=picture,
    opening=opening,
    numberings=numberings,
    views=Views(state=hide_state, setup=hide_setup, event=hide_event, picture=seat_picture),
    phases=PHASES,
    notes=(
        "The pictures of the cards are missing from the rule text. Catalogue A, one edge type for each way of putting "
        "the four colours on the four sides up to a half turn, is a reconstruction, as are the names of the colours. "
        "A setup may bring another catalogue: catalogue own, its 12 edge types in edges, their digest in "
        "catalogue_digest."
    ),
    units={
        "cards_left": "cards in hand, the blocker included",
        "played": "cards and blockers that the seat has laid",
    },
)
