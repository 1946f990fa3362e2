"""From archive tables to arrays that the compiled rules fold, without an object per event.

Nothing in a file is trusted: what a column says outside the declared range would lead compiled code astray, so it is
found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import compress, pairwise
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from kifold.core.codec import DIGEST_SIZE, encode
from kifold.core.corpus import Corpus, array_of
from kifold.core.events import Started, tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.flat import flatten_setup
from kifold.core.options import RulesetError
from kifold.core.records import Record, dtype_of
from kifold.core.ruleset import Ruleset
from kifold.core.schema import columns_of
from kifold.core.wire import encode_corpus
from kifold.records.errors import StoreError
from kifold.records.tables import row_started

BEGINNING = ("variant", "revision", "schema", "options", "seats", "tags", "setup")
"""The columns of `matches` that event 0 is made of."""


@dataclass(frozen=True)
class Group:
    """A row group of the archive as arrays.

    Attributes:
        rows: the rows of `matches` as mappings.
        started: event 0 per match, or the reason why the row cannot be one.
        corpus: setups and events; only meaningful where `is_plain`.
        seats: the stored seat per event, −1 for none.
        is_plain: per match, whether all its events are the ruleset's own and in range: others are folded one by one.
        is_strange: per match, whether a column is filled in the row of an event that has no such field.
    """

    rows: Sequence[dict[str, Any]]
    started: Sequence[Started | str]
    corpus: Corpus
    seats: np.ndarray[Any, Any]
    is_plain: np.ndarray[Any, Any]
    is_strange: np.ndarray[Any, Any]

    def only(self, wanted: np.ndarray[Any, Any]) -> Group:
        """The matches for which `wanted` is true, alone."""
        if wanted.all():
            return self
        of_events = np.repeat(wanted, np.diff(self.corpus.starts))
        return Group(
            list(compress(self.rows, wanted)),
            list(compress(self.started, wanted)),
            self.corpus.only(wanted),
            self.seats[of_events],
            self.is_plain[wanted],
            self.is_strange[wanted],
        )


def read_group(ruleset: Ruleset, matches: pa.Table, events: pa.Table) -> Group:
    """Turn the tables of a row group into arrays.

    Raises:
        StoreError: when the events do not belong to the matches row by row.
    """
    rows = matches.to_pylist()
    counts = np.array([row["n_events"] for row in rows], np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    _check_rows(matches["match_id"].to_numpy(), counts, starts, events)
    records = np.zeros(len(events), dtype_of(ruleset.event_record))
    tags = _numbers(events["tag"], 0)
    records["tag"] = tags
    good = np.isin(tags, [tag_of(event) for event in ruleset.events])
    for event in ruleset.events:
        rows_of = tags == tag_of(event)
        for field in fields_of(event):
            good &= ~rows_of | _fill(records, field, events[field.name], rows_of)
    is_plain = _all_of_each(good, starts)
    is_strange = ~_all_of_each(_at_home(ruleset, events, tags), starts)
    setups, started = _setups(ruleset, rows)
    is_plain &= np.array([isinstance(one, Started) for one in started], bool)
    corpus, seats = Corpus(ruleset, setups, records, starts), _numbers(events["seat"], -1)
    return Group(rows, started, corpus, seats, is_plain, is_strange)


def _all_of_each(good: np.ndarray[Any, Any], starts: np.ndarray[Any, Any]) -> Any:
    """Per match, whether all its events are good."""
    return np.logical_and.reduceat(np.append(good, True), starts[:-1]) | (np.diff(starts) == 0)


def _at_home(ruleset: Ruleset, events: pa.Table, tags: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Per event, whether only the columns of its own fields are filled (`seat` is everybody's)."""
    good = np.ones(len(events), bool)
    for name in columns_of(ruleset):
        if name != "seat":
            having = [tag_of(e) for e in ruleset.known if any(f.name == name for f in fields_of(e))]
            good &= np.asarray(events[name].is_null().to_numpy()) | np.isin(tags, having)
    return good


