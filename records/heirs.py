"""What becomes of what forks share when the match that they left is deleted: it goes to one of them.

The others are forks of that one from then on, as far as they go together, so that what they share still counts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from kifold.core.options import RulesetError
from kifold.records.errors import StoreError
from kifold.records.log import Fork, taken_over

if TYPE_CHECKING:
    from kifold.records.store import Store


def leave_to_forks(store: Store, match: int) -> None:
    """Make the forks of a match forks of its own parent and of one another. Called inside `writing()`, before it goes.

    The one that has most of it keeps the name of the match as that of its parent, unless that was a fork too.
    """
    left = store.journal.fork_of(match)
    rows = store.journal.rows("SELECT match, parent, at_seq, inherited FROM forks WHERE parent = ?", (match,))
    children = sorted(((child, Fork(*fork)) for child, *fork in rows), key=lambda pair: -pair[1].inherited)
    if not children or (len(children) == 1 and left is None):
        return
    # By the match: the numbers in the deleted log of what it has of that, and what numbers these have with it.
    placed: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
    if left is not None and store.holds(left.parent):
        theirs = _numbers(store, left)
        placed[left.parent] = range(1, len(theirs) + 1), theirs
    for child, fork in children:
        own = _numbers(store, fork)
        shared = {other: _common(numbers, own) for other, (numbers, _) in placed.items()}
        if shared:
            parent = max(shared, key=shared.__getitem__)
            many = shared[parent]
            store.journal.db.execute(
                "UPDATE forks SET parent = ?, at_seq = ?, inherited = ? WHERE match = ?",
                (parent, placed[parent][1][many - 1] if many else 0, many, child),
            )
        placed[child] = own, range(1, len(own) + 1)


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _numbers(store: Store, fork: Fork) -> Sequence[int]:
    """The numbers in the parent's log of the events that a fork has from it; none where nobody can tell."""
    if fork.at_seq == fork.inherited:  # nothing had been taken back
        return range(1, fork.inherited + 1)
    try:
        return [seq for seq, _ in taken_over(store.log(fork.parent).events, fork.at_seq)][: fork.inherited]
    except (StoreError, RulesetError):
        return []
