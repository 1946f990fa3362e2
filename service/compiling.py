"""Compiling rules at their first use: said, and shared out among processes.

What several processes compile they find in one cache folder. What a process beside fails to do, or where none can be
started, this one does itself when it needs it.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from kifold.records.parallel import processors

if TYPE_CHECKING:
    from kifold.core.corpus import Folder
    from kifold.core.ruleset import Ruleset
    from kifold.records.store import Store

FIRST = ("legal", "greedy", "apply", "turn")
"""The rules that a process begins with …"""
BESIDE = ("set_up", "chance", "check", "result", "actor")
"""… while another compiles these, which have little in common with them."""


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
    count = min(processors(), len(cold) + 1)
    gc.disable()  # hardly anything that a compiler makes is garbage before it is done
    try:
        with _processes(cold, count):
            for name in cold[::count]:
                _compile(name)
    finally:
        gc.enable()
    for name in cold:
        if compiled(at_revision(name)).is_cold:
            _compile(name)


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


@contextmanager
def _processes(cold: Sequence[str], count: int) -> Iterator[None]:
    """Processes number 1 … count − 1, each with its part of the rulesets; waited for at the end, or ended."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(1, count):
            call = f"help_out({list(cold[number::count])!r}, {cold[0] if number == 1 else None!r})"
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


def help_out(names: Sequence[str], beside: str | None) -> None:
    """What a process beside does: compile some rulesets, or first its part of one that another process is at."""
    Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()
    if beside is not None:
        _folder(beside).compile_ahead(BESIDE)
        _compile_shared(beside)
    for name in names:
        _compile(name)


def _end_with_parent() -> None:
    """Nothing is ever written to the pipe; it ends with whoever has its other end."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


def _compile(name: str) -> None:
    """Play and fold one match: that compiles the loops of simulation and verification."""
    from kifold.core.flat import flatten_setup

    folder = _folder(name)
    folder.compile_ahead(FIRST)
    rules = folder.ruleset
    for corpus in folder.play(flatten_setup(rules, rules.start()), 0, 0, 1, greedy=False):
        folder.fold(corpus)


def _folder(name: str) -> Folder:
    from kifold.core.compiled import compiled
    from kifold.core.corpus import Folder
    from kifold.core.registry import at_revision

    rules = at_revision(name)
    return Folder(rules, compiled(rules))


def _compile_shared(name: str) -> None:
    """Write, read and compare the tables of a match without events: that compiles what archives need beside rules."""
    import msgspec
    import numpy as np

    from kifold.core.corpus import Corpus, Folded
    from kifold.core.records import dtype_of
    from kifold.core.registry import at_revision
    from kifold.records.buffers import joined
    from kifold.records.folded import corpus_tables
    from kifold.records.reading import digests, read_group
    from kifold.replay.agreement import same_fingerprints

    rules = at_revision(name)
    started = msgspec.structs.replace(rules.start(), tags={"source": "nothing"})
    setups, events = np.zeros(1, dtype_of(rules.setup_record)), np.zeros(0, dtype_of(rules.event_record))
    corpus, folded = Corpus(rules, setups, events, np.zeros(2, np.int64)), Folded.blank(rules, 1, 0, 1)
    group = read_group(rules, *corpus_tables(corpus, folded, started, np.ones(1, np.int64)))
    digests(group)
    same_fingerprints(joined(group.matches["fingerprints"]), folded)
