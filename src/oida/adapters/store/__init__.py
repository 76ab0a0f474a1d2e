"""One base as a whole: ledger, texts, records and indexes over one database."""

from oida.adapters.store.sqlite import SqliteStore

__all__ = ["SqliteStore"]
