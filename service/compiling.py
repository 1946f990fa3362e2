"""Compiling rules at their first use: said, and shared out among processes.

What several processes compile they find in one cache folder. What a process beside fails to do, or where none can be
started, this one does itself when it needs it.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from kifold.core.processors import processors

if TYPE_CHECKING:
    from kifold.core.compiled import Compiled
    from kifold.core.corpus import Folder
    from kifold.core.ruleset import Ruleset
    from kifold.records.store import Store

FIRST = ("legal", "greedy", "apply", "turn")
"""The rules that a process begins with …"""
BESIDE = ("set_up", "chance", "check", "result", "actor", "phase")
"""… while another compiles these, which have little in common with them."""

FOLD = ("fold_corpus",)
"""The loops of a command that folds, …"""
PLAY = ("play_corpus", *FOLD)
"""… of one that plays what it folds, …"""
STATES = ("fold_states",)
"""… of one that compares states, …"""
PLIES = ("list_plies",)
"""… and of one that asks what every decision was made from."""


def compile_rules(wanted: Mapping[str, Iterable[str]]) -> None:
    """Make sure that loops over rulesets (NAME or NAME@REVISION) are compiled, and say so where it takes seconds.

    They are compiled side by side, and beside them what all rulesets share, one process for each processor.
    """
    from kifold.core.code_files import can_keep

    cold = {name: lacking for name, loops in wanted.items() if (lacking := _code(name).lacking(loops))}
    if not cold:
        return
    for name in cold:
        _code(name).is_announced = True
    which, folder = ", ".join(cold), _code(next(iter(cold))).folder
    is_kept = can_keep(folder)
    where = f"kept in {folder.parent}" if is_kept else "not kept"
    print(f"compiling the rules of {which} for their first use (up to ten seconds each; {where})", file=sys.stderr)
    # What another process compiles is found where it is kept.
    count = min(processors(), len(cold) + 1) if is_kept else 1
    gc.disable()  # hardly anything that a compiler makes is garbage before it is done
    try:
        with _processes(cold, count):
            for name in list(cold)[::count]:
                _compile(name, cold[name])
    finally:
        gc.enable()
    for name, loops in cold.items():
        if lacking := _code(name).lacking(loops):
            _compile(name, lacking)


def compile_for_many(store: Store, *, archived: bool, also: Ruleset | None = None) -> None:
    """Compile what folds those matches of a store, archived or live, that are so many of one ruleset that it pays.

    With `also`, what compares them with that revision too where the store has many matches of that ruleset.
    """
    from kifold.core import registry
    from kifold.records.judge import MANY

    wanted = defaultdict[str, set[str]](set)
    for ruleset, many in store.counts().items():
        if many[archived] < MANY or registry.why_not(ruleset):
            continue
        # Of a file all are folded compiled, when there are many; of live ones, those of a revision.
        names = rules_of(store, ruleset, archived=archived, least=1 if archived else MANY)
        target = _named(also) if also is not None and also.name == ruleset else None
        for name in names:
            wanted[name].update(FOLD if target in (None, name) else (*FOLD, *STATES))
        if target is not None and names != [target]:
            wanted[target].update(STATES)
    compile_rules({name: sorted(loops) for name, loops in wanted.items()})


def compile_for_views(store: Store, only: str | None, plies: Collection[str]) -> None:
    """Compile what folds the live matches of a store for the views of SQL, and what lists the plies of those rulesets,
    where they are so many that it pays.
    """
    from kifold.core import registry
    from kifold.records.judge import MANY
    from kifold.replay.plies import MANY as MANY_LISTED

    wanted = defaultdict[str, list[str]](list)
    for ruleset, live in store.journal.rows("SELECT ruleset, count(*) FROM matches GROUP BY 1"):
        if only not in (None, ruleset) or registry.why_not(ruleset):
            continue
        for loops, least in ((FOLD, MANY), (PLIES if ruleset in plies else (), MANY_LISTED)):
            if loops and live >= least:
                for name in rules_of(store, ruleset, archived=False, least=least):
                    wanted[name] += loops
    compile_rules(wanted)


def rules_of(store: Store, ruleset: str, *, archived: bool, least: int) -> list[str]:
    """The rules, NAME or NAME@REVISION, that so many archived or live matches of an installed ruleset are under."""
    from kifold.core.registry import ruleset as installed
    from kifold.records.stored_revisions import stored_revisions

    rules = installed(ruleset)
    return [_named(rules.at(one)) for one in stored_revisions(store, rules, archived=archived, least=least)]


def _named(rules: Ruleset) -> str:
    from kifold.core.registry import ruleset

    newest = rules.revision == ruleset(rules.name).revision
    return rules.name if newest else f"{rules.name}@{rules.revision}"


@contextmanager
def _processes(cold: Mapping[str, Sequence[str]], count: int) -> Iterator[None]:
    """Processes number 1 … count − 1, each with its part of the rulesets; waited for at the end, or ended."""
    running: list[subprocess.Popen[bytes]] = []
    parts = list(cold.items())
    try:
        for number in range(1, count):
            own, beside = dict(parts[number::count]), dict(parts[:1] if number == 1 else [])
            call = f"help_out({own!r}, {beside!r})"
            command = [sys.executable, "-P", "-c", f"from kifold.service.compiling import help_out; {call}"]
            with suppress(OSError):
                nothing = subprocess.DEVNULL
                running.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing))
        yield
        for process in running:
            process.wait()
    finally:
        for process in running:
            process.kill()
            process.communicate()


def help_out(own: Mapping[str, Sequence[str]], beside: Mapping[str, Sequence[str]]) -> None:
    """What a process beside does: compile the loops of some rulesets, and first its part of one that another is at."""
    Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()
    for name, loops in beside.items():
        _compile_ahead(name, loops, BESIDE)
        _compile_shared(name)
    for name, loops in own.items():
        _compile(name, loops)


def _end_with_parent() -> None:
    """Nothing is ever written to the pipe; it ends with whoever has its other end."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


