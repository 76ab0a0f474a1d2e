"""Writes that a caller may send twice and that are carried out once (the Idempotency-Key header)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from oida.model.errors import ConflictError
from oida.workspace.workspace import Workspace

Outcome = dict[str, Any]
"""What a write did, as ids and counts: no text, so that an erasure need not look here."""


def once(workspace: Workspace, request_key: str | None, asked: Any, act: Callable[[], Outcome]) -> tuple[Outcome, bool]:
    """Carry out a write, unless the same request was carried out under this key: then what it did, and True.

    What was done and that it was done are written together: a process that breaks off leaves neither, and the request may be sent again.
    Raises ConflictError where the key stands for another request.
    """
    if request_key is None:
        return act(), False
    requests, principal = workspace.store.requests, workspace.principal.name
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode("utf-8")).digest()
    with workspace.store.transaction():
        known = requests.begin(principal, request_key, digest, now=workspace.wall_clock())
        if known is not None and known.request_digest != digest:
            raise ConflictError("expected the request that this Idempotency-Key was first used for, found another; take a new key")
        if known is not None and known.outcome is not None:
            found: Outcome = json.loads(known.outcome)
            return found, True
        if known is not None:
            raise ConflictError("a request with this Idempotency-Key broke off before; look what it did, then take a new key")
        outcome = act()
        requests.end(principal, request_key, json.dumps(outcome))
    workspace.store.witness(workspace.store.event_log.head())
    return outcome, False
