"""The rows of several archive files in one order, row group by row group, as they are.

Nothing is computed anew: digests, fingerprints and results stay what was written beside their logs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kifold.records.archive import ROWS_PER_GROUP, FileReader
from kifold.records.errors import StoreError
from kifold.records.store import Store

HELD = 2_000_000
"""Rows of events that are kept for the next row group, at most. What lies beyond is read again when it is needed."""


@dataclass(frozen=True, slots=True)
class Part:
    """A row group of a file, and those of its matches that are kept.

    Attributes:
        ids: of the matches, ascending.
        lengths: how many events each has.
    """

    store: Store
    file: tuple[str, str]
    number: int
    ids: np.ndarray[Any, Any]
    lengths: np.ndarray[Any, Any]

    def rows(self, columns: pa.Schema) -> tuple[pa.Table, pa.Table]:
        """The matches of the whole row group, and its events in these columns. The file is open for this long only:
        there may be many.
        """
        return self.store.reader(*self.file).group(self.number, columns)


def parts_of(store: Store, file: tuple[str, str], reader: FileReader, without: Collection[int]) -> list[Part]:
    """The row groups of a file, without some matches.

    Raises:
        StoreError: when they cannot be read.
    """
    found = []
    gone = np.array(sorted(without), np.int64)
    for number in range(reader.groups):
        table = reader.lengths(number)
        ids, lengths = table["match_id"].to_numpy(), table["n_events"].to_numpy()
        keep = ~np.isin(ids, gone)
        found.append(Part(store, file, number, ids[keep], lengths[keep]))
    return found


def merged(parts: Sequence[Part], columns: pa.Schema) -> Iterator[tuple[pa.Table, pa.Table]]:
    """The matches and the events of all parts, by match id, in row groups of about `ROWS_PER_GROUP` events.

    In memory lie one row group of the result, and of the parts the one being read and `HELD` rows.

    Args:
        parts: from files of the same columns of matches.
        columns: those of the events.

    Raises:
        StoreError: when a part cannot be read.
    """
    held: dict[int, tuple[pa.Table, pa.Table]] = {}
    for first, last in _groups(parts):
        pieces = []
        for at, part in enumerate(parts):
            begin, end = np.searchsorted(part.ids, [first, last + 1])
            if begin == end:
                continue
            tables = held.pop(at, None) or part.rows(columns)
            pieces.append(_only(part, *tables, begin, end))
            if end < len(part.ids) and sum(len(events) for _, events in held.values()) + len(tables[1]) <= HELD:
                held[at] = tables
        yield _in_order([matches for matches, _ in pieces]), _in_order([events for _, events in pieces])


def _groups(parts: Sequence[Part]) -> Iterator[tuple[int, int]]:
    """The first and the last match id of each row group of the result.

    They are equal shares of `ROWS_PER_GROUP` to twice as many events, each to the next boundary of a match.
    """
    ids = np.concatenate([part.ids for part in parts])
    if not len(ids):
        return
    order = np.argsort(ids)
    ends = np.cumsum(np.concatenate([part.lengths for part in parts])[order], dtype=np.int64)
    many = max(1, int(ends[-1]) // ROWS_PER_GROUP)
    cuts = np.searchsorted(ends, [ends[-1] * i // many for i in range(1, many)])
    cuts = np.unique([-1, *cuts, len(ids) - 1])
    for before, last in pairwise(cuts):
        yield int(ids[order[before + 1]]), int(ids[order[last]])


def _only(part: Part, matches: pa.Table, events: pa.Table, begin: int, end: int) -> tuple[pa.Table, pa.Table]:
    """The rows of the matches number `begin` … `end` − 1 of a part."""
    if len(matches) != end - begin:
        wanted = pa.array(part.ids[begin:end])
        matches, events = (table.filter(pc.is_in(table["match_id"], wanted)) for table in (matches, events))
    if (len(matches), len(events)) != (end - begin, part.lengths[begin:end].sum()):
        raise StoreError(f"{part.file[1]}, row group {part.number}: its events are not those of its matches")
    return matches, events


def _in_order(pieces: Sequence[pa.Table]) -> pa.Table:
    """Tables that are each sorted, as one: by match id, and rows of a match in the order that they have."""
    if len(pieces) == 1:
        return pieces[0]
    table = pa.concat_tables(pieces).combine_chunks()
    return table.take(np.argsort(table["match_id"].to_numpy(), kind="stable"))
