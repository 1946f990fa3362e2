"""Whatever is installed can be looked at: every variant's pictures draw at several plies of a random match."""

import xml.etree.ElementTree as ET

import pytest

from kifold.core.registry import names, ruleset
from kifold.core.scene import PALETTE
from kifold.replay.frames import captioned
from kifold.replay.svg import draw_svg
from kifold.replay.text import draw_text
from tests.rulesets.matches import random_log

KINDS = {"square", "hexagon", "disc", "ring", "dot", "card"}
VARIANTS = [(name, variant.name) for name in names() for variant in ruleset(name).variants]


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_pictures_draw(name: str, variant: str) -> None:
    played = ruleset(name)
    started, log = random_log(played, played.start(variant), 8, 0, limit=60)
    frames = list(captioned(played, started, log))
    for caption, scene in frames[:: max(1, len(frames) // 5)] + frames[-1:]:
        assert {shape.kind for shape in scene.shapes} <= KINDS
        assert {shape.colour for shape in scene.shapes} <= set(PALETTE)
        lettered = [shape for shape in scene.shapes if shape.colour != "board"]
        assert all(shape.letter.strip() or shape.size < 0.5 for shape in lettered), "nobody has to tell colours apart"
        text = draw_text(scene, colour=False)
        assert all(letter in text for shape in scene.shapes if (letter := shape.letter.strip()))
        assert all(label.text in text for label in scene.labels)
        assert all(line.isprintable() and len(line) <= 160 for line in text.splitlines())
        assert draw_text(scene, colour=True).count("\n") == text.count("\n")
        root = ET.fromstring(draw_svg(scene, caption).encode())
        drawn = [group for group in root.iter() if group.get("class") == "shape"]
        assert sorted(
            (shape.get("data-letter"), group_title(shape)) for shape in drawn
        ) == sorted((shape.letter, shape.title) for shape in scene.shapes)  # fmt: skip


def group_title(group: ET.Element) -> str:
    return group.findtext("{http://www.w3.org/2000/svg}title") or ""
