"""The views of a store in SQL: archived and live matches alike.

DuckDB reads the archive's Parquet files in place; live matches enter as Arrow tables. No extension is downloaded or
loaded.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from kifold.analytics.duplicates import duplicates_query
from kifold.analytics.plies import PLY_COLUMNS, no_plies, ply_tables
from kifold.analytics.readings import readings_sql
from kifold.analytics.sources import FORKS, PINS, OnLeftOut, Source, beside, installed, not_installed, quoted, source_of
from kifold.core.events import Undone, kind_of, tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.records import Slot
from kifold.core.ruleset import Ruleset
from kifold.core.schema import columns_of
from kifold.records.ids import BITS, DIGITS
from kifold.records.store import Store
from kifold.replay.plies import components

MATCH_COLUMNS = (
    "match_id, ruleset, variant, revision, options, readings, seats, tags, players, n_events, finished, ending, "
    "archived, parent, forked_at, promoted"
)
NO_FORK = ", NULL::BIGINT AS parent, NULL::INTEGER AS forked_at"
SCORED = ("match_id", "variant", "readings", "seats", "finished", "ending")
"""What the view `scores` says of a match."""
SCORE_COLUMNS = (*SCORED, "ruleset", "seat", "player", "score", "rank", "shared")

_DIGITS_OF_ID = (f"substr('{DIGITS}', ((id >> {shift}) & 31)::INTEGER + 1, 1)" for shift in range(BITS - 5, -1, -5))
MATCH_TEXT = f"CREATE OR REPLACE MACRO match_text(id) AS {' || '.join(_DIGITS_OF_ID)}"
"""The text form of an id in SQL, see `kifold.records.ids.id_text`."""

SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Else a table that is not there is looked for among the variables of our own code.
    "python_enable_replacements": "false",
}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the views of a store are made of.

    Attributes:
        tables: the rows that lie in no file of the archive, by name.
        views: their queries by name, each after those that it reads.
    """

    tables: dict[str, pa.Table] = field(default_factory=dict)
    views: dict[str, str] = field(default_factory=dict)


def connect(
    store: Store,
    only: Ruleset | None = None,
    on_left_out: OnLeftOut = lambda line: None,
    plies: Collection[str] | None = (),
) -> duckdb.DuckDBPyConnection:
    """An in-memory database with the views of a store: `matches`, `events`, `scores`, and for each ruleset
    `<ruleset>_matches`, `<ruleset>_events`, `<ruleset>_log` and `<ruleset>_scores`; where they are asked for also
    `<ruleset>_plies` and, when that is so of all rulesets, `plies`.

    Archive files are read when a query needs them; live matches are folded now.

    Args:
        store: it may be closed afterwards. Where others may compact it meanwhile, ask inside `naming_damage`.
        only: the ruleset that will be asked about: the others are not looked at.
        on_left_out: called with one line for each match that cannot be read or folded, and each ruleset that is not
            installed or cannot be loaded.
        plies: the rulesets whose plies are wanted: listing the legal events of live matches takes time. None for the
            columns of all, without rows.

    Raises:
        StoreError: when an archive file is missing or no Parquet file: answers without it would be wrong.
    """
    found = catalogue(store, only, on_left_out, plies)
    # By default DuckDB would put what does not fit into memory into the folder where the command was called.
    spill = Path(tempfile.gettempdir()) / f"kifold-{os.getpid()}"
    connection = duckdb.connect(":memory:", config=SETTINGS | {"temp_directory": str(spill)})
    connection.execute(MATCH_TEXT)
    for name, table in found.tables.items():
        connection.register(name, table)
    for name, query in found.views.items():
        connection.execute(f"CREATE VIEW {name} AS {query}")
    connection.execute("SET lock_configuration = true")
    return connection


