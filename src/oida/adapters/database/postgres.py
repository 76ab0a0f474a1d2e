"""The connection to one tenant's base on a PostgreSQL server: whole transactions or none, one writer a tenant, many readers.

It is used like `SqliteDatabase`: what adapters say in SQLite's words is said to the server in its own. Foreign exceptions end here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import psycopg
from psycopg import errors, sql

from oida.adapters.database.address import DEFAULT_TENANT, ServerAddress
from oida.adapters.database.dialect import in_postgres, inserted_table, may_share_statement, of_many_rows, words_of
from oida.model.errors import (
    ConflictError,
    InputError,
    IntegrityError,
    NotFoundError,
    OidaError,
    StoreBusyError,
    UnavailableError,
)

VERSION = "0002"
"""The newest migration: what the tables must be for this program."""

WRITERS = 0x4F49
"""The space of advisory locks in which each tenant's writers wait for one another."""

ENGINES = 0x4F45
"""The space of advisory locks of which each tenant's engine runner holds one."""

ROWS_TOGETHER = 50
"""Rows that one statement inserts: each statement costs client and server more than a row does."""

ROWS_WAITING = 1_000
"""Insertions of one kind that wait at most."""

KINDS_WAITING = 20
"""Kinds of insertions that wait at most."""

_TRIGGERING, _TRIGGERED = "object_visibility", "word_row"
"""A table whose insertions change another by the server's own hand."""

