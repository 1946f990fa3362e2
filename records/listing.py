"""What a store has: which matches, live or archived, and in which files. The journal's database lists it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping

from kifold.records.errors import NoSuchMatch
from kifold.records.ids import id_text, parse_id
from kifold.records.journal import Journal
from kifold.records.log import Fork

IN_FILE = "EXISTS (SELECT 1 FROM archived AS a JOIN files ON files.id = a.file WHERE a.match = {}.match AND name = ?)"
"""Whether the match of a row of a table lies in an archive file. It asks for few rows, and not for all of the file."""


class Listing:
    """The questions to the list of what a store has.

    Attributes:
        journal: the SQLite file, which also lists what the archive holds.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def find(self, text: str) -> int:
        """The id that a person means: in full, its beginning, or the decimal form of SQL.

        Raises:
            NoSuchMatch: when no match, or more than one, begins so.
            ValueError: when the text cannot be the beginning of an id.
        """
        first, last = parse_id(text)
        query = "SELECT id FROM (SELECT id FROM matches UNION ALL SELECT match FROM archived) WHERE id BETWEEN ? AND ?"
        found = self.journal.column(query + " LIMIT 2", (first, last))
        if len(found) > 1:
            raise NoSuchMatch(f"{text} could be {' or '.join(id_text(i) for i in found)}: write more of it")
        if not found:
            raise NoSuchMatch(
                f"there is no match {text} in {self.journal.path.parent}; `kifold log` lists what there is"
            )
        return int(found[0])

    def no_such_match(self, match: int) -> NoSuchMatch:
        """What to raise when a match is not in the journal."""
        if self.file_of(match) is not None:
            return NoSuchMatch(f"match {id_text(match)} is archived: read its log, or append to it to bring it back")
        return NoSuchMatch(
            f"there is no match {id_text(match)} in {self.journal.path.parent}; `kifold log` lists what there is"
        )

    def files(self, ruleset_name: str | None = None) -> list[tuple[str, str]]:
        """(ruleset, name) of the live archive files, in the order in which they were added."""
        rows = self.journal.rows("SELECT ruleset, name FROM files ORDER BY id")
        return [(r, name) for r, name in rows if ruleset_name in (None, r)]

    def list_file(
        self, ruleset_name: str, name: str, matches: int, events: int, matches_hash: bytes, events_hash: bytes
    ) -> int:
        """Add a file to the list; its number. Called inside `writing()`."""
        (number,) = self.journal.db.execute(
            "INSERT INTO files (ruleset, name, matches, events, matches_hash, events_hash) VALUES (?, ?, ?, ?, ?, ?) "
            "RETURNING id",
            (ruleset_name, name, matches, events, matches_hash, events_hash),
        ).fetchone()
        return int(number)

    def returned(self, ruleset_name: str) -> array[int]:
        """The ids of live matches that lay in the archive before, ascending."""
        query = "SELECT id FROM matches WHERE ruleset = ? AND id IN (SELECT match FROM tombstones) ORDER BY id"
        return self.journal.numbers(query, (ruleset_name,))

    def tombstones(self, file: str) -> set[int]:
        """Ids of the matches in an archive file that were deleted or replaced. What is no id covers none."""
        query = (
            "SELECT match FROM tombstones JOIN files ON files.id = file WHERE name = ? AND typeof(match) = 'integer'"
        )
        return set(self.journal.column(query, (file,)))

    def pins(self, file: str | None = None) -> dict[int, int]:
        """The revision of each match that was promoted to another than its log names, of one archive file or all.

        What is no number is none.
        """
        query = "SELECT match, revision FROM pins WHERE typeof(revision) = 'integer'"
        if file is None:
            return dict(self.journal.rows(query))
        return dict(self.journal.rows(f"{query} AND {IN_FILE.format('pins')}", (file,)))

    def forks(self, file: str | None = None) -> dict[int, Fork]:
        """Where each match that is a fork left the one that it continues, in the order in which that was done: those of
        one archive file, or all.
        """
        query = "SELECT match, parent, at_seq, inherited FROM forks {} ORDER BY number"
        if file is None:
            rows = self.journal.rows(query.format(""))
        else:
            rows = self.journal.rows(query.format(f"WHERE {IN_FILE.format('forks')}"), (file,))
        return {match: Fork(*fork) for match, *fork in rows}

    def inherited(self, file: str | None = None) -> dict[int, int]:
        """How many of its first events a fork has from a match that is still there; of the forks in an archive file, or
        of the live ones.
        """
        query = (
            "SELECT match, inherited FROM forks WHERE inherited > 0 AND {} "
            "AND (parent IN (SELECT id FROM matches) OR parent IN (SELECT match FROM archived))"
        )
        if file is None:
            return dict(self.journal.rows(query.format("match IN (SELECT id FROM matches)")))
        return dict(self.journal.rows(query.format(IN_FILE.format("forks")), (file,)))

    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Per ruleset, the numbers of live and of archived matches."""
        with self.journal.reading():
            live = dict(self.journal.rows("SELECT ruleset, count(*) FROM matches GROUP BY 1"))
            query = "SELECT ruleset, count(*) FROM archived JOIN files ON files.id = file GROUP BY 1"
            archived = dict(self.journal.rows(query))
        return {name: (live.get(name, 0), archived.get(name, 0)) for name in live | archived}

    def held(self, matches: Iterable[int]) -> set[int]:
        """Those of the ids that the store has a match of."""
        query = (
            "SELECT value FROM json_each(?) WHERE value IN (SELECT match FROM archived) "
            "OR value IN (SELECT id FROM matches)"
        )
        return set(self.journal.column(query, ("[" + ",".join(map(str, matches)) + "]",)))

    def holds(self, match: int) -> bool:
        """Whether the store has a match of that id."""
        return match in self.held([match])

    def ruleset_of(self, match: int) -> str:
        """The name of the ruleset of a match.

        Raises:
            NoSuchMatch: when there is no such match.
        """
        with self.journal.reading():
            row = self.journal.row("SELECT ruleset FROM matches WHERE id = ?", (match,)) or self.file_of(match)
            if row is None:
                raise self.no_such_match(match)
        return str(row[0])

    def file_of(self, match: int) -> tuple[str, str] | None:
        """(ruleset, name) of the archive file that holds a match; None when the archive does not."""
        row = self.journal.row(
            "SELECT ruleset, name FROM archived JOIN files ON files.id = file WHERE match = ?", (match,)
        )
        return (row[0], row[1]) if row else None
