"""The relation audit: edges found, missed and false, and the two rates that nobody publishes.

Missed contradictions, and over-invalidation: objects lowered or ended that the annotation calls active and uncontested.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from oida.evaluation.audit import NONE, Audit, audit_labels, share_interval
from oida.evaluation.gold import GoldOrganisation
from oida.evaluation.labelled import RELATION_LABELS
from oida.evaluation.statistics import Interval
from oida.events.state import EdgeRecord
from oida.model.content import StatementContent
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status
from oida.ports import PairAuditor, Store
from oida.workspace.gold_match import match_gold
from oida.workspace.labelled_pairs import read_pairs, said_of

_LOWERS = (EdgeType.CONTRADICTS, EdgeType.BLOCKS)
_ENDS = ("CONTRADICTS", "SUPERSEDES")


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`, with the 95 % interval of the share."""

    count: int
    of: int
    share: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class RelationAudit:
    """The figures and what error they make: of pairs, or of a whole organisation read from its exports.

    `shares` are named counts: contradictions surfaced, over-invalidation, guard pairs called wrongly.
    """

    name: str
    audit: Audit
    shares: dict[str, Share]
    means: dict[str, int]


def audit_pairs(place: Path, auditor: PairAuditor) -> RelationAudit:
    """Audit the relations of labelled pairs by answers that did not learn from them."""
    pairs = read_pairs(place)
    if not pairs:
        raise InputError(f"expected labelled pairs in {place}, found none")
    answers = auditor.answers([said_of(pair) for pair in pairs])
    audit = audit_labels([pair.label for pair in pairs], answers.labels, RELATION_LABELS, confidence=answers.confidence)
    guarded = [number for number, pair in enumerate(pairs) if pair.label == NONE and pair.guard]
    contradicting = [number for number, pair in enumerate(pairs) if pair.label == "CONTRADICTS"]
    shares = {
        "guard pairs called a contradiction or supersession": share(sum(answers.labels[n] in _ENDS for n in guarded), len(guarded)),
        "missed contradictions": share(sum(answers.labels[n] != "CONTRADICTS" for n in contradicting), len(contradicting)),
    }
    return RelationAudit(place.resolve().parent.name, audit, shares, dict(answers.means))


def audit_organisation(store: Store, gold: GoldOrganisation) -> RelationAudit:
    """Audit the relations of a base that was made from an annotated organisation's exports."""
    objects = match_gold(store, gold)
    gid_of = {content.object_id: gid for gid, content in objects.items()}
    edges = [edge for edge in store.projections.all_edges() if not edge.retracted]
    found: dict[tuple[str, str], str] = {}
    for edge in sorted(edges, key=lambda edge: (edge.confidence, edge.edge_id)):
        if edge.source in gid_of and edge.target in gid_of:
            found[gid_of[edge.source], gid_of[edge.target]] = edge.edge_type.value
    wanted = {(edge.source, edge.target): edge.edge_type.value for edge in gold.edges}
    pairs = sorted(found.keys() | wanted.keys())
    if not pairs:
        raise InputError(f"expected annotated edges of {gold.name} or found ones, found neither")
    audit = audit_labels([wanted.get(pair, NONE) for pair in pairs], [found.get(pair, NONE) for pair in pairs], RELATION_LABELS)
    shares = _surfaced(gold, found) | {
        "annotated statements covered by an object": share(len(objects), len(gold.statements)),
        "over-invalidation": _over_invalidation(store, gold, objects, edges),
    }
    return RelationAudit(gold.name, audit, shares, {"edges found between annotated statements": len(found), "edges in all": len(edges)})


def share(count: int, of: int) -> Share:
    """A count with the interval of its share.

    >>> share(1, 4).share
    0.25
    """
    return Share(count, of, count / of if of else 0.0, share_interval(count, of))


def _surfaced(gold: GoldOrganisation, found: dict[tuple[str, str], str]) -> dict[str, Share]:
    opposed = {frozenset(pair) for pair, label in found.items() if label == "CONTRADICTS"}
    shares = {}
    for cue in ("explicit", "implicit"):
        wanted = [edge for edge in gold.edges if edge.edge_type is EdgeType.CONTRADICTS and edge.cue == cue]
        hits = sum(frozenset((edge.source, edge.target)) in opposed for edge in wanted)
        shares[f"{cue} contradictions surfaced"] = share(hits, len(wanted))
    return shares


def _over_invalidation(store: Store, gold: GoldOrganisation, objects: dict[str, StatementContent], edges: list[EdgeRecord]) -> Share:
    contested = Counter(
        end for edge in gold.edges if edge.edge_type in (*_LOWERS, EdgeType.SUPERSEDES) for end in (edge.source, edge.target)
    )
    sound = {
        objects[gid].object_id for gid, each in gold.statements.items() if gid in objects and each.status == "active" and not contested[gid]
    }
    records = {found.object_id: found for found in store.projections.objects(sound)}
    acting: set[ObjectId] = {found.object_id for found in store.projections.all_objects() if found.status.acts}
    lowered = {edge.target for edge in edges if edge.edge_type in _LOWERS and edge.source in acting} & sound
    ended = {found for found, stored in records.items() if stored.status in (Status.SUPERSEDED, Status.ABANDONED, Status.RETRACTED)}
    return share(len(lowered | ended), len(sound))
