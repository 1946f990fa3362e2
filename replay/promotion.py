"""Promotion: matches for which another revision of the rules changes nothing are pinned to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kifold.core.ruleset import Ruleset
from kifold.records.store import Store
from kifold.replay.causes import OUTCOMES, UNCHANGED, Report, Verdict
from kifold.replay.rehearsal import Rehearsing
from kifold.replay.verify import Work, verify_store

IF_IT_DID_NOT_GROW = """INSERT OR REPLACE INTO pins SELECT ?1, ?2
WHERE EXISTS (SELECT 1 FROM matches WHERE id = ?1 AND last_seq = ?3)
OR EXISTS (SELECT 1 FROM archived WHERE match = ?1 AND file <= ?4)
"""


@dataclass(slots=True)
class Promoted:
    """What became of a promotion: the report of the rehearsal, and how many matches were pinned to the revision."""

    report: Report = field(default_factory=lambda: Report(dict.fromkeys(OUTCOMES, 0)))
    matches: int = 0


def promote(store: Store, target: Ruleset, workers: int, on_progress: Callable[[int, int], None]) -> Promoted:
    """Pin every match that is unchanged under a revision to it, one row in the journal for each; no log is touched.

    A match that grew between the rehearsal and this, or was archived anew, stays on its revision.
    """
    done = Promoted()
    unchanged: dict[int, int] = {}

    def keep(verdicts: Sequence[Verdict]) -> None:
        unchanged.update((one.match_id, one.events) for one in verdicts if one.verdict == UNCHANGED)

    ((last_file,),) = store.journal.rows("SELECT coalesce(max(id), 0) FROM files")
    verify_store(store, Work(done.report, target.name, workers, on_progress, Rehearsing(target), keep))
    with store.journal.writing() as db:
        before = db.total_changes
        for match, last in unchanged.items():
            db.execute(IF_IT_DID_NOT_GROW, (match, target.revision, last, last_file))
        done.matches = db.total_changes - before
    return done
