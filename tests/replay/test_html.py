"""The page of a whole match: every ply is there, and nothing from a record becomes markup."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.scene import Label, Scene, Shape
from kifold.replay.frames import captioned
from kifold.replay.html import draw_html
from kifold.replay.svg import svg_parts
from tests.rulesets.matches import random_log

HOSTILE = "</script></title><script>alert(1)</script><img src=x onerror=alert(2)> & $title \x00"


class Page(HTMLParser):
    """Start tags with attributes, and the text inside each script, style and title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": [], "title": [], "li": [], "h1": [], "p": []}
        self.open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open = tag
        self.tags.append((tag, dict(attrs)))
        if tag in self.inside:
            self.inside[tag].append("")

    def handle_data(self, data: str) -> None:
        if self.open in self.inside:
            self.inside[self.open][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.open = ""


@pytest.fixture(scope="module")
def match() -> list[tuple[str, Scene]]:
    started, log = random_log(BLOKUS, BLOKUS.start("duo"), 3, 0)
    return list(captioned(BLOKUS, started, log))


def test_every_ply_can_be_drawn_from_the_page(match: list[tuple[str, Scene]]) -> None:
    page = Page(draw_html(match, "a match"))
    data = json.loads(page.inside["script"][0])
    assert data["captions"] == [caption for caption, _ in match]
    for frame, (caption, scene) in zip(data["frames"], match, strict=True):
        assert [data["parts"][part] for part in frame] == svg_parts(scene, caption)
    assert [line.strip() for line in page.inside["li"]] == data["captions"]
    slider = next(attributes for tag, attributes in page.tags if tag == "input")
    assert (slider["min"], slider["max"]) == ("0", str(len(match) - 1))


def test_it_shows_the_last_ply_without_scripts(match: list[tuple[str, Scene]]) -> None:
    text = draw_html(match, "a match")
    assert "\n".join(svg_parts(match[-1][1], match[-1][0])) in text


def test_what_plies_share_is_written_once(match: list[tuple[str, Scene]]) -> None:
    alone = sum(len(part) for caption, scene in match for part in svg_parts(scene, caption))
    assert len(draw_html(match, "a match")) < alone / 4


def test_nothing_comes_from_elsewhere(match: list[tuple[str, Scene]]) -> None:
    page = Page(draw_html(match, "a match"))
    assert not [tag for tag, _ in page.tags if tag in {"link", "img", "iframe", "object", "embed", "base"}]
    assert not [
        name for _, attributes in page.tags for name in attributes if name in {"src", "href", "style", "srcset"}
    ]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|import\(|fetch\(", page.inside["style"][0] + page.inside["script"][1])


def test_the_policy_allows_the_script_and_style_and_no_other(match: list[tuple[str, Scene]]) -> None:
    page = Page(draw_html(match, "a match"))
    policy = next(attributes["content"] or "" for tag, attributes in page.tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none';")
    for name, text in (("script-src", page.inside["script"][1]), ("style-src", page.inside["style"][0])):
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_hostile_records_stay_text() -> None:
    scene = Scene(1, 1, [Shape("disc", 0, 0, "red", "R", HOSTILE)], [], [Label(0, 1, HOSTILE)], [HOSTILE])
    text = draw_html([("start", scene), (HOSTILE, scene)], HOSTILE, [HOSTILE])
    page = Page(text)
    assert [tag for tag, _ in page.tags if tag in {"script", "img"}] == ["script", "script"]
    assert "\x00" not in text
    seen = HOSTILE.replace("\x00", "\ufffd")
    assert page.inside["h1"] == [seen]
    assert [line for line in page.inside["p"] if "alert" in line] == [seen, seen], (
        "what is known of it, and the caption"
    )
    assert page.inside["li"] == ["start", seen]
    assert json.loads(page.inside["script"][0])["captions"] == ["start", seen]


def test_controls_are_named_and_the_caption_is_announced(match: list[tuple[str, Scene]]) -> None:
    page = Page(draw_html(match, "a match"))
    controls = [attributes for tag, attributes in page.tags if tag in {"button", "input"}]
    assert [control["aria-label"] for control in controls] == [
        "first ply",
        "previous ply",
        "ply",
        "next ply",
        "last ply",
    ]
    assert [attributes["class"] for _, attributes in page.tags if attributes.get("aria-live") == "polite"] == [
        "caption"
    ]
    assert page.tags[0] == ("html", {"lang": "en"})


def test_a_page_without_pictures_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one picture"):
        draw_html([], "a match")
