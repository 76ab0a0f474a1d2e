"""A whole base on a server against one in a file: equal digests, moved both ways, backed up, written by many. `make test-server`."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests import stores
from tests.companies import COMPANY, NOW, ingest, k_digest, open_base, said

from oida.adapters.content_store import sqlite as contents_module
from oida.adapters.database import SqliteDatabase
from oida.adapters.database.backup import copy_file, read_lines, write_lines
from oida.events.vocabulary import CycleCompleted
from oida.model.errors import ConflictError, InputError, IntegrityError, StoreBusyError
from oida.workspace.transfer import check_lines
from oida.workspace.workspace import Workspace

pytestmark = pytest.mark.skipif(not stores.SERVER, reason="needs a PostgreSQL server: make test-server")


@pytest.fixture
def in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """An empty base in a file, though the run's other bases lie on the server."""
    monkeypatch.setattr(stores, "make_base", SqliteDatabase.create)
    with open_base(tmp_path / "file.db") as workspace:
        monkeypatch.undo()
        yield workspace


@pytest.fixture
def on_the_server(tmp_path: Path) -> Iterator[Workspace]:
    """An empty base on the server."""
    with open_base(tmp_path / "server.db") as workspace:
        yield workspace


def lived(workspace: Workspace) -> Workspace:
    """A base with a history: read, asked, corrected, redacted, weighed."""
    ingest(workspace, COMPANY)
    workspace.acting_as("Ada").ask("How many vans stay at Moss?")
    workspace.grant("auditor", "chat:harbour/board")
    workspace.resolve(said(workspace, "Why is the queue"), text="The gate is broken.")
    workspace.redact(said(workspace, "We measured the gate"))
    workspace.at(NOW.replace(hour=21)).cycle(catch_up=True)
    return workspace


