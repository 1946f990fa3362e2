"""Game records in the `.blksgf` text format and its relatives, as trees of nodes with properties: reading and writing.

    for record in read_file("games.blksgf"):
        if isinstance(record, Broken):
            print(record)
        else:
            moves = [node.first("1") for node in record.main_line()]

What the properties mean is not known here.
"""

from kifold.records.formats.points import Cell, cells, cells_text, point_text
from kifold.records.formats.sgf_reader import RECORD_LIMIT, read_file, read_trees
from kifold.records.formats.sgf_tree import Broken, Node, Property, Tree
from kifold.records.formats.sgf_writer import write_tree

__all__ = [
    "RECORD_LIMIT",
    "Broken",
    "Cell",
    "Node",
    "Property",
    "Tree",
    "cells",
    "cells_text",
    "point_text",
    "read_file",
    "read_trees",
    "write_tree",
]
