"""What an integration needs of a workspace, and the passages that it hands on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol, TypeVar

from oida.model.knowledge_object import KnowledgeObject
from oida.model.query import AgentContext, ContextLine
from oida.retrieval.context.render import render_line
from oida.workspace.inspect import ObjectReport
from oida.workspace.lists import Contradiction

Used = TypeVar("Used")


class Memory(Protocol):
    """A workspace, near or far."""

    def context(self, question: str, *, budget_tokens: int = ...) -> AgentContext:
        """What an agent should be given for a question."""
        ...

    def questions(self) -> list[KnowledgeObject]:
        """Open questions, most urgent first."""
        ...

    def decisions(self) -> list[KnowledgeObject]:
        """Decisions in force, newest first."""
        ...

    def contradictions(self) -> list[Contradiction]:
        """Pairs that contradict each other."""
        ...

    def show(self, found: str) -> ObjectReport:
        """One object from all sides."""
        ...


class OneAtATime:
    """A workspace for frameworks that call from several threads at once: a local one has one connection, which serves one at a time."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = Lock()

    def __call__(self, use: Callable[[Memory], Used]) -> Used:
        """What a use of the workspace gives, once nobody else uses it."""
        with self._lock:
            return use(self._memory)


@dataclass(frozen=True, slots=True)
class Passage:
    """One cited line of a context: the quoted text, where it stands in the context, and what is known about it."""

    object_id: str
    text: str
    rank_score: float
    metadata: dict[str, Any]


def passages(context: AgentContext) -> list[Passage]:
    """The lines of a context in its order, each object once: sides of contradictions and open questions included."""
    found: dict[str, Passage] = {}
    for section in context.sections:
        lines = [*section.lines, *(side for pair in section.pairs for side in (pair.source, pair.target))]
        for line in lines:
            found.setdefault(line.knowledge_object.object_id, _passage(line, section.title))
    return list(found.values())


def _passage(line: ContextLine, section: str) -> Passage:
    found = line.knowledge_object
    return Passage(
        object_id=found.object_id,
        text=render_line(line).removeprefix("- "),
        rank_score=line.rank_score,
        metadata={
            "section": section,
            "class": found.epistemic_class.value,
            "status": found.status.value,
            "commitment": line.commitment,
            "author": found.provenance.author_name,
            "said_at": found.provenance.said_at.isoformat(),
            "source": found.provenance.link or found.provenance.place,
            "k": found.scores.k_score,
            "superseded_by": found.superseded_by or "",
            "contested_by": ", ".join(found.contested_by),
        },
    )
