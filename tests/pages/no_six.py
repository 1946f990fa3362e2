"""A die that shows six is refused."""

from typing import Any

from tests.core.toy import ROLL, TOO_MUCH
from tests.core.toy import check as newer_check


def check(state: Any, event: Any) -> int:
    reason = newer_check(state, event)
    return TOO_MUCH if reason == 0 and event.tag == ROLL and event.die == 6 else reason
