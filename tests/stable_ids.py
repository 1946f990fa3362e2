"""What stored matches carry of the declarations, as plain data: names, numbers, orders, types.

`tests/data/stable_ids.json` is what they were. `python -m tests.stable_ids` adds to it what is new; it refuses when
something that is stored would read otherwise.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from kifold.core.codec import DIGEST_SIZE
from kifold.core.events import COMMON, Event, Setup, Started, kind_of, tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.options import Option
from kifold.core.registry import ruleset
from kifold.core.ruleset import SNAPSHOT, Ruleset
from kifold.core.schema import events_schema
from kifold.records.archive import paths
from kifold.records.ids import DIGITS
from kifold.records.judge import FINGERPRINT_SIZE
from kifold.records.sqlite import FORMAT, make
from kifold.records.tables import matches_schema
from tests.registered import NAMES

TABLE = Path(__file__).parent / "data" / "stable_ids.json"
UPDATE = "python -m tests.stable_ids"
REVISIONS = "state of revision"
WIDTH = re.compile(r"\bint(\d+)\b")
LINE = 140


def stable_ids() -> dict[str, Any]:
    """All of it as it is now. A list is append-only; of a mapping nothing goes."""
    return {
        "formats": list(range(1, FORMAT + 1)),
        "places": ["journal.sqlite", *(str(place) for place in paths(Path("archive"), "NAME", "FILE"))],
        "journal": _journal(),
        "sizes": {"digest": DIGEST_SIZE, "fingerprint": FINGERPRINT_SIZE, "events per fingerprint": SNAPSHOT},
        "digits of match ids": DIGITS,
        "started": [info.name for info in msgspec.structs.fields(Started)],
        "events": _events(COMMON),
        "rulesets": {name: _ruleset(ruleset(name)) for name in NAMES},
    }


def _journal() -> dict[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "journal.sqlite"
        make(place)
        db = sqlite3.connect(place)
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        columns = {name: db.execute(f"PRAGMA table_info({name})").fetchall() for name in tables}
        db.close()
    return {name: [f"{row[1]} {row[2]}" for row in rows] for name, rows in columns.items()}


def _ruleset(rules: Ruleset) -> dict[str, Any]:
    return {
        "events": _events(rules.known[: len(rules.events)] + rules.known[len(rules.events) + len(COMMON) :]),
        "setup": _fields(rules.setup),
        "variants": [{"name": variant.name, "seats": list(variant.seats)} for variant in rules.variants],
        "options": [_option(option) for option in rules.options],
        "reasons": [name.name for name in rules.reasons],
        "effects": [name.name for name in rules.effects],
        # Other fields are other fingerprints, so they belong to one revision and are one text.
        REVISIONS: {str(one.revision): _state(one) for one in rules.revisions.values()},
        "columns of matches": dict(_columns(matches_schema(rules))),
        "columns of events": dict(_columns(events_schema(rules))),
    }


def _state(rules: Ruleset) -> str:
    essential = (slot for slot in rules.state.slots if slot.role is None)
    return " ".join(f"{slot.name}:{slot.code}" + (f"×{slot.length}" if slot.length else "") for slot in essential)


def _events(events: tuple[type[Event], ...]) -> dict[str, Any]:
    return {kind_of(event): {"tag": tag_of(event), "fields": _fields(event)} for event in events}


def _fields(struct: type[Event] | type[Setup]) -> list[dict[str, Any]]:
    return [_field(field) for field in fields_of(struct)]


def _field(field: Field) -> dict[str, Any]:
    said: dict[str, Any] = {"name": field.name, "kind": field.kind, "since": field.since}
    if field.kind in {"int", "ints"}:
        said |= {"words": list(field.words)} if field.words else {"low": field.low, "high": field.high}
    if field.length:
        said["length"] = field.length
    if field.default is not msgspec.NODEFAULT:
        said["default"] = json.dumps(field.default)
    return said


def _option(option: Option) -> dict[str, Any]:
    said: dict[str, Any] = {"name": option.name, "since": option.since, "default": json.dumps(option.default)}
    return said | ({"values": list(option.values)} if option.values else {"low": option.low, "high": option.high})


def _columns(parts: pa.Schema | pa.StructType, head: str = "") -> Iterator[tuple[str, str]]:
    """(name, type) of columns; parts of records by their paths, `result[].rank`."""
    for part in parts:
        name, kind = head + part.name, part.type
        if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
            name, kind = name + "[]", kind.value_type
        if pa.types.is_struct(kind):
            yield from _columns(kind, name + ".")
        else:
            yield name, str(kind)


def faults(was: Any, now: Any, where: str = "") -> Iterator[str]:
    """What reads otherwise than it was stored, one line each."""
    key = where.rpartition(" → ")[2]
    if isinstance(was, dict) and isinstance(now, dict):
        for name, old in was.items():
            if key == REVISIONS and name not in now:
                continue  # an earlier revision, which says itself what its state is
            below = f"{where} → {name}".removeprefix(" → ")
            yield from faults(old, now[name], below) if name in now else [f"{below}: is gone"]
    elif isinstance(was, list) and isinstance(now, list):
        for number, old in enumerate(was):
            below = f"{where} → {_name(old)}"
            yield from faults(old, now[number], below) if number < len(now) else [f"{below}: is gone"]
        for new in now[len(was) :]:
            if isinstance(new, dict) and new.get("since") == 1:
                yield f"{where} → {_name(new)}: is new and has to say since when"
    elif not _is_still_read(key, was, now):
        yield f"{where}: was {was}, is {now}"


def _name(one: Any) -> str:
    return str(one["name"] if isinstance(one, dict) else one)


def _is_still_read(key: str, was: Any, now: Any) -> bool:
    if key == "low":
        return bool(now <= was)
    if key in {"high", "length"}:
        return bool(now >= was)
    if isinstance(was, str) and isinstance(now, str) and WIDTH.sub("int", was) == WIDTH.sub("int", now):
        widths = [[int(width) for width in WIDTH.findall(text)] for text in (was, now)]
        return was == now or (bool(widths[0]) and all(a <= b for a, b in zip(*widths, strict=True)))
    return bool(was == now and type(was) is type(now))


def committed() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def merged(was: Any, now: Any) -> Any:
    """The table with what is new; what only earlier revisions had stays."""
    if isinstance(was, dict) and isinstance(now, dict):
        return {**was, **{name: merged(was.get(name), new) for name, new in now.items()}}
    return now


def main() -> None:
    """Add what is new to the table."""
    was = committed() if TABLE.exists() else {}
    if found := list(faults(was, stable_ids())):
        sys.exit("\n".join(["stored matches would read otherwise:", *found]))
    TABLE.write_text(_text(merged(was, stable_ids())) + "\n", encoding="utf-8")


def _text(value: Any, indent: str = "") -> str:
    """JSON, in one line what fits into one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent + line) < LINE or not isinstance(value, dict | list):
        return line
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(name)}: {_text(one, inner)}" for name, one in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + _text(one, inner) for one in value) + f"\n{indent}]"


if __name__ == "__main__":
    main()
