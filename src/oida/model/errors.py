"""What can go wrong: faults in data as values, faults a caller can act on as exceptions (HOUSE 2.6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault in data: one bad item is reported and never stops the rest.

    `stage` is the stage of the flow that met it, `item` what it was in (file or native id), `place` where in it
    ("line 3", "byte 120"), `code` stable and public.
    """

    stage: str
    item: str
    code: str
    message: str
    place: str = ""


class OidaError(Exception):
    """Anything that a caller of OIDA can act on; see the five kinds below it."""

    code = "error"


class InputError(OidaError):
    """You: fix the request or the settings."""

    code = "input"


class UnauthenticatedError(InputError):
    """You: give a key that is live; `oida keys create` makes one."""

    code = "unauthenticated"


class ForbiddenError(InputError):
    """You: ask for a key with the scope that the message names."""

    code = "forbidden"


class NotFoundError(OidaError):
    """You: that id is not here, or not for you; both are one answer."""

    code = "not-found"


class ConflictError(OidaError):
    """Read again and retry: what you build on has changed, or another process is writing."""

    code = "conflict"


class StaleAppendError(ConflictError):
    """Someone else appended first; read the new tail and decide again."""

    code = "stale-append"

    def __init__(self, *, expected: int, found: int) -> None:
        super().__init__(f"expected the ledger to end at {expected}, but it ends at {found}; read again and retry")
        self.expected = expected
        self.found = found


class StoreBusyError(ConflictError):
    """Another process is writing to this base; wait for it and run the command again."""

    code = "store-busy"


class UnavailableError(OidaError):
    """The outside world: a disk, a file or a service does not answer; try later."""

    code = "unavailable"

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class RateLimitedError(UnavailableError):
    """You asked too often; wait for `retry_after_seconds`."""

    code = "rate-limited"


class IntegrityError(OidaError):
    """Stop: the ledger or a replay disagrees; restore from a backup and keep this copy for inspection."""

    code = "integrity"


class BrokenChainError(IntegrityError):
    """A ledger entry does not follow from the one before it."""

    code = "broken-chain"


class ReplayMismatchError(IntegrityError):
    """Replaying the ledger gives another state than the stored one."""

    code = "replay-mismatch"
