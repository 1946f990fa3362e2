"""Moving ended matches from the journal to the archive."""

from __future__ import annotations

from collections.abc import Callable

from kifold.core.play import Refused
from kifold.core.registry import ruleset
from kifold.records.bulk import BulkWriter
from kifold.records.ids import id_text
from kifold.records.judge import judge_logs
from kifold.records.log import batches
from kifold.records.store import Store


def archive(store: Store, on_progress: Callable[[int, int], None]) -> tuple[int, list[str]]:
    """Move every ended match from the journal to the archive.

    Args:
        on_progress: called with the numbers of matches and events of each batch.

    Returns:
        How many were moved, and one line for each match that stays because its log does not fold.
    """
    moved, stay = 0, []
    for name in store.counts():
        ids = iter(store.journal.ids(name, only_over=True))
        with BulkWriter(store, ruleset(name)) as writer:
            for batch in batches(store.journal.log(match) for match in ids):
                for log, verdict in zip(batch, judge_logs(ruleset(name), batch), strict=True):
                    if isinstance(verdict, Refused):
                        stay.append(f"match {id_text(log.match_id)} stays in the journal: {verdict}")
                    else:
                        writer.add(log, verdict, is_live=True)
                on_progress(len(batch), sum(len(log.events) for log in batch))
        moved += writer.matches
    return moved, stay
