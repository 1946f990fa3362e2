"""Pages that show commands with their output: each command is run, in order, and has to print what is shown.

What differs from run to run is left out of the comparison: speeds, and the ids of new matches.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SPEED = re.compile(r"in [\d.]+ s \([\d,]+ events/s\)")
ID = re.compile(r"\b[g-hj-km-np-tv-z][0-9a-hj-km-np-tv-z]{11}\b")
FIRST_ID = "q3v0m8x1ktc5"
KIFOLD = str(Path(sys.executable).parent / "kifold")


def blocks(text: str, kind: str) -> list[str]:
    """The fenced blocks of a kind in a page."""
    return [block for found, block in BLOCK.findall(text) if found == kind]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of all console blocks with the output shown for each."""
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.rstrip("\n")


def follow(page: Path, folder: Path, environment: Mapping[str, str], update: str) -> int:
    """Run every `kifold` command of a page in order; returns how many there were.

    Args:
        folder: where they run.
        environment: what they see beside this process's own.
        update: name of an environment variable; where it is set, what is printed now is written into the page, to be
            looked at.
    """
    text = real = page.read_text(encoding="utf-8")
    shown_id = new_id = ""
    ran = 0
    for command, shown in commands(text):
        if not command.startswith("kifold "):
            continue
        words = shlex.split(command.replace(shown_id, new_id) if shown_id else command)
        output = _run([KIFOLD, *words[1:]], folder, environment)
        assert "Traceback" not in output, output
        if words[1] == "new":
            shown_id, new_id = shown or FIRST_ID, output
        as_shown = output.replace(new_id, shown_id) if shown_id else output
        real = real.replace(f"$ {command}\n{shown}".rstrip("\n"), f"$ {command}\n{as_shown}".rstrip("\n"), 1)
        if update not in os.environ:
            assert _masked(shown) == _masked(output), f"`{command}` prints\n{output}"
        ran += 1
    if update in os.environ:
        page.write_text(real, encoding="utf-8")
    return ran


def _masked(text: str) -> str:
    return ID.sub("ID", SPEED.sub("in … s", text)).strip()


def _run(words: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    said = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "COLUMNS": "120", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    lines = said.stdout.rstrip("\n").splitlines()
    # A first use compiles and says so; that line is no part of what is shown.
    return "\n".join(line for line in lines if not line.startswith("compiling "))
