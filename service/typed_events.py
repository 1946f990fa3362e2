"""Events as a person types them: short notation, JSON, and what all rulesets have, such as `undone 12`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kifold.service.context import UsageError

if TYPE_CHECKING:
    from kifold.core.events import Event
    from kifold.core.play import Play


class NotInNotation(UsageError):
    """A text that is neither JSON nor an event that all rulesets have, and that the ruleset's notation cannot read."""


def read_event(play: Play, text: str) -> Event:
    """An event as a person types it, in the position that the match has come to.

    Raises:
        ValueError: one line that says what is wrong, and what may have been meant.
    """
    from kifold.core.codec import from_json, valid

    if text.lstrip().startswith("{"):
        return from_json(play.ruleset, _with_seat(play, _json(text)))
    if (data := _common(play, text)) is not None:
        return from_json(play.ruleset, data)
    try:
        return valid(play.ruleset, play.ruleset.notation.read(play.started, play.state, text))
    except ValueError as error:
        if meant := _meant(play, text):
            raise UsageError(f"event {text!r}: did you mean {meant}?") from None
        example = play.ruleset.notation.example
        raise NotInNotation(f"event {text!r}: {error} (short notation such as {example}, or JSON)") from None


def _json(text: str) -> Any:
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise UsageError("the event is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"event {text!r} is no JSON: {error}") from None


def _with_seat(play: Play, data: dict[str, Any]) -> dict[str, Any]:
    """The same with a number for the name of a seat."""
    from kifold.core.seats import seat_named

    if data.get("event") == "resigned" and isinstance(seat := data.get("seat"), str):
        return data | {"seat": seat_named(play.ruleset, play.started, seat)}
    return data


def _common(play: Play, text: str) -> dict[str, Any] | None:
    """What `undone SEQ`, `resigned SEAT`, `finished ENDING` or `noted NAME TEXT` says, as JSON; of other texts None.

    Raises:
        UsageError: when what follows the word makes no sense.
    """
    from kifold.core.seats import seat_named

    word, *rest = text.split(maxsplit=1) or [""]
    word, said = word.lower(), rest[0].strip() if rest else ""
    usages = _usages(play)
    if word not in usages:
        return None
    is_number = said.isascii() and said.isdigit() and len(said) < 20
    if word == "noted" and said:
        name, *values = said.split(maxsplit=1)
        return {"event": word, "name": name, "values": values}
    if word == "undone" and is_number:
        return {"event": word, "back_to": int(said)}
    if word == "resigned" and said:
        return {"event": word, "seat": int(said) if is_number else seat_named(play.ruleset, play.started, said)}
    if word == "finished" and said.lower() in _endings():
        return {"event": word, "ending": said.lower()}
    raise UsageError(f"event {word}: write {usages[word]}")


def _endings() -> tuple[str, ...]:
    from kifold.core.events import ENDINGS

    return ENDINGS


def _usages(play: Play) -> dict[str, str]:
    """How what all rulesets have is written, by its word."""
    from kifold.core.seats import seats_in_words

    return {
        "undone": '"undone SEQ", with the number of the event that is gone back to',
        "resigned": f'"resigned SEAT" ({seats_in_words(play.ruleset, play.started)})',
        "finished": f'"finished ENDING" ({", ".join(_endings())})',
        "noted": '"noted NAME TEXT", such as "noted comment a fine move"',
    }


def _meant(play: Play, text: str) -> str:
    """What all rulesets have and is written nearly so, such as `resign`; empty where nothing is."""
    from difflib import get_close_matches

    usages = _usages(play)
    words = usages | {ending: f'"finished {ending}"' for ending in _endings()} | {"comment": usages["noted"]}
    for word in text.lower().replace(":", " ").split()[:2]:
        if close := get_close_matches(word, words, 1, 0.7):
            return words[close[0]]
    return ""
