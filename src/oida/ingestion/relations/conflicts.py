"""Which statements give different figures for what seems to be the same measure, although neither says that the other is wrong.

The guard must find a contradiction: no other scope, period, quotation or repetition. What is less than sure is only proposed, because two
figures about one subject are more often two measures than a contradiction: on an annotated organisation one pair in five was one.
"""

from __future__ import annotations

from collections.abc import Iterator

from oida.ingestion.guard import Said, Verdict, conflicting_quantities, judge_pair, read_said
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus, RelatableObject
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.identifiers import ObjectId
from oida.model.taxonomy import EpistemicClass as Class

PROPOSED_LIKENESS = 0.45
SURE_CONFIDENCE = 0.5
"""From here on two different figures are taken for a contradiction without asking anybody."""
MOST_COMPARED = 12
"""Nearest earlier statements with figures of a common unit that are judged for one statement."""
METHOD = "cue:quantity-conflict"

_STATES_FIGURES = frozenset({Class.EVIDENCE, Class.OBSERVATION, Class.EVALUATION, Class.NARRATIVE, Class.HYPOTHESIS})


def quantity_conflicts(corpus: Corpus, likeness: Likeness) -> Iterator[ProposedEdge]:
    """CONTRADICTS from a later to the earlier statement most like it whose figure for the same measure differs; at most one each."""
    said = {
        found.object_id: read_said(found.text, found.said_at.date(), found.author)
        for found in corpus.objects
        if found.epistemic_class in _STATES_FIGURES and any(character.isdigit() for character in found.text)
    }
    for newer in corpus.objects:
        if newer.object_id in said and _single_figures(said[newer.object_id]):
            found = _conflict(newer, corpus, likeness, said)
            if found:
                yield found


def _conflict(newer: RelatableObject, corpus: Corpus, likeness: Likeness, said: dict[ObjectId, Said]) -> ProposedEdge | None:
    mine = said[newer.object_id]
    units = _single_figures(mine)
    near = [
        (likeness.between(newer, older), older)
        for older in likeness.earlier(newer)
        if older.object_id in said and older.item_id != newer.item_id and units & _single_figures(said[older.object_id])
    ]
    for alike, older in sorted(near, key=lambda pair: (-pair[0], pair[1].order))[:MOST_COMPARED]:
        if alike < PROPOSED_LIKENESS:
            return None
        finding = judge_pair(mine, said[older.object_id])
        pair = conflicting_quantities(mine, said[older.object_id])
        if finding.verdict is Verdict.CONTRADICTION and pair and pair[0].unit in units:
            confidence = round(min(0.6, max(0.05, 0.7 * alike - 0.25)), 3)
            return ProposedEdge(newer.object_id, EdgeType.CONTRADICTS, older.object_id, confidence, METHOD, finding.because)
    return None


def _single_figures(said: Said) -> frozenset[str]:
    """Units of which a statement holds one figure: of several, nobody knows which measure is whose."""
    units = [each.unit for each in said.quantities if each.unit and not each.names]
    return frozenset(unit for unit in units if units.count(unit) == 1)
