"""A store with matches of all games in every state that one can be in, and what Python knows of each of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from kifold.core.events import ENDINGS, Event, Finished, Noted, Resigned, Started, Undone
from kifold.core.play import Play, fold
from kifold.core.registry import ruleset
from kifold.core.ruleset import CHANCE
from kifold.core.samples import sample_match
from kifold.records import simulation
from kifold.records.forking import fork
from kifold.records.log import Log
from kifold.records.store import Store
from tests.rulesets.matches import folder
from tests.stores import archive_all, duo, game, quiet, record, varied

SEED = 11
SIMULATED = (
    ("blokus", "duo", 2, 200),
    ("blokus", "classic", 4, 200),
    ("nibble", "square9", 2, 60),
    ("chipstack", "standard", 2, 60),
    ("chipstack", "standard", 3, 60),
    ("unionking", "game1", 2, 40),
    ("edgecolor", None, 2, 40),
)


def simulate(store: Store, started: Started, games: int, seed: int = SEED) -> None:
    """Simulate with the rules that the tests have compiled already, the ones that check bounds."""
    code = folder(ruleset(started.ruleset)).code
    with mock.patch.object(simulation, "compiled", return_value=code):
        simulation.simulate(store, simulation.simulation(started, "random", seed), games, 1, quiet)


def fill_mixed(store: Store) -> dict[str, int]:
    """Fill a store; the matches that something happened to, by what it was."""
    for name, variant, seats, games in SIMULATED:
        simulate(store, ruleset(name).start(variant, seats=seats), games)
    simulate(store, ruleset("blokus").start("duo", {"voluntary_pass": True}), 40)
    named = fill_forks(store)
    named["archived_varied"] = store.new(duo(), ("Ada", "Bo"), varied(1))
    named["archived_deleted"] = record(store, 2)
    named["brought_back"] = record(store, 3)
    named["archived_twice"] = record(store, 4)
    archive_all(store)
    store.append(named["archived_twice"], [Noted("comment", ("once more",))])
    archive_all(store)
    store.append(named["brought_back"], [Undone(len(game(3)) - 1)])
    store.delete(named["archived_deleted"])
    store.delete(next(match for match, file in _archived(store) if file.startswith("nibble")))
    named["varied"] = store.new(duo(), ("Ça 'va", "棋譜"), varied(0))
    named["resigned"] = store.new(duo(), ("Ada",), varied(3))
    named["abandoned"] = store.new(duo(), (), [*game(5)[:6], Finished(ENDINGS.index("abandoned"))])
    named["resigned_taken_back"] = store.new(duo(), (), [*game(6)[:4], Resigned(0), Undone(4), *game(6)[4:]])
    named["begins_anew"] = store.new(duo(), (), [game(7)[0], Undone(0), *game(8)])
    for ending in ENDINGS:
        named[f"live_{ending}"] = store.new(duo(), (), [*game(14)[:3], Finished(ENDINGS.index(ending))])
    named["unfinished"] = record(store, 9, 7)
    named["empty"] = store.new(ruleset("blokus").start("classic", tags={"event": 'say "hi", ü'}))
    for number in range(1, 8):
        named[f"same_{number}"] = store.new(duo(), (), varied(number))
        named[f"begun_{number}"] = store.new(duo(), ("Ada",), [*game(number)[: 2 * number], Noted("comment", ("x",))])
    named["deleted"] = record(store, 10)
    store.delete(named["deleted"])
    for name in ("chipstack", "edgecolor", "nibble", "unionking"):
        play = sample_match(ruleset(name), ruleset(name).start(), SEED, 1, limit=5)
        named[f"live_{name}"] = store.new(play.started, ("Ada", "Bo"), play.log)
    return named


def fill_forks(store: Store) -> dict[str, int]:
    """Add forks, finished and not, live and archived, of matches that are finished, unfinished and deleted."""
    named = {"forked": record(store, 11), "forked_early": record(store, 12, 5), "forked_and_deleted": record(store, 13)}
    for place, (name, of, at, length) in enumerate(
        [
            ("fork", "forked", 9, None),
            ("fork_at_once", "forked", 1, None),
            ("fork_unfinished", "forked", 9, 0),
            ("fork_of_fork", "fork", 12, None),
            ("fork_of_unfinished", "forked_early", 4, None),
            ("another_of_unfinished", "forked_early", 5, None),
            ("fork_of_deleted", "forked_and_deleted", 6, None),
            ("another_of_deleted", "forked_and_deleted", 6, None),
        ]
    ):
        named[name] = fork(store, named[of], at)
        if length is None:
            play = store.folded(named[name])
            while not play.is_over:
                legal = play.legal()
                play.add(legal[place % len(legal)])
            store.append(named[name], play.log[len(store.log(named[name]).events) :])
        if place < 4:
            archive_all(store)
    store.append(named["fork_of_unfinished"], [Undone(2), *game(12)[2:]])
    store.append(named["forked_early"], [Undone(1)])
    store.delete(named["forked_and_deleted"])
    return named


def _archived(store: Store) -> list[tuple[int, str]]:
    return store.journal.rows("SELECT match, name FROM archived JOIN files ON files.id = file ORDER BY match")


@dataclass(frozen=True)
class Known:
    """A match as plain Python reads and folds it, without any of the code that fills tables."""

    log: Log
    play: Play

    @property
    def ending(self) -> str | None:
        if isinstance(self.play.ending, Finished):
            return ENDINGS[self.play.ending.ending]
        if isinstance(self.play.ending, Resigned):
            return "resigned"
        return "rules" if self.play.is_over else None

    def inherited(self, known: dict[int, Known]) -> int:
        """So many of its events, the first ones, are of a match that is there too."""
        fork = self.log.fork
        return fork.inherited if fork and fork.parent in known else 0

    def undone(self) -> set[int]:
        """The numbers of the events that were taken back, also of what took back."""
        gone: set[int] = set()
        for seq, event in enumerate(self.log.events, start=1):
            if isinstance(event, Undone):
                gone |= set(range(event.back_to + 1, seq))
        return gone

    def seats(self) -> dict[int, int | None]:
        """By number of the event the seat that acted, or that it names."""
        acted = dict(zip((seq for seq, _ in self.play.effective), self.play.seats, strict=True))
        for seq in self.undone():
            then, _ = fold(self.play.ruleset, self.log.started, self.log.events[:seq])
            if then.effective and then.effective[-1][0] == seq:
                acted[seq] = then.seats[-1]
        said = {seq: event.seat for seq, event in enumerate(self.log.events, start=1) if hasattr(event, "seat")}
        return {seq: None if seat == CHANCE else seat for seq, seat in (acted | said).items()}


def read_known(store: Store) -> dict[int, Known]:
    known = {}
    for log in store.logs():
        play, refused = fold(ruleset(log.started.ruleset), log.started, log.events)
        assert refused is None
        assert log.match_id not in known
        known[log.match_id] = Known(log, play)
    return known


def kind(event: Event) -> str:
    """The word for an event's type, worked out anew: `BlockerSetup` is ``blocker_setup``."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", type(event).__name__).lower()


