"""What adapters ask of a database, whichever it is: statements in SQLite's words, rows back, transactions and snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol


class Cursor(Protocol):
    """The rows of one statement."""

    @property
    def rowcount(self) -> int:
        """How many rows were written."""
        ...

    def fetchone(self) -> Any:
        """The next row, None after the last."""
        ...

    def fetchmany(self, size: int = ..., /) -> list[Any]:
        """At most that many rows more."""
        ...

    def fetchall(self) -> list[Any]:
        """The rows that are left."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """The rows that are left, one by one."""
        ...


class Connection(Protocol):
    """Carries out statements one after another."""

    def execute(self, statement: str, arguments: Any = ..., /) -> Cursor:
        """One statement."""
        ...

    def executemany(self, statement: str, rows: Iterable[Any], /) -> Cursor:
        """One statement for each row."""
        ...

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...


class Database(Protocol):
    """One base; `path` is where it lies, or a place for what lies beside it, None for a base in memory."""

    @property
    def connection(self) -> Connection:
        """The one connection that everything goes through."""
        ...

    @property
    def path(self) -> Path | None:
        """The base's file, or the place for what lies beside it."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""
        ...

    def transaction(self) -> AbstractContextManager[Connection]:
        """Everything inside is written at once or not at all; nested calls join the outer one."""
        ...

    def snapshot(self) -> AbstractContextManager[Connection]:
        """Everything read inside is of one moment."""
        ...

    def compact(self) -> None:
        """Leave no byte of what was erased."""
        ...

    def close(self) -> None:
        """Give the base back."""
        ...
