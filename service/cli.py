"""The command line: `kifold COMMAND …`.

Heavy modules are imported where they are used, so that help and commands on one match start at once. Exit status: 0
fine, 1 the answer is no (illegal, diverged), 2 wrong usage or input, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from kifold.service import analysis, bulk, coverage, demo, legal, logs, looking, matches, rulesets, verifying
from kifold.service.context import Context, default_store
from kifold.service.interrupting import INTERRUPTED, end_at_second

HELP = """Record, replay, verify and query matches of tabletop games.

Matches live in a store, one folder: name it with --store or KIFOLD_STORE.

Exit status: 0 fine, 1 the answer is no (illegal, diverged), 2 wrong usage or input.

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


for module in (demo, rulesets, matches, logs, looking, legal, bulk, verifying, coverage, analysis):
    module.register(app)

command = get_command(app)
"""What Typer makes of the declarations. Calling `app` would make it anew each time."""


def main() -> None:
    """Run the command line and leave the process."""
    end_at_second()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; its exit status. An error that is somebody's input is one line on standard error."""
    try:
        status = command(arguments, prog_name="kifold", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise
        # The reader of our output has gone (`kifold … | head`); Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Exception as error:
        if "--debug" in arguments:
            import traceback

            traceback.print_exception(error)
        status, text = _in_words(error)
        print(text, file=sys.stderr)
    if status == INTERRUPTED:
        print("kifold: interrupted", file=sys.stderr)
    return status if isinstance(status, int) else 0


def _in_words(error: Exception) -> tuple[int, str]:
    """The exit status for an error, and what to say."""
    from kifold.core.faults import told
    from kifold.core.play import Refused
    from kifold.records.errors import Conflict, KeyUsed

    text = "kifold: " + " ".join(str(error).split())
    if type(error).__name__ == "NoArgsIsHelpError":  # Typer's: the help, when there is no command at all
        return 2, str(error)
    if isinstance(error, typer.Abort):
        return 1, "kifold: not confirmed; nothing was done"
    if hasattr(error, "format_message"):  # Typer's, for wrong usage
        return 2, _usage(error)
    if isinstance(error, Refused | Conflict | KeyUsed):
        return 1, text
    if fault := told(error):
        return 2, f"kifold: {fault}"
    if isinstance(error, UnicodeEncodeError):
        if error.encoding == "utf-8":
            return 2, "kifold: what was typed is no UTF-8 text"
        missing = error.object[error.start]
        return 2, f"kifold: output is in {error.encoding} here, which has no {missing!r}: set PYTHONUTF8=1 for UTF-8"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return 2, f"kifold: {error.filename}: {error.strerror}"
    if isinstance(error, ValueError | OSError) or type(error).__module__.startswith("kifold."):
        return 2, text
    return 2, f"kifold: {type(error).__name__}: {error} (a fault in kifold: see it with --debug, and report it)"


def _usage(error: Any) -> str:
    command = error.ctx.command_path if getattr(error, "ctx", None) else "kifold"
    return f"kifold: {' '.join(error.format_message().split()).rstrip('.')}; see `{command} --help`"
