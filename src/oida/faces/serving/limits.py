"""How often each caller may ask: a token bucket a caller, in memory, for a bounded number of callers."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from oida.model.errors import RateLimitedError

MOST_CALLERS = 10_000


class RateLimit:
    """`per_minute` calls on average and `burst` at once for each caller; raises RateLimitedError beyond."""

    def __init__(self, *, per_minute: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60.0
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, caller: str) -> None:
        """Count one call of a caller."""
        now = self._clock()
        with self._lock:
            left, at = self._buckets.pop(caller, (self._burst, now))
            left = min(self._burst, left + (now - at) * self._per_second)
            self._buckets[caller] = (left - 1.0 if left >= 1.0 else left, now)
            if len(self._buckets) > MOST_CALLERS:
                self._buckets.popitem(last=False)
        if left < 1.0:
            raise RateLimitedError("too many calls; wait before the next", retry_after_seconds=(1.0 - left) / self._per_second)
