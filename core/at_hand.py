"""Which rules this process has folded with compiled: who has a few events to fold can use them, and waits for nothing.

Neither Numba nor NumPy is imported here, and nobody should import them only to ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kifold.core.compiled import Compiled
    from kifold.core.ruleset import Ruleset

AT_HAND: dict[Ruleset, Compiled] = {}
"""The compiled form of rules, by these. Read or compiled it was at its first fold, which entered it here."""
