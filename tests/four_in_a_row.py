"""The ruleset that docs/write-a-ruleset.md builds, installed as the page says."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.consoles import blocks

PAGE = Path(__file__).parent.parent / "docs" / "write-a-ruleset.md"
TEXT = PAGE.read_text(encoding="utf-8")
BUILT, TESTED = TEXT.partition("## 8. Test it")[::2]
MODULE = "\n\n".join(blocks(BUILT, "python"))
PROJECT = "\n".join(blocks(BUILT, "toml"))
TESTS, *MORE = blocks(TESTED, "python")
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]


@cache
def installed(base: Path) -> dict[str, str]:
    """The ruleset of the page with its tests, installed once below a folder; compiled once for all who use it."""
    work = base / "four"
    sources = {"four.py": MODULE, "test_four.py": TESTS, "pyproject.toml": PROJECT}
    return install(work, sources) | {"KIFOLD_CACHE": str(work / "cache")}


def install(work: Path, sources: dict[str, str]) -> dict[str, str]:
    """Install a distribution made of these files; what commands have to see so that it is installed for them."""
    source, site = work / "source", work / "site"
    source.mkdir(parents=True)
    for name, text in sources.items():
        (source / name).write_text(text, encoding="utf-8")
    offline = ("--no-index", "--no-build-isolation", "--no-deps", "--no-compile", "--disable-pip-version-check")
    run([sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", str(site), str(source)], work, {})
    return {"PYTHONPATH": str(site), "KIFOLD_BOUNDSCHECK": "1", "SOURCE": str(source)}


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command that has to succeed; what it prints."""
    said = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=300
    )
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout
