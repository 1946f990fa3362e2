"""The format of what is written: as it was asked for, or as the ending of the file that `--out` names says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kifold.service.context import UsageError, choose


def out_format(asked: str | None, out: Path | None, endings: Mapping[str, str], option: str) -> str:
    """The format that was asked for; else that of the file's ending; else the first, for a file without one, too.

    Args:
        endings: the format of each ending, without its dot; those that people would look for first, first.
        option: what asks for a format, such as `--format`.

    Raises:
        UsageError: for a format that there is not, or an ending that says none.
    """
    formats = list(dict.fromkeys(endings.values()))
    ending = out.suffix.lower().removeprefix(".") if out else ""
    if asked is not None or not ending:
        return choose(formats[0] if asked is None else asked, formats, option)
    if ending not in endings:
        known = ", ".join(f".{known}" for known in endings)
        raise UsageError(f"{out}: its ending says no format ({known}); name one with {option}")
    return endings[ending]