def decisions(one: Known, depth: int) -> tuple[Event, ...] | None:
    """The first decisions by seats that count, or None where there are fewer."""
    actions = [event for _, event in one.play.effective if type(event) in one.play.ruleset.actions]
    return tuple(actions[:depth]) if len(actions) >= depth else None


def readings(one: Known) -> str:
    """The options that are not as the variant has them when nobody chooses."""
    rules, started = one.play.ruleset, one.log.started
    usual = rules.start(started.variant).options
    return " ".join(f"{name}={str(value).lower()}" for name, value in started.options.items() if value != usual[name])


def family(one: Known, known: dict[int, Known]) -> int:
    """The match that this one goes back to."""
    return family(known[one.log.fork.parent], known) if one.log.fork and one.inherited(known) else one.log.match_id


def firsts(one: Known) -> dict[int, float]:
    """The part of the first place that each seat has."""
    best = [standing.seat for standing in one.play.result() if standing.rank == 1]
    return dict.fromkeys(best, 1 / len(best))


def count_openings(
    known: dict[int, Known], name: str, depth: int, endings: Collection[str]
) -> dict[tuple[Any, ...], tuple[int, dict[int, float]]]:
    """By variant, seats, readings and key of the opening the number of matches that ended so, and the first places of
    each seat.

    What a fork has from another match counts for that; if it is not finished, for the first fork that is.
    """
    counts: Counter[tuple[Any, ...]] = Counter()
    places: dict[tuple[Any, ...], Counter[int]] = {}
    told: set[tuple[int, tuple[Event, ...]]] = set()
    long_enough = [(one, decisions(one, depth)) for one in known.values()]
    shared = {}
    for one, events in long_enough:
        actions = [seq for seq, event in one.play.effective if type(event) in one.play.ruleset.actions]
        shared[one.log.match_id] = events is not None and actions[depth - 1] <= one.inherited(known)
    for one, events in sorted(long_enough, key=lambda pair: (shared[pair[0].log.match_id], pair[0].log.match_id)):
        started = one.log.started
        if started.ruleset == name and one.ending in endings and events is not None:
            beginning = (family(one, known), events)
            if shared[one.log.match_id] and beginning in told:
                continue
            told.add(beginning)
            key = (started.variant, started.seats, readings(one), ruleset(name).opening_key(started, events))
            counts[key] += 1
            places.setdefault(key, Counter()).update(firsts(one))
    return {key: (n, dict(places[key])) for key, n in counts.items()}


def contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a store with its bytes."""
    for place in sorted(path.rglob("*")):
        if place.is_file():
            yield str(place), place.read_bytes()
