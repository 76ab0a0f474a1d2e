"""The connection to a base in one SQLite file: WAL, one writer, many readers, whole transactions or none.

Foreign exceptions end here: everything that leaves is an `OidaError`.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from oida.adapters.database.schema import MIGRATIONS
from oida.model.errors import ConflictError, InputError, IntegrityError, NotFoundError, OidaError, StoreBusyError, UnavailableError

APPLICATION_ID = 0x4F494441
"""Marks the file as a base of ours ("OIDA" in ASCII)."""

_SQLITE_MAGIC = b"SQLite format 3\x00"


class SqliteDatabase:
    """An open base file, or a base in memory for `path=None`.

    Opening brings an older schema forward. `busy_timeout_seconds` is how long a writer waits for another one.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path | None, *, read_only: bool) -> None:
        self.connection = connection
        self.path = path
        self.read_only = read_only
        self._depth = 0

    @classmethod
    def create(cls, path: Path | None, *, busy_timeout_seconds: float = 30.0) -> SqliteDatabase:
        """A new, empty base, or one whose making was cut short before its first ledger entry.

        Raises ConflictError when something else is there already, UnavailableError when it cannot be written.
        """
        if path is not None:
            _claim(path)
        connection = _connect(path, busy_timeout_seconds, read_only=False)
        found = cls(connection, path, read_only=False)
        with translated(path):
            connection.execute("pragma journal_mode = wal")
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
        found._migrate()
        return found

    @classmethod
    def open(cls, path: Path, *, busy_timeout_seconds: float = 30.0) -> SqliteDatabase:
        """An existing base, read-only where the place cannot be written; raises NotFoundError, InputError or IntegrityError."""
        if not path.is_file():
            raise NotFoundError(f"expected a base at {path}, found {'a folder' if path.is_dir() else 'nothing'}; run `oida init`")
        _refuse_other_files(path)
        read_only = not _writable(path)
        found = cls(_connect(path, busy_timeout_seconds, read_only=read_only), path, read_only=read_only)
        try:
            found._refuse_other_databases()
            found._migrate()
            found._refuse_unfinished()
        except OidaError:
            found.close()
            raise
        return found

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything inside is written at once or not at all; nested calls join the outer one."""
        if self._depth:
            yield self.connection
            return
        if self.read_only:
            raise UnavailableError(f"{self.path} can only be read: the file or its disk is read-only")
        assert not self.connection.in_transaction, "a snapshot is for reading; write before or after it"
        with translated(self.path):
            self.connection.execute("begin immediate")
        self._depth += 1
        try:
            with translated(self.path):
                yield self.connection
                self.connection.execute("commit")
        except BaseException:
            self._roll_back()
            raise
        finally:
            self._depth -= 1

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Everything read inside is of one moment, whatever others write meanwhile."""
        if self._depth or self.connection.in_transaction:
            yield self.connection
            return
        with translated(self.path):
            self.connection.execute("begin")
            try:
                yield self.connection
            finally:
                self._roll_back()

    def compact(self) -> None:
        """Write the file anew without free pages, and empty the write-ahead log."""
        with translated(self.path):
            self.connection.execute("vacuum")
            self.connection.execute("pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        """Give the file back."""
        self.connection.close()

    def _roll_back(self) -> None:
        """SQLite may have rolled back by itself, after a full disk for example."""
        if self.connection.in_transaction:
            self.connection.execute("rollback")

    def _refuse_other_databases(self) -> None:
        with translated(self.path):
            application_id = self.connection.execute("pragma application_id").fetchone()[0]
        if application_id != APPLICATION_ID:
            raise InputError(f"expected a base of OIDA at {self.path}, found another kind of database")

    def _refuse_unfinished(self) -> None:
        with translated(self.path):
            begun = self.connection.execute("select 1 from ledger limit 1").fetchone()
        if not begun:
            raise NotFoundError(f"expected a base at {self.path}, found one whose making was cut short; run `oida init` to finish it")

    def _migrate(self) -> None:
        with translated(self.path):
            version = self.connection.execute("pragma user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise InputError(f"expected a base of version {len(MIGRATIONS)} or older at {self.path}, found version {version}; update OIDA")
        if version == len(MIGRATIONS):
            return
        if self.read_only:
            raise UnavailableError(
                f"{self.path} is of the older version {version} and can only be read; copy it to where it can be written"
            )
        with self.transaction() as connection:
            version = connection.execute("pragma user_version").fetchone()[0]
            for number in range(version, len(MIGRATIONS)):
                for statement in _statements(MIGRATIONS[number]):
                    connection.execute(statement)
                connection.execute(f"pragma user_version = {number + 1}")


@contextmanager
def translated(path: Path | None) -> Iterator[None]:
    """Turns what SQLite raises inside into our own errors."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error
    except UnicodeEncodeError as error:
        raise InputError(f"expected text that has an encoding, found a lone surrogate in {error.object[:80]!r}") from error


def translate(error: sqlite3.Error, path: Path | None) -> OidaError:
    """Our error for one of SQLite's, with what to do about it."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    place = path or "the base in memory"
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError(f"another process is writing to {place}; wait for it to end and run this again")
    if primary == sqlite3.SQLITE_FULL:
        return UnavailableError(f"the disk of {place} is full; nothing of the last step was written; free some space and run it again")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM):
        return UnavailableError(f"{place} cannot be read or written: {error}")
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return IntegrityError(f"{place} is damaged or no database: {error}; restore a backup and keep this file for inspection")
    return IntegrityError(f"{place} answered: {error}")


def _connect(path: Path | None, busy_timeout_seconds: float, *, read_only: bool) -> sqlite3.Connection:
    with translated(path):
        if path is None:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        else:
            mode = "ro" if read_only else "rw"
            at_rest = read_only and not _wal_usable(path)
            if at_rest:
                _refuse_unrecovered(path)
            query = "&immutable=1" if at_rest else ""
            connection = sqlite3.connect(
                f"{path.resolve().as_uri()}?mode={mode}{query}",
                uri=True,
                isolation_level=None,
                timeout=busy_timeout_seconds,
                check_same_thread=False,
            )
        connection.execute("pragma synchronous = full")
        connection.execute("pragma foreign_keys = on")
        connection.execute("pragma cache_size = -64000")
        connection.execute("pragma secure_delete = on")
    return connection


def _claim(path: Path) -> None:
    """Make the file, so that of two processes one is first; what an interrupted making left is taken up again."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if not _is_unfinished(path):
            raise ConflictError(f"expected no file at {path}, but one is there; open it, or choose another place") from None
    except OSError as error:
        raise UnavailableError(f"cannot create a base at {path}: {error.strerror}") from error


def _is_unfinished(path: Path) -> bool:
    """Whether a file is what the making of a base leaves behind when it is cut short: nothing in it, or no ledger entry."""
    if not path.is_file():
        return False
    if path.stat().st_size == 0:
        return True
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            (application_id,) = connection.execute("pragma application_id").fetchone()
            tables = {name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")}
            (journal,) = connection.execute("pragma journal_mode").fetchone()
            if "ledger" not in tables:
                return not tables and (application_id == APPLICATION_ID or (application_id == 0 and journal == "wal"))
            return application_id == APPLICATION_ID and connection.execute("select 1 from ledger limit 1").fetchone() is None
    except sqlite3.Error:
        return False


def _refuse_other_files(path: Path) -> None:
    try:
        with path.open("rb") as file:
            beginning = file.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise UnavailableError(f"{path} cannot be read: {error.strerror}") from error
    if not beginning:
        raise NotFoundError(f"expected a base at {path}, found an empty file; run `oida init` to make one of it")
    if beginning != _SQLITE_MAGIC:
        raise InputError(f"expected a base of OIDA at {path}, found a file of another kind; if it was a base, restore a backup")


def _writable(path: Path) -> bool:
    may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return may_write and not any(os.statvfs(place).f_flag & os.ST_RDONLY for place in (path, path.parent))


def _refuse_unrecovered(path: Path) -> None:
    """A log that no process has open holds entries that only a writer can bring into the file: do not read past them."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        raise UnavailableError(f"{path} was not closed properly and can only be read; copy it with {log.name} to where it can be written")


def _wal_usable(path: Path) -> bool:
    """A read-only reader needs the shared-memory file that a live writer keeps; without one the file is at rest."""
    return path.with_name(path.name + "-shm").exists()


def _statements(script: str) -> list[str]:
    return [statement for statement in re.split(r";\s*\n", script) if statement.strip()]
