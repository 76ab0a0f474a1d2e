"""The Knowledge Object: a typed statement with its provenance, status and five scores (spec section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from oida.model.coordinate import KnowledgeObjectCoordinate
from oida.model.identifiers import ItemId, ObjectId
from oida.model.source import EVERYONE
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import MemoryZone, zone_of


class Status(StrEnum):
    """What has become of an object; nothing is ever deleted."""

    ACTIVE = "ACTIVE"
    SUPERSEDED = "SUPERSEDED"
    RESOLVED = "RESOLVED"
    ABANDONED = "ABANDONED"
    RETRACTED = "RETRACTED"
    WITHDRAWN = "WITHDRAWN"
    REDACTED = "REDACTED"

    @property
    def acts(self) -> bool:
        """Whether edges from an object of this status are active (spec section 1)."""
        return self in (Status.ACTIVE, Status.RESOLVED)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an object comes from.

    `start`/`end` span the item's body, `place` leads to it in the export, `link` at the source.
    """

    source_id: str
    item_id: ItemId
    place: str
    link: str
    title: str
    section: tuple[str, ...]
    author_name: str
    said_at: datetime
    recorded_at: datetime
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ScoreVector:
    """(K, conf, fresh, urg, contr), each in [0, 1] (spec section 1).

    `unclamped_urgency` orders questions past saturation.
    """

    k_score: float
    confidence: float
    freshness: float
    urgency: float
    contradiction: float
    unclamped_urgency: float = 0.0

    @property
    def priority(self) -> float:
        """The rising floor on retrieval priority; urgency is 0 for everything but an open QUESTION (spec section 3)."""
        return max(self.k_score, self.urgency, PRIORITY_FLOOR)

    @property
    def zone(self) -> MemoryZone:
        """The memory zone, by priority; what priority's floor lifts is still Dormant when K and urgency are."""
        return zone_of(max(self.k_score, self.urgency))


PRIORITY_FLOOR = 0.02


@dataclass(frozen=True, slots=True)
class KnowledgeObject:
    """One typed statement as a principal sees it: names resolved, status and scores at a moment.

    `anchors` are contextual terms of the statement; `stakes` in [0, 1], QUESTION only; `contested_by` lists the visible objects
    whose active CONTRADICTS edges meet this one; `basis_changed` are the ended objects on which it rests,
    `basis_paths` the ways to each of them, nearest basis first.
    """

    object_id: ObjectId
    coordinate: KnowledgeObjectCoordinate
    text: str
    status: Status
    scores: ScoreVector
    provenance: Provenance
    entity_name: str
    anchors: frozenset[str]
    language: str
    classifier: str
    visibility: frozenset[str] = frozenset({EVERYONE})
    stakes: float = 0.0
    superseded_by: ObjectId | None = None
    resolved_by: ObjectId | None = None
    duplicate_of: ObjectId | None = None
    contested_by: tuple[ObjectId, ...] = ()
    basis_changed: tuple[ObjectId, ...] = ()
    basis_paths: tuple[tuple[ObjectId, ...], ...] = ()

    @property
    def epistemic_class(self) -> EpistemicClass:
        """The class, which is an axis of the coordinate."""
        return self.coordinate.epistemic_class
