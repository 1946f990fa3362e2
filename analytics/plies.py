"""Where the rows of the view `plies` come from: files that `kifold plies` made, and live matches folded now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from kifold.analytics.sources import COVERED_SCHEMA, READ, OnLeftOut, pattern
from kifold.core.counted import counted
from kifold.core.ruleset import Ruleset
from kifold.records.log import batches
from kifold.records.store import Store
from kifold.replay.plies import logs_plies, plies_schema
from kifold.replay.ply_files import left_out, ply_files

PLY_COLUMNS = ("match_id", "ruleset", "ply", "seq", "seat", "legal", "phase", "scores", "ranks", "inherited")


def asked_plies(sql: str, rulesets: Iterable[str]) -> list[str]:
    """The rulesets whose plies a query may read, by the names of views in its text."""
    words = set(re.findall(r"\w+", sql.lower()))
    return [name for name in rulesets if not words.isdisjoint(("plies", f"{name}_plies"))]


def ply_tables(store: Store, rules: Ruleset, on_left_out: OnLeftOut) -> tuple[dict[str, pa.Table], str]:
    """What has to lie in the database, by name, and a query for all plies of a ruleset.

    Raises:
        StoreError: when a file of plies cannot be read.
    """
    name = rules.name
    live, covered = f"_live_{name}_plies", f"_covered_{name}_plies"
    tables, query = {live: _live(store, rules)}, f"SELECT * FROM {live}"
    there = [(file, place) for file, place in ply_files(store, rules).items() if place is not None]
    _say_what_lacks(store, name, there, on_left_out)
    gone = [
        {"file": str(place.absolute()), "match_id": match}
        for file, place in there
        for match in sorted(store.tombstones(file))
    ]
    if there:
        listed = ", ".join(pattern(str(place.absolute())) for _, place in there)
        if gone:
            tables[covered] = pa.Table.from_pylist(gone, COVERED_SCHEMA)
            query += (
                " UNION ALL BY NAME SELECT * EXCLUDE (_file) "
                f"FROM read_parquet([{listed}], {READ}, filename = '_file') AS p "
                f"ANTI JOIN {covered} AS c ON c.file = p._file AND c.match_id = p.match_id"
            )
        else:
            query += f" UNION ALL BY NAME SELECT * FROM read_parquet([{listed}], {READ})"
    return tables, query


def no_plies(rules: Ruleset) -> tuple[dict[str, pa.Table], str]:
    """The same where only columns are asked for."""
    name = f"_live_{rules.name}_plies"
    return {name: plies_schema(rules).empty_table()}, f"SELECT * FROM {name}"


def _say_what_lacks(store: Store, name: str, there: Sequence[tuple[str, Path]], on_left_out: OnLeftOut) -> None:
    computed = {file for file, _ in there}
    sizes = store.journal.rows("SELECT name, matches FROM files WHERE ruleset = ?", (name,))
    missing = sum(matches - len(store.tombstones(file)) for file, matches in sizes if file not in computed)
    refused = sum(len(left_out(place) - store.tombstones(file)) for file, place in there)
    if missing:
        have = counted(missing, f"archived match of {name} has", f"archived matches of {name} have")
        on_left_out(f"{have} no plies yet: make them with `kifold plies {name}`")
    if refused:
        have = counted(refused, f"archived match of {name} has", f"archived matches of {name} have")
        on_left_out(f"{have} no plies, not being legal or verifiable: see `kifold verify`")


def _live(store: Store, rules: Ruleset) -> pa.Table:
    """The plies of live matches; those that cannot be read or folded are said where their other rows are missing."""
    logs = store.live_logs(store.journal.ids(rules.name), lambda match, why: None)
    tables = [logs_plies(rules, batch, lambda match, why: None) for batch in batches(logs)]
    return pa.concat_tables([plies_schema(rules).empty_table(), *tables])
