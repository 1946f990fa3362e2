"""The library `eventsourcing` (PyPI) as it is used: an aggregate whose events are kept in SQLite. It knows no rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class Match(Aggregate):
    """A match that keeps the last event it was given."""

    @event("Added")
    def add(self, values: tuple[Any, ...]) -> None:
        self.last = values


def store_in(file: Path) -> Application[Any]:
    """An application that keeps its events in a file of SQLite, write-ahead and fully synced: its defaults."""
    return Application(env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(file)})
