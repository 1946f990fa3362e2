"""The command line: `kifold COMMAND …`.

Heavy modules are imported where they are used, so that help and commands on one match start at once. Exit status: 0
fine, 1 the answer is no (illegal, diverged), 2 wrong usage or input, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from kifold.service import analysis, bulk, demo, looking, matches, rulesets
from kifold.service.context import Context, default_store

HELP = """Record, replay, verify and query matches of tabletop games.

Matches live in a store, one folder: name it with --store or KIFOLD_STORE.

Example: kifold demo
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"kifold {version('kifold')}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    store: Annotated[
        Path | None, typer.Option(envvar="KIFOLD_STORE", help="Folder of the store.", show_default=str(default_store()))
    ] = None,
    debug: Annotated[bool, typer.Option(help="Show tracebacks of errors.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options that go before the command."""
    context.obj = Context(store or default_store(), debug)


for module in (demo, rulesets, matches, looking, bulk, analysis):
    module.register(app)


def main() -> None:
    """Run the command line; errors that are somebody's input are one line on standard error."""
    debug = "--debug" in sys.argv
    try:
        app(prog_name="kifold")
    except KeyboardInterrupt:
        _say("interrupted; what was finished is kept")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone (`kifold … | head`); Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if debug:
            raise
        status, text = _in_words(error)
        _say(text)
        sys.exit(status)


def _say(text: str) -> None:
    print(f"kifold: {text}", file=sys.stderr)


def _in_words(error: Exception) -> tuple[int, str]:
    from kifold.core.play import Refused

    text = " ".join(str(error).split())
    if isinstance(error, Refused):
        return 1, text
    if isinstance(error, ValueError | OSError) or _is_ours(error):
        return 2, text
    return 2, f"{type(error).__name__}: {text} (this is a fault in kifold: see it with --debug, and report it)"


def _is_ours(error: Exception) -> bool:
    return type(error).__module__.startswith("kifold.")
