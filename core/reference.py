"""The reference page of a ruleset, in Markdown: everything on it follows from the declaration.

Examples are events of simulated matches, so they are legal, and written as the ruleset writes them.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product

from kifold.core.codec import to_json
from kifold.core.events import Event, Setup, Started, kind_of, tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.names import Effects, Reasons
from kifold.core.options import Option, Variant
from kifold.core.play import Play
from kifold.core.records import Record, Role
from kifold.core.ruleset import Ruleset
from kifold.core.samples import sample_match
from kifold.core.schema import columns_of, sql_type

SEED = 1
LONGEST = 400
"""Events after which a match is no longer looked through for examples."""

Lines = Iterator[str]


def reference_page(ruleset: Ruleset, pictures: str) -> str:
    """The page.

    Args:
        pictures: folder of the pictures as seen from the page; they are called ``<ruleset>-<variant>.svg``.
    """
    parts = (_head, _variants, _options, _events, _setup, _result, _names, _sql, _state)
    lines = [f"# {ruleset.title}"]
    for part in parts:
        lines += ["", *part(ruleset)]
        if part is _head:
            lines += ["", *_pictures(ruleset, pictures)]
        if part is _setup:
            lines += _numberings(ruleset)
    return "\n".join(lines) + "\n"


def picture_name(ruleset: Ruleset, variant: Variant) -> str:
    """The name of the file with a variant's picture."""
    return f"{ruleset.name}-{variant.name}.svg"


def examples(ruleset: Ruleset) -> dict[type[Event], tuple[Started, Event]]:
    """For each kind of event one that was legal in a simulated match: of the variants, then with other readings."""
    found: dict[type[Event], tuple[Started, Event]] = {}
    for started, greedy in product(_beginnings(ruleset), (False, True)):
        log = sample_match(ruleset, started, SEED, greedy=greedy, limit=LONGEST)
        play = Play(ruleset, log.started)
        for played in log.log:
            if len(found) == len(ruleset.events):
                return found
            for event in (played, *play.legal()):
                found.setdefault(type(event), (log.started, event))
            play.add(played)
    return found


def _beginnings(ruleset: Ruleset) -> Iterator[Started]:
    for variant in ruleset.variants:
        yield ruleset.start(variant.name)
    for variant in ruleset.variants:
        for option in ruleset.options:
            if option.name not in variant.fixed:
                for value in option.values[1:]:
                    yield ruleset.start(variant.name, {option.name: value})


def _head(ruleset: Ruleset) -> Lines:
    command = f"kifold rulesets {ruleset.name} --format markdown"
    yield f"`{ruleset.name}`, revision {ruleset.revision}. `{command}` prints this page from what is declared."
    yield "Rule numbers name a sentence of the rule text (001.3) or an ambiguity in it (001-2)."
    if ruleset.views is not None:
        yield "A seat does not see everything: `kifold show MATCH --seat N` shows what it does."
    if ruleset.notes:
        yield ""
        yield f"**Note.** {ruleset.notes}"


def _pictures(ruleset: Ruleset, folder: str) -> Lines:
    for variant in ruleset.variants:
        alt = f"A position of {ruleset.title}, {variant.name}"
        yield f'<img src="{folder}/{picture_name(ruleset, variant)}" alt="{alt}" width="400">'


def _variants(ruleset: Ruleset) -> Lines:
    yield "## Variants"
    yield ""
    rows = []
    for variant in ruleset.variants:
        names = ", ".join(f"{seat} {name}" for seat, name in enumerate(variant.seat_names))
        more = ", ".join(map(str, variant.seats[1:]))
        seats = f"{variant.default_seats}{f', or {more}' if more else ''}{f': {names}' if names else ''}"
        preset = [
            f"`{name}={_text(value)}`" + (" always" if name in variant.fixed else "")
            for name, value in variant.options.items()
        ]
        rows.append((f"`{variant.name}`", seats, variant.meaning, ", ".join(preset)))
    yield from _table(("variant", "seats", "", "options"), rows)


def _options(ruleset: Ruleset) -> Lines:
    yield "## Options"
    yield ""
    if not ruleset.options:
        yield "None."
        return
    yield "An option is one ambiguity of the rule text, its values are the readings; the first is the default."
    yield f"Choose with `kifold new {ruleset.name} --set OPTION=VALUE`."
    yield ""
    yield from _table(("option", "rule", "value", "reading"), (row for o in ruleset.options for row in _readings(o)))


def _readings(option: Option) -> Iterator[tuple[str, ...]]:
    yield f"`{option.name}`", option.rule, "", f"*{option.meaning}*"
    if not option.values:
        yield "", "", f"`{option.low}` … `{option.high}`", f"a number; {option.default} by default"
    for i, value in enumerate(option.values):
        yield "", "", f"`{_text(value)}`", option.readings[i] if i < len(option.readings) else ""


def _events(ruleset: Ruleset) -> Lines:
    yield "## Events"
    yield ""
    yield "Where a field has words, the first stands for 0, the next for 1 and so on; JSON may say either."
    shown = examples(ruleset)
    for event in ruleset.events:
        yield ""
        yield f"### `{kind_of(event)}`" + (" (chance)" if event in ruleset.chance else "")
        yield ""
        yield f"{_described(event)} Tag {tag_of(event)}."
        yield ""
        yield from _fields(event)
        if event in shown:
            started, one = shown[event]
            yield ""
            yield f"Short notation `{ruleset.written(started, one)}`, as JSON"
            yield ""
            yield from ("```json", json.dumps(to_json(one), ensure_ascii=False), "```")


