"""What every command needs: the store it works on, values given by `--set`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from kifold.core.events import OptionValue
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
