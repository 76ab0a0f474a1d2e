"""The ledger in a list: what the contract is written against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oida.events.chain import EMPTY_HEAD, Head, StoredEntry, chain, verify_chain
from oida.events.codec import canonical_time, encode_event
from oida.events.vocabulary import Entry, NewEntry, subjects_of
from oida.model.errors import StaleAppendError
from oida.model.identifiers import Position


class MemoryEventLog:
    """An event log that ends with the process."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def head(self) -> Head:
        """Where the ledger ends."""
        return Head(self._entries[-1].position, self._entries[-1].digest) if self._entries else EMPTY_HEAD

    def append(self, entries: Sequence[NewEntry], *, expected: Position) -> list[Entry]:
        """Add entries after `expected`, all or none; raises StaleAppendError when the ledger ends elsewhere."""
        head = self.head()
        if head.position != expected:
            raise StaleAppendError(expected=expected, found=head.position)
        added = [entry for entry, _ in chain(entries, head)]
        self._entries.extend(added)
        return added

    def read(self, *, after: Position = EMPTY_HEAD.position) -> Iterator[Entry]:
        """Entries in order, from the one after `after`."""
        yield from self._entries[after:]

    def about(self, subject: str) -> list[Entry]:
        """The entries that are about an object, an item or an edge, oldest first."""
        return [entry for entry in self._entries if subject in subjects_of(entry.event)]

    def before(self, position: int, *, most: int) -> list[Entry]:
        """The last `most` entries at or before a position, newest first."""
        return [entry for entry in reversed(self._entries) if entry.position <= position][:most]

    def verify(self) -> Head:
        """The head of an unbroken chain; raises BrokenChainError with the first line that does not follow."""
        return verify_chain(
            StoredEntry(
                entry.position,
                *encode_event(entry.event),
                entry.principal,
                canonical_time(entry.occurred_at),
                canonical_time(entry.recorded_at),
                entry.previous,
                entry.digest,
            )
            for entry in self._entries
        )
