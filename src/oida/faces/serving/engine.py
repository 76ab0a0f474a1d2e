"""The six-hour engine inside a server: a thread that runs each grid point when it is due."""

from __future__ import annotations

import logging
import threading

from oida.events.vocabulary import OWNER
from oida.faces.serving.base import ServedBase
from oida.model.errors import OidaError
from oida.workspace.principal import Principal

LOOK_EVERY_SECONDS = 30.0

_TRACE = logging.getLogger("oida.engine")


class EngineClock:
    """Runs due cycles one by one, between which others may write; grid points missed while nothing ran are caught up."""

    def __init__(self, base: ServedBase, *, look_every_seconds: float = LOOK_EVERY_SECONDS) -> None:
        self._base = base
        self._look_every_seconds = look_every_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="oida-engine", daemon=True)
        self.cycles = 0
        """How many cycles this clock has run."""
        self.failures = 0
        """How often a cycle could not be run; the next look tries again."""

    def start(self) -> None:
        """Begin to look at the clock."""
        self._thread.start()

    def stop(self) -> None:
        """End after the cycle that is running."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def run_due(self) -> int:
        """Run everything that is due now; how many cycles there were."""
        done = 0
        while not self._stopping.is_set():
            with self._base.writing(Principal(OWNER, None)) as workspace:
                runs = workspace.cycle()
            if not runs:
                break
            done += len(runs)
            self.cycles += len(runs)
        return done

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.run_due()
            except OidaError as error:
                self.failures += 1
                _TRACE.warning("a cycle could not be run and is tried again: %s", error)
            self._stopping.wait(self._look_every_seconds)
