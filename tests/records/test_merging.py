"""Row groups of several files as one sorted sequence: any lengths, any spread over files, whatever is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.records import merging
from kifold.records.errors import StoreError
from kifold.records.merging import Part, merged
from kifold.records.store import Store

SHARE = 10


COLUMNS = pa.schema([("match_id", pa.int64()), ("seq", pa.int32()), ("values", pa.list_(pa.int64()))])


@dataclass(frozen=True, slots=True)
class InMemory(Part):
    """A row group that is there already."""

    tables: tuple[pa.Table, pa.Table]

    def rows(self, columns: pa.Schema) -> tuple[pa.Table, pa.Table]:
        return self.tables


def part(lengths: dict[int, int], without: set[int]) -> InMemory:
    """A row group of matches of these lengths, by id, of which some are not kept."""
    ids = sorted(lengths)
    matches = pa.table({"match_id": pa.array(ids, pa.int64()), "text": [f"match {match}" for match in ids]})
    keys = [(match, seq) for match in ids for seq in range(1, lengths[match] + 1)]
    events = pa.table(
        {
            "match_id": pa.array([match for match, _ in keys], pa.int64()),
            "seq": pa.array([seq for _, seq in keys], pa.int32()),
            "values": pa.array([[seq] * (seq % 3) for _, seq in keys], pa.list_(pa.int64())),
        },
        COLUMNS,
    )
    kept = [match for match in ids if match not in without]
    counts = np.array([lengths[match] for match in kept], np.int32)
    return InMemory(cast("Store", None), ("game", "file"), 0, np.array(kept, np.int64), counts, (matches, events))


@pytest.fixture(scope="module", autouse=True)
def small_groups() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "ROWS_PER_GROUP", SHARE)
        yield patch


@given(
    st.dictionaries(
        st.integers(0, 1 << 60), st.tuples(st.integers(0, 7), st.integers(0, 4), st.booleans()), max_size=40
    ),
    st.sampled_from([0, 15, 1000]),
)
def test_everything_that_is_kept_comes_once_and_in_order(
    small_groups: pytest.MonkeyPatch, spread: dict[int, tuple[int, int, bool]], held: int
) -> None:
    small_groups.setattr(merging, "HELD", held)
    without = {match for match, (_, _, is_gone) in spread.items() if is_gone}
    parts = [
        part({match: length for match, (length, place, _) in spread.items() if place == number}, without)
        for number in range(5)
    ]
    kept = {match: spread[match][0] for match in sorted(spread.keys() - without)}
    groups = [(matches.to_pylist(), events.to_pylist()) for matches, events in merged(parts, COLUMNS)]
    assert [row for matches, _ in groups for row in matches] == [
        {"match_id": match, "text": f"match {match}"} for match in kept
    ]
    assert [row for _, events in groups for row in events] == [
        {"match_id": match, "seq": seq, "values": [seq] * (seq % 3)}
        for match, length in kept.items()
        for seq in range(1, length + 1)
    ]
    for matches, events in groups:
        assert {row["match_id"] for row in events} <= {row["match_id"] for row in matches}
        assert len(groups) == 1 or SHARE - 7 < len(events) < 2 * SHARE + 7
    assert bool(groups) == bool(kept)


def test_events_that_are_not_those_of_the_matches_are_refused() -> None:
    whole, other = part({1: 3, 2: 4}, set()), part({1: 3, 2: 2}, set())
    crossed = InMemory(*(getattr(whole, name) for name in Part.__slots__), (whole.tables[0], other.tables[1]))
    with pytest.raises(StoreError, match="file, row group 0: its events are not those of its matches"):
        list(merged([crossed], COLUMNS))
