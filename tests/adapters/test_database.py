from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.adapters.mounts import disk_of, make_read_only, resize
from tests.histories import small_world

from oida.adapters.database import SqliteDatabase, schema
from oida.adapters.database import sqlite as database_module
from oida.adapters.event_log import SqliteEventLog
from oida.model.errors import (
    ConflictError,
    InputError,
    IntegrityError,
    NotFoundError,
    OidaError,
    StoreBusyError,
    UnavailableError,
)
from oida.model.identifiers import Position

VERSION = len(schema.MIGRATIONS)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A base with a few ledger entries, closed."""
    path = tmp_path / "base.db"
    database = SqliteDatabase.create(path)
    begin(database)
    database.close()
    return path


def begin(database: SqliteDatabase) -> None:
    SqliteEventLog(database).append(small_world(), expected=Position(0))


def entries(path: Path) -> int:
    database = SqliteDatabase.open(path)
    try:
        return SqliteEventLog(database).head().position
    finally:
        database.close()


def test_a_base_is_readable_and_writable_by_its_owner_only(base: Path) -> None:
    assert "0o600" == oct(base.stat().st_mode & 0o777)


def test_a_base_at_rest_is_one_file(base: Path) -> None:
    assert [base] == list(base.parent.iterdir())


@pytest.mark.parametrize("there", [b"a letter to somebody", b"SQLite format 3\x00 and then something else"])
def test_what_is_there_already_is_left_alone(tmp_path: Path, there: bytes) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(there)
    with pytest.raises(ConflictError, match="expected no file at"):
        SqliteDatabase.create(path)
    assert there == path.read_bytes()


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as theirs:
        theirs.execute("create table ledger(position)")
    theirs.close()
    with pytest.raises(ConflictError):
        SqliteDatabase.create(path)
    with pytest.raises(InputError, match="another kind of database"):
        SqliteDatabase.open(path)


def test_a_base_is_not_made_twice(base: Path) -> None:
    with pytest.raises(ConflictError, match="expected no file at"):
        SqliteDatabase.create(base)
    assert len(small_world()) == entries(base)


def test_a_base_cannot_be_made_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot create a base at"):
        SqliteDatabase.create(tmp_path / "nowhere" / "base.db")


def test_a_making_that_was_cut_short_is_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    path.touch()
    with pytest.raises(NotFoundError, match="empty file; run `oida init`"):
        SqliteDatabase.open(path)
    SqliteDatabase.create(path).close()
    with pytest.raises(NotFoundError, match="cut short; run `oida init` to finish it"):
        SqliteDatabase.open(path)
    again = SqliteDatabase.create(path)
    begin(again)
    again.close()
    assert len(small_world()) == entries(path)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"just some text", InputError),
        (b"\x00" * 4096, InputError),
        (b"SQLite format 3\x00" + b"\xff" * 4096, IntegrityError),
    ],
)
def test_a_file_that_is_no_base_is_refused_with_what_it_is(tmp_path: Path, content: bytes, error: type[OidaError]) -> None:
    path = tmp_path / "odd.db"
    path.write_bytes(content)
    with pytest.raises(error, match=r"odd\.db"):
        SqliteDatabase.open(path)


@pytest.mark.parametrize(("name", "what"), [("missing.db", "nothing"), (".", "a folder")])
def test_where_no_base_is_it_says_what_is_there_and_what_to_do(tmp_path: Path, name: str, what: str) -> None:
    with pytest.raises(NotFoundError, match=f"found {what}; run `oida init`"):
        SqliteDatabase.open(tmp_path / name)


def test_a_truncated_base_is_an_integrity_error(base: Path) -> None:
    base.write_bytes(base.read_bytes()[: 4096 * 5])
    with pytest.raises(IntegrityError, match=r"base\.db"):
        entries(base)


def test_an_older_base_is_brought_forward_with_all_that_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "base.db"
    with monkeypatch.context() as older:
        older.setattr(database_module, "MIGRATIONS", schema.MIGRATIONS[:1])
        database = SqliteDatabase.create(path)
        begin(database)
        database.close()
    assert len(small_world()) == entries(path)
    with sqlite3.connect(path) as connection:
        assert VERSION == connection.execute("pragma user_version").fetchone()[0]
        brought_forward = schema_of(connection)
    connection.close()
    fresh = SqliteDatabase.create(None)
    assert schema_of(fresh.connection) == brought_forward


def schema_of(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(connection.execute("select name, sql from sqlite_schema where sql is not null"))


def test_a_migration_that_fails_leaves_the_older_base_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "base.db"
    with monkeypatch.context() as older:
        older.setattr(database_module, "MIGRATIONS", schema.MIGRATIONS[:1])
        SqliteDatabase.create(path).close()
    before = contents(path)
    monkeypatch.setattr(database_module, "MIGRATIONS", (*schema.MIGRATIONS[:1], "create table half(x);\ncreate nonsense;\n"))
    with pytest.raises(IntegrityError):
        SqliteDatabase.open(path)
    assert before == contents(path)


def contents(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def test_a_base_of_a_newer_version_is_refused_and_left_alone(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect(base) as connection:
        connection.execute(f"pragma user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(InputError, match=f"version {VERSION} or older .* found version {VERSION + 1}; update OIDA"):
        SqliteDatabase.open(base)


class TestReadOnly:
    def test_a_base_on_a_read_only_disk_can_be_read_and_not_written(self, base: Path, tmp_path: Path) -> None:
        with disk_of(tmp_path / "disk", kilobytes=4000) as disk:
            shutil.copy(base, disk / "base.db")
            make_read_only(disk)
            database = SqliteDatabase.open(disk / "base.db")
            assert database.read_only
            assert len(small_world()) == SqliteEventLog(database).verify().position
            with pytest.raises(UnavailableError, match="can only be read"):
                SqliteEventLog(database).append(small_world(), expected=Position(8))
            database.close()

    def test_entries_that_only_the_log_holds_are_not_silently_left_out(self, tmp_path: Path) -> None:
        with disk_of(tmp_path / "disk", kilobytes=8000) as disk:
            database = SqliteDatabase.create(disk / "base.db")
            begin(database)
            copied = disk / "copied"
            copied.mkdir()
            for name in ("base.db", "base.db-wal"):
                shutil.copy(disk / name, copied / name)
            database.close()
            make_read_only(disk)
            with pytest.raises(UnavailableError, match="not closed properly"):
                SqliteDatabase.open(copied / "base.db")

    def test_an_older_base_that_cannot_be_brought_forward_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with disk_of(tmp_path / "disk", kilobytes=4000) as disk:
            with monkeypatch.context() as older:
                older.setattr(database_module, "MIGRATIONS", schema.MIGRATIONS[:1])
                database = SqliteDatabase.create(disk / "base.db")
                begin(database)
                database.close()
            make_read_only(disk)
            with pytest.raises(UnavailableError, match="older version 1"):
                SqliteDatabase.open(disk / "base.db")


class TestFullDisk:
    def test_what_does_not_fit_is_not_written_at_all_and_the_ledger_holds(self, tmp_path: Path) -> None:
        with disk_of(tmp_path / "disk", kilobytes=700) as disk:
            database = SqliteDatabase.create(disk / "base.db")
            log = SqliteEventLog(database)
            with pytest.raises(UnavailableError, match=r"full|cannot be read or written"):
                append_until_it_fails(log)
            head = log.head()
            assert head.position >= 8
            assert 0 == head.position % len(small_world())
            assert head == log.verify()
            database.close()
            assert head.position == entries(disk / "base.db")

    def test_a_base_that_did_not_fit_can_be_made_once_there_is_room(self, tmp_path: Path) -> None:
        with disk_of(tmp_path / "disk", kilobytes=60) as disk:
            with pytest.raises(UnavailableError, match=r"disk of .* is full"):
                SqliteDatabase.create(disk / "base.db")
            resize(disk, kilobytes=4000)
            SqliteDatabase.create(disk / "base.db").close()


def append_until_it_fails(log: SqliteEventLog) -> None:
    while True:
        log.append(small_world(), expected=log.head().position)


class TestTransactions:
    def test_what_was_written_before_a_failure_is_taken_back(self, base: Path) -> None:
        database = SqliteDatabase.open(base)
        with pytest.raises(KeyboardInterrupt):
            self.interrupted(database)
        assert [] == database.connection.execute("select * from meta").fetchall()
        assert not database.connection.in_transaction
        database.close()

    def interrupted(self, database: SqliteDatabase) -> None:
        with database.transaction() as connection, database.transaction():
            connection.execute("insert into meta values('half', 'way')")
            raise KeyboardInterrupt

    def test_what_sqlite_raises_inside_leaves_as_our_own_error(self, base: Path) -> None:
        database = SqliteDatabase.open(base)
        with pytest.raises(IntegrityError, match="no such table"), database.transaction() as connection:
            connection.execute("select * from dreams")
        with pytest.raises(IntegrityError, match="no such table"), database.snapshot() as connection:
            connection.execute("select * from dreams")
        database.close()

    def test_a_second_writer_is_told_to_wait(self, base: Path) -> None:
        first, second = SqliteDatabase.open(base), SqliteDatabase.open(base, busy_timeout_seconds=0.05)
        with first.transaction(), pytest.raises(StoreBusyError, match="another process is writing"):
            SqliteEventLog(second).append(small_world(), expected=Position(8))
        assert 16 == SqliteEventLog(second).append(small_world(), expected=Position(8))[-1].position
        first.close()
        second.close()

    def test_a_reader_sees_one_moment_while_another_writes(self, base: Path) -> None:
        reader, writer = SqliteDatabase.open(base), SqliteDatabase.open(base)
        with reader.snapshot():
            before = SqliteEventLog(reader).head()
            SqliteEventLog(writer).append(small_world(), expected=before.position)
            assert before == SqliteEventLog(reader).head()
            with reader.snapshot():
                assert before == SqliteEventLog(reader).head()
        assert before.position + 8 == SqliteEventLog(reader).head().position
        reader.close()
        writer.close()

    def test_writing_inside_a_snapshot_is_our_own_mistake(self, base: Path) -> None:
        database = SqliteDatabase.open(base)
        with database.snapshot(), pytest.raises(AssertionError, match="a snapshot is for reading"), database.transaction():
            pass
        database.close()


APPENDER = """
import sys
from pathlib import Path
from oida.adapters.database import SqliteDatabase
from oida.adapters.event_log import SqliteEventLog
from tests.histories import small_world
log = SqliteEventLog(database := SqliteDatabase.open(Path(sys.argv[1])))
for _ in range(20):
    with database.transaction():
        log.append(small_world(), expected=log.head().position)
database.close()
"""


def test_two_processes_that_write_at_once_lose_nothing(base: Path) -> None:
    root = Path(__file__).resolve().parent.parent.parent
    writers = [subprocess.Popen([sys.executable, "-c", APPENDER, str(base)], cwd=root) for _ in range(2)]
    assert [0, 0] == [writer.wait(timeout=60) for writer in writers]
    database = SqliteDatabase.open(base)
    assert 8 + 2 * 20 * 8 == SqliteEventLog(database).verify().position
    database.close()
