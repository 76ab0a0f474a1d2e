"""The jobs of a base file, the leases of its workers, and the items that failed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.events.codec import canonical_json, canonical_time, parse_time
from oida.model.errors import ConflictError
from oida.model.identifiers import ItemId
from oida.model.job import FailedItem, Job, JobCounts, JobState

_COLUMNS = "job_id, source_id, connection, worker, state, started_at, lease_until, ended_at, counts, code, message"
_FAILED_COLUMNS = "item_id, source_id, native_id, job_id, attempts, code, message"
_LONGEST_MESSAGE = 500


class SqliteJobBook:
    """A `JobBook` in tables; `is_gone` tells of a name that `name_worker` gave whether its process has ended."""

    def __init__(self, database: Database, *, name_worker: Callable[[], str], is_gone: Callable[[str], bool]) -> None:
        self._database = database
        self._name_worker = name_worker
        self._is_gone = is_gone

    def new_worker(self) -> str:
        """A name for what the calling process is about to do, by which others can tell whether it still lives."""
        return self._name_worker()

    def begin(self, job: Job) -> None:
        """Keep a new job; raises ConflictError while another worker reads the same connection."""
        with self._database.transaction() as connection:
            for other in self._rows("where state = 'running' and connection = ? and connection <> ''", job.connection):
                if self._ended_silently(other, job.started_at):
                    connection.execute("update job set state = 'interrupted' where job_id = ?", (other.job_id,))
                else:
                    raise ConflictError(f"{job.connection} is being read by job {other.job_id}; `oida jobs {other.job_id}` shows it")
            connection.execute(
                f"insert into job({_COLUMNS}, events, related) values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, false)",
                (
                    job.job_id,
                    job.source_id,
                    job.connection,
                    job.worker,
                    job.state,
                    canonical_time(job.started_at),
                    canonical_time(job.lease_until),
                    None,
                    canonical_json(asdict(job.counts)),
                    job.code,
                    job.message,
                ),
            )

    def renew(self, job_id: str, counts: JobCounts, *, lease_until: datetime) -> None:
        """Note how far a job is; raises ConflictError when it was taken from its worker."""
        changed = self._execute(
            "update job set counts = ?, events = ?, lease_until = ? where job_id = ? and state = 'running'",
            canonical_json(asdict(counts)),
            counts.events,
            canonical_time(lease_until),
            job_id,
        )
        if not changed:
            raise ConflictError(f"job {job_id} was taken over by another worker after its lease had run out; nothing is lost")

    def end(self, job_id: str, state: JobState, counts: JobCounts, *, at: datetime, code: str = "", message: str = "") -> None:
        """Note how a job ended."""
        self._execute(
            "update job set state = ?, counts = ?, events = ?, ended_at = ?, code = ?, message = ? where job_id = ? and state = 'running'",
            state,
            canonical_json(asdict(counts)),
            counts.events,
            canonical_time(at),
            code,
            message[:_LONGEST_MESSAGE],
            job_id,
        )

    def find(self, job_id: str, *, now: datetime) -> Job | None:
        """The job of that id, INTERRUPTED when its worker is gone."""
        rows = self._rows("where job_id = ?", job_id)
        return self._as_it_is(rows[0], now) if rows else None

    def all(self, *, now: datetime) -> list[Job]:
        """Every job, newest first."""
        return [self._as_it_is(job, now) for job in self._rows("order by started_at desc, rowid desc")]

    def has_unrelated(self) -> bool:
        """Whether a job changed something since relations were last found."""
        with translated(self._database.path):
            return self._database.connection.execute("select 1 from job where events > 0 and not related limit 1").fetchone() is not None

    def note_related(self) -> None:
        """Relations were found over everything that is here."""
        self._execute("update job set related = true where events > 0 and not related")

    def claim(self, item_ids: Sequence[ItemId], *, worker: str, now: datetime, lease_until: datetime) -> frozenset[ItemId]:
        """Take items that no other worker has; those that are now the worker's."""
        with translated(self._database.path), self._database.transaction() as connection:
            held = {
                item_id: (holder, parse_time(until))
                for item_id, holder, until in connection.execute(
                    "select item_id, worker, lease_until from item_lease where item_id in (select value from json_each(?))",
                    (json.dumps(list(item_ids)),),
                )
            }
            claimed = {item_id for item_id in item_ids if item_id not in held or self._is_free(*held[item_id], worker=worker, now=now)}
            connection.executemany(
                "insert or replace into item_lease values(?, ?, ?)",
                [(item_id, worker, canonical_time(lease_until)) for item_id in sorted(claimed)],
            )
        return frozenset(claimed)

    def release(self, item_ids: Sequence[ItemId], *, worker: str) -> int:
        """Give items back; how many were still the worker's."""
        with translated(self._database.path), self._database.transaction() as connection:
            return connection.executemany(
                "delete from item_lease where item_id = ? and worker = ?", [(item_id, worker) for item_id in item_ids]
            ).rowcount

    def put_failed(self, failed: FailedItem) -> None:
        """Keep a failed item; its attempts are counted up."""
        self._execute(
            f"insert into failed_item({_FAILED_COLUMNS}) values(?, ?, ?, ?, ?, ?, ?) on conflict(item_id) do update set "
            "job_id = excluded.job_id, attempts = failed_item.attempts + 1, code = excluded.code, message = excluded.message",
            failed.item_id,
            failed.source_id,
            failed.native_id,
            failed.job_id,
            failed.attempts,
            failed.code,
            failed.message[:_LONGEST_MESSAGE],
        )

    def forget_failed(self, item_ids: Collection[ItemId]) -> None:
        """These failed no longer, or are to leave no trace."""
        with translated(self._database.path), self._database.transaction() as connection:
            connection.executemany("delete from failed_item where item_id = ?", [(item_id,) for item_id in item_ids])

    def failed(self, *, source_id: str | None = None, job_id: str | None = None) -> list[FailedItem]:
        """Items that failed and still do, by source and native id."""
        with translated(self._database.path):
            rows = self._database.connection.execute(
                f"select {_FAILED_COLUMNS} from failed_item where source_id = coalesce(?, source_id) and job_id = coalesce(?, job_id) "
                "order by source_id, native_id",
                (source_id, job_id),
            ).fetchall()
        return [FailedItem(*row) for row in rows]

    def _is_free(self, holder: str, until: datetime, *, worker: str, now: datetime) -> bool:
        return holder == worker or until <= now or self._is_gone(holder)

    def _as_it_is(self, job: Job, now: datetime) -> Job:
        return replace(job, state=JobState.INTERRUPTED) if self._ended_silently(job, now) else job

    def _ended_silently(self, job: Job, now: datetime) -> bool:
        return job.state is JobState.RUNNING and (job.lease_until <= now or self._is_gone(job.worker))

    def _execute(self, statement: str, *arguments: object) -> int:
        with translated(self._database.path), self._database.transaction() as connection:
            return connection.execute(statement, arguments).rowcount

    def _rows(self, clause: str, *arguments: object) -> list[Job]:
        with translated(self._database.path):
            rows = self._database.connection.execute(f"select {_COLUMNS} from job {clause}", arguments).fetchall()
        return [_job(row) for row in rows]


def _job(row: tuple[Any, ...]) -> Job:
    job_id, source_id, connection, worker, state, started_at, lease_until, ended_at, counts, code, message = row
    return Job(
        job_id=job_id,
        source_id=source_id,
        connection=connection,
        worker=worker,
        state=JobState(state),
        started_at=parse_time(started_at),
        lease_until=parse_time(lease_until),
        ended_at=parse_time(ended_at) if ended_at else None,
        counts=JobCounts(**json.loads(counts)),
        code=code,
        message=message,
    )
