"""Commands on many matches: import, export, simulate, archive, compact, quarantine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, cast

import typer

from kifold.core.counted import counted
from kifold.core.processors import processors
from kifold.service.compiling import FOLD, PLAY, compile_for_many, compile_rules, rules_of
from kifold.service.context import (
    FormatOption,
    SetOption,
    UsageError,
    WorkersOption,
    choose,
    context_of,
    option_values,
    pairs,
    print_json,
    say_left_out,
)
from kifold.service.out_file import written
from kifold.service.playing import cut_short
from kifold.service.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kifold.records.formats import Format
    from kifold.records.importing import Report as ImportReport
    from kifold.records.log import Log
    from kifold.records.store import Store


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("import")(import_)
    for command in (export, simulate, archive, compact, quarantine):
        app.command()(command)


def import_(
    context: typer.Context,
    file: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Record files, or the archive folder of a store.")
    ],
    set_: SetOption = None,
    as_: Annotated[
        str | None, typer.Option("--as", metavar="FORMAT", help="blksgf or jsonl; by default the ending says.")
    ] = None,
    skip_duplicates: Annotated[
        bool,
        typer.Option(
            "--skip-duplicates",
            help="Pass over matches all of whose events another has that came before, alike or longer. Names, tags and "
            "notes do not count; a shorter one that came before stays. A fork without events of its own is imported.",
        ),
    ] = False,
) -> None:
    """Import record files; bad records go to quarantine, the rest is imported, variations as forks.

    Of a store that lost its journal the archive folder is imported, into another store: its matches keep their ids.
    Deleted ones come back, forks come in as matches of their own, and promoted ones under the revision of their logs.

    A match that is there already stays as it is, also where the file has other names of its players, which is said.

    Exit status 1 when there was nothing but bad ones. Example: kifold import games.blksgf
    """
    from kifold.records.formats import format_named, format_of
    from kifold.records.importing import import_file
    from kifold.records.unlisted import archive_files

    forms = [_archive() if archive_files(path) else format_named(as_) if as_ else format_of(path) for path in file]
    for path, form in zip(file, forms, strict=True):
        if not path.is_file() and form.suffixes:
            raise UsageError(f"{path}: there is no such file")
    bad = held = 0
    with context_of(context).store(create=True) as store:
        for path, form in zip(file, forms, strict=True):
            with Progress(f"importing {path.name}", keeps=True) as progress:
                report = import_file(store, path, form, pairs(set_, "--set"), progress, skip_duplicates=skip_duplicates)
            typer.echo(f"{path.name}: {_in_words(report)}")
            bad += report.quarantined
            held += report.imported + report.present + report.duplicates
    if bad:
        records = counted(bad, "record is", "records are")
        typer.echo(f"kifold: {records} in quarantine: see why with `kifold quarantine`", err=True)
    if bad and not held:
        raise typer.Exit(1)


def _archive() -> Format:
    from kifold.records.recovering import ARCHIVE

    return ARCHIVE


def _in_words(report: ImportReport) -> str:
    names = f" ({report.other_names:,} under other players' names, which stay)" if report.other_names else ""
    said = (
        f"{report.imported:,} imported ({report.unfinished:,} unfinished), {report.present:,} already there{names}, "
        f"{report.quarantined:,} in quarantine"
    )
    if report.duplicates:
        said += f", {counted(report.duplicates, 'duplicate', 'duplicates')} passed over"
    if report.orphans:
        said += f"; {report.orphans:,} of those imported are forks of a match that is not there"
    return said


def quarantine(
    context: typer.Context,
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Only records of this file.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Take the records that are listed out of quarantine.")] = False,
    format_: FormatOption = "table",
) -> None:
    """List the records that could not be imported, and why.

    They stay, also when a corrected file is imported, until they are cleared. --format json prints their text too.

    Example: kifold quarantine games.blksgf --clear
    """
    from kifold.records import importing

    choose(format_, ("table", "json"), "--format")
    name = None if file is None else Path(file).name
    with context_of(context).store() as store:
        rows = importing.clear_quarantine(store, name) if clear else importing.quarantine(store, name)
    if format_ == "json":
        keys = ("file", "record", "ply", "reason", "text")
        print_json([dict(zip(keys, (*row[:4], row[4].decode("utf-8", "replace")), strict=True)) for row in rows])
        return
    for from_file, record, ply, reason, _ in rows:
        place = f"{from_file}, record {record}" + ("" if ply is None else f", ply {ply}")
        typer.echo(f"{place}: {reason}")
    if not rows:
        typer.echo("quarantine is empty" if name is None else f"quarantine holds nothing of {name}")
    elif clear:
        typer.echo(f"{counted(len(rows), 'record is', 'records are')} out of quarantine")


def export(
    context: typer.Context,
    match: Annotated[list[str] | None, typer.Argument(metavar="MATCH...", help="Match ids; or use --where.")] = None,
    where: Annotated[str | None, typer.Option(metavar="SQL", help="A condition on the view `matches`.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="With --where: so many matches, those of the lowest ids.")
    ] = None,
    as_: Annotated[str | None, typer.Option("--as", metavar="FORMAT", help="blksgf or jsonl.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file; by default to standard output.")] = None,
) -> None:
    """Export matches as a record file. A blksgf record holds the forks of its match too, as variations.

    A fork that leaves its parent where that is still alike with its own parent comes back from blksgf as a fork of the
    latter, under another id; jsonl says parents and ids.

    A match that is not what was written is left out. Exit status 1 when one is.

    Example: kifold export --where "variant = 'duo'" --out duo.blksgf
    """
    from kifold.records.exporting import sound_logs
    from kifold.records.forking import in_families
    from kifold.records.formats import format_named, format_of

    if bool(match) == bool(where):
        raise UsageError("name the matches to export, or give a condition with --where")
    if limit is not None and where is None:
        raise UsageError("--limit is for the matches that --where finds")
    form = format_named(as_) if as_ else format_of(out) if out else format_named("jsonl")
    with context_of(context).store() as store, store.journal.reading():
        ids, is_partial = (
            ([store.find(text) for text in match], False) if match else _ids_where(store, where or "", limit)
        )
        ids = in_families(store, ids, whole=form.nests)
        bad: dict[str, list[int]] = {}
        logs = _counted(sound_logs(store, ids, lambda match, why: bad.setdefault(why, []).append(match)))
        if out is None:
            form.write(logs, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        else:
            _write_file(out, form, logs)
            written = len(ids) - sum(map(len, bad.values()))
            typer.echo(f"{counted(written, 'match', 'matches')} written to {out}", err=True)
    if not ids:
        typer.echo(f"kifold: no match: {where}", err=True)
    say_left_out([_not_exported(why, matches) for why, matches in bad.items()])
    if is_partial or bad:
        raise typer.Exit(1)


def _not_exported(why: str, matches: list[int]) -> str:
    from kifold.records.ids import id_text

    one = f"match {id_text(matches[0])}"
    if len(matches) > 1:
        return f"{len(matches):,} matches are not exported: {why}"
    return f"{one} is not exported: {why.removeprefix(f'{one} is ')}"


def _write_file(out: Path, form: Format, logs: Iterator[Log]) -> None:
    """Write a record file; packed when it is called `.gz`."""
    import gzip

    with written(out) as file:
        if out.suffix == ".gz":
            with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
                form.write(logs, cast("IO[bytes]", packed))
        else:
            form.write(logs, file)


def _ids_where(store: Store, where: str, limit: int | None) -> tuple[list[int], bool]:
    """The matches that a condition names, up to so many, and whether some could not be asked, which is said."""
    from kifold.analytics.catalogue import connect
    from kifold.analytics.query import run
    from kifold.analytics.sources import naming_damage

    left_out: list[str] = []
    most = "" if limit is None else f" LIMIT {limit}"
    with naming_damage(store), connect(store, on_left_out=left_out.append) as connection:
        rows = run(connection, f"SELECT match_id FROM matches WHERE {where} ORDER BY match_id{most}").rows
    for line in left_out:
        typer.echo(f"kifold: {line}; see `kifold verify`", err=True)
    return [row[0] for row in rows], bool(left_out)


def _counted(logs: Iterator[Log]) -> Iterator[Log]:
    with Progress("exporting") as progress:
        for log in logs:
            yield log
            progress(1, len(log.events))


def simulate(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="RULESET")],
    games: Annotated[int, typer.Option(min=1, help="How many matches.")],
    variant: Annotated[str | None, typer.Option(help="A variant of the ruleset.")] = None,
    set_: SetOption = None,
    seats: Annotated[int | None, typer.Option(help="How many play.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same matches.")] = 0,
    policy: Annotated[str, typer.Option(help="random or greedy.")] = "random",
    workers: WorkersOption = None,
) -> None:
    """Play matches by machine and archive them; one that has not ended after 10,000 events is left unfinished.

    Example: kifold simulate blokus --games 10000 --seed 7
    """
    from kifold.core import registry

    rules = registry.ruleset(ruleset)
    started = rules.start(variant, option_values(rules, set_), seats)
    from kifold.records import simulation

    what = simulation.simulation(started, policy, seed)
    simulation.check_games(games)
    cut: list[int] = []
    with context_of(context).store(create=True) as store:
        compile_rules({rules.name: PLAY})
        with Progress(f"simulating {ruleset}", games, keeps=True) as progress:
            added, held = simulation.simulate(store, what, games, workers or processors(), progress, cut.append)
    already = f" ({held:,} were there already)" if held else ""
    if added:
        typer.echo(f"simulated {progress.summary()}{already}")
    else:
        typer.echo(counted(held, "match was there already", "matches were there already"))
    if cut:
        typer.echo(f"kifold: {cut_short(sum(cut), rules)}", err=True)


def archive(context: typer.Context) -> None:
    """Move ended matches from the journal to the archive.

    Example: kifold archive
    """
    from kifold.records import archiving

    with context_of(context).store() as store, Progress("archiving", keeps=True) as progress:
        compile_for_many(store, archived=False)
        moved, stay = archiving.archive(store, progress)
        live = sum(many for many, _ in store.counts().values())
    for line in stay:
        typer.echo(line, err=True)
    typer.echo(f"archived {counted(moved, 'match', 'matches')}; {live:,} stay live")
    if stay:
        raise typer.Exit(1)


def compact(context: typer.Context) -> None:
    """Tidy the archive: put small files together, and remove from the disk what was deleted or replaced.

    Matches that were archived and then corrected go back to the archive. Exit status 1 when a file or a match had to be
    left as it is. Example: kifold compact
    """
    from kifold.core import registry
    from kifold.records import compacting
    from kifold.records.judge import MANY

    with context_of(context).store() as store, Progress("compacting", keeps=True) as progress:
        many = [name for name in store.counts() if len(store.returned(name)) >= MANY]
        there = [name for name in many if not registry.why_not(name)]
        compile_rules({rules: FOLD for name in there for rules in rules_of(store, name, archived=False, least=MANY)})
        report = compacting.compact(store, progress)
    for line in report.left:
        typer.echo(f"kifold: {line}", err=True)
    files = counted(report.files[0], "archive file", "archive files")
    if report.is_idle and report.size[0] <= report.size[1]:
        what = "nothing was compacted" if report.left else "nothing to compact"
        typer.echo(f"{what} in {files}")
    else:
        typer.echo(
            f"{files} → {report.files[1]:,}, {report.size[0]:,} → {report.size[1]:,} bytes; "
            f"{counted(report.returned, 'match', 'matches')} back in the archive, rows of "
            f"{counted(report.dropped, 'deleted or replaced one', 'deleted or replaced ones')} gone"
        )
    if report.is_waiting:
        typer.echo("kifold: replaced files are still being read; the next `kifold compact` removes them", err=True)
    if report.left:
        raise typer.Exit(1)
