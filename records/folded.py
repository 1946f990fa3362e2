"""What a corpus that was folded at once says of each of its matches, as the archive keeps it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from kifold.core.corpus import Corpus, Folded
from kifold.core.events import Event, tag_of
from kifold.core.fields import fields_of
from kifold.core.play import standings
from kifold.core.ruleset import NOBODY
from kifold.records.judge import Judged, fingerprint


def seat_column(corpus: Corpus, folded: Folded) -> np.ndarray[Any, Any]:
    """The column `seat` of `events`: an event's own field of that name, else who acted; −1 for nobody."""
    events = corpus.events
    having = [tag_of(e) for e in corpus.ruleset.events if any(field.name == "seat" for field in fields_of(e))]
    own = np.isin(events["tag"], having)
    acted = np.maximum(folded.per_event["seat"], -1)
    return np.where(own, events["seat"], acted).astype(np.int8) if having else acted


def judged_match(corpus: Corpus, folded: Folded, m: int, seats: list[int], ending: Event | None = None) -> Judged:
    """What the fold says of match number m, all of whose events are legal.

    Args:
        seats: what `seat_column` has for it.
        ending: the event that closed it, if the rules did not.
    """
    match = folded.matches[m]
    started_seats = int(corpus.setups["seats"][m])
    last = folded.matches["snapshot"][m + 1] if m + 1 < len(folded.matches) else len(folded.snapshots)
    prints = b"".join(fingerprint(row.tobytes()) for row in folded.snapshots[match["snapshot"] : last])
    result = SimpleNamespace(**{name: folded.results[name][m] for name in folded.results.dtype.names or ()})
    return Judged(
        [None if seat < 0 else seat for seat in seats],
        prints,
        standings(corpus.ruleset, started_seats, result, ending),
        ending is not None or bool(match["turn"] == NOBODY),
        int(match["effects"]),
    )
