"""The format `.blksgf`: Blokus games as Pentobi and its relatives write them.

Source: the public description of the format, and probes of what Pentobi 31 reads, refuses and saves again.

What comes in: any number of records in a file, of the games Blokus, Blokus Two-Player, Blokus Three-Player and Blokus
Duo. Start corners are by colour unless an option says otherwise. Colours that are missing in the order were skipped
since they could place nothing; where passing is played, those that could place have passed. A record that has no
meaning here is refused as a whole: another game, squares that are no piece, pieces set up in mid-game. Illegal moves
are read and refused by the rules. kifold differs from Pentobi in that: Pentobi plays them.

What is kept, and where: headers in the tags, names with the players, pieces and the turn set up in the root in the
setup, moves as events. Comments, nodes without a move, all other properties and the other continuations are notes on
the event before them. So a record that was imported and exported is imported as the same log again.

What the original had and an exported record has not: its spacing and line ends; the spelling of squares and their order
(`A20`, `a020` become `a20`), old names of colours and lists with a value for each square; the place of a move among the
properties of its node, and of headers among those of the root (moves and headers go first); a move in the root, which
gets a node; what `AE` takes away again.
"""

from __future__ import annotations

from kifold.records.formats import Format
from kifold.records.formats.blksgf_read import read
from kifold.records.formats.blksgf_write import write

BLKSGF = Format("blksgf", (".blksgf",), read, write, frozenset({"blokus"}))
