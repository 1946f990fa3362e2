"""What the views are and what their columns mean, for `sql --schema`."""

from __future__ import annotations

import duckdb

from kifold.analytics.query import Answer, run
from kifold.core.registry import names, ruleset
from kifold.core.schema import columns_of

MEANINGS = {
    "match_id": "the match; equal in all views",
    "match": "its id as text, as the command line takes it",
    "ruleset": "the game",
    "variant": "its variant",
    "revision": "the revision of the rules that the match is pinned to",
    "schema": "the version of the events' declaration that the log was written under",
    "options": "every option's value",
    "seats": "how many play",
    "tags": "named texts: date, event, source, …",
    "players": "names by seat",
    "n_events": "events after event 0, taken back or not",
    "finished": "whether the match is over",
    "ending": "rules, resigned, abandoned, …; null while unfinished",
    "archived": "whether it lies in the archive",
    "seq": "number of the event in its log, from 1",
    "event": "the kind of event",
    "seat": "the seat that acted or is concerned, from 0; null for chance",
    "undone": "whether it was taken back",
    "player": "the seat's name",
    "score": "points by the rule book; null where it has none",
    "rank": "1 is best; ties share",
    "shared": "whether others have the same rank",
    "setup": "what the match started from",
    "result": "the standings, one entry per seat",
    "digest": "BLAKE2b-128 of the log",
    "fingerprints": "of the state, every 16 events and at the end",
}


def described(connection: duckdb.DuckDBPyConnection) -> Answer:
    """Every view with its columns, their types and meanings."""
    meanings: dict[str, str] = {}
    for rules in map(ruleset, names()):
        meanings |= rules.units
        meanings |= {name: field.description for name, field in columns_of(rules).items() if field.description}
    meanings |= MEANINGS
    found = run(
        connection,
        "SELECT table_name, column_name, data_type FROM information_schema.columns "
        "WHERE table_name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY table_name, ordinal_position",
    )
    return Answer(
        ["view", "column", "type", "meaning"],
        [(view, column, kind, meanings.get(column, "")) for view, column, kind in found.rows],
    )
