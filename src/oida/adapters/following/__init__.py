"""Which sources a base follows, which jobs read them, and what failed; beside the ledger, because none of it is knowledge."""

from oida.adapters.following.connections import SqliteConnections
from oida.adapters.following.jobs import SqliteJobBook
from oida.adapters.following.webhooks import SqliteWebhooks

__all__ = ["SqliteConnections", "SqliteJobBook", "SqliteWebhooks"]
