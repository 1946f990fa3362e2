"""The README shows real output of real commands: each is run, in order, in a store of its own.

`KIFOLD_UPDATE_README=1 pytest tests/test_readme.py` writes what they print now into the README, to be looked at.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"```(console|python)\n(.*?)```", re.DOTALL)
# What differs from run to run: speeds, and the random ids of new matches.
SPEED = re.compile(r"in [\d.]+ s \([\d,]+ events/s\)")
ID = re.compile(r"\b[g-hj-km-np-tv-z][0-9a-hj-km-np-tv-z]{11}\b")


def commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block with the output shown for each."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output.rstrip("\n")


def masked(text: str) -> str:
    return ID.sub("ID", SPEED.sub("in … s", text)).strip()


def run(words: list[str], folder: Path) -> str:
    said = subprocess.run(
        words,
        cwd=ROOT,
        env=os.environ | {"KIFOLD_STORE": str(folder / "store"), "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    lines = said.stdout.rstrip("\n").splitlines()
    # A first use compiles and says so; that line is no part of what is shown.
    return "\n".join(line for line in lines if not line.startswith("compiling the rules"))


def test_console_blocks(tmp_path: Path) -> None:
    kifold = str(Path(sys.executable).parent / "kifold")
    text = README.read_text(encoding="utf-8")
    real = text
    shown_id = new_id = ""
    ran = 0
    for kind, block in BLOCK.findall(text):
        for command, shown in commands(block) if kind == "console" else ():
            if not command.startswith("kifold "):
                continue
            words = shlex.split(command.replace(shown_id, new_id) if shown_id else command)
            output = run([kifold, *words[1:]], tmp_path)
            if words[1] == "new":
                shown_id, new_id = shown or "q3v0m8x1ktc5", output
            shown_output = output.replace(new_id, shown_id) if shown_id else output
            real = real.replace(f"$ {command}\n{shown}".rstrip("\n"), f"$ {command}\n{shown_output}".rstrip("\n"), 1)
            if "KIFOLD_UPDATE_README" not in os.environ:
                assert masked(shown) == masked(output), f"`{command}` prints\n{output}"
            ran += 1
    if "KIFOLD_UPDATE_README" in os.environ:
        README.write_text(real, encoding="utf-8")
    assert ran >= 8


def test_python_blocks(tmp_path: Path) -> None:
    blocks = [block for kind, block in BLOCK.findall(README.read_text(encoding="utf-8")) if kind == "python"]
    assert blocks
    for block in blocks:
        script = tmp_path / "example.py"
        script.write_text(block, encoding="utf-8")
        said = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr
