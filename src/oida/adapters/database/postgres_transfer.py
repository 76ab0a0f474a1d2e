"""What a tenant holds, row by row, in the shape in which a file's export has it, and the way back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psycopg import sql

from oida.adapters.database.dialect import KEYS
from oida.adapters.database.postgres import PostgresDatabase
from oida.adapters.database.transfer import CARRIED, octets, plain
from oida.model.errors import InputError

PAGE = 2_000
"""Rows that are fetched at once."""

_NUMBERED_BY_THE_SERVER = ("problem", "id")
"""A number that all tenants share: rows that come from elsewhere get another, in the same order."""

_OF_THE_SERVER = ("tenant", "rowid")
"""Columns that only a server's tables have."""


def rows_of(database: PostgresDatabase, tables: Sequence[str] = CARRIED) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every row of some tables, JSON values only: octets stand as {"base64": …}, truth as 0 and 1."""
    with database.snapshot():
        for table in tables:
            names = list(_columns(database, table))
            with database.connection.driver.cursor(f"rows_of_{table}") as cursor:
                cursor.itersize = PAGE
                cursor.execute(sql.SQL("select {} from {} order by {}").format(_listed(names), sql.Identifier(table), _listed(KEYS[table])))
                for row in cursor:
                    yield table, {name: _as_in_a_file(value) for name, value in zip(names, row, strict=True)}


def take_rows(database: PostgresDatabase, table: str, rows: Sequence[Mapping[str, Any]], tables: Sequence[str] = CARRIED) -> None:
    """Put rows back, inside a transaction; raises InputError for another table or a column that is none of ours."""
    if table not in tables:
        raise InputError(f"expected a table of {', '.join(tables)}, found {table!r}")
    known = _columns(database, table)
    for row in rows:
        if not row or row.keys() != rows[0].keys() or not set(row) <= set(known):
            raise InputError(f"expected the columns of {table}, found {', '.join(sorted(set(row) - set(known))) or 'others'}")
    names = sorted(name for name in rows[0] if (table, name) != _NUMBERED_BY_THE_SERVER)
    database.connection.executemany(
        f"insert into {table}({', '.join(names)}) values({', '.join('?' * len(names))})",
        [[bool(row[name]) if known[name] == "boolean" else octets(table, name, row[name]) for name in names] for row in rows],
    )


def _columns(database: PostgresDatabase, table: str) -> dict[str, str]:
    if table not in database.columns:
        found = database.connection.execute(
            "select attname, format_type(atttypid, null) from pg_attribute where attrelid = ?::regclass and attnum > 0 "
            "and not attisdropped order by attnum",
            (f"oida.{table}",),
        ).fetchall()
        database.columns[table] = {name: kind for name, kind in found if name not in _OF_THE_SERVER}
    return database.columns[table]


def _listed(names: Any) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(name) for name in names)


def _as_in_a_file(value: object) -> object:
    return int(value) if isinstance(value, bool) else plain(value)
