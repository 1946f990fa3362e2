"""Moving ended matches from the journal to the archive."""

from __future__ import annotations

from collections.abc import Callable

from kifold.core.play import Refused
from kifold.core.registry import ruleset, why_not
from kifold.records.bulk import BulkWriter
from kifold.records.ids import id_text
from kifold.records.judge import judge_logs
from kifold.records.log import batches
from kifold.records.store import Store


def archive(store: Store, on_progress: Callable[[int, int], None], *, returned: bool = False) -> tuple[int, list[str]]:
    """Move every ended match from the journal to the archive.

    Args:
        on_progress: called with the numbers of matches and events of each batch.
        returned: move those that lay in the archive before instead, whether they have ended or not.

    Returns:
        How many were moved, and one line for each match that stays because it cannot be read or does not fold.
    """
    moved = 0
    stay: list[str] = []

    def keep(match: int, why: object) -> None:
        stay.append(f"match {id_text(match)} stays in the journal: {why}")

    for name in store.counts():
        matches = store.returned(name) if returned else store.journal.ids(name, only_over=True)
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