def _compile(name: str, loops: Sequence[str]) -> None:
    """Compile loops over a ruleset, each by running it: over no matches, or over one that it plays."""
    from kifold.core.corpus import Corpus
    from kifold.core.flat import flatten_setup

    folder = _compile_ahead(name, loops, FIRST)
    rules, nothing = folder.ruleset, Corpus.blank(folder.ruleset)
    run: dict[str, Callable[[], object]] = {
        "play_corpus": lambda: next(folder.play(flatten_setup(rules, rules.start()), 0, 0, 1, greedy=False)),
        "fold_corpus": lambda: folder.fold(nothing),
        "fold_states": lambda: folder.states(nothing),
        "list_plies": lambda: folder.plies(nothing),
    }
    for loop in loops:
        run[loop]()


def _compile_ahead(name: str, loops: Sequence[str], rules: Sequence[str]) -> Folder:
    """Compile those of the rules that loops call."""
    from kifold.core.corpus import Folder
    from kifold.core.registry import at_revision

    folder = Folder(at_revision(name), _code(name))
    called = folder.code.called(loops)
    folder.compile_ahead(rule for rule in rules if rule in called)
    return folder


def _code(name: str) -> Compiled:
    from kifold.core.compiled import compiled
    from kifold.core.registry import at_revision

    return compiled(at_revision(name))


def _compile_shared(name: str) -> None:
    """Write, read and compare the tables of a match without events, and read lists of different lengths: that compiles
    what archives need beside rules.
    """
    import msgspec
    import numpy as np
    import pyarrow as pa

    from kifold.core.corpus import Corpus, Folded
    from kifold.core.registry import at_revision
    from kifold.records.buffers import joined
    from kifold.records.folded import corpus_tables
    from kifold.records.reading import digests, read_group
    from kifold.records.unpacking import Lists
    from kifold.replay.agreement import same_fingerprints

    rules = at_revision(name)
    started = msgspec.structs.replace(rules.start(), tags={"source": "nothing"})
    corpus, folded = Corpus.blank(rules, 1), Folded.blank(rules, 1, 0, 1)
    group = read_group(rules, *corpus_tables(corpus, folded, started, np.ones(1, np.int64)))
    digests(group)
    lists = Lists(pa.array([[], [0]], pa.list_(pa.int8())))
    lists.put(lists.counts, np.zeros(2, [("few", "i1", (1,))]), "few")
    same_fingerprints(joined(group.matches["fingerprints"]), folded)
