"""One base in one SQLite file: its connection, its schema and its transactions."""

from oida.adapters.database.sqlite import SqliteDatabase

__all__ = ["SqliteDatabase"]
