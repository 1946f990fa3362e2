"""The file that `--out` names: whole, or what it was before.

It is written beside its place under a name that nobody else has, and takes its place at the end. What is no file – a
pipe, a device, an output of this process such as `/dev/stdout` – is written as it comes.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from kifold.service.context import UsageError

MOST_LINKS = 40
"""Of so many symbolic links in a row the system itself says that they lead in a circle."""


@contextmanager
def written(out: Path) -> Iterator[IO[bytes]]:
    """A file to write that becomes `out` when it is whole. Until then, and after an error, `out` is what it was.

    A symbolic link stays, and what it leads to is replaced; the file keeps its permissions.

    Raises:
        UsageError: when it cannot be written.
    """
    with _said(out):
        place = _place(out)
        if _is_file(place):
            with _draft(place) as draft, draft.open("wb") as file:
                yield file
        else:
            with _opened(place) as file:
                yield file


@contextmanager
def written_by_name(out: Path) -> Iterator[Path]:
    """The same for a writer that opens its file itself: the place of a draft that becomes `out`."""
    from tempfile import TemporaryDirectory

    with _said(out):
        place = _place(out)
        if _is_file(place):
            with _draft(place) as draft:
                yield draft
        else:
            with TemporaryDirectory() as folder:
                draft = Path(folder) / "draft"
                yield draft
                with draft.open("rb") as whole, _opened(place) as file:
                    shutil.copyfileobj(whole, file)


def _place(out: Path) -> Path:
    """Where what is written goes: links are followed, up to one to what this process has open."""
    place = out.absolute()
    for _ in range(MOST_LINKS):
        if not place.parent.is_dir():
            raise UsageError(f"{out}: there is no folder {place.parent}")
        place = place.parent.resolve() / place.name
        if _is_open(place) or not place.is_symlink():
            return place
        place = place.parent / place.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_open(place: Path) -> bool:
    """Whether a path names what this process has open, by its number. `/dev/stdout` is a link to such a one."""
    return place.parent in (Path(f"/proc/{os.getpid()}/fd"), Path("/dev/fd")) and place.name.isdecimal()


def _is_file(place: Path) -> bool:
    """Whether there is a file at a place, or one can be made."""
    return not _is_open(place) and (place.is_file() or not place.exists())


def _opened(place: Path) -> IO[bytes]:
    """What is no file, to be written as it comes; a folder says so itself."""
    if _is_open(place):
        sys.stdout.flush()
        return os.fdopen(os.dup(int(place.name)), "wb")  # opened by its name a file would be cut off, or begun anew
    return place.open("wb")


@contextmanager
def _draft(place: Path) -> Iterator[Path]:
    import secrets

    draft = place.with_name(f"{secrets.token_hex(8)}.writing")
    if place.exists() and not os.access(place, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    try:
        yield draft
        if place.exists():
            shutil.copymode(place, draft)
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _said(out: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has enough: no error of ours
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror or error})") from None
