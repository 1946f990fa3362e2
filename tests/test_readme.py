"""The README shows real output of real commands: each is run, in order, in a store of its own.

`KIFOLD_UPDATE_README=1 pytest tests/test_readme.py` writes what they print now into the README, to be looked at.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.consoles import blocks, follow

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
