"""The rulesets of this repository: registered by it, not by what else may be installed beside it."""

from __future__ import annotations

from kifold.core.registry import entries, ruleset

NAMES = [name for name, entry in entries().items() if entry.value.startswith("kifold.")]
VARIANTS = [(name, variant.name) for name in NAMES for variant in ruleset(name).variants]
