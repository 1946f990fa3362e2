"""What every command needs: the store it works on, values given by `--set`, events as they are typed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from kifold.core.events import Event, OptionValue
    from kifold.core.play import Play
    from kifold.core.ruleset import Ruleset
    from kifold.records.store import Store

SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="A reading of the rules; may be repeated.")
]
WorkersOption = Annotated[int | None, typer.Option(min=1, help="Threads; by default one per processor.")]
MatchArgument = Annotated[str, typer.Argument(metavar="MATCH", help="Match id, or its beginning.")]
AtOption = Annotated[int | None, typer.Option(metavar="PLY", help="After so many decisions; by default the end.")]
AtSeqOption = Annotated[
    int | None, typer.Option(metavar="SEQ", help="As it stood after that event, even if that was taken back later.")
]
FormatOption = Annotated[str, typer.Option("--format", help="table or json.")]


class UsageError(ValueError):
    """The command was called with something that makes no sense. The message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Context:
    """What was said before the command."""

    folder: Path
    debug: bool

    def store(self, *, create: bool = False) -> Store:
        """The store, opened; made first where `create` is said."""
        from kifold.records.store import Store

        if self.folder == default_store() and not self.folder.is_absolute():
            raise UsageError("there is no home folder: name the store with --store or KIFOLD_STORE")
        return Store(self.folder, create=create)


def context_of(context: typer.Context) -> Context:
    """Our context within Typer's."""
    ours: Context = context.obj
    return ours


def default_store() -> Path:
    """`$XDG_DATA_HOME/kifold`, or `~/.local/share/kifold`; the `~` stays where nobody knows what it is."""
    return Path(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")) / "kifold"  # noqa: PTH111


def pairs(given: Sequence[str] | None, what: str) -> dict[str, str]:
    """NAME=VALUE arguments as a mapping.

    Raises:
        UsageError: for an argument without `=`, or a name given twice.
    """
    said: dict[str, str] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise UsageError(f"{what} {one!r}: write NAME=VALUE")
        if name in said:
            raise UsageError(f"{what} {name!r} is given twice")
        said[name] = value
    return said


def option_values(ruleset: Ruleset, given: Sequence[str] | None) -> dict[str, OptionValue]:
    """The values of `--set OPTION=VALUE`.

    Raises:
        RulesetError, UsageError: for an unknown option or a value that it does not have.
    """
    from kifold.core.options import parse_options

    return parse_options(ruleset.options, pairs(given, "--set"))


def read_event(play: Play, text: str) -> Event:
    """An event as a person types it: JSON, short notation, or an event that all rulesets have, such as `undone 12`.

    Raises:
        ValueError: one line that says what is wrong.
    """
    import json

    from kifold.core.codec import from_json, valid

    if text.lstrip().startswith("{"):
        try:
            data = json.loads(text)
        except RecursionError:
            raise UsageError("the event is nested too deeply") from None
        except ValueError as error:
            raise UsageError(f"event {text!r} is no JSON: {error}") from None
        return from_json(play.ruleset, data)
    if (data := _common(text)) is not None:
        return from_json(play.ruleset, data)
    try:
        return valid(play.ruleset, play.ruleset.notation.read(play.started, play.state, text))
    except ValueError as error:
        example = play.ruleset.notation.example
        raise UsageError(f"event {text!r}: {error} (short notation such as {example}, or JSON)") from None


def _common(text: str) -> dict[str, Any] | None:
    """What `undone SEQ`, `resigned SEAT`, `finished ENDING` or `noted NAME TEXT` says, as JSON; of other texts None."""
    from kifold.core.events import COMMON, Noted, kind_of
    from kifold.core.fields import fields_of

    word, _, rest = text.strip().partition(" ")
    event = next((event for event in COMMON if kind_of(event) == word), None)
    if event is None or not rest:
        return None if event is None else {"event": word}
    if event is Noted:
        name, *values = rest.split(maxsplit=1)
        return {"event": word, "name": name, "values": values}
    (field,) = fields_of(event)
    return {"event": word, field.name: int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 20 else rest}


def choose(value: str, known: Sequence[str], what: str) -> str:
    """The value, if it is one of the known.

    Raises:
        UsageError: when it is not.
    """
    if value not in known:
        raise UsageError(f"{what} cannot be {value!r}: choose {', '.join(known)}")
    return value


def print_json(data: Any) -> None:
    """Write plain data as JSON to standard output."""
    import json

    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


LEFT_OUT_SHOWN = 10
"""Lines about what is left out."""


def say_left_out(lines: Sequence[str]) -> None:
    """Say on standard error what an answer does not cover: the first lines, and how many more there are."""
    for line in lines[:LEFT_OUT_SHOWN]:
        typer.echo(f"kifold: {line}", err=True)
    if len(lines) > LEFT_OUT_SHOWN:
        typer.echo(f"kifold: … and {len(lines) - LEFT_OUT_SHOWN:,} more; see `kifold verify`", err=True)
