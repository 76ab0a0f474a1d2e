"""The ledger in one tenant's rows of a table that is only ever appended to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from oida.adapters.database.postgres import PostgresDatabase
from oida.adapters.event_log.sqlite import _COLUMNS, SqliteEventLog, _entry
from oida.events.chain import EMPTY_HEAD, Head, StoredEntry, verify_chain
from oida.events.vocabulary import Entry, NewEntry, subjects_of
from oida.model.identifiers import Position

_THERE = """
select object_id from object where object_id in (select value from json_each(?))
union all select item_id from item where item_id in (select value from json_each(?))
"""

PAGE = 5_000
"""Entries that are fetched at once: a reading of the whole ledger needs memory for so many."""


class PostgresEventLog(SqliteEventLog):
    """The event log of a tenant; appends are made in the tenant's one writing transaction."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)
        self._server = database

    def append(self, entries: Sequence[NewEntry], *, expected: Position) -> list[Entry]:
        """Add entries after `expected`, all or none; notes which of the items and objects that they name are not there yet."""
        added = super().append(entries, expected=expected)
        if self._server.is_writing and len(added) > 1:
            named = {subject for entry in added for subject in subjects_of(entry.event)}
            here = self._server.connection.execute(_THERE, (json.dumps(sorted(named)),) * 2).fetchall()
            self._server.known |= {("absent", subject): True for subject in named.difference(found for (found,) in here)}
        return added

    def read(self, *, after: Position = EMPTY_HEAD.position) -> Iterator[Entry]:
        """Entries in order, from the one after `after`."""
        for row in self._pages(after):
            yield _entry(row)

    def verify(self) -> Head:
        """The head of an unbroken chain; raises BrokenChainError with the first line that does not follow."""
        return verify_chain(StoredEntry(*row) for row in self._pages(0))

    def _pages(self, after: int) -> Iterator[tuple[Any, ...]]:
        while True:
            page = list(self._rows(f"select {_COLUMNS} from ledger where position > ? order by position limit {PAGE}", after))
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]
