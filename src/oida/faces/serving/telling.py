"""Webhooks inside a server: a thread that tells what is new, and tries again what did not arrive."""

from __future__ import annotations

from oida.events.vocabulary import OWNER
from oida.faces.serving.base import ServedBase
from oida.faces.serving.recurring import Recurring
from oida.ports import WebhookSender
from oida.workspace.principal import Principal

TELL_EVERY_SECONDS = 60.0


class NewsClock(Recurring):
    """Tells at a steady pace, on a connection of its own, so that a slow receiver holds nobody up."""

    def __init__(self, base: ServedBase, sender: WebhookSender, *, every_seconds: float = TELL_EVERY_SECONDS) -> None:
        super().__init__("webhooks", every_seconds=every_seconds, trouble="webhooks could not be told and are told later")
        self._base = base
        self._sender = sender
        self.arrived = 0
        """How many messages arrived."""

    def turn(self) -> None:
        """Tell once; a base without webhooks is left alone."""
        owner = Principal(OWNER, None)
        with self._base.reading(owner) as workspace:
            if not workspace.webhooks():
                return
        with self._base.separate(owner) as workspace:
            done = workspace.tell(self._sender)
        self.arrived += done.arrived
        for name, why in done.failures:
            self._trace.warning("webhook %s: %s", name, why)
