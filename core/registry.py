"""The rulesets that are installed, by entry point (group ``kifold.rulesets``)."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from kifold.core.options import RulesetError
from kifold.core.ruleset import Ruleset

GROUP = "kifold.rulesets"


@cache
def entries() -> dict[str, EntryPoint]:
    """Entry points of rulesets by name, sorted. A name that two distributions claim is an error.

    Raises:
        RulesetError: when two entry points give different values for one name.
    """
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        if entry.name in found and found[entry.name].value != entry.value:
            raise RulesetError(f"two rulesets are called {entry.name!r}: {found[entry.name].value} and {entry.value}")
        found[entry.name] = entry
    return found


def names() -> list[str]:
    """The names of all installed rulesets, sorted."""
    return list(entries())


@cache
def ruleset(name: str) -> Ruleset:
    """A ruleset by its name; only its own module is imported.

    Raises:
        RulesetError: when none of that name is installed.
    """
    if name not in entries():
        raise RulesetError(f"no ruleset {name!r}: choose from {', '.join(names()) or 'none, kifold is not installed'}")
    loaded = entries()[name].load()
    if not isinstance(loaded, Ruleset):
        raise RulesetError(f"entry point {entries()[name].value} is no ruleset")
    if loaded.name != name:
        raise RulesetError(f"entry point {name} = {entries()[name].value} is a ruleset called {loaded.name}")
    return loaded
