"""Files that lie in an archive, whether a journal lists them or not."""

from __future__ import annotations

from pathlib import Path


def archive_files(folder: Path) -> list[tuple[str, str]]:
    """(ruleset, name) of the archive files in a folder laid out as an archive, also where one of the two is missing."""
    found = {(p.parent.name.partition("=")[2], p.stem) for p in folder.glob("*/ruleset=*/*.parquet")}
    return sorted(found)


def without_journal(folder: Path) -> str | None:
    """What to say of a folder that has an archive and no journal: it was lost. None where there is no archive."""
    said = f"{folder}: holds an archive but not journal.sqlite, which lists its matches: restore a copy of that"
    return said + other if (other := or_import(folder)) else None


def or_import(folder: Path) -> str:
    """What else can be done about a store whose journal is lost or damaged; nothing where it has no archive."""
    archive = folder / "archive"
    if not archive_files(archive):
        return ""
    return f", or import {archive} into another store (`kifold --store OTHER import {archive}`)"
