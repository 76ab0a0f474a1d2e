from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.histories import histories, small_world

from oida.events.chain import EMPTY_HEAD, Head, StoredEntry, chain, verify_chain
from oida.events.vocabulary import NewEntry
from oida.model.errors import BrokenChainError
from oida.model.identifiers import Position


def stored(entries: list[NewEntry]) -> list[StoredEntry]:
    return [line for _, line in chain(entries, EMPTY_HEAD)]


def _touched(value: int | str | bytes) -> int | str | bytes:
    if isinstance(value, int):
        return value + 1
    return value[:-1] + bytes([value[-1] ^ 1]) if isinstance(value, bytes) else value[:-1] + " "


def test_an_empty_ledger_ends_where_it_begins() -> None:
    assert EMPTY_HEAD == verify_chain([])


@given(histories())
@settings(max_examples=20, deadline=None)
def test_a_chain_that_was_not_touched_holds_and_ends_at_its_last_entry(entries: list[NewEntry]) -> None:
    lines = stored(entries)
    assert Head(Position(len(lines)), lines[-1].digest) == verify_chain(lines)


@given(st.integers(0, 7), st.sampled_from([field.name for field in fields(StoredEntry)]))
def test_a_change_to_any_field_of_any_entry_is_found_at_that_entry_or_the_next(number: int, name: str) -> None:
    lines = stored(small_world())
    before = getattr(lines[number], name)
    lines[number] = replace(lines[number], **{name: _touched(before)})
    with pytest.raises(BrokenChainError, match=rf"\b({number + 1}|{number + 2})\b"):
        verify_chain(lines)


@given(st.integers(0, 6))
def test_entries_in_another_order_break_the_chain(number: int) -> None:
    lines = stored(small_world())
    lines[number], lines[number + 1] = lines[number + 1], lines[number]
    with pytest.raises(BrokenChainError, match=f"expected ledger entry {number + 1}, found entry {number + 2}"):
        verify_chain(lines)


@given(st.integers(0, 6))
def test_a_missing_entry_breaks_the_chain(number: int) -> None:
    lines = stored(small_world())
    del lines[number]
    with pytest.raises(BrokenChainError, match=f"expected ledger entry {number + 1}, found entry {number + 2}"):
        verify_chain(lines)


def test_a_cut_tail_is_invisible_to_the_chain_alone() -> None:
    lines = stored(small_world())
    assert Head(Position(3), lines[2].digest) == verify_chain(lines[:3])


def test_an_entry_forged_with_a_right_digest_breaks_the_next() -> None:
    world = small_world()
    lines, forged = stored(world), stored([*world[:3], replace(world[3], principal="mallory"), *world[4:]])
    lines[3] = forged[3]
    with pytest.raises(BrokenChainError, match="ledger entry 5 does not follow entry 4"):
        verify_chain(lines)
