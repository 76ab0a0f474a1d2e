"""The six-hour engine inside a server: a thread that runs each grid point when it is due."""

from __future__ import annotations

from oida.events.vocabulary import OWNER
from oida.faces.serving.base import ServedBase
from oida.faces.serving.recurring import Recurring
from oida.workspace.principal import Principal

LOOK_EVERY_SECONDS = 30.0


class EngineClock(Recurring):
    """Runs due cycles one by one, between which others may write; grid points missed while nothing ran are caught up."""

    def __init__(self, base: ServedBase, *, look_every_seconds: float = LOOK_EVERY_SECONDS) -> None:
        super().__init__("engine", every_seconds=look_every_seconds, trouble="a cycle could not be run and is tried again")
        self._base = base
        self.cycles = 0
        """How many cycles this clock has run."""

    def turn(self) -> None:
        """Look at the clock."""
        self.run_due()

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
