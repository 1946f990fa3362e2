"""Faults of a ruleset: whose they are, and where.

What Numba cannot compile, what Python raises while rules, notation or pictures run, and answers that no rule can give
are for whoever wrote the ruleset to correct, and nothing in kifold's own code would help them to find it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from traceback import walk_tb

from kifold.core import registry
from kifold.core.declared import RulesFault, place


def told(error: Exception) -> str | None:
    """What to say of an error that arose in the code of a ruleset: whose it is, where, what, and what to do; else None.

    A ruleset's code is what stands beside the module of its entry point.
    """
    if isinstance(error, RulesFault):
        names, what = _owners(error.file), str(error)
    else:
        names, what = [], ""
        for frame, line in walk_tb(error.__traceback__):
            code = frame.f_code
            if found := _owners(code.co_filename):
                names, what = found, f"{place(code, line)}: {type(error).__name__}: {error}"
    if not names:
        return None
    # Those of kifold itself are kifold's to correct.
    ours = any(registry.entries()[name].value.startswith("kifold.") for name in names)
    what_to_do = "(a fault in kifold: see it with --debug, and report it)" if ours else "; correct the ruleset"
    return f"ruleset {' or '.join(names)}: {' '.join(what.split())}{' ' if ours else ''}{what_to_do}"


def _owners(file: str) -> list[str]:
    """The rulesets to whose code a file belongs."""
    return [name for name, entry in registry.entries().items() if _is_of(entry.value.partition(":")[0], Path(file))]


def _is_of(module: str, file: Path) -> bool:
    top = module if module.startswith("kifold.") else module.partition(".")[0]
    loaded = sys.modules.get(top)
    if loaded is None:
        return False
    folders = getattr(loaded, "__path__", None)
    return any(file.is_relative_to(one) for one in folders) if folders else str(file) == loaded.__file__
