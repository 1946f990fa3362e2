"""A change of the rules, rehearsed: every stored log under another revision than the one that it is pinned to.

A match that does not hold under its own rules is said to be so; of the others each is unchanged (or pinned to that
revision anyway, and exact), arrives at the same result by another way or at another result, or is illegal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa

from kifold.core.events import Started
from kifold.core.ruleset import Ruleset
from kifold.records.log import Log
from kifold.records.reading import read_group
from kifold.records.row_groups import only
from kifold.records.tables import row_started, rows_to_logs
from kifold.replay.causes import OTHER_WAY, UNCHANGED, Verdict, cause_of
from kifold.replay.partings import Parting, is_declared_alike, parting, partings
from kifold.replay.verdicts import pays_to_compile, verify_group, verify_live


@dataclass(frozen=True, slots=True)
class Rehearsing:
    """What is asked of stored matches (see `kifold.replay.verify`): what they become under the revision `target`.

    Every match is folded under its own revision as for a verification, and unless that is the target every state is
    compared: the stored fingerprints are of every sixteenth only.
    """

    target: Ruleset
    asks_of_plies: ClassVar[bool] = False
    """What was derived from matches decides nothing here."""

    def group(
        self, rules: Ruleset, matches: pa.Table, events: pa.Table, pins: Mapping[int, int], beside: int
    ) -> Sequence[Verdict]:
        """The verdict of each match of a row group."""
        found = list(verify_group(rules, matches, events, pins, beside=beside))
        of_logs = matches["revision"].to_pylist()
        revisions = [pins.get(one.match_id, of_log) for one, of_log in zip(found, of_logs, strict=True)]
        is_other = [one.is_fine and r != self.target.revision for one, r in zip(found, revisions, strict=True)]
        wanted = [m for m, other in enumerate(is_other) if other]
        pinned = [rules.at(revisions[m]) for m in wanted]
        matches, events = only(np.array(is_other, bool), matches, events)
        for m, own, part in zip(wanted, pinned, self._partings(rules, matches, events, pinned, beside), strict=True):
            found[m] = self._parted(found[m], own, *part)
        return found

    def live(self, log: Log, digest: bytes, *, is_over: bool) -> Verdict:
        """The verdict of a live match."""
        own = verify_live(log, digest, is_over=is_over)
        if not own.is_fine or log.revision == self.target.revision:
            return own
        return self._parted(own, log.rules, log.started, parting(log.rules, self.target, log.started, log.events))

    def _parted(self, one: Verdict, rules: Ruleset, started: Started | None, found: Parting | None) -> Verdict:
        """The verdict of a match that is fine under `rules`; `started` may be left out where nothing is told of it."""
        if found is None and not is_declared_alike(rules, self.target):
            found = Parting(OTHER_WAY, one.events, "", ("state",), "its fields are declared otherwise")
        if found is None:
            return replace(one, verdict=UNCHANGED)
        to = self.target.revision
        cause = cause_of(rules, started, found.outcome, found.what, found.event, revision=rules.revision, to=to)
        return replace(one, verdict=found.outcome, said=str(found), seq=found.seq, cause=cause)

    def _partings(
        self, rules: Ruleset, matches: pa.Table, events: pa.Table, pinned: list[Ruleset], beside: int
    ) -> Iterator[tuple[Started | None, Parting | None]]:
        """For each match, fine under its own rules `pinned`: where the target parts from them, and its beginning."""
        fast: dict[int, Parting | None] = {}
        if pays_to_compile(len(matches), len(events), beside):
            fast = _partings_of_many(rules, matches, events, pinned, self.target)
        ends = np.cumsum(matches["n_events"].to_numpy(), dtype=np.int64).tolist()
        for m, (own, begin, end) in enumerate(zip(pinned, [0, *ends], ends, strict=False)):
            if m in fast and fast[m] is None and is_declared_alike(own, self.target):
                yield None, None
                continue
            match = matches.slice(m, 1)
            if m in fast:
                yield row_started(rules, match.to_pylist()[0]), fast[m]
                continue
            (log,) = rows_to_logs(rules, match, events.slice(begin, end - begin))
            yield log.started, parting(own, self.target, log.started, log.events)


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
