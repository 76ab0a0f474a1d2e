"""What documents declare in their fields: superseded by, amends, requires, blocked by; rejected, withdrawn, deferred.

A field of a document speaks for its main decision; it never reaches past the two documents that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from oida.ingestion.relations.relatable import Corpus, DeclaredStatus, ItemFacts, RelatableObject
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.model.source import BlockKind, ItemKind, Reference, ReferenceCue
from oida.model.taxonomy import EpistemicClass as Class

FIELD_CONFIDENCE = 0.95
STATUS_CONFIDENCE = 0.9
HEADING_CONFIDENCE = 0.7
MOST_ENDED_IN_ITEM = 200
"""Objects of one superseded document; a bound, not a tuning."""

_DECISION_SECTION = re.compile(r"\b(?:decision|decided|resolution|outcome|beslutning|entscheidung|décision|decisión)\b", re.IGNORECASE)
_OFF_DECISION_SECTION = re.compile(
    r"\b(?:alternatives?|rejected|context|background|consequences?|options?|considered|references?)\b", re.IGNORECASE
)
_GIVEN_UP_SECTION = re.compile(
    r"\b(?:rejected|dropped|abandoned|discarded|withdrawn|ruled out|forkast\w*|verworfen\w*)\b(?!.*\bnot\b)", re.IGNORECASE
)
_ANSWERED_SECTION = re.compile(r"\b(?:resolved|answered|closed|settled)\s+(?:\w+\s+)?(?:questions?|issues?|points?)\b", re.IGNORECASE)
_GIVEN_UP = re.compile(
    r"\b(?:reject\w*|withdr[ae]w\w*|abandon\w*|deferred|declined|dropped|cancell?ed|won'?t (?:do|fix)|discarded)\b", re.IGNORECASE
)
_ENDED = re.compile(r"\b(?:supers?[ec]*[cs]?eded|replaced|obsolete\w?|deprecated|retired)\b", re.IGNORECASE)
_NO_LONGER_VALID = re.compile(r"\bno longer (?:valid|true)\b", re.IGNORECASE)
_IN_PART = re.compile(r"\b(?:part(?:ly|ially|s)?|in part|some (?:of|sections)|delvis|teilweise)\b", re.IGNORECASE)
_PART = re.compile(r"\b(?:annex|appendix|section|part|clause|chapter|paragraph|rule|item|article)\s+[\w.]+", re.IGNORECASE)
_ANSWERED = re.compile(r"\b(?:resolved|answered|closed|done|solved|complete[d]?|løst|besvart)\b", re.IGNORECASE)
_SAYS_NO = re.compile(
    r"\b(?:reject\w*|not|never|no|decline\w*|withdr[ae]w\w*|defer\w*|against|instead|rather|won't|unable)\b|n't\b", re.IGNORECASE
)
_CANCELLED_TODO = re.compile(
    r"^\W*~~.*~~\W*$|^\W*(?:cancell?ed|dropped|won'?t do|obsolete|n/a)\b[:\s-]|\((?:cancell?ed|dropped|won'?t do|obsolete"
    r"|no longer needed)\)\W*$",
    re.IGNORECASE,
)

_PROPOSALS = frozenset({Class.PLAN, Class.HYPOTHESIS, Class.DECISION})
_ENDS_WITH_DOCUMENT = frozenset({Class.DECISION, Class.PLAN})
_MAIN = (Class.DECISION, Class.PLAN, Class.CONSTRAINT, Class.EVALUATION, Class.NARRATIVE, Class.HYPOTHESIS)


def declared_edges(corpus: Corpus) -> Iterator[ProposedEdge]:
    """The edges that reference fields state, from the newer document's main decision."""
    for facts in corpus.items.values():
        for reference in facts.references:
            other = corpus.referred(facts, reference) if reference.cue in _FIELD_EDGES else None
            if other:
                yield from _of_reference(corpus, facts, other, reference)


