"""A base in one SQLite file, with the witness of its head in a small file beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from oida.adapters.access import SqliteKeyRing, SqliteProposals, SqliteRequests
from oida.adapters.content_store import SqliteContentStore
from oida.adapters.database import SqliteDatabase
from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.adapters.database.transfer import CARRIED, WHOLE, rows_of, take_row
from oida.adapters.event_log import SqliteEventLog
from oida.adapters.following import SqliteConnections, SqliteJobBook, SqliteWebhooks
from oida.adapters.lexical_index.sqlite import SqliteLexicalIndex
from oida.adapters.projections import SqliteProjections
from oida.adapters.vector_index.sqlite import VECTOR_TABLES, SqliteVectorIndex
from oida.adapters.worker import is_gone, this_worker
from oida.events.chain import Head
from oida.model.errors import ConflictError, IntegrityError, UnavailableError
from oida.model.identifiers import Position

WITNESS_SUFFIX = ".witness"


_MODEL, _FOLDER = "embedding_model", "embedding_folder"


class SqliteStore:
    """Everything that is written together or not at all, over one connection; `model_id` names the vectors' model."""

    def __init__(self, database: SqliteDatabase, *, model_id: str, dimension: int) -> None:
        self._file = database
        self._database: Database = database
        self.event_log = SqliteEventLog(database)
        self.contents = SqliteContentStore(database)
        self.projections = SqliteProjections(database)
        with translated(database.path):
            self.vectors = SqliteVectorIndex(database.connection, model_id, dimension)
            self.words = SqliteLexicalIndex(database.connection)
        self.keys = SqliteKeyRing(database)
        self.proposals = SqliteProposals(database)
        self.requests = SqliteRequests(database)
        self.connections = SqliteConnections(database)
        self.webhooks = SqliteWebhooks(database)
        self.jobs = SqliteJobBook(database, name_worker=this_worker, is_gone=is_gone)

    @staticmethod
    def embedding_of(database: Database) -> tuple[str, str]:
        """The model that a base is searched with and its folder, "" for what is not noted: then the one whose vectors alone are there."""
        with translated(database.path):
            noted = dict(database.connection.execute("select name, value from meta where name in (?, ?)", (_MODEL, _FOLDER)).fetchall())
            if _MODEL in noted:
                return noted[_MODEL], noted.get(_FOLDER, "")
            if isinstance(database, SqliteDatabase):
                for statement in VECTOR_TABLES:
                    database.connection.execute(statement)
            first, last = database.connection.execute("select min(model_id), max(model_id) from vector").fetchone()
        return (first if first is not None and first == last else ""), ""

    def vectors_of(self, model_id: str, dimension: int) -> SqliteVectorIndex:
        """The vectors of another model, kept apart from those in use."""
        with translated(self._database.path):
            return SqliteVectorIndex(self._database.connection, model_id, dimension)

    def use_embedding(self, model_id: str, folder: str) -> None:
        """Note, inside a transaction, with which model the base is searched from the next opening on."""
        for name, value in ((_MODEL, model_id), (_FOLDER, folder)):
            self._database.connection.execute(
                "insert into meta(name, value) values(?, ?) on conflict(name) do update set value = excluded.value", (name, value)
            )

    def forget_vectors(self, model_id: str) -> int:
        """Remove the vectors of a model that is not in use, inside a transaction; how many there were."""
        return self._database.connection.execute("delete from vector where model_id = ?", (model_id,)).rowcount

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written here."""
        return self._database.read_only

    @contextmanager
    def transaction(self) -> Iterator[object]:
        """All that is written inside is written at once or not at all; ConflictError when another process changed the embedding model."""
        with self._database.transaction() as begun:
            row = self._database.connection.execute("select value from meta where name = ?", (_MODEL,)).fetchone()
            if row is not None and row[0] != self.vectors.model_id:
                raise ConflictError(f"the base is searched with {row[0]} by now, no longer with {self.vectors.model_id}; open it again")
            yield begun

    def snapshot(self) -> AbstractContextManager[object]:
        """All that is read inside is of one moment."""
        return self._database.snapshot()

    def rows(self, *, whole: bool = False) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Every row that an export carries, or a backup, with its table."""
        return rows_of(self._file, WHOLE if whole else CARRIED)

    def take_rows(self, table: str, rows: Sequence[Mapping[str, Any]], *, whole: bool = False) -> None:
        """Put exported rows of one table back, inside a transaction."""
        for row in rows:
            take_row(self._file, table, row, WHOLE if whole else CARRIED)

    @contextmanager
    def engine_turn(self) -> Iterator[bool]:
        """True: a file has one writer, and who comes second finds the grid point done."""
        yield True

    def damage(self) -> Iterator[str]:
        """What SQLite finds wrong with its own file: pages, indexes against tables, and columns."""
        with translated(self._database.path):
            for (found,) in self._database.connection.execute("pragma integrity_check"):
                if found != "ok":
                    yield str(found)

    def witnessed_head(self) -> Head | None:
        """The head that the file beside the base names; None where there is no such file."""
        witness = self._witness_path()
        if witness is None:
            return None
        try:
            text = witness.read_text(encoding="ascii", errors="replace").strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnavailableError(f"the witness {witness} cannot be read: {error.strerror}") from error
        position, _, digest = text.partition(":")
        try:
            return Head(Position(int(position)), bytes.fromhex(digest))
        except ValueError:
            raise IntegrityError(f"expected POSITION:DIGEST in {witness}, found {text[:80]!r}") from None

    def witness(self, head: Head) -> None:
        """Write the head beside the base, whole or not at all, unless what stands there is later or no longer in the ledger.

        A witness that the ledger does not hold any more is evidence: it stays for `verify` to name. Inside a transaction nothing is
        written, for what may yet be rolled back is no evidence; whoever opened it asks again after its end.
        """
        path = self._witness_path()
        if path is None or self.read_only or self._database.connection.in_transaction:
            return
        try:
            before = self.witnessed_head()
        except IntegrityError:
            return
        if before is not None and (before.position >= head.position or not self._holds(before)):
            return
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            draft.write_text(f"{head}\n", encoding="ascii")
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise UnavailableError(f"everything was recorded, but the witness {path} cannot be written: {error.strerror}") from error

    def _holds(self, head: Head) -> bool:
        if head.position == 0:
            return True
        with translated(self._database.path):
            row = self._database.connection.execute("select digest from ledger where position = ?", (head.position,)).fetchone()
        return row is not None and row[0] == head.digest

    def purge(self) -> None:
        """Leave no byte of what was erased in any file of the base: call it outside a transaction."""
        with self.transaction():
            self.words.purge()
        self._database.compact()

    def close(self) -> None:
        """Give the base back."""
        self._database.close()

    def _witness_path(self) -> Path | None:
        path = self._database.path
        return path.with_name(path.name + WITNESS_SUFFIX) if path else None
