"""What time it is: from the system, or as the caller says."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """The current moment."""
        return datetime.now(UTC)

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)


@dataclass(frozen=True, slots=True)
class FrozenClock:
    """A clock that stands still at an aware moment."""

    moment: datetime

    def now(self) -> datetime:
        """Always the same moment."""
        return self.moment

    def wait(self, seconds: float) -> None:
        """Come back at once: no moment is later."""
