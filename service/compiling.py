"""Compiling rules at their first use: said, and side by side with what all rulesets share."""

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

    They are compiled side by side, and beside them what all rulesets share, one process for each processor.
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
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        shared = pool.submit(_compile_shared, cold[0])
        # What this process compiles it has at hand.
        others = [pool.submit(_compile, name) for name in cold[1:]]
        _compile(cold[0])
        for each in (shared, *others):
            each.result()


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


def _compile_shared(name: str) -> None:
    """Write and read the tables of a match without events: that compiles what the archive needs beside rules."""
    import msgspec
    import numpy as np

    from kifold.core.corpus import Corpus, Folded
    from kifold.core.records import dtype_of
    from kifold.core.registry import at_revision
    from kifold.records.folded import corpus_tables
    from kifold.records.reading import digests, read_group

    rules = at_revision(name)
    started = msgspec.structs.replace(rules.start(), tags={"source": "nothing"})
    setups, events = np.zeros(1, dtype_of(rules.setup_record)), np.zeros(0, dtype_of(rules.event_record))
    corpus, folded = Corpus(rules, setups, events, np.zeros(2, np.int64)), Folded.blank(rules, 1, 0, 1)
    digests(read_group(rules, *corpus_tables(corpus, folded, started, np.ones(1, np.int64))))
