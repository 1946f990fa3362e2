"""What to say of matches that machines played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kifold.core.counted import counted

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset


def cut_short(count: int, rules: Ruleset) -> str:
    """What to say of matches that were stopped, and what to do."""
    from kifold.core.corpus import LONGEST_MATCH

    return (
        f"{counted(count, 'match was', 'matches were')} stopped after {LONGEST_MATCH:,} events, unfinished: where such "
        f"a match of {rules.name}@{rules.revision} should have ended, correct the ruleset"
    )
