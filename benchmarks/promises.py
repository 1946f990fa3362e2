"""Promises, and the table of them: our figure, the peer's, their ratio, what is promised and what is aimed at.

A promise is either a ratio of speeds that is to be at least so much, or a figure of our own (bytes, seconds) that is to
be at most so much. `baseline.json` holds what was reached on a quiet machine; the table says what has changed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

BASELINE = Path(__file__).with_name("baseline.json")
MISSING = "make bench installs it, or pip install 'kifold[bench]'"


@dataclass(frozen=True)
class Promise:
    """One row of the table.

    Attributes:
        work: what is done; the name of the row.
        ours: our speed in items per second where there is a peer, else our figure.
        bound: the ratio that is promised, at least; without a peer the figure, at most.
        stretch: what is aimed at beyond.
        peer: who is compared with; empty where the figure stands by itself.
        theirs: the peer's speed; None where it is missing.
        beside: what else is worth reading in this row.
    """

    work: str
    ours: float
    bound: float
    stretch: float | None = None
    peer: str = ""
    theirs: float | None = None
    beside: str = ""

    @property
    def figure(self) -> float | None:
        """What the promise is about: the ratio, or the figure itself; None where the peer is missing."""
        if not self.peer:
            return self.ours
        return None if self.theirs is None else self.ours / self.theirs

    def reaches(self, bound: float, margin: float = 1.0) -> bool:
        """Whether the figure is within a bound, when it is made better by the factor `margin`."""
        if self.figure is None:
            return True
        return self.figure * margin >= bound if self.peer else self.figure <= bound * margin

    def said(self, margin: float) -> str:
        """The verdict, in words."""
        if self.figure is None:
            return f"{self.peer} is missing: {MISSING}"
        if not self.reaches(self.bound, margin):
            return "FALLS SHORT"
        return "stretch reached" if self.stretch is not None and self.reaches(self.stretch) else ""


def table(promises: Iterable[Promise], baseline: Mapping[str, float], margin: float) -> list[str]:
    """The promises as lines of text; speeds in items per second, `change` against the baseline."""
    heads = ("work", "kifold", "peer", "ratio", "promised", "stretch", "change", "")
    lines = [heads, *(_cells(one, baseline.get(one.work), margin) for one in promises)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads) - 1)]
    out = []
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:-1], widths[1:], strict=True)]
        out.append("  ".join([*cells, line[-1]]).rstrip())
    return out


def _cells(one: Promise, before: float | None, margin: float) -> tuple[str, ...]:
    sign, unit = ("≥", " ×") if one.peer else ("≤", "")
    figure = one.figure
    notes = [one.peer if one.theirs is not None else "", one.said(margin), one.beside]
    return (
        one.work,
        _number(one.ours),
        _number(one.theirs) if one.theirs is not None else "–",
        f"{figure:.2f} ×" if one.peer and figure is not None else "",
        f"{sign} {one.bound:.3g}{unit}",
        f"{sign} {one.stretch:.3g}{unit}" if one.stretch is not None else "",
        f"{100 * (figure / before - 1):+.0f} %" if before and figure is not None else "",
        "; ".join(note for note in notes if note),
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def read_baseline() -> dict[str, float]:
    """The figure of each row when the baseline was saved."""
    if not BASELINE.exists():
        return {}
    figures: dict[str, float] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return figures


def save_baseline(promises: Iterable[Promise]) -> None:
    """Save the figures of this run; rows that were not measured keep theirs."""
    figures = read_baseline() | {one.work: round(one.figure, 4) for one in promises if one.figure is not None}
    BASELINE.write_text(json.dumps(figures, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
