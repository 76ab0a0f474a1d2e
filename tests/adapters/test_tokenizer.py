"""The token counter never promises more room than there is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.adapters.embedder.onnx import SHIPPED_FOLDER
from oida.adapters.tokenizer import ConservativeTokenCounter

COUNTER = ConservativeTokenCounter()


@pytest.fixture(scope="module")
def wordpieces() -> Callable[[str], int]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(SHIPPED_FOLDER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (0, ""),
        (3, "the"),
        (3, "Moss"),
        (4, "transportation"),
        (5, "Brimsa"),
        (5, "MOSS9"),
        (4, " 9"),
        (4, "é"),
        (6, "👍"),
        (4, "a     "),
        (4, "\n\n"),
    ],
)
def test_the_rule_counts_each_kind_of_piece_as_stated(expected: int, text: str) -> None:
    assert expected == COUNTER.count(text)


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_longer_text_never_costs_less_than_its_parts_without_their_margins(first: str, second: str) -> None:
    assert COUNTER.count(first + "\n" + second) + 2 >= max(COUNTER.count(first), COUNTER.count(second))


@given(st.text(min_size=1, max_size=60))
def test_every_text_costs_something_and_no_more_than_its_bytes_with_margin(text: str) -> None:
    assert 1 <= COUNTER.count(text) <= 1.1 * len(text.encode("utf-8", "surrogatepass")) + 2


def test_halden_statements_never_cost_more_word_pieces_than_counted(shared: Path, wordpieces: Callable[[str], int]) -> None:
    lines = (shared / "bench/halden/gold/statements.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert [text for text in texts if COUNTER.count(text) < wordpieces(text)] == []


def test_halden_documents_are_counted_with_a_fifth_to_spare_but_not_twice_over(shared: Path, wordpieces: Callable[[str], int]) -> None:
    for place in sorted((shared / "bench/halden/sources/docs").glob("*.md")):
        text = place.read_text(encoding="utf-8")
        assert 1.2 * wordpieces(text) <= COUNTER.count(text) <= 2.0 * wordpieces(text), place.name
