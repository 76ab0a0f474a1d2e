from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.stores import new_database

from oida.adapters.following import SqliteConnections, SqliteJobBook
from oida.adapters.worker import is_gone, this_worker
from oida.model.errors import ConflictError
from oida.model.feed import Connection, SecretPlace, SecretReference
from oida.model.identifiers import ItemId
from oida.model.job import FailedItem, Job, JobCounts, JobState

NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)
LATER = NOW + timedelta(minutes=3)
ONE, TWO = ItemId("it-one"), ItemId("it-two")


@pytest.fixture
def gone() -> set[str]:
    """The workers whose processes have ended."""
    return set()


@pytest.fixture
def book(gone: set[str]) -> Iterator[SqliteJobBook]:
    database = new_database()
    yield SqliteJobBook(database, name_worker=lambda: "me", is_gone=gone.__contains__)
    database.close()


def job(job_id: str, *, connection: str = "chat", worker: str = "me", at: datetime = NOW) -> Job:
    return Job(job_id, "chat:harbour", connection, worker, JobState.RUNNING, at, at + timedelta(minutes=3))


def failed(item: ItemId, *, attempts: int = 1, job_id: str = "job-1") -> FailedItem:
    return FailedItem(item, "chat:harbour", item.removeprefix("it-"), job_id, attempts, "broken", "expected words")


def test_a_connection_comes_back_as_it_was_put() -> None:
    connections = SqliteConnections(new_database())
    given = Connection("chat", "slack", {"api": "https://x"}, SecretReference(SecretPlace.KEYRING, "slack:chat"), "slack:T1", "cursor", NOW)
    connections.put(given)
    assert given == connections.find("chat")
    connections.move_on("chat", "further")
    connections.note_read("chat", at=LATER)
    assert ("further", LATER) == (connections.all()[0].cursor, connections.all()[0].read_at)
    connections.remove("chat")
    assert (None, []) == (connections.find("chat"), connections.all())


def test_a_job_is_running_until_it_ends(book: SqliteJobBook) -> None:
    book.begin(job("job-1"))
    book.renew("job-1", JobCounts(read=3, events=2), lease_until=LATER)
    running = book.find("job-1", now=NOW)
    assert running is not None
    assert (JobState.RUNNING, 3) == (running.state, running.counts.read)
    book.end("job-1", JobState.FAILED, JobCounts(read=4), at=LATER, code="unavailable", message="down")
    (ended,) = book.all(now=LATER)
    assert (JobState.FAILED, LATER, 4, "unavailable", "down") == (ended.state, ended.ended_at, ended.counts.read, ended.code, ended.message)
    assert book.find("job-2", now=NOW) is None


def test_one_connection_is_read_by_one_worker(book: SqliteJobBook) -> None:
    book.begin(job("job-1", worker="other"))
    with pytest.raises(ConflictError, match="job-1"):
        book.begin(job("job-2"))
    book.begin(job("job-3", connection="mail"))
    book.begin(job("job-4", connection=""))
    book.begin(job("job-5", connection=""))


@pytest.mark.parametrize("ending", ["process", "lease"])
def test_a_job_whose_worker_is_gone_is_interrupted_and_makes_way(book: SqliteJobBook, gone: set[str], ending: str) -> None:
    book.begin(job("job-1", worker="other"))
    at = NOW
    if ending == "process":
        gone.add("other")
    else:
        at = LATER
    interrupted = book.find("job-1", now=at)
    assert interrupted is not None
    assert JobState.INTERRUPTED is interrupted.state
    book.begin(job("job-2", at=at))
    with pytest.raises(ConflictError, match="taken over"):
        book.renew("job-1", JobCounts(), lease_until=LATER)


def test_jobs_are_listed_newest_first(book: SqliteJobBook) -> None:
    for number in range(3):
        book.begin(job(f"job-{number}", connection=str(number), at=NOW + timedelta(seconds=number)))
    assert ["job-2", "job-1", "job-0"] == [each.job_id for each in book.all(now=NOW)]


def test_a_change_is_unrelated_until_relations_were_found(book: SqliteJobBook) -> None:
    book.begin(job("job-1"))
    assert not book.has_unrelated()
    book.renew("job-1", JobCounts(events=1), lease_until=LATER)
    assert book.has_unrelated()
    book.note_related()
    assert not book.has_unrelated()


def test_an_item_has_one_holder_at_a_time(book: SqliteJobBook) -> None:
    assert {ONE, TWO} == book.claim([ONE, TWO], worker="me", now=NOW, lease_until=LATER)
    assert frozenset() == book.claim([ONE], worker="other", now=NOW, lease_until=LATER)
    assert {ONE} == book.claim([ONE], worker="me", now=NOW, lease_until=LATER)
    assert 0 == book.release([ONE], worker="other")
    assert 1 == book.release([ONE], worker="me")
    assert {ONE} == book.claim([ONE, TWO], worker="other", now=NOW, lease_until=LATER)


@pytest.mark.parametrize("ending", ["process", "lease"])
def test_an_item_of_a_worker_that_is_gone_is_free(book: SqliteJobBook, gone: set[str], ending: str) -> None:
    book.claim([ONE], worker="other", now=NOW, lease_until=LATER)
    if ending == "process":
        gone.add("other")
    at = NOW if ending == "process" else LATER
    assert {ONE} == book.claim([ONE], worker="me", now=at, lease_until=at + timedelta(minutes=3))
    assert 0 == book.release([ONE], worker="other")


def test_attempts_of_a_failed_item_are_counted_up_until_it_is_forgotten(book: SqliteJobBook) -> None:
    book.put_failed(failed(ONE))
    book.put_failed(failed(ONE, job_id="job-2"))
    book.put_failed(failed(TWO))
    assert [("one", 2, "job-2"), ("two", 1, "job-1")] == [(each.native_id, each.attempts, each.job_id) for each in book.failed()]
    assert ["one"] == [each.native_id for each in book.failed(job_id="job-2")]
    assert [] == book.failed(source_id="elsewhere")
    book.forget_failed([ONE, TWO])
    assert [] == book.failed()


def test_a_worker_lives_as_long_as_its_process() -> None:
    script = "from oida.adapters.worker import this_worker; print(this_worker())"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    assert is_gone(ended)
    mine = this_worker()
    assert not is_gone(mine)
    machine, process, started, _ = mine.split(":")
    assert not is_gone(f"elsewhere:{process}:{started}:x")
    assert is_gone(f"{machine}:{process}:an earlier process of this number:x")
    assert mine != this_worker()
