"""A whole match as one HTML page: its pictures ply by ply, with nothing from elsewhere.

The page works without network. A content security policy names its one script and its one style by their digests, so
that nothing which a record might smuggle in would run. Without scripts it shows the last picture and the list of plies.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

from kifold.core.scene import Scene
from kifold.replay.printable import printable
from kifold.replay.svg import svg_parts


def draw_html(frames: Iterable[tuple[str, Scene]], title: str, about: Sequence[str] = ()) -> str:
    """A page that steps through pictures, by slider, buttons and arrow keys; it opens at the last.

    Args:
        frames: (caption, picture) of every ply, as `kifold.replay.frames.captioned` gives them.
        title: of the page.
        about: what is known of the match, a line for each thing; it stands below the heading.

    Raises:
        ValueError: when there are no frames, or as `kifold.replay.svg.draw_svg`.
    """
    numbers: dict[str, int] = {}
    captions: list[str] = []
    drawn: list[list[int]] = []
    for caption, scene in frames:
        # Most of a picture is as it was one ply before: each part is written once, and a frame is a list of numbers.
        captions.append(printable(caption))
        drawn.append([numbers.setdefault(part, len(numbers)) for part in svg_parts(scene, caption)])
    if not drawn:
        raise ValueError("a page needs at least one picture")
    parts = list(numbers)
    style, script = _resource("page.css"), _resource("page.js")
    return Template(_resource("page.html")).substitute(
        policy=f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'",
        title=escape(printable(title)),
        style=style,
        script=script,
        about="".join(f'\n<p class="about">{escape(printable(line))}</p>' for line in about),
        last=len(drawn) - 1,
        caption=escape(captions[-1]),
        picture="\n".join(parts[part] for part in drawn[-1]),
        plies="\n".join(f"<li>{escape(caption)}</li>" for caption in captions),
        frames=_json({"parts": parts, "frames": drawn, "captions": captions}),
    )


def _json(data: object) -> str:
    """JSON that may stand in a script element: no ``<`` can end it early."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _resource(name: str) -> str:
    return (files("kifold.replay") / name).read_text(encoding="utf-8")