_KEEPALIVE: dict[str, Any] = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""A connection whose other end is gone is given up after a minute, and with it what it holds."""

_SESSION = {
    "search_path": "oida,public",
    "jit": "off",
    "client_encoding": "UTF8",
    "idle_in_transaction_session_timeout": "10min",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}


class PostgresRows:
    """The rows of one statement, which may not have reached the server yet: looking at them sends what waits."""

    def __init__(self, cursor: psycopg.Cursor[tuple[Any, ...]], pipeline: psycopg.Pipeline | None, place: str) -> None:
        self._cursor = cursor
        self._pipeline = pipeline
        self._place = place

    @property
    def rowcount(self) -> int:
        """How many rows were written."""
        with translated(self._place):
            if self._pipeline is not None:
                self._pipeline.sync()
        return self._cursor.rowcount

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, None after the last."""
        with translated(self._place):
            return self._cursor.fetchone()

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """At most that many rows more."""
        with translated(self._place):
            return self._cursor.fetchmany(size)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that are left."""
        with translated(self._place):
            return self._cursor.fetchall()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """The rows that are left."""
        return iter(self.fetchall())


class PostgresConnection:
    """What adapters ask of a connection; SQLite's words go in, rows come out, errors leave as ours.

    Inside a writing transaction statements travel together: what only writes waits for the next that is read, so that a transaction
    costs as many round trips as it reads, not as many as it says. What is said `later` travels as one statement with others of its kind.
    """

    def __init__(self, driver: psycopg.Connection[tuple[Any, ...]], place: str) -> None:
        self.driver = driver
        self._place = place
        self._pipeline: psycopg.Pipeline | None = None
        self._waiting: dict[str, list[Sequence[object]]] = {}
        self._waiting_for: dict[str, str] = {}

    def execute(self, statement: str, arguments: Sequence[object] = ()) -> PostgresRows:
        """One statement; what it finds is read from the rows."""
        self._send_what_concerns(statement)
        with translated(self._place):
            try:
                cursor = self.driver.execute(in_postgres(statement), arguments)
            except psycopg.DataError:
                if not _has_nul(arguments):
                    raise
                cursor = self.driver.execute(in_postgres(statement), _without_nul(arguments))
        return PostgresRows(cursor, self._pipeline, self._place)

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> PostgresRows:
        """One statement for each row, or for many where it inserts them; sent together."""
        self._send_what_concerns(statement)
        with translated(self._place):
            return PostgresRows(self._insert(in_postgres(statement), list(rows)), self._pipeline, self._place)

    def later(self, statement: str, arguments: Sequence[object]) -> None:
        """One statement that only writes, whose count nobody asks for.

        In a writing transaction an insertion waits for others into the same table, until a statement names that table or the end.
        """
        said = in_postgres(statement)
        table = inserted_table(said)
        if self._pipeline is None or table is None:
            self.execute(statement, arguments)
            return
        if self._waiting_for.get(table, said) != said or len(self._waiting) > KINDS_WAITING:
            self._send_waiting()
        self._waiting_for[table] = said
        rows = self._waiting.setdefault(said, [])
        rows.append(arguments)
        if len(rows) >= ROWS_WAITING:
            self._send_waiting()

    def _send_what_concerns(self, statement: str) -> None:
        if not self._waiting:
            return
        named = words_of(statement)
        if "commit" in named or not named.isdisjoint(self._waiting_for) or (_TRIGGERED in named and _TRIGGERING in self._waiting_for):
            self._send_waiting()

    def _send_waiting(self) -> None:
        waiting, self._waiting, self._waiting_for = self._waiting, {}, {}
        with translated(self._place):
            for said, rows in waiting.items():
                self._insert(said, rows)

    def _insert(self, said: str, rows: Sequence[Sequence[object]]) -> psycopg.Cursor[tuple[Any, ...]]:
        wanted = [_without_nul(row) if _has_nul(row) else row for row in rows]
        cursor = self.driver.cursor()
        if len(wanted) < 2 or not may_share_statement(said, wanted):
            cursor.executemany(said, wanted)
            return cursor
        chunks = [wanted[start : start + ROWS_TOGETHER] for start in range(0, len(wanted), ROWS_TOGETHER)]
        last = chunks.pop() if len(chunks[-1]) < ROWS_TOGETHER else []
        cursor.executemany(of_many_rows(said, ROWS_TOGETHER), [list(chain.from_iterable(chunk)) for chunk in chunks])
        return self.driver.execute(of_many_rows(said, len(last)), list(chain.from_iterable(last))) if last else cursor

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._pipeline is not None or self.driver.info.transaction_status != psycopg.pq.TransactionStatus.IDLE

    @contextmanager
    def together(self) -> Iterator[None]:
        """Statements inside travel together; the last of them has been carried out at the end."""
        with translated(self._place), self.driver.pipeline() as self._pipeline:
            try:
                yield
            finally:
                self._pipeline = None
                self._waiting, self._waiting_for = {}, {}


class PostgresDatabase:
    """One tenant's base on a server; `path` is a place on this machine for what lies beside a base, `columns` what is known of tables.
    `known` is what adapters keep for the length of a writing transaction, in which nobody else writes to the tenant.
    """

    def __init__(self, driver: psycopg.Connection[tuple[Any, ...]], address: ServerAddress, tenant_id: int, path: Path | None) -> None:
        self.connection = PostgresConnection(driver, address.shown)
        self.address = address
        self.tenant_id = tenant_id
        self.path = path
        self.columns: dict[str, dict[str, str]] = {}
        self.read_only = _is_read_only(driver)
        self.known: dict[tuple[str, Hashable], Any] = {}
        self._depth = 0

    @classmethod
    def create(cls, address: ServerAddress, path: Path | None = None, *, busy_timeout_seconds: float = 30.0) -> PostgresDatabase:
        """A new, empty base: the server's tables are brought forward and the tenant is made where it is not.

        Raises ConflictError when the tenant has a base already.
        """
        with translated(address.shown):
            driver = _connect(address, busy_timeout_seconds)
            if _version(driver) != VERSION:
                _migrate(address, driver)
            if not _is_tenant_role(driver):
                from oida.adapters.database.tenants import create_tenant

                create_tenant(driver, address.tenant or DEFAULT_TENANT, exist_ok=True)
        found = cls._entered(driver, address, path)
        if found.connection.execute("select 1 from ledger limit 1").fetchone():
            found.close()
            raise ConflictError(f"expected nothing at {address.shown}, found a base; choose another tenant or use this one")
        return found

    @classmethod
    def open(cls, address: ServerAddress, path: Path | None = None, *, busy_timeout_seconds: float = 30.0) -> PostgresDatabase:
        """An existing base; raises NotFoundError where the tenant has none."""
        with translated(address.shown):
            driver = _connect(address, busy_timeout_seconds)
            version = _version(driver)
            if version is None:
                driver.close()
                raise NotFoundError(f"expected a base at {address.shown}, found a database without one; run `oida init`")
            if version != VERSION:
                _migrate(address, driver)
        found = cls._entered(driver, address, path)
        if not found.connection.execute("select 1 from ledger limit 1").fetchone():
            found.close()
            raise NotFoundError(f"expected a base at {address.shown}, found a tenant without one; run `oida init`")
        return found

    @classmethod
    def _entered(cls, driver: psycopg.Connection[tuple[Any, ...]], address: ServerAddress, path: Path | None) -> PostgresDatabase:
        try:
            with translated(address.shown):
                return cls(driver, address, enter_tenant(driver, address), path)
        except OidaError:
            driver.close()
            raise

    @contextmanager
    def transaction(self) -> Iterator[PostgresConnection]:
        """Everything inside is written at once or not at all; nested calls join the outer one.

        Writers of one tenant wait for one another, those of different tenants never do.
        """
        if self._depth:
            yield self.connection
            return
        if self.read_only:
            raise UnavailableError(f"{self.address.shown} can only be read: the server is a standby or read-only")
        assert not self.connection.in_transaction, "a snapshot is for reading; write before or after it"
        self._depth += 1
        self.known.clear()
        try:
            with self.connection.together():
                self.connection.execute("begin")
                self.connection.execute("select pg_advisory_xact_lock(?, ?)", (WRITERS, self.tenant_id)).fetchone()
                yield self.connection
                self.connection.execute("commit")
        except BaseException:
            self._roll_back()
            raise
        finally:
            self.known.clear()
            self._depth -= 1

    @property
    def is_writing(self) -> bool:
        """Whether a writing transaction is open."""
        return self._depth > 0

    @contextmanager
    def snapshot(self) -> Iterator[PostgresConnection]:
        """Everything read inside is of one moment, whatever others write meanwhile."""
        if self._depth or self.connection.in_transaction:
            yield self.connection
            return
        self.connection.execute("begin isolation level repeatable read read only")
        try:
            yield self.connection
        finally:
            self._roll_back()

    def compact(self) -> None:
        """The server takes back by itself what is no longer in use; see docs/operations.md for its write-ahead log and its backups."""

    def close(self) -> None:
        """End the connection."""
        self.connection.driver.close()

    def _roll_back(self) -> None:
        """A connection that broke has rolled back by itself."""
        if not self.connection.driver.closed and self.connection.in_transaction:
            self.connection.execute("rollback")


def enter_tenant(driver: psycopg.Connection[tuple[Any, ...]], address: ServerAddress) -> int:
    """Bind a connection to one tenant: by its role, which the server's policies compare, and by the number that new rows get."""
    if not _is_tenant_role(driver):
        row = driver.execute("select role from tenant where name = %s", (address.tenant or DEFAULT_TENANT,)).fetchone()
        if row is None:
            raise NotFoundError(f"expected a tenant {address.tenant or DEFAULT_TENANT} at {address.shown}, found none; run `oida init`")
        driver.execute(sql.SQL("set role {}").format(sql.Identifier(row[0])))
    rows = driver.execute("select tenant_id, name from tenant").fetchall()
    if len(rows) != 1 or (address.tenant and rows[0][1] != address.tenant):
        raise NotFoundError(f"expected the tenant {address.tenant} at {address.shown}, found that this role may not enter it")
    driver.execute("select set_config('oida.tenant', %s, false)", (str(rows[0][0]),))
    return int(rows[0][0])


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Turns what the server or its driver raises inside into our own errors."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, place) from error
    except UnicodeEncodeError as error:
        raise InputError(f"expected text that has an encoding, found a lone surrogate in {error.object[:80]!r}") from error


