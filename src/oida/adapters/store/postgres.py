"""One tenant's base on a PostgreSQL server, with the witness of its head in a small file on the machine that writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from oida.adapters.access import SqliteKeyRing, SqliteProposals, SqliteRequests
from oida.adapters.content_store.postgres import PostgresContentStore
from oida.adapters.database.dialect import KEYS
from oida.adapters.database.postgres import ENGINES, PostgresDatabase, translated
from oida.adapters.database.postgres_transfer import rows_of, take_rows
from oida.adapters.database.transfer import CARRIED, WHOLE
from oida.adapters.event_log.postgres import PostgresEventLog
from oida.adapters.following import SqliteConnections, SqliteJobBook, SqliteWebhooks
from oida.adapters.lexical_index.postgres import PostgresLexicalIndex
from oida.adapters.projections.postgres import PostgresProjections
from oida.adapters.store.sqlite import SqliteStore
from oida.adapters.vector_index.postgres import PostgresVectorIndex
from oida.adapters.worker import is_gone, this_worker
from oida.model.errors import IntegrityError


class PostgresStore(SqliteStore):
    """Everything that is written together or not at all, over one connection; `model_id` names the vectors' model."""

    def __init__(self, database: PostgresDatabase, *, model_id: str, dimension: int) -> None:
        self._server = database
        self._database = database
        self.event_log = PostgresEventLog(database)
        self.contents = PostgresContentStore(database)
        self.projections = PostgresProjections(database)
        with translated(database.address.shown):
            self.vectors = PostgresVectorIndex(database.connection, model_id, dimension)
            self.words = PostgresLexicalIndex(database.connection)
        self.keys = SqliteKeyRing(database)
        self.proposals = SqliteProposals(database)
        self.requests = SqliteRequests(database)
        self.connections = SqliteConnections(database)
        self.webhooks = SqliteWebhooks(database)
        self.jobs = SqliteJobBook(database, name_worker=this_worker, is_gone=is_gone)

    def rows(self, *, whole: bool = False) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Every row that an export carries, with its table, as a file's export has them."""
        return rows_of(self._server, WHOLE if whole else CARRIED)

    def take_rows(self, table: str, rows: Sequence[Mapping[str, Any]], *, whole: bool = False) -> None:
        """Put exported rows of one table back, inside a transaction."""
        take_rows(self._server, table, rows, WHOLE if whole else CARRIED)

    def vectors_of(self, model_id: str, dimension: int) -> PostgresVectorIndex:
        """The vectors of another model, kept apart from those in use."""
        return PostgresVectorIndex(self._server.connection, model_id, dimension)

    @contextmanager
    def engine_turn(self) -> Iterator[bool]:
        """Whether this connection alone runs the tenant's engine; the turn ends with the connection, however that ends."""
        connection, turn = self._server.connection, (ENGINES, self._server.tenant_id)
        (mine,) = connection.execute("select pg_try_advisory_lock(?, ?)", turn).fetchone() or (False,)
        try:
            yield bool(mine)
        finally:
            if mine and not connection.driver.closed:
                connection.execute("select pg_advisory_unlock(?, ?)", turn)

    def damage(self) -> Iterator[str]:
        """What the server finds wrong with its own files: every page is read, and so compared with its checksum."""
        for table in KEYS:
            try:
                self._server.connection.execute(f"select count(*) from {table} where {KEYS[table][0]} is not null").fetchone()
            except IntegrityError as error:
                yield f"{table}: {error}"
