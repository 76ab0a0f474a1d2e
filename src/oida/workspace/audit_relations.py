"""The relation audit: edges found, missed and false, and the two rates that nobody publishes.

Missed contradictions, and over-invalidation: objects lowered or ended that the annotation calls active and uncontested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from oida.evaluation.audit import NONE, Audit, audit_labels
from oida.evaluation.gold import GoldEdge, GoldOrganisation
from oida.evaluation.labelled import RELATION_LABELS
from oida.events.state import EdgeRecord
from oida.events.vocabulary import MACHINE
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus
from oida.ingestion.relations.tension import COMPARABLE, candidates, may_clash
from oida.model.content import StatementContent
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status
from oida.ports import PairAuditor, Store
from oida.workspace.connect import read_standing
from oida.workspace.gold_match import match_gold
from oida.workspace.labelled_pairs import read_pairs, said_of
from oida.workspace.shares import Share, share

_LOWERS = (EdgeType.CONTRADICTS, EdgeType.BLOCKS)
_ENDS = ("CONTRADICTS", "SUPERSEDES")


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """What an annotated contradiction must come through to be seen, and how many of each cue did, of those that came so far."""

    name: str
    explicit: int
    implicit: int


@dataclass(frozen=True, slots=True)
class RelationAudit:
    """The figures and what error they make: of pairs, or of a whole organisation read from its exports.

    `shares` are named counts: contradictions surfaced, over-invalidation, guard pairs called wrongly. `funnel` tells how many annotated
    contradictions are left after each step, so that it shows where the others are lost.
    """

    name: str
    audit: Audit
    shares: dict[str, Share]
    means: dict[str, float]
    funnel: tuple[FunnelStep, ...] = ()


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
    proposed = _proposed(store)
    shares = {
        **_surfaced(gold, found, {frozenset(gid_of[each] for each in pair) for pair in proposed if pair <= gid_of.keys()}),
        "annotated statements covered by an object": share(len(objects), len(gold.statements)),
        "over-invalidation": _over_invalidation(store, gold, objects, edges),
    }
    count = sum(1 for _ in store.projections.all_objects())
    means = {
        "edges found between annotated statements": len(found),
        "edges in all": len(edges),
        "contradictions proposed to a person": len(proposed),
        "contradictions proposed for a hundred objects": round(100 * len(proposed) / max(1, count), 1),
    }
    return RelationAudit(gold.name, audit, shares, means, _funnel(store, gold, objects, proposed, edges))


def _proposed(store: Store) -> set[frozenset[ObjectId]]:
    """Both ends of each contradiction that the machine proposes to a person and asserts nowhere."""
    return {
        frozenset(ObjectId(str(each.arguments[end])) for end in ("source", "target"))
        for each in store.proposals.waiting()
        if each.proposed_by == MACHINE and each.verb == "relate" and each.arguments["type"] == EdgeType.CONTRADICTS.value
    }


def _surfaced(gold: GoldOrganisation, found: dict[tuple[str, str], str], proposed: set[frozenset[str]]) -> dict[str, Share]:
    """Annotated contradictions that are an edge or a proposal, and how many of each, with both ends annotated, are annotated."""
    opposed = {frozenset(pair) for pair, label in found.items() if label == "CONTRADICTS"}
    wanted = [edge for edge in gold.edges if edge.edge_type is EdgeType.CONTRADICTS]
    shares = {}
    for cue in ("explicit", "implicit"):
        pairs = [frozenset((edge.source, edge.target)) for edge in wanted if edge.cue == cue]
        shares[f"{cue} contradictions surfaced"] = share(sum(pair in opposed | proposed for pair in pairs), len(pairs))
        shares[f"{cue} contradictions surfaced as an edge"] = share(sum(pair in opposed for pair in pairs), len(pairs))
        shares[f"{cue} contradictions surfaced as a proposal"] = share(sum(pair in proposed - opposed for pair in pairs), len(pairs))
    right = {frozenset((edge.source, edge.target)) for edge in wanted}
    shares["contradiction edges that are annotated"] = share(len(opposed & right), len(opposed))
    shares["contradiction proposals that are annotated"] = share(len(proposed & right), len(proposed))
    return shares


def _funnel(
    store: Store,
    gold: GoldOrganisation,
    objects: dict[str, StatementContent],
    proposed: set[frozenset[ObjectId]],
    edges: list[EdgeRecord],
) -> tuple[FunnelStep, ...]:
    standing = read_standing(store)
    corpus = Corpus(standing.objects, standing.items)
    compared = candidates(corpus, Likeness(corpus), standing.vectors)
    held = _held(store, gold)
    is_class = {gid: content.object_id for gid, content in objects.items()}
    comparable = {each.object_id for each in standing.objects if each.epistemic_class in COMPARABLE}
    asserted = {frozenset((edge.source, edge.target)) for edge in edges if edge.edge_type is EdgeType.CONTRADICTS}
    surfaced = asserted | proposed
    pairs_compared = {frozenset((each.newer.object_id, each.older.object_id)) for each in compared} | surfaced
    pairs_clashing = {frozenset((each.newer.object_id, each.older.object_id)) for each in compared if may_clash(each)} | surfaced

    def pair(edge: GoldEdge) -> frozenset[ObjectId]:
        return frozenset((is_class[edge.source], is_class[edge.target]))

    steps: list[tuple[str, Callable[[GoldEdge], bool]]] = [
        ("annotated", lambda edge: True),
        ("both statements inside an object, whatever else it holds", lambda edge: {edge.source, edge.target} <= held),
        ("both covered by an object of about their length", lambda edge: {edge.source, edge.target} <= is_class.keys()),
        ("both typed as what can be at odds", lambda edge: pair(edge) <= comparable or pair(edge) in surfaced),
        ("compared: near each other, or of one thread", lambda edge: pair(edge) in pairs_compared),
        ("of two classes that clash", lambda edge: pair(edge) in pairs_clashing),
        ("surfaced: among the tensest, or an edge", lambda edge: pair(edge) in surfaced),
        ("asserted as an edge", lambda edge: pair(edge) in asserted),
    ]
    left = [edge for edge in gold.edges if edge.edge_type is EdgeType.CONTRADICTS]
    found = []
    for name, passes in steps:
        left = [edge for edge in left if passes(edge)]
        counts = Counter(edge.cue for edge in left)
        found.append(FunnelStep(name, counts["explicit"], counts["implicit"]))
    return tuple(found)


def _held(store: Store, gold: GoldOrganisation) -> set[str]:
    """Annotated statements whose words stand whole in one object."""
    texts = [content.text for content in store.contents.all_statements()]
    return {gid for gid, stated in gold.statements.items() if any(stated.text in text or text in stated.text for text in texts if text)}


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
