"""Pairs that may be at odds: found by nearness and class, bounded in number, in no order of their input."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus, ItemFacts, RelatableObject
from oida.ingestion.relations.tension import (
    LATEST_OF_A_THREAD,
    NEAREST_OF_A_CLASS,
    PROPOSED_PER_HUNDRED,
    candidates,
    tensions,
)
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId
from oida.model.source import BlockKind, ItemKind, Reference, ReferenceCue
from oida.model.taxonomy import EpistemicClass as Class

START = datetime(2026, 2, 2, 9, 0, tzinfo=UTC)
THEORY = "The kiln cracks bowls because the shelf cools too quickly"


def at(day: int, name: str, kind: Class, text: str, *, author: str = "", block: BlockKind = BlockKind.PARAGRAPH) -> RelatableObject:
    return RelatableObject(
        ObjectId(f"ko-{name}"), ItemId(f"it-{name}"), 0, kind, text, START + timedelta(days=day), author=author, kind=block
    )


def corpus_of(*objects: RelatableObject, replies: dict[str, str] | None = None) -> Corpus:
    asked = replies or {}
    items = {
        each.item_id: ItemFacts(
            each.item_id,
            "s",
            ItemKind.MESSAGE,
            each.said_at,
            keys=(each.item_id,),
            references=(Reference(ReferenceCue.REPLY, asked[each.item_id]),) if each.item_id in asked else (),
        )
        for each in objects
    }
    return Corpus(objects, items)


def proposed(corpus: Corpus) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.edge_type.value, edge.target) for edge in tensions(corpus, Likeness(corpus), {})]


def test_a_finding_is_set_against_the_hypothesis_nearest_to_it() -> None:
    corpus = corpus_of(
        at(0, "far", Class.HYPOTHESIS, "Visitors leave early because the garden gate closes"),
        at(1, "near", Class.HYPOTHESIS, THEORY),
        at(2, "found", Class.EVIDENCE, "The shelf that cools quickly cracked two bowls of 400, the kiln floor thirty"),
    )
    assert [("ko-found", "CONTRADICTS", "ko-near")] == proposed(corpus)


@pytest.mark.parametrize("kind", [Class.QUESTION, Class.NARRATIVE])
def test_what_claims_nothing_is_at_odds_with_nothing(kind: Class) -> None:
    assert [] == proposed(corpus_of(at(0, "a", Class.HYPOTHESIS, THEORY), at(1, "b", kind, "The shelf of the kiln cools bowls quickly")))


def test_rows_of_a_table_are_never_set_against_each_other() -> None:
    rows = [at(n, f"r{n}", Class.EVIDENCE, f"Week {n}: bowls cracked {n + 3} %", block=BlockKind.TABLE_ROW) for n in range(4)]
    assert [] == candidates(*with_likeness(corpus_of(*rows)), {})


def test_a_reply_is_compared_with_what_opened_its_thread_though_they_share_no_word() -> None:
    corpus = corpus_of(
        at(0, "choice", Class.DECISION, "We glaze every bowl twice"),
        at(1, "reply", Class.EVALUATION, "That will ruin us", author="p-b"),
        replies={"it-reply": "it-choice"},
    )
    assert [("ko-reply", "ko-choice")] == [(each.newer.object_id, each.older.object_id) for each in candidates(*with_likeness(corpus), {})]


def test_vectors_bring_kindred_statements_nearer() -> None:
    corpus = corpus_of(at(0, "a", Class.HYPOTHESIS, THEORY), at(1, "b", Class.EVIDENCE, "The kiln was cold"))
    same = np.array([1.0, 0.0], np.float32)
    without, with_vectors = (candidates(*with_likeness(corpus), vectors)[0] for vectors in ({}, dict.fromkeys(("ko-a", "ko-b"), same)))
    assert pytest.approx(without.likeness + 0.5) == with_vectors.likeness


def test_work_and_proposals_are_bounded_by_the_number_of_objects() -> None:
    draw = random.Random(3)
    words = ["kiln", "bowl", "glaze", "shelf", "clay", "crack", "heat", "wheel", "oven", "fire", "cup", "plate"]
    classes = [Class.EVIDENCE, Class.HYPOTHESIS, Class.EVALUATION, Class.DECISION]
    objects = [at(n, f"o{n:03}", draw.choice(classes), " ".join(draw.sample(words, 5))) for n in range(200)]
    corpus = corpus_of(*objects)
    assert len(candidates(*with_likeness(corpus), {})) <= len(objects) * (NEAREST_OF_A_CLASS * len(Class) + LATEST_OF_A_THREAD)
    found = proposed(corpus)
    assert 0 < len(found) <= PROPOSED_PER_HUNDRED * len(objects) // 100
    draw.shuffle(objects)
    assert found == proposed(corpus_of(*objects))


def test_confidence_never_reaches_that_of_an_edge() -> None:
    corpus = corpus_of(at(0, "a", Class.HYPOTHESIS, THEORY), at(1, "b", Class.EVIDENCE, THEORY + ", not the clay"))
    (edge,) = tensions(corpus, Likeness(corpus), {})
    assert EdgeType.CONTRADICTS is edge.edge_type
    assert edge.confidence <= 0.25


def with_likeness(corpus: Corpus) -> tuple[Corpus, Likeness]:
    return corpus, Likeness(corpus)
