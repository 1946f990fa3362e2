"""The stores of these tests. What takes seconds to fill is filled once: tests on it are in one xdist group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from kifold.analytics.catalogue import connect
from kifold.records.store import Store
from kifold.service.cli import run
from tests.analytics.mixed import Known, fill_mixed, read_known


@dataclass(frozen=True)
class Mixed:
    """See `mixed.fill_mixed`. `sql` has the views of the store, those of plies without rows."""

    folder: Path
    named: dict[str, int]
    known: dict[int, Known]
    sql: duckdb.DuckDBPyConnection

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.sql.execute(query).fetchall()


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mixed]:
    folder = tmp_path_factory.mktemp("mixed") / "store"
    with Store(folder, durability="off") as store:
        named = fill_mixed(store)
        known = read_known(store)
        connection = connect(store, plies=None)
    yield Mixed(folder, named, known, connection)
    connection.close()


Kifold = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kifold(capsys: pytest.CaptureFixture[str]) -> Kifold:
    """Call the command line in this process: exit status, what it printed, what it said on standard error."""

    def call(folder: Path, *arguments: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        status = run(["--store", str(folder), *map(str, arguments)])
        out, err = capsys.readouterr()
        return status, out, err

    return call
