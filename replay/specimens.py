"""A picture of each variant, for pages about a ruleset: a position of a simulated match."""

from __future__ import annotations

from kifold.core.options import Variant
from kifold.core.reference import picture_name, reference_page
from kifold.core.ruleset import Ruleset
from kifold.core.samples import sample_match
from kifold.replay.svg import draw_svg
from kifold.replay.timeline import picture_of, ply_states

SEED = 1
HOW_FAR = 0.7
"""The part of the match that has been played: late enough to see much, before boards are cleared again."""


def specimen(ruleset: Ruleset, variant: Variant) -> str:
    """An SVG of a match of greedy seats."""
    play = sample_match(ruleset, ruleset.start(variant.name), SEED, greedy=True)
    plies = list(ply_states(ruleset, play.started, play.log))
    ply = plies[round(HOW_FAR * (len(plies) - 1))]
    title = f"{ruleset.title}, {variant.name}: ply {ply.number} of a simulated match"
    return draw_svg(picture_of(ruleset, play.started, ply), title)


def reference_files(ruleset: Ruleset) -> dict[str, str]:
    """The reference page and its pictures, by their places in a folder of documents."""
    files = {f"rulesets/{ruleset.name}.md": reference_page(ruleset, "../images")}
    return files | {f"images/{picture_name(ruleset, v)}": specimen(ruleset, v) + "\n" for v in ruleset.variants}
