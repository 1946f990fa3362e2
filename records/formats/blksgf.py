"""The format `.blksgf`: Blokus games as Pentobi and its relatives write them.

Source: the public description of the format, and probes of what Pentobi 31 reads, refuses and saves again.

What comes in: any number of records in a file, of the games Blokus, Blokus Two-Player, Blokus Three-Player and Blokus
Duo. Start corners are by colour unless an option says otherwise. Colours that are missing in the order were skipped
since they could place nothing; where passing is played, those that could place have passed. A record that has no
meaning here is refused as a whole: another game, squares that are no piece, pieces set up in mid-game. Illegal moves
are read and refused by the rules. kifold differs from Pentobi in that: Pentobi plays them.

What is kept, and where: headers in the tags, names with the players, pieces and the turn set up in the root in the
setup, moves as events. Comments, nodes without a move and all other properties are notes on the event before them.
Variations are forks, in their order; a fork is written as a variation where that reads back as the same log. What the
format has no property for stands in properties of ours (`blksgf_names`), which others ignore. So a record that was
imported and exported is imported as the same logs again.

What the original had and an exported record has not: its spacing and line ends; the spelling of squares and their order
(`A20`, `a020` become `a20`), old names of colours and lists with a value for each square; the place of a move among the
properties of its node, and of headers among those of the root (moves and headers go first); a move in the root, which
gets a node; what `AE` takes away again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO

from kifold.core.events import OptionValue
from kifold.core.options import parse_options
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.formats import Format, Record, Rejected, one_line
from kifold.records.formats.blksgf_read import matches_of
from kifold.records.formats.blksgf_write import trees_of
from kifold.records.formats.sgf import Broken, Tree, read_file, write_tree
from kifold.records.log import Log


def read(path: Path, options: Mapping[str, str]) -> Iterator[Record | Rejected]:
    """The records of a file. An option given here holds for all of them, whatever a record says itself.

    Raises:
        RulesetError: for an option that blokus does not have, or a value that the option does not have.
    """
    given = parse_options(BLOKUS.options, options)
    return chain.from_iterable(records_of(found, given) for found in read_file(path))


def records_of(found: Tree | Broken, given: Mapping[str, OptionValue]) -> Iterator[Record | Rejected]:
    """What was found in a file as matches, the main line first, or why it is none."""
    text = found.text.encode("utf-8", "surrogateescape")
    if isinstance(found, Broken):
        yield Rejected(found.record_no, f"line {found.fault_line}: {one_line(found.reason)}", text)
    else:
        yield from matches_of(found, given, text)


def write(logs: Iterable[Log], file: IO[bytes]) -> None:
    """Write records, one on a line. A fork that comes after its parent is a variation in the same record.

    Raises:
        FormatError: for a match of another ruleset or revision, or that no board shows. Those before it are written.
    """
    for family in _families(logs):
        for tree in trees_of(family):
            file.write(write_tree(tree, keep_blanks=True).encode() + b"\n")


def _families(logs: Iterable[Log]) -> Iterator[list[Log]]:
    """Matches, each with the forks that come after it."""
    family: dict[int, Log] = {}
    for log in logs:
        if family and (log.fork is None or log.fork.parent not in family):
            yield list(family.values())
            family = {}
        family[log.match_id] = log
    if family:
        yield list(family.values())


BLKSGF = Format("blksgf", (".blksgf",), read, write, frozenset({"blokus"}), nests=True)
