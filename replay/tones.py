"""Which of the palette's colours lie behind black letters and which behind white ones."""

from __future__ import annotations

from functools import cache

from kifold.core.scene import PALETTE

DARK = "#1d1d21"
LIGHT = "#ffffff"


def fill(colour: str) -> str:
    """The SVG fill of a colour of pictures.

    Raises:
        ValueError: when `PALETTE` has no colour of that name.
    """
    return _tones(colour)[0]


def terminal(colour: str) -> str:
    """The terminal's name of a colour of pictures, empty for none. Raises ValueError as `fill` does."""
    return _tones(colour)[1]


@cache
def ink(colour: str) -> str:
    """`DARK` or `LIGHT`: the one that contrasts more with the colour's fill. Raises ValueError as `fill` does."""
    behind = fill(colour)
    return max((DARK, LIGHT), key=lambda front: contrast(front, behind))


@cache
def rim(colour: str) -> str:
    """A darker shade of the colour's fill, so that light shapes stand out from a light board. Raises ValueError."""
    return "#" + "".join(f"{part * 6 // 10:02x}" for part in _parts(fill(colour)))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours ``#rrggbb`` as WCAG defines it, 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _tones(colour: str) -> tuple[str, str]:
    if colour not in PALETTE:
        raise ValueError(f"no colour {colour!r} in pictures: choose from {', '.join(PALETTE)}")
    return PALETTE[colour]


def _parts(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _luminance(colour: str) -> float:
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in (c / 255 for c in _parts(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
