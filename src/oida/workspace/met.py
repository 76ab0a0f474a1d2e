"""What one run has met already: a number for each item, so that it stays small however large an export is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import Enum

from oida.model.identifiers import ItemId
from oida.model.source import SourceItem

_EDITED_BITS = 60
_EDITED = (1 << _EDITED_BITS) - 1
_FINGERPRINT = (1 << 32) - 1
_YEAR_ONE = datetime(1, 1, 1, tzinfo=UTC)


class Meeting(Enum):
    """What an item is to a run: new or a later edit, the same or an earlier state, or another one of the same id."""

    NEW = "new"
    KNOWN = "known"
    OTHER = "other"


class Met:
    """The items of a run, each as its hash with one number of its fingerprint and of when it was edited; ~150 bytes an item."""

    def __init__(self) -> None:
        self._states: dict[int, int] = {}

    def meet(self, item: SourceItem) -> Meeting:
        """What the item is; a new one is met from now on."""
        found, now = hash(item.item_id), _state_of(item)
        before = self._states.get(found)
        edited, edited_before = now & _EDITED, (before or 0) & _EDITED
        if before is None or edited > edited_before:
            self._states[found] = now
            return Meeting.NEW
        return Meeting.KNOWN if before == now or edited < edited_before else Meeting.OTHER

    def forget(self, found: ItemId) -> None:
        """The item was not dealt with after all: it will be new again."""
        self._states.pop(hash(found), None)


def _state_of(item: SourceItem) -> int:
    """The fingerprint above the microsecond of the last edit, which is 0 for an item never edited."""
    edited = (max(item.said_at, item.edited_at) - _YEAR_ONE) // timedelta.resolution if item.edited_at else 0
    return (hash(item.fingerprint) & _FINGERPRINT) << _EDITED_BITS | edited
