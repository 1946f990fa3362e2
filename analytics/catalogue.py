"""The views of a store in SQL: archived and live matches alike.

DuckDB reads the archive's Parquet files in place; live matches enter as Arrow tables. No extension is downloaded or
loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa

from kifold.core.events import COMMON, Undone, kind_of, tag_of
from kifold.core.fields import Field
from kifold.core.registry import names, ruleset
from kifold.core.ruleset import Ruleset
from kifold.core.schema import columns_of, events_schema
from kifold.records.archive import paths
from kifold.records.ids import BITS, DIGITS
from kifold.records.judge import Judged, judge_logs
from kifold.records.log import batches
from kifold.records.store import Store
from kifold.records.tables import add_events, event_columns, match_row, matches_schema

MATCH_COLUMNS = (
    "match_id, ruleset, variant, revision, options, seats, tags, players, n_events, finished, ending, archived"
)


def connect(store: Store) -> duckdb.DuckDBPyConnection:
    """An in-memory database with the views of a store: `matches`, `events`, `scores`, and for each ruleset
    `<ruleset>_matches` and `<ruleset>_events`.

    Archive files are read when a query needs them; live matches are folded now.

    Raises:
        StoreError: when an archive file is missing or no Parquet file: answers without it would be wrong.
    """
    no_downloads: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    connection = duckdb.connect(":memory:", config=no_downloads)
    digits = (f"substr('{DIGITS}', ((id >> {shift}) & 31)::INTEGER + 1, 1)" for shift in range(BITS - 5, -1, -5))
    connection.execute(f"CREATE MACRO match_text(id) AS {' || '.join(digits)}")
    with store.journal.reading():  # a match that is archived meanwhile is there once
        for name in names():
            _add_ruleset(connection, store, ruleset(name))
    _union(connection, "matches", f"SELECT {MATCH_COLUMNS}, match_text(match_id) AS match FROM {{}}_matches")
    _union(connection, "events", "SELECT match_id, '{0}' AS ruleset, seq, event, seat, undone FROM {0}_log")
    _union(connection, "scores", "SELECT * FROM {}_scores")
    connection.execute("SET lock_configuration = true")
    return connection


def _union(connection: duckdb.DuckDBPyConnection, view: str, query: str) -> None:
    parts = " UNION ALL BY NAME ".join(query.format(name) for name in names())
    connection.execute(f"CREATE VIEW {view} AS {parts}")


def _add_ruleset(connection: duckdb.DuckDBPyConnection, store: Store, rules: Ruleset) -> None:
    name = rules.name
    live_matches, live_events = _live(store, rules)
    connection.register(f"_live_{name}_matches", live_matches)
    connection.register(f"_live_{name}_events", live_events)
    sources, has_undone = _archived(store, rules), _may_be_undone(store, rules, live_events)
    for table in ("matches", "events"):
        parts = [f"SELECT *, false AS archived FROM _live_{name}_{table}"]
        parts += [f"SELECT *, true AS archived FROM {source}" for source in sources[table]]
        connection.execute(f"CREATE VIEW _{name}_{table} AS {' UNION ALL BY NAME '.join(parts)}")
    connection.execute(f"CREATE VIEW {name}_matches AS SELECT *, '{name}' AS ruleset FROM _{name}_matches")
    connection.execute(f"CREATE VIEW {name}_log AS {_log_query(rules, has_undone)}")
    connection.execute(f"CREATE VIEW {name}_events AS SELECT * EXCLUDE (undone) FROM {name}_log WHERE NOT undone")
    connection.execute(f"CREATE VIEW {name}_scores AS {_scores_query(rules)}")


def _archived(store: Store, rules: Ruleset) -> dict[str, list[str]]:
    """For each table the sources in SQL: all whole files together, and each file that has covered rows by itself."""
    whole: list[str] = []
    holed: list[tuple[str, str]] = []
    for _, file in store.files(rules.name):
        gone = store.tombstones(file)
        if gone:
            holed.append((file, ", ".join(map(str, sorted(gone)))))
        else:
            whole.append(file)
    sources = {}
    for at, table in enumerate(("matches", "events")):
        files = [str(paths(store.archive_folder, rules.name, file)[at]) for file in whole]
        parts = [f"read_parquet([{', '.join(map(_quoted, files))}], hive_partitioning = false)"] if files else []
        for file, gone_ids in holed:
            path = _quoted(str(paths(store.archive_folder, rules.name, file)[at]))
            parts.append(f"read_parquet({path}, hive_partitioning = false) WHERE match_id NOT IN ({gone_ids})")
        sources[table] = parts
    return sources


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _live(store: Store, rules: Ruleset) -> tuple[pa.Table, pa.Table]:
    """The live matches of a ruleset as tables. What cannot be read or folded counts for nothing; `verify` names it."""
    columns, rows = event_columns(rules), []
    for batch in batches(store.live_logs(store.journal.ids(rules.name), lambda match, why: None)):
        for log, judged in zip(batch, judge_logs(rules, batch), strict=True):
            if isinstance(judged, Judged):
                rows.append(match_row(log, judged))
                add_events(columns, rules, log.match_id, log.events, judged.seats)
    return pa.Table.from_pylist(rows, matches_schema(rules)), pa.table(columns, events_schema(rules))


def _may_be_undone(store: Store, rules: Ruleset, live: pa.Table) -> bool:
    """Whether anything was ever taken back, by the statistics of the tag column: then views have to look for it."""
    if tag_of(Undone) in set(live["tag"].to_pylist()):
        return True
    return any(low <= tag_of(Undone) for low in _lowest_tags(store, rules))


def _lowest_tags(store: Store, rules: Ruleset) -> Iterator[int]:
    at = events_schema(rules).get_field_index("tag")
    for _, file in store.files(rules.name):
        metadata = store.reader(rules.name, file).events_metadata
        for group in range(metadata.num_row_groups):
            statistics = metadata.row_group(group).column(at).statistics
            yield statistics.min if statistics is not None and statistics.has_min_max else 0


def _log_query(rules: Ruleset, has_undone: bool) -> str:
    kinds = " ".join(f"WHEN {tag_of(event)} THEN '{kind_of(event)}'" for event in rules.events + COMMON)
    columns = ", ".join(f"{_word(field)} AS {_name(field.name)}" for field in columns_of(rules).values())
    source = f"_{rules.name}_events"
    undone = "false"
    if has_undone:
        undone = (
            f"EXISTS (SELECT 1 FROM {source} AS u WHERE u.match_id = e.match_id AND u.tag = {tag_of(Undone)} "
            'AND u.seq > e.seq AND u.back_to < e.seq)'
        )
    return f"SELECT match_id, seq, CASE tag {kinds} END AS event, {columns}, {undone} AS undone FROM {source} AS e"


def _name(name: str) -> str:
    return f'"{name}"'


def _word(field: Field) -> str:
    """A column in SQL, with words for numbers that have them."""
    name = _name(field.name)
    if not field.words or field.kind == "bool":
        return name
    words = "[" + ", ".join(_quoted(word) for word in field.words) + "]"
    if field.kind == "ints":
        return f"list_transform({name}, lambda v: {words}[v + 1])"
    return f"{words}[{name} + 1]"


def _scores_query(rules: Ruleset) -> str:
    components = "".join(f", s.{_name(slot.name)}" for slot in rules.components)
    return (
        f"SELECT match_id, '{rules.name}' AS ruleset, variant, finished, s.seat AS seat, "
        f"players[s.seat + 1] AS player, s.score AS score, s.rank AS rank, s.shared AS shared{components} "
        f"FROM (SELECT match_id, variant, players, finished, unnest(result) AS s FROM _{rules.name}_matches)"
    )

