"""Variants of a ruleset and options with their readings.

An option is one ambiguity of the rule text; its values are the readings. Every match stores the resolved value of every
option, so a log always replays under the reading it was recorded with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from kifold.core.counted import counted
from kifold.core.events import OptionValue

T = TypeVar("T")


class RulesetError(ValueError):
    """A wrong name or value in what a match is to be played under. The message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option. Either `values` (the first is the default) or an integer range `low`..`high` with `default`."""

    name: str
    rule: str
    meaning: str
    values: tuple[OptionValue, ...] = ()
    readings: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    default_number: int = 0
    since: int = 1
    """The version of the declaration that added it: older logs do not say it, and are played under the default."""

    @property
    def default(self) -> OptionValue:
        """The recommended reading."""
        return self.values[0] if self.values else self.default_number

    @property
    def choices(self) -> str:
        """The values as a person types them."""
        return " / ".join(str(v).lower() for v in self.values) if self.values else f"{self.low}..{self.high}"

    def parse(self, text: str) -> OptionValue:
        """The value that a person typed.

        Raises:
            RulesetError: when it is none of the option's values.
        """
        for value in self.values:
            if text.strip().lower() == str(value).lower():
                return value
        if not self.values and text.strip().isascii() and text.strip().removeprefix("-").isdigit():
            return self.resolve(int(text))
        raise RulesetError(f"option {self.name} cannot be {text!r}: choose {self.choices}")

    def resolve(self, value: OptionValue) -> OptionValue:
        """The value itself, if the option allows it."""
        if self.values:
            if any(value == known and type(value) is type(known) for known in self.values):
                return value
        elif type(value) is int and self.low <= value <= self.high:
            return value
        raise RulesetError(f"option {self.name} cannot be {value!r}: choose {self.choices}")

    def number(self, value: OptionValue) -> int:
        """What the rules see: the number of a reading (false 0, true 1), or the number itself."""
        if all(isinstance(v, bool) for v in self.values):
            return int(value)
        return self.values.index(value)


@dataclass(frozen=True, slots=True)
class Variant:
    """A named setting of a ruleset: for how many seats, and option values that differ from the defaults."""

    name: str
    meaning: str
    seats: tuple[int, ...]
    seat_names: tuple[str, ...] = ()
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()

    @property
    def default_seats(self) -> int:
        """The number of seats when nobody says another."""
        return self.seats[0]

    @property
    def seats_text(self) -> str:
        """The numbers of seats: ``4 seats``, ``2 seats, or 3, 4``; the first is the default."""
        others = ", ".join(map(str, self.seats[1:]))
        return counted(self.seats[0], "seat", "seats") + (f", or {others}" if others else "")


def option_text(value: OptionValue) -> str:
    """An option's value as the archive and SQL have it: JSON for numbers and truth values, bare words."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def variant_number(variants: tuple[Variant, ...], name: str) -> int:
    """What the rules see of a variant: its place among those of its ruleset.

    Raises:
        ValueError: when there is none of that name.
    """
    return [variant.name for variant in variants].index(name)


def by_variant(variants: tuple[Variant, ...], values: Mapping[str, T]) -> list[T]:
    """A table for the rules: the value of each variant, in the variants' order.

    Raises:
        KeyError: when a variant has none.
    """
    return [values[variant.name] for variant in variants]


def resolve_options(
    options: tuple[Option, ...], variant: Variant, given: Mapping[str, OptionValue], version: int | None = None
) -> dict[str, OptionValue]:
    """Every option's value for a match, in the ruleset's order.

    With `version`, as that version of the declaration has it: without options that are newer, unless they are given.

    Raises:
        RulesetError: for an unknown option, a value it does not have, or one that the variant fixes otherwise.
    """
    known = {option.name for option in options}
    for name in given:
        if name not in known:
            raise RulesetError(f"no option {name!r}: choose from {', '.join(sorted(known)) or 'none'}")
    resolved = {}
    for option in options:
        if version is not None and option.since > version and option.name not in given:
            continue
        preset = variant.options.get(option.name, option.default)
        value = option.resolve(given.get(option.name, preset))
        if option.name in variant.fixed and value != preset:
            raise RulesetError(f"option {option.name} is always {str(preset).lower()} in variant {variant.name}")
        resolved[option.name] = value
    return resolved


def parse_options(options: tuple[Option, ...], texts: Mapping[str, str]) -> dict[str, OptionValue]:
    """The values that a person typed, by option.

    Raises:
        RulesetError: for an unknown option, or a value that it does not have.
    """
    known = {option.name: option for option in options}
    for name in texts:
        if name not in known:
            raise RulesetError(f"no option {name!r}: choose from {', '.join(sorted(known)) or 'none'}")
    return {name: known[name].parse(text) for name, text in texts.items()}
