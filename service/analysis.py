"""Commands that ask: sql, openings, scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifold.service.context import UsageError, choose
from kifold.service.matches import context_of

if TYPE_CHECKING:
    from kifold.analytics.query import Answer


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (sql, openings, scores):
        app.command()(command)


def sql(
    context: typer.Context,
    query: Annotated[str | None, typer.Argument(metavar="QUERY")] = None,
    format_: Annotated[str, typer.Option("--format", help="table, csv, json or parquet.")] = "table",
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="List the views and their columns.")] = False,
) -> None:
    """Answer a question in SQL about all matches, live and archived.

    Example: kifold sql "select ruleset, count(*) from matches group by all"
    """
    from kifold.analytics.catalogue import connect
    from kifold.analytics.query import run, save_parquet
    from kifold.analytics.views import described

    choose(format_, ("table", "csv", "json", "parquet"), "--format")
    if (query is None) != schema:
        raise UsageError('give a query such as "select * from matches limit 5", or --schema')
    if format_ == "parquet" and (out is None or schema):
        raise UsageError("--format parquet writes the answer of a query to a file: name it with --out")
    with context_of(context).store() as store:
        connection = connect(store)
        if schema or query is None:
            _write(described(connection), format_, out)
        elif format_ == "parquet" and out is not None:
            save_parquet(connection, query, out)
        else:
            _write(run(connection, query), format_, out)


def _write(answer: Answer, form: str, out: Path | None) -> None:
    from kifold.analytics.query import render

    text = render(answer, form)
    if out is None:
        typer.echo(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror})") from None


def openings(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="RULESET")],
    depth: Annotated[int, typer.Option(min=1, help="How many decisions make the opening.")] = 1,
    variant: Annotated[str | None, typer.Option(help="Only matches of this variant.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many openings are shown.")] = 20,
    format_: Annotated[str, typer.Option("--format", help="table, csv or json.")] = "table",
) -> None:
    """How matches begin, and who comes first from there; symmetric openings are one.

    Example: kifold openings blokus --depth 2
    """
    from kifold.analytics import openings as found
    from kifold.analytics.catalogue import connect
    from kifold.analytics.query import Answer
    from kifold.core import registry

    choose(format_, ("table", "csv", "json"), "--format")
    rules = registry.ruleset(ruleset)
    with context_of(context).store() as store:
        answer = found.openings(connect(store), rules, depth, variant)
    shown = Answer(answer.columns, answer.rows[:limit])
    _write(found.for_people(shown) if format_ == "table" else shown, format_, None)
    if len(answer.rows) > limit:
        typer.echo(f"{len(answer.rows):,} openings in all; see more with --limit", err=True)


def scores(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="RULESET")],
    format_: Annotated[str, typer.Option("--format", help="table, csv or json.")] = "table",
) -> None:
    """How each seat fares: first places with their uncertainty, scores, components.

    Example: kifold scores blokus
    """
    from kifold.analytics import scores as fared
    from kifold.analytics.catalogue import connect
    from kifold.core import registry

    choose(format_, ("table", "csv", "json"), "--format")
    rules = registry.ruleset(ruleset)
    with context_of(context).store() as store:
        _write(fared.scores(connect(store), rules), format_, None)