def translate(error: psycopg.Error, place: str) -> OidaError:
    """Our error for one of the server's, with what to do about it; what it says of values stays behind."""
    told = error.diag.message_primary or str(error).splitlines()[0] if str(error) else type(error).__name__
    match error:
        case errors.LockNotAvailable() | errors.SerializationFailure() | errors.DeadlockDetected():
            return StoreBusyError(f"another process is writing to {place}; wait for it to end and run this again")
        case errors.DiskFull() | errors.OutOfMemory() | errors.TooManyConnections() | errors.QueryCanceled():
            return UnavailableError(f"{place} has no room: {told}; nothing of the last step was written; try again later")
        case errors.InsufficientPrivilege() | errors.ReadOnlySqlTransaction():
            return UnavailableError(f"{place} does not allow this to the role that connects: {told}")
        case errors.DataError():
            return InputError(f"{place} does not take a value: {told}")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return UnavailableError(f"{place} cannot be reached: {told}", retry_after_seconds=5.0)
        case _:
            return IntegrityError(f"{place} answered: {told}")


def _has_nul(values: Sequence[object]) -> bool:
    return any(isinstance(value, str) and "\0" in value for value in values)


def _without_nul(values: Sequence[object]) -> list[object]:
    """PostgreSQL keeps no NUL in a text; what stands for one is the character for what cannot be shown, as in any other damaged text."""
    return [value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in values]


def _connect(address: ServerAddress, busy_timeout_seconds: float) -> psycopg.Connection[tuple[Any, ...]]:
    session = _SESSION | {"lock_timeout": f"{int(busy_timeout_seconds * 1000)}ms"}
    options = " ".join(f"-c {name}={value}" for name, value in session.items())
    driver = psycopg.connect(address.server, autocommit=True, options=options, fallback_application_name="oida", **_KEEPALIVE)
    driver.execute("set synchronous_commit = on")
    return driver


def _version(driver: psycopg.Connection[tuple[Any, ...]]) -> str | None:
    row = driver.execute("select to_regclass('oida.alembic_version')::text").fetchone()
    if row is None or row[0] is None:
        return None
    version = driver.execute("select version_num from oida.alembic_version").fetchone()
    return version[0] if version else None


def _migrate(address: ServerAddress, driver: psycopg.Connection[tuple[Any, ...]]) -> None:
    version = _version(driver)
    if version is not None and version > VERSION:
        raise InputError(f"expected tables of version {VERSION} or older at {address.shown}, found {version}; update OIDA")
    if version is not None and _is_tenant_role(driver):
        raise UnavailableError(f"the tables at {address.shown} are of the older version {version}; let their owner open a base there once")
    from oida.adapters.database.migrate import bring_forward

    bring_forward(address.server)


def _is_tenant_role(driver: psycopg.Connection[tuple[Any, ...]]) -> bool:
    row = driver.execute("select exists(select 1 from tenant where role = current_user)").fetchone()
    return bool(row and row[0])


def _is_read_only(driver: psycopg.Connection[tuple[Any, ...]]) -> bool:
    row = driver.execute("select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean").fetchone()
    return bool(row and row[0])
