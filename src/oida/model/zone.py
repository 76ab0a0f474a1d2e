"""Which of the four memory zones a priority falls into (paper, section 3.2; spec section 3)."""

from __future__ import annotations

from enum import StrEnum

CORE_THRESHOLD = 0.40
WORKING_THRESHOLD = 0.10
PERIPHERAL_THRESHOLD = 0.05


class MemoryZone(StrEnum):
    """How readily an object reaches an agent."""

    CORE = "CORE"
    WORKING = "WORKING"
    PERIPHERAL = "PERIPHERAL"
    DORMANT = "DORMANT"


ZONE_THRESHOLDS = (CORE_THRESHOLD, WORKING_THRESHOLD, PERIPHERAL_THRESHOLD, 0.0)
"""The least priority of each zone, in the order of MemoryZone."""


def zone_of(priority: float) -> MemoryZone:
    """The zone of a priority in [0, 1]; each threshold belongs to the zone above it.

    >>> [zone_of(p).value for p in (0.40, 0.39, 0.05, 0.049)]
    ['CORE', 'WORKING', 'PERIPHERAL', 'DORMANT']
    """
    if priority >= CORE_THRESHOLD:
        return MemoryZone.CORE
    if priority >= WORKING_THRESHOLD:
        return MemoryZone.WORKING
    return MemoryZone.PERIPHERAL if priority >= PERIPHERAL_THRESHOLD else MemoryZone.DORMANT
