"""Matches as Arrow tables, and back: the form they have in the archive.

`matches` has one row per match, `events` one row per event after event 0, sorted by (match_id, seq). Everything a log
says is in typed columns; the digest, the fingerprints and the result beside it are what the writer computed, never
trusted by a reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from kifold.core.events import Event, Finished, OptionValue, Resigned, Started, tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.options import option_text
from kifold.core.play import standing_events
from kifold.core.ruleset import Ruleset
from kifold.core.schema import columns_of, events_schema, setup_type
from kifold.core.standings import Standing
from kifold.records.ids import id_text
from kifold.records.judge import Judged
from kifold.records.log import Log


@cache
def result_type(ruleset: Ruleset) -> pa.DataType:
    """The list of standings in a row of `matches`: per seat rank, shared, score, and the ruleset's components."""
    components = [
        pa.field(s.name, pa.int32() if s.length == ruleset.most_seats else pa.list_(pa.int32()))
        for s in ruleset.components
    ]
    base = [pa.field("seat", pa.int8()), pa.field("rank", pa.int8()), pa.field("shared", pa.bool_())]
    return pa.list_(pa.struct([*base, pa.field("score", pa.int32()), *components]))


@cache
def matches_schema(ruleset: Ruleset) -> pa.Schema:
    """The `matches` table of a ruleset."""
    text = pa.string()
    return pa.schema(
        [
            pa.field("match_id", pa.int64(), nullable=False),
            pa.field("variant", text),
            pa.field("revision", pa.int16()),
            pa.field("schema", pa.int16()),
            pa.field("options", pa.map_(text, text)),
            pa.field("seats", pa.int8()),
            pa.field("tags", pa.map_(text, text)),
            pa.field("setup", setup_type(ruleset)),
            pa.field("players", pa.list_(text)),
            pa.field("n_events", pa.int32()),
            pa.field("finished", pa.bool_()),
            pa.field("ending", text),
            pa.field("result", result_type(ruleset)),
            pa.field("digest", pa.binary(16)),
            pa.field("fingerprints", pa.binary()),
        ]
    )


def started_row(started: Started) -> dict[str, Any]:
    """Event 0 in the columns of `matches`, without its setup."""
    return {
        "variant": started.variant,
        "revision": started.revision,
        "schema": started.schema,
        "options": [(name, option_text(value)) for name, value in started.options.items()],
        "seats": started.seats,
        "tags": list(started.tags.items()),
    }


def match_row(log: Log, judged: Judged) -> dict[str, Any]:
    """A match as a row of `matches`."""
    started = log.started
    return started_row(started) | {
        "match_id": log.match_id,
        "setup": {f.name: getattr(started.setup, f.name) for f in fields_of(started.setup.__class__)},
        "players": list(log.players),
        "n_events": len(log.events),
        "finished": judged.is_over,
        "ending": ending_text(log.events, is_over=judged.is_over),
        "result": [standing.as_row() for standing in judged.standings],
        "digest": log.digest,
        "fingerprints": judged.fingerprints,
    }


def ending_text(events: Sequence[Event], *, is_over: bool) -> str | None:
    """How a match ended: ``rules``, ``resigned``, ``abandoned`` …; None while it is unfinished."""
    if not is_over:
        return None
    for _, event in reversed(standing_events(events)):
        if isinstance(event, Resigned):
            return "resigned"
        if isinstance(event, Finished):
            return fields_of(Finished)[0].words[event.ending]
    return "rules"


def unlike(standings: Sequence[Standing], stored: list[dict[str, Any] | None] | None) -> list[str]:
    """The parts in which standings differ from those of a row of `matches`, a part that is newer than the row left out.

    Of other seats than there are, or none at all, all.
    """
    found = [standing.as_row() for standing in standings]
    then = [row for row in stored or () if row is not None]
    if not len(found) == len(then) == len(stored or ()):
        return list(found[0]) if found else ["seat"]
    pairs = list(zip(found, then, strict=True))
    names = dict.fromkeys(name for _, old in pairs for name in old)
    return [name for name in names if any(name in old and now.get(name) != old[name] for now, old in pairs)]


def event_columns(ruleset: Ruleset) -> dict[str, list[Any]]:
    """Empty columns of `events`, to be filled by `add_events`."""
    return {name: [] for name in events_schema(ruleset).names}


