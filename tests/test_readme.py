"""The README shows real output of real commands: each is run, in order, in a store of its own.

`KIFOLD_UPDATE_README=1 pytest tests/test_readme.py` writes what they print now into the README, to be looked at.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from kifold.core.events import ENDINGS, Finished
from kifold.records.store import Store
from tests.consoles import blocks, follow
from tests.stores import archive_all, duo, game

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def test_console_blocks(tmp_path: Path) -> None:
    environment = {"KIFOLD_STORE": str(tmp_path / "store")}
    assert follow(README, ROOT, environment, "KIFOLD_UPDATE_README") >= 8


def test_python_blocks(tmp_path: Path) -> None:
    found = blocks(README.read_text(encoding="utf-8"), "python")
    assert found
    for block in found:
        script = tmp_path / "example.py"
        script.write_text(block, encoding="utf-8")
        said = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr


def test_duplicates_are_deleted_and_nothing_else(tmp_path: Path) -> None:
    """The line of the README leaves alone what is being played, what other people played and what is only alike."""
    [line] = re.findall(r"`(kifold sql \"[^`]* duplicates [^`]*)`", README.read_text(encoding="utf-8"))
    ada, short = ("Ada", "Bo"), [*game(2)[:4], Finished(ENDINGS.index("agreed"))]
    with Store(tmp_path / "store") as store:
        twice = [store.new(duo(), ada, events) for events in (game(1), short)]
        archive_all(store)
        kept = {store.new(duo(), ada, events) for events in (game(1)[:2], short[:4], game(3)[:6], game(3)[:6])}
        kept.add(store.new(duo(), ("Cy", "Di"), short))
        copies = [store.new(duo(), ada, events) for events in (game(1), short)]
    environment = os.environ | {
        "KIFOLD_STORE": str(tmp_path / "store"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    subprocess.run(["bash", "-c", " ".join(line.split())], env=environment, check=True, capture_output=True)
    with Store(tmp_path / "store") as store:
        assert store.held({*twice, *kept, *copies}) == kept | set(map(min, zip(twice, copies, strict=True)))
