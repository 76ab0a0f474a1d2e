"""The fold's records in a database's tables: may be dropped and rebuilt from the ledger to the same bytes."""

from oida.adapters.projections.sqlite import SqliteProjections

__all__ = ["SqliteProjections"]
