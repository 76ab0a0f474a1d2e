"""Long work behind a server: one job at a time, with its progress and its outcome, of which the last few are kept."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from oida.model.errors import ConflictError, NotFoundError, OidaError, UnavailableError
from oida.workspace.weigh import Progress

_TRACE = logging.getLogger("oida.jobs")

MOST_KEPT = 50
MOST_WAITING = 10


class JobState(StrEnum):
    """What has become of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of long work as it stands: `done` of `total` (0 when unknown), at `what`; `result` in its wire shape."""

    job_id: str
    kind: str
    started_by: str
    started_at: datetime
    state: JobState = JobState.WAITING
    done: int = 0
    total: int = 0
    what: str = ""
    result: Any = None
    code: str = ""
    message: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state in (JobState.DONE, JobState.FAILED)


class Jobs:
    """The jobs of one server process."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="oida-job")

    def start(self, kind: str, work: Callable[[Progress], Any], *, by: str, now: datetime) -> Job:
        """Have work done after what waits already; raises ConflictError when too much waits, UnavailableError after the end."""
        with self._lock:
            if sum(not job.has_ended for job in self._jobs.values()) >= MOST_WAITING:
                raise ConflictError(f"{MOST_WAITING} jobs wait already; start this one when they are done")
            job = Job(f"job-{secrets.token_hex(8)}", kind, by, now)
            self._jobs[job.job_id] = job
            while len(self._jobs) > MOST_KEPT:
                oldest = next((found for found, kept in self._jobs.items() if kept.has_ended), None)
                if oldest is None:
                    break
                del self._jobs[oldest]
            try:
                self._pool.submit(self._run, job.job_id, work)
            except RuntimeError:
                del self._jobs[job.job_id]
                raise UnavailableError("the server is stopping; start this job when it is there again") from None
        return job

    def find(self, job_id: str) -> Job:
        """A job as it stands now; raises NotFoundError."""
        with self._lock:
            job = self._jobs.get(job_id)
        if job is None:
            raise NotFoundError(f"expected the id of a job, found nothing under {job_id!r}")
        return job

    def all(self) -> list[Job]:
        """The jobs that are kept, newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def close(self) -> None:
        """Let the running job end, and start no other."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job_id: str, work: Callable[[Progress], Any]) -> None:
        self._change(job_id, state=JobState.RUNNING)
        try:
            result = work(lambda done, total, what: self._change(job_id, done=done, total=total, what=what))
        except OidaError as error:
            self._change(job_id, state=JobState.FAILED, code=error.code, message=str(error))
        except Exception:  # noqa: BLE001 - a job's thread has no caller to raise to
            _TRACE.exception("job %s broke off", job_id)
            self._change(job_id, state=JobState.FAILED, code="error", message="the job broke off; the server's log says why")
        else:
            self._change(job_id, state=JobState.DONE, result=result)

    def _change(self, job_id: str, **changes: Any) -> None:
        with self._lock:
            self._jobs[job_id] = replace(self._jobs[job_id], **changes)