def _setup(ruleset: Ruleset) -> Lines:
    yield "## Setup"
    yield ""
    if not fields_of(ruleset.setup):
        yield "A match starts from its variant and options; there is nothing else to set up."
        return
    yield _described(ruleset.setup)
    if ruleset.rules.chance is not None:
        yield "What chance decides of it is drawn when a match begins without a setup of its own."
    yield ""
    yield from _fields(ruleset.setup)


def _numberings(ruleset: Ruleset) -> Lines:
    for one in ruleset.numberings():
        yield from ("", f"## {one.title}", "", " ".join(one.meaning.split()), "")
        yield from _table(one.head, one.rows)


def _fields(struct: type[Event] | type[Setup]) -> Lines:
    rows = []
    for field in fields_of(struct):
        since = f" (since schema {field.since})" if field.since > 1 else ""
        rows.append((f"`{field.name}`", _range(field), field.description + since))
    yield from _table(("field", "values", "meaning"), rows)


def _range(field: Field) -> str:
    if field.kind == "bool":
        return "true or false"
    one = ", ".join(f"`{word}`" for word in field.words) if field.words else f"{field.low} … {field.high}"
    return f"up to {field.length} of {one}" if field.kind == "ints" else one


def _state(ruleset: Ruleset) -> Lines:
    yield "## State"
    yield ""
    yield _described(ruleset.state)
    yield "Essential fields are those that fingerprints are taken of."
    yield ""
    said = _meanings(ruleset.state)
    rows = []
    roles = [None, *Role]
    for slot in sorted(ruleset.state.slots, key=lambda slot: roles.index(slot.role)):
        role = _role(slot.role)
        numbers = f"{slot.length} × {8 * slot.width} bits" if slot.length else f"{8 * slot.width} bits"
        rows.append((f"`{slot.name}`", role, numbers, said.get(slot.name, "")))
    yield from _table(("field", "", "numbers", "meaning"), rows)
    for used in Role:
        if any(slot.role is used for slot in ruleset.state.slots):
            yield ""
            yield f"*{_role(used)}*: {used.value}."


def _role(role: Role | None) -> str:
    return role.name.lower() if role else "essential"


def _result(ruleset: Ruleset) -> Lines:
    yield "## Result"
    yield ""
    yield f"{_described(ruleset.result)} For each seat:"
    yield ""
    rows = [("`rank`", "1", "1 is best; equal ranks are shared")]
    if ruleset.has_score:
        rows.append(("`score`", "1", "points by the rule book"))
    for slot in ruleset.components:
        numbers = str(slot.length // ruleset.most_seats)
        words = ", ".join(f"{number} {word}" for number, word in enumerate(ruleset.words.get(slot.name, ())))
        meaning = ruleset.units.get(slot.name, "") + (f": {words}; in SQL the word" if words else "")
        rows.append((f"`{slot.name}`", numbers, meaning))
    yield from _table(("", "numbers", "meaning"), rows)


def _names(ruleset: Ruleset) -> Lines:
    sets: tuple[tuple[str, Reasons | Effects], ...] = (
        ("Reasons why an event is refused", ruleset.reasons),
        ("Effects: what the rules force", ruleset.effects),
    )
    for title, names in sets:
        if title != sets[0][0]:
            yield ""
        yield f"## {title}"
        yield ""
        yield from _table(("name", "rule", "meaning"), ((f"`{n.name}`", n.rule, n.meaning) for n in names))


def _sql(ruleset: Ruleset) -> Lines:
    yield f"## SQL: `{ruleset.name}_events`"
    yield ""
    yield "One row for each event that counts. Columns that an event does not have are null."
    yield ""
    rows = [
        ("`match_id`", "BIGINT", "the match; equal in all views"),
        ("`seq`", "INTEGER", "number of the event in its log, from 1"),
        ("`event`", "VARCHAR", "the kind of event"),
    ]
    rows += [(f"`{f.name}`", sql_type(f), f.description) for f in columns_of(ruleset).values()]
    rows.append(("`inherited`", "BOOLEAN", "whether a fork has it from its parent, which counts it already"))
    yield from _table(("column", "type", "meaning"), rows)
    yield ""
    tags = ", ".join(
        f"{tag} `{kind}`" for tag, kind in sorted((tag_of(event), kind_of(event)) for event in ruleset.known)
    )
    yield f"The files of the archive have numbers for words, and for `event` the column `tag`: {tags}."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    for row in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row) + " |"


def _described(declared: type) -> str:
    return " ".join(inspect.cleandoc(declared.__doc__ or "").split())


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _meanings(record: type[Record]) -> dict[str, str]:
    """What a record's source says below each field, in a string of its own."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(record)))
    except OSError:
        return {}
    assert isinstance(tree.body[0], ast.ClassDef)
    said: dict[str, str] = {}
    for field, text in pairwise(tree.body[0].body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            said[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return said
