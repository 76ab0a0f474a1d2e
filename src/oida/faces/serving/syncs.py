"""Followed sources inside a server: a thread that reads what changed at them, again and again."""

from __future__ import annotations

from oida.events.vocabulary import OWNER
from oida.faces.serving.base import ServedBase
from oida.faces.serving.recurring import Recurring
from oida.workspace.principal import Principal

SYNC_EVERY_SECONDS = 900.0


class SyncClock(Recurring):
    """Reads the followed sources at a steady pace, on a connection of its own between whose transactions others may write."""

    def __init__(self, base: ServedBase, *, every_seconds: float = SYNC_EVERY_SECONDS) -> None:
        super().__init__("sync", every_seconds=every_seconds, trouble="followed sources could not be read and are tried again")
        self._base = base
        self.rounds = 0
        """How often every source was asked."""

    def turn(self) -> None:
        """Read once."""
        self.run_once()

    def run_once(self) -> None:
        """Read what changed at every source; a base that follows none is left alone."""
        owner = Principal(OWNER, None)
        with self._base.reading(owner) as workspace:
            if not workspace.connections():
                return
        with self._base.separate(owner) as workspace:
            workspace.sync()
        self.rounds += 1
