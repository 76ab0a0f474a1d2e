from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta

import numpy as np
import pytest
from tests.companies import COMPANY, MONDAY, NOW, company, events_after, ingest, k_digest, message, names_after, open_base, said

from oida.events.project import grid_index_at_or_after
from oida.events.vocabulary import ObjectsServed
from oida.gravity.parameters import ORGANIZATION, HalfLifeOverride
from oida.model.errors import InputError
from oida.model.taxonomy import EpistemicClass
from oida.retrieval.context.labels import CORE
from oida.workspace.weigh import arrays_of_store, gravity_arrays, grid_index, grid_moment
from oida.workspace.workspace import Workspace

NIGHTFALL = NOW.replace(hour=18)


def usage(base: Workspace, words: str) -> float:
    return base.store.projections.scores()[said(base, words)].usage


def test_settling_is_recorded_once() -> None:
    base = company()
    before = base.head()
    run = base.settle()
    assert (False, before) == (run.recorded, base.head())
    assert run.k_digest == k_digest(base)


def test_a_settle_is_recorded_when_time_or_parameters_have_moved_it() -> None:
    base = company()
    assert base.at(NIGHTFALL).settle().recorded
    base.set_parameters("paper")
    assert base.at(NIGHTFALL).settle().recorded


def test_a_base_without_objects_settles_too() -> None:
    base = open_base()
    assert (0, 0) == (base.settle().objects, base.settle().edges)
    assert base.verify().is_sound


def test_cycles_run_on_the_grid_one_at_a_time() -> None:
    base = company()
    later = base.at(NOW.replace(hour=23))
    assert [NOW.replace(hour=12)] == [run.grid_at for run in later.cycle()]
    assert [NOW.replace(hour=18)] == [run.grid_at for run in later.cycle()]
    assert [] == later.cycle()


def test_a_store_that_slept_equals_one_that_did_not_to_the_last_bit() -> None:
    awake, slept = company(), company()
    for step in range(1, 13):
        awake.at(NOW + timedelta(hours=6 * step)).cycle()
    runs = slept.at(NOW + timedelta(days=3)).cycle(catch_up=True)
    assert 12 == len(runs)
    assert awake.store.projections.scores() == slept.store.projections.scores()
    assert k_digest(awake) == k_digest(slept)
    assert list(awake.store.projections.k_history()) == list(slept.store.projections.k_history())
    assert slept.verify().is_sound


def test_a_base_that_was_never_weighed_begins_at_its_first_event() -> None:
    base = open_base()
    ingest(base, COMPANY, settle=False)
    runs = base.at(NOW + timedelta(days=1)).cycle(catch_up=True)
    assert [NOW.replace(hour=12), NOW.replace(hour=18)] == [run.grid_at for run in runs[:2]]
    assert base.verify().is_sound


def test_what_is_served_counts_from_the_next_grid_point_once_a_day_and_asker() -> None:
    base = company()
    answered = "We decided that four vans"
    for principal in ("Ada", "ada", "ada@harbour.example", "Bo"):
        for _ in range(3):
            base.acting_as(principal).ask("How many vans stay at Moss?")
    assert 0.0 == usage(base, answered)
    base.at(NOW + timedelta(hours=6)).cycle(catch_up=True)
    assert 2.0 == usage(base, answered)
    index = grid_index_at_or_after(NOW)
    assert NOW.replace(hour=12) == grid_moment(index)
    assert index == grid_index(grid_moment(index))


def test_nobody_can_pump_k() -> None:
    base = company()
    for name in range(9):
        base.grant(f"reader {name}", "org")
        base.acting_as(f"reader {name}").ask("How many vans stay at Moss?")
    base.at(NOW + timedelta(hours=6)).settle()
    assert 5.0 == usage(base, "We decided that four vans")
    assert base.verify().is_sound


def test_previews_searches_and_lists_are_no_retrieval() -> None:
    base = company()
    before = base.head()
    base.context("How many vans stay at Moss?", preview=True)
    base.search("vans")
    base.decisions()
    base.show(said(base, "We decided that four"))
    assert before == base.head()


