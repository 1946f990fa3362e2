"""The sample of a format: a small store with matches of every ruleset, what it exports, and a manifest.

`python -m tests.format_sample tests/data/formats/N` makes the one of today's format. It is made once, when a format is
new, and kept: what was written then has to be read for ever. See tests/data/formats/README.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kifold.core.emit import Out
from kifold.core.events import COMMON, Event, Finished, Noted, OptionValue, Resigned, Undone, kind_of
from kifold.core.flat import unflatten
from kifold.core.play import Play
from kifold.core.registry import ruleset
from kifold.core.rng import Random, below, seed_random
from kifold.core.ruleset import NOBODY
from kifold.core.samples import started_with_chance
from kifold.records.formats import format_named
from kifold.records.ids import id_text
from kifold.records.importing import import_file
from kifold.records.judge import Judged, judge_log
from kifold.records.log import Log
from kifold.records.sqlite import FORMAT
from kifold.records.store import Store
from kifold.records.tables import ending_text
from tests.registered import NAMES
from tests.stores import archive_all, quiet

EXPORTS = {"matches.jsonl": NAMES, "blokus.blksgf": ["blokus"]}
VARIANTS: dict[str, tuple[str, str]] = {
    "blokus": ("duo", "three_player"),
    "chipstack": ("standard", "standard"),
    "edgecolor": ("duo", "standard"),
    "nibble": ("square9", "hex13"),
    "unionking": ("game1", "game3"),
}
"""Of each ruleset the variant that is played whole, and the one that is begun."""
OPTIONS: dict[str, dict[str, OptionValue]] = {
    "blokus": {"voluntary_pass": True},
    "nibble": {"early_stop": True},
    "unionking": {"max_plies": 90},
}
GREEDY = {"unionking"}
"""Only who plays well comes so far that the last move can be declined."""


def main(folder: Path) -> None:
    """Make a sample in an empty folder."""
    with Store(folder / "store") as store:
        _fill(store, folder)
        logs = sorted(store.logs(), key=lambda log: log.match_id)
        held = {kind_of(type(event)) for log in logs for event in log.events}
        assert held == {kind_of(event) for event in COMMON} | {k for name in NAMES for k in ruleset(name).kinds}
        for name in EXPORTS:
            export(logs, folder / name)
        head = {"format": FORMAT, "kifold": version("kifold")}
        rows = [json.dumps(row, ensure_ascii=False) for row in described(logs)]
        said = json.dumps(head)[:-1] + ', "matches": [\n' + ",\n".join(rows) + "\n]}\n"
        (folder / "manifest.json").write_text(said, encoding="utf-8")


def described(logs: Iterable[Log]) -> Iterator[dict[str, Any]]:
    """What the manifest says of each match: all of it worked out from the log."""
    for log in logs:
        judged = judge_log(ruleset(log.started.ruleset), log.started, log.events)
        assert isinstance(judged, Judged), judged
        yield {
            "match": id_text(log.match_id),
            "ruleset": log.started.ruleset,
            "variant": log.started.variant,
            "schema": log.started.schema,
            "archived": log.is_archived,
            "players": list(log.players),
            "events": len(log.events),
            "digest": log.digest.hex(),
            "fingerprints": judged.fingerprints.hex(),
            "ending": ending_text(log.events, is_over=judged.is_over),
            "result": [standing.as_row() for standing in judged.standings],
        }


def export(logs: Iterable[Log], path: Path) -> None:
    """Write those of the matches that the file of that name has."""
    with path.open("wb") as file:
        form = format_named(path.suffix.removeprefix("."))
        form.write([log for log in logs if log.started.ruleset in EXPORTS[path.name]], file)


def _fill(store: Store, folder: Path) -> None:
    """Matches that ended, also with corrections, in the archive; live ones; imported ones; one deleted; quarantine."""
    for name in NAMES:
        whole, begun = (_played(name, variant, number) for number, variant in enumerate(VARIANTS[name]))
        store.new(whole.started, ("Ada", "Bø"), whole.log)
        store.new(begun.started, (), _corrected(begun.log))
    back = store.new(whole.started, (), [*whole.log[:3], Finished(1)])
    gone = store.new(whole.started, (), [*whole.log[:4], Resigned(0)])
    archive_all(store)
    store.append(back, [Noted("comment", ("came back",))], key="came back")
    store.delete(gone)
    for name in NAMES:
        play = _played(name, VARIANTS[name][0], 7)
        match = store.new(play.started, ("Cy",), play.log[:5])
        store.append(match, play.log[5:9], expected_seq=5, key=f"{name} 9")
    store.append(match, [Finished(2)])
    lines = folder / "made.jsonl"
    export([log for log in store.logs() if log.match_id == match], folder / "matches.jsonl")
    again = (folder / "matches.jsonl").read_bytes().replace(id_text(match).encode(), b"again")
    lines.write_bytes(again + b'{"ruleset": "blokus", "variant": "quartet"}\n')
    report = import_file(store, lines, format_named("jsonl"), {}, quiet)
    assert (report.imported, report.quarantined) == (1, 1)
    lines.unlink()


def _played(name: str, variant: str, number: int) -> Play:
    """A match in which every kind of event comes that can; the one that is played whole ends."""
    rules, random = ruleset(name), Random()
    seed_random(random, number, 0, 1)
    started = rules.start(variant, OPTIONS.get(name), tags={"event": "sample", "number": str(number)})
    play, seen = Play(rules, started_with_chance(rules, started, number)), set()
    while (seat := play.turn) != NOBODY and len(play.log) < (200 if number == 0 else 20):
        out = Out(rules.event_record)
        n = rules.rules.legal(play.state, seat, out)
        events = [unflatten(rules, record) for record in out[:n]]
        at = rules.rules.greedy(play.state, out, n, random) if name in GREEDY else below(random, n)
        new = [one for one in (events[at], *events) if type(one) not in seen]
        event = (new or [events[at]])[0]
        seen.add(type(event))
        play.add(event)
    return play


def _corrected(events: list[Event]) -> list[Event]:
    """A beginning with a note, something taken back and played again, and a seat that gives up."""
    noted = [Noted("comment", ("was it that?", ""))]
    return [*events[:8], *noted, *events[8:11], Undone(7), *events[7:], Resigned(0), Noted("comment", ("sorry",))]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
