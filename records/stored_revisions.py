"""Which revisions of a ruleset the matches of a store are folded under."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pyarrow.compute as pc
import pyarrow.parquet as pq

from kifold.core.codec import decode_started
from kifold.core.ruleset import Ruleset
from kifold.records.archive import paths
from kifold.records.store import Store
from kifold.records.unreadable import UNREADABLE

PINNED_LIVE = """
SELECT revision, count(*) FROM pins JOIN matches ON matches.id = pins.match WHERE ruleset = ? GROUP BY 1
"""
PINNED = """
SELECT pins.revision, count(*) FROM pins JOIN archived USING (match) JOIN files ON files.id = file WHERE ruleset = ?
GROUP BY 1
"""


def stored_revisions(store: Store, rules: Ruleset, *, archived: bool, least: int = 1) -> list[int]:
    """Those of the installed revisions that so many archived or live matches name or are pinned to, ascending.

    What cannot be read names none. Where one revision is installed nothing is counted.
    """
    if len(rules.revisions) == 1:
        return list(rules.revisions)
    found = Counter(dict(store.journal.rows(PINNED if archived else PINNED_LIVE, (rules.name,))))
    found += _archived(store, rules) if archived else _live(store, rules)
    return [revision for revision in sorted(rules.revisions) if found[revision] >= least]


def _archived(store: Store, rules: Ruleset) -> Counter[int]:
    found = Counter[int]()
    for name in store.journal.column("SELECT name FROM files WHERE ruleset = ?", (rules.name,)):
        with suppress(*UNREADABLE):
            column = pq.read_table(paths(store.archive_folder, rules.name, name)[0], columns=["revision"])
            for counts in pc.value_counts(column["revision"]).to_pylist():
                found[counts["values"]] += counts["counts"]
    return found


def _live(store: Store, rules: Ruleset) -> Counter[int]:
    found = Counter[int]()
    for started in store.journal.column("SELECT started FROM matches WHERE ruleset = ?", (rules.name,)):
        with suppress(*UNREADABLE):
            found[decode_started(started).revision] += 1
    return found
