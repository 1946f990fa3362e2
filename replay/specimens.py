"""A picture of each variant, for pages about a ruleset: a position of a simulated match."""

from __future__ import annotations

from kifold.core.options import Variant
from kifold.core.reference import picture_name, reference_page
from kifold.core.ruleset import Ruleset
from kifold.core.samples import sample_match
from kifold.replay.frames import picture_at
from kifold.replay.svg import draw_svg

SEED = 1
HOW_FAR = 0.7
"""The part of the match that has been played: late enough to see much, before boards are cleared again."""


def specimen(ruleset: Ruleset, variant: Variant) -> str:
    """An SVG of a match of greedy seats."""
    started = ruleset.start(variant.name)
    whole = sample_match(ruleset, started, SEED, greedy=True)
    play = sample_match(ruleset, started, SEED, greedy=True, limit=round(HOW_FAR * len(whole.log)))
    title = f"{ruleset.title}, {variant.name}: ply {play.ply} of a simulated match"
    return draw_svg(picture_at(ruleset, play.started, play.log, play.ply), title)


def reference_files(ruleset: Ruleset) -> dict[str, str]:
    """The reference page and its pictures, by their places in a folder of documents."""
    files = {f"rulesets/{ruleset.name}.md": reference_page(ruleset, "../images")}
    return files | {f"images/{picture_name(ruleset, v)}": specimen(ruleset, v) for v in ruleset.variants}
