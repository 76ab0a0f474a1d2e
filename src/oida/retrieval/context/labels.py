"""What a context calls things: its sections, the commitment behind each class, and the marks a line can bear."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass

IN_FORCE = "Decisions and constraints in force"
EVIDENCE = "Evidence"
CONTESTED = "Contested"
TENTATIVE = "Plans, evaluations, observations, hypotheses"
BACKGROUND = "Background"
HISTORY = "History, no longer in force"
GAPS = "Knowledge gaps"
CORE = "Core memory"

SECTION_ORDER = (IN_FORCE, EVIDENCE, CONTESTED, TENTATIVE, BACKGROUND, HISTORY, GAPS, CORE)

NO_OPEN_QUESTION = "No open question is recorded on this."
STALE_FRESHNESS = 0.5

_C, _S = EpistemicClass, Status

#                     section      commitment
_CLASSES: Mapping[EpistemicClass, tuple[str, str]] = MappingProxyType({
    _C.DECISION:    (IN_FORCE,   "binding"),
    _C.CONSTRAINT:  (IN_FORCE,   "not negotiable"),
    _C.EVIDENCE:    (EVIDENCE,   "verifiable"),
    _C.NARRATIVE:   (BACKGROUND, "background"),
    _C.PLAN:        (TENTATIVE,  "intended"),
    _C.EVALUATION:  (TENTATIVE,  "judged"),
    _C.OBSERVATION: (TENTATIVE,  "weak signal"),
    _C.HYPOTHESIS:  (TENTATIVE,  "unverified"),
    _C.QUESTION:    (GAPS,       "open"),
})  # fmt: skip

_ENDED: Mapping[Status, str] = MappingProxyType({
    _S.SUPERSEDED: "superseded",
    _S.RESOLVED: "answered",
    _S.ABANDONED: "given up",
    _S.RETRACTED: "retracted",
    _S.WITHDRAWN: "gone at its source",
    _S.REDACTED: "erased",
})  # fmt: skip

assert set(_CLASSES) == set(EpistemicClass)
assert set(_ENDED) == set(Status) - {Status.ACTIVE}


def questions_without_room(open_questions: int) -> str:
    """What the section on knowledge gaps says where the budget holds none of the open questions."""
    return f"{open_questions} open on this; the budget has no room for their text."


def section_of(found: KnowledgeObject) -> str:
    """The section in which an object stands; whatever has ended stands in the history."""
    return _CLASSES[found.epistemic_class][0] if found.status is Status.ACTIVE else HISTORY


def commitment_of(found: KnowledgeObject) -> str:
    """How firmly the organisation stands behind an object, or what has become of it and by which."""
    if found.status is Status.ACTIVE:
        return _CLASSES[found.epistemic_class][1]
    successor = found.superseded_by if found.status is Status.SUPERSEDED else found.resolved_by
    return _ENDED[found.status] + (f" by [{successor}]" if successor else "")


def marks_of(found: KnowledgeObject, *, contested: bool, blocked: bool, sources: int) -> tuple[str, ...]:
    """What a reader must know before relying on a line; `sources` counts those that say the same."""
    active = found.status is Status.ACTIVE
    marks = (
        ("contested", contested and active),
        ("blocked", blocked and active),
        ("basis changed", bool(found.basis_changed) and active),
        ("stale", active and found.scores.freshness < STALE_FRESHNESS),
        (f"said by {sources} sources", sources > 1),
    )
    return tuple(mark for mark, holds in marks if holds)
