"""The effects that stored matches have: archived ones row group by row group, compiled where there are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kifold.core.codec import valid, valid_started
from kifold.core.compiled import compiled
from kifold.core.corpus import Folder
from kifold.core.names import LEGAL
from kifold.core.play import Refused, fold
from kifold.core.registry import names, ruleset
from kifold.core.ruleset import Ruleset
from kifold.records.archive import UNREADABLE
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.judge import MANY, judge_logs
from kifold.records.log import Log, batches
from kifold.records.reading import Group, read_group
from kifold.records.store import Store
from kifold.records.tables import rows_to_logs
from kifold.replay.coverage import Coverage, Coverages, OnLeftOut

OnProgress = Callable[[int, int], None]


def count_stored(
    found: Coverages, store: Store, only: str | None, on_left_out: OnLeftOut, on_progress: OnProgress
) -> None:
    """Count the effects of all matches of a store. Digests and results are not looked at: `kifold verify` does that.

    Args:
        found: is added to.
        only: the name of a ruleset to restrict to.
        on_progress: called with the numbers of matches and events of each part; it must not write to the store.
    """
    with store.journal.reading():
        for name, many in sorted(store.counts().items()):
            if only not in (None, name):
                continue
            if name not in names():
                on_left_out(f"{sum(many):,} matches of {name} are left out: this ruleset is not installed")
                continue
            count = _Count(found.setdefault(name, Coverage(ruleset(name))), on_left_out)
            for _, file in store.files(name):
                count.pins, count.inherited = store.pins(file), store.inherited(file)
                for matches, events in _row_groups(store, name, file, on_left_out):
                    count.add_group(matches, events)
                    on_progress(len(matches), len(events))
            count.inherited = store.inherited()
            for batch in batches(store.live_logs(store.journal.ids(name), count.leave_out)):
                count.add_logs(batch)
                on_progress(len(batch), sum(len(log.events) for log in batch))


def _row_groups(store: Store, name: str, file: str, on_left_out: OnLeftOut) -> Iterator[tuple[pa.Table, pa.Table]]:
    """The matches and events of each row group of a file, without those that were deleted or replaced."""
    gone = pa.array(store.tombstones(file), pa.int64())
    try:
        reader = store.reader(name, file)
    except StoreError as error:
        on_left_out(str(error))
        return
    for number in range(reader.groups):
        try:
            tables = reader.group(number)
        except StoreError as error:
            on_left_out(str(error))
        else:
            matches, events = (t.filter(pc.invert(pc.is_in(t["match_id"], gone))) if gone else t for t in tables)
            yield matches, events


class _Count:
    """Counts the effects of matches of one ruleset.

    Attributes:
        pins: the revision of each match of the file being counted that was promoted to another than its log names.
        inherited: how many of its first events a fork among the matches being counted has from its parent. What they
            force counts there.
    """

    def __init__(self, coverage: Coverage, on_left_out: OnLeftOut) -> None:
        self.coverage = coverage
        self.rules = coverage.rules
        self.pins: Mapping[int, int] = {}
        self.inherited: Mapping[int, int] = {}
        self._on_left_out = on_left_out

    def leave_out(self, match: int, why: object) -> None:
        """Say that a match is not counted."""
        self._on_left_out(f"match {id_text(match)} is left out: {why}")

    def add_logs(self, logs: Sequence[Log]) -> None:
        """Count logs whose values are in their ranges, and whose rules are installed."""
        for log in logs:
            if log.match_id in self.inherited:
                self._add_fork(log)
        whole = [log for log in logs if log.match_id not in self.inherited]
        for log, judged in zip(whole, judge_logs(whole), strict=True):
            if isinstance(judged, Refused):
                self.leave_out(log.match_id, judged)
            else:
                self.coverage.add_matches(log.started.variant, Counter([judged.effects]))

    def _add_fork(self, log: Log) -> None:
        try:
            play, refused = fold(log.rules, log.started, log.events)
        except Refused as refusal:
            self.leave_out(log.match_id, refusal)
            return
        if refused:
            self.leave_out(log.match_id, refused)
            return
        shared = self.inherited[log.match_id]
        own = (effects for (seq, _), effects in zip(play.effective, play.effects, strict=True) if seq > shared)
        self.coverage.add_matches(log.started.variant, Counter([reduce(or_, own, 0)]))

    def add_group(self, matches: pa.Table, events: pa.Table) -> None:
        """Count a row group, each match under the revision of the rules that it is played under: those of the ruleset's
        own events at once, where there are many, others one by one.
        """
        try:
            group = read_group(self.rules, matches, events)
        except (StoreError, *UNREADABLE) as error:
            self._on_left_out(f"{len(matches):,} matches of {self.rules.name} are left out: {error}")
            return
        ids = matches["match_id"].to_numpy()
        pinned = [self.pins.get(*row) for row in zip(ids.tolist(), matches["revision"].to_pylist(), strict=True)]
        revisions = np.array([revision or 0 for revision in pinned], np.int64)
        at_once = group.is_plain & ~group.is_strange & (len(matches) >= MANY)
        for revision in np.unique(revisions).tolist():
            own = revisions == revision
            if revision not in self.rules.revisions:
                said = f"revision {revision} of {self.rules.name} is not installed"
                self._on_left_out(f"{np.count_nonzero(own):,} matches are left out: {said}")
                continue
            if (own & at_once).any():
                self._add_plain(self.rules.at(revision), group.only(own & at_once), ids[own & at_once])
            slow = np.flatnonzero(own & ~at_once).tolist()
            self.add_logs([log for m in slow if (log := self._log(group, m, matches, events))])

    def _add_plain(self, rules: Ruleset, group: Group, ids: np.ndarray[Any, Any]) -> None:
        found = Folder(rules, compiled(rules)).fold(group.corpus)
        folded = found.matches
        is_legal = folded["reason"] == LEGAL
        for m, match in enumerate(ids.tolist() if self.inherited else ()):
            if match in self.inherited:
                first, last = group.corpus.starts[m] + self.inherited[match], group.corpus.starts[m + 1]
                folded["effects"][m] = np.bitwise_or.reduce(found.per_event["effects"][first:last])
        for number, variant in enumerate(rules.variants):
            masks = folded["effects"][is_legal & (group.corpus.setups["variant"] == number)]
            values, many = np.unique(masks, return_counts=True)
            if len(values):
                counted = Counter(dict(zip(values.tolist(), many.tolist(), strict=True)))
                self.coverage.add_matches(variant.name, counted)
        for m in np.flatnonzero(~is_legal).tolist():
            name = rules.reasons[int(folded["reason"][m])]
            self.leave_out(int(ids[m]), Refused(int(folded["done"][m]) + 1, name.name, name.meaning))

    def _log(self, group: Group, m: int, matches: pa.Table, events: pa.Table) -> Log | None:
        """Match number m of a row group, if it can be read."""
        first, last = group.corpus.starts[m], group.corpus.starts[m + 1]
        match = matches["match_id"][m].as_py()
        try:
            if group.is_strange[m]:
                raise ValueError("a column is filled that its event does not have")
            log = next(rows_to_logs(self.rules, matches.slice(m, 1), events.slice(first, last - first)))
            started = valid_started(self.rules, log.started)
            own = [valid(self.rules, event) for event in log.events]
            return replace(log, started=started, events=own, promoted=self.pins.get(match))
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            self.leave_out(match, f"it cannot be read: {error}")
            return None
