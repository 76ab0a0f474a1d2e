"""What a base holds, row by row, and the way back: everything but keys, proposals and work in progress, which belong to one place.

What follows from the rest (records, the index of words) is not carried over but made anew.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oida.adapters.database.sqlite import SqliteDatabase, translated
from oida.model.errors import InputError

CARRIED = (
    "ledger",
    "ledger_subject",
    "item_content",
    "statement_content",
    "evidence_content",
    "person",
    "entity",
    "entity_alias",
    "problem",
    "score",
    "k_history",
    "k_history_ids",
    "vector",
)

_OF_A_PLACE = ("meta", "access_key", "proposal", "remembered_request", "connection", "job", "failed_item", "webhook", "webhook_delivery")

LEFT = (*_OF_A_PLACE, "item_lease")
"""What belongs to one place: its keys, its queues, its connections. Together with the projections, every other table."""

WHOLE = (*CARRIED, *_OF_A_PLACE)
"""What a backup holds, and what goes along when a base moves to another store: all but the leases of work in progress."""

Row = Mapping[str, Any]


def rows_of(database: SqliteDatabase, tables: Sequence[str] = CARRIED) -> Iterator[tuple[str, Row]]:
    """Every row of some tables, JSON values only: octets stand as {"base64": …}."""
    for table in tables:
        with translated(database.path):
            cursor = database.connection.execute(
                f"select * from {table} order by rowid" if _has_row_id(table) else f"select * from {table}"
            )
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield table, {name: plain(value) for name, value in zip(names, row, strict=True)}


def take_row(database: SqliteDatabase, table: str, row: Row, tables: Sequence[str] = CARRIED) -> None:
    """Put one row back, inside a transaction; raises InputError for another table or a column that is none of ours."""
    if table not in tables:
        raise InputError(f"expected a table of {', '.join(tables)}, found {table!r}")
    with translated(database.path):
        known = {column[1] for column in database.connection.execute(f"pragma table_info({table})")}
        if not row or not set(row) <= known:
            raise InputError(f"expected the columns of {table}, found {', '.join(sorted(set(row) - known)) or 'none'}")
        names = sorted(row)
        places = ", ".join("?" * len(names))
        database.connection.execute(
            f"insert into {table}({', '.join(names)}) values({places})", [octets(table, name, row[name]) for name in names]
        )


def _has_row_id(table: str) -> bool:
    return table not in ("ledger_subject", "score", "k_history_ids", "vector", "remembered_request")


def plain(value: object) -> object:
    """A value as JSON has it: octets as {"base64": …}."""
    return {"base64": base64.b64encode(value).decode("ascii")} if isinstance(value, bytes) else value


def octets(table: str, name: str, value: Any) -> object:
    """A value as a row has it; raises InputError for octets that are none."""
    if isinstance(value, dict):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (KeyError, ValueError, TypeError):
            raise InputError(f"expected octets in {table}.{name} as base64, found {str(value)[:40]!r}") from None
    return value
