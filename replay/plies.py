"""The plies of matches as a table: what each decision by a seat was made from, and how the seats stood after it.

A row is a decision that counts. `legal` and `phase` are of the state before it; `scores`, `ranks` and the components of
the result are of the state at that ply, so after the events of chance that follow it, and as if the match ended there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kifold.core.codec import valid, valid_started
from kifold.core.names import LEGAL
from kifold.core.options import RulesetError
from kifold.core.play import Play, Refused, standing_events
from kifold.core.records import Slot
from kifold.core.ruleset import Ruleset
from kifold.core.standings import Standing
from kifold.records.errors import StoreError
from kifold.records.log import Log
from kifold.records.row_groups import only, revisions_of
from kifold.records.tables import rows_to_logs
from kifold.records.unreadable import UNREADABLE

if TYPE_CHECKING:
    import numpy as np

    from kifold.core.corpus import Corpus

MANY = 16
"""From so many matches on, loading and perhaps compiling the fast rules pays: lists of legal events cost."""

OnLeftOut = Callable[[int, str], None]
"""Called with the id of each match that has no plies, and why."""


@cache
def plies_schema(ruleset: Ruleset) -> pa.Schema:
    """The table `plies` of a ruleset; lists have one number for each seat."""
    lists = {"ranks": pa.int8(), **{slot.name: pa.int32() for slot in components(ruleset)}}
    return pa.schema(
        [
            pa.field("match_id", pa.int64(), nullable=False),
            pa.field("ply", pa.int32()),
            pa.field("seq", pa.int32()),
            pa.field("seat", pa.int8()),
            pa.field("legal", pa.int32()),
            pa.field("phase", pa.int8()),
            pa.field("scores", pa.list_(pa.int32())),
            *(pa.field(name, pa.list_(kind)) for name, kind in lists.items()),
        ]
    )


def components(ruleset: Ruleset) -> tuple[Slot, ...]:
    """What says beside the ranks how seats stand in a game without points: components of one number for each seat."""
    if ruleset.has_score:
        return ()
    return tuple(slot for slot in ruleset.components if slot.length == ruleset.most_seats)


def logs_plies(ruleset: Ruleset, logs: Sequence[Log], on_left_out: OnLeftOut) -> pa.Table:
    """The plies of logs, each under its rules, in the order of their ids."""
    by_rules: dict[Ruleset, list[Log]] = {}
    for log in logs:
        try:
            by_rules.setdefault(log.rules, []).append(log)
        except RulesetError as error:
            on_left_out(log.match_id, str(error))
    return _in_order(ruleset, [_logs_plies(rules, of_rules, on_left_out) for rules, of_rules in by_rules.items()])


def group_plies(
    ruleset: Ruleset, matches: pa.Table, events: pa.Table, pins: Mapping[int, int], on_left_out: OnLeftOut
) -> pa.Table:
    """The plies of the matches of a row group, in the order of their ids.

    Args:
        pins: the revision of each match that was promoted to another than its log names.

    Raises:
        StoreError: when the tables do not belong together, or hold what no writer wrote.
    """
    with _reading():
        revisions = revisions_of(matches, pins)
        parts = [(one, *only(revisions == one, matches, events)) for one in dict.fromkeys(revisions.tolist())]
    return _in_order(ruleset, [_revision_plies(ruleset, *part, on_left_out) for part in parts])


@contextmanager
def _reading() -> Iterator[None]:
    """Around what turns tables into something else: what that raises is said of their file."""
    try:
        yield
    except UNREADABLE as error:
        raise StoreError(f"is damaged ({type(error).__name__}: {error}); restore it from a copy") from None


def _in_order(ruleset: Ruleset, tables: Sequence[pa.Table]) -> pa.Table:
    if len(tables) == 1:
        return tables[0]
    whole = pa.concat_tables([plies_schema(ruleset).empty_table(), *tables])
    return whole.sort_by([("match_id", "ascending"), ("ply", "ascending")])


def _revision_plies(
    ruleset: Ruleset, revision: int, matches: pa.Table, events: pa.Table, on_left_out: OnLeftOut
) -> pa.Table:
    import numpy as np

    from kifold.records.reading import prepare, read_group

    ids = matches["match_id"].to_pylist()
    try:
        rules = ruleset.at(revision)
    except RulesetError as error:
        for match in ids:
            on_left_out(match, str(error))
        return plies_schema(ruleset).empty_table()
    if len(matches) < MANY:
        return _logs_plies(rules, _valid_logs(rules, matches, events), on_left_out)
    prepare()
    with _reading():
        group = read_group(rules, matches, events)
    plain = group.only(group.is_plain).corpus
    numbers = np.arange(1, len(plain.events) + 1) - np.repeat(plain.starts[:-1], np.diff(plain.starts))
    table = _corpus_plies(plain, list(compress(ids, group.is_plain)), numbers, on_left_out)
    if group.is_plain.all():
        return table
    logs = _valid_logs(rules, *only(~group.is_plain, matches, events))
    return _in_order(ruleset, [table, _logs_plies(rules, logs, on_left_out)])


def _valid_logs(rules: Ruleset, matches: pa.Table, events: pa.Table) -> list[Log]:
    """Logs whose values are in their ranges."""
    with _reading():
        logs = list(rows_to_logs(rules, matches, events))
        for log in logs:
            valid_started(rules, log.started)
            for event in log.events:
                valid(rules, event)
        return logs


def _logs_plies(rules: Ruleset, logs: Sequence[Log], on_left_out: OnLeftOut) -> pa.Table:
    """The plies of logs of one revision, in the order given; by the compiled rules when there are many."""
    if len(logs) < MANY:
        rows: list[dict[str, Any]] = []
        for log in logs:
            try:
                rows += _rows(rules, log)
            except Refused as refused:
                on_left_out(log.match_id, str(refused))
        return pa.Table.from_pylist(rows, plies_schema(rules))
    import numpy as np

    from kifold.core.corpus import Corpus

    standing = (standing_events(log.events) for log in logs)
    own = [[one for one in events if type(rules.lift(one[1])) in rules.events] for events in standing]
    corpus = Corpus.of(rules, [(log.started, [event for _, event in e]) for log, e in zip(logs, own, strict=True)])
    numbers = np.array([seq for events in own for seq, _ in events], np.int64)
    return _corpus_plies(corpus, [log.match_id for log in logs], numbers, on_left_out)


def _rows(ruleset: Ruleset, log: Log) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    play = Play(ruleset, log.started)
    for seq, event in standing_events(log.events):
        kind = type(ruleset.lift(event))
        if kind in ruleset.actions:
            phase = ruleset.rules.phase(play.state) if ruleset.rules.phase else None
            ply = {"match_id": log.match_id, "ply": len(rows) + 1, "seq": seq, "seat": play.turn}
            rows.append(ply | {"legal": len(play.legal()), "phase": phase})
        play.add(event)
        if rows and kind in ruleset.events:  # a resignation is no ply: it says how the match ends
            rows[-1] |= _standing_lists(ruleset, play.result())
    return rows


def _standing_lists(ruleset: Ruleset, standings: Sequence[Standing]) -> dict[str, list[Any] | None]:
    lists: dict[str, list[Any] | None] = {"ranks": [one.rank for one in standings]}
    lists["scores"] = [one.score for one in standings] if ruleset.has_score else None
    return lists | {slot.name: [one.components[slot.name] for one in standings] for slot in components(ruleset)}


def _corpus_plies(
    corpus: Corpus, ids: Sequence[int], numbers: np.ndarray[Any, Any], on_left_out: OnLeftOut
) -> pa.Table:
    """The plies of many matches; `numbers` has the number of each event in its log."""
    import numpy as np

    from kifold.core.compiled import compiled
    from kifold.core.corpus import Folder

    ruleset = corpus.ruleset
    found = Folder(ruleset, compiled(ruleset)).plies(corpus)
    is_legal, counts = found.matches["reason"] == LEGAL, found.matches["plies"]
    for m in np.flatnonzero(~is_legal).tolist():
        name = ruleset.reason(int(found.matches["reason"][m]))
        on_left_out(ids[m], f"it is illegal ({name.name}: {name.meaning})")
    counts_legal = np.where(is_legal, counts, 0)
    which = np.repeat(is_legal, counts)
    owner = np.repeat(np.arange(len(corpus)), counts_legal)
    plies, results = found.plies[which], found.results[which]
    before = np.cumsum(counts_legal) - counts_legal
    seats = corpus.setups["seats"][owner].astype(np.int32)
    columns: dict[str, Any] = {
        "match_id": np.asarray(ids, np.int64)[owner],
        "ply": np.arange(1, len(plies) + 1) - before[owner],
        "seq": numbers[corpus.starts[owner] + plies["event"]],
        "seat": np.ascontiguousarray(plies["seat"]),
        "legal": np.ascontiguousarray(plies["legal"]),
        "phase": np.ascontiguousarray(plies["phase"]) if ruleset.phases else pa.nulls(len(plies)),
        "scores": _lists(results["score"], seats) if ruleset.has_score else pa.nulls(len(plies)),
        "ranks": _lists(results["rank"], seats),
    } | {slot.name: _lists(results[slot.name], seats) for slot in components(ruleset)}
    schema = plies_schema(ruleset)
    return pa.table([pa.array(columns[field.name]).cast(field.type) for field in schema], schema)


def _lists(values: np.ndarray[Any, Any], seats: np.ndarray[Any, Any]) -> pa.Array:
    """Per row the first so many numbers."""
    import numpy as np

    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(seats, dtype=np.int32)])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values[np.arange(values.shape[1]) < seats[:, None]]))
