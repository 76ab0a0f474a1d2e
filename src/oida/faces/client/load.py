"""A bounded load on one server: reads at a steady rate, each timed from the moment at which it was due.

Requests are due at fixed moments whether or not earlier ones were answered, so that a server that stands still is seen to be slow by
everybody who would have waited, not by one. Nothing is recorded by what is asked: contexts are previews.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from oida.model.errors import InputError

MOST_CLIENTS, MOST_SECONDS, MOST_RATE = 64, 3600.0, 1000.0
QUESTIONS = ("What was decided?", "What is still open?", "What contradicts what?", "Who answers for this?")
LONGEST_ANSWER_SECONDS = 30.0
_STATUS_KB = "VmRSS:"


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What is sent: `rate` requests a second over `seconds`, by at most `clients` at once.

    >>> LoadPlan(clients=4, seconds=10, rate=20).requests
    200
    """

    clients: int = 8
    seconds: float = 30.0
    rate: float = 20.0
    questions: Sequence[str] = QUESTIONS

    def __post_init__(self) -> None:
        """Raises InputError beyond the bounds."""
        for name, value, most in (
            ("clients", self.clients, MOST_CLIENTS),
            ("seconds", self.seconds, MOST_SECONDS),
            ("requests a second", self.rate, MOST_RATE),
        ):
            if not 0 < value <= most:
                raise InputError(f"expected more than 0 and at most {most:g} {name}, found {value:g}")
        if not any(each.strip() for each in self.questions):
            raise InputError("expected at least one question, found none")

    @property
    def requests(self) -> int:
        """How many are due."""
        return max(1, int(self.seconds * self.rate))


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What came of a load: answers by status ("error" for none), how many due requests were never sent, milliseconds of the good ones.

    The percentiles are None where nothing was answered well; memory is the server's resident bytes before and after, None where not known.
    """

    sent: int
    unsent: int
    statuses: Mapping[str, int]
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    memory_before: int | None = None
    memory_after: int | None = None

    @property
    def errors(self) -> int:
        """Requests without an answer of the kind 2xx."""
        return sum(count for status, count in self.statuses.items() if not status.startswith("2"))


def put_load(
    url: str, plan: LoadPlan, *, key: str, memory: Callable[[], int | None] = lambda: None, transport: httpx2.BaseTransport | None = None
) -> LoadReport:
    """Send what the plan says to the server at `url` and to no other: no redirect is followed and no proxy is used.

    Raises InputError for what is no http address.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"expected an address such as http://127.0.0.1:7432, found {url[:80]!r}")
    before = memory()
    run = _Run(plan)
    with httpx2.Client(
        base_url=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}",
        headers={"Authorization": f"Bearer {key}"} if key else {},
        timeout=httpx2.Timeout(LONGEST_ANSWER_SECONDS, connect=5.0),
        limits=httpx2.Limits(max_connections=plan.clients, max_keepalive_connections=plan.clients),
        follow_redirects=False,
        trust_env=False,
        transport=transport,
    ) as client:
        clients = [threading.Thread(target=run.send, args=(client,), name=f"oida-load-{number}") for number in range(plan.clients)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
    return run.report(before, memory())


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The smallest value that at least so many percent do not exceed; None of nothing.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 50), percentile([4.0, 1.0, 3.0, 2.0], 95), percentile([], 50)
    (2.0, 4.0, None)
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100.0) - 1)] if ordered else None


def resident_bytes(pid: int, processes: Path = Path("/proc")) -> int | None:
    """The memory that a process of this machine holds, in bytes; None where the system does not tell."""
    try:
        lines = (processes / str(pid) / "status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(_STATUS_KB)), None)


class _Run:
    """What the clients share: the next request that is due, and what came of those before."""

    def __init__(self, plan: LoadPlan) -> None:
        self._plan = plan
        self._lock = threading.Lock()
        self._next = 0
        self._began = time.monotonic()
        self._statuses: Counter[str] = Counter()
        self._spent: list[float] = []

    def send(self, client: httpx2.Client) -> None:
        """Send what is due until all is sent or the time is over."""
        while (number := self._taken()) is not None:
            due = self._began + number / self._plan.rate
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                status = str(_asked(client, number, self._plan.questions).status_code)
            except httpx2.HTTPError:
                status = "error"
            spent = 1000.0 * (time.monotonic() - due)
            with self._lock:
                self._statuses[status] += 1
                if status.startswith("2"):
                    self._spent.append(spent)

    def report(self, before: int | None, after: int | None) -> LoadReport:
        """What came of it all."""
        sent = sum(self._statuses.values())
        return LoadReport(
            sent,
            self._plan.requests - sent,
            dict(sorted(self._statuses.items())),
            percentile(self._spent, 50),
            percentile(self._spent, 95),
            percentile(self._spent, 99),
            before,
            after,
        )

    def _taken(self) -> int | None:
        with self._lock:
            if self._next >= self._plan.requests or time.monotonic() > self._began + self._plan.seconds:
                return None
            self._next += 1
            return self._next - 1


def _asked(client: httpx2.Client, number: int, questions: Sequence[str]) -> httpx2.Response:
    """Contexts, searches, lists and the status in turn."""
    question = questions[number // 4 % len(questions)]
    match number % 4:
        case 0:
            return client.post("/v1/context", json={"question": question, "preview": True})
        case 1:
            return client.get("/v1/search", params={"q": question, "limit": 10})
        case 2:
            return client.get("/v1/questions", params={"limit": 20})
        case _:
            return client.get("/v1/status")
