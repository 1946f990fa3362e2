"""Golden logs of this repository's rulesets: which there are, how they are made, and what compiled folds give.

`tests/golden/<ruleset>/<variant>.kifold.jsonl` holds matches, each tagged with its case; `kifold.replay.golden` says
what lies beside them. A case, once written, stays: logs are history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from kifold.core.codec import from_json, to_json
from kifold.core.corpus import Corpus, Folder
from kifold.core.events import OptionValue, Started
from kifold.core.options import Option, Variant, option_text
from kifold.core.play import Play, Refused
from kifold.core.ruleset import NOBODY, Ruleset
from kifold.core.samples import sample_match
from kifold.core.standings import standings
from kifold.records.formats import jsonl
from kifold.records.ids import derived_id
from kifold.records.judge import fingerprint
from kifold.records.log import Log
from kifold.replay.coverage import Coverage, Coverages, count_golden, golden_files
from kifold.replay.coverage_golden import READING, exercised, others, reading, values_of
from kifold.replay.golden import LOGS, Fold, Probe, fold_of, folds_path, read_folds, write_folds

FOLDER = Path(__file__).parent / "golden"
SEED = 2026
TRIED = 6
"""So many matches of each policy are looked through for one that tells a reading from the others."""
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
        rows: list[dict[str, Any]] = [one.as_row() for one in standings(ruleset, log.started.seats, result)]
        is_over = bool(folded.matches["turn"][m] == NOBODY)
        folds.append(Fold(case_of(log), log.digest.hex(), None, is_over, b"".join(prints).hex(), dict(effects), rows))
    return folds


def coverage_of(ruleset: Ruleset) -> Coverage:
    """What the golden logs of a ruleset exercise."""
    left_out: list[str] = []
    found: Coverages = {}
    count_golden(found, golden_files(FOLDER / ruleset.name), ruleset.name, left_out.append)
    assert left_out == []
    return found[ruleset.name]


def add_missing(ruleset: Ruleset) -> None:
    """Write the cases that are missing."""
    for variant in ruleset.variants:
        path = logs_path(ruleset, variant)
        path.parent.mkdir(parents=True, exist_ok=True)
        for name, (started, greedy, number) in _cases(ruleset, variant).items():
            if name not in _known(path):
                _add(path, name, sample_match(ruleset, started, SEED, number, greedy=greedy))
    missing = [row.item for row in coverage_of(ruleset).rows() if not row.golden and row.item.kind == READING]
    for variant, option in product(ruleset.variants, ruleset.options):
        for value in values_of(option) if option.name not in variant.fixed else ():
            if reading(option, value) in missing and _add_telling(ruleset, variant, option, value):
                missing.remove(reading(option, value))


def _add(path: Path, name: str, play: Play, tried: Sequence[Probe] = ()) -> None:
    """Write a match, if it is not there, and what folding it gives."""
    started = msgspec.structs.replace(play.started, tags={"case": name})
    if name not in _known(path):
        with path.open("ab") as file:
            jsonl.write([Log(derived_id(name.encode()), started, play.log)], file)
    fold = fold_of(play.ruleset, started, play.log, name, Fold(name, refused=list(tried)))
    write_folds(folds_path(path), read_folds(folds_path(path)) | {name: fold})


def _known(path: Path) -> set[str]:
    return {case_of(log) for log in read_logs(path)} if path.exists() else set()


def _cases(ruleset: Ruleset, variant: Variant) -> dict[str, Case]:
    """Two matches of each policy, and one of every other number of seats."""
    cases: dict[str, Case] = {}
    for greedy, number in product((False, True), (0, 1)):
        cases[f"{_policy(greedy)} {number}"] = ruleset.start(variant.name), greedy, number
    for seats in variant.seats[1:]:
        cases[f"greedy 0, {seats} seats"] = ruleset.start(variant.name, seats=seats), True, 0
    return cases


def _policy(greedy: bool) -> str:
    return "greedy" if greedy else "random"


def _add_telling(ruleset: Ruleset, variant: Variant, option: Option, value: OptionValue) -> bool:
    """Write the first match that exercises a reading, if one of the first does."""
    for number, greedy in product(range(TRIED), (False, True)):
        started = ruleset.start(variant.name, {option.name: value})
        play = sample_match(ruleset, started, SEED, number, greedy=greedy)
        probes = [probe for other in others(option, play.started) for probe in _only_there(play, other)]
        tried = {probe.after: [from_json(ruleset, probe.event)] for probe in probes}
        if reading(option, value) in exercised(ruleset, play.started, play.log, tried):
            name = f"{_policy(greedy)} {number}, {option.name}={option_text(value)}"
            _add(logs_path(ruleset, variant), name, play, probes)
            return True
    return False


def _only_there(play: Play, other: Started) -> Iterator[Probe]:
    """The first event on the way that is legal in the other match alone, as long as that allows this log."""
    try:
        here, there = Play(play.ruleset, play.started), Play(play.ruleset, other)
        for seq, event in enumerate(play.log):
            only = [one for one in there.legal(here.turn) if here.why_not(one)]
            if only:
                yield Probe(seq, to_json(only[0]))
                return
            here.add(event)
            there.add(event)
    except Refused:
        return
