"""Where the text lies, beside the ledger, each item under a key of its own."""

from oida.adapters.content_store.sqlite import SqliteContentStore

__all__ = ["SqliteContentStore"]
