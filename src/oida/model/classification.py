"""What a classifier says about a statement, and what a relation finder proposes about two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oida.model.edge import EdgeType
from oida.model.identifiers import ObjectId
from oida.model.taxonomy import EpistemicClass


@dataclass(frozen=True, slots=True)
class Classification:
    """A class, or None for chatter that must not become an object.

    `confidence` is the calibrated probability of what was assigned, in (0, 1]; `probabilities` holds all ten (the nine classes
    and "NONE"), summing to 1.
    """

    epistemic_class: EpistemicClass | None
    confidence: float
    probabilities: Mapping[str, float]
    classifier: str
    version: str


@dataclass(frozen=True, slots=True)
class ProposedEdge:
    """A relation found by the machine: `method` names the cue or model, `evidence` the words that show it."""

    source: ObjectId
    edge_type: EdgeType
    target: ObjectId
    confidence: float
    method: str
    evidence: str = ""
