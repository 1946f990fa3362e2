"""The command that says which rulesets there are, and all about one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifold.service.context import UsageError, choose, print_json
from kifold.service.out_file import written

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(rulesets)


def rulesets(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A ruleset.")] = None,
    format_: Annotated[str, typer.Option("--format", help="table, json or markdown.")] = "table",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write pages to FOLDER/rulesets and their pictures to FOLDER/images."),
    ] = None,
) -> None:
    """List the rulesets, or all about one: variants, options, events, reasons. As markdown it is a reference page.

    Example: kifold rulesets blokus
    """
    from kifold.core import registry

    choose(format_, ("table", "json", "markdown"), "--format")
    if out is not None and format_ != "markdown":
        raise UsageError("--out writes pages: it needs --format markdown")
    left_out = {one: why for one in registry.names() if name is None and (why := registry.why_not(one))}
    for why in left_out.values():
        typer.echo(f"kifold: {why}", err=True)
    listed = [registry.ruleset(one) for one in ([name] if name else registry.names()) if one not in left_out]
    if out is not None:
        _write_pages(listed, out)
    elif format_ == "markdown":
        from kifold.core.reference import reference_page

        typer.echo("\n".join(reference_page(rules, "../images") for rules in listed), nl=False)
    elif format_ == "json":
        described = [_described(rules) for rules in listed]
        print_json(described[0] if name else described)
    elif name:
        _print(listed[0])
    else:
        for rules in listed:
            variants = ", ".join(variant.name for variant in rules.variants)
            typer.echo(f"{rules.name:12} {rules.title}, revision {rules.revision}: {variants}")


def _write_pages(listed: list[Ruleset], folder: Path) -> None:
    from kifold.replay.specimens import reference_files

    for rules in listed:
        for place, text in reference_files(rules).items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            with written(folder / place) as file:
                file.write(text.encode())
        typer.echo(f"{folder / 'rulesets' / rules.name}.md", err=True)


def _described(rules: Ruleset) -> dict[str, Any]:
    from kifold.core.events import kind_of, tag_of
    from kifold.core.schema import json_schema

    return {
        "name": rules.name,
        "title": rules.title,
        "revision": rules.revision,
        "notes": rules.notes,
        "variants": [{"name": v.name, "meaning": v.meaning, "seats": list(v.seats)} for v in rules.variants],
        "options": [
            {
                "name": option.name,
                "rule": option.rule,
                "meaning": option.meaning,
                "default": option.default,
                "choices": option.choices,
                "readings": dict(zip(map(str, option.values), option.readings, strict=False)),
            }
            for option in rules.options
        ],
        "reasons": [{"name": n.name, "rule": n.rule, "meaning": n.meaning} for n in rules.reasons],
        "effects": [{"name": n.name, "rule": n.rule, "meaning": n.meaning} for n in rules.effects],
        "components": dict(rules.units),
        "words": {name: list(words) for name, words in rules.words.items()},
        "events": json_schema(rules)["oneOf"],
        "tags": {kind_of(event): tag_of(event) for event in rules.known},
    }


def _print(rules: Ruleset) -> None:
    from kifold.core.events import kind_of
    from kifold.core.fields import fields_of

    typer.echo(f"{rules.title} ({rules.name}), revision {rules.revision}")
    if rules.notes:
        typer.echo(rules.notes)
    typer.echo("\nVariants")
    for variant in rules.variants:
        typer.echo(f"  {variant.name:14} {variant.meaning} ({variant.seats_text})")
    typer.echo("\nOptions (--set OPTION=VALUE; the first value is the default)")
    for option in rules.options:
        typer.echo(f"  {option.name} = {option.choices}   [{option.rule}] {option.meaning}")
        for value, reading in zip(option.values, option.readings, strict=False):
            typer.echo(f"    {str(value).lower():14} {reading}")
        if not option.values:
            typer.echo(f"    default {option.default}")
    typer.echo(f"\nEvents (JSON, or short notation such as {rules.notation.example})")
    for event in rules.events:
        typer.echo(f"  {kind_of(event)}: {(event.__doc__ or '').strip().splitlines()[0]}")
        for field in fields_of(event):
            allowed = " ".join(field.words) if field.words else f"{field.low}..{field.high}"
            many = f", up to {field.length} of" if field.kind == "ints" else ""
            typer.echo(f"    {field.name:12}{many} {allowed}   {field.description}")
    for title, names in (("Reasons why an event is refused", rules.reasons), ("Effects", rules.effects)):
        typer.echo(f"\n{title}")
        for one in names:
            typer.echo(f"  {one.name:22} [{one.rule}] {one.meaning}")
