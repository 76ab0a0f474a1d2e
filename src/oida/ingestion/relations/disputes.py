"""Who gives up, denies or corrects what across items: withdrawn and refuted explanations, corrected figures.

A figure is corrected only where the earlier statement holds that very figure and speaks of the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from oida.ingestion.relations.cues import Stance, corrected_figures, denies, stance_of, withdraws
from oida.ingestion.relations.likeness import Likeness, roots_of
from oida.ingestion.relations.relatable import Corpus, DeclaredStatus, RelatableObject
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass as Class

WITHDRAWN_LIKENESS = 0.28
CORRECTED_LIKENESS = 0.15
REFUTED_LIKENESS = 0.5

_GIVEN_UP = frozenset({Class.HYPOTHESIS, Class.PLAN})
_FINDINGS = frozenset({Class.EVIDENCE, Class.OBSERVATION})
_CLAIMS = frozenset(Class) - {Class.QUESTION, Class.NARRATIVE}
_ANY_THEORY = roots_of("theory hypothesis idea suspicion explanation assumption guess plan")
"""Words that name no theory in particular."""

_FIGURE = re.compile(r"(?<![\w.,])\d[\d.,]*\d|(?<![\w.,])\d")


def withdrawals(corpus: Corpus, likeness: Likeness) -> Iterator[tuple[ProposedEdge, DeclaredStatus | None]]:
    """CONTRADICTS from the words that give an explanation up; with its end, where whoever stated it says so himself."""
    for newer in corpus.objects:
        words = withdraws(newer.text) if newer.epistemic_class in _CLAIMS else ""
        found = likeness.most_alike(newer, _GIVEN_UP, naming=roots_of(newer.text) - _ANY_THEORY) if words else None
        if found is None or found[0] < WITHDRAWN_LIKENESS:
            continue
        older, confidence = found[1], round(min(0.85, 0.4 + 0.7 * found[0]), 3)
        edge = ProposedEdge(newer.object_id, EdgeType.CONTRADICTS, older.object_id, confidence, "cue:withdraws", words)
        by_its_author = bool(newer.author) and newer.author == older.author
        ended = DeclaredStatus(older.object_id, Status.ABANDONED, confidence, "cue:withdraws", words) if by_its_author else None
        yield edge, ended


def refutations(corpus: Corpus, likeness: Likeness) -> Iterator[ProposedEdge]:
    """CONTRADICTS from a finding that denies to the hypothesis most like it, and from open disagreement to the claim most like it.

    Measured on an annotated organisation, all seven negated findings so close to a hypothesis contradicted it.
    """
    for newer in corpus.objects:
        stance, words = stance_of(newer.text)
        if newer.epistemic_class in _FINDINGS and (denial := denies(newer.text)):
            found = likeness.most_alike(newer, {Class.HYPOTHESIS})
            method, words = "cue:finding-denies", denial
        elif newer.epistemic_class in _CLAIMS and stance is Stance.DISAGREES:
            found = likeness.most_alike(newer, _CLAIMS, accept=partial(_by_another, newer))
            method = "cue:disagrees"
        else:
            continue
        if found and found[0] >= REFUTED_LIKENESS:
            confidence = round(min(0.75, 0.3 + 0.5 * found[0]), 3)
            yield ProposedEdge(newer.object_id, EdgeType.CONTRADICTS, found[1].object_id, confidence, method, words)


def corrections(corpus: Corpus, likeness: Likeness) -> Iterator[ProposedEdge]:
    """CONTRADICTS from a corrected figure to the earlier statement most like it that holds the wrong one."""
    for newer in corpus.objects:
        for figure, _, words in corrected_figures(newer.text) if newer.epistemic_class in _CLAIMS else ():
            found = likeness.most_alike(newer, _CLAIMS, accept=partial(_holds, figure))
            if found and found[0] >= CORRECTED_LIKENESS:
                yield ProposedEdge(newer.object_id, EdgeType.CONTRADICTS, found[1].object_id, 0.7, "cue:corrected-figure", words)


def _by_another(newer: RelatableObject, older: RelatableObject) -> bool:
    return not newer.author or newer.author != older.author


def _holds(figure: str, older: RelatableObject) -> bool:
    return figure in _FIGURE.findall(older.text)
