"""Promotion: matches for which another revision of the rules changes nothing are pinned to it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import repeat

from kifold.core.ruleset import Ruleset
from kifold.records.store import Store
from kifold.replay.causes import OUTCOMES, UNCHANGED, Report, Verdict
from kifold.replay.rehearsal import Rehearsing
from kifold.replay.verify import Work, verify_store

IF_IT_IS_THE_SAME = """INSERT OR REPLACE INTO pins SELECT ?1, ?2
WHERE EXISTS (SELECT 1 FROM matches WHERE id = ?1 AND last_seq = ?3)
OR EXISTS (SELECT 1 FROM archived WHERE match = ?1 AND file IN temp.rehearsed)
"""
FILES = "SELECT id, matches_hash, events_hash FROM files"


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
    ids, lengths = array("q"), array("q")

    def keep(verdicts: Sequence[Verdict]) -> None:
        for one in verdicts:
            if one.verdict == UNCHANGED:
                ids.append(one.match_id)
                lengths.append(one.events)

    rehearsed = set(store.journal.rows(FILES))
    verify_store(store, Work(done.report, target.name, workers, on_progress, Rehearsing(target), keep))
    with store.journal.writing() as db:
        # By its number alone a file is not known again: that of one that was replaced is given anew.
        same = [file for file in store.journal.rows(FILES) if file in rehearsed]
        db.execute("CREATE TEMP TABLE rehearsed (id INTEGER PRIMARY KEY)")
        db.executemany("INSERT INTO rehearsed VALUES (?)", [file[:1] for file in same])
        before = db.total_changes
        db.executemany(IF_IT_IS_THE_SAME, zip(ids, repeat(target.revision), lengths, strict=False))
        done.matches = db.total_changes - before
        db.execute("DROP TABLE temp.rehearsed")
    return done
