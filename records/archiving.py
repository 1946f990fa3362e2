"""Moving ended matches from the journal to the archive."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kifold.core.play import Refused
from kifold.core.registry import ruleset, why_not
from kifold.records.bulk import BulkWriter
from kifold.records.ids import id_text
from kifold.records.judge import judge_logs
from kifold.records.log import batches
from kifold.records.store import Store

OnProgress = Callable[[int, int], None]


def archive(store: Store, on_progress: OnProgress) -> tuple[int, list[str]]:
    """Move every ended match from the journal to the archive; see `move`."""
    return move(store, lambda name: store.journal.ids(name, only_over=True), on_progress)


def move(store: Store, matches_of: Callable[[str], Iterable[int]], on_progress: OnProgress) -> tuple[int, list[str]]:
    """Move live matches from the journal to the archive, whether they have ended or not.

    Args:
        matches_of: gives the ids of those of a ruleset.
        on_progress: called with the numbers of matches and events of each batch.

    Returns:
        How many were moved, and one line for each match that stays because it cannot be read or does not fold.
    """
    moved = 0
    stay: list[str] = []

    def keep(match: int, why: object) -> None:
        stay.append(f"match {id_text(match)} stays in the journal: {why}")

    for name in store.counts():
        matches = matches_of(name)
        if why := why_not(name):
            for match in matches:
                keep(match, why)
            continue
        rules = ruleset(name)
        with BulkWriter(store, rules) as writer:
            for batch in batches(store.live_logs(matches, keep)):
                for log, verdict in zip(batch, judge_logs(batch), strict=True):
                    if isinstance(verdict, Refused):
                        keep(log.match_id, verdict)
                    else:
                        writer.add(log, verdict, is_live=True)
                on_progress(len(batch), sum(len(log.events) for log in batch))
        moved += writer.matches
    return moved, stay
