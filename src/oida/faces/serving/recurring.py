"""Something that a server does again and again, on a thread of its own until it is stopped."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod

from oida.model.errors import OidaError


class Recurring(ABC):
    """One `turn` after another, `every_seconds` apart; a turn that breaks off is counted, told in the log `oida.NAME` and tried again."""

    def __init__(self, name: str, *, every_seconds: float, trouble: str) -> None:
        self._every_seconds = every_seconds
        self._trouble = trouble
        self._trace = logging.getLogger(f"oida.{name}")
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"oida-{name}", daemon=True)
        self.failures = 0
        """How often a turn broke off."""

    @abstractmethod
    def turn(self) -> None:
        """Do it once."""

    def start(self) -> None:
        """Begin with a first turn."""
        self._thread.start()

    def stop(self) -> None:
        """End after the turn that is running."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.turn()
            except OidaError as error:
                self.failures += 1
                self._trace.warning("%s: %s", self._trouble, error)
            self._stopping.wait(self._every_seconds)
