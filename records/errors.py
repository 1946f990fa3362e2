"""What can go wrong with a store. Every message is one line: what, where, what to do."""

from __future__ import annotations

import os
from pathlib import Path

from kifold.records.ids import id_text

NOT_AS_WRITTEN = "its log is not the one that was written (its digest is another)"


RESTORE = (
    "restore it from a copy, or, where there is none, move it away and give its matches up with `kifold delete --lost`"
)
"""What to do about an archive file that is there and damaged."""


class StoreError(Exception):
    """The store cannot do what was asked."""


class NoSuchMatch(StoreError):
    """No match, or more than one, fits the id that was given."""


class Conflict(StoreError):
    """The log has moved on since the caller looked. `present` is the number of its last event."""

    def __init__(self, text: str, present: int) -> None:
        super().__init__(text)
        self.present = present


class KeyUsed(StoreError):
    """An append gives other events than those that its key stands for."""

    def __init__(self, key: str, match: int, last_seq: int) -> None:
        super().__init__(
            f"key {key!r} was used for other events of match {id_text(match)}, up to event {last_seq}: nothing was "
            "appended; choose another"
        )


def damaged(match: int, why: str = NOT_AS_WRITTEN) -> StoreError:
    """What to raise when a match is not what was written."""
    name = id_text(match)
    return StoreError(f"match {name} is damaged: {why}; restore it from a copy, or `kifold delete {name} --yes`")


def altered(place: Path) -> str:
    """What to say of a file of the archive that is other bytes than were written."""
    return f"{place}: is damaged (not the bytes that were written); {RESTORE}"


def missing(place: Path) -> str:
    """What to say of a file of the archive that is not there."""
    return f"{place}: is missing; restore it from a copy, or give its matches up with `kifold delete --lost`"


def expect_text(folder: Path) -> None:
    """Refuse a folder that the readers of Parquet files cannot name.

    Raises:
        StoreError: when the name of the folder, or of one that it lies in, is no UTF-8 text.
    """
    name = os.fsencode(folder.absolute())
    try:
        name.decode()
    except UnicodeDecodeError:
        said = name.decode(errors="backslashreplace")
        raise StoreError(f"{said}: is no name in UTF-8, which archive files need; rename the folder") from None
