"""What is exported: logs as they were written. Whoever imports one elsewhere gives it a new digest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kifold.core.options import RulesetError
from kifold.records.errors import StoreError, damaged
from kifold.records.log import Log, batches
from kifold.records.store import Store

OnBad = Callable[[int, str], None]


def sound_logs(store: Store, matches: Iterable[int], on_bad: OnBad) -> Iterator[Log]:
    """Those of the matches that can be read and are what was written, in that order.

    Args:
        on_bad: called with the id of each of the others, and why.
    """
    for batch in batches(iter(matches)):
        yield from _sound(store, batch, on_bad)


def _sound(store: Store, matches: Sequence[int], on_bad: OnBad) -> Iterator[Log]:
    try:
        logs = list(store.logs(matches))
    except (StoreError, RulesetError) as error:
        if len(matches) == 1:
            on_bad(matches[0], str(error))
            return
        half = len(matches) // 2  # one that cannot be read hides no other
        yield from _sound(store, matches[:half], on_bad)
        yield from _sound(store, matches[half:], on_bad)
        return
    for log in logs:
        if log.is_intact:
            yield log
        else:
            on_bad(log.match_id, str(damaged(log.match_id)))
