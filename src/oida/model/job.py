"""A reading of one source as a job that survives its process: what was read, what became of it, what failed and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from oida.model.identifiers import ItemId


class JobState(StrEnum):
    """What has become of a job; one is interrupted when its worker is gone without a word."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How many items a job read, what became of them, and how many events that took."""

    read: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    failed: int = 0
    problems: int = 0
    events: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """One run over one source; `connection` is empty for an export, `worker` who runs it while its lease lasts."""

    job_id: str
    source_id: str
    connection: str
    worker: str
    state: JobState
    started_at: datetime
    lease_until: datetime
    ended_at: datetime | None = None
    counts: JobCounts = JobCounts()
    code: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class FailedItem:
    """An item that is not in the ledger as it stands at its source, and why."""

    item_id: ItemId
    source_id: str
    native_id: str
    job_id: str
    attempts: int
    code: str
    message: str
