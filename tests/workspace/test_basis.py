"""The dependency cascade: whatever rests on what fell is marked, by the path, and cleared by a person's word or the basis' return."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from oida.bootstrap import create_workspace
from oida.model.edge import EdgeType
from oida.model.identifiers import ObjectId
from oida.model.taxonomy import EpistemicClass as Class
from oida.workspace.workspace import Workspace

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def base() -> Workspace:
    return create_workspace(None, now=NOW)


def say(base: Workspace, text: str, kind: Class, *relations: tuple[EdgeType, str]) -> ObjectId:
    added = base.record_statement(text, epistemic_class=kind, relations=relations).added
    assert added is not None
    return added


def paths(base: Workspace, found: ObjectId) -> tuple[tuple[ObjectId, ...], ...]:
    return base.show(found).knowledge_object.basis_paths


def test_three_plans_on_a_superseded_decision_are_marked_at_once(base: Workspace) -> None:
    decision = say(base, "We use Postgres for the routing engine.", Class.DECISION)
    plans = [say(base, f"Move depot {n} to the engine.", Class.PLAN, (EdgeType.IMPLEMENTS, decision)) for n in (1, 2, 3)]
    assert [()] * 3 == [paths(base, plan) for plan in plans]
    base.supersede(decision, text="We use Cockroach for the routing engine.")
    assert [((decision,),)] * 3 == [paths(base, plan) for plan in plans]
    assert set(plans) == {each.knowledge_object.object_id for each in base.stale() if "basis changed" in each.reasons}


def test_what_rests_on_it_at_a_distance_is_marked_with_the_path_and_a_circle_ends(base: Workspace) -> None:
    ground = say(base, "Wi-Fi drops sessions in hall B.", Class.EVIDENCE)
    claim = say(base, "The handhelds slow the nights.", Class.HYPOTHESIS, (EdgeType.DERIVES_FROM, ground))
    plan = say(base, "Order forty scanners.", Class.PLAN, (EdgeType.DERIVES_FROM, claim))
    base.relate(claim, EdgeType.DERIVES_FROM, plan)
    base.retract(ground)
    assert ((ground,),) == paths(base, claim)
    assert ((claim, ground),) == paths(base, plan)
    base.reinstate(ground)
    assert () == paths(base, plan)


def test_a_person_who_confirms_clears_the_mark_and_all_above_it(base: Workspace) -> None:
    old = say(base, "The lane opens on 4 May.", Class.DECISION)
    plan = say(base, "Train the crew in April.", Class.PLAN, (EdgeType.IMPLEMENTS, old))
    task = say(base, "Book the room for the training.", Class.PLAN, (EdgeType.IMPLEMENTS, plan))
    base.supersede(old, text="The lane opens on 15 June.")
    assert ((plan, old),) == paths(base, task)
    base.at(NOW + timedelta(days=1)).confirm(plan)
    assert () == paths(base, plan)
    assert () == paths(base, task)


def test_a_path_never_leads_through_what_the_reader_may_not_see(base: Workspace) -> None:
    ground = say(base, "The supplier is close to insolvency.", Class.EVIDENCE)
    own = frozenset({"board"})
    base.grant("nora", "org")
    hidden = base.record_statement(
        "Replace the supplier.", epistemic_class=Class.DECISION, visible_to=own, relations=[(EdgeType.DERIVES_FROM, ground)]
    ).added
    assert hidden is not None
    plan = base.record_statement(
        "Qualify a second one.", epistemic_class=Class.PLAN, visible_to=frozenset({"org"}), relations=[(EdgeType.IMPLEMENTS, hidden)]
    )
    base.retract(ground)
    assert plan.added is not None
    assert ((hidden, ground),) == paths(base, plan.added)
    assert () == paths(base.acting_as("nora"), plan.added)
