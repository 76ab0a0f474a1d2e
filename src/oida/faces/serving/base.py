"""One base, many callers: several connections that read, one that writes, and a queue for what was served.

SQLite in WAL mode lets readers go on while a writer writes, so a question never waits for a correction, an ingestion or a cycle. Each
reader is a workspace with a connection of its own, lent to one thread at a time; the embedding model is loaded once and shared. That
something was served is recorded by a thread of its own, after the answer has gone out.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from oida.model.errors import OidaError, UnavailableError
from oida.model.identifiers import ObjectId
from oida.workspace.access import Caller
from oida.workspace.principal import Principal
from oida.workspace.workspace import Workspace

READERS = 4
"""Connections that read at once; each holds the base's vectors in memory (about 75 MB for 100,000 objects)."""

PATIENCE_SECONDS = 30.0
"""How long a call waits for a connection before it is told to come again."""

MOST_SERVED_WAITING = 10_000


@dataclass(frozen=True, slots=True)
class _Served:
    principal: Principal
    object_ids: tuple[ObjectId, ...]


class ServedBase:
    """A base that several threads use through `reading` and `writing`.

    `open_base` opens it anew each time it is called; what it opens is closed by `close`.
    """

    def __init__(self, open_base: Callable[[], Workspace], *, readers: int = READERS) -> None:
        self._open = open_base
        self._writer = open_base()
        self._writing = threading.Lock()
        self._places = threading.BoundedSemaphore(readers)
        self._idle: queue.LifoQueue[Workspace] = queue.LifoQueue()
        self._served: queue.Queue[_Served | None] = queue.Queue(MOST_SERVED_WAITING)
        self._recorder = threading.Thread(target=self._record_served, name="oida-served", daemon=True)
        self._recorder.start()
        self.served_lost = 0
        """How many answers could not be recorded as served, because the queue was full or the base refused."""

    def recognise(self, token: str) -> Caller:
        """Who bears a key's token; raises UnauthenticatedError."""
        with self._lent() as workspace:
            return workspace.recognise(token)

    @contextmanager
    def reading(self, principal: Principal) -> Iterator[Workspace]:
        """The base at one moment, for one principal; nothing can be written through it."""
        with self._lent() as workspace:
            workspace.bring_up_to_date()
            with workspace.store.snapshot():
                yield workspace.acting_as(principal)

    @contextmanager
    def writing(self, principal: Principal) -> Iterator[Workspace]:
        """The base to write to, for one principal; one at a time, and readers do not notice."""
        if not self._writing.acquire(timeout=PATIENCE_SECONDS):
            raise UnavailableError("others are writing to the base; try again", retry_after_seconds=5.0)
        try:
            yield self._writer.acting_as(principal)
        finally:
            self._writing.release()

    @contextmanager
    def separate(self, principal: Principal) -> Iterator[Workspace]:
        """A connection of its own for long work, whose transactions others can come between."""
        workspace = self._open()
        try:
            yield workspace.acting_as(principal)
        finally:
            workspace.close()

    def note_served(self, principal: Principal, object_ids: tuple[ObjectId, ...]) -> None:
        """Have it recorded that these objects were really given to a principal."""
        if not object_ids:
            return
        try:
            self._served.put_nowait(_Served(principal, object_ids))
        except queue.Full:
            self.served_lost += 1

    def flush(self) -> None:
        """Wait until everything served so far is recorded."""
        self._served.join()

    def close(self) -> None:
        """Record what is still to be recorded, then give every connection back."""
        self._served.put(None)
        self._recorder.join()
        while not self._idle.empty():
            self._idle.get_nowait().close()
        self._writer.close()

    @contextmanager
    def _lent(self) -> Iterator[Workspace]:
        if not self._places.acquire(timeout=PATIENCE_SECONDS):
            raise UnavailableError("too many questions at once; try again", retry_after_seconds=1.0)
        try:
            workspace = self._borrow()
            try:
                yield workspace
            finally:
                self._idle.put(workspace)
        finally:
            self._places.release()

    def _borrow(self) -> Workspace:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return self._open()

    def _record_served(self) -> None:
        while (served := self._served.get()) is not None:
            try:
                with self.writing(served.principal) as workspace:
                    workspace.note_served(served.object_ids)
            except OidaError:
                self.served_lost += 1
            finally:
                self._served.task_done()
        self._served.task_done()