def add_events(
    columns: dict[str, list[Any]], ruleset: Ruleset, match: int, events: Sequence[Event], seats: Sequence[int | None]
) -> None:
    """Append a match's events to columns, row by row; columns that an event lacks get null."""
    filled, empty = _fillers(ruleset, tuple(columns))
    for seq, (event, seat) in enumerate(zip(events, seats, strict=True), start=1):
        columns["match_id"].append(match)
        columns["seq"].append(seq)
        columns["tag"].append(tag_of(type(event)))
        columns["seat"].append(seat)
        for name in filled[type(event)]:
            columns[name].append(getattr(event, name))
        for name in empty[type(event)]:
            columns[name].append(None)


@cache
def _fillers(ruleset: Ruleset, names: tuple[str, ...]) -> tuple[dict[type, list[str]], dict[type, list[str]]]:
    shared = ("match_id", "seq", "tag", "seat")
    filled = {e: [f.name for f in fields_of(e) if f.name not in shared] for e in ruleset.known}
    empty = {event: [n for n in names if n not in (*shared, *has)] for event, has in filled.items()}
    return filled, empty


def rows_to_logs(ruleset: Ruleset, matches: pa.Table, events: pa.Table) -> Iterator[Log]:
    """The logs that two tables hold; `events` has all rows of these matches, in order.

    Raises:
        KeyError, IndexError, TypeError, ValueError, msgspec.ValidationError: when the rows are not what a writer wrote.
    """
    rows = matches.to_pylist()
    tags = events["tag"].to_pylist()
    for row in rows:
        if row["match_id"] is None:
            raise ValueError("a match_id is missing")
        if row["n_events"] is None or row["n_events"] < 0:
            raise ValueError(f"match {id_text(row['match_id'])} has {row['n_events']} events")
    if len(tags) != (said := sum(row["n_events"] for row in rows)):
        of = f"match {id_text(rows[0]['match_id'])} has" if len(rows) == 1 else "the matches have"
        raise ValueError(f"{len(tags):,} rows of events where {of} {said:,}")
    columns = {name: events[name].to_pylist() for name in columns_of(ruleset)}
    at = 0
    for row in rows:
        log_events = []
        for i in range(at, at + row["n_events"]):
            event = _types(ruleset)[tags[i]]
            log_events.append(event(*[value_of(f, columns[f.name][i]) for f in fields_of(event)]))
        at += row["n_events"]
        players = tuple(row["players"] or ())
        started, written = row_started(ruleset, row), row["digest"]
        yield Log(row["match_id"], started, log_events, players, is_archived=True, written=written)


@cache
def _types(ruleset: Ruleset) -> dict[int, type[Event]]:
    return {tag_of(event): event for event in ruleset.known}


def row_started(ruleset: Ruleset, row: dict[str, Any]) -> Started:
    """Event 0 from a row of `matches`.

    Raises:
        KeyError, IndexError, TypeError, ValueError, RulesetError, msgspec.ValidationError: when the row is not what a
            writer wrote.
    """
    if row["setup"] is None:
        raise ValueError("setup is missing")
    return Started(
        ruleset.name,
        row["variant"],
        row["revision"],
        {name: _option(ruleset, name, text) for name, text in _once("options", row["options"]).items()},
        row["seats"],
        _once("tags", row["tags"]),
        ruleset.make_setup({f.name: value_of(f, row["setup"].get(f.name)) for f in fields_of(ruleset.setup)}),
        row["schema"],
    )


def _once(column: str, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"{column} has an entry twice")
    return found


def _option(ruleset: Ruleset, name: str, text: str) -> OptionValue:
    option = next((option for option in ruleset.options if option.name == name), None)
    if option is None:
        return text
    value = option.parse(text)
    if option_text(value) != text:  # people may write it in other ways too
        raise ValueError(f"option {name} is written {text!r}")
    return value


def value_of(field: Field, value: Any) -> Any:
    """A field's value from its column; null in a row that is older than the field."""
    if value is None:
        if field.since == 1:
            raise ValueError(f"{field.name} is missing")
        return field.default
    return tuple(value) if isinstance(value, list) else value
