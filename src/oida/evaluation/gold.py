"""A benchmark organisation's gold annotation: what is epistemically true in its exports, and what it is asked.

The format is that of a benchmark organisation: statements, edges and queries, each a file of JSON lines.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass


@dataclass(frozen=True, slots=True)
class GoldStatement:
    """A verbatim piece of a source with its class; `status` as of the end of the story, `stakes` in [0, 1] for a QUESTION."""

    gid: str
    text: str
    source: str
    said_at: datetime
    epistemic_class: EpistemicClass
    entity: str
    domain: str
    status: str
    stakes: float = 0.0
    author: str = ""


@dataclass(frozen=True, slots=True)
class GoldEdge:
    """`source` acts on `target`; `cue` is "explicit" where the wording itself shows it."""

    source: str
    edge_type: EdgeType
    target: str
    cue: str


@dataclass(frozen=True, slots=True)
class GoldQuery:
    """A question with what a perfect context holds, best first, and what it must and must not say."""

    qid: str
    text: str
    kind: str
    as_of: datetime | None
    relevant: tuple[str, ...]
    in_force: tuple[str, ...]
    stale: tuple[str, ...]
    contested: tuple[tuple[str, str], ...]
    gaps: tuple[str, ...]
    nuggets: tuple[str, ...]

    def weights(self) -> dict[str, float]:
        """1 / log2(1 + rank) for each relevant statement, the first rank being 1."""
        return {gid: 1.0 / math.log2(2 + position) for position, gid in enumerate(self.relevant)}


@dataclass(frozen=True, slots=True)
class GoldOrganisation:
    """Everything that is annotated of one organisation."""

    name: str
    statements: Mapping[str, GoldStatement]
    edges: tuple[GoldEdge, ...]
    queries: tuple[GoldQuery, ...]

    def blockers_of(self, gid: str) -> tuple[str, ...]:
        """What prevents a statement, and the boundaries on which it rests."""
        acting = (
            edge.source
            for edge in self.edges
            if edge.target == gid
            and (edge.edge_type is EdgeType.BLOCKS or self.statements[edge.source].epistemic_class is EpistemicClass.CONSTRAINT)
        )
        return tuple(dict.fromkeys(acting))

    def naming(self, names: Mapping[str, str]) -> GoldOrganisation:
        """The same with authors named whom the annotation knows only by the id of a source."""
        return replace(
            self, statements={gid: replace(each, author=names.get(each.author, each.author)) for gid, each in self.statements.items()}
        )

    def with_stated_ends_only(self) -> GoldOrganisation:
        """The same with only those ends that an edge states: what was given up without one is active."""
        return replace(self, statements={gid: replace(each, status=_status(each, self.edges)) for gid, each in self.statements.items()})

    def at(self, moment: datetime) -> GoldOrganisation:
        """What was said by a moment, with the statuses of that moment.

        An end that no edge dates (an abandoned plan) is only known once the last statement has been said.
        """
        if all(statement.said_at <= moment for statement in self.statements.values()):
            return self
        said = {gid: statement for gid, statement in self.statements.items() if statement.said_at <= moment}
        edges = tuple(edge for edge in self.edges if edge.source in said and edge.target in said)
        return replace(self, statements={gid: replace(each, status=_status(each, edges)) for gid, each in said.items()}, edges=edges)

    def as_asked_at(self, query: GoldQuery, moment: datetime) -> GoldQuery | None:
        """The query with what a perfect context held at a moment; None where nothing of it had been said.

        What was to be replaced later was still in force, what was to be answered later was open. Facts to be stated are kept only where
        everything relevant had been said.
        """
        then = self.at(moment).statements
        relevant = tuple(gid for gid in query.relevant if gid in then)
        if not relevant:
            return None
        ended = {gid for gid in query.stale if gid in then and then[gid].status != "active"}
        refuted = {gid for gid in query.stale if self.statements[gid].status == "active" and gid in then}
        standing = [gid for gid in query.stale if gid in then and gid not in ended | refuted]
        open_ones = [gid for gid in relevant if then[gid].epistemic_class is EpistemicClass.QUESTION and then[gid].status == "active"]
        return replace(
            query,
            relevant=relevant,
            in_force=(
                *(gid for gid in query.in_force if gid in then),
                *(gid for gid in standing if then[gid].epistemic_class in _BINDING),
            ),
            stale=tuple(gid for gid in query.stale if gid in ended | refuted),
            contested=tuple(pair for pair in query.contested if all(gid in then for gid in pair)),
            gaps=tuple(dict.fromkeys((*(gid for gid in query.gaps if gid in then), *open_ones))),
            nuggets=query.nuggets if len(relevant) == len(query.relevant) else (),
        )


_BINDING = (EpistemicClass.DECISION, EpistemicClass.CONSTRAINT)


def _status(statement: GoldStatement, edges: Iterable[GoldEdge]) -> str:
    acting = {edge.edge_type for edge in edges if edge.target == statement.gid}
    if EdgeType.SUPERSEDES in acting:
        return "superseded"
    if statement.epistemic_class is EpistemicClass.QUESTION and EdgeType.IMPLEMENTS in acting:
        return "resolved"
    return "active"


def read_organisation(name: str, *, statements: Iterable[str], edges: Iterable[str], queries: Iterable[str]) -> GoldOrganisation:
    """The annotation from its JSON lines.

    Raises:
        InputError: a line is no such record, or names a statement that is not annotated.

    """
    found = {each.gid: each for each in _records("statements", statements, _statement)}
    relations = tuple(_records("edges", edges, _edge))
    asked = tuple(_records("queries", queries, _query))
    named = {end for edge in relations for end in (edge.source, edge.target)}
    named |= {gid for query in asked for gid in (*query.relevant, *query.in_force, *query.stale, *query.gaps)}
    named |= {gid for query in asked for pair in query.contested for gid in pair}
    unknown = sorted(named - found.keys())
    if unknown:
        raise InputError(f"expected every id of {name} to be annotated in statements, found {unknown[0]!r} only in edges or queries")
    return GoldOrganisation(name, found, relations, asked)


def _records(kind: str, lines: Iterable[str], read: Any) -> list[Any]:
    records = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            records.append(read(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"expected a record of {kind} in line {number}, found {line[:80]!r}: {error!r}") from error
    return records


def _statement(raw: Mapping[str, Any]) -> GoldStatement:
    return GoldStatement(
        gid=raw["gid"],
        text=raw["text"],
        source=raw["source"],
        said_at=datetime.fromisoformat(raw["date"]),
        epistemic_class=EpistemicClass(raw["class"]),
        entity=raw["entity"],
        domain=raw["domain"],
        status=raw["status"],
        stakes=float(raw.get("stakes") or 0.0),
        author=str(raw.get("author", "")),
    )


def _edge(raw: Mapping[str, Any]) -> GoldEdge:
    return GoldEdge(raw["src"], EdgeType(raw["type"]), raw["dst"], raw["cue"])


def _query(raw: Mapping[str, Any]) -> GoldQuery:
    return GoldQuery(
        qid=raw["qid"],
        text=raw["query"],
        kind=raw["kind"],
        as_of=datetime.fromisoformat(raw["as_of"]) if raw["as_of"] else None,
        relevant=tuple(raw["relevant"]),
        in_force=tuple(raw["in_force"]),
        stale=tuple(raw["stale"]),
        contested=tuple((first, second) for first, second in raw["contested"]),
        gaps=tuple(raw["gaps"]),
        nuggets=tuple(raw["nuggets"]),
    )
