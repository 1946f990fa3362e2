"""The format `.jsonl`: one match a line, of any ruleset, everything by name and in words.

    {"match": "k1m2…", "ruleset": "blokus", "variant": "duo", "revision": 1, "options": {…}, "seats": 2, "tags": {…},
     "setup": {…}, "players": ["Ann", "Ben"], "events": [{"event": "place", "colour": "blue", …}, …]}

`ruleset`, `variant` and `events` must be there; what else is missing is as in a new match without a setup. `match` may
be any name. Where it is an id, an imported match keeps it, unless another log has it: then, and without one, its id
follows from what the line says. Where the match of that id begins with this log it is there already, and stays as it
is, under the players' names that it has. A match that was begun under a later version of the ruleset's declaration
than the first has that too, as `schema`. One that was promoted has beside the `revision` that its log names the one
that it is played under, as `promoted`; that one has to be installed, the other need not be. A fork has three more:
`parent`, the `match` of a line before it or a match of the store; `at_seq`, the last event of that which it shares;
and `inherited`, how many of its own events, the first ones, are shared: what stood there after `at_seq`, under the
same event 0 but for tags.
Anything unknown or out of its range costs the line, and only that. Compressed files (gzip) are read; whoever writes one
compresses what `write` gives.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec

from kifold.core.codec import from_json, setup_from_json, started_to_json, to_json
from kifold.core.counted import counted
from kifold.core.events import OptionValue
from kifold.core.options import parse_options
from kifold.core.registry import ruleset
from kifold.records.formats import Branch, Format, Record, Rejected, one_line
from kifold.records.ids import id_text, whole_id
from kifold.records.log import Log

LINE_LIMIT = 1 << 26
"""No line is longer (bytes): what one that never ends may cost in memory."""

TEXT_LIMIT = 1 << 24
"""So much of a refused line is kept."""

_CHUNK = 1 << 18
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


class Line(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One line."""

    match: str = ""
    parent: str = ""
    at_seq: Annotated[int, msgspec.Meta(ge=0)] = 0
    inherited: Annotated[int, msgspec.Meta(ge=0)] = 0
    ruleset: str
    variant: str
    revision: Annotated[int, msgspec.Meta(ge=1, le=(1 << 15) - 1)] | None = None
    promoted: Annotated[int, msgspec.Meta(ge=1)] | None = None
    schema: Annotated[int, msgspec.Meta(ge=1)] = 1
    options: dict[str, OptionValue] = {}
    seats: int | None = None
    tags: dict[str, str] = {}
    setup: dict[str, Any] = {}
    players: list[str] = []
    events: list[dict[str, Any]]


_decoder = msgspec.json.Decoder(Line)


class _Wrong(ValueError):
    """Why a line is no match; `ply` is the number of the event, None when it is not a matter of one."""

    def __init__(self, reason: str, ply: int | None = None) -> None:
        super().__init__(reason)
        self.ply = ply


def read(path: Path, options: Mapping[str, str]) -> Iterator[Record | Rejected]:
    """The records of a file, numbered by their lines. An option given here holds for all, whatever a line says."""
    is_empty = True
    with _opened(path) as file:
        for number, (line, fault) in enumerate(_lines(file), start=1):
            text = line.removeprefix(_BOM) if number == 1 else line
            if fault:
                yield Rejected(number, fault, text[:TEXT_LIMIT])
            elif text.strip():
                yield _record(number, text, options)
            is_empty = is_empty and not fault and not text.strip()
    if is_empty:
        yield Rejected(1, "empty file")


def _opened(path: Path) -> BufferedReader | gzip.GzipFile:
    with path.open("rb") as file:
        is_compressed = file.read(len(_GZIP)) == _GZIP
    return gzip.open(path, "rb") if is_compressed else path.open("rb")


