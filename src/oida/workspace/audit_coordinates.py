"""The coordinate audit: entity, domain, author, epoch and class of objects against annotation, and what retrieval loses by the errors."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from oida.evaluation.gold import GoldOrganisation, GoldStatement
from oida.ingestion.words import content_words
from oida.model.content import StatementContent
from oida.model.coordinate import epoch_of
from oida.model.identifiers import ObjectId, person_id
from oida.model.knowledge_object import KnowledgeObject
from oida.workspace.gold_match import match_gold
from oida.workspace.shares import Share, share
from oida.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CoordinateAudit:
    """Shares of matched statements whose axis is right, how names and annotated entities divide, and the loss of retrieval.

    `recall` is the mean share of a question's relevant statements in its context, by the errors that are in the way: "as ingested"
    counts all of them, "of covered statements" leaves out what ingestion did not find, "right place" counts only statements whose entity
    and domain are right and "wrong place" the others.
    """

    name: str
    axes: dict[str, Share]
    not_annotated: tuple[str, ...]
    recall: dict[str, float]
    questions: int


def audit_coordinates(workspace: Workspace, gold: GoldOrganisation) -> CoordinateAudit:
    """Audit a base that was made from an annotated organisation's exports."""
    objects = match_gold(workspace.store, gold)
    views = {each.object_id: each for each in workspace.reading().view([content.object_id for content in objects.values()])}
    pairs = [(gold.statements[gid], views[content.object_id]) for gid, content in objects.items() if content.object_id in views]
    axes = {
        "covered": share(len(pairs), len(gold.statements)),
        "entity shares a word": share(sum(entity_is_right(stated, found) for stated, found in pairs), len(pairs)),
        "entity by its commonest name": share(_pure(pairs), len(pairs)),
        "domain": share(sum(stated.domain == found.coordinate.domain for stated, found in pairs), len(pairs)),
        "epoch": share(sum(epoch_of(stated.said_at) == found.coordinate.epoch for stated, found in pairs), len(pairs)),
        "class": share(sum(stated.epistemic_class is found.epistemic_class for stated, found in pairs), len(pairs)),
    }
    authored = [(stated, found) for stated, found in pairs if stated.author]
    axes["author"] = share(sum(author_is_right(stated, found) for stated, found in authored), len(authored))
    return CoordinateAudit(gold.name, axes, ("depth", "anchors"), *_retrieval(workspace, gold, objects, views))


def entity_is_right(stated: GoldStatement, found: KnowledgeObject) -> bool:
    """Whether two names have a word in common: annotators and sources name one thing in several ways."""
    return bool(frozenset(content_words(stated.entity)) & frozenset(content_words(found.entity_name)))


def author_is_right(stated: GoldStatement, found: KnowledgeObject) -> bool:
    """Whether the author is the person whom the annotation names or gives the source's own id of."""
    named = found.provenance.author_name.casefold() == stated.author.casefold()
    return named or found.coordinate.author == person_id(found.provenance.source_id, stated.author)


def _pure(pairs: list[tuple[GoldStatement, KnowledgeObject]]) -> int:
    """How many statements are right if each of our names stands for the annotated entity that it meets most often."""
    by_name: dict[str, Counter[str]] = {}
    for stated, found in pairs:
        by_name.setdefault(found.entity_name.casefold(), Counter())[stated.entity] += 1
    return sum(counts.most_common(1)[0][1] for counts in by_name.values())


def _retrieval(
    workspace: Workspace, gold: GoldOrganisation, objects: dict[str, StatementContent], views: dict[ObjectId, KnowledgeObject]
) -> tuple[dict[str, float], int]:
    placed = {
        gid: entity_is_right(gold.statements[gid], views[content.object_id])
        and gold.statements[gid].domain == views[content.object_id].coordinate.domain
        for gid, content in objects.items()
        if content.object_id in views
    }
    hits: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    asked = [query for query in gold.queries if query.relevant and query.as_of is None]
    for query in asked:
        shown = frozenset(workspace.context(query.text, preview=True).object_ids())
        for gid in query.relevant:
            is_hit = gid in objects and objects[gid].object_id in shown
            kinds = ["as ingested"]
            if gid in placed:
                kinds += ["of covered statements", "right place" if placed[gid] else "wrong place"]
            wanted.update(kinds)
            hits.update(kinds if is_hit else [])
    return {kind: hits[kind] / count for kind, count in wanted.items()}, len(asked)
