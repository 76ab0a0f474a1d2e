"""Who wants to be told of what, where, and what is on its way to them.

Of what is told only ids are kept: the words are read when they go out, so that what was erased or hidden since is not told.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from oida.model.feed import SecretReference


class NewsKind(StrEnum):
    """What may be told."""

    QUESTION = "urgent-question"
    CONTRADICTION = "new-contradiction"
    BASIS = "basis-changed"
    DIGEST = "digest"


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is told of news as one reader may see them, signed with a secret of which only the place is kept.

    `digest_hour` is the hour of the day in UTC from which on the daily digest is due. `told` holds the keys of what stands and was told.
    `private` says that the address may lie in a network that is not public.
    """

    name: str
    url: str
    reader: str
    kinds: frozenset[NewsKind]
    secret: SecretReference
    created_at: datetime
    digest_hour: int = 6
    digested_at: datetime | None = None
    told: frozenset[str] = frozenset()
    private: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message on its way: the keys of the news in it, or since when a digest tells; the next attempt is due at `next_at`."""

    delivery_id: str
    webhook: str
    kind: NewsKind | None
    keys: tuple[str, ...]
    created_at: datetime
    next_at: datetime
    since: datetime | None = None
    attempts: int = 0
    failed: bool = False
    message: str = ""
