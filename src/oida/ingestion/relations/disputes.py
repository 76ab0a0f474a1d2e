"""Who gives up or corrects what across items: withdrawn explanations and corrected figures.

A figure is corrected only where the earlier statement holds that very figure and speaks of the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oida.ingestion.relations.cues import corrected_figures, withdraws
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus, DeclaredStatus, RelatableObject
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass as Class

WITHDRAWN_LIKENESS = 0.28
CORRECTED_LIKENESS = 0.15

_GIVEN_UP = frozenset({Class.HYPOTHESIS, Class.PLAN})
_STATES_FIGURES = frozenset(
    {Class.EVIDENCE, Class.OBSERVATION, Class.EVALUATION, Class.PLAN, Class.DECISION, Class.CONSTRAINT, Class.HYPOTHESIS}
)
_FIGURE = re.compile(r"(?<![\w.,])\d[\d.,]*\d|(?<![\w.,])\d")


def withdrawals(corpus: Corpus, likeness: Likeness) -> Iterator[tuple[ProposedEdge, DeclaredStatus | None]]:
    """CONTRADICTS from the words that give an explanation up; with its end, where whoever stated it says so himself."""
    for newer in corpus.objects:
        words = withdraws(newer.text)
        if not words or newer.epistemic_class in (Class.QUESTION, Class.NARRATIVE):
            continue
        older = _most_alike(newer, likeness, _GIVEN_UP, WITHDRAWN_LIKENESS)
        if older is None:
            continue
        confidence = round(min(0.85, 0.4 + 0.7 * likeness.between(newer, older)), 3)
        edge = ProposedEdge(newer.object_id, EdgeType.CONTRADICTS, older.object_id, confidence, "cue:withdraws", words)
        by_its_author = bool(newer.author) and newer.author == older.author
        ended = DeclaredStatus(older.object_id, Status.ABANDONED, confidence, "cue:withdraws", words) if by_its_author else None
        yield edge, ended


def corrections(corpus: Corpus, likeness: Likeness) -> Iterator[ProposedEdge]:
    """CONTRADICTS from a corrected figure to the latest earlier statement that holds the wrong one."""
    for newer in corpus.objects:
        if newer.epistemic_class not in _STATES_FIGURES:
            continue
        for figure, _, words in corrected_figures(newer.text):
            holding = [
                (likeness.between(newer, older), older)
                for older in likeness.earlier(newer)
                if older.epistemic_class in _STATES_FIGURES
                and figure in _FIGURE.findall(older.text)
                and likeness.shared_roots(newer, older)
            ]
            best = max(holding, key=lambda pair: (pair[0], pair[1].order), default=None)
            if best and best[0] >= CORRECTED_LIKENESS:
                yield ProposedEdge(newer.object_id, EdgeType.CONTRADICTS, best[1].object_id, 0.7, "cue:corrected-figure", words)


def _most_alike(newer: RelatableObject, likeness: Likeness, classes: frozenset[Class], threshold: float) -> RelatableObject | None:
    scored = [
        (likeness.between(newer, older), older)
        for older in likeness.earlier(newer)
        if older.epistemic_class in classes and likeness.shared_roots(newer, older)
    ]
    best = min(scored, key=lambda pair: (-pair[0], pair[1].order), default=None)
    return best[1] if best and best[0] >= threshold else None
