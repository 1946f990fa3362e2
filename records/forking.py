"""Forks: matches that share the log of another up to some event and go on in their own way from there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kifold.core.play import fold
from kifold.records.ids import new_id
from kifold.records.log import Fork, Log, taken_over
from kifold.records.store import Store


def end_of_ply(log: Log, ply: int | None) -> int:
    """The number of the last event of a ply: of its decision, or of what chance decided or was noted after it.

    Args:
        ply: the number of decisions by seats; None for all that there are.

    Raises:
        ValueError: when the match has no such ply.
        RulesetError: when its rules are not installed.
    """
    rules = log.rules
    ends = [0]
    for seq, event in taken_over(log.events, len(log.events)):
        if type(rules.lift(event)) in rules.actions:
            ends.append(seq)
        ends[-1] = seq
    if ply is not None and not 0 <= ply < len(ends):
        raise ValueError(f"ply {ply}: the match has plies 0..{len(ends) - 1}")
    return ends[-1 if ply is None else ply]


def fork(store: Store, match: int, seq: int) -> int:
    """Begin a live match that shares the log of another as it stood after event `seq`; its id.

    It has the same event 0, the same players and is played under the same revision of the rules.

    Raises:
        ValueError: when the log has no such event.
        NoSuchMatch, StoreError: when the match is not there or damaged, or the store cannot be written.
        RulesetError, Refused: when its rules are not installed, or refuse it.
    """
    with store.journal.writing() as db:
        parent = store.log(match, intact=True)
        if not 0 <= seq <= len(parent.events):
            raise ValueError(f"event {seq}: the log has events 0..{len(parent.events)}")
        stood = taken_over(parent.events, seq)
        events = [event for _, event in stood]
        play, refused = fold(parent.rules, parent.started, events)
        if refused:
            raise refused
        made = Log(new_id(), parent.started, events, parent.players)
        store.journal.insert(made, is_over=play.is_over)
        store.journal.add_forks([(made.match_id, Fork(match, stood[-1][0] if stood else 0, len(stood)))])
        if parent.promoted is not None:
            db.execute("INSERT INTO pins VALUES (?, ?)", (made.match_id, parent.promoted))
    return made.match_id


def without_cycles(forks: Mapping[int, Fork]) -> dict[int, Fork]:
    """The forks but for those that go back to themselves, which are taken for matches begun by themselves.

    Only damage brings that about, and whoever goes from fork to parent has to come to an end all the same.
    """
    done: set[int] = set()
    cyclic: set[int] = set()
    for match in forks:
        way: dict[int, int] = {}
        while match in forks and match not in done and match not in way:
            way[match] = len(way)
            match = forks[match].parent
        if match in way:
            cyclic.update(list(way)[way[match] :])
        done.update(way)
    return {match: fork for match, fork in forks.items() if match not in cyclic}


def in_families(store: Store, matches: Iterable[int], *, whole: bool) -> list[int]:
    """Matches in an order in which a fork comes after its parent and after the parent's earlier forks with theirs.

    Args:
        matches: which; each is there once in the answer.
        whole: also all forks of these, and theirs.
    """
    children: dict[int, list[int]] = {}
    chosen = dict.fromkeys(matches)
    forks = without_cycles(store.forks())
    for match, made in forks.items():
        children.setdefault(made.parent, []).append(match)
    if whole:
        waiting = list(chosen)
        while waiting:
            more = [match for match in children.get(waiting.pop(), ()) if match not in chosen]
            chosen |= dict.fromkeys(more)
            waiting += more
    ordered = []
    waiting = [match for match in chosen if match not in forks or forks[match].parent not in chosen][::-1]
    while waiting:
        ordered.append(waiting.pop())
        waiting += [match for match in children.get(ordered[-1], ()) if match in chosen][::-1]
    return ordered
