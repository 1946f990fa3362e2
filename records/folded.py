"""What a corpus that was folded at once says of each of its matches, as the archive keeps it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from kifold.core.beginnings import Beginnings
from kifold.core.codec import DIGEST_SIZE
from kifold.core.corpus import Corpus, Folded
from kifold.core.events import Event, Started, tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.hashing import hash_rows, hash_slices
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.core.schema import NO_SETUP, arrow_type, columns_of, events_schema
from kifold.core.standings import standings
from kifold.core.wire import encode_logs
from kifold.records.judge import FINGERPRINT_SIZE, Judged
from kifold.records.tables import matches_schema, result_type, started_row
from kifold.records.unpacking import is_one_of


def fingerprints(folded: Folded) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The fingerprints of all matches one after the other (uint8), and where those of each begin and the last end."""
    ends = np.append(folded.matches["snapshot"], len(folded.snapshots)).astype(np.int64) * FINGERPRINT_SIZE
    return hash_rows(folded.snapshots, FINGERPRINT_SIZE).reshape(-1), ends


def seat_column(corpus: Corpus, folded: Folded) -> np.ndarray[Any, Any]:
    """The column `seat` of `events`: an event's own field of that name, else who acted; −1 for nobody."""
    events = corpus.events
    having = [tag_of(e) for e in corpus.ruleset.events if any(field.name == "seat" for field in fields_of(e))]
    if len(having) == len(corpus.ruleset.events):
        return events["seat"]
    acted = np.maximum(folded.per_event["seat"], -1)
    return np.where(is_one_of(events["tag"], having), events["seat"], acted) if having else acted


def judged_match(
    corpus: Corpus, folded: Folded, prints: bytes, m: int, seats: list[int], ending: Event | None = None
) -> Judged:
    """What the fold says of match number m, all of whose events are legal.

    Args:
        prints: its fingerprints.
        seats: what `seat_column` has for it.
        ending: the event that closed it, if the rules did not.
    """
    started_seats = int(corpus.setups["seats"][m])
    result = SimpleNamespace(**{name: folded.results[name][m] for name in folded.results.dtype.names or ()})
    return Judged(
        [None if seat < 0 else seat for seat in seats],
        prints,
        standings(corpus.ruleset, started_seats, result, ending),
        ending is not None or bool(folded.matches["turn"][m] == NOBODY),
        int(folded.matches["effects"][m]),
    )


def corpus_tables(
    corpus: Corpus, folded: Folded, started: Started, ids: np.ndarray[Any, Any]
) -> tuple[pa.Table, pa.Table]:
    """Tables of legal matches that lie in arrays.

    Args:
        corpus, folded: the matches and what folding them gave; all legal.
        started: event 0 of all, but for the setup.
        ids: the match ids, ascending.
    """
    return _matches_table(corpus, folded, started, ids), _events_table(corpus, folded, ids)


def _matches_table(corpus: Corpus, folded: Folded, started: Started, ids: np.ndarray[Any, Any]) -> pa.Table:
    count, beginnings = len(corpus), Beginnings.alike(started, len(corpus))
    data, ends = encode_logs(corpus.ruleset, beginnings, corpus.setups, corpus.events, corpus.starts)
    digests = hash_slices(data, ends, DIGEST_SIZE)
    prints, print_ends = fingerprints(folded)
    is_over = folded.matches["turn"] == NOBODY
    row = started_row(started) | {"players": []}
    schema = matches_schema(corpus.ruleset)
    columns = {
        name: pa.array([value], schema.field(name).type).take(pa.array(np.zeros(count, np.int32)))
        for name, value in row.items()
    } | {
        "match_id": pa.array(ids),
        "setup": _setups(corpus),
        "n_events": pa.array(np.diff(corpus.starts).astype(np.int32)),
        "finished": pa.array(is_over),
        "ending": pa.array(["rules"] * count, pa.string(), mask=~is_over),
        "result": _results(corpus.ruleset, started.seats, folded.results),
        "digest": pa.FixedSizeBinaryArray.from_buffers(pa.binary(DIGEST_SIZE), count, [None, pa.py_buffer(digests)]),
        "fingerprints": pa.BinaryArray.from_buffers(
            pa.binary(), count, [None, pa.py_buffer(print_ends.astype(np.int32)), pa.py_buffer(prints)]
        ),
    }
    return pa.table([columns[field.name] for field in schema], schema)


