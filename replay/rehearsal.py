"""A change of the rules, rehearsed: every stored log under another revision than the one that it is pinned to.

A match that does not hold under its own rules is said to be so; of the others each is unchanged (or pinned to that
revision anyway, and exact), arrives at the same result by another way or at another result, or is illegal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kifold.core.events import Started
from kifold.core.ruleset import Ruleset
from kifold.records.judge import MANY
from kifold.records.log import Log
from kifold.records.reading import read_group
from kifold.records.tables import row_started, rows_to_logs
from kifold.replay.causes import EXACT, OTHER_WAY, UNCHANGED, Verdict, cause_of
from kifold.replay.partings import Parting, is_declared_alike, parting, partings
from kifold.replay.verdicts import verify_group, verify_live


@dataclass(frozen=True, slots=True)
class Rehearsing:
    """What is asked of stored matches (see `kifold.replay.verify`): what they become under the revision `target`."""

    target: Ruleset

    def group(
        self, rules: Ruleset, matches: pa.Table, events: pa.Table, pins: Mapping[int, int], beside: int
    ) -> Sequence[Verdict]:
        """The verdict of each match of a row group."""
        found = verify_group(rules, matches, events, pins, self.target, beside)
        of_logs = matches["revision"].to_pylist()
        revisions = [pins.get(one.match_id, of_log) for one, of_log in zip(found, of_logs, strict=True)]
        # Of a match whose own rules are not installed nobody can say that nothing changes.
        is_same = [one.is_fine and r in rules.revisions for one, r in zip(found, revisions, strict=True)]
        others = self._others(rules, matches, events, pins, [not same for same in is_same])
        return [
            self._unchanged(one, revision) if same else others[one.match_id]
            for one, revision, same in zip(found, revisions, is_same, strict=True)
        ]

    def live(self, log: Log, digest: bytes, *, is_over: bool) -> Verdict:
        """The verdict of a live match."""
        own = verify_live(log, digest, is_over=is_over)
        if not own.is_fine:
            return own
        return self._parted(own, log.started, log.rules, parting(log.rules, self.target, log.started, log.events))

    def _parted(self, own: Verdict, started: Started, rules: Ruleset, found: Parting | None) -> Verdict:
        if found is None and not is_declared_alike(rules, self.target):
            found = Parting(OTHER_WAY, own.events, "", ("state",), "its fields are declared otherwise")
        if found is None:
            return self._unchanged(own, rules.revision)
        to = self.target.revision
        cause = cause_of(rules, started, found.outcome, found.what, found.event, revision=rules.revision, to=to)
        return Verdict(
            own.match_id, own.ruleset, found.outcome, str(found), own.is_unfinished, found.seq, own.events, cause
        )

    def _unchanged(self, one: Verdict, revision: int) -> Verdict:
        verdict = EXACT if revision == self.target.revision else UNCHANGED
        return Verdict(one.match_id, one.ruleset, verdict, "", one.is_unfinished, None, one.events)

    def _others(
        self, rules: Ruleset, matches: pa.Table, events: pa.Table, pins: Mapping[int, int], wanted: list[bool]
    ) -> dict[int, Verdict]:
        """The verdicts of the matches that are not exact under the target, by their ids."""
        matches, events = _only(matches, events, wanted)
        own = verify_group(rules, matches, events, pins) if len(matches) else ()
        matches, events = _only(matches, events, [one.is_fine for one in own])
        fine = (one for one in own if one.is_fine)
        found = {
            one.match_id: self._parted(one, *of)
            for one, of in zip(fine, self._found(rules, matches, events, pins), strict=True)
        }
        return {one.match_id: found.get(one.match_id, one) for one in own}

    def _found(
        self, rules: Ruleset, matches: pa.Table, events: pa.Table, pins: Mapping[int, int]
    ) -> Iterator[tuple[Started, Ruleset, Parting | None]]:
        """For each match, fine under its own rules: its beginning, those rules, where the target parts from them."""
        rows = matches.to_pylist()
        pinned = [rules.at(pins.get(row["match_id"], row["revision"])) for row in rows]
        fast = _partings_of_many(rules, matches, events, pinned, self.target) if len(rows) >= MANY else {}
        at = 0
        for m, row in enumerate(rows):
            started, part = row_started(rules, row), events.slice(at, row["n_events"])
            at += row["n_events"]
            if m in fast:
                yield started, pinned[m], fast[m]
            else:
                (log,) = rows_to_logs(rules, matches.slice(m, 1), part)
                yield started, pinned[m], parting(pinned[m], self.target, started, log.events)


def _partings_of_many(
    rules: Ruleset, matches: pa.Table, events: pa.Table, pinned: list[Ruleset], target: Ruleset
) -> dict[int, Parting | None]:
    """Where the target parts from the rules of each match whose events are all the ruleset's own, by its place."""
    group = read_group(rules, matches, events)
    revisions = np.array([one.revision for one in pinned])
    found: dict[int, Parting | None] = {}
    for own in dict.fromkeys(pinned):
        wanted = group.is_plain & (revisions == own.revision)
        if wanted.any():
            found |= zip(np.flatnonzero(wanted).tolist(), partings(own, target, group.only(wanted).corpus), strict=True)
    return found


def _only(matches: pa.Table, events: pa.Table, wanted: list[bool]) -> tuple[pa.Table, pa.Table]:
    """The wanted matches of a row group, with their events."""
    of_events = np.repeat(np.array(wanted, bool), matches["n_events"].to_numpy())
    return matches.filter(pa.array(wanted, pa.bool_())), events.filter(pa.array(of_events))
