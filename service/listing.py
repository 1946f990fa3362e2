"""The matches of a store, listed one by one, and how each stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from kifold.core.counted import counted
from kifold.service.context import print_json

if TYPE_CHECKING:
    from kifold.records.store import Store


def list_matches(store: Store, format_: str) -> None:
    """Print the live matches one by one, and how many are archived."""
    from kifold.records.ids import id_text
    from kifold.replay.whose_turn import turn_of_log

    bad: dict[int, str] = {}
    with store.journal.reading():
        rows = [
            {
                "match": id_text(one.match_id),
                "ruleset": one.started.ruleset,
                "variant": one.started.variant,
                "events": len(one.events),
                "players": list(one.players),
                "turn": turn_of_log(one),
            }
            for one in store.live_logs(store.journal.ids(), bad.__setitem__)
        ]
        archived = {name: many for name, (_, many) in store.counts().items() if many}
    for match, why in bad.items():
        typer.echo(f"kifold: match {id_text(match)} cannot be listed: {why}", err=True)
    if format_ == "json":
        print_json({"live": rows, "archived": archived})
        return
    for row in rows:
        typer.echo(f"{row['match']}  {row['ruleset']} {row['variant']}, {row['events']} events, {row['turn']}")
    for name, many in archived.items():
        typer.echo(f"{counted(many, 'archived match', 'archived matches')} of {name}")
    if archived:
        query = "select match, ruleset, variant, players from matches where archived limit 20"
        typer.echo(f'list them with: kifold sql "{query}"')
    if not rows and not archived:
        typer.echo("no matches yet; begin one with: kifold new blokus")
