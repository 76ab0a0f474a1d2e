"""The ledger in one tenant's rows of a table that is only ever appended to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oida.adapters.event_log.sqlite import _COLUMNS, SqliteEventLog, _entry
from oida.events.chain import EMPTY_HEAD, Head, StoredEntry, verify_chain
from oida.events.vocabulary import Entry
from oida.model.identifiers import Position

PAGE = 5_000
"""Entries that are fetched at once: a reading of the whole ledger needs memory for so many."""


class PostgresEventLog(SqliteEventLog):
    """The event log of a tenant; appends are made in the tenant's one writing transaction."""

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
