"""A process that kills (or interrupts) its own children while they write to a store, at moments drawn by chance.

The children are forked, so that what is slow to import or compile is there before the first. Each says what was
acknowledged to it in a file, as soon as it was.
"""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

from kifold.core.events import Noted, Resigned
from kifold.records import bulk, simulation
from kifold.records.archiving import archive
from kifold.records.compacting import compact
from kifold.records.store import Store
from tests.stores import duo, game, quiet

Say = Callable[[str], object]


def append_on(folder: str, round_: int, say: Say) -> None:
    with Store(folder) as store:
        for number in range(20):
            match = store.new(duo())
            say(f"{match} 0")
            at = 0
            while at < len(game(number)):
                at = store.append(match, game(number)[at : at + 1 + round_ % 3], expected_seq=at)
                say(f"{match} {at}")


def archive_on(folder: str, round_: int, say: Say, again: Callable[[Store, Callable[..., None]], object]) -> None:
    """Record, archive, go on with a match that was archived, archive or compact again, delete."""
    with Store(folder) as store:
        for _ in range(20):
            matches = [store.new(duo(), (), [*game(round_)[: 2 + n], Resigned(n % 2)]) for n in range(3)]
            for match in matches:
                say(f"+ {match}")
            archive(store, quiet)
            store.append(matches[0], [Noted("comment", ("late",))])
            again(store, quiet)
            say(f"? {matches[1]}")  # it may be there or not until the next line
            store.delete(matches[1])
            say(f"- {matches[1]}")


GAMES = 1200
INTERRUPTED = 130


def simulate_on(folder: str, round_: int, say: Say) -> None:
    with Store(folder) as store:
        simulation.simulate(store, what(), GAMES, 1 + round_ % 2, lambda matches, events: say(str(matches)))


def what() -> simulation.Simulation:
    return simulation.simulation(duo(), "random", 5)


WORK = {
    "append": append_on,
    "archive": partial(archive_on, again=archive),
    "compact": partial(archive_on, again=compact),
    "simulate": simulate_on,
}


def kill_again_and_again(folder: str, kind: str, rounds: int, most_lines: int, sent: int) -> None:
    """Run a kind of work in a child and send it a signal, `rounds` times; prints how often that ended it.

    Each time when it has said a number of lines (up to `most_lines`), and some milliseconds later.
    """
    bulk.ROWS_PER_FILE, bulk.ROWS_PER_GROUP, simulation.EVENTS_PER_GROUP = 1500, 300, 300  # many files, many row groups
    moments = random.Random(sent)
    if kind == "simulate":
        with Store(f"{folder}-warm") as store:
            simulation.simulate(store, what(), 10, 1, quiet)
    for number in range(20):
        game(number)
    said = os.open(f"{folder}.said", os.O_CREAT | os.O_RDWR | os.O_APPEND)
    killed = 0
    for round_ in range(rounds):
        before = os.fstat(said).st_size
        # Held back until the child is ready for it: what is raised while Python forks is lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        child = os.fork()
        if child == 0:
            _work(folder, kind, round_, said)
        lines = moments.randint(0, most_lines)
        ended = os.WEXITED | os.WNOWAIT | os.WNOHANG
        while os.pread(said, 1 << 20, before).count(b"\n") < lines and not os.waitid(os.P_PID, child, ended):
            time.sleep(0.0005)
        time.sleep(moments.uniform(0, 0.02))
        os.kill(child, sent)
        killed += os.waitpid(child, 0)[1] != 0
    os.close(said)
    print(killed)


def _work(folder: str, kind: str, round_: int, said: int) -> NoReturn:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        WORK[kind](folder, round_, lambda line: os.write(said, f"{line}\n".encode()))
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except BaseException:
        traceback.print_exc()
        os._exit(0)
    os._exit(0)


def said_in(folder: Path) -> list[list[str]]:
    """What was acknowledged, line by line."""
    return [line.split() for line in folder.with_name(folder.name + ".said").read_text().splitlines()]
