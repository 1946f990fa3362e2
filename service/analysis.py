"""Commands that ask: sql, plies, openings, scores."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from kifold.core.counted import counted
from kifold.core.processors import processors
from kifold.service.compiling import PLIES, compile_for_views, compile_rules, rules_of
from kifold.service.context import UsageError, WorkersOption, choose, context_of, say_left_out
from kifold.service.out_file import written, written_by_name
from kifold.service.out_format import out_format
from kifold.service.progress import Progress

if TYPE_CHECKING:
    import duckdb

    from kifold.analytics.counting import Choice
    from kifold.analytics.query import Answer
    from kifold.core.ruleset import Ruleset
    from kifold.records.store import Store

ENDINGS = {"txt": "table", "csv": "csv", "json": "json", "parquet": "parquet"}
VariantOption = Annotated[str | None, typer.Option(help="Only matches of this variant.")]
EndingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ending",
        metavar="ENDING",
        help="Only matches that ended so: rules (by default), resigned, abandoned, adjudicated or agreed; may be "
        "repeated.",
    ),
]
WhereOption = Annotated[
    str | None, typer.Option(metavar="SQL", help="Only matches for which this condition on the view `matches` holds.")
]
AnswerFormatOption = Annotated[str, typer.Option("--format", help="table, csv or json.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (sql, plies, openings, scores):
        app.command()(command)


def sql(
    context: typer.Context,
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="By - it is read from standard input.")] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", help="table, csv, json or parquet; by default the ending of --out says, or a table."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="List the views and their columns.")] = False,
    database: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Make the views in a DuckDB database, for tools that do not know kifold."),
    ] = None,
) -> None:
    """Answer a question in SQL about all matches, live and archived.

    A database made with --database reads the archive where it lies, and holds a copy of the live matches: make it again
    to have later ones in it, and after the archive was compacted.

    Of several statements the last one answers. Files that are read are not checked for damage: that is for verify.

    Example: kifold sql "select ruleset, count(*) from matches group by all"
    """
    from kifold.analytics.output import write
    from kifold.analytics.plies import asked_plies
    from kifold.analytics.query import save_parquet, stream
    from kifold.analytics.views import described, listing
    from kifold.core.registry import names

    form = out_format(format_, out, ENDINGS, "--format")
    if [query is not None, schema, database is not None].count(True) > 1:
        raise UsageError("a query, --schema and --database exclude each other: give one of them")
    if query is None and not schema and database is None:
        raise UsageError('give a query such as "select * from matches limit 5", or --schema, or --database FILE')
    if query == "-":
        query = sys.stdin.read()
    if form == "parquet" and query is None:
        raise UsageError("columns are listed as table, csv or json, not as parquet")
    if form == "parquet" and out is None:
        raise UsageError("--format parquet writes the answer to a file: name it with --out")
    if database is not None:
        _write_database(context, database)
        return
    wanted = None if query is None else asked_plies(query, names())
    with _connected(context, plies=wanted) as connection:
        if query is None:
            with _opened(out) as file:
                if form == "table":
                    file.write(listing(described(connection)))
                else:
                    write(described(connection), form, file)
        elif form == "parquet" and out is not None:
            with written_by_name(out) as draft:
                save_parquet(connection, query, draft)
        else:
            answer = stream(connection, query)
            with _opened(out) as file:
                write(answer, form, file)


def plies(
    context: typer.Context,
    ruleset: Annotated[str | None, typer.Argument(metavar="[RULESET]", help="By default all rulesets.")] = None,
    workers: WorkersOption = None,
) -> None:
    """Compute for the view `plies` of `kifold sql` what archived matches were like at each ply.

    They lie in the folder `plies` of the store, which can be deleted at any time; those of live matches are worked out
    when they are asked for. Exit status 1 when a match or a file has none, which is said.

    Example: kifold plies blokus
    """
    from kifold.core import registry
    from kifold.replay.ply_files import make_ply_files

    said: list[str] = []
    with context_of(context).store() as store:
        chosen = [registry.ruleset(ruleset).name] if ruleset else []
        for name, (_, archived) in {} if ruleset else store.counts().items():
            if why := registry.why_not(name):
                said += [f"{name} has none for what is archived: {why}"] if archived else []
            else:
                chosen.append(name)
        _compile_what_is_missing(store, chosen)
        with Progress("listing plies", keeps=True) as progress:
            for name in chosen:
                make_ply_files(store, registry.ruleset(name), workers or processors(), progress, said.append)
    say_left_out(said)
    if progress.matches or not said:
        typer.echo(f"listed the plies of {progress.summary()}" if progress.matches else "no plies were missing")
    if said:
        raise typer.Exit(1)


def _compile_what_is_missing(store: Store, chosen: Sequence[str]) -> None:
    """Compile the rules of rulesets of which so many plies are missing that it pays."""
    from kifold.core import registry
    from kifold.replay.plies import MANY
    from kifold.replay.ply_files import ply_files

    counts = store.counts()
    many = [name for name in chosen if counts.get(name, (0, 0))[1] >= MANY]
    missing = [name for name in many if None in ply_files(store, registry.ruleset(name)).values()]
    compile_rules({rules: PLIES for name in missing for rules in rules_of(store, name, archived=True, least=MANY)})


@contextmanager
def _connected(
    context: typer.Context, only: Ruleset | None = None, plies: Collection[str] | None = ()
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The views of the store; what they lack is said beside the answer."""
    from kifold.analytics.catalogue import connect
    from kifold.analytics.sources import naming_damage

    left_out: list[str] = []
    with context_of(context).store() as store, naming_damage(store):
        compile_for_views(store, None if only is None else only.name, plies or ())
        with connect(store, only, left_out.append, plies) as connection:
            say_left_out(left_out)
            yield connection


