"""What corrections teach: each one as a labelled example, and how often each source and classifier was right where somebody looked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from oida.events.state import EdgeRecord, ObjectRecord
from oida.events.vocabulary import MACHINE
from oida.model.content import StatementContent
from oida.model.edge import EdgeType
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status
from oida.ports import Store
from oida.workspace.say import PERSON
from oida.workspace.shares import Share, share

BENEFIT = 20
"""Judgements in their favour with which a source and a classifier begin."""
LEAST_TRUST = 0.5


@dataclass(frozen=True, slots=True)
class Reliability:
    """How often a source's or a classifier's objects stood when a person looked: confirmed ones of those, corrected and retracted.

    People look at what is doubtful, so this is a floor of the true share and not an estimate of it.
    """

    kind: str
    name: str
    right: Share


def corrections(store: Store) -> Iterator[dict[str, Any]]:
    """Statements and pairs that a person judged, as lines for training, by object id.

    Statements have the fields of typed-statements, pairs those of relation-pairs; `verdict` says what the person did.
    """
    records = {found.object_id: found for found in store.projections.all_objects()}
    contents = {content.object_id: content for content in store.contents.all_statements()}
    edges = list(store.projections.all_edges())
    right = dict(_reclassified(records, contents, edges))
    for found, record in sorted(records.items()):
        content = contents.get(found)
        if content is None or record.classifier == PERSON:
            continue
        if found in right:
            yield _statement(content, record, label=records[right[found]].epistemic_class.value, verdict="corrected")
        elif record.confirmed_at is not None:
            yield _statement(content, record, label=record.epistemic_class.value, verdict="confirmed")
    for edge in sorted(edges, key=lambda edge: edge.edge_id):
        verdict = _verdict(edge)
        ends = contents.get(edge.source), contents.get(edge.target)
        if verdict and ends[0] and ends[1] and ends[0].text != ends[1].text:
            yield {
                "pid": edge.edge_id,
                "industry": records[edge.source].source_id,
                "a": _side(ends[0]),
                "b": _side(ends[1]),
                "label": edge.edge_type.value if verdict == "asserted" else "NONE",
                "guard": None,
                "cue": "",
                "verdict": verdict,
            }


def reliability(store: Store) -> list[Reliability]:
    """The share of objects that stood, of those that a person judged, by source and by classifier."""
    return [Reliability(kind, name, share(right, of)) for (kind, name), (right, of) in sorted(_stood(store).items())]


def trust(store: Store) -> dict[tuple[str, str], float]:
    """By (kind, name), as in `reliability`, what the confidence of new objects is multiplied with, in [LEAST_TRUST, 1].

    (right + BENEFIT) / (judged + BENEFIT): who erred once in a while loses little, because people look at what is doubtful.
    """
    return {judged: max(LEAST_TRUST, (right + BENEFIT) / (of + BENEFIT)) for judged, (right, of) in sorted(_stood(store).items())}


def _stood(store: Store) -> dict[tuple[str, str], tuple[int, int]]:
    """By (kind, name) of a source or classifier, how many of its objects stood, of how many that a person judged."""
    records = {found.object_id: found for found in store.projections.all_objects()}
    contents = {content.object_id: content for content in store.contents.all_statements()}
    wrong = {old for old, _ in _reclassified(records, contents, list(store.projections.all_edges()))}
    judged: Counter[tuple[str, str]] = Counter()
    stood: Counter[tuple[str, str]] = Counter()
    for found, record in records.items():
        is_wrong = found in wrong or record.declared_by_person is Status.RETRACTED
        if record.classifier == PERSON or not (is_wrong or record.confirmed_at is not None):
            continue
        names = [("source", record.source_id), ("classifier", record.classifier)]
        judged.update(names)
        stood.update([] if is_wrong else names)
    return {name: (stood[name], of) for name, of in judged.items()}


def _reclassified(
    records: dict[ObjectId, ObjectRecord], contents: dict[ObjectId, StatementContent], edges: list[EdgeRecord]
) -> Iterator[tuple[ObjectId, ObjectId]]:
    """(old, new) where a person gave the same words another class."""
    for edge in edges:
        if edge.edge_type is not EdgeType.SUPERSEDES or edge.method != PERSON or edge.retracted:
            continue
        old, new = contents.get(edge.target), contents.get(edge.source)
        if old and new and old.text == new.text and records[edge.source].epistemic_class is not records[edge.target].epistemic_class:
            yield edge.target, edge.source


def _verdict(edge: EdgeRecord) -> str:
    if edge.retracted:
        return "retracted" if edge.retracted_by not in ("", None, MACHINE) and edge.method != PERSON else ""
    return "asserted" if edge.method == PERSON else ""


def _statement(content: StatementContent, record: ObjectRecord, *, label: str, verdict: str) -> dict[str, Any]:
    return {
        "sid": content.object_id,
        "source": record.source_id,
        "title": content.title,
        "section": " / ".join(content.section),
        "prev": content.previous,
        "text": content.text,
        "label": label,
        "also": None,
        "confidence": 1.0,
        "said": record.epistemic_class.value,
        "classifier": record.classifier,
        "verdict": verdict,
    }


def _side(content: StatementContent) -> dict[str, str]:
    return {"text": content.text, "date": content.said_at.date().isoformat(), "speaker": content.author_name}