def _lines(file: BufferedReader | gzip.GzipFile) -> Iterator[tuple[bytes, str]]:
    """Lines without their ends, and for each what is wrong with it: it is too long, or the file is damaged there."""
    held = bytearray()
    while True:
        try:
            *ended, rest = file.read1(_CHUNK).split(b"\n")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            yield bytes(held), f"the compressed file is damaged from here on: {error}"
            return
        for part in ended:
            held += part
            yield _line_and_fault(held)
            held.clear()
        if not ended and not rest:
            break
        if len(held) <= LINE_LIMIT:
            held += rest
    if held:
        yield _line_and_fault(held)


def _line_and_fault(held: bytearray) -> tuple[bytes, str]:
    fault = f"the line has more than {LINE_LIMIT} bytes" if len(held) > LINE_LIMIT else ""
    return bytes(held).removesuffix(b"\r"), fault


def _record(number: int, text: bytes, options: Mapping[str, str]) -> Record | Rejected:
    try:
        return _match(number, _line(text), text, options)
    except _Wrong as why:
        return Rejected(number, one_line(str(why)), text[:TEXT_LIMIT], why.ply)
    except ValueError as error:
        return Rejected(number, one_line(str(error)), text[:TEXT_LIMIT])


def _line(text: bytes) -> Line:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        raise _Wrong(f"not UTF-8: byte 0x{text[error.start]:02x} at place {error.start + 1}") from None
    try:
        return _decoder.decode(text)
    except msgspec.ValidationError as error:
        raise _Wrong(f"no match: {error}") from None
    except msgspec.DecodeError as error:
        raise _Wrong(f"no JSON object, or not all of one: {error}") from None
    except RecursionError:
        raise _Wrong("no match: nested too deeply") from None


def _match(number: int, line: Line, text: bytes, options: Mapping[str, str]) -> Record:
    newest = ruleset(line.ruleset)
    revision = line.revision or newest.revision
    rules = newest.at(line.promoted or revision)
    given = {**line.options, **parse_options(rules.options, options)}
    setup = setup_from_json(rules, line.setup)
    started = rules.start(line.variant, given, line.seats, line.tags, setup, line.schema)
    started = msgspec.structs.replace(started, revision=revision)
    rules.expect_schema(started)
    if len(line.players) > started.seats:
        raise _Wrong(f"{len(line.players)} players for {counted(started.seats, 'seat', 'seats')}")
    events = []
    for seq, said in enumerate(line.events, start=1):
        try:
            events.append(from_json(rules, said))
        except ValueError as error:
            raise _Wrong(f"event {seq}: {error}", seq) from None
    if line.inherited > min(len(events), line.at_seq):
        has = f"it has {counted(len(events), 'event', 'events')} and left it after event {line.at_seq}"
        raise _Wrong(f"`inherited` says that it shares {line.inherited} events with its parent, but {has}")
    branch = Branch(line.parent, line.at_seq, line.inherited) if line.parent else None
    return Record(
        number,
        started,
        tuple(events),
        tuple(line.players),
        text,
        name=line.match,
        branch=branch,
        promoted=line.promoted if line.promoted != revision else None,
        match=whole_id(line.match),
    )


def write(logs: Iterable[Log], file: IO[bytes]) -> None:
    """Write matches, one a line; also of revisions that are not installed: a line says what the log says, and beside it
    what the store does.
    """
    for log in logs:
        started = log.started
        line = {
            "match": id_text(log.match_id),
            **_fork(log),
            **started_to_json(started),
            **({"promoted": log.promoted} if log.is_promoted else {}),
            "players": log.players,
            "events": [to_json(event) for event in log.events],
        }
        file.write(msgspec.json.encode(line) + b"\n")


def _fork(log: Log) -> dict[str, Any]:
    if log.fork is None:
        return {}
    return {"parent": id_text(log.fork.parent), "at_seq": log.fork.at_seq, "inherited": log.fork.inherited}


JSONL = Format("jsonl", (".jsonl", ".jsonl.gz"), read, write)