def catalogue(store: Store, only: Ruleset | None, on_left_out: OnLeftOut, plies: Collection[str] | None) -> Catalogue:
    """Work out the views of a store, as it is at one moment; see `connect`."""
    chosen = installed(on_left_out) if only is None else [only]
    found = Catalogue()
    with store.journal.reading():  # a match that is archived meanwhile is there once
        found.tables.update(beside(store))
        for rules in chosen:
            _add_ruleset(found, store, rules, on_left_out)
            if plies is None or rules.name in plies:
                _add_plies(found, rules, *(no_plies(rules) if plies is None else ply_tables(store, rules, on_left_out)))
        if only is None:
            for line in not_installed(store):
                on_left_out(line)
    views = [
        ("matches", "SELECT {columns}, match_text(match_id) AS match FROM {name}_matches"),
        ("events", "SELECT match_id, '{name}' AS ruleset, seq, event, seat, undone, inherited FROM {name}_log"),
        ("scores", "SELECT {scores} FROM {name}_scores"),
        ("duplicates", "SELECT * FROM _{name}_duplicates"),
    ]
    if all(f"{rules.name}_plies" in found.views for rules in chosen):
        views.append(("plies", "SELECT {plies} FROM {name}_plies"))
    for view, query in views:
        renamed = _ambiguous(chosen)
        found.views[view] = " UNION ALL BY NAME ".join(
            query.format(
                name=rules.name,
                columns=MATCH_COLUMNS,
                scores=_scores_in_union(rules, renamed),
                plies=", ".join(PLY_COLUMNS),
            )
            for rules in chosen
        )
    return found


def _add_ruleset(found: Catalogue, store: Store, rules: Ruleset, on_left_out: OnLeftOut) -> None:
    name, source, has_forks = rules.name, source_of(store, rules, on_left_out), FORKS in found.tables
    found.tables.update(source.tables)
    matches = _with_promoted(source.queries["matches"], has_pins=PINS in found.tables)
    found.views[f"_{name}_matches"] = f"SELECT *, {readings_sql(rules)} AS readings FROM ({matches})"
    found.views[f"_{name}_events"] = source.queries["events"]
    setup = f" REPLACE ({_setup_in_words(rules)} AS setup)" if fields_of(rules.setup) else ""
    joined = f" LEFT JOIN (SELECT match_id, parent, forked_at FROM {FORKS}) USING (match_id)"
    found.views[f"{name}_matches"] = (
        f"SELECT *{setup}{'' if has_forks else NO_FORK}, '{name}' AS ruleset "
        f"FROM _{name}_matches{joined if has_forks else ''}"
    )
    found.views[f"{name}_log"] = _log_query(rules, source, has_forks=has_forks)
    # What was taken back does not count, and neither does taking it back.
    counts = f" WHERE NOT undone AND event IS DISTINCT FROM '{kind_of(Undone)}'" if source.has_undone else ""
    found.views[f"{name}_events"] = f"SELECT * EXCLUDE (undone) FROM {name}_log{counts}"
    found.views[f"{name}_scores"] = _scores_query(rules)
    found.views[f"_{name}_duplicates"] = duplicates_query(rules, has_forks=has_forks)


def _add_plies(found: Catalogue, rules: Ruleset, tables: Mapping[str, pa.Table], query: str) -> None:
    found.tables.update(tables)
    found.views[f"_{rules.name}_plies"] = query
    lists = [
        f"list_transform({_name(slot.name)}, lambda v: {_in_words('v', rules.words[slot.name])}) AS {_name(slot.name)}"
        if slot.name in rules.words
        else _name(slot.name)
        for slot in components(rules)
    ]
    phase = f"{_in_words('phase', rules.phases)}::VARCHAR AS phase"
    inherited, forks = _inherited(has_forks=FORKS in found.tables)
    said = {"ruleset": f"'{rules.name}' AS ruleset", "phase": phase, "inherited": inherited}
    columns = ", ".join([*(said.get(one, one) for one in PLY_COLUMNS), *lists])
    found.views[f"{rules.name}_plies"] = f"SELECT {columns} FROM _{rules.name}_plies{forks}"


def _with_promoted(matches: str, *, has_pins: bool) -> str:
    """The rows of `matches` with the revision that each was promoted to."""
    if not has_pins:
        return f"SELECT *, NULL::SMALLINT AS promoted FROM ({matches})"
    return (
        f"SELECT m.*, nullif(p.promoted, m.revision) AS promoted FROM ({matches}) AS m "
        f"LEFT JOIN {PINS} AS p ON p.match_id = m.match_id"
    )


