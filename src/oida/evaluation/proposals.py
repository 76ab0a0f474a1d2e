"""A corpus of numbered proposals as an organisation: what supersedes what stands in their headers, and the questions come from there.

Only headers are used. Every pair of a superseded proposal and its successor is asked about in the superseded one's words and, where the
two titles share some, in those: which of the two comes first? Next: `experiment`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from oida.evaluation.gold import GoldEdge, GoldOrganisation, GoldQuery, GoldStatement
from oida.evaluation.matching import told_words
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass

_WAS_DECIDED = frozenset({"Accepted", "Active", "Final", "Provisional", "Superseded"})
_OPEN_STATUSES = {"Superseded": "superseded", "Rejected": "abandoned", "Withdrawn": "abandoned"}


@dataclass(frozen=True, slots=True)
class Pair:
    """A superseded proposal and one that replaced it, with the questions about the two; pairs are what is drawn together."""

    name: str
    superseded: str
    successor: str
    qids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProposalCorpus:
    """The organisation that the headers make, and its pairs."""

    gold: GoldOrganisation
    pairs: tuple[Pair, ...]


def proposal_corpus(name: str, *, headers: Iterable[str], relations: Iterable[str], history: Iterable[str]) -> ProposalCorpus:
    """The corpus from its JSON lines: `headers` with pep, title, status, created; `relations` with src, type, dst; `history` with to.

    A proposal that was ever accepted is a DECISION, any other a PLAN: its class does not tell how it ended.

    Raises:
        InputError: a line is no such record.

    """
    decided = {raw["pep"] for raw in _lines("history", history, ("pep", "to")) if raw["to"] in _WAS_DECIDED}
    statements = {raw["pep"]: _statement(raw, decided) for raw in _lines("headers", headers, ("pep", "title", "status", "created"))}
    known = {
        (raw["src"], EdgeType(raw["type"]), raw["dst"])
        for raw in _lines("relations", relations, ("src", "type", "dst"))
        if raw["src"] in statements and raw["dst"] in statements
    }
    edges = tuple(GoldEdge(source, kind, target, "explicit") for source, kind, target in sorted(known))
    pairs, queries = [], []
    for edge in edges:
        if edge.edge_type is EdgeType.SUPERSEDES:
            asked = _queries(statements[edge.target], statements[edge.source])
            queries += asked
            pairs.append(Pair(f"{edge.target} to {edge.source}", edge.target, edge.source, tuple(each.qid for each in asked)))
    return ProposalCorpus(GoldOrganisation(name, statements, edges, tuple(queries)), tuple(pairs))


def _lines(kind: str, lines: Iterable[str], names: tuple[str, ...]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
            found.append({each: str(raw[each]) for each in names})
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"expected a record of {kind} with {', '.join(names)} in line {number}, found {line[:80]!r}") from error
    return found


def _statement(raw: Mapping[str, Any], decided: set[str]) -> GoldStatement:
    try:
        said_at = datetime.strptime(raw["created"], "%d-%b-%Y").replace(tzinfo=UTC)
    except ValueError as error:
        raise InputError(f"expected the day on which {raw['pep']} was made as 07-Jul-2001, found {raw['created']!r}") from error
    return GoldStatement(
        gid=raw["pep"],
        text=f"{raw['title']}.",
        source=f"{raw['pep']}.rst#{raw['title']}",
        said_at=said_at,
        epistemic_class=EpistemicClass.DECISION if raw["pep"] in decided else EpistemicClass.PLAN,
        entity="Python",
        domain="engineering",
        status=_OPEN_STATUSES.get(raw["status"], "active"),
    )


def _queries(superseded: GoldStatement, successor: GoldStatement) -> list[GoldQuery]:
    shared = told_words(superseded.text) & told_words(successor.text)
    words = " ".join(word for word in superseded.text.rstrip(".").split() if told_words(word) & shared)
    asked = {"old": superseded.text.rstrip("."), "shared": words}
    return [
        GoldQuery(
            qid=f"{superseded.gid}/{successor.gid}/{kind}",
            text=f"What holds for {about}?",
            kind=kind,
            as_of=None,
            relevant=(successor.gid, superseded.gid),
            in_force=(successor.gid,),
            stale=(superseded.gid,),
            contested=(),
            gaps=(),
            nuggets=(),
        )
        for kind, about in asked.items()
        if about
    ]
