"""Golden logs: matches as JSON Lines, and beside them what folding them gave when somebody last looked.

`tests/golden/<ruleset>/<variant>.jsonl` holds matches, each tagged with its case; `<variant>.folded.json` has one line
for each. A case, once written, stays: logs are history. `KIFOLD_UPDATE_GOLDEN=1 pytest tests/test_golden.py` adds
the cases that are missing and writes what folds give now, to be looked at as a diff before it is committed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kifold.core.corpus import Corpus, Folder
from kifold.core.events import OptionValue, Started
from kifold.core.options import Option, Variant
from kifold.core.play import Play, fold, standings
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.core.samples import sample_match
from kifold.records.formats import jsonl
from kifold.records.ids import derived_id
from kifold.records.judge import fingerprint, judge
from kifold.records.log import Log
from kifold.records.tables import option_text, standing_row

FOLDER = Path(__file__).parent / "golden"
SEED = 2026
Case = tuple[Started, bool, int]
"""How a match is simulated: event 0, whether seats are greedy, the number of the match."""
Fold = dict[str, Any]


def logs_path(ruleset: Ruleset, variant: Variant) -> Path:
    return FOLDER / ruleset.name / f"{variant.name}.jsonl"


def folds_path(ruleset: Ruleset, variant: Variant) -> Path:
    return FOLDER / ruleset.name / f"{variant.name}.folded.json"


def read_logs(path: Path) -> list[Log]:
    """The matches of a file, each line of which has to be one."""
    logs = []
    for record in jsonl.read(path, {}):
        assert isinstance(record, jsonl.Record), f"{path.name}, line {record.number}: {record.reason}"
        logs.append(Log(derived_id(record.text), record.started, record.events))
    return logs


def case_of(log: Log) -> str:
    return log.started.tags["case"]


def readings(ruleset: Ruleset) -> Iterator[tuple[Option, OptionValue]]:
    """Every reading that is not the default, of a number one other."""
    for option in ruleset.options:
        for value in option.values[1:]:
            yield option, value
        if not option.values:
            yield option, option.low if option.default == option.high else option.high


def folded_plainly(ruleset: Ruleset, log: Log) -> Fold:
    """What folding a match gives, in plain Python."""
    play, refused = fold(ruleset, log.started, log.events)
    assert refused is None, f"{ruleset.name}, {case_of(log)}: {refused}"
    judged = judge(play)
    effects = Counter(chain.from_iterable(map(ruleset.effects.of, play.effects)))
    rows = [standing_row(standing) for standing in judged.standings]
    return _fold(ruleset, log, judged.fingerprints, effects, rows, is_over=judged.is_over)


def folded_compiled(ruleset: Ruleset, logs: list[Log], folder: Folder) -> list[Fold]:
    """The same of many, compiled."""
    corpus = Corpus.of(ruleset, [(log.started, log.events) for log in logs])
    folded = folder.fold(corpus)
    ends = [*folded.matches["snapshot"][1:], len(folded.snapshots)]
    folds = []
    for m, log in enumerate(logs):
        assert folded.matches["done"][m] == len(log.events), f"{ruleset.name}, {case_of(log)}"
        masks = folded.per_event["effects"][corpus.starts[m] : corpus.starts[m + 1]].tolist()
        result = SimpleNamespace(**{slot.name: folded.results[slot.name][m] for slot in ruleset.result.slots})
        rows = [standing_row(standing) for standing in standings(ruleset, log.started.seats, result)]
        prints = b"".join(fingerprint(s.tobytes()) for s in folded.snapshots[folded.matches["snapshot"][m] : ends[m]])
        effects = Counter(chain.from_iterable(map(ruleset.effects.of, masks)))
        is_over = bool(folded.matches["turn"][m] == NOBODY)
        folds.append(_fold(ruleset, log, prints, effects, rows, is_over=is_over))
    return folds


def _fold(
    ruleset: Ruleset, log: Log, prints: bytes, effects: Counter[str], rows: list[dict[str, Any]], *, is_over: bool
) -> Fold:
    return {
        "case": case_of(log),
        "digest": log.digest.hex(),
        "fingerprints": prints.hex(),
        "over": is_over,
        "effects": {name.name: effects[name.name] for name in ruleset.effects if effects[name.name]},
        "standings": rows,
    }


def read_folds(path: Path) -> list[Fold]:
    folds: list[Fold] = json.loads(path.read_text(encoding="utf-8"))
    return folds


def update(ruleset: Ruleset) -> None:
    """Write the cases that are missing, and what folding all of them gives now."""
    for variant in ruleset.variants:
        path = logs_path(ruleset, variant)
        path.parent.mkdir(parents=True, exist_ok=True)
        logs = read_logs(path) if path.exists() else []
        known = {case_of(log) for log in logs}
        for name, (started, greedy, number) in _cases(ruleset, variant).items():
            if name not in known:
                tagged = ruleset.start(started.variant, started.options, started.seats, {"case": name})
                play = sample_match(ruleset, tagged, SEED, number, greedy=greedy)
                logs.append(Log(derived_id(name.encode()), play.started, play.log))
        with path.open("wb") as file:
            jsonl.write(logs, file)
        lines = [json.dumps(folded_plainly(ruleset, log), ensure_ascii=False) for log in logs]
        folds_path(ruleset, variant).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _cases(ruleset: Ruleset, variant: Variant) -> dict[str, Case]:
    """Two matches of each policy, one of every other number of seats, one under each reading that changes something."""
    cases: dict[str, Case] = {}
    for greedy in (False, True):
        for number in (0, 1):
            cases[f"{'greedy' if greedy else 'random'} {number}"] = ruleset.start(variant.name), greedy, number
    for seats in variant.seats[1:]:
        cases[f"greedy 0, {seats} seats"] = ruleset.start(variant.name, seats=seats), True, 0
    usual = _played(ruleset, variant, {})
    for option, value in readings(ruleset):
        if option.name not in variant.fixed and value != variant.options.get(option.name, option.default):
            number = _first_that_differs(ruleset, variant, {option.name: value}, usual)
            if number is not None:
                started = ruleset.start(variant.name, {option.name: value})
                cases[f"random {number}, {option.name}={option_text(value)}"] = started, False, number
    return cases


TRIED = 6


def _first_that_differs(
    ruleset: Ruleset, variant: Variant, options: dict[str, OptionValue], usual: list[Play]
) -> int | None:
    """The number of the first match that a reading changes; in the first variant 0 where it changes none."""
    for number, play in enumerate(_played(ruleset, variant, options)):
        if (play.log, play.effects, play.result()) != (
            usual[number].log,
            usual[number].effects,
            usual[number].result(),
        ):
            return number
    return 0 if variant is ruleset.variants[0] else None


def _played(ruleset: Ruleset, variant: Variant, options: dict[str, OptionValue]) -> list[Play]:
    started = ruleset.start(variant.name, options)
    return [sample_match(ruleset, started, SEED, number) for number in range(TRIED)]
