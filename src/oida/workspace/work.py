"""One job while it is done: its lease on a source, the items it has taken for itself, and how it ends.

An item is taken before it is prepared and given back in the transaction that writes it, so that of two workers only one writes it. A
lease ends with its worker's process; nothing has to be cleaned up after a crash.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING

from oida.model.errors import ConflictError, OidaError, Problem
from oida.model.feed import Connection
from oida.model.identifiers import ItemId, item_id
from oida.model.job import FailedItem, Job, JobCounts, JobState
from oida.model.source import SourceItem
from oida.ports import Store

if TYPE_CHECKING:
    from oida.workspace.ingest import IngestReport

LEASE = timedelta(minutes=3)
"""How long a worker on another machine may be silent; one on this machine is known to be gone at once."""


class Work:
    """A job as a context: begun on entry, done at the end, failed with whatever is raised inside; `report` is counted into it."""

    def __init__(
        self,
        store: Store,
        report: IngestReport,
        *,
        source_id: str,
        wall_clock: Callable[[], datetime],
        connection: Connection | None = None,
    ) -> None:
        self._store = store
        self._report = report
        self._wall_clock = wall_clock
        self._connection = connection
        self._failed: set[ItemId] = set()
        self._held: set[ItemId] = set()
        self._failed_before = {failed.item_id for failed in store.jobs.failed(source_id=source_id)}
        self._before = self._counts()
        now = wall_clock()
        self.job = Job(
            job_id=f"job-{secrets.token_hex(5)}",
            source_id=source_id,
            connection=connection.name if connection else "",
            worker=store.jobs.new_worker(),
            state=JobState.RUNNING,
            started_at=now,
            lease_until=now + LEASE,
        )

    def __enter__(self) -> Work:
        self._store.jobs.begin(self.job)
        return self

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None) -> None:
        now = self._wall_clock()
        self.release()
        if error is None:
            self._store.jobs.end(self.job.job_id, JobState.DONE, self.counts, at=now)
            return
        code = error.code if isinstance(error, OidaError) else "interrupted"
        state = JobState.FAILED if isinstance(error, OidaError) else JobState.INTERRUPTED
        message = str(error) if isinstance(error, OidaError) else type(error).__name__
        self._store.jobs.end(self.job.job_id, state, self.counts, at=now, code=code, message=message)

    @property
    def counts(self) -> JobCounts:
        """What this job has done so far."""
        after, before = self._counts(), self._before
        return JobCounts(*(getattr(after, name) - getattr(before, name) for name in JobCounts.__slots__))

    def claim(self, items: Sequence[SourceItem]) -> frozenset[ItemId]:
        """Take items that no other worker has; the ids of those that are now this job's, until `release`."""
        if not items:
            return frozenset()
        now = self._wall_clock()
        found = [item.item_id for item in items]
        claimed = self._store.jobs.claim(found, worker=self.job.worker, now=now, lease_until=now + LEASE)
        self._held |= claimed
        return claimed

    def wrote(self, found: Sequence[ItemId]) -> None:
        """Give claimed items back because they are now in the ledger; call it in the transaction that writes them.

        Raises ConflictError, and so undoes the writing, when another worker took one of them meanwhile.
        """
        if self._store.jobs.release(found, worker=self.job.worker) < len(found):
            raise ConflictError("another worker took over an item after its lease had run out; run the command again")
        self._store.jobs.forget_failed(found)
        self._failed.difference_update(found)
        self._held.difference_update(found)
        self.note_progress()

    def release(self, found: Collection[ItemId] | None = None) -> None:
        """Give back what is still held of some items, or of all: after a writing that was undone for example."""
        still = self._held if found is None else self._held.intersection(found)
        if still:
            self._store.jobs.release(sorted(still), worker=self.job.worker)
            self._held = self._held - still

    def note_progress(self) -> None:
        """Note the counts and renew the lease; in the transaction that changed something, so that no change is left unrelated."""
        self._store.jobs.renew(self.job.job_id, self.counts, lease_until=self._wall_clock() + LEASE)

    def fail(self, source_id: str, native_id: str, problem: Problem) -> None:
        """Note that an item is not in the ledger as it stands at its source."""
        found = item_id(source_id, native_id)
        self._failed.add(found)
        self._store.jobs.put_failed(FailedItem(found, source_id, native_id, self.job.job_id, 1, problem.code, problem.message))

    def stands(self, found: ItemId) -> None:
        """An item is in the ledger as it stands at its source: if it failed before, it does no longer."""
        if found in self._failed_before:
            self._failed_before.discard(found)
            self._store.jobs.forget_failed([found])

    def reached(self, cursor: str) -> None:
        """Everything before a cursor is in the ledger."""
        if self._connection is not None:
            self._store.connections.move_on(self._connection.name, cursor)
        self.note_progress()

    def _counts(self) -> JobCounts:
        report = self._report
        return JobCounts(
            read=report.items,
            new=report.new_items,
            changed=report.changed_items,
            unchanged=report.unchanged_items,
            withdrawn=report.withdrawn_items,
            failed=len(self._failed),
            problems=len(report.problems),
            events=report.events,
        )