def declared_statuses(corpus: Corpus) -> Iterator[DeclaredStatus]:
    """What status fields, headings and to-dos say has become of objects."""
    for facts in corpus.items.values():
        objects = corpus.in_item(facts.item_id)
        yield from _by_status_field(facts, objects, named=_names_successor(corpus, facts))
        for found in objects:
            yield from _by_heading(found)
            yield from _by_todo(found)


def main_object(objects: Sequence[RelatableObject]) -> RelatableObject | None:
    """The object for which its document stands: the first decision in a section of that name, else the first of the most binding class.

    None for a document that neither commits to nor claims anything.
    """
    by_class = {wanted: [found for found in objects if found.epistemic_class is wanted] for wanted in _MAIN}
    decisions = by_class[Class.DECISION]
    in_section = [found for found in decisions if _is_decision_section(found.section)]
    if in_section:
        return in_section[0]
    return next((found[0] for found in by_class.values() if found), None)


def _is_decision_section(section: tuple[str, ...]) -> bool:
    return any(_DECISION_SECTION.search(heading) and not _OFF_DECISION_SECTION.search(heading) for heading in section)


_FIELD_EDGES: dict[ReferenceCue, tuple[EdgeType, bool]] = {
    ReferenceCue.SUPERSEDES: (EdgeType.SUPERSEDES, True),
    ReferenceCue.SUPERSEDED_BY: (EdgeType.SUPERSEDES, False),
    ReferenceCue.AMENDS: (EdgeType.REFINES, True),
    ReferenceCue.AMENDED_BY: (EdgeType.REFINES, False),
    ReferenceCue.REQUIRES: (EdgeType.BASED_ON, False),
    ReferenceCue.BLOCKED_BY: (EdgeType.BLOCKS, False),
    ReferenceCue.BLOCKS: (EdgeType.BLOCKS, True),
}
"""Edge type of each field, and whether the document that holds the field is the edge's source."""


def _of_reference(corpus: Corpus, facts: ItemFacts, other: ItemFacts, reference: Reference) -> Iterator[ProposedEdge]:
    edge_type, is_source = _FIELD_EDGES[reference.cue]
    source_item, target_item = (facts, other) if is_source else (other, facts)
    source, targets = main_object(corpus.in_item(source_item.item_id)), corpus.in_item(target_item.item_id)
    target = main_object(targets)
    if source is None or target is None:
        return
    evidence = f"{reference.cue.value.replace('_', ' ')} {reference.key}"
    method = f"cue:{reference.cue.value.replace('_', '-')}-field"
    part = _part_of(facts, reference)
    if edge_type is not EdgeType.SUPERSEDES:
        reached = [target]
    elif part or _IN_PART.search(target_item.status):
        committed = (found for found in targets if found.epistemic_class in _ENDS_WITH_DOCUMENT)
        reached = [found for found in committed if part and any(part in heading.casefold() for heading in found.section)]
        if not reached:
            edge_type, reached = EdgeType.REFINES, [target]
    else:
        reached = [found for found in targets if found.epistemic_class in _ENDS_WITH_DOCUMENT] or [target]
    for found in reached[:MOST_ENDED_IN_ITEM]:
        yield ProposedEdge(source.object_id, edge_type, found.object_id, FIELD_CONFIDENCE, method, evidence)


def _part_of(facts: ItemFacts, reference: Reference) -> str:
    """The part of a document to which a field limits itself ("Supersedes: ADR-014 annex B"), folded; "" for the whole."""
    names = (reference.cue.value.replace("_", separator) for separator in ("-", " "))
    fields = {name.casefold(): value for name, value in facts.properties.items()}
    written = next((fields[name] for name in names if name in fields), "")
    found = _PART.search(written)
    return " ".join(found[0].casefold().split()) if found else ""


