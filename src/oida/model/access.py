"""Who may call from outside: keys with their scopes, and what waits for a reviewer's word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

KEY_PREFIX = "key:"
"""How a key's principal is named, so that a key is never taken for a person whom a source names."""


class Scope(StrEnum):
    """What a key may do; each scope includes those before it."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    ADMIN = "admin"

    @property
    def includes(self) -> frozenset[Scope]:
        """The scope with all that it brings along.

        >>> sorted(Scope.WRITE.includes)
        [<Scope.READ: 'read'>, <Scope.WRITE: 'write'>]
        """
        ordered = list(Scope)
        return frozenset(ordered[: ordered.index(self) + 1])


@dataclass(frozen=True, slots=True)
class AccessKey:
    """A key as it is kept: only the digest of its secret, which was shown once."""

    key_id: str
    name: str
    scopes: frozenset[Scope]
    secret_digest: bytes
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def principal(self) -> str:
        """The name under which the key's deeds stand in the ledger."""
        return KEY_PREFIX + self.name

    def may(self, scope: Scope) -> bool:
        """Whether one of the key's scopes includes that one."""
        return any(scope in held.includes for held in self.scopes)

    def is_live(self, now: datetime) -> bool:
        """Whether the key opens anything at a moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class ProposalState(StrEnum):
    """What became of a proposal."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    LAPSED = "lapsed"
    """The machine proposed it and finds it no more; found again, it waits again."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A verb that somebody without the right to write would have called; nothing of it is in the memory until it is accepted.

    `arguments` are the verb's and hold free text: they are erased once it is decided. `visible_to` are the groups who will see the
    result; `outcome` is the id of the object that came of it.
    """

    proposal_id: str
    verb: str
    arguments: Mapping[str, Any]
    visible_to: frozenset[str]
    proposed_by: str
    proposed_at: datetime
    state: ProposalState = ProposalState.WAITING
    decided_by: str = ""
    decided_at: datetime | None = None
    outcome: str = ""
