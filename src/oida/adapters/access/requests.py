"""Requests that were carried out once and must not be carried out twice; only ids are kept of what they did."""

from __future__ import annotations

from datetime import datetime, timedelta

from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.events.codec import canonical_time
from oida.ports import RememberedRequest

REMEMBERED_FOR = timedelta(hours=24)


class SqliteRequests:
    """The remembered requests of a base file; each write is a transaction of its own or joins the open one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, principal: str, request_key: str, request_digest: bytes, *, now: datetime) -> RememberedRequest | None:
        """Claim a key for a request; what is remembered under it already, or None when it is now claimed."""
        with self._database.transaction() as connection:
            connection.execute("delete from remembered_request where recorded_at < ?", (canonical_time(now - REMEMBERED_FOR),))
            row = connection.execute(
                "select request_digest, outcome from remembered_request where principal = ? and request_key = ?", (principal, request_key)
            ).fetchone()
            if row is not None:
                return RememberedRequest(request_digest=row[0], outcome=row[1])
            connection.execute(
                "insert into remembered_request(principal, request_key, request_digest, outcome, recorded_at) values(?, ?, ?, null, ?)",
                (principal, request_key, request_digest, canonical_time(now)),
            )
        return None

    def end(self, principal: str, request_key: str, outcome: str) -> None:
        """Remember what a claimed request did."""
        self._execute("update remembered_request set outcome = ? where principal = ? and request_key = ?", outcome, principal, request_key)

    def forget(self, principal: str, request_key: str) -> None:
        """Give a claimed key back: the request failed and changed nothing."""
        self._execute("delete from remembered_request where principal = ? and request_key = ?", principal, request_key)

    def _execute(self, statement: str, *arguments: object) -> None:
        with translated(self._database.path), self._database.transaction() as connection:
            connection.execute(statement, arguments)