def _check_rows(
    ids: np.ndarray[Any, Any], counts: np.ndarray[Any, Any], starts: np.ndarray[Any, Any], events: pa.Table
) -> None:
    owners = np.repeat(ids, counts)
    numbers = np.arange(1, len(owners) + 1) - np.repeat(starts[:-1], counts)
    if (
        len(owners) != len(events)
        or not np.array_equal(events["match_id"].to_numpy(), owners)
        or not np.array_equal(events["seq"].to_numpy(), numbers)
        or not (np.diff(ids) > 0).all()
    ):
        raise StoreError("the rows of events are not those of the matches (a match_id, a seq or a row is wrong)")


def _numbers(column: pa.ChunkedArray, missing: int) -> np.ndarray[Any, Any]:
    return np.asarray(column.fill_null(missing).to_numpy())


def _fill(records: np.ndarray[Any, Any], field: Field, column: pa.ChunkedArray, rows_of: np.ndarray[Any, Any]) -> Any:
    """Write a column into the records where it belongs; whether each value is in its range."""
    if field.kind == "ints":
        return _fill_lists(records, field, column, rows_of)
    if field.kind == "bool":
        column = column.cast(pa.int8())
    if field.since > 1:
        column = column.fill_null(int(field.default))
    values = _numbers(column, field.low - 1 if field.low > -128 else 127).astype(np.int64)
    good = (values >= field.low) & (values <= field.high)
    records[field.name] = np.where(rows_of & good, values, records[field.name])
    return good


def _fill_lists(
    records: np.ndarray[Any, Any], field: Field, column: pa.ChunkedArray, rows_of: np.ndarray[Any, Any]
) -> Any:
    lists = column.combine_chunks()
    missing = -1 if field.since == 1 else 0
    counts = np.asarray(lists.value_lengths().fill_null(missing).to_numpy(zero_copy_only=False))
    good = (counts >= 0) & (counts <= field.length)
    values = np.asarray(lists.flatten().fill_null(field.low - 1).to_numpy(zero_copy_only=False)).astype(np.int64)
    owner = np.repeat(np.arange(len(counts)), np.maximum(counts, 0))
    bad = (values < field.low) | (values > field.high)
    good[owner[bad]] = False
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.maximum(counts, 0))[:-1]]) if len(counts) else counts
    keep = (good & rows_of)[owner]
    place = np.arange(len(values)) - first[owner]
    records[field.name][owner[keep], place[keep]] = values[keep]
    records[f"n_{field.name}"] = np.where(rows_of & good, counts, records[f"n_{field.name}"])
    return good


def _setups(ruleset: Ruleset, rows: Sequence[dict[str, Any]]) -> tuple[np.ndarray[Any, Any], list[Started | str]]:
    """The setup records, and event 0 of each match; equal beginnings are worked out once."""
    known: dict[str, tuple[Started | str, Record]] = {}
    started: list[Started | str] = []
    records: list[Record] = []
    for row in rows:
        key = repr([row[name] for name in BEGINNING])
        if key not in known:
            known[key] = _one_setup(ruleset, row)
            if len(known) > 4096:
                known = {key: known[key]}
        started.append(known[key][0])
        records.append(known[key][1])
    return array_of(ruleset.setup_record, records), started


def _one_setup(ruleset: Ruleset, row: dict[str, Any]) -> tuple[Started | str, Record]:
    try:
        started = row_started(ruleset, row)
        if started.seats not in ruleset.variant(started.variant).seats:
            raise RulesetError(f"{started.seats} seats")
        return started, flatten_setup(ruleset, started)
    except (ValueError, LookupError, TypeError, AttributeError, msgspec.ValidationError) as error:
        return str(error), ruleset.setup_record()


def digests(group: Group) -> list[bytes]:
    """The digest of every match of a group of plain ones, recomputed from the columns."""
    data, ends = encode_corpus(group.corpus.ruleset, group.corpus.events, group.corpus.starts)
    heads: dict[int, bytes] = {}
    out = []
    for started, (begin, end) in zip(group.started, pairwise(ends), strict=True):
        assert isinstance(started, Started)
        head = heads.get(id(started))
        if head is None:
            head = heads[id(started)] = encode(started)
        hashed = blake2b(head, digest_size=DIGEST_SIZE)
        hashed.update(data[begin:end])
        out.append(hashed.digest())
    return out