def test_the_same_history_gives_the_same_chain_state_and_k(
    in_a_file: Workspace, on_the_server: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = []
    for workspace in (in_a_file, on_the_server):
        keys = iter(range(10_000))
        monkeypatch.setattr(contents_module.secrets, "token_bytes", lambda size, keys=keys: next(keys).to_bytes(size, "big"))
        heads.append(lived(workspace).head())
    assert heads[0] == heads[1]
    assert (in_a_file.digest(), k_digest(in_a_file)) == (on_the_server.digest(), k_digest(on_the_server))


def test_both_answer_alike(in_a_file: Workspace, on_the_server: Workspace) -> None:
    one, other = lived(in_a_file), lived(on_the_server)
    for question in ("How many vans stay at Moss?", "queue", "night loading"):
        found = [each.acting_as("Ada").context(question, preview=True) for each in (one, other)]
        assert found[0] == found[1]
        assert one.search(question) == other.search(question)


def copied(source: Workspace, target: Workspace) -> Workspace:
    target.import_lines(source.export_lines(whole=True), whole=True)
    return target


def empty(path: Path) -> Workspace:
    """A base before its first entry, as an import wants it."""
    from oida.adapters.embedder.hashing import HashingEmbedder

    embedder = HashingEmbedder()
    given = open_base(None)
    database = stores.create_in_place_of(path) if "server" in path.name else SqliteDatabase.create(path)
    store = stores.store_of(database, model_id=embedder.model_id, dimension=embedder.dimension)
    return Workspace(store, models=given._models, reader=given._reader, counter=given._counter, clock=given._clock)


def test_a_base_goes_to_the_server_and_back_with_its_head_texts_redactions_and_k(in_a_file: Workspace, tmp_path: Path) -> None:
    there = copied(lived(in_a_file), empty(tmp_path / "there-server.db"))
    back = copied(there, empty(tmp_path / "back.db"))
    for workspace in (there, back):
        assert in_a_file.head() == workspace.head()
        assert (in_a_file.digest(), k_digest(in_a_file)) == (workspace.digest(), k_digest(workspace))
        assert workspace.verify(deep=True).is_sound
        assert not [each for each in workspace.store.contents.all_statements() if "four seconds" in each.text]
    assert next(in_a_file.export_lines(whole=True)) == next(back.export_lines(whole=True))
    assert sorted(in_a_file.export_lines(whole=True)) == sorted(back.export_lines(whole=True))


def test_a_backup_taken_while_others_write_is_whole(on_the_server: Workspace, tmp_path: Path) -> None:
    lived(on_the_server)
    path = tmp_path / "server.db"
    stop, written = threading.Event(), []

    def write() -> None:
        with open_base(path) as other:
            while not stop.is_set():
                ingest(other, [replace(COMPANY[0], native_id=f"more{len(written)}")], settle=False)  # type: ignore[type-var]
                written.append(other.head())

    writer = threading.Thread(target=write)
    writer.start()
    try:
        ends = time.monotonic() + 60.0
        while not written and time.monotonic() < ends:
            time.sleep(0.01)
        for number in range(3):
            write_lines(tmp_path / f"backup{number}.gz", on_the_server.export_lines(whole=True))
    finally:
        stop.set()
        writer.join()
    assert len(written) > 1, "others wrote meanwhile"
    for number in range(3):
        with read_lines(tmp_path / f"backup{number}.gz") as lines:
            head = check_lines(lines)
        with read_lines(tmp_path / f"backup{number}.gz") as lines:
            restored = empty(tmp_path / f"restored{number}.db")
            restored.import_lines(lines, whole=True)
        assert head == restored.head()
        assert restored.verify(deep=True).is_sound


def test_a_file_is_backed_up_while_others_write(in_a_file: Workspace, tmp_path: Path) -> None:
    lived(in_a_file)
    copy_file(tmp_path / "file.db", tmp_path / "copy.db")
    copy = SqliteDatabase.open(tmp_path / "copy.db")
    assert in_a_file.head() == stores.event_log_of(copy).verify()
    copy.close()


@pytest.mark.parametrize("spoil", [lambda lines: lines[:-5], lambda lines: [lines[0].replace('"head": "', '"head": "9'), *lines[1:]]])
def test_a_backup_that_is_not_whole_is_told_and_fills_nothing(on_the_server: Workspace, tmp_path: Path, spoil) -> None:  # type: ignore[no-untyped-def]
    lines = spoil(list(lived(on_the_server).export_lines(whole=True)))
    target = empty(tmp_path / "spoilt-server.db")
    with pytest.raises((IntegrityError, InputError)):
        target.import_lines(lines, whole=True)
    assert 0 == target.head().position


def test_writers_of_one_tenant_wait_and_those_of_others_do_not(tmp_path: Path) -> None:
    from oida.adapters.database.address import parse_address
    from oida.adapters.database.postgres import PostgresDatabase

    tenant = stores.new_tenant()
    mine = stores.new_server_database(tenant)
    with mine.transaction() as connection:
        connection.execute("insert into fact values('held', '1')")
        other = stores.new_server_database()
        with other.transaction() as connection:
            connection.execute("insert into fact values('free', '1')")
        rival = PostgresDatabase.create(parse_address(stores.tenant_address(tenant)), busy_timeout_seconds=0.2)
        with pytest.raises(StoreBusyError), rival.transaction():
            pass
        assert rival.connection.execute("select value from fact where name = 'held'").fetchone() is None
    with rival.transaction() as connection:
        assert ("1",) == connection.execute("select value from fact where name = 'held'").fetchone()
    rival.close()


RUNNER = """
import sys, time
from pathlib import Path
from tests.companies import NOW, open_base
from oida.workspace import weigh
cycled = weigh._kept
def slowly(*given, **named):
    print("computing", flush=True)
    time.sleep(60)
    return cycled(*given, **named)
weigh._kept = slowly
open_base(Path(sys.argv[1])).at(NOW.replace(hour=21)).cycle(catch_up=True)
"""


def test_a_runner_that_dies_gives_way_and_no_grid_point_is_run_twice(on_the_server: Workspace, tmp_path: Path) -> None:
    ingest(on_the_server, COMPANY)
    root = Path(__file__).resolve().parents[2]
    runner = subprocess.Popen([sys.executable, "-c", RUNNER, str(tmp_path / "server.db")], cwd=root, stdout=subprocess.PIPE, text=True)
    try:
        assert runner.stdout is not None
        assert runner.stdout.readline() == "computing\n"
        later = on_the_server.at(NOW.replace(hour=21))
        assert later.cycle(catch_up=True) == [], "another runs the engine"
    finally:
        runner.kill()
        runner.wait()
    given_way = time.monotonic() + 20.0
    while not (runs := later.cycle(catch_up=True)) and time.monotonic() < given_way:
        time.sleep(0.2)
    points = [entry.event.grid_at for entry in on_the_server.store.event_log.read() if isinstance(entry.event, CycleCompleted)]
    assert points[-len(runs) :] == [run.grid_at for run in runs]
    assert len(points) == len(set(points))
    assert on_the_server.verify().is_sound


def test_a_second_base_in_a_tenant_is_refused(on_the_server: Workspace, tmp_path: Path) -> None:
    with pytest.raises(ConflictError, match="found a base"):
        stores.create_in_place_of(tmp_path / "server.db")


def test_what_another_process_indexed_is_found_without_opening_anew(on_the_server: Workspace, tmp_path: Path) -> None:
    ingest(on_the_server, COMPANY[:2])
    with open_base(tmp_path / "server.db") as reader:
        before = reader.store.vectors.count(), reader.store.words.count()
        ingest(on_the_server, COMPANY)
        assert (on_the_server.store.vectors.count(), on_the_server.store.words.count()) == (
            reader.store.vectors.count(),
            reader.store.words.count(),
        )
        assert before[0] < reader.store.vectors.count()
