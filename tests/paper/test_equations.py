from __future__ import annotations

from dataclasses import replace

import pytest

from oida.model.query import Query
from oida.retrieval.ranking.attention import contextual_attention, effective_k
from oida.samples import NOW, stale_observation

FOUND = replace(stale_observation().object("fresh"), anchors=frozenset({"gate", "queue"}))


def asked(**fixed: object) -> Query:
    return Query("How long is the queue?", NOW, 1_000, **fixed)  # type: ignore[arg-type]


def test_equation_5_weighs_entity_domain_and_anchors() -> None:
    entity, domain = FOUND.coordinate.entity, FOUND.coordinate.domain
    assert contextual_attention(asked(entity=entity), FOUND) == pytest.approx(0.40)
    assert contextual_attention(asked(domain=domain), FOUND) == pytest.approx(0.35)
    assert contextual_attention(asked(anchors=frozenset({"queue", "crane"})), FOUND) == pytest.approx(0.25 / 2)
    assert contextual_attention(asked(entity=entity, domain=domain, anchors=frozenset({"gate"})), FOUND) == pytest.approx(1.0)
    assert contextual_attention(asked(entity="another", domain="another"), FOUND) == 0.0


def test_equation_4_never_collapses_what_matters_everywhere() -> None:
    assert effective_k(1.0, 0.0) == pytest.approx(0.10)
    assert effective_k(0.8, 0.5) == pytest.approx(0.40)
