"""What makes the ledger tamper-evident: each entry's digest covers the one before it (spec section 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from oida.events.codec import canonical_json, canonical_time, encode_event
from oida.events.vocabulary import Entry, NewEntry
from oida.model.errors import BrokenChainError
from oida.model.identifiers import Position

GENESIS = b"\x00" * 32


@dataclass(frozen=True, slots=True)
class Head:
    """Where a ledger ends: a witness of it shows a cut tail, which the chain alone cannot."""

    position: Position
    digest: bytes

    def __str__(self) -> str:
        """The printed form, as in backups and at the end of every writing command.

        >>> str(Head(Position(3), bytes(32)))[:18]
        '3:0000000000000000'
        """
        return f"{self.position}:{self.digest.hex()}"


EMPTY_HEAD = Head(Position(0), GENESIS)


def payload_digest(*, position: int, kind: str, payload: str, principal: str, occurred_at: str, recorded_at: str, previous: bytes) -> bytes:
    """The digest of an entry from its stored columns."""
    body = canonical_json([position, kind, payload, principal, occurred_at, recorded_at])
    return hashlib.sha256(previous + body.encode("ascii")).digest()


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """A ledger line as it lies in a store, before anything is made of it: what the chain is checked on."""

    position: int
    kind: str
    payload: str
    principal: str
    occurred_at: str
    recorded_at: str
    previous: bytes
    digest: bytes


def chain(entries: Iterable[NewEntry], head: Head) -> Iterator[tuple[Entry, StoredEntry]]:
    """Each new entry with its position and digests, continuing from `head`, and the line that a store keeps of it."""
    position, previous = int(head.position), head.digest
    for entry in entries:
        position += 1
        kind, payload = encode_event(entry.event)
        occurred_at, recorded_at = canonical_time(entry.occurred_at), canonical_time(entry.recorded_at)
        digest = payload_digest(
            position=position,
            kind=kind,
            payload=payload,
            principal=entry.principal,
            occurred_at=occurred_at,
            recorded_at=recorded_at,
            previous=previous,
        )
        yield (
            Entry(
                position=Position(position),
                event=entry.event,
                principal=entry.principal,
                occurred_at=entry.occurred_at,
                recorded_at=entry.recorded_at,
                previous=previous,
                digest=digest,
            ),
            StoredEntry(position, kind, payload, entry.principal, occurred_at, recorded_at, previous, digest),
        )
        previous = digest


def verify_chain(entries: Iterable[StoredEntry]) -> Head:
    """The head of a ledger whose every line follows from the one before; raises BrokenChainError at the first that does not."""
    head = EMPTY_HEAD
    for entry in entries:
        recomputed = payload_digest(
            position=entry.position,
            kind=entry.kind,
            payload=entry.payload,
            principal=entry.principal,
            occurred_at=entry.occurred_at,
            recorded_at=entry.recorded_at,
            previous=entry.previous,
        )
        if entry.position != head.position + 1:
            raise BrokenChainError(f"expected ledger entry {head.position + 1}, found entry {entry.position}")
        if entry.previous != head.digest:
            raise BrokenChainError(f"ledger entry {entry.position} does not follow entry {head.position}")
        if entry.digest != recomputed:
            raise BrokenChainError(f"ledger entry {entry.position} was changed after it was written")
        head = Head(Position(entry.position), entry.digest)
    return head
