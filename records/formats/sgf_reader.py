r"""Reading many records out of one text or file, so that a broken one costs nothing but itself.

Each record is read as it stands, line ends and all. Where that fails, this is where the next one is looked for:

* A fault inside (a stray character, a name without a value) leaves the brackets countable: the record ends at its `)`.
* A record that was cut off ends where a line begins with `(;` and a property that only a root may have, as `GM[`. In a
  value too, unless the value goes on to a `\]`, as it must when it quotes a record (`Scan` has the details).
* A record that is never closed ends at the first `(` inside it that may begin another (`Scan.unclosed`).
* Anything else between two records, from a stray `)` to a line of prose, is one `Broken` up to the next `(;`.

What cannot be seen from the brackets: a record that is cut off within a value and followed by the next without a line
end. The two read as one record with a strange value; whoever knows the values refuses it.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from kifold.records.formats.sgf_scan import BLANK, Scan
from kifold.records.formats.sgf_tree import Broken, Tree

RECORD_LIMIT = 1 << 24
"""No record is longer (characters), unless the caller says so: what an unclosed one may cost in memory and time."""

_CHUNK = 1 << 18
_JUNK_KEPT = 4096
_BETWEEN = re.compile(r"[ \t\n\v\f\r\ufeff]*+")  # with the BOMs of files that were put together
_BEGINNING = re.compile(rf"\({BLANK}*+(?:;|\Z)")
_BEGINNING_OF_LINE = re.compile(rf"(?<=[\r\n])\({BLANK}*+(?:;|\Z)")
_BAD_BYTE = re.compile("[\udc80-\udcff]")  # what decoding with "surrogateescape" leaves of a byte that is not UTF-8


def read_trees(text: str, *, limit: int = RECORD_LIMIT) -> Iterator[Tree | Broken]:
    """Every record of a text, in order, and a `Broken` for every stretch that is none. Offsets are in characters.

    Raises nothing. A text without a record and without anything else gives one `Broken` ("empty file").
    """
    return _Reader(lambda size: "", text, len, limit).records()


def read_file(path: str | os.PathLike[str], *, limit: int = RECORD_LIMIT) -> Iterator[Tree | Broken]:
    """As `read_trees`, from a UTF-8 file, with or without BOM, any line ends. Offsets are in bytes.

    Keeps about one record in memory. A record with bytes that are not UTF-8 is `Broken`, the others are read. Raises
    OSError if the file cannot be opened or read, when the first record or the one in question is asked for.
    """
    with Path(path).open("rb") as file:
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

        def pull(size: int) -> str:
            text = ""
            while not text:
                data = file.read(size)
                text = decoder.decode(data, final=not data)
                if not data:
                    break
            return text

        yield from _Reader(pull, "", _utf8_size, limit).records()


class _Reader:
    """The text at hand, and how far it has been used: `pos` in `text`, `offset` and `line` in all that was read."""

    def __init__(self, pull: Callable[[int], str], text: str, size: Callable[[str], int], limit: int) -> None:
        self.pull = pull
        self.text = text
        self.size = size
        self.limit = limit
        self.base = 0  # how many characters are forgotten
        self.pos = 0
        self.offset = 0
        self.line = 1
        self.number = 0
        self.ended = False
        self.unclosed: dict[int, int] = {}  # beginnings of records that are known not to end: where the next may begin

    def records(self) -> Iterator[Tree | Broken]:
        while self._skip_blanks():
            self.number += 1
            yield self._record() if self.text[self.pos] == "(" else self._junk(_BEGINNING)
        if not self.number:
            yield Broken(1, 0, 1, "empty file")

    def _more(self, size: int) -> bool:
        """Forgets what was used (but for one character, to look behind) and reads on. False: nothing left to read."""
        if not self.ended:
            chunk = self.pull(size)
            while chunk.endswith("\r"):  # CR and LF are one line end: never part them
                following = self.pull(1)
                chunk += following
                if not following:
                    break
            self.ended = not chunk
            if chunk:
                used = max(self.pos - 1, 0)
                self.text = self.text[used:] + chunk
                self.pos -= used
                self.base += used
        return not self.ended

    def _advance(self, to: int) -> None:
        self.offset += self._size(self.pos, to)
        self.line += _line_ends(self.text, self.pos, to)
        self.pos = to

    def _size(self, start: int, stop: int) -> int:
        return self.size(self.text[start:stop])

    def _skip_blanks(self) -> bool:
        """Goes to the next character that is no white space. False: there is none."""
        while True:
            between = _BETWEEN.match(self.text, self.pos)
            if between and between.end() > self.pos:
                self._advance(between.end())
            if self.pos < len(self.text):
                return True
            if not self._more(_CHUNK):
                return False

    def _record(self) -> Tree | Broken:
        """Looks at the rest of the line first, then at four times as much, and so on until the record ends."""
        if self.base + self.pos in self.unclosed:
            return self._cut_off("", self.pos)
        end = self._end_of_line()
        while True:
            scan = Scan(self.text, self.pos, end, self.offset - self.pos, self.line)
            if scan.stop is not None:
                return self._closed(scan, scan.stop)
            seen = end - self.pos
            wanted = min(max(4 * seen, 4096), self.limit)
            while len(self.text) - self.pos < wanted and self._more(max(_CHUNK, wanted - (len(self.text) - self.pos))):
                pass
            end = min(len(self.text), self.pos + wanted)
            if end - self.pos <= seen:
                return self._endless(scan, seen)

    def _end_of_line(self) -> int:
        end = self.text.find("\n", self.pos)
        end = len(self.text) if end < 0 else end
        carriage_return = self.text.find("\r", self.pos, end)
        return end if carriage_return < 0 else carriage_return

    def _closed(self, scan: Scan, stop: int) -> Tree | Broken:
        if scan.fault:
            return self._broken(scan.fault, scan.fault_at, stop)
        text, start = self.text, self.pos
        bad = self._bad_byte(start, stop)
        if bad is not None:
            return self._broken(_not_utf8(text[bad]), bad, stop)
        record = text[start:stop]
        tree = Tree(scan.nodes, self.number, self.offset, self.line, self.size(record), record)
        if tree.size != stop - start or _line_ends(text, start, stop):
            self._place(tree, stop)
        self._advance(stop)
        return tree

    def _place(self, tree: Tree, stop: int) -> None:
        """Sets where the nodes stand, in a record of several lines or with characters of several bytes."""
        text, at, shift = self.text, self.pos, self.offset - self.pos
        offset, line = tree.offset, tree.line
        wide = tree.size != stop - at
        for node in tree.nodes:
            place = node.offset - shift
            line += _line_ends(text, at, place)
            node.line = line
            if wide:
                offset += self._size(at, place)
                node.offset = offset
            at = place

    def _endless(self, scan: Scan, seen: int) -> Broken:
        """What to do about a record that does not end, in the text or within the limit."""
        end = self.pos + seen
        at_end = self.ended and end == len(self.text)
        for place, following in scan.unclosed().items():
            if following is not None and (at_end or end - place > self.limit // 2):
                self.unclosed[self.base + place] = self.base + following
        if self.base + self.pos in self.unclosed:
            return self._cut_off(scan.fault, scan.fault_at)
        if at_end:
            return self._broken(scan.fault, scan.fault_at, end)
        broken = self._broken(f"record longer than {self.limit} characters", self.pos, end)
        broken.size += self._junk(_BEGINNING_OF_LINE).size
        return broken

    def _cut_off(self, fault: str, fault_at: int) -> Broken:
        """The record at hand is known to be open where the next may begin; `fault` counts if it lies before that."""
        following = self.unclosed.pop(self.base + self.pos) - self.base
        if fault and fault_at < following:
            return self._broken(fault, fault_at, following)
        return self._broken("record not closed before the next one", following, following)

    def _junk(self, beginning: re.Pattern[str]) -> Broken:
        """Everything up to the next beginning of a record, without keeping more of it than its first characters."""
        broken = Broken(self.number, self.offset, self.line, "", 0, self.offset, self.line)
        while True:
            found = beginning.search(self.text, self.pos)
            stop = found.start() if found else len(self.text)
            bad = None if broken.reason else self._bad_byte(self.pos, stop)
            if bad is not None:
                broken.reason = _not_utf8(self.text[bad])
                broken.fault_offset = self.offset + self._size(self.pos, bad)
                broken.fault_line = self.line + _line_ends(self.text, self.pos, bad)
            broken.text += self.text[self.pos : min(stop, self.pos + _JUNK_KEPT - len(broken.text))]
            self._advance(stop)
            if (found and found[0].endswith(";")) or not self._more(_CHUNK):
                break
        broken.size = self.offset - broken.offset
        broken.reason = broken.reason or f"text outside a record: {broken.text[:20].rstrip()!r}"
        return broken

    def _broken(self, reason: str, fault_at: int, stop: int) -> Broken:
        bad = self._bad_byte(self.pos, stop)
        if bad is not None:
            reason, fault_at = _not_utf8(self.text[bad]), bad
        record = self.text[self.pos : stop]
        broken = Broken(self.number, self.offset, self.line, reason, self.size(record), text=record)
        broken.fault_offset = self.offset + self._size(self.pos, fault_at)
        broken.fault_line = self.line + _line_ends(self.text, self.pos, fault_at)
        self._advance(stop)
        return broken

    def _bad_byte(self, start: int, stop: int) -> int | None:
        """Index of the first byte of a file that could not be decoded."""
        piece = self.text[start:stop]
        decoded_here = self.size is not len  # what a text that was passed in holds is its owner's business
        found = _BAD_BYTE.search(piece) if decoded_here and not piece.isascii() else None
        return start + found.start() if found else None


def _not_utf8(char: str) -> str:
    return f"not UTF-8: byte 0x{ord(char) - 0xDC00:02x}"


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _line_ends(text: str, start: int, stop: int) -> int:
    """How many lines end in `text[start:stop]`; LF, CR and CRLF are one each."""
    count = text.count("\n", start, stop)
    returns = text.count("\r", start, stop)
    return count + returns - text.count("\r\n", start, stop) if returns else count
