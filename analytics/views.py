"""What the views are and what their columns mean, for `sql --schema`."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from kifold.analytics.query import Answer, run
from kifold.core.fields import Field
from kifold.core.registry import names, ruleset
from kifold.core.ruleset import Ruleset
from kifold.core.schema import columns_of

VIEWS = {
    "matches": "one row per match, of all games; of one game with setup and result in <ruleset>_matches",
    "events": "one row per event after event 0, of all games, also what was taken back; the events' own columns are in "
    "<ruleset>_events and <ruleset>_log",
    "scores": "one row per match and seat, of all games: how the seat stands, at the end where finished",
    "plies": "one row per decision by a seat that counts, of all games: what it was made from and what came of it",
    "duplicates": "one row per match in which nothing was played that another has not, also of those that are "
    "being played; a match and its forks are never told of one another",
}
VIEWS_OF_RULESET = {
    "matches": "one row per match",
    "events": "one row per event that counts: without what was taken back",
    "log": "one row per event after event 0, also what was taken back",
    "scores": "one row per match and seat: how the seat stands, at the end where finished",
    "plies": "one row per decision by a seat that counts",
}

MEANINGS = {
    "match_id": "the match; equal in all views",
    "match": "its id as text, as the command line takes it; match_text(match_id) anywhere",
    "ruleset": "the game",
    "variant": "its variant",
    "revision": "the revision of the rules that its log names: the match is pinned to it, unless it was promoted",
    "promoted": "the revision that the match was promoted to; else null",
    "schema": "the version of the events' declaration that the log was written under",
    "options": "every option's value",
    "readings": "the options that are not as is usual in the variant, such as voluntary_pass=true; empty where all are",
    "seats": "how many play",
    "tags": "named texts: date, event, source, …",
    "players": "names by seat",
    "n_events": "events after event 0, taken back or not",
    "finished": "whether the match is over",
    "ending": "rules, resigned, abandoned, adjudicated or agreed; null while unfinished. Where it is not rules, seats "
    "stand as they did when it came, but a resigner last",
    "archived": "whether it lies in the archive",
    "parent": "the match that it is a fork of, which may be gone; null for all others; match_text(parent) is its text",
    "forked_at": "the last event of the parent that it shares",
    "seq": "number of the event in its log, from 1",
    "event": "the kind of event",
    "seat": "the seat that acted or is concerned, from 0; null for chance",
    "undone": "whether it was taken back",
    "inherited": "whether a fork has it from its parent, which counts it already: WHERE NOT inherited",
    "of": "the first match that has the same events, if there is one of the same players; or one with more",
    "kind": "same, or prefix: the other has these events and more",
    "same_players": "whether the two name the same players by seat; else it may be the same game of other people",
    "player": "the seat's name",
    "score": "points by the rule book; null where it has none",
    "rank": "1 is best; ties share",
    "shared": "whether others have the same rank",
    "setup": "what the match started from",
    "result": "the standings, one entry per seat",
    "digest": "BLAKE2b-128 of the log",
    "ply": "number of the decision among those of the match that count, from 1",
    "legal": "how many events the seat could choose from",
    "phase": "the phase in which the decision was made; null where the game has none",
    "scores": "points by seat after the decision and the events of chance that follow it; null where the game has none",
    "ranks": "ranks by seat, as if the match ended then: 1 is best; ties share",
    "fingerprints": "of the state, every 16 events and at the end",
}


SEAT = {"seat": "the seat, from 0"}
PLY = {"seq": "number of its event in the log, from 1", "seat": "the seat that decided, from 0"}


def described(connection: duckdb.DuckDBPyConnection) -> Answer:
    """Every view with what its rows are (there column and type are null), its columns, their types and meanings."""
    found = run(
        connection,
        "SELECT view_name, column_name, data_type FROM duckdb_views() JOIN duckdb_columns() "
        "ON table_name = view_name AND duckdb_columns.schema_name = duckdb_views.schema_name "
        "WHERE NOT duckdb_views.internal ORDER BY view_name, column_index",
    )
    there = {view for view, *_ in found.rows}
    meanings = _meanings([ruleset(name) for name in names() if f"{name}_matches" in there])
    rows = []
    for view, said in sorted(meanings.items()):
        columns = [(column, kind) for of, column, kind in found.rows if of == view]
        if columns:
            rows.append((view, None, None, said[""]))
            rows += [(view, column, kind, said.get(column, "")) for column, kind in columns]
    return Answer(["view", "column", "type", "meaning"], rows)


def _meanings(installed: Iterable[Ruleset]) -> dict[str, dict[str, str]]:
    """By view the meaning of each column; under the empty name that of a row."""
    views = {view: MEANINGS | {"": said} for view, said in VIEWS.items()}
    views["scores"] |= SEAT
    views["plies"] |= PLY
    for rules in installed:
        name = rules.name
        components = {slot: _with_words(said, rules.words.get(slot, ())) for slot, said in rules.units.items()}
        events = MEANINGS | {field.name: _field_meaning(field) for field in columns_of(rules).values()}
        own = {"matches": MEANINGS, "events": events, "log": events, "scores": MEANINGS | SEAT | components}
        lists = {slot: f"by seat: {said}" for slot, said in components.items()}
        phase = {"phase": _with_words(MEANINGS["phase"].partition(";")[0], rules.phases)} if rules.phases else {}
        own["plies"] = MEANINGS | PLY | lists | phase
        for part, said in VIEWS_OF_RULESET.items():
            views[f"{name}_{part}"] = own[part] | {"": f"{said} of {rules.title}"}
        for slot, meaning in components.items():
            for column in (slot, f"{name}_{slot}"):
                before = views["scores"].get(column)
                views["scores"][column] = f"{before}; {name}: {meaning}" if before else f"{name}: {meaning}"
    return views


def _field_meaning(field: Field) -> str:
    return _with_words(field.description or MEANINGS.get(field.name, ""), field.words if field.kind != "bool" else ())


def _with_words(meaning: str, words: Iterable[str]) -> str:
    listed = ", ".join(words)
    return f"{meaning}: {listed}" if meaning and listed else meaning or listed


def listing(answer: Answer) -> str:
    """What `described` says, as a text for people: the views of all games first."""
    views: dict[str, list[tuple[str, str, str]]] = {}
    heads = {}
    for view, column, kind, meaning in answer.rows:
        if column is None:
            heads[view] = meaning
        else:
            views.setdefault(view, []).append((column, _short(kind), meaning))
    lines = []
    for view in sorted(views, key=lambda view: (view not in VIEWS, view)):
        columns, of = views[view], view.removesuffix("_log") + "_events"
        lines += ["", f"{view}: {heads[view]}"]
        if view != of and of in views and view.endswith("_log"):
            columns = [column for column in columns if column not in views[of]]
            lines.append(f"  the columns of {of}, and")
        widths = [max(len(column[at]) for column in columns) for at in range(2)]
        lines += [f"  {name:{widths[0]}}  {kind:{widths[1]}}  {meaning}".rstrip() for name, kind, meaning in columns]
    return "\n".join(lines[1:]) + "\n"


def _short(kind: str) -> str:
    return kind if not kind.startswith("STRUCT(") else "STRUCT[]" if kind.endswith("[]") else "STRUCT"
