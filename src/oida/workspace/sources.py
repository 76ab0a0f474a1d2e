"""The sources of a base at a glance, and the jobs that read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from oida.model.errors import ConflictError, InputError, NotFoundError
from oida.model.job import FailedItem, Job, JobState
from oida.ports import Store
from oida.workspace.principal import Principal


@dataclass(frozen=True, slots=True)
class SourceReport:
    """A source as far as a principal sees it; `connection` is empty for exports, what is None is for the owner only.

    `lag_seconds` is how long ago it was last read to its end; `visible_to` says how many of its objects each group may see.
    """

    source_id: str
    kind: str
    connection: str
    items: int
    objects: int
    read_at: datetime | None
    lag_seconds: float | None
    visible_to: Mapping[str, int]
    problems: int | None = None
    failed_items: int | None = None
    state: JobState | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class JobReport:
    """A job with the items that failed in it and still do."""

    job: Job
    failed: tuple[FailedItem, ...]


def list_sources(store: Store, principal: Principal, *, now: datetime) -> list[SourceReport]:
    """Each source, by id: those connected but never read for the owner only, to everybody else only what they may see of."""
    groups = principal.groups
    items = store.projections.item_counts(groups=groups)
    objects = store.projections.counts("source_id", groups=groups)
    audiences = store.projections.audiences(groups=groups)
    connections = {each.source_id: each for each in store.connections.all()}
    newest: dict[str, Job] = {}
    read_at: dict[str, datetime] = {}
    for job in store.jobs.all(now=now):
        newest.setdefault(job.source_id, job)
        if job.state is JobState.DONE and job.ended_at:
            read_at.setdefault(job.source_id, job.ended_at)
    is_owner = groups is None
    problems = store.contents.problem_counts()
    failed = Counter(each.source_id for each in store.jobs.failed())
    found = []
    for source_id in sorted({*items, *(connections if is_owner else ())}):
        connection = connections.get(source_id)
        last = newest.get(source_id) if is_owner else None
        at = (connection.read_at if connection else None) or read_at.get(source_id)
        found.append(
            SourceReport(
                source_id=source_id,
                kind=store.projections.fact(f"source:{source_id}") or (connection.kind if connection else ""),
                connection=connection.name if connection else "",
                items=items.get(source_id, 0),
                objects=objects.get(source_id, 0),
                read_at=at,
                lag_seconds=(now - at).total_seconds() if at else None,
                visible_to=audiences.get(source_id, {}),
                problems=problems.get(source_id, 0) if is_owner else None,
                failed_items=failed.get(source_id, 0) if is_owner else None,
                state=last.state if last else None,
                message=last.message if last else "",
            )
        )
    return found


def list_jobs(store: Store, *, now: datetime) -> list[JobReport]:
    """Every job, newest first, with what failed in it and still does."""
    failed: dict[str, list[FailedItem]] = {}
    for each in store.jobs.failed():
        failed.setdefault(each.job_id, []).append(each)
    return [JobReport(job, tuple(failed.get(job.job_id, ()))) for job in store.jobs.all(now=now)]


def one_job(store: Store, job_id: str, *, now: datetime) -> JobReport:
    """A job with what failed in it and still does; raises NotFoundError."""
    job = store.jobs.find(job_id, now=now)
    if job is None:
        raise NotFoundError(f"expected the id of a job, found nothing under {job_id!r}")
    return JobReport(job, tuple(store.jobs.failed(job_id=job_id)))


def connections_to_retry(store: Store, job_id: str | None, *, now: datetime) -> list[str]:
    """The connections whose jobs did not end well or have failed items: of one job, or of all.

    Raises ConflictError for a job that still runs and InputError for one that read an export.
    """
    if job_id is None:
        names = {each.source_id: each.name for each in store.connections.all()}
        newest: dict[str, Job] = {}
        for job in store.jobs.all(now=now):
            newest.setdefault(job.source_id, job)
        unfinished = {found for found, job in newest.items() if job.state in (JobState.FAILED, JobState.INTERRUPTED)}
        unfinished |= {each.source_id for each in store.jobs.failed()}
        return sorted(names[source_id] for source_id in unfinished if source_id in names)
    job = one_job(store, job_id, now=now).job
    if job.state is JobState.RUNNING:
        raise ConflictError(f"job {job_id} is still running")
    if not job.connection:
        raise InputError(f"job {job_id} read an export; run `oida ingest` on it again, what is known already is skipped")
    return [job.connection]
