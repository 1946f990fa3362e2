"""The demonstration: the main job end to end, in a folder of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifold.core.processors import processors
from kifold.service.compiling import PLAY, compile_rules
from kifold.service.progress import Progress

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset
    from kifold.records.store import Store

SHOWN = "blokus"
GAMES = 10_000
SEED = 7


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(demo)


def demo(
    games: Annotated[
        int, typer.Option(min=10, help="How many matches of Blokus are simulated; of the others a tenth.")
    ] = GAMES,
    keep: Annotated[Path | None, typer.Option(help="Leave the store in this new folder; else it is removed.")] = None,
    records: Annotated[Path | None, typer.Option(help="A folder of .blksgf files to import.")] = None,
) -> None:
    """Record, replay, verify, archive and query matches, in a folder of its own.

    Example: kifold demo
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="kifold-demo-") as folder:
        _run(keep or Path(folder) / "store", games, records)


def _run(folder: Path, games: int, records: Path | None) -> None:
    from kifold.core import registry
    from kifold.records.store import Store

    with Store(folder) as store:
        _heading("A match, recorded event by event and shown after its sixth")
        _record(store)
        if records is not None:
            _heading(f"Record files, imported from {records}")
            _import(store, records)
        _heading("Simulated matches of every ruleset")
        names = [name for name in registry.names() if not registry.why_not(name)]
        compile_rules(dict.fromkeys(names, PLAY))
        for name in names:
            _simulate(store, registry.ruleset(name), games if name == SHOWN else games // 10)
        _heading("Every stored log folded again")
        _verify(folder)
        _heading("Questions in SQL")
        _ask(store)
    typer.echo("\nNext: kifold --help, or kifold new blokus")


def _heading(text: str) -> None:
    typer.secho(f"\n{text}", bold=True)


def _record(store: Store) -> None:
    """Record the first plies of a match of Blokus Duo in short notation, and finish it by resigning."""
    from kifold.core.events import Resigned
    from kifold.core.registry import ruleset
    from kifold.records.archiving import archive
    from kifold.records.ids import id_text
    from kifold.replay.frames import picture_at
    from kifold.replay.text import draw_text
    from kifold.service.typed_events import read_event

    rules = ruleset("blokus")
    match = store.new(rules.start("duo"), ("Ada", "Bo"))
    for text in (
        "e8,e9,f9,d10,e10",
        "i4,h5,i5,j5,i6",
        "g6,f7,g7,h7,g8",
        "j7,j8,j9,k9,j10",
        "h3,f4,g4,h4,f5",
        "i1,h2,i2,j2,j3",
    ):
        store.append(match, [read_event(store.play(match), text)])
    log = store.log(match)
    typer.echo(draw_text(picture_at(rules, log.started, log.events, 6, log.players), colour=_is_terminal()))
    store.append(match, [Resigned(1)], expected_seq=6)
    moved, _ = archive(store, lambda matches, events: None)
    typer.echo(f"match {id_text(match)}: {len(log.events)} placements, then yellow resigned; {moved} match archived")


def _is_terminal() -> bool:
    import sys

    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _import(store: Store, records: Path) -> None:
    from kifold.records.formats import format_named
    from kifold.records.importing import import_file

    for path in sorted(records.glob("*.blksgf")):
        report = import_file(store, path, format_named("blksgf"), {}, lambda matches, events: None)
        typer.echo(f"{path.name}: {report.imported} imported, {report.quarantined} in quarantine")


def _simulate(store: Store, rules: Ruleset, games: int) -> None:
    from kifold.records.simulation import simulate, simulation

    with Progress(f"simulating {rules.name}", games, keeps=True) as progress:
        simulate(store, simulation(rules.start(), "random", SEED), games, processors(), progress)
    typer.echo(f"{rules.name}: {progress.summary()}")


def _verify(folder: Path) -> None:
    from kifold.service.verifying import print_report, verify_folder

    report, summary = verify_folder(folder, None, None)
    print_report(report, summary, folder)
    if not report.is_fine:
        raise typer.Exit(1)


QUESTIONS = (
    (
        "Who wins, by seat?",
        (
            "SELECT ruleset, variant, seat, count(*) AS n, round(avg((rank = 1)::INT), 3) AS first, "
            "round(avg(score), 1) AS score FROM scores WHERE ending = 'rules' GROUP BY ALL ORDER BY ALL"
        ),
    ),
    (
        "Which pieces open a match of Blokus?",
        "SELECT piece, count(*) AS n FROM blokus_events WHERE seq = 1 GROUP BY ALL ORDER BY n DESC LIMIT 5",
    ),
)


def _ask(store: Store) -> None:
    from kifold.analytics.catalogue import connect
    from kifold.analytics.output import render
    from kifold.analytics.query import run

    connection = connect(store)
    for title, query in QUESTIONS:
        typer.echo(f"\n{title}\n  {query}")
        typer.echo(render(run(connection, query), "table"))
