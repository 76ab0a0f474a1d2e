"""A base in one SQLite file, with the witness of its head in a small file beside it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path

from oida.adapters.access import SqliteKeyRing, SqliteProposals, SqliteRequests
from oida.adapters.content_store import SqliteContentStore
from oida.adapters.database import SqliteDatabase
from oida.adapters.event_log import SqliteEventLog
from oida.adapters.lexical_index.sqlite import SqliteLexicalIndex
from oida.adapters.projections import SqliteProjections
from oida.adapters.vector_index.sqlite import SqliteVectorIndex
from oida.events.chain import Head
from oida.model.errors import IntegrityError
from oida.model.identifiers import Position

WITNESS_SUFFIX = ".witness"


class SqliteStore:
    """Everything that is written together or not at all, over one connection; `model_id` names the vectors' model."""

    def __init__(self, database: SqliteDatabase, *, model_id: str, dimension: int) -> None:
        self._database = database
        self.event_log = SqliteEventLog(database)
        self.contents = SqliteContentStore(database)
        self.projections = SqliteProjections(database)
        self.vectors = SqliteVectorIndex(database.connection, model_id, dimension)
        self.words = SqliteLexicalIndex(database.connection)
        self.keys = SqliteKeyRing(database)
        self.proposals = SqliteProposals(database)
        self.requests = SqliteRequests(database)

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written here."""
        return self._database.read_only

    def transaction(self) -> AbstractContextManager[object]:
        """All that is written inside is written at once or not at all."""
        return self._database.transaction()

    def snapshot(self) -> AbstractContextManager[object]:
        """All that is read inside is of one moment."""
        return self._database.snapshot()

    def witnessed_head(self) -> Head | None:
        """The head that the file beside the base names; None where there is no such file."""
        witness = self._witness_path()
        if witness is None or not witness.exists():
            return None
        text = witness.read_text(encoding="ascii", errors="replace").strip()
        position, _, digest = text.partition(":")
        try:
            return Head(Position(int(position)), bytes.fromhex(digest))
        except ValueError:
            raise IntegrityError(f"expected POSITION:DIGEST in {witness}, found {text[:80]!r}") from None

    def witness(self, head: Head) -> None:
        """Write the head beside the base, whole or not at all, unless a later one stands there."""
        path = self._witness_path()
        if path is None or self.read_only:
            return
        before = self.witnessed_head()
        if before is not None and before.position >= head.position:
            return
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.write_text(f"{head}\n", encoding="ascii")
        draft.replace(path)

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
