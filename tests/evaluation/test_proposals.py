"""Headers of proposals become an organisation whose questions name what was superseded."""

from __future__ import annotations

import json

import pytest

from oida.evaluation.proposals import proposal_corpus
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass

HEADERS = [
    {"pep": "p1", "title": "Metadata for packages", "status": "Superseded", "created": "01-Mar-2001"},
    {"pep": "p2", "title": "Metadata for packages 2", "status": "Final", "created": "01-Mar-2003"},
    {"pep": "p3", "title": "Templates", "status": "Withdrawn", "created": "04-Jun-2009"},
    {"pep": "p4", "title": "Strings", "status": "Draft", "created": "18-Mar-2013"},
]
RELATIONS = [
    {"src": "p2", "type": "SUPERSEDES", "dst": "p1", "header": "replaces"},
    {"src": "p2", "type": "SUPERSEDES", "dst": "p1", "header": "superseded-by"},
    {"src": "p4", "type": "SUPERSEDES", "dst": "p3"},
    {"src": "p9", "type": "SUPERSEDES", "dst": "p3"},
    {"src": "p4", "type": "BASED_ON", "dst": "p2"},
]
HISTORY = [{"pep": "p1", "to": "Final"}, {"pep": "p2", "to": "Final"}, {"pep": "p3", "to": "Draft"}, {"pep": "p4", "to": "Draft"}]


def lines(records: list[dict[str, str]]) -> list[str]:
    return [json.dumps(each) for each in records]


def test_pairs_come_from_relations_once_each_and_are_asked_in_the_superseded_ones_words() -> None:
    corpus = proposal_corpus("small", headers=lines(HEADERS), relations=lines(RELATIONS), history=lines(HISTORY))

    assert ["p1 to p2", "p3 to p4"] == [pair.name for pair in corpus.pairs]
    assert ["What holds for Metadata for packages?", "What holds for Metadata packages?", "What holds for Templates?"] == [
        query.text for query in corpus.gold.queries
    ]
    assert {EdgeType.SUPERSEDES, EdgeType.BASED_ON} == {edge.edge_type for edge in corpus.gold.edges}


def test_a_class_tells_whether_it_was_ever_accepted_and_not_how_it_ended() -> None:
    corpus = proposal_corpus("small", headers=lines(HEADERS), relations=lines(RELATIONS), history=lines(HISTORY))
    found = corpus.gold.statements

    assert EpistemicClass.DECISION is found["p1"].epistemic_class is found["p2"].epistemic_class
    assert EpistemicClass.PLAN is found["p3"].epistemic_class is found["p4"].epistemic_class
    assert ["superseded", "active", "abandoned", "active"] == [found[name].status for name in ("p1", "p2", "p3", "p4")]


@pytest.mark.parametrize("header", ["nonsense", "{}", json.dumps(HEADERS[0] | {"created": "yesterday"})])
def test_what_is_no_header_is_refused(header: str) -> None:
    with pytest.raises(InputError):
        proposal_corpus("small", headers=[header], relations=[], history=[])
