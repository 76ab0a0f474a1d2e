from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.histories import events_of, moments, statement_recorded

from oida.events import codec
from oida.events.codec import EVENT_TYPES, canonical_json, canonical_time, decode_event, encode_event, parse_time
from oida.model.errors import IntegrityError


@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
def test_every_event_comes_back_from_its_canonical_form(kind: str) -> None:
    @settings(max_examples=25, deadline=None)
    @given(events_of(EVENT_TYPES[kind]))
    def comes_back(event: object) -> None:
        name, payload = encode_event(event)  # type: ignore[arg-type]
        assert kind == name
        assert event == decode_event(name, payload)
        assert (name, payload) == encode_event(decode_event(name, payload))
        assert payload.isascii()

    comes_back()


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.none(), max_size=5), st.randoms(use_true_random=False))
def test_canonical_json_depends_on_the_values_alone(payload: dict[str, object], random: object) -> None:
    shuffled = list(payload.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert canonical_json(payload) == canonical_json(dict(shuffled))
    assert payload == json.loads(canonical_json(payload))


def test_canonical_json_has_no_place_for_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json([float("nan")])


@given(moments, st.integers(-14 * 60, 14 * 60))
def test_a_moment_has_one_spelling_whatever_its_zone(moment: datetime, offset_minutes: int) -> None:
    elsewhere = moment.astimezone(timezone(timedelta(minutes=offset_minutes)))
    assert canonical_time(moment) == canonical_time(elsewhere)
    assert moment == parse_time(canonical_time(elsewhere))
    assert len("2026-06-05T18:00:00.000000Z") == len(canonical_time(moment))


def test_years_before_1000_keep_their_four_digits() -> None:
    assert canonical_time(datetime(33, 4, 3, tzinfo=UTC)) == "0033-04-03T00:00:00.000000Z"


def test_an_event_of_a_newer_version_is_named() -> None:
    with pytest.raises(IntegrityError, match="'ObjectDreamt'"):
        decode_event("ObjectDreamt", "{}")


@pytest.mark.parametrize(
    "payload",
    [
        "{",
        "[]",
        "7",
        '{"edge_id":"ed-1","unheard_of":1}',
        '{"object_id":"ko-1","status":"ASLEEP","method":"person"}',
        '{"grid_at":"tomorrow"}',
        "{}",
    ],
)
@pytest.mark.parametrize("kind", ["EdgeRetracted", "StatusDeclared", "CycleCompleted"])
def test_a_payload_of_another_shape_is_an_integrity_error(kind: str, payload: str) -> None:
    with pytest.raises(IntegrityError, match=kind):
        decode_event(kind, payload)


def test_a_payload_of_an_older_version_is_brought_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(codec.UPCASTERS, "StatementRecorded", lambda found: {"stakes": 0.0, **found})
    name, payload = encode_event(statement_recorded("ko-1", "it-1"))
    older = {name: value for name, value in json.loads(payload).items() if name != "stakes"}
    assert statement_recorded("ko-1", "it-1") == decode_event(name, canonical_json(older))
