"""What docs/parquet.md says of the archive's files, for those who read them without kifold."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from kifold.analytics.catalogue import connect
from kifold.core.events import COMMON, ENDINGS, Finished, Undone, kind_of, tag_of
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.ids import DIGITS
from kifold.records.store import Store
from tests.consoles import blocks
from tests.stores import archive_all, duo, fill, game

PAGE = (Path(__file__).parent.parent.parent / "docs" / "parquet.md").read_text(encoding="utf-8")
ENDED_SO = [Finished(number) for number in range(len(ENDINGS))]


def filled(store: Store) -> str:
    """Archive matches of which parts were taken back, one of them twice; the folder as SQL reads it."""
    fill(store)
    events = game(9)
    store.new(duo(), (), [*events[:6], Undone(4), *events[4:8], Undone(2), *events[2:5], ENDED_SO[0]])
    for ending in ENDED_SO:
        store.new(duo(), (), [events[0], ending])
    archive_all(store)
    return str(store.archive_folder)


def test_the_query_of_the_page_gives_what_the_views_do(store: Store) -> None:
    folder = filled(store)
    [query] = blocks(PAGE, "sql")
    found = duckdb.sql(query.replace("store/archive", folder)).fetchall()
    with connect(store, BLOKUS) as sql:
        assert (
            found
            == sql.execute(
                "SELECT colour, piece, count(*) FROM blokus_events WHERE event = 'place' GROUP BY ALL ORDER BY ALL"
            ).fetchall()
        )
        undone = sql.execute("SELECT count(*) FROM blokus_log WHERE undone").fetchone()
    assert undone is not None
    assert undone[0] > 5


def test_the_page_says_what_the_numbers_are(store: Store) -> None:
    tags = dict(re.findall(r"(\d+) `(\w+)`", next(line for line in PAGE.splitlines() if line.startswith("| `tag`"))))
    assert tags == {str(tag_of(event)): kind_of(event) for event in COMMON}
    assert f"`{DIGITS}`" in PAGE
    folder = filled(store)
    said = dict(re.findall(r"(\d+) `(\w+)`", next(line for line in PAGE.splitlines() if line.startswith("| `ending`"))))
    found = duckdb.sql(
        f"SELECT DISTINCT e.ending::VARCHAR, m.ending FROM '{folder}/events/*/*.parquet' AS e "
        f"JOIN '{folder}/matches/*/*.parquet' AS m USING (match_id) WHERE tag = 1"
    ).fetchall()
    assert dict(found) == said
