"""Keys, proposals and remembered requests of a base, in tables beside the ledger."""

from oida.adapters.access.keys import SqliteKeyRing
from oida.adapters.access.proposals import SqliteProposals
from oida.adapters.access.requests import SqliteRequests

__all__ = ["SqliteKeyRing", "SqliteProposals", "SqliteRequests"]
