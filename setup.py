"""Names the packages to install; everything else about the distribution stands in pyproject.toml.

Setuptools finds packages by itself only where a folder carries the name that it is installed under, or lies under one
common source folder. Here `core/` is installed as `kifold.core`, and there is no declarative way to say "find the
packages in `core/` and put `kifold.` before their names". Hence these few lines: they read the mapped folders from
pyproject.toml and walk them, so a new subpackage needs no entry in any list.
"""

import tomllib
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
MAPPED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-dir"]
PATTERNS = [pattern for folder in MAPPED.values() for pattern in (folder, f"{folder}.*")]

setup(packages=[f"kifold.{name}" for name in find_packages(str(ROOT), include=PATTERNS)])
