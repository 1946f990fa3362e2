"""Commands that hold stored logs against the rules: verify."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifold.service.compiling import compile_for_many
from kifold.service.context import FormatOption, UsageError, WorkersOption, choose, print_json
from kifold.service.matches import context_of
from kifold.service.progress import Progress

if TYPE_CHECKING:
    from kifold.replay.causes import Cause, Group, Report

SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (verify,):
        app.command()(command)


def verify(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="[STORE]", help="Another store, or a folder of archive files.")
    ] = None,
    ruleset: Annotated[str | None, typer.Option(help="Only matches of this ruleset.")] = None,
    workers: WorkersOption = None,
    format_: FormatOption = "table",
) -> None:
    """Fold every stored log again and compare: digests, legality, fingerprints, results.

    Exit status 1 when anything failed. Example: kifold verify
    """
    from kifold.core import registry

    choose(format_, ("table", "json"), "--format")
    if ruleset is not None:
        registry.ruleset(ruleset)
    folder = path or context_of(context).folder
    report, summary = verify_folder(folder, ruleset, workers)
    if format_ == "json":
        print_json(report_as_json(report))
    else:
        print_report(report, summary, folder)
    if not report.is_fine:
        raise typer.Exit(1)


def verify_folder(folder: Path, only: str | None, workers: int | None) -> tuple[Report, str]:
    """Verify a store, or a folder of archive files; the report, and how much was done how fast."""
    from kifold.records.store import Store
    from kifold.replay.causes import Report
    from kifold.replay.verify import Work, archive_files, verify_files, verify_store

    is_store = (folder / "journal.sqlite").exists()
    if not is_store and not archive_files(folder):
        raise UsageError(f"{folder}: is no kifold store and holds no archive files")
    with Progress("verifying") as progress:
        work = Work(Report(), only, workers or os.cpu_count() or 1, progress)
        if is_store:
            with Store(folder, create=False) as store:
                compile_for_many(store, archived=True)
                verify_store(store, work)
        else:
            verify_files(folder, work)
    return work.report, progress.summary()


def print_report(report: Report, summary: str, folder: Path) -> None:
    """Print a report as a person reads it: the counts, then the causes of failures, the most frequent first."""
    counts = (
        ", ".join(f"{count:,} {verdict}" for verdict, count in report.counts.items() if count) or "nothing to verify"
    )
    unfinished = f" ({report.unfinished:,} unfinished)" if report.unfinished else ""
    typer.echo(f"verified {summary}: {counts}{unfinished}")
    causes = report.by_cause()
    for cause, group in causes[:SHOWN]:
        typer.echo(f"{len(group.matches):>9,} × {cause}")
        typer.echo(f"{'':11} the shortest: {group.example}; see {command_of(cause, group, folder)}")
    if len(causes) > SHOWN:
        typer.echo(f"… and {len(causes) - SHOWN:,} more causes (all with --format json)")
    for line in report.unreadable:
        typer.echo(line)


def report_as_json(report: Report) -> dict[str, Any]:
    """A report as plain data."""
    from kifold.replay.causes import cause_as_json

    return {
        **report.counts,
        "unfinished": report.unfinished,
        "events": report.events,
        "unreadable": report.unreadable,
        "causes": [cause_as_json(cause, group) for cause, group in report.by_cause()],
    }


def command_of(cause: Cause, group: Group, folder: Path) -> str:
    """The command that shows the shortest match that failed for a cause."""
    from kifold.records.ids import id_text

    to = "" if cause.to is None else f" --ruleset {cause.ruleset}@{cause.to}"
    return f"kifold verify {shlex.quote(str(folder))}{to} --match {id_text(group.example.match_id)}"