def _log_query(rules: Ruleset, source: Source, *, has_forks: bool) -> str:
    kinds = " ".join(f"WHEN {tag_of(event)} THEN '{kind_of(event)}'" for event in rules.known)
    columns = ", ".join(
        f"{_word(field, _column(rules, field.name))} AS {_name(field.name)}" for field in columns_of(rules).values()
    )
    rows = f"_{rules.name}_events"
    undone = "false"
    if source.has_undone:
        undone = (
            f"EXISTS (SELECT 1 FROM {rows} AS u WHERE u.match_id = e.match_id AND u.tag = {tag_of(Undone)} "
            "AND u.seq > e.seq AND u.back_to < e.seq)"
        )
    inherited, forks = _inherited(has_forks=has_forks)
    return (
        f"SELECT match_id, seq, CASE tag {kinds} END AS event, {columns}, {undone} AS undone, {inherited} "
        f"FROM {rows} AS e{forks}"
    )


def _inherited(*, has_forks: bool) -> tuple[str, str]:
    """A column that says whether a fork has an event from its parent, and what has to be joined for it."""
    if not has_forks:
        return "false AS inherited", ""
    forks = f"(SELECT match_id, n_inherited FROM {FORKS}) AS f"
    return "seq <= coalesce(f.n_inherited, 0) AS inherited", f" LEFT JOIN {forks} USING (match_id)"


def _setup_in_words(rules: Ruleset) -> str:
    parts = []
    for one in fields_of(rules.setup):
        name = _name(one.name)
        value = f"setup.{name}" if one.since == 1 else f"coalesce(setup.{name}, {_literal(one)})"
        parts.append(f"{name} := {_word(one, value)}")
    return f"struct_pack({', '.join(parts)})"


def _name(name: str) -> str:
    return f'"{name}"'


def _column(rules: Ruleset, name: str) -> str:
    """A column of events in SQL, with the default of its field where a row is older than that."""
    newer = [(tag_of(event), f) for event in rules.known for f in fields_of(event) if f.name == name and f.since > 1]
    whens = "".join(f" WHEN {tag} THEN {_literal(field)}" for tag, field in newer)
    return f"coalesce({_name(name)}, CASE tag{whens} END)" if newer else _name(name)


def _literal(field: Field) -> str:
    if field.length:
        return "[]"
    return quoted(field.default) if field.kind == "text" else str(field.default).lower()


def _word(field: Field, value: str) -> str:
    """A field's value in SQL, with words for numbers that have them."""
    if field.kind == "ints" and field.words:
        return f"list_transform({value}, lambda v: {_in_words('v', field.words)})"
    return _in_words(value, field.words) if field.kind == "int" else value


def _in_words(number: str, words: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, words))}][{number} + 1]" if words else number


def _scores_query(rules: Ruleset) -> str:
    components = "".join(f", {_component(rules, slot.name)} AS {_name(slot.name)}" for slot in rules.components)
    of_match = ", ".join(SCORED)
    return (
        f"SELECT {of_match}, '{rules.name}' AS ruleset, s.seat AS seat, "
        f"players[s.seat + 1] AS player, s.score AS score, s.rank AS rank, s.shared AS shared{components} "
        f"FROM (SELECT {of_match}, players, unnest(result) AS s FROM _{rules.name}_matches)"
    )


def _component(rules: Ruleset, name: str) -> str:
    return _in_words(f"s.{_name(name)}", rules.words.get(name, ()))


def is_list(rules: Ruleset, slot: Slot) -> bool:
    """Whether a component of the result has several numbers for each seat."""
    return slot.length != rules.most_seats


def _ambiguous(chosen: Iterable[Ruleset]) -> set[str]:
    """Names of components that are a number in one game and a list in another: they cannot be one column."""
    kinds: dict[str, set[bool]] = {}
    for rules in chosen:
        for slot in rules.components:
            kinds.setdefault(slot.name, set()).add(is_list(rules, slot))
    return {name for name, found in kinds.items() if len(found) > 1}


def _scores_in_union(rules: Ruleset, ambiguous: set[str]) -> str:
    components = [
        f"{_name(slot.name)} AS {rules.name}_{slot.name}" if slot.name in ambiguous else _name(slot.name)
        for slot in rules.components
    ]
    return ", ".join([*SCORE_COLUMNS, *components])
