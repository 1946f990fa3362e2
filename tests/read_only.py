"""A folder that cannot be written, also for root: what is asked there is asked by nobody."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kifold.records.errors import StoreError

NOBODY = 65534


@contextmanager
def folder_of_anybody() -> Iterator[Path]:
    """A new folder that any user may enter; pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="kifold-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755)
        shutil.rmtree(folder)


def lock(folder: Path) -> None:
    """Have nobody write in a folder, or to its files."""
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


def as_nobody(question: Callable[[], object]) -> str:
    """What a question answers, or the `StoreError` that it raises, in a process that gave up root's rights."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            try:
                said = str(question())
            except StoreError as error:
                said = f"StoreError: {error}"
            os.write(write, said.encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    return said
