"""One match that failed, in full: where it goes another way, the board before that, and what becomes another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kifold.core.events import Event, Started
from kifold.core.play import Refused, fold
from kifold.core.ruleset import SNAPSHOT, Ruleset
from kifold.records.ids import id_text
from kifold.records.judge import judge_log
from kifold.records.log import Log
from kifold.records.store import Store
from kifold.records.tables import ending_text
from kifold.replay.causes import DAMAGED, DIVERGED, ILLEGAL, OTHER_RESULT, Verdict
from kifold.replay.difference import Change, Fields, changes, differing
from kifold.replay.divergence import board_after, listed, place_of, refusal_text
from kifold.replay.frames import event_line
from kifold.replay.partings import Parting, parting
from kifold.replay.timeline import Timeline
from kifold.replay.verdicts import counting


def told(store: Store, verdict: Verdict, target: Ruleset | None) -> str:
    """What is behind the verdict of a match of a store; empty where the verdict says all that is known.

    With `target` the verdict is that of a rehearsal. Where a match does not hold under its own rules, what it was
    cannot be folded any more: a refusal can be shown, and of a match that diverged where that may have been.
    """
    if verdict.verdict == DAMAGED:
        name = id_text(verdict.match_id)
        return f"restore the store from a copy, or take the match away: `kifold delete {name} --yes`"
    is_own = target is None or verdict.cause is None or verdict.cause.to is None
    if is_own and verdict.verdict not in (ILLEGAL, DIVERGED):
        return ""
    log = store.log(verdict.match_id)
    if verdict.verdict == DIVERGED:
        stored = _stored_otherwise(store, log) if log.is_archived else []
        values = [listed("what is stored → what the fold gives", stored)] if stored else []
        return "\n\n".join([_diverged(log, verdict.seq), *values])
    if is_own or target is None:
        return _refused(log.rules, log.started, log.events)
    found = parting(log.rules, target, log.started, log.events)
    return "" if found is None else parting_text(log.rules, target, log.started, log.events, found)


def _diverged(log: Log, last: int | None) -> str:
    """The board up to which a match arrives where it did, and the events of which one changes something else now.

    Args:
        last: the number of the event after which the state is another; None where all states are what they were.
    """
    rules = log.rules
    timeline = Timeline(rules, log.started, log.events)
    if last is None:
        return board_after(timeline, timeline.last_seq)
    numbers = [0, *(seq for seq, _ in counting(rules, log))]
    first = numbers[max(numbers.index(last) - 1, 0) // SNAPSHOT * SNAPSHOT]
    events = enumerate(log.events[first:last], start=first + 1)
    lines = [f"{seq:5}  {event_line(rules, log.started, rules.lift(event))}" for seq, event in events]
    return "\n".join([board_after(timeline, first), "", "the events of which one changes something else now:", *lines])


def _stored_otherwise(store: Store, log: Log) -> list[Change]:
    """What is stored of an archived match beside its log, and is another than the fold gives: result, end, seats."""
    file = store.file_of(log.match_id)
    tables = store.reader(*file).tables(log.match_id) if file else None
    judged = judge_log(log.rules, log.started, log.events)
    if tables is None or isinstance(judged, Refused):
        return []
    (row,) = tables[0].to_pylist()
    rows = [one or {} for one in row["result"] or ()]
    names = {name for one in rows for name in one}  # a part that is newer than the file is stored nowhere
    now = [{k: v for k, v in each.as_row().items() if k in names or not names} for each in judged.standings]
    found = differing(_by_part(rows), _by_part(now))
    ending = ending_text(log.events, is_over=judged.is_over)
    pairs = (("finished", row["finished"], judged.is_over), ("ending", row["ending"], ending))
    found += [Change(name, None, was, is_now) for name, was, is_now in pairs if was != is_now]
    seats = zip(tables[1]["seat"].to_pylist(), judged.seats, strict=True)
    found += [Change("seat", seq, was, is_now) for seq, (was, is_now) in enumerate(seats, start=1) if was != is_now]
    return found


def _by_part(standings: Sequence[Mapping[str, Any]]) -> Fields:
    """Standings part by part: of each a number for every seat, or where it is a list, one list for every seat."""
    parts: dict[str, Any] = {}
    for seat, standing in enumerate(standings):
        for name, value in standing.items():
            if isinstance(value, list | tuple):
                parts[f"result.{name}[{seat}]"] = list(value)
            else:
                parts.setdefault(f"result.{name}", []).append(value)
    return parts


def _refused(rules: Ruleset, started: Started, events: Sequence[Event]) -> str:
    try:
        _, refused = fold(rules, started, events)
    except Refused:
        return ""
    return "" if refused is None else refusal_text(rules, started, events, refused)


def parting_text(old: Ruleset, new: Ruleset, started: Started, events: Sequence[Event], found: Parting) -> str:
    """Where a match goes another way under `new`: the event, the board before it, what becomes another."""
    if found.outcome == ILLEGAL and found.seq:
        refused = Refused(found.seq, found.what[0], found.meaning)
        return refusal_text(new, started, events, refused)
    if found.outcome == ILLEGAL:
        return f"the setup: {found.what[0]} – {found.meaning}"
    before, after = (Timeline(rules, started, events[: found.seq]) for rules in (old, new))
    place = place_of(before, found.seq, old.lift(events[found.seq - 1])) if found.seq else "the setup"
    board = [board_after(before, found.seq - 1)] if found.seq else []
    differ = changes(before.at_seq(found.seq).state, after.at_seq(found.seq).state)
    parts = [f"{place}: {', '.join(found.what)}", *board]
    if differ or found.outcome != OTHER_RESULT:
        parts.append(listed(f"what it is under revision {old.revision} → {new.revision}", differ))
    if found.outcome == OTHER_RESULT:
        title = f"the result under revision {old.revision} → {new.revision}"
        parts.append(listed(title, _in_result(old, new, started, events)))
    return "\n\n".join(parts)


def _in_result(old: Ruleset, new: Ruleset, started: Started, events: Sequence[Event]) -> list[Change]:
    """What differs between the results of a match that is legal under two revisions."""
    plays = [fold(rules, started, events)[0] for rules in (old, new)]
    was, now = (_by_part([each.as_row() for each in play.result()]) for play in plays)
    over = [play.is_over for play in plays]
    ended = [Change("finished", None, *over)] if over[0] != over[1] else []
    return ended + differing(was, now)
