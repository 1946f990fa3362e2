"""Commands that hold stored logs against the rules: verify, promote."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifold.core.counted import counted
from kifold.core.processors import processors
from kifold.service import exploring
from kifold.service.compiling import compile_for_many
from kifold.service.context import (
    FormatOption,
    UsageError,
    WorkersOption,
    choose,
    context_of,
    default_store,
    print_json,
)
from kifold.service.progress import Progress

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset
    from kifold.replay.causes import Cause, Group, Report
    from kifold.replay.promotion import Promoted
    from kifold.replay.verify import Judging

SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (verify, promote):
        app.command()(command)


def verify(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="[STORE]", help="Another store, or a folder of archive files.")
    ] = None,
    ruleset: Annotated[
        str | None,
        typer.Option(metavar="NAME[@REVISION]", help="Only this ruleset; with a revision, rehearse what that changes."),
    ] = None,
    match: Annotated[str | None, typer.Option(metavar="MATCH", help="Only this match, told in full.")] = None,
    explore: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Also play N matches under the revision before (of the first: the newest) and fold them under this.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Of the matches that are played, by default 0: the same seed, the same matches."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.kifold.jsonl", help="Add the logs found to these golden logs.")
    ] = None,
    workers: WorkersOption = None,
    format_: FormatOption = "table",
) -> None:
    """Fold every stored log again and compare: digests, legality, fingerprints, results.

    Failures are told by cause. With NAME@REVISION every log of that ruleset is folded under that revision, whatever it
    is pinned to; with --explore matches are played too, to find what no stored log shows, a short log of each cause.
    Exit status 1 when anything failed, or would change. Example: kifold verify --ruleset blokus@1
    """
    choose(format_, ("table", "json"), "--format")
    folder = path or context_of(context).folder
    only, target = _rules_of(ruleset)
    if explore is not None:
        exploring.check(target, seed or 0, match, out)
    elif out is not None:
        raise UsageError("--out is for the logs that --explore finds: give that too")
    elif seed is not None:
        raise UsageError("--seed is for the matches that --explore plays: give that too")
    if match is not None:
        verify_one(folder, match, only, target, format_)
        return
    report, summary, is_stopped = None, "", False
    if explore is None or path is not None or _is_to_verify(folder):
        report, summary = verify_folder(folder, only, workers, target)
    if report is not None and format_ == "table":
        print_report(report, summary, folder)
    is_fine = report is None or report.is_fine
    as_json = {} if report is None else report_as_json(report)
    if target is not None and explore is not None:
        done, summary = exploring.explored(target, explore, seed or 0, workers)
        stored = set() if report is None else set(report.causes)
        as_json["explored"] = exploring.as_json(done, stored)
        if format_ == "table":
            exploring.print_exploration(done, summary, stored)
        if out is not None:
            said = exploring.keep(done, out)
            typer.echo(said, err=format_ == "json")
        is_fine = is_fine and done.is_fine
        is_stopped = done.is_interrupted
    if format_ == "json":
        print_json(as_json)
    if is_stopped:
        raise KeyboardInterrupt
    if not is_fine:
        raise typer.Exit(1)


def _rules_of(text: str | None) -> tuple[str | None, Ruleset | None]:
    """The name that is said, and where a revision is said too, the rules to rehearse."""
    from kifold.core.registry import at_revision

    if text is None:
        return None, None
    rules = at_revision(text)
    return rules.name, rules if "@" in text else None


def verify_folder(
    folder: Path, only: str | None, workers: int | None, target: Ruleset | None = None
) -> tuple[Report, str]:
    """Verify a store, or a folder of archive files; the report, and what was done, how much and how fast."""
    from kifold.records.errors import expect_text
    from kifold.records.store import Store
    from kifold.records.unlisted import without_journal
    from kifold.replay.causes import OUTCOMES, VERDICTS, Report
    from kifold.replay.verify import Work, verify_files, verify_store

    expect_text(folder)
    if not _is_to_verify(folder):
        raise UsageError(f"{folder}: is no kifold store and holds no archive files")
    report = Report(dict.fromkeys(OUTCOMES if target else VERDICTS, 0))
    with Progress("rehearsing" if target else "verifying") as progress:
        work = Work(report, only, workers or processors(), progress, _judging(target))
        if _is_store(folder) or without_journal(folder):  # that the journal was lost is said when it is opened
            with Store(folder, create=False) as store:
                compile_for_many(store, archived=True, also=target)
                verify_store(store, work)
        else:
            verify_files(folder, work)
    return report, f"{'rehearsed' if target else 'verified'} {progress.summary()}"


def _is_store(folder: Path) -> bool:
    return (folder / "journal.sqlite").exists()


def _is_to_verify(folder: Path) -> bool:
    """Whether there is a store, or archive files without one."""
    from kifold.records.unlisted import archive_files, without_journal

    return _is_store(folder) or without_journal(folder) is not None or bool(archive_files(folder))


def _judging(target: Ruleset | None) -> Judging:
    from kifold.replay.rehearsal import Rehearsing
    from kifold.replay.verify import VERIFYING

    return VERIFYING if target is None else Rehearsing(target)


def verify_one(folder: Path, match: str, only: str | None, target: Ruleset | None, format_: str) -> None:
    """Verify, or rehearse, one match and tell what is found: where, the board before it, what becomes another."""
    from kifold.records.store import Store
    from kifold.replay.causes import verdict_as_json
    from kifold.replay.telling import told
    from kifold.replay.verify import file_faults, verify_match

    with Store(folder, create=False) as store, store.journal.reading():
        number = store.find(match)
        if only not in (None, store.ruleset_of(number)):
            raise UsageError(f"match {match} is one of {store.ruleset_of(number)}, not of {only}")
        verdict, faults = verify_match(store, number, _judging(target)), file_faults(store, number)
        if format_ == "table":
            for line in (str(verdict), *faults):
                typer.echo(line)
        text = "" if verdict.is_fine else told(store, verdict, target)
    if format_ == "json":
        print_json({**verdict_as_json(verdict), "unreadable": faults, "told": text})
    elif text:
        typer.echo(f"\n{text}")
    if faults or not verdict.is_fine:
        raise typer.Exit(1)


def print_report(report: Report, summary: str, folder: Path) -> None:
    """Print a report as a person reads it: what was done and the counts, then causes, the most frequent first."""
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in report.counts.items() if count)
    unfinished = f" ({report.unfinished:,} unfinished)" if report.unfinished else ""
    said = [counts + unfinished] if counts else []
    if report.not_readable:
        said.append(f"{report.not_readable:,} not readable ({counted(report.in_files, 'file', 'files')})")
    typer.echo(f"{summary}: {', '.join(said) or 'nothing to verify'}")
    causes = report.by_cause()
    for cause, group in causes[:SHOWN]:
        typer.echo(f"{len(group.matches):>9,} × {cause}")
        typer.echo(f"{'':11} the shortest: {_shortest(cause, group)}")
        if _is_store(folder):
            typer.echo(f"{'':11} see: {command_of(cause, group, folder)}")
    if len(causes) > SHOWN:
        typer.echo(f"… and {len(causes) - SHOWN:,} more causes (all with --format json)")
    if causes and not _is_store(folder):
        typer.echo(
            f"{folder} has no journal, which knows promoted matches: each is folded under the revision that its log "
            "names"
        )
    for line in report.unreadable:
        typer.echo(line)
    if report.unlisted:
        more = f" and {len(report.unlisted) - 1:,} more" if len(report.unlisted) > 1 else ""
        archive = shlex.quote(str(folder / "archive"))
        typer.echo(
            f"not read, since the journal does not list it: archive file {report.unlisted[0]}{more} (debris of a "
            f"crash, unless the journal is an older copy; `kifold verify {archive}` verifies it)"
        )


def _shortest(cause: Cause, group: Group) -> str:
    """The shortest match that failed for a cause; what the cause says is not said again."""
    from kifold.records.ids import id_text

    one = group.example
    return f"match {id_text(one.match_id)} ({one.ruleset})" if one.said in str(cause) else str(one)


def report_as_json(report: Report) -> dict[str, Any]:
    """A report as plain data."""
    from kifold.replay.causes import group_as_json

    return {
        **report.counts,
        "unfinished": report.unfinished,
        "events": report.events,
        "not_readable": report.not_readable,
        "unreadable": report.unreadable,
        "unlisted": report.unlisted,
        "causes": [group_as_json(cause, group) for cause, group in report.by_cause()],
    }


def command_of(cause: Cause, group: Group, folder: Path) -> str:
    """The command that shows the shortest match that failed for a cause."""
    from kifold.records.ids import id_text

    usual = Path(os.environ.get("KIFOLD_STORE") or default_store())
    where = "" if folder == usual else f" {shlex.quote(str(folder))}"
    to = "" if cause.to is None else f" --ruleset {cause.ruleset}@{cause.to}"
    return f"kifold verify{where}{to} --match {id_text(group.example.match_id)}"


def promote(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="RULESET@REVISION", help="The revision to pin matches to.")],
    workers: WorkersOption = None,
    format_: FormatOption = "table",
) -> None:
    """Pin every match to a revision that changes nothing about it; the others stay on theirs.

    The logs are not touched. Exit status 1 when matches stay. Example: kifold promote blokus@1
    """
    from kifold.replay.promotion import promote as promote_all

    choose(format_, ("table", "json"), "--format")
    _, target = _rules_of(ruleset)
    if target is None:
        raise UsageError(f"which revision of {ruleset}? write {ruleset}@REVISION")
    ours = context_of(context)
    with ours.store() as store, Progress("rehearsing") as progress:
        compile_for_many(store, archived=True, also=target)
        done = promote_all(store, target, workers or processors(), progress)
    if format_ == "json":
        print_json({"promoted": done.matches, **report_as_json(done.report)})
    else:
        print_report(done.report, f"rehearsed {progress.summary()}", ours.folder)
        typer.echo(_pinned(done, f"{target.name}@{target.revision}"))
    if not done.report.is_fine:
        raise typer.Exit(1)


def _pinned(done: Promoted, target: str) -> str:
    """What a promotion did, in words."""
    from kifold.replay.causes import EXACT

    def are(matches: int) -> str:
        return counted(matches, "match is", "matches are")

    already = done.report.counts[EXACT]
    if done.matches:
        return f"{are(done.matches)} pinned to {target} from now on" + (
            f", {already:,} were already" if already else ""
        )
    if done.report.is_fine and already:
        return f"{are(already)} pinned to {target} already; nothing to do"
    return f"no match is pinned to {target} anew" + (f", {already:,} were already" if already else "")
