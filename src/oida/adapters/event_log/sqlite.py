"""The ledger in a table that is only ever appended to."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from operator import attrgetter
from typing import Any

from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.events.chain import EMPTY_HEAD, Head, StoredEntry, chain, verify_chain
from oida.events.codec import decode_event, parse_time
from oida.events.vocabulary import Entry, NewEntry, subjects_of
from oida.model.errors import IntegrityError, StaleAppendError
from oida.model.identifiers import Position

_COLUMNS = "position, kind, payload, principal, occurred_at, recorded_at, previous, digest"
_ROW = attrgetter(*_COLUMNS.split(", "))


class SqliteEventLog:
    """The event log of a base file; appends join the database's open transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def head(self) -> Head:
        """Where the ledger ends."""
        with translated(self._database.path):
            row = self._database.connection.execute("select position, digest from ledger order by position desc limit 1").fetchone()
        return Head(Position(row[0]), row[1]) if row else EMPTY_HEAD

    def append(self, entries: Sequence[NewEntry], *, expected: Position) -> list[Entry]:
        """Add entries after `expected`, all or none; raises StaleAppendError when the ledger ends elsewhere."""
        with self._database.transaction() as connection:
            head = self.head()
            if head.position != expected:
                raise StaleAppendError(expected=expected, found=head.position)
            added = list(chain(entries, head))
            connection.executemany(f"insert into ledger({_COLUMNS}) values(?, ?, ?, ?, ?, ?, ?, ?)", [_ROW(stored) for _, stored in added])
            connection.executemany(
                "insert or ignore into ledger_subject(subject, position) values(?, ?)",
                [(subject, entry.position) for entry, _ in added for subject in subjects_of(entry.event)],
            )
        return [entry for entry, _ in added]

    def read(self, *, after: Position = EMPTY_HEAD.position) -> Iterator[Entry]:
        """Entries in order, from the one after `after`."""
        for row in self._rows(f"select {_COLUMNS} from ledger where position > ? order by position", after):
            yield _entry(row)

    def about(self, subject: str) -> list[Entry]:
        """The entries that are about an object, an item or an edge, oldest first."""
        rows = self._rows(
            f"select {_COLUMNS} from ledger where position in (select position from ledger_subject where subject = ?) order by position",
            subject,
        )
        return [_entry(row) for row in rows]

    def before(self, position: int, *, most: int) -> list[Entry]:
        """The last `most` entries at or before a position, newest first."""
        rows = self._rows(f"select {_COLUMNS} from ledger where position <= ? order by position desc limit {int(most)}", position)
        return [_entry(row) for row in rows]

    def verify(self) -> Head:
        """The head of an unbroken chain; raises BrokenChainError with the first line that does not follow."""
        with closing(self._rows(f"select {_COLUMNS} from ledger where position > ? order by position", 0)) as rows:
            return verify_chain(StoredEntry(*row) for row in rows)

    def _rows(self, statement: str, argument: object) -> Generator[tuple[Any, ...], None, None]:
        with translated(self._database.path):
            yield from self._database.connection.execute(statement, (argument,))


def _entry(row: tuple[Any, ...]) -> Entry:
    position, kind, payload, principal, occurred_at, recorded_at, previous, digest = row
    try:
        return Entry(
            position=Position(position),
            event=decode_event(kind, payload),
            principal=principal,
            occurred_at=parse_time(occurred_at),
            recorded_at=parse_time(recorded_at),
            previous=previous,
            digest=digest,
        )
    except (IntegrityError, ValueError) as error:
        raise IntegrityError(f"ledger entry {position} cannot be read: {error}") from error
