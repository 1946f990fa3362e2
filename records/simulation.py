"""Simulated matches, straight into the archive: the same folder on every run and with any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import local

import msgspec
import numpy as np
import pyarrow as pa

from kifold.core.codec import encode
from kifold.core.compiled import compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.events import Started
from kifold.core.flat import flatten_setup
from kifold.core.registry import ruleset
from kifold.core.rng import check_seed
from kifold.records.bulk import BulkWriter
from kifold.records.errors import StoreError
from kifold.records.folded import corpus_tables
from kifold.records.ids import id_text, series_id
from kifold.records.parallel import in_order
from kifold.records.store import Store
from kifold.records.tables import rows_to_logs

EVENTS_PER_GROUP = 300_000
PILOT = 64
LARGEST_CHUNK = 16_384
POLICIES = ("random", "greedy")
MOST_GAMES = 1 << 32

GAPS = """
WITH asked (first, beyond) AS (VALUES (?, ?)),
    held AS (SELECT match FROM archived UNION ALL SELECT id FROM matches),
    ends AS (SELECT match FROM held, asked WHERE match >= first AND match < beyond UNION ALL SELECT beyond FROM asked),
    runs AS (SELECT lag(match, 1, first - 1) OVER (ORDER BY match) + 1 AS begin, match AS beyond FROM ends, asked)
SELECT begin, runs.beyond FROM runs WHERE begin < runs.beyond ORDER BY begin
"""
"""Which ids from a first one to before another are those of no match: (first, beyond) of each run."""

Tables = tuple[pa.Table, pa.Table]


@dataclass(frozen=True, slots=True)
class Simulation:
    """What is simulated: event 0 of every match (its setup a template), the policy of all seats, the seed."""

    started: Started
    policy: str
    seed: int

    @property
    def name(self) -> bytes:
        """The bytes that the match ids follow from."""
        return encode(self.started) + f" {self.policy} {self.seed}".encode()


def simulation(started: Started, policy: str, seed: int) -> Simulation:
    """Check and describe a simulation.

    Raises:
        ValueError: for an unknown policy or a seed out of range.
    """
    if policy not in POLICIES:
        raise ValueError(f"no policy {policy!r}: choose from {', '.join(POLICIES)}")
    check_seed(seed)
    tags = {"source": "simulation", "policy": policy}
    return Simulation(msgspec.structs.replace(started, tags=tags | started.tags), policy, seed)


def check_games(games: int) -> None:
    """Refuse a number of matches that is too large.

    Raises:
        ValueError: when it is.
    """
    if games > MOST_GAMES:
        raise ValueError(f"a simulation has at most {MOST_GAMES} matches, not {games}")


def simulate(
    store: Store,
    what: Simulation,
    games: int,
    workers: int,
    on_progress: Callable[[int, int], None],
    on_cut: Callable[[int], None] | None = None,
) -> tuple[int, int]:
    """Play matches number 0 … games − 1 and archive them; those that the store already holds are not played again.

    Of these the first `PILOT` are compared with what is played now: see `_expect_same`.

    Args:
        on_progress: called with the numbers of matches and events of each chunk.
        on_cut: called with how many matches of a chunk are unfinished, since they came to `LONGEST_MATCH` events.

    Returns:
        How many matches were added, and how many were there before. When interrupted, what was played is kept.

    Raises:
        StoreError: when the store holds other matches under these ids, or cannot be read or written.
    """
    check_games(games)
    rules = ruleset(what.started.ruleset)
    added = 0
    missing = _missing(store, what, games)
    _expect_same(store, what, range(_first_held(missing), games)[:PILOT])
    for part in missing:
        with BulkWriter(store, rules, name=f"{rules.name}-{series_id(what.name, part.start):x}") as writer:
            try:
                for matches, events in _chunks(what, part, workers):
                    writer.add_tables(matches, events)
                    on_progress(len(matches), len(events))
                    if on_cut and (cut := matches["ending"].null_count):
                        on_cut(cut)
            except KeyboardInterrupt:
                writer.commit()
                raise
        added += writer.matches
    return added, games - sum(map(len, missing))


def _missing(store: Store, what: Simulation, games: int) -> list[range]:
    """The numbers of the matches that the store does not hold."""
    base = series_id(what.name, 0)
    rows = store.journal.rows(GAPS, (base, base + games))
    return [range(begin - base, beyond - base) for begin, beyond in rows]


def _first_held(missing: list[range]) -> int:
    return missing[0].stop if missing and missing[0].start == 0 else 0


def _expect_same(store: Store, what: Simulation, numbers: range) -> None:
    """Refuse to take other matches for those of a simulation that are held under the ids of some of its numbers.

    Ids have too few bits for an id to be a match, and whoever changes rules in place gets other matches under the same
    ids. A match may have gone on since. What cannot be read is believed: to find damage is the business of `verify`.

    Raises:
        StoreError: where one is held that is another.
    """
    rules = ruleset(what.started.ruleset)
    try:
        with store.journal.reading():
            held = sorted(store.held(series_id(what.name, number) for number in numbers))
            there = {log.match_id: log for log in store.logs(held)}
    except (StoreError, ValueError):
        return
    if not there:
        return
    folder = Folder(rules, compiled(rules))
    for corpus, begin in _corpora(what, folder, numbers.start, len(numbers)):
        for log in rows_to_logs(rules, *_tables(what, folder, corpus, begin)):
            found = there.get(log.match_id, log)
            if (found.started, found.events[: len(log.events)]) != (log.started, log.events):
                raise StoreError(
                    f"match {id_text(log.match_id)} has an id of this simulation and is another match: the rules have "
                    "changed since it was played, or a simulation with other settings got the same ids; nothing was "
                    "played, choose another seed"
                )


def _chunks(what: Simulation, part: range, workers: int) -> Iterator[Tables]:
    """The tables of each chunk, in order; at most two per worker are waiting."""
    scratch = local()

    def play(chunk: range) -> list[Tables]:
        if not hasattr(scratch, "folder"):
            scratch.folder = Folder(rules, compiled(rules))
        corpora = _corpora(what, scratch.folder, chunk.start, len(chunk))
        return [_tables(what, scratch.folder, corpus, at) for corpus, at in corpora]

    rules = ruleset(what.started.ruleset)
    size = _chunk_size(what, Folder(rules, compiled(rules)))
    chunks = (part[at : at + size] for at in range(0, len(part), size))
    for tables in in_order(play, chunks, workers):
        yield from tables


def _corpora(what: Simulation, folder: Folder, begin: int, count: int) -> Iterator[tuple[Corpus, int]]:
    template = flatten_setup(folder.ruleset, what.started)
    for corpus in folder.play(template, what.seed, begin, count, greedy=what.policy == "greedy"):
        yield corpus, begin
        begin += len(corpus)


def _chunk_size(what: Simulation, folder: Folder) -> int:
    """How many matches make a row group, judged by the first ones (so it does not depend on who plays them)."""
    events = sum(len(corpus.events) for corpus, _ in _corpora(what, folder, 0, PILOT))
    return max(1, min(LARGEST_CHUNK, EVENTS_PER_GROUP * PILOT // max(events, 1)))


def _tables(what: Simulation, folder: Folder, corpus: Corpus, begin: int) -> Tables:
    ids = np.array([series_id(what.name, begin + m) for m in range(len(corpus))], np.int64)
    return corpus_tables(corpus, folder.fold(corpus), what.started, ids)
