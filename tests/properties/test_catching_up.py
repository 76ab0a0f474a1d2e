"""Catching up computes only what changed, and leaves what a full pass at every grid point leaves."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.companies import NOW, company, said

from oida.gravity.incremental import Moment, next_cycle
from oida.model.edge import EdgeType
from oida.workspace import weigh
from oida.workspace.workspace import Workspace

QUESTIONS = ("Where do the vans stay by day?", "Who will buy the Moss depot?", "How long is the queue at the gate?")
GATE, DAY = "I suspect the broken gate", "We decided to load the vans at Moss by day"

served = st.lists(st.tuples(st.integers(0, 120), st.sampled_from(QUESTIONS)), max_size=4)


def asked(base: Workspace, questions: list[tuple[int, str]]) -> Workspace:
    """The questions are asked before the engine has seen their hours: each counts from its own grid point on."""
    for hour, question in sorted(questions):
        base.acting_as("Ada").at(NOW + timedelta(hours=hour)).ask(question)
    return base


@settings(max_examples=8, deadline=None)
@given(questions=served, profile=st.sampled_from(["paper", "organization"]), points=st.integers(2, 24))
def test_catching_up_has_the_digests_of_one_full_pass_a_point(questions: list[tuple[int, str]], profile: str, points: int) -> None:
    full, incremental = asked(company(), questions), asked(company(), questions)
    for base in (full, incremental):
        base.set_parameters(profile)
    one_by_one = [run for step in range(1, points + 1) for run in full.at(NOW + timedelta(hours=6 * step)).cycle()]
    together = incremental.at(NOW + timedelta(hours=6 * points)).cycle(catch_up=True)
    assert points == len(together)
    assert one_by_one == together
    assert full.store.projections.scores() == incremental.store.projections.scores()
    assert incremental.verify().is_sound


def test_rows_that_read_nothing_new_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    moments: list[Moment] = []

    def watched(*given, **named):  # type: ignore[no-untyped-def]
        moments.append(next_cycle(*given, **named))
        return moments[-1]

    monkeypatch.setattr(weigh, "next_cycle", watched)
    base = company().at(NOW)
    base.set_parameters("paper")
    base.settle()
    runs = base.at(NOW + timedelta(days=60)).cycle(catch_up=True)
    assert len(runs) - 1 == len(moments)
    assert moments[-1].computed_rows < runs[-1].objects / 2


def test_what_is_written_between_two_points_is_read_at_the_second() -> None:
    base = company().at(NOW + timedelta(days=2))
    source, target = said(base, GATE), said(base, DAY)

    def write(done: int, total: int, what: str) -> None:
        if done == 3:
            base.relate(source, EdgeType.CONTRADICTS, target)

    before = base.store.projections.scores()[target].k
    base.cycle(catch_up=True, progress=write)
    assert base.store.projections.scores()[target].k < before
    assert base.verify().is_sound
