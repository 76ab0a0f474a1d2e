from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from tests.companies import COMPANY, MONDAY, NOW, company, ingest, message, open_base, said

from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.workspace.workspace import Workspace

NIGHT, DAY = "We decided to load the vans at Moss by night", "We decided to load the vans at Moss by day"


def then(day: float) -> datetime:
    return MONDAY + timedelta(days=day)


def statuses(base: Workspace, *, as_of: datetime | None = None, known_at: datetime | None = None) -> dict[ObjectId, str]:
    return {record.object_id: record.status.value for record in base.reading(as_of=as_of, known_at=known_at).records.all_objects()}


def test_what_was_said_later_is_not_yet_there() -> None:
    base = company()
    first = min(
        each.object_id for each in base.store.contents.all_statements() if each.text.startswith("I noticed") and each.said_at == then(1)
    )
    assert {said(base, NIGHT): "ACTIVE", first: "ACTIVE"} == statuses(base, as_of=then(1))
    assert {} == statuses(base, as_of=then(-1))


def test_a_decision_is_in_force_until_its_successor_was_said() -> None:
    base = company()
    night = said(base, NIGHT)
    assert ["ACTIVE", "SUPERSEDED"] == [statuses(base, as_of=then(day))[night] for day in (7.9, 8)]


def test_the_case_now_is_what_the_past_has_become() -> None:
    base = company()
    assert statuses(base) == statuses(base, as_of=NOW)
    assert base.store.projections.scores() == base.reading(as_of=NOW).records.scores()


@pytest.mark.parametrize("day", [1, 4, 8, 11, 12])
def test_the_past_does_not_depend_on_when_and_in_which_batches_it_was_read(day: float) -> None:
    at_once, bit_by_bit = company(), open_base()
    for item in COMPANY[::-1]:
        ingest(bit_by_bit, [item])
    one, other = (base.reading(as_of=then(day)).records for base in (at_once, bit_by_bit))
    assert statuses(at_once, as_of=then(day)) == statuses(bit_by_bit, as_of=then(day))
    assert one.scores() == other.scores()
    edges = [{edge.edge_id for edge in records.all_edges() if not edge.retracted} for records in (one, other)]
    assert edges[0] == edges[1]


def test_the_past_is_what_a_base_was_that_had_read_no_further() -> None:
    base, stopped = company(), open_base(now=then(8.5))
    ingest(stopped, [item for item in COMPANY if item.said_at <= then(8.5)])
    assert statuses(stopped) == statuses(base, as_of=then(8.5))
    assert stopped.store.projections.scores() == base.reading(as_of=then(8.5)).records.scores()


def test_what_was_known_then_leaves_out_what_was_learned_later() -> None:
    base = open_base(now=then(3))
    ingest(base, COMPANY[:2])
    later = base.at(then(20))
    ingest(later, COMPANY)
    assert 2 == len(statuses(later, known_at=then(10)))
    assert 16 == len(statuses(later, known_at=then(20)))
    assert 2 == len(statuses(later, as_of=then(1), known_at=then(10)))
    assert said(later, DAY) not in later.context("Do we load by day?", known_at=then(10)).object_ids()
    assert said(later, DAY) in later.context("Do we load by day?").object_ids()


def test_a_correction_is_the_case_from_when_it_was_made() -> None:
    base = company().at(then(20))
    night = said(base, DAY)
    base.retract(night)
    assert ["ACTIVE", "RETRACTED"] == [statuses(base, as_of=then(day))[night] for day in (19, 21)]
    assert ["SUPERSEDED", "ACTIVE"] == [statuses(base, as_of=then(day))[said(base, NIGHT)] for day in (19, 21)]


def test_what_was_redacted_since_has_no_words_in_the_past_either() -> None:
    base = company()
    ingest(base, [message("m5", "We measured the gate at Moss and it opens in five seconds.", day=4, reply_to="m4", edited_day=6)])
    old = min(each.object_id for each in base.store.contents.all_statements() if "four seconds" in each.text)
    base.redact(old)
    assert "REDACTED" == statuses(base, as_of=then(5))[old]
    assert "" == base.reading(as_of=then(5)).one(old).text


def test_asking_about_the_past_is_no_retrieval() -> None:
    base = company()
    before = base.head()
    base.context("Do we load by night?", as_of=then(5))
    base.ask("Do we load by night?", known_at=then(5))
    assert before == base.head()


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(InputError, match="expected a moment with a time zone"):
        company().context("Do we load by night?", as_of=datetime(2026, 3, 3))  # noqa: DTZ001


def test_a_clock_that_was_set_back_shows_k_of_that_moment_and_does_not_take_the_engine_back() -> None:
    base = company()
    found = said(base, "I noticed that the night")
    back = base.at(then(12))
    assert back.show(found).knowledge_object.scores.k_score > base.show(found).knowledge_object.scores.k_score
    before = base.store.projections.fact("last_grid_at")
    back.settle()
    assert before == base.store.projections.fact("last_grid_at")
    assert base.verify().is_sound