def _write_database(context: typer.Context, path: Path) -> None:
    from kifold.analytics.database import write_database
    from kifold.core.registry import names

    left_out: list[str] = []
    with context_of(context).store() as store:
        compile_for_views(store, None, names())
        write_database(store, path, left_out.append)
        say_left_out(left_out)
        typer.echo(f"{path}: has views of {store.folder}; `FROM duckdb_views()` lists them with what they mean")


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    """Where an answer goes: to a file, which is there only when it is whole, or to standard output."""
    if out is None:
        yield sys.stdout
        return
    with written(out) as file, TextIOWrapper(file, encoding="utf-8", newline="") as text:
        yield text


def openings(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="RULESET")],
    depth: Annotated[int, typer.Option(min=1, help="How many decisions make the opening.")] = 1,
    variant: VariantOption = None,
    ending: EndingOption = None,
    where: WhereOption = None,
    limit: Annotated[int, typer.Option(min=1, help="How many openings are shown.")] = 20,
    format_: AnswerFormatOption = "table",
) -> None:
    """How matches begin, and who comes first from there; symmetric openings are one.

    Matches under other readings than are usual in their variant are counted apart.

    Example: kifold openings blokus --depth 2 --where "tags['policy'] = 'greedy'"
    """
    from kifold.analytics import openings as found
    from kifold.analytics.query import Answer
    from kifold.core import registry

    choose(format_, ("table", "csv", "json"), "--format")
    rules = registry.ruleset(ruleset)
    choice = _choice(variant, ending, where)
    with _connected(context, rules) as connection:
        _say_other_endings(connection, rules, choice)
        answer = found.openings(connection, rules, depth, choice)
        none = "" if answer.rows else found.why_none(connection, rules, depth, choice)
    shown = Answer(answer.columns, answer.rows[:limit])
    _write_rates(found.for_people(shown) if format_ == "table" else shown, format_, none)
    if len(answer.rows) > limit:
        typer.echo(f"{len(answer.rows):,} openings in all; see more with --limit", err=True)


def scores(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="RULESET")],
    variant: VariantOption = None,
    ending: EndingOption = None,
    where: WhereOption = None,
    format_: AnswerFormatOption = "table",
) -> None:
    """How each seat fares: first places with their uncertainty, scores, components.

    Matches under other readings than are usual in their variant are counted apart.

    Example: kifold scores blokus --variant duo --where "tags['source'] is distinct from 'simulation'"
    """
    from kifold.analytics import scores as fared
    from kifold.core import registry

    choose(format_, ("table", "csv", "json"), "--format")
    rules = registry.ruleset(ruleset)
    choice = _choice(variant, ending, where)
    with _connected(context, rules) as connection:
        _say_other_endings(connection, rules, choice)
        answer = fared.scores(connection, rules, choice)
    which = rules.name if variant is None else f"{rules.name} {variant}"
    _write_rates(answer, format_, f"no finished matches of {which} to count")


def _choice(variant: str | None, endings: Sequence[str] | None, where: str | None) -> Choice:
    from kifold.analytics.counting import BY_RULES, WAYS_TO_END, Choice

    chosen = [choose(ending, WAYS_TO_END, "--ending") for ending in endings or [BY_RULES]]
    return Choice(variant, tuple(chosen), where)


def _say_other_endings(connection: duckdb.DuckDBPyConnection, rules: Ruleset, choice: Choice) -> None:
    from kifold.analytics.counting import ended_otherwise

    others = ended_otherwise(connection, rules, choice)
    if others:
        listed = ", ".join(f"{many:,} {ending}" for ending, many in others.items())
        n = sum(others.values())
        said = counted(n, "finished match is not counted for its", "finished matches are not counted for their")
        typer.echo(f"kifold: {said} ending: {listed}; --ending says which count", err=True)


def _write_rates(answer: Answer, form: str, none: str) -> None:
    """Write an answer; as a table that has no rows say why there are `none`."""
    from kifold.analytics.output import write
    from kifold.analytics.readings import without_usual

    if form == "table" and not answer.rows:
        typer.echo(none)
    else:
        write(without_usual(answer) if form == "table" else answer, form, sys.stdout)
