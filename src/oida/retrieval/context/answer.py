"""An answer for a person, taken word for word from a context: what holds, what is disputed, what nobody knows. No language model.

Everything is quoted and cited; what is not recorded is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from oida.model.query import AgentContext, ContestedPair, ContextLine, ContextSection
from oida.retrieval.context.labels import BACKGROUND, CONTESTED, EVIDENCE, GAPS, HISTORY, IN_FORCE, TENTATIVE
from oida.retrieval.context.render import inert, line_values, quoted

MOST_STATEMENTS = 5
MOST_DISPUTES = 2
MOST_QUESTIONS = 3

NOTHING_KNOWN = "Nothing is recorded on this."
NO_QUESTION = "No open question is recorded on this."

_LEADING: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "evidence": (EVIDENCE, TENTATIVE, IN_FORCE, BACKGROUND),
    "plan": (IN_FORCE, TENTATIVE, EVIDENCE, BACKGROUND),
    "history": (HISTORY, IN_FORCE, EVIDENCE, TENTATIVE, BACKGROUND),
    "narrative": (BACKGROUND, IN_FORCE, EVIDENCE, TENTATIVE),
})  # fmt: skip
_USUAL = (IN_FORCE, EVIDENCE, TENTATIVE, BACKGROUND)


@dataclass(frozen=True, slots=True)
class Answer:
    """A short extract of a context: statements best first, disputes with both sides, open questions by urgency."""

    question: str
    statements: tuple[ContextLine, ...]
    disputes: tuple[ContestedPair, ...]
    open_questions: tuple[ContextLine, ...]


def answer(context: AgentContext) -> Answer:
    """What a context says to a person who asks, in a few lines.

    The statements are the best ranked ones that the intent puts first; what is disputed is shown only with both sides.
    """
    sections = {section.title: section for section in context.sections}
    empty = ContextSection("")
    disputes = sections.get(CONTESTED, empty).pairs[:MOST_DISPUTES]
    disputed = {side for pair in sections.get(CONTESTED, empty).pairs for side in (pair.edge.source, pair.edge.target)}
    lines = [
        line
        for title in _LEADING.get(context.query.intent, _USUAL)
        for line in _best(sections.get(title, empty))
        if line.knowledge_object.object_id not in disputed
    ]
    return Answer(
        context.query.text,
        tuple(sorted(lines, key=_by_rank)[:MOST_STATEMENTS]),
        disputes,
        sections.get(GAPS, empty).lines[:MOST_QUESTIONS],
    )


def _best(section: ContextSection) -> list[ContextLine]:
    return sorted(section.lines, key=_by_rank)[:MOST_STATEMENTS]


def _by_rank(line: ContextLine) -> tuple[float, str]:
    return -line.rank_score, line.knowledge_object.object_id


def render_answer(given: Answer) -> str:
    """An answer as plain text: quotations with author, date and id."""
    parts = [_statement(line) for line in given.statements]
    parts += [_dispute(pair) for pair in given.disputes]
    if not parts:
        parts = [NOTHING_KNOWN]
    questions = [f"Not known: {_cited(line)}" for line in given.open_questions] or [NO_QUESTION]
    return "\n".join((*parts, *questions)) + "\n"


def _statement(line: ContextLine) -> str:
    marks = ", ".join((line.knowledge_object.epistemic_class.value.capitalize(), line.commitment, *line.marks))
    return f"{marks}: {_cited(line)}"


def _dispute(pair: ContestedPair) -> str:
    return f"Disputed:\n  {_statement(pair.source)}\n  against {_statement(pair.target)}"


def _cited(line: ContextLine) -> str:
    found = line.knowledge_object
    author = inert(found.provenance.author_name) or "author unknown"
    return f"{quoted(found.text)} ({author}, {found.provenance.said_at.date().isoformat()}) [{found.object_id}]"


def answer_values(given: Answer) -> dict[str, Any]:
    """The same answer as plain values, ready for JSON."""
    return {
        "question": given.question,
        "statements": [line_values(line) for line in given.statements],
        "disputes": [
            {"edge": pair.edge.edge_id, "source": line_values(pair.source), "target": line_values(pair.target)} for pair in given.disputes
        ],
        "open_questions": [line_values(line) for line in given.open_questions],
    }
