"""Compiling rules at their first use: said, and several rulesets at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset
    from kifold.records.store import Store


def compile_rules(names: Sequence[str]) -> None:
    """Make sure that rulesets (NAME or NAME@REVISION) are compiled, and say so where it takes seconds.

    Several are compiled side by side, one process for each processor.
    """
    from kifold.core.compiled import compiled
    from kifold.core.registry import at_revision

    cold = [name for name in names if compiled(at_revision(name)).is_cold]
    if not cold:
        return
    which, place = ", ".join(cold), compiled(at_revision(cold[0])).folder.parent
    print(
        f"compiling the rules of {which} for their first use (some ten seconds each; kept in {place})", file=sys.stderr
    )
    if len(cold) == 1:
        _compile(cold[0])
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        list(pool.map(_compile, cold))


def compile_for_many(store: Store, *, archived: bool, also: Ruleset | None = None) -> None:
    """Compile the rules of those rulesets of which a store has so many matches, archived or live, that it pays.

    With `also`, those too where the store has many matches of that ruleset.
    """
    from kifold.core import registry
    from kifold.records.judge import MANY

    counts = store.counts().items()
    names = [name for name, many in counts if many[archived] >= MANY and not registry.why_not(name)]
    if also is not None and also.name in names and also.revision != registry.ruleset(also.name).revision:
        names.append(f"{also.name}@{also.revision}")
    compile_rules(names)


def _compile(name: str) -> None:
    """Play and fold one match: that compiles the loops of simulation and verification."""
    from kifold.core.compiled import compiled
    from kifold.core.corpus import Folder
    from kifold.core.flat import flatten_setup
    from kifold.core.registry import at_revision

    rules = at_revision(name)
    folder = Folder(rules, compiled(rules))
    for corpus in folder.play(flatten_setup(rules, rules.start()), 0, 0, 1, greedy=False):
        folder.fold(corpus)
