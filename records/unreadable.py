"""What reading a file of the archive may raise, and how that is told: in one line that names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pyarrow as pa

from kifold.records.errors import RESTORE, StoreError, missing

UNREADABLE = (
    OSError,
    pa.ArrowException,
    msgspec.MsgspecError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    MemoryError,
    OverflowError,
)
"""What reading a damaged file has been seen to raise, or may."""


@contextmanager
def naming(place: Path, what: str = "is damaged") -> Iterator[None]:
    """Around whatever is read from a file, or is made of what was read.

    Raises:
        StoreError: instead of anything that a damaged file may raise.
    """
    try:
        yield
    except FileNotFoundError:
        raise StoreError(missing(place)) from None
    except UNREADABLE as error:
        raise StoreError(f"{place}: {what} ({first_line(error)}); {RESTORE}") from None


def first_line(error: BaseException) -> str:
    """The first line of what an error says, or its name."""
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
