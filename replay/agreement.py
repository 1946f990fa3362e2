"""Which matches of a row group are what the fold says, in every column: compared at once, without words on others."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kifold.core.compiled import compiled
from kifold.core.corpus import Corpus, Folded, Folder
from kifold.core.kernels import kernels
from kifold.core.once import once
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.records.buffers import is_there, joined, offsets_of, texts, truths
from kifold.records.folded import fingerprints, seat_column
from kifold.records.reading import Group, all_of_each, digests

Truths = Any
"""An array of truth values."""


def confirmed(rules: Ruleset, group: Group) -> tuple[Truths, Truths]:
    """Fold a group of plain matches, all under one revision.

    Returns:
        Per match whether it is exact: legal, and everything that is stored beside it is what the fold says; and
        whether it has ended.
    """
    folded = Folder(rules, compiled(rules)).fold(group.corpus)
    lengths, matches = np.diff(group.corpus.starts), group.matches
    is_over = folded.matches["turn"] == NOBODY
    fine = (folded.matches["reason"] == 0) & (folded.matches["done"] == lengths)
    fine &= _same_digests(joined(matches["digest"]), digests(group))
    fine &= same_fingerprints(joined(matches["fingerprints"]), folded)
    fine &= _same_results(joined(matches["result"]), group.corpus, folded)
    fine &= _same_endings(matches, is_over)
    fine &= all_of_each(group.seats == seat_column(group.corpus, folded), group.corpus.starts)
    return fine, is_over


def _same_digests(stored: pa.Array, found: np.ndarray[Any, Any]) -> Truths:
    count, size = found.shape
    if stored.null_count == count:
        return np.zeros(count, bool)
    data = np.frombuffer(stored.buffers()[1], np.uint8)[stored.offset * size :][: count * size]
    return (data.reshape(count, size) == found).all(axis=1) & is_there(stored)


def same_fingerprints(stored: pa.Array, folded: Folded) -> Truths:
    """Per match whether the fingerprints that are stored of it are those of the fold."""
    same = is_there(stored)
    prints, ends = fingerprints(folded)
    then = texts(stored)
    _comparer()(then.data, then.ends, prints, ends, same)
    return same


@once
def _comparer() -> Any:
    return kernels(_compare)["_compare"]


def _compare(data: Any, ends: Any, other: Any, other_ends: Any, same: Any) -> None:
    """Unset where part m of the one is not part m of the other."""
    for m in range(len(same)):
        first, begin = ends[m], other_ends[m]
        length = ends[m + 1] - first
        if length != other_ends[m + 1] - begin:
            same[m] = False
            continue
        for b in range(length):
            if data[first + b] != other[begin + b]:
                same[m] = False


def _same_endings(matches: pa.Table, is_over: Truths) -> Truths:
    """That a match has ended or not, and by the rules: other endings are events, and a plain match has none."""
    finished, ending = joined(matches["finished"]), joined(matches["ending"])
    by_rules = truths(pc.equal(ending, "rules").fill_null(False))
    return is_there(finished) & (truths(finished) == is_over) & (is_there(ending) == is_over) & (by_rules == is_over)


def _same_results(stored: pa.Array, corpus: Corpus, folded: Folded) -> Truths:
    """Whether the standings are the stored ones; a part that is newer than the file is not asked for."""
    seats = corpus.setups["seats"]
    same = is_there(stored) & (np.diff(offsets_of(stored)) == seats)
    for count in np.unique(seats[same]).tolist():
        these = same & (seats == count)
        if these.all():
            return _same_standings(corpus.ruleset, count, stored, folded.results)
        same[these] = _same_standings(corpus.ruleset, count, stored.filter(pa.array(these)), folded.results[these])
    return same


def _same_standings(rules: Ruleset, seats: int, stored: pa.Array, results: np.ndarray[Any, Any]) -> Truths:
    """The same of matches with so many seats, and as many standings."""
    ends = offsets_of(stored)
    standings = stored.values.slice(ends[0], ends[-1] - ends[0])
    same = np.ones(len(standings), bool)
    wanted = _standings(rules, seats, results)
    for part, values in zip(standings.type, standings.flatten(), strict=True):
        same &= _equal(values, wanted.get(part.name))
    return same.reshape(len(stored), seats).all(axis=1)


def _standings(rules: Ruleset, seats: int, results: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any] | None]:
    """The parts of the standing of each seat, one after the other; None for a part that is null."""
    ranks = results["rank"][:, :seats]
    shared = np.zeros(ranks.shape, bool)
    for one, other in combinations(range(seats), 2):
        shared[:, [one, other]] |= (ranks[:, one] == ranks[:, other])[:, None]
    parts: dict[str, np.ndarray[Any, Any] | None] = {
        "seat": np.tile(np.arange(seats, dtype=np.int8), len(results)),
        "rank": ranks.reshape(-1),
        "shared": shared.reshape(-1),
        "score": results["score"][:, :seats].reshape(-1) if rules.has_score else None,
    }
    for slot in rules.components:
        width = slot.length // rules.most_seats
        parts[slot.name] = results[slot.name][:, : seats * width].reshape((-1, width) if width > 1 else -1)
    return parts


def _equal(stored: pa.Array, wanted: np.ndarray[Any, Any] | None) -> Truths:
    if wanted is None:
        return np.asarray(stored.is_null())
    same = is_there(stored)
    if pa.types.is_list(stored.type):
        ends = offsets_of(stored).astype(np.int64)
        same &= np.diff(ends) == wanted.shape[1]
        values = stored.values
        if not same.all() or values.null_count:
            return same & np.array([one == now for one, now in zip(stored.to_pylist(), wanted.tolist(), strict=True)])
        flat = values.slice(ends[0], ends[-1] - ends[0]).to_numpy().reshape(wanted.shape)
        return same & (flat == wanted).all(axis=1)
    if pa.types.is_boolean(stored.type):
        return same & (truths(stored) == wanted)
    return same & (np.asarray(stored.fill_null(0) if stored.null_count else stored) == wanted)
