"""How one object acts on another: ten directed, signed edge types (paper, Table 7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from oida.model.identifiers import EdgeId, ObjectId


class EdgeType(StrEnum):
    """A -> B reads "A acts on B"; closed at ten (ADR 0008)."""

    SUPPORTS = "SUPPORTS"
    BASED_ON = "BASED_ON"
    IMPLEMENTS = "IMPLEMENTS"
    SUPERSEDES = "SUPERSEDES"
    REFINES = "REFINES"
    DERIVES_FROM = "DERIVES_FROM"
    ENABLES = "ENABLES"
    PRECEDES = "PRECEDES"
    BLOCKS = "BLOCKS"
    CONTRADICTS = "CONTRADICTS"

    @property
    def coefficient(self) -> float:
        """COEFF(type) in [-1, 1], Table 7.

        >>> EdgeType.CONTRADICTS.coefficient
        -0.6
        """
        return TABLE_7[self][0]


TABLE_7: dict[EdgeType, tuple[float, str]] = {
    EdgeType.SUPPORTS: (+1.0, "A provides evidence strengthening B"),
    EdgeType.BASED_ON: (+0.8, "A is the logical grounding of B"),
    EdgeType.IMPLEMENTS: (+0.7, "A operationally realises B, or answers it where B is a question"),
    EdgeType.SUPERSEDES: (+0.6, "A replaces B; B is demoted, not deleted"),
    EdgeType.REFINES: (+0.5, "A narrows B without contradiction"),
    EdgeType.DERIVES_FROM: (+0.5, "A follows logically from B"),
    EdgeType.ENABLES: (+0.4, "A is a necessary condition for B"),
    EdgeType.PRECEDES: (+0.3, "A temporally precedes B"),
    EdgeType.BLOCKS: (-0.4, "A actively prevents B"),
    EdgeType.CONTRADICTS: (-0.6, "A contradicts B"),
}

assert set(TABLE_7) == set(EdgeType)
assert all(-1.0 <= coefficient <= 1.0 for coefficient, _ in TABLE_7.values())


@dataclass(frozen=True, slots=True)
class Edge:
    """One assertion that `source` acts on `target`.

    Retracted, never deleted. `confidence` in (0, 1]; `method` says what found it
    ("cue:reply", "person", "model:..."); `evidence` are the words that show it, empty for a person's own assertion.
    """

    edge_id: EdgeId
    source: ObjectId
    edge_type: EdgeType
    target: ObjectId
    confidence: float
    method: str
    asserted_by: str
    asserted_at: datetime
    evidence: str = ""
    retracted: bool = False
