"""What one golden log exercises: reasons, effects, and the readings of options under which alone it folds as it does.

A reading is a value of an option; of an option with a range the default, or any other number. A log exercises the
reading it is played under when it folds otherwise under every other one (of a range: under the default, the lowest and
the highest number). Otherwise means: something else is refused or for another reason, the rules force something else,
somebody else decides, the seats stand otherwise, or the log changes the state otherwise. What a state holds from the
start and keeps is not looked at, for there the option itself may stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import zip_longest
from operator import or_
from typing import Any, NamedTuple

import msgspec

from kifold.core.events import Event, OptionValue, Started
from kifold.core.options import Option, option_text
from kifold.core.play import Play, Refused
from kifold.core.ruleset import Ruleset
from kifold.core.standings import Standing
from kifold.replay.difference import Fields, essential

REASON, EFFECT, READING = "reason", "effect", "reading"

Tried = Mapping[int, Sequence[Event]]
"""Events that are tried on the way, by the number of the event after which."""


class Item(NamedTuple):
    """Something that can be exercised: its kind, its name, and the id of its sentence in the rule file."""

    kind: str
    name: str
    rule: str


def items(rules: Ruleset) -> list[Item]:
    """Everything of a ruleset that can be exercised, in the order of declaration. What a variant fixes is no choice."""
    found = [Item(REASON, name.name, name.rule) for name in rules.reasons]
    found += [Item(EFFECT, name.name, name.rule) for name in rules.effects]
    for option in rules.options:
        if any(option.name not in variant.fixed for variant in rules.variants):
            found += dict.fromkeys(reading(option, value) for value in values_of(option))
    return found


def reading(option: Option, value: OptionValue) -> Item:
    """The reading that a value stands for."""
    if option.values or value == option.default:
        return Item(READING, f"{option.name}={option_text(value)}", option.rule)
    return Item(READING, f"{option.name}≠{option.default}", option.rule)


def values_of(option: Option) -> list[OptionValue]:
    """The values that are compared: all, or of a range the default, the lowest and the highest."""
    return list(dict.fromkeys(option.values or (option.default, option.low, option.high)))


def others(option: Option, started: Started) -> Iterator[Started]:
    """The same beginning under every other value of an option that is compared."""
    for value in values_of(option):
        if value != started.options.get(option.name, option.default):
            yield msgspec.structs.replace(started, options={**started.options, option.name: value})


class _Step(NamedTuple):
    """What the rules say at one event: why it and those that are tried before it are refused ("" for one that is not),
    what it forces, and who decides next.
    """

    refused: tuple[str, ...]
    effects: int = 0
    turn: int = 0


class _End(NamedTuple):
    """How far a log has come: its effects, how the seats stand, and the fields that it has changed."""

    effects: int
    standings: list[Standing]
    changed: Fields


def exercised(rules: Ruleset, started: Started, events: Sequence[Event], tried: Tried) -> set[Item]:
    """What a golden log exercises.

    Args:
        started, events: the log, which may end with an event that the rules refuse, or be a setup that they refuse.
        tried: events that are tried on the way.
    """
    course = list(_course(rules, started, events, tried))
    refused = {reason for step in course if isinstance(step, _Step) for reason in step.refused}
    effects = next((step.effects for step in course if isinstance(step, _End)), 0)
    found = {Item(REASON, name.name, name.rule) for name in rules.reasons if name.name in refused}
    found |= {Item(EFFECT, name.name, name.rule) for name in rules.effects if name.number & effects}
    fixed = rules.variant(started.variant).fixed
    for option in rules.options:
        if option.name not in fixed and all(
            _is_other(course, _course(rules, other, events, tried)) for other in others(option, started)
        ):
            found.add(reading(option, started.options.get(option.name, option.default)))
    return found


def _is_other(course: Sequence[_Step | _End], other: Iterator[_Step | _End]) -> bool:
    return any(one != two for one, two in zip_longest(course, other))


def _course(rules: Ruleset, started: Started, events: Sequence[Event], tried: Tried) -> Iterator[_Step | _End]:
    """What there is to see when a log is folded, as far as the rules allow it."""
    try:
        play = Play(rules, started)
    except Refused as refused:
        yield _Step((refused.reason,))
        return
    before = essential(play.state.copy())
    yield _Step((), turn=play.turn)
    for seq, event in enumerate(events):
        reasons = [_reason(play, one) for one in tried.get(seq, ())]
        own = _reason(play, event)
        effects = 0 if own else play.add(event)
        yield _Step((*reasons, own), effects, play.turn)
        if own:
            break
    else:
        yield _Step(tuple(_reason(play, one) for one in tried.get(len(events), ())))
    yield _End(reduce(or_, play.effects, 0), play.result(), _changed(before, play.state))


def _reason(play: Play, event: Event) -> str:
    """Why an event cannot come next; where the log itself refuses it, a word that is no reason of the ruleset."""
    refused = play.why_not(event)
    if refused is None:
        return ""
    is_of_rules = play.ending is None and type(play.ruleset.lift(event)) in play.ruleset.events
    return refused.reason if is_of_rules else f"log: {refused.reason}"


def _changed(before: Fields, state: Any) -> Fields:
    return {name: value for name, value in essential(state).items() if value != before[name]}
