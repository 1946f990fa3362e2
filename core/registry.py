"""The rulesets that are installed, by entry point (group ``kifold.rulesets``)."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from kifold.core.events import Started
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
    """A ruleset by its name, in its newest revision; only its own module is imported.

    Raises:
        RulesetError: when none of that name is installed, or its package cannot be loaded.
    """
    base = name.partition("@")[0]
    if name != base and base in entries():
        where = "matches begin under its newest revision; `verify --ruleset` and `promote` alone take another"
        raise RulesetError(f"no ruleset {name!r}: write {base} ({where})")
    if name not in entries():
        raise RulesetError(f"no ruleset {name!r}: choose from {', '.join(names()) or 'none, kifold is not installed'}")
    try:
        loaded = entries()[name].load()
    except Exception as error:  # whatever the module of another package raises
        place, said = entries()[name].value, " ".join(f"{type(error).__name__}: {error}".split())
        raise RulesetError(
            f"ruleset {name} cannot be loaded from {place} ({said}): correct its package or uninstall it"
        ) from error
    if not isinstance(loaded, Ruleset):
        raise RulesetError(f"entry point {entries()[name].value} is no ruleset")
    if loaded.name != name:
        raise RulesetError(f"entry point {name} = {entries()[name].value} is a ruleset called {loaded.name}")
    return loaded


def why_not(name: str) -> str | None:
    """Why a ruleset is not to be had; None where it is."""
    if name not in entries():
        return f"ruleset {name} is not installed"
    try:
        ruleset(name)
    except RulesetError as error:
        return str(error)
    return None


def at_revision(text: str) -> Ruleset:
    """The ruleset that NAME or NAME@REVISION means; the newest revision where none is said.

    Raises:
        RulesetError: when there is no such ruleset or revision.
    """
    name, at, number = text.partition("@")
    if not at:
        return ruleset(name)
    if not (number.isascii() and number.isdigit()):
        raise RulesetError(f"{text!r}: write NAME@REVISION with a number, such as {name}@{ruleset(name).revision}")
    return ruleset(name).at(int(number))


def pinned(started: Started, revision: int | None = None) -> Ruleset:
    """The rules that a match is played under: of the revision that its log names, or of the one given.

    Raises:
        RulesetError: when the ruleset is not installed, or not in that revision.
    """
    return ruleset(started.ruleset).at(started.revision if revision is None else revision)
