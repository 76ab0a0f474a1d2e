"""A benchmark organisation's gold annotation as a base: its statements as objects, so that retrieval alone is measured."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from oida.gravity import ORGANIZATION, freshness, settle
from oida.gravity.arrays import EdgeRow, ObjectRow, arrays_of
from oida.gravity.urgency import urgency
from oida.ingestion.anchors import anchors_of
from oida.model.coordinate import KnowledgeObjectCoordinate, epoch_of
from oida.model.edge import Edge, EdgeType
from oida.model.identifiers import EdgeId, ItemId, ObjectId, edge_id, entity_id, item_id, object_id, person_id
from oida.model.knowledge_object import KnowledgeObject, Provenance, ScoreVector, Status
from oida.model.taxonomy import CLASS_PROFILES, EpistemicClass

END_OF_STORY = datetime.fromisoformat("2026-06-05T18:00:00+02:00")
GOLD_CONFIDENCE = 0.9


@dataclass(frozen=True)
class GoldQuery:
    qid: str
    text: str
    kind: str
    as_of: datetime | None
    relevant: tuple[ObjectId, ...]
    in_force: frozenset[ObjectId]
    stale: frozenset[ObjectId]
    contested: tuple[frozenset[ObjectId], ...]
    gaps: frozenset[ObjectId]

    @property
    def moment(self) -> datetime:
        return self.as_of or END_OF_STORY

    def weights(self) -> dict[ObjectId, float]:
        """1 / log2(1 + gold rank), the first rank being 1."""
        return {found: 1.0 / math.log2(2 + at) for at, found in enumerate(self.relevant)}


class GoldOrganisation:
    """Everything annotated in `<folder>/gold`, seen as of any moment."""

    def __init__(self, folder: Path) -> None:
        self.statements = [json.loads(line) for line in (folder / "gold" / "statements.jsonl").open(encoding="utf-8")]
        self.relations = [json.loads(line) for line in (folder / "gold" / "edges.jsonl").open(encoding="utf-8")]
        self._raw_queries = [json.loads(line) for line in (folder / "gold" / "queries.jsonl").open(encoding="utf-8")]
        self.ids: dict[str, ObjectId] = {s["gid"]: object_id(self._item(s), ordinal=0, revision=1) for s in self.statements}
        self._people = self._names(folder)

    @staticmethod
    def _item(statement: Mapping[str, Any]) -> ItemId:
        return item_id("halden", statement["gid"])

    @staticmethod
    def _names(folder: Path) -> dict[str, str]:
        users = folder / "sources" / "slack" / "users.json"
        return {u["id"]: u.get("real_name") or u["name"] for u in json.loads(users.read_text(encoding="utf-8"))} if users.exists() else {}

    @cached_property
    def queries(self) -> tuple[GoldQuery, ...]:
        ids = self.ids
        return tuple(
            GoldQuery(
                q["qid"],
                q["query"],
                q["kind"],
                datetime.fromisoformat(q["as_of"]) if q["as_of"] else None,
                tuple(ids[g] for g in q["relevant"]),
                frozenset(ids[g] for g in q["in_force"]),
                frozenset(ids[g] for g in q["stale"]),
                tuple(frozenset(ids[g] for g in pair) for pair in q["contested"]),
                frozenset(ids[g] for g in q["gaps"]),
            )
            for q in self._raw_queries
        )

    def at(self, moment: datetime, *, gold_statuses: bool = True) -> GoldBase:
        """The organisation as of a moment: later statements and what they did are unknown."""
        said = {s["gid"]: s for s in self.statements if datetime.fromisoformat(s["date"]) <= moment}
        relations = [r for r in self.relations if r["src"] in said and r["dst"] in said]
        return GoldBase(self, said, relations, moment, gold_statuses)

    def author_name(self, author: str) -> str:
        return self._people.get(author, author)


class GoldBase:
    def __init__(
        self,
        organisation: GoldOrganisation,
        said: Mapping[str, Mapping[str, Any]],
        relations: Sequence[Mapping[str, Any]],
        moment: datetime,
        gold_statuses: bool,
    ) -> None:
        self._organisation = organisation
        self._ids = organisation.ids
        self.moment = moment
        self._successor = {r["dst"]: r["src"] for r in relations if r["type"] == "SUPERSEDES"}
        self._answer = {r["dst"]: r["src"] for r in relations if r["type"] == "IMPLEMENTS" and said[r["dst"]]["class"] == "QUESTION"}
        self._statuses = {gid: self._status(s, at_end=moment >= END_OF_STORY and gold_statuses) for gid, s in said.items()}
        self.edges = [self._edge(r, said[r["src"]]) for r in relations if self._statuses[r["src"]].acts]
        self.objects = {self._ids[gid]: found for gid, found in self._build(said)}

    def _status(self, statement: Mapping[str, Any], *, at_end: bool) -> Status:
        gid = statement["gid"]
        if gid in self._successor:
            return Status.SUPERSEDED
        if at_end:
            return Status(statement["status"].upper())
        return Status.RESOLVED if gid in self._answer else Status.ACTIVE

    def _edge(self, relation: Mapping[str, Any], source: Mapping[str, Any]) -> Edge:
        one, kind, other = self._ids[relation["src"]], EdgeType(relation["type"]), self._ids[relation["dst"]]
        said_at = datetime.fromisoformat(source["date"])
        found: EdgeId = edge_id(one, kind.value, other)
        return Edge(found, one, kind, other, GOLD_CONFIDENCE, f"gold:{relation['cue']}", "annotator", said_at)

    def _build(self, said: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, KnowledgeObject]]:
        fresh = {gid: self._freshness(s) for gid, s in said.items()}
        k = self._settled_k(said, fresh)
        against: dict[ObjectId, list[ObjectId]] = {}
        for edge in self.edges:
            if edge.edge_type is EdgeType.CONTRADICTS:
                against.setdefault(edge.source, []).append(edge.target)
                against.setdefault(edge.target, []).append(edge.source)
        for gid, statement in said.items():
            yield gid, self._object(statement, k[self._ids[gid]], fresh[gid], tuple(against.get(self._ids[gid], ())))

    def _freshness(self, statement: Mapping[str, Any]) -> float:
        half_life = CLASS_PROFILES[EpistemicClass(statement["class"])].half_life_days
        days = (self.moment - datetime.fromisoformat(statement["date"])).total_seconds() / 86400.0
        return float(freshness([days], [half_life])[0]) if half_life else 1.0

    def _settled_k(self, said: Mapping[str, Mapping[str, Any]], fresh: Mapping[str, float]) -> dict[str, float]:
        rows = [ObjectRow(self._ids[gid], EpistemicClass(s["class"]), self._statuses[gid], fresh[gid]) for gid, s in said.items()]
        edges = [EdgeRow(e.source, e.edge_type, e.target, e.confidence) for e in self.edges]
        arrays = arrays_of(rows, edges, ORGANIZATION)
        return dict(zip(arrays.object_ids, (float(k) for k in settle(arrays, None, ORGANIZATION).k), strict=True))

    def _object(self, statement: Mapping[str, Any], k: float, fresh: float, against: tuple[ObjectId, ...]) -> KnowledgeObject:
        gid, said_at = statement["gid"], datetime.fromisoformat(statement["date"])
        epistemic_class, status, found = EpistemicClass(statement["class"]), self._statuses[gid], self._ids[gid]
        open_question = epistemic_class is EpistemicClass.QUESTION and status is Status.ACTIVE
        urgent = self._urgency(found, said_at, statement.get("stakes", 0.0)) if open_question else (0.0, 0.0)
        coordinate = KnowledgeObjectCoordinate(
            entity_id(statement["entity"]),
            statement["domain"],
            epistemic_class,
            epoch_of(said_at),
            2,
            person_id("halden", statement["author"]),
            found[3:7],
        )
        place, _, section = statement["source"].partition("#")
        title = re.sub(r" ?[0-9a-f]{32}|\.(md|json|csv|ics)$", "", place.rsplit("/", 1)[-1])
        title = place.split("/")[1] if place.startswith("slack/") else f"{title} {section}"
        provenance = Provenance(
            "halden",
            self._organisation._item(statement),
            statement["source"],
            "",
            title,
            (),
            self._organisation.author_name(statement["author"]),
            said_at,
            said_at,
            0,
            len(statement["text"]),
        )
        successor = self._successor.get(gid) if status is Status.SUPERSEDED else None
        answer = self._answer.get(gid) if status is Status.RESOLVED else None
        return KnowledgeObject(
            found,
            coordinate,
            statement["text"],
            status,
            ScoreVector(k, GOLD_CONFIDENCE, fresh, urgent[0], 0.0, urgent[1]),
            provenance,
            statement["entity"],
            anchors_of(statement["text"]),
            "en",
            "gold",
            stakes=statement.get("stakes", 0.0),
            superseded_by=self._ids[successor] if successor else None,
            resolved_by=self._ids[answer] if answer else None,
            contested_by=against,
        )

    def _urgency(self, found: ObjectId, said_at: datetime, stakes: float) -> tuple[float, float]:
        blocks = sum(edge.source == found and edge.edge_type is EdgeType.BLOCKS for edge in self.edges)
        age_days = (self.moment - said_at).total_seconds() / 86400.0
        urgent = urgency(age_days, blocking_edge_count=blocks, stakes=stakes)
        return urgent.clamped, urgent.unclamped

    def edges_of(self, found: ObjectId) -> list[Edge]:
        return [edge for edge in self.edges if found in (edge.source, edge.target)]

    @cached_property
    def neighbours(self) -> dict[ObjectId, list[ObjectId]]:
        found: dict[ObjectId, list[ObjectId]] = {}
        for edge in self.edges:
            found.setdefault(edge.source, []).append(edge.target)
            found.setdefault(edge.target, []).append(edge.source)
        return found


def indexed_text(found: KnowledgeObject) -> str:
    """The fields that every method indexes: text, entity, domain, source."""
    return f"{found.entity_name}. {found.text} {found.provenance.title} {found.coordinate.domain}"
