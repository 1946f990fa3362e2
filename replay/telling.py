"""One match that failed, in full: where it goes another way, the board before that, and what becomes another."""

from __future__ import annotations

from collections.abc import Sequence

from kifold.core.events import Event, Started
from kifold.core.play import Refused, fold
from kifold.core.ruleset import SNAPSHOT, Ruleset
from kifold.records.ids import id_text
from kifold.records.log import Log
from kifold.records.store import Store
from kifold.replay.causes import DAMAGED, DIVERGED, ILLEGAL, Verdict
from kifold.replay.difference import Change, changes, differing
from kifold.replay.divergence import board_after, listed, place_of, refusal_text
from kifold.replay.frames import event_line
from kifold.replay.partings import Parting, parting, result_of
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
        return _diverged(log, verdict.seq)
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
    title = f"what it is under revision {old.revision} → {new.revision}"
    parts = [
        f"{place}: {', '.join(found.what)}",
        *board,
        listed(title, differ or _in_result(old, new, started, events)),
    ]
    return "\n\n".join(parts)


def _in_result(old: Ruleset, new: Ruleset, started: Started, events: Sequence[Event]) -> list[Change]:
    """What differs between the results of a match that is legal under two revisions."""
    was, now = (
        {slot.name: getattr(result, slot.name) for slot in old.result.slots}
        for result in (result_of(fold(rules, started, events)[0]) for rules in (old, new))
    )
    return differing(was, now)
