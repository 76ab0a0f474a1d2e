"""Where the ledger lies: in memory, or in a database."""

from oida.adapters.event_log.memory import MemoryEventLog
from oida.adapters.event_log.sqlite import SqliteEventLog

__all__ = ["MemoryEventLog", "SqliteEventLog"]