def _setups(corpus: Corpus) -> pa.Array:
    fields, everywhere = fields_of(corpus.ruleset.setup), np.ones(len(corpus), bool)
    if not fields:
        return pa.StructArray.from_arrays([pa.nulls(len(corpus), pa.bool_())], [NO_SETUP])
    return pa.StructArray.from_arrays(
        [_column(field, corpus.setups, everywhere) for field in fields], [field.name for field in fields]
    )


def _results(ruleset: Ruleset, seats: int, results: np.ndarray[Any, Any]) -> pa.Array:
    """Standings of many matches with the same number of seats."""
    ranks, count = results["rank"][:, :seats], len(results)
    shared = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2) > 1
    each = result_type(ruleset).value_type
    parts = {
        "seat": pa.array(np.tile(np.arange(seats), count)),
        "rank": pa.array(ranks.reshape(-1)),
        "shared": pa.array(shared.reshape(-1)),
        "score": pa.array(results["score"][:, :seats].reshape(-1)) if ruleset.has_score else pa.nulls(count * seats),
    }
    for slot in ruleset.components:
        width = slot.length // ruleset.most_seats
        values = pa.array(results[slot.name][:, : seats * width].reshape(-1))
        parts[slot.name] = values if width == 1 else _lists(values.cast(pa.int32()), width)
    standings = pa.StructArray.from_arrays([parts[one.name].cast(one.type) for one in each], fields=list(each))
    return _lists(standings, seats)


def _lists(values: pa.Array, length: int) -> pa.Array:
    """Lists of so many values each."""
    return pa.ListArray.from_arrays(pa.array(np.arange(0, len(values) + 1, length, dtype=np.int32)), values)


def _events_table(corpus: Corpus, folded: Folded, ids: np.ndarray[Any, Any]) -> pa.Table:
    ruleset, events = corpus.ruleset, corpus.events
    lengths = np.diff(corpus.starts)
    tags = events["tag"]
    columns: dict[str, pa.Array] = {
        "match_id": pa.array(np.repeat(ids, lengths)),
        "seq": pa.array(
            np.arange(1, len(events) + 1, dtype=np.int32) - np.repeat(corpus.starts[:-1], lengths).astype(np.int32)
        ),
        "tag": pa.array(np.ascontiguousarray(tags)),
    }
    for name, field in columns_of(ruleset).items():
        having = [tag_of(e) for e in ruleset.events if any(f.name == name for f in fields_of(e))]
        has = is_one_of(tags, having)
        if name == "seat":
            seats = seat_column(corpus, folded)
            columns[name] = pa.array(seats, mask=seats < 0)
        else:
            columns[name] = _column(field, events, has) if having else pa.nulls(len(events), arrow_type(field))
    return pa.table(columns, events_schema(ruleset))


def _column(field: Field, events: np.ndarray[Any, Any], has: np.ndarray[Any, Any]) -> pa.Array:
    kind = arrow_type(field)
    mask = None if has.all() else ~has
    if field.kind != "ints":
        return pa.array(np.ascontiguousarray(events[field.name]), mask=mask).cast(kind)
    counts = np.where(has, events[f"n_{field.name}"], 0).astype(np.int32)
    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(counts, dtype=np.int32)])
    wide = events[field.name]
    values = wide[np.arange(wide.shape[1]) < counts[:, None]]
    nulls = None if mask is None else pa.array(mask)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values).cast(kind.value_type), kind, mask=nulls)
