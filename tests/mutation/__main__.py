"""Every mutant of every ruleset over all golden logs: `make mutants`, or `python -m tests.mutation blokus` for one."""

from __future__ import annotations

import argparse
import sys
import time

from kifold.core.processors import processors
from tests.mutation.parallel import standings_of
from tests.registered import NAMES


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("ruleset", nargs="*", choices=[[], *NAMES], default=[])
    parser.add_argument("--processes", type=int, default=processors())
    given = parser.parse_args()
    is_fine = True
    print("ruleset      mutants  killed  equivalent  score   seconds")
    begun = time.monotonic()
    for one in standings_of(given.ruleset or NAMES, given.processes):
        now = time.monotonic()
        equivalent = one.survivors - len(one.unlisted)
        print(
            f"{one.ruleset:12} {one.mutants:7} {one.mutants - one.survivors:7} {equivalent:11} "
            f"{one.score:7.2%} {now - begun:8.0f}",
            flush=True,
        )
        begun, is_fine = now, is_fine and one.is_fine
        for what, mutants in (
            ("survives, and is not listed as equivalent", one.unlisted),
            ("is listed as equivalent, and is killed", one.killed),
            ("is listed as equivalent, and is no mutant any more", one.gone),
        ):
            for mutant in mutants:
                print(f"  {what}: {mutant}")
    sys.exit(not is_fine)


if __name__ == "__main__":
    main()
