"""The connection to a base in one SQLite file: WAL, one writer, many readers, whole transactions or none.

Foreign exceptions end here: everything that leaves is an `OidaError`.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oida.adapters.database.schema import MIGRATIONS
from oida.model.errors import ConflictError, InputError, IntegrityError, NotFoundError, OidaError, StoreBusyError, UnavailableError

APPLICATION_ID = 0x4F494441
"""Marks the file as a base of ours ("OIDA" in ASCII)."""


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
        """A new, empty base; raises ConflictError when something is there already, UnavailableError when it cannot be written."""
        if path is not None:
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            except FileExistsError:
                raise ConflictError(f"expected no file at {path}, but one is there; open it, or choose another place") from None
            except OSError as error:
                raise UnavailableError(f"cannot create a base at {path}: {error.strerror}") from error
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
        read_only = not _writable(path)
        connection = _connect(path, busy_timeout_seconds, read_only=read_only)
        with translated(path):
            application_id = connection.execute("pragma application_id").fetchone()[0]
        if application_id != APPLICATION_ID:
            connection.close()
            raise InputError(f"expected a base of OIDA at {path}, found another kind of database")
        found = cls(connection, path, read_only=read_only)
        if not read_only:
            found._migrate()
        return found

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything inside is written at once or not at all; nested calls join the outer one."""
        if self._depth:
            yield self.connection
            return
        if self.read_only:
            raise UnavailableError(f"{self.path} can only be read: the file or its disk is read-only")
        with translated(self.path):
            self.connection.execute("begin immediate")
        self._depth += 1
        try:
            yield self.connection
            with translated(self.path):
                self.connection.execute("commit")
        except BaseException as error:
            if self.connection.in_transaction:
                self.connection.execute("rollback")
            if isinstance(error, sqlite3.Error):
                raise translate(error, self.path) from error
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
                self.connection.execute("rollback")

    def compact(self) -> None:
        """Write the file anew without free pages, and empty the write-ahead log."""
        with translated(self.path):
            self.connection.execute("vacuum")
            self.connection.execute("pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        """Give the file back."""
        self.connection.close()

    def _migrate(self) -> None:
        with translated(self.path):
            version = self.connection.execute("pragma user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise InputError(f"expected a base of version {len(MIGRATIONS)} or older at {self.path}, found version {version}; update OIDA")
        if version == len(MIGRATIONS):
            return
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
            query = "&immutable=1" if read_only and not _wal_usable(path) else ""
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


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) and not _on_read_only_disk(path.parent)


def _on_read_only_disk(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _wal_usable(path: Path) -> bool:
    """A read-only reader needs the shared-memory file that a live writer keeps; without one the file is at rest."""
    return path.with_name(path.name + "-shm").exists()


def _statements(script: str) -> list[str]:
    return [statement for statement in re.split(r";\s*\n", script) if statement.strip()]