def _names_successor(corpus: Corpus, facts: ItemFacts) -> bool:
    """Whether an edge already ends the document's decisions, so that its status field need not."""
    own = any(
        reference.cue is ReferenceCue.SUPERSEDED_BY and _main_of(corpus, corpus.referred(facts, reference)) is not None
        for reference in facts.references
    )
    return own or facts.item_id in _superseded_items(corpus)


def _superseded_items(corpus: Corpus) -> frozenset[str]:
    return corpus.remembered("superseded items", lambda: frozenset(_replaced(corpus)))


def _replaced(corpus: Corpus) -> Iterator[str]:
    for facts in corpus.items.values():
        for reference in facts.references:
            if reference.cue is ReferenceCue.SUPERSEDES and _main_of(corpus, facts) is not None:
                other = corpus.referred(facts, reference)
                if other:
                    yield other.item_id


def _main_of(corpus: Corpus, facts: ItemFacts | None) -> RelatableObject | None:
    return main_object(corpus.in_item(facts.item_id)) if facts else None


def _by_status_field(facts: ItemFacts, objects: Sequence[RelatableObject], *, named: bool) -> Iterator[DeclaredStatus]:
    status = facts.status
    if not status or _IN_PART.search(status):
        return
    if _GIVEN_UP.search(status):
        for found in objects:
            if _is_given_up(found, facts):
                yield _declared(found, Status.ABANDONED, STATUS_CONFIDENCE, "cue:status-field", status)
    elif _NO_LONGER_VALID.search(status) and facts.kind is ItemKind.ROW:
        for found in objects:
            yield _declared(found, Status.SUPERSEDED, STATUS_CONFIDENCE, "cue:status-field", status)
    elif _ENDED.search(status) and not named:
        for found in objects:
            if found.epistemic_class in _ENDS_WITH_DOCUMENT:
                yield _declared(found, Status.SUPERSEDED, STATUS_CONFIDENCE, "cue:status-field", status)
    elif _ANSWERED.search(status) and facts.kind is ItemKind.ROW:
        for found in objects:
            if found.epistemic_class is Class.QUESTION:
                yield _declared(found, Status.RESOLVED, HEADING_CONFIDENCE, "cue:status-field", status)


def _is_given_up(found: RelatableObject, facts: ItemFacts) -> bool:
    """Plans, hypotheses and proposals; not the decision that gives them up, nor what an event that fell out had settled before."""
    if found.epistemic_class not in _PROPOSALS:
        return False
    if found.epistemic_class is Class.DECISION:
        return facts.kind is not ItemKind.EVENT and _SAYS_NO.search(found.text) is None
    return True


def _by_heading(found: RelatableObject) -> Iterator[DeclaredStatus]:
    for heading in found.section:
        if found.epistemic_class in (Class.HYPOTHESIS, Class.PLAN) and _GIVEN_UP_SECTION.search(heading):
            yield _declared(found, Status.ABANDONED, HEADING_CONFIDENCE, "cue:heading", heading)
            return
        if found.epistemic_class is Class.QUESTION and _ANSWERED_SECTION.search(heading):
            yield _declared(found, Status.RESOLVED, HEADING_CONFIDENCE, "cue:heading", heading)
            return


def _by_todo(found: RelatableObject) -> Iterator[DeclaredStatus]:
    if found.kind is not BlockKind.TODO:
        return
    cancelled = _CANCELLED_TODO.search(found.text)
    if cancelled and found.epistemic_class in (Class.PLAN, Class.HYPOTHESIS):
        yield _declared(found, Status.ABANDONED, STATUS_CONFIDENCE, "cue:to-do", cancelled[0])
    elif found.checked and found.epistemic_class is Class.QUESTION:
        yield _declared(found, Status.RESOLVED, HEADING_CONFIDENCE, "cue:to-do", "checked")


def _declared(found: RelatableObject, status: Status, confidence: float, method: str, evidence: str) -> DeclaredStatus:
    return DeclaredStatus(found.object_id, status, confidence, method, evidence.strip()[:200])
