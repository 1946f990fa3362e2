"""From archive tables to arrays that the compiled rules fold, without an object per event or match.

Nothing in a file is trusted: what a column says outside the declared range would lead compiled code astray, so it is
found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from kifold.core.beginnings import Beginnings
from kifold.core.codec import DIGEST_SIZE
from kifold.core.corpus import Corpus
from kifold.core.events import Started
from kifold.core.flat import flatten_setup
from kifold.core.hashing import hash_slices
from kifold.core.kernels import kernels
from kifold.core.once import once
from kifold.core.options import RulesetError
from kifold.core.ruleset import Ruleset
from kifold.core.wire import encode_logs
from kifold.records.beginnings import kernels_of_beginnings, read_beginnings
from kifold.records.buffers import joined
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.tables import row_started
from kifold.records.unpacking import kernels_of_columns, unpack_events


@dataclass(frozen=True)
class Group:
    """A row group of the archive as arrays.

    Attributes:
        matches: the table.
        corpus: setups and events; only meaningful where `is_plain`.
        beginnings: event 0 as bytes; only meaningful where `is_plain`.
        seats: the stored seat per event, −1 for none.
        is_plain: per match, whether event 0 can be read, and all its events are the ruleset's own and in range: others
            are folded one by one.
        is_strange: per match, whether a column is filled in the row of an event that has no such field.
    """

    matches: pa.Table
    corpus: Corpus
    beginnings: Beginnings
    seats: np.ndarray[Any, Any]
    is_plain: np.ndarray[Any, Any]
    is_strange: np.ndarray[Any, Any]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of `matches` as mappings: some microseconds for each, for where something is told of them."""
        rows: list[dict[str, Any]] = self.matches.to_pylist()
        return rows

    @cached_property
    def started(self) -> Sequence[Started | str]:
        """Event 0 per match, or the reason why the row cannot be one: some microseconds for each."""
        return [_started(self.corpus.ruleset, row) for row in self.rows]

    def only(self, wanted: np.ndarray[Any, Any]) -> Group:
        """The matches for which `wanted` is true, alone."""
        if wanted.all():
            return self
        of_events = np.repeat(wanted, np.diff(self.corpus.starts))
        return Group(
            self.matches.filter(pa.array(wanted)),
            self.corpus.only(wanted),
            self.beginnings.only(wanted),
            self.seats[of_events],
            self.is_plain[wanted],
            self.is_strange[wanted],
        )


def prepare() -> None:
    """Make what `read_group` runs compiled, for who takes what that raises for damage of a file."""
    _checker()
    kernels_of_columns()
    kernels_of_beginnings()


def read_group(ruleset: Ruleset, matches: pa.Table, events: pa.Table) -> Group:
    """Turn the tables of a row group into arrays.

    Raises:
        StoreError: when the events do not belong to the matches row by row.
        ValueError: when a row lacks what no row can lack.
    """
    counts = _there(matches, "n_events").astype(np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    _check_rows(_there(matches, "match_id"), counts, starts, _there(events, "match_id"), _there(events, "seq"))
    unpacked, seats = unpack_events(ruleset, events), joined(events["seat"])
    setups, beginnings, can_be = read_beginnings(ruleset, matches)
    return Group(
        matches,
        Corpus(ruleset, setups, unpacked.records, starts),
        beginnings,
        np.asarray(seats.fill_null(-1) if seats.null_count else seats),
        all_of_each(unpacked.good, starts) & can_be,
        ~all_of_each(~unpacked.strange, starts),
    )


def _there(table: pa.Table, name: str) -> np.ndarray[Any, Any]:
    if table[name].null_count:
        raise ValueError(f"a {name} is missing")
    return np.asarray(joined(table[name]))


def all_of_each(good: np.ndarray[Any, Any], starts: np.ndarray[Any, Any]) -> Any:
    """Per part from starts[m] to starts[m + 1], as of match m its events, whether all are good."""
    if good.all():
        return np.ones(len(starts) - 1, bool)
    return np.logical_and.reduceat(np.append(good, True), starts[:-1]) | (np.diff(starts) == 0)


def _check_rows(
    ids: np.ndarray[Any, Any],
    counts: np.ndarray[Any, Any],
    starts: np.ndarray[Any, Any],
    owners: np.ndarray[Any, Any],
    numbers: np.ndarray[Any, Any],
) -> None:
    if not len(ids) and not len(owners):
        return
    is_ascending = bool((counts >= 0).all() and (np.diff(ids) > 0).all())
    first = int(_checker()(ids, starts, owners, numbers)) if is_ascending else 0
    if not is_ascending or first < len(ids) or starts[-1] != len(owners):
        place = f", first at match {id_text(int(ids[min(first, len(ids) - 1)]))}" if is_ascending and len(ids) else ""
        wrong = "a match_id, a seq, an n_events or a row is wrong there or before"
        raise StoreError(f"the rows of events are not those of the matches{place} ({wrong})")


@once
def _checker() -> Any:
    return kernels(_are_of)["_are_of"]


def _are_of(ids: Any, starts: Any, owners: Any, numbers: Any) -> int:
    """How many matches from the first on have the rows that they should; `starts` ascends, perhaps past the rows."""
    for m in range(len(ids)):
        for i in range(starts[m], starts[m + 1]):
            if i >= len(owners) or owners[i] != ids[m] or numbers[i] != i - starts[m] + 1:
                return m
    return len(ids)


def _started(ruleset: Ruleset, row: dict[str, Any]) -> Started | str:
    try:
        started = row_started(ruleset, row)
        if started.seats not in ruleset.variant(started.variant).seats:
            raise RulesetError(f"{started.seats} seats")
        flatten_setup(ruleset, started)
    except (ValueError, LookupError, TypeError, AttributeError, msgspec.ValidationError) as error:
        return str(error)
    return started


def digests(group: Group) -> np.ndarray[Any, Any]:
    """The digest of every match of a group of plain ones, recomputed from the columns: uint8 (matches, 16)."""
    corpus = group.corpus
    data, ends = encode_logs(corpus.ruleset, group.beginnings, corpus.setups, corpus.events, corpus.starts)
    return hash_slices(data, ends, DIGEST_SIZE)
