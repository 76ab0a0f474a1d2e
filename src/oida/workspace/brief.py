"""What changed for somebody since a moment, as Markdown to be read once a day: urgent questions, new contradictions, bases that fell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from oida.model.knowledge_object import KnowledgeObject
from oida.retrieval.context.render import inert
from oida.workspace.lists import Contradiction, StaleObject

MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Brief:
    """What a reader may see of it: open questions by urgency, contradictions asserted since, and what rests on something that fell."""

    since: datetime
    questions: tuple[KnowledgeObject, ...]
    contradictions: tuple[Contradiction, ...]
    basis_changed: tuple[KnowledgeObject, ...]


def brief_of(
    questions: Sequence[KnowledgeObject], contradictions: Sequence[Contradiction], stale: Sequence[StaleObject], *, since: datetime
) -> Brief:
    """The brief over lists as one reader sees them; questions and bases while they stand, contradictions when they are new."""
    return Brief(
        since,
        tuple(questions),
        tuple(found for found in contradictions if found.edge.asserted_at >= since),
        tuple(found.knowledge_object for found in stale if found.knowledge_object.basis_changed),
    )


def render_brief(brief: Brief) -> str:
    """The brief as Markdown; what was ingested stands in it as data, with whatever could forge a citation escaped."""
    parts = [f"# Since {brief.since:%Y-%m-%d %H:%M %Z}".rstrip()]
    parts += _section("Urgent questions", [f"urgency {each.scores.urgency:.2f}: {_said(each)}" for each in brief.questions])
    parts += _section("New contradictions", [f"{_said(each.source)} — against — {_said(each.target)}" for each in brief.contradictions])
    bases = [f"{_said(each)} rests on {', '.join(each.basis_changed)}, which no longer stands" for each in brief.basis_changed]
    parts += _section("Basis changed", bases)
    return "\n".join(parts) + "\n"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    more = [f"- and {len(lines) - MOST_SHOWN} more"] if len(lines) > MOST_SHOWN else []
    return ["", f"## {title} ({len(lines)})", "", *[f"- {line}" for line in lines[:MOST_SHOWN]], *more, *([] if lines else ["None."])]


def _said(found: KnowledgeObject) -> str:
    return f"{inert(found.text)} [{found.object_id}]"
