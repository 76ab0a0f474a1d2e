"""Followed sources inside a server: a thread that reads what changed at them, again and again."""

from __future__ import annotations

import logging
import threading

from oida.events.vocabulary import OWNER
from oida.faces.serving.base import ServedBase
from oida.model.errors import OidaError
from oida.workspace.principal import Principal

SYNC_EVERY_SECONDS = 900.0

_TRACE = logging.getLogger("oida.sync")


class SyncClock:
    """Reads the followed sources at a steady pace, on a connection of its own between whose transactions others may write."""

    def __init__(self, base: ServedBase, *, every_seconds: float = SYNC_EVERY_SECONDS) -> None:
        self._base = base
        self._every_seconds = every_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="oida-sync", daemon=True)
        self.rounds = 0
        """How often every source was asked."""
        self.failures = 0
        """How often a round broke off; the next one tries again."""

    def start(self) -> None:
        """Begin with a first round."""
        self._thread.start()

    def stop(self) -> None:
        """End after the round that is running."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def run_once(self) -> None:
        """Read what changed at every source; a base that follows none is left alone."""
        owner = Principal(OWNER, None)
        with self._base.reading(owner) as workspace:
            if not workspace.connections():
                return
        with self._base.separate(owner) as workspace:
            workspace.sync()
        self.rounds += 1

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.run_once()
            except OidaError as error:
                self.failures += 1
                _TRACE.warning("followed sources could not be read and are tried again: %s", error)
            self._stopping.wait(self._every_seconds)
