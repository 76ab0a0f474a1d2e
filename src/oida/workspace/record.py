"""How anything enters a base: events to the ledger and their fold to the records, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from oida.events.project import apply
from oida.events.vocabulary import Event, NewEntry
from oida.ports import Store


@dataclass(frozen=True, slots=True)
class Happened:
    """An event with its source time; without one it happened now."""

    event: Event
    occurred_at: datetime | None = None


def record(store: Store, events: Iterable[Happened | Event], *, principal: str, now: datetime) -> int:
    """Append events and fold them into the records; how many there were. Call it inside the store's transaction."""
    entries = []
    for happened in events:
        event, occurred_at = (happened.event, happened.occurred_at) if isinstance(happened, Happened) else (happened, None)
        entries.append(NewEntry(event=event, principal=principal, occurred_at=occurred_at or now, recorded_at=now))
    if not entries:
        return 0
    for entry in store.event_log.append(entries, expected=store.event_log.head().position):
        apply(entry, store.projections)
    return len(entries)
