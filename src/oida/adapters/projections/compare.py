"""Two sets of projection tables, row by row: where one is not what the other is, and in which column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oida.adapters.database.schema import PROJECTION_TABLES
from oida.adapters.database.speaking import Connection
from oida.ports import RecordDifference

Row = tuple[Any, ...]
_SHOWN = 60


def differing_rows(expected: Connection, found: Connection) -> Iterator[RecordDifference]:
    """Every row that only one side has, or that has other values, table by table in the order of their keys."""
    for table in PROJECTION_TABLES:
        columns = expected.execute(f"select name, pk from pragma_table_info('{table}')").fetchall()
        names = [name for name, _ in columns]
        keys = [number for number, (_, position) in enumerate(columns) if position]
        for key, one, other in _merged(_rows(expected, table, names, keys), _rows(found, table, names, keys), keys):
            if one != other:
                yield RecordDifference(table, " ".join(map(str, key)), _told(names, one, other), _told(names, other, one))


def _rows(connection: Connection, table: str, names: list[str], keys: list[int]) -> Iterator[Row]:
    order = ", ".join(names[number] for number in keys)
    yield from connection.execute(f"select {', '.join(names)} from {table} order by {order}")


def _merged(one: Iterator[Row], other: Iterator[Row], keys: list[int]) -> Iterator[tuple[Row, Row | None, Row | None]]:
    """Rows of equal key side by side; None where a side has no row of that key."""
    left, right = next(one, None), next(other, None)
    while left is not None or right is not None:
        left_key, right_key = _key(left, keys), _key(right, keys)
        if right_key is None or (left_key is not None and left_key <= right_key):
            assert left_key is not None
            matched = right if left_key == right_key else None
            yield left_key, left, matched
            right = next(other, None) if matched is not None else right
            left = next(one, None)
        else:
            yield right_key, None, right
            right = next(other, None)


def _key(row: Row | None, keys: list[int]) -> Row | None:
    return None if row is None else tuple(row[number] for number in keys)


def _told(names: list[str], row: Row | None, other: Row | None) -> str:
    if row is None:
        return "nothing"
    if other is None:
        return "a row"
    return ", ".join(f"{name}={str(value)[:_SHOWN]}" for name, value, known in zip(names, row, other, strict=True) if value != known)
