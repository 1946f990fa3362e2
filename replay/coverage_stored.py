"""The effects that stored matches have: archived ones row group by row group, compiled where there are many."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa

from kifold.core.codec import valid, valid_started
from kifold.core.compiled import compiled
from kifold.core.corpus import Folder
from kifold.core.counted import counted
from kifold.core.names import LEGAL
from kifold.core.play import Refused, fold
from kifold.core.registry import ruleset, why_not
from kifold.core.ruleset import Ruleset
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.judge import MANY, judge_logs
from kifold.records.log import Log, batches
from kifold.records.reading import Group, prepare, read_group
from kifold.records.row_groups import RowGroups, revisions_of
from kifold.records.store import Store
from kifold.records.tables import rows_to_logs
from kifold.records.unreadable import UNREADABLE
from kifold.replay.coverage import Coverage, Coverages, OnLeftOut
from kifold.replay.verdicts import STRANGE

OnProgress = Callable[[int, int], None]


def count_stored(
    found: Coverages, store: Store, only: str | None, workers: int, on_left_out: OnLeftOut, on_progress: OnProgress
) -> None:
    """Count the effects of all matches of a store. Digests and results are not looked at: `kifold verify` does that.

    Args:
        found: is added to.
        only: the name of a ruleset to restrict to.
        workers: so many threads.
        on_progress: called with the numbers of matches and events of each part; it must not write to the store.
    """
    with store.journal.reading():
        for name, many in sorted(store.counts().items()):
            if only not in (None, name):
                continue
            if why := why_not(name):
                on_left_out(_left_out(sum(many), name, why))
                continue
            coverage = found.setdefault(name, Coverage(ruleset(name)))
            for part in _parts(store, coverage.rules, workers, on_left_out):
                for line in part.left_out:
                    on_left_out(line)
                for variant, masks in part.masks.items():
                    coverage.add_matches(variant, masks)
                on_progress(part.matches, part.events)


def _parts(store: Store, rules: Ruleset, workers: int, on_left_out: OnLeftOut) -> Iterator[_Part]:
    """What was counted of each row group of a ruleset, and of its live matches."""
    for _, file in store.files(rules.name):
        try:
            groups = RowGroups(store.archive_folder, rules, file, store.tombstones(file))
        except StoreError as error:
            on_left_out(str(error))
            continue
        pins, inherited = store.pins(file), store.inherited(file)

        def counted(
            matches: pa.Table,
            events: pa.Table,
            pins: Mapping[int, int] = pins,
            inherited: Mapping[int, int] = inherited,
        ) -> _Part:
            part = _Part(rules, inherited, len(matches), len(events))
            part.add_group(matches, events, pins)
            return part

        for outcome in groups.each(counted, workers):
            if isinstance(outcome, StoreError):
                on_left_out(str(outcome))
            else:
                yield outcome
    inherited = store.inherited()

    def leave_out(match: int, why: str) -> None:
        on_left_out(f"match {id_text(match)} is left out: {why}")

    for logs in batches(store.live_logs(store.journal.ids(rules.name), leave_out)):
        part = _Part(rules, inherited, len(logs), sum(len(log.events) for log in logs))
        part.add_logs(logs)
        yield part


@dataclass(slots=True)
class _Part:
    """What is counted of some matches of one ruleset.

    Attributes:
        inherited: how many of its first events a fork among them has from its parent. What they force counts there.
        matches, events: how many there are.
        masks: by variant, how many matches have the effects of a mask.
        left_out: one line for each match that is not counted, and why.
    """

    rules: Ruleset
    inherited: Mapping[int, int]
    matches: int
    events: int
    masks: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    left_out: list[str] = field(default_factory=list)

    def leave_out(self, match: int, why: object) -> None:
        """Say that a match is not counted."""
        self.left_out.append(f"match {id_text(match)} is left out: {why}")

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
                self.masks[log.started.variant][judged.effects] += 1

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
        self.masks[log.started.variant][reduce(or_, own, 0)] += 1

    def add_group(self, matches: pa.Table, events: pa.Table, pins: Mapping[int, int]) -> None:
        """Count a row group, each match under the revision of the rules that it is played under: those of the ruleset's
        own events at once, where there are many, others one by one.
        """
        prepare()
        try:
            group = read_group(self.rules, matches, events)
        except (StoreError, *UNREADABLE) as error:
            self.left_out.append(_left_out(len(matches), self.rules.name, str(error)))
            return
        ids = matches["match_id"].to_numpy()
        revisions = revisions_of(matches, pins)
        at_once = group.is_plain & ~group.is_strange & (len(matches) >= MANY)
        for revision in np.unique(revisions).tolist():
            own = revisions == revision
            if revision not in self.rules.revisions:
                why = f"revision {revision} is not installed"
                self.left_out.append(_left_out(int(np.count_nonzero(own)), self.rules.name, why))
                continue
            if (own & at_once).any():
                self._add_plain(self.rules.at(revision), group.only(own & at_once), ids[own & at_once])
            slow = np.flatnonzero(own & ~at_once).tolist()
            self.add_logs([log for m in slow if (log := self._log(group, m, matches, events, pins))])

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
                self.masks[variant.name].update(dict(zip(values.tolist(), many.tolist(), strict=True)))
        for m in np.flatnonzero(~is_legal).tolist():
            name = rules.reason(int(folded["reason"][m]))
            self.leave_out(int(ids[m]), Refused(int(folded["done"][m]) + 1, name.name, name.meaning))

    def _log(self, group: Group, m: int, matches: pa.Table, events: pa.Table, pins: Mapping[int, int]) -> Log | None:
        """Match number m of a row group, if it can be read."""
        first, last = group.corpus.starts[m], group.corpus.starts[m + 1]
        match = matches["match_id"][m].as_py()
        try:
            if group.is_strange[m]:
                raise ValueError(STRANGE)
            log = next(rows_to_logs(self.rules, matches.slice(m, 1), events.slice(first, last - first)))
            started = valid_started(self.rules, log.started)
            own = [valid(self.rules, event) for event in log.events]
            return replace(log, started=started, events=own, promoted=pins.get(match))
        except UNREADABLE as error:
            self.leave_out(match, f"it cannot be read: {error}")
            return None


def _left_out(count: int, name: str, why: str) -> str:
    return f"{counted(count, f'match of {name} is', f'matches of {name} are')} left out: {why}"
