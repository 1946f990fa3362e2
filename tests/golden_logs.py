"""Golden logs of this repository's rulesets: which there are, how they are made, and what compiled folds give.

`tests/golden/<ruleset>/<variant>.kifold.jsonl` holds matches, each tagged with its case; `kifold.replay.golden` says
what lies beside them. A case, once written, stays: logs are history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kifold.core.corpus import Corpus, Folder
from kifold.core.events import OptionValue, Started
from kifold.core.options import Option, Variant, option_text
from kifold.core.play import Play, standings
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.core.samples import sample_match
from kifold.records.formats import jsonl
from kifold.records.ids import derived_id
from kifold.records.judge import fingerprint
from kifold.records.log import Log
from kifold.replay.golden import LOGS, Fold, standing_as_json

FOLDER = Path(__file__).parent / "golden"
SEED = 2026
TRIED = 6
"""So many random matches are looked through for one that a reading changes."""
Case = tuple[Started, bool, int]
"""How a match is simulated: event 0, whether seats are greedy, the number of the match."""


def logs_path(ruleset: Ruleset, variant: Variant) -> Path:
    return FOLDER / ruleset.name / (variant.name + LOGS)


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


def folded_compiled(ruleset: Ruleset, logs: list[Log], folder: Folder) -> list[Fold]:
    """What folding matches of the ruleset's own events gives, compiled; without states."""
    corpus = Corpus.of(ruleset, [(log.started, log.events) for log in logs])
    folded = folder.fold(corpus)
    ends = [*folded.matches["snapshot"][1:], len(folded.snapshots)]
    folds = []
    for m, log in enumerate(logs):
        assert folded.matches["done"][m] == len(log.events), f"{ruleset.name}, {case_of(log)}"
        effects: defaultdict[str, list[int]] = defaultdict(list)
        for seq, mask in enumerate(folded.per_event["effects"][corpus.starts[m] : corpus.starts[m + 1]].tolist(), 1):
            for name in ruleset.effects.of(mask):
                effects[name].append(seq)
        prints = (fingerprint(one.tobytes()) for one in folded.snapshots[folded.matches["snapshot"][m] : ends[m]])
        result = SimpleNamespace(**{slot.name: folded.results[slot.name][m] for slot in ruleset.result.slots})
        rows: list[dict[str, Any]] = list(map(standing_as_json, standings(ruleset, log.started.seats, result)))
        is_over = bool(folded.matches["turn"][m] == NOBODY)
        folds.append(Fold(case_of(log), log.digest.hex(), None, is_over, b"".join(prints).hex(), dict(effects), rows))
    return folds


def add_missing(ruleset: Ruleset) -> None:
    """Write the cases that are missing."""
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


def _first_that_differs(
    ruleset: Ruleset, variant: Variant, options: dict[str, OptionValue], usual: list[Play]
) -> int | None:
    """The number of the first match that a reading changes; in the first variant 0 where it changes none."""
    for number, play in enumerate(_played(ruleset, variant, options)):
        other = usual[number]
        if (play.log, play.effects, play.result()) != (other.log, other.effects, other.result()):
            return number
    return 0 if variant is ruleset.variants[0] else None


def _played(ruleset: Ruleset, variant: Variant, options: dict[str, OptionValue]) -> list[Play]:
    started = ruleset.start(variant.name, options)
    return [sample_match(ruleset, started, SEED, number) for number in range(TRIED)]
