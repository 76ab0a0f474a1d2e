"""Pairs of statements to a prompt for a language model, and its reply back to relations: pure, asks nobody.

A reply is never trusted: every number must be one that was asked, every relation one of the ten or NONE; what is missing is missing. What
a relation may do without a person is decided here, not by the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oida.ingestion.guard import Verdict, judge_pair, read_said
from oida.ingestion.numbered_replies import LONGEST_STATEMENT, NONE, answers_schema, read_answers
from oida.ingestion.relations.relatable import RelatableObject
from oida.model.classification import ProposedEdge
from oida.model.dialogue import Prompt, Reply
from oida.model.edge import EdgeType

LABELS = (*(each.value for each in EdgeType), NONE)
ASSERTED_FROM = 0.7
"""Confidence from which a relation is asserted; below it waits for a person."""
_VETOES = frozenset({Verdict.DIFFERENT_SCOPE, Verdict.EVOLUTION, Verdict.DUPLICATE, Verdict.QUOTATION})

Pair = tuple[RelatableObject, RelatableObject]
"""A later statement, A, and an earlier one, B."""

SCHEMA = answers_schema(relation={"type": "string", "enum": list(LABELS)}, source={"type": "string", "enum": ["A", "B"]})


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """What a model says of a pair: a label of LABELS, whether the later statement is its source, and its confidence in [0, 1]."""

    label: str
    newer_acts: bool
    confidence: float


def relation_prompt(pairs: Sequence[Pair], *, instructions: str, version: str) -> Prompt:
    """The prompt for some pairs, numbered from 0; their words are data in JSON, and cannot end it."""
    rows = [
        {
            "number": number,
            "A": _side(newer),
            "B": _side(older),
            "same speaker": bool(newer.author) and newer.author == older.author,
        }
        for number, (newer, older) in enumerate(pairs)
    ]
    return Prompt(version, instructions, json.dumps(rows, ensure_ascii=False), SCHEMA)


def read_relations(reply: Reply, *, count: int) -> dict[int, PairAnswer]:
    """The valid answers of a reply by number; a number answered twice with different relations has none.

    >>> reply = Reply('{"answers": [{"number": 0, "relation": "SUPPORTS", "source": "A", "confidence": 0.9}]}', "m", 1, 1)
    >>> read_relations(reply, count=1)
    {0: PairAnswer(label='SUPPORTS', newer_acts=True, confidence=0.9)}
    """
    return read_answers(reply, _answer, count=count, meaning=lambda each: (each.label, each.newer_acts))


def said_again(answer: PairAnswer) -> str:
    """The reply that says this of the only pair of a prompt, and nothing else.

    >>> read_relations(Reply(said_again(PairAnswer("NONE", True, 0.5)), "m", 0, 0), count=1)[0].label
    'NONE'
    """
    row = {"number": 0, "relation": answer.label, "source": "A" if answer.newer_acts else "B", "confidence": answer.confidence}
    return json.dumps({"answers": [row]})


def edge_of(pair: Pair, answer: PairAnswer, *, method: str) -> tuple[ProposedEdge, bool] | None:
    """The edge that an answer speaks of, and whether it is asserted or waits for a person; None where there is none.

    What lowers another object needs more than a model's word: a contradiction that the guard has nothing against, a succession whose own
    words say that something is replaced. Only what was said later can supersede.
    """
    if answer.label == NONE:
        return None
    edge_type = EdgeType(answer.label)
    newer, older = pair
    newer_acts = answer.newer_acts or edge_type is EdgeType.CONTRADICTS
    if edge_type is EdgeType.SUPERSEDES and (not newer_acts or newer.said_at <= older.said_at):
        return None
    source, target = (newer, older) if newer_acts else (older, newer)
    edge = ProposedEdge(source.object_id, edge_type, target.object_id, round(answer.confidence, 3), method, "")
    return edge, answer.confidence >= ASSERTED_FROM and _may_stand(edge_type, newer, older)


def _may_stand(edge_type: EdgeType, newer: RelatableObject, older: RelatableObject) -> bool:
    if edge_type not in (EdgeType.CONTRADICTS, EdgeType.SUPERSEDES):
        return True
    a, b = (read_said(each.text, each.said_at.date(), each.author) for each in (newer, older))
    verdict = judge_pair(a, b).verdict
    return verdict is Verdict.SUPERSESSION if edge_type is EdgeType.SUPERSEDES else verdict not in _VETOES


def _side(found: RelatableObject) -> dict[str, str]:
    return {
        "date": found.said_at.date().isoformat(),
        "class": found.epistemic_class.value,
        "about": " / ".join(each for each in (found.entity, *found.section) if each),
        "statement": found.text[:LONGEST_STATEMENT],
    }


def _answer(answer: Mapping[str, Any], confidence: float) -> PairAnswer | None:
    label, source = answer.get("relation"), answer.get("source")
    return PairAnswer(label, source == "A", confidence) if label in LABELS and source in ("A", "B") else None