def test_the_always_included_digest_is_no_retrieval() -> None:
    base = company()
    fences = [f"We decided to paint fence number {number} of the long northern yard in green before winter." for number in range(90)]
    ingest(base, [message(f"f{number}", fence, day=13) for number, fence in enumerate(fences)])
    before = base.head().position
    shown = base.context("Who signs waybills?").sections
    (event,) = events_after(base, before)
    assert isinstance(event, ObjectsServed)
    core = {line.knowledge_object.object_id for section in shown if section.title == CORE for line in section.lines}
    rest = {line.knowledge_object.object_id for section in shown if section.title != CORE for line in section.lines}
    assert core - rest
    assert set() == set(event.object_ids) & (core - rest)


@pytest.mark.parametrize("settled", [True, False])
def test_usage_is_the_same_bits_whether_the_engine_ran_between_or_not(settled: bool) -> None:
    often, once = company(), company()
    for base in (often, once):
        base.ask("How many vans stay at Moss?")
        base.at(NOW + timedelta(days=1)).ask("How many vans stay at Moss?")
    end = NOW + timedelta(days=4)
    for step in range(1, 16):
        moment = often.at(NOW + timedelta(hours=6 * step))
        moment.settle() if settled else moment.cycle()
    for base in (often, once):
        base.at(end).settle()
    assert often.store.projections.scores() == once.store.projections.scores()
    assert 0.0 < usage(once, "We decided that four vans") < 2.0


def test_a_follower_of_source_time_has_its_newest_source_time_as_its_clock() -> None:
    base = open_base(follows=True)
    assert NOW == base.now()
    ingest(base, COMPANY)
    assert MONDAY + timedelta(days=12) == base.now()
    assert MONDAY + timedelta(days=99) == base.at(MONDAY + timedelta(days=99)).now()


def test_changing_the_parameters_is_an_event_and_every_run_says_which_it_used() -> None:
    base = company()
    before = base.head().position
    base.set_parameters("paper")
    base.settle()
    assert ["ParametersChanged", "CycleCompleted"] == names_after(base, before)
    assert "paper" == base.status().profile
    assert base.verify().is_sound


def test_a_domain_may_have_a_half_life_of_its_own() -> None:
    base = company().at(NOW + timedelta(days=90))
    base.settle()
    slow = base.store.projections.scores()
    fast_ones = [o for o in base.store.projections.all_objects() if o.epistemic_class is EpistemicClass.OBSERVATION]
    before = base.head().position
    domain = fast_ones[0].domain
    chosen = base.set_parameters("organization", half_lives=[f"{domain}:observation=45"])
    base.settle()
    assert ["ParametersChanged", "CycleCompleted"] == names_after(base, before)
    assert (chosen, 45.0) == (base.parameters, base.parameters.half_life_days(EpistemicClass.OBSERVATION, domain))
    assert 90.0 == base.parameters.half_life_days(EpistemicClass.OBSERVATION, "another")
    assert base.store.projections.scores()[fast_ones[0].object_id].k < slow[fast_ones[0].object_id].k
    assert base.verify().is_sound
    for nonsense in ("operations", "operations:DECISION=3", "operations:OBSERVATION=-1", "operations:WISH=3"):
        with pytest.raises(InputError, match="half-life"):
            base.set_parameters("organization", half_lives=[nonsense])


@pytest.mark.parametrize("fast", [False, True])
def test_columns_from_the_store_give_the_engine_the_same_bits_as_records_do(fast: bool) -> None:
    base = company()
    base.context("What holds the loading up?")
    overrides = (HalfLifeOverride("operations", EpistemicClass.OBSERVATION, 45.0),) if fast else ()
    parameters = replace(ORGANIZATION, half_life_overrides=overrides)
    records = base.store.projections
    served = {found.object_id: 0.5 + 0.25 * number for number, found in enumerate(list(records.all_objects())[:3])}
    by_column = arrays_of_store(base.store, moment=NIGHTFALL, usage=served, parameters=parameters)
    by_record = gravity_arrays(list(records.all_objects()), records.all_edges(), moment=NIGHTFALL, usage=served, parameters=parameters)
    assert by_record.edge_count > 0
    for column in fields(by_record):
        expected, found = getattr(by_record, column.name), getattr(by_column, column.name)
        assert np.asarray(expected).tolist() == np.asarray(found).tolist(), column.name
