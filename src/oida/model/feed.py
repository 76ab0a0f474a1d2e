"""What a source that is followed hands over beside its items, and how a base is connected to it.

A reading is a stream: items, problems, and words about both. Nothing is concluded from silence; what is gone is said by a tombstone or
follows from a range that the source declares complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from oida.model.errors import Problem
from oida.model.identifiers import PersonId
from oida.model.source import SourceItem


@dataclass(frozen=True, slots=True)
class GroupMembers:
    """Who belongs to a visibility group, as the source says now; comes before the first item that names the group."""

    group: str
    members: frozenset[PersonId]


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may see every item whose native id begins with `prefix`, those included that are not read again."""

    prefix: str
    visibility: frozenset[str]


@dataclass(frozen=True, slots=True)
class CompleteRange:
    """Everything of a range has been handed over in this reading: what is known of it and did not come is gone.

    The range is the items whose native id begins with `prefix` and that either reply to nothing and were said in [since, until), or
    reply to one of `threads`, whenever said. With `whole` replies count like the others. A range of which nothing came is not believed.
    """

    prefix: str
    since: datetime | None = None
    until: datetime | None = None
    threads: frozenset[str] = frozenset()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Missed:
    """An item that could not be read; under its native id it can be asked for again."""

    native_id: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything before has been handed over: a reading that begins at `cursor` goes on from here."""

    cursor: str


Handed = SourceItem | Problem | GroupMembers | Audience | CompleteRange | Missed | Checkpoint


class SecretPlace(StrEnum):
    """Where a secret is kept; never in a base."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"


@dataclass(frozen=True, slots=True)
class SecretReference:
    """Where to find a secret: the name of an environment variable, or of an entry in the system's keyring."""

    place: SecretPlace
    name: str


@dataclass(frozen=True, slots=True)
class Connection:
    """A source that a base follows: its kind, the name that the user gave it, options without secrets, and how far it was read."""

    name: str
    kind: str
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    secret: SecretReference = SecretReference(SecretPlace.ENVIRONMENT, "")
    source_id: str = ""
    cursor: str = ""
    read_at: datetime | None = None
    """When it was last read to its end; None for never."""
