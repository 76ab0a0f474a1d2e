"""The machine's own memory under a condition: the objects that it made, with nothing of the annotation in them."""

from __future__ import annotations

from datetime import timedelta
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from tests.companies import COMPANY, NOW, FakeConnector, FakeReader, class_of

from oida import bootstrap
from oida.adapters.classifier.scripted import ScriptedClassifier
from oida.adapters.embedder.hashing import HashingEmbedder
from oida.adapters.lexical_index.memory import MemoryLexicalIndex
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.evaluation.experiment import condition_named
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.workspace.gold_memory import ConditionedMemory, Embeddings, Hidden, Instruments
from oida.workspace.own_memory import own_memory

_SPEC = spec_from_file_location("small_company", Path(__file__).parents[1] / "evaluation" / "small_company.py")
assert _SPEC is not None
assert _SPEC.loader is not None
told = module_from_spec(_SPEC)
_SPEC.loader.exec_module(told)


def remembered(monkeypatch, *, hidden: Hidden = Hidden.NOTHING, days_before: float = 0.0) -> ConditionedMemory:  # type: ignore[no-untyped-def]
    embedder = HashingEmbedder(384)
    monkeypatch.setattr(bootstrap, "_embedder", lambda *_: embedder)
    monkeypatch.setattr(bootstrap, "_offline_classifier", lambda *_: ScriptedClassifier(class_of))
    instruments = Instruments(lambda: embedder, lambda: MemoryLexicalIndex({}), ConservativeTokenCounter())
    with bootstrap.create_workspace(None, now=NOW) as base:
        chat = FakeConnector([item for item in COMPANY if item.source_id == "chat:harbour"])
        notes = FakeConnector([item for item in COMPANY if item.source_id != "chat:harbour"], source_id="notes:harbour")
        base.ingest([Path("x")], reader=FakeReader([chat, notes]))
        moment = NOW - timedelta(days=days_before)
        return own_memory(base, told.company(), moment, instruments, Embeddings(instruments.embedder), hidden=hidden)


def test_contexts_come_from_what_was_read_and_conditions_differ_in_dynamics(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    memory = remembered(monkeypatch)
    context = memory.context("Why is the queue at the gate so long?", condition_named("minerva"))
    said = [line.knowledge_object.text for section in context.sections for line in section.lines]
    live, static = (memory.objects(condition_named(name)) for name in ("minerva", "static"))

    assert any("gate" in text for text in said)
    assert context.tokens <= context.budget_tokens
    assert [each.scores.k_score for each in live.values()] != [each.scores.k_score for each in static.values()]


def test_an_earlier_moment_knows_less(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    early, late = remembered(monkeypatch, days_before=29.0), remembered(monkeypatch)

    assert 0 < len(early.objects(condition_named("minerva"))) < len(late.objects(condition_named("minerva")))


def test_hidden_from_everything_leaves_no_status_and_no_edge_that_makes_one(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    told_all, told_nothing = remembered(monkeypatch), remembered(monkeypatch, hidden=Hidden.EVERYWHERE)

    assert {Status.ACTIVE} == {each.status for each in told_nothing.objects(condition_named("minerva")).values()}
    assert EdgeType.SUPERSEDES not in {edge.edge_type for edge in told_nothing.edges}
    assert len(told_nothing.objects(condition_named("minerva"))) == len(told_all.objects(condition_named("minerva")))
