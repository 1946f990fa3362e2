"""The command that says what of the rules is exercised."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifold.core.counted import counted
from kifold.core.processors import processors
from kifold.service.compiling import FOLD, compile_rules, rules_of
from kifold.service.context import Context, FormatOption, UsageError, choose, context_of, print_json, say_left_out
from kifold.service.progress import Progress

if TYPE_CHECKING:
    from collections import Counter

    from kifold.replay.coverage import Coverage, Row


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(coverage)


def coverage(
    context: typer.Context,
    store: Annotated[
        str | None, typer.Argument(metavar="[STORE]", help="A store; by default the one of --store.")
    ] = None,
    ruleset: Annotated[
        str | None, typer.Argument(metavar="[RULESET]", help="Only this ruleset; may stand alone.")
    ] = None,
    golden: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Count golden logs too: those of this folder and below it.")
    ] = None,
    format_: FormatOption = "table",
) -> None:
    """How many matches of each variant exercise what the rules force, and how many golden logs each effect, each reason
    for refusing an event and each reading of an option. What none exercises comes first.

    What a fork has from its parent counts for the parent alone. A golden log exercises the reading that it is played
    under if it folds otherwise under every other one.
    Exit status 1 when a match or a golden log could not be counted, which is said.

    Example: kifold coverage blokus --golden tests/golden
    """
    from kifold.core import registry

    choose(format_, ("table", "json"), "--format")
    if store in registry.names() and ruleset is None:
        store, ruleset = None, store
    if ruleset is not None:
        registry.ruleset(ruleset)
    if store is not None and os.sep not in store and not Path(store).exists():
        known = ", ".join(registry.names())
        raise UsageError(f"{store}: there is no such store, nor such a ruleset ({known})")
    left_out: list[str] = []
    found = _counted(context_of(context), store, ruleset, golden, left_out.append)
    has_golden = golden is not None
    if format_ == "json":
        print_json([_as_json(one, has_golden=has_golden) for one in found])
    elif found:
        for number, one in enumerate(found):
            if number:
                typer.echo()
            _print(one, has_golden=has_golden)
    else:
        typer.echo("no matches to count")
    say_left_out(left_out)
    if left_out:
        raise typer.Exit(1)


def _counted(
    context: Context, named: str | None, only: str | None, golden: Path | None, on_left_out: Callable[[str], None]
) -> list[Coverage]:
    """What is exercised of each ruleset that has matches, or of the one that is asked for."""
    from kifold.core.registry import ruleset
    from kifold.replay.coverage import Coverage, count_golden, golden_files

    found = {} if only is None else {only: Coverage(ruleset(only))}
    if golden is not None:
        paths = golden_files(golden)
        if not paths:
            raise UsageError(f"{golden}: holds no golden logs (files called *.kifold.jsonl)")
        count_golden(found, paths, only, on_left_out)
    folder = context.folder if named is None else Path(named)
    if golden is not None and named is None and not (folder / "journal.sqlite").exists():
        typer.echo(f"kifold: there is no store {folder}: golden logs alone are counted", err=True)
    else:
        _count_stored(found, Context(folder, context.debug), only, on_left_out)
    return [found[name] for name in sorted(found)]


def _count_stored(
    found: dict[str, Coverage], context: Context, only: str | None, on_left_out: Callable[[str], None]
) -> None:
    from kifold.core.registry import why_not
    from kifold.records.judge import MANY
    from kifold.replay.coverage_stored import count_stored

    with context.store() as store, store.journal.reading(), Progress("counting") as progress:
        counts = store.counts().items()
        wanted = [
            name
            for ruleset, many in counts
            for archived in (False, True)
            if only in (None, ruleset) and many[archived] >= MANY and not why_not(ruleset)
            for name in rules_of(store, ruleset, archived=archived, least=1 if archived else MANY)
        ]
        compile_rules(dict.fromkeys(wanted, FOLD))
        count_stored(found, store, only, processors(), on_left_out, progress)
        for name, many in counts:
            if name in found:
                found[name].left_out = sum(many) - found[name].matches.total()


def _print(found: Coverage, *, has_golden: bool) -> None:
    from kifold.analytics.output import write
    from kifold.analytics.query import Answer

    variants = [variant for variant in _variants(found) if found.matches[variant]]
    parts = [counted(found.logs.total(), "golden log", "golden logs")] if has_golden else []
    by_variant = ", ".join(f"{variant} {found.matches[variant]:,}" for variant in variants)
    stored = counted(found.matches.total(), "stored match", "stored matches")
    parts.append(stored + (f" ({by_variant})" if len(variants) > 1 else ""))
    if found.left_out:
        parts.append(f"{found.left_out:,} left out")
    typer.echo(f"{found.rules.name}: {', '.join(parts)}")
    columns = ["kind", "name", "rule", *(["golden logs"] if has_golden else []), *variants]
    rows: list[tuple[Any, ...]] = []
    for row in _rows(found, has_golden=has_golden):
        golden = [row.golden.total()] if has_golden else []
        rows.append((*row.item, *golden, *(row.stored[v] if row.stored is not None else None for v in variants)))
    write(Answer(columns, rows), "table", sys.stdout)


def _as_json(found: Coverage, *, has_golden: bool) -> dict[str, Any]:
    def by_variant(counts: Counter[str]) -> dict[str, int]:
        return {variant: counts[variant] for variant in _variants(found)}

    rows = []
    for row in _rows(found, has_golden=has_golden):
        golden = {"golden_logs": by_variant(row.golden)} if has_golden else {}
        stored = {"matches": by_variant(row.stored)} if row.stored is not None else {}
        rows.append({**row.item._asdict(), **golden, **stored})
    logs = {"golden_logs": by_variant(found.logs)} if has_golden else {}
    counts = {**logs, "matches": by_variant(found.matches), "left_out": found.left_out}
    return {"ruleset": found.rules.name, **counts, "rows": rows}


def _variants(found: Coverage) -> list[str]:
    return [variant.name for variant in found.rules.variants]


def _rows(found: Coverage, *, has_golden: bool) -> list[Row]:
    """What can be seen: of what is stored the effects."""
    return [row for row in found.rows() if has_golden or row.stored is not None]
