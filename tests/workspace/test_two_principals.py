"""What is added for others changes nothing at all in what a principal is told: results, order, scores, counts, gaps, explanations."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.companies import BO, BOARD, COMPANY, NOW, message, open_base, said
from tests.companies import ingest as ingest_items

from oida.faces.wire import plain
from oida.model.source import SourceItem
from oida.retrieval.context.answer import answer_values
from oida.retrieval.context.render import context_values, render_markdown
from oida.workspace.search import SearchFilter
from oida.workspace.workspace import Workspace

PUBLIC = tuple(item for item in COMPANY if BOARD not in item.visibility)
WORDS = ("Moss", "gate", "vans", "night", "queue", "load", "harbour", "drivers", "ferry", "Zephyr", "Freight", "measured", "plan")
OPENINGS = ("We decided to", "We measured", "I suspect", "We plan to", "I noticed", "Why is", "We must not", "It is better to")
QUESTIONS = ("Why is the queue at the gate so long?", "What did we decide about the vans at Moss?", "What about Zephyr Freight?")


def _why_not(workspace: Workspace) -> list[object]:
    found = [hit.knowledge_object.object_id for hit in workspace.search("gate Moss vans night", limit=10)]
    return [plain(workspace.why_not(each, QUESTIONS[0])) for each in found]


VERBS: dict[str, Callable[[Workspace], object]] = {
    "contexts": lambda w: [context_values(w.context(each, preview=True)) for each in QUESTIONS],
    "small contexts": lambda w: [render_markdown(w.context(each, budget_tokens=400, preview=True)) for each in QUESTIONS],
    "equation 4": lambda w: [context_values(w.context(each, profile="equation-4", preview=True)) for each in QUESTIONS],
    "vesta": lambda w: [context_values(w.context(each, profile="vesta", preview=True)) for each in QUESTIONS],
    "answers": lambda w: [answer_values(w.ask(each, preview=True)) for each in QUESTIONS],
    "rankings": lambda w: [plain(w.ranked_context(each)[1]) for each in QUESTIONS],
    "explanations": lambda w: [plain(w.explain(each)) for each in QUESTIONS],
    "search": lambda w: plain(w.search("Moss gate vans Zephyr Freight", limit=100)),
    "search by filter": lambda w: plain(w.search("Moss", SearchFilter(statuses=frozenset({"ACTIVE"})), limit=100)),
    "search by time": lambda w: plain(w.search("Moss gate", SearchFilter(since=NOW - timedelta(days=20)), limit=2, offset=1)),
    "why not": _why_not,
    "questions": lambda w: plain(w.questions()),
    "decisions": lambda w: plain(w.decisions(superseded=True)),
    "contradictions": lambda w: plain(w.contradictions()),
    "stale": lambda w: plain(w.stale()),
    "counts": lambda w: [w.status().objects, w.status().by_class, w.status().by_status, w.status().items_by_source],
}


def told(workspace: Workspace) -> dict[str, str]:
    asker = workspace.acting_as("Cy")
    return {name: json.dumps(verb(asker), default=str) for name, verb in VERBS.items()}


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    workspace = open_base()
    ingest_items(workspace, PUBLIC)
    return told(workspace)


SENTENCES = st.builds(
    lambda opening, words, end: f"{opening} {' '.join(words)}{end}",
    st.sampled_from(OPENINGS),
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=12),
    st.sampled_from(".?"),
)

COPIES = st.sampled_from([item.body for item in PUBLIC if item.blocks])
"""What everyone can read, said again where only some do."""


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(SENTENCES | COPIES, st.sampled_from(["", "m1", "m3", "m4"]), st.integers(20, 25)), min_size=1, max_size=8))
def test_what_others_are_told_changes_nothing_for_oneself(alone: dict[str, str], hidden: list[tuple[str, str, int]]) -> None:
    secrets: list[SourceItem] = [
        message(f"s{number}", text, day=day + number / 100, author=BO, reply_to=reply_to, visibility=(BOARD,))
        for number, (text, reply_to, day) in enumerate(hidden)
    ]
    workspace = open_base()
    ingest_items(workspace, [*PUBLIC, *secrets])
    with_secrets = told(workspace)
    assert [] == [name for name in VERBS if alone[name] != with_secrets[name]]


def test_the_test_would_notice(alone: dict[str, str]) -> None:
    workspace = open_base()
    ingest_items(workspace, [*PUBLIC, message("s1", "We decided to load the vans at the gate.", day=20)])
    seen = told(workspace)
    assert {"contexts", "rankings", "search", "counts"} <= {name for name in VERBS if alone[name] != seen[name]}
    assert said(workspace, "We decided to load the vans at the gate") in seen["search"]


@pytest.mark.xfail(strict=True, reason="relations are found over the whole set: a hidden earlier copy takes those of the copy that all see")
def test_a_hidden_earlier_copy_changes_nothing_either(alone: dict[str, str]) -> None:
    workspace = open_base()
    ingest_items(workspace, [*PUBLIC, message("s1", PUBLIC[0].body, day=-3, author=BO, visibility=(BOARD,))])
    assert alone == told(workspace)
