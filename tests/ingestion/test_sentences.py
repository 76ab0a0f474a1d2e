from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.sentences import LONGEST_SENTENCE, sentence_spans


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We agreed. It holds.", ["We agreed.", "It holds."]),
        ("so it was. we lost it", ["so it was.", "we lost it"]),
        ("Dr. Ek, e.g. at 5 p.m. on Monday. Then home.", ["Dr. Ek, e.g. at 5 p.m. on Monday.", "Then home."]),
        ("Version 1.2.3 is out! See Fig. 4. OK", ["Version 1.2.3 is out!", "See Fig. 4.", "OK"]),
        ("wait… ah, no. Fine", ["wait… ah, no.", "Fine"]),
        ("radius lookup is.. not great", ["radius lookup is.. not great"]),
        ('He asked "is it?" and left. She did not.', ['He asked "is it?" and left.', "She did not."]),
        ("J. Doe and A. B. Holm came. We met.", ["J. Doe and A. B. Holm came.", "We met."]),
        ("Etc. etc. We stop.", ["Etc. etc.", "We stop."]),
        ("møtet er 18. mai på Moss. Kom!", ["møtet er 18. mai på Moss.", "Kom!"]),
        ("delay is 44. Door wait is 46.", ["delay is 44.", "Door wait is 46."]),
        ("candidate no. 2 said no. We ask again.", ["candidate no. 2 said no.", "We ask again."]),
        ("終わりました。次です。", ["終わりました。", "次です。"]),
        ("", []),
        ("   ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert expected == cut(text)


@given(st.text(max_size=3000))
def test_spans_are_ordered_bounded_and_lose_only_space(text: str) -> None:
    spans = list(sentence_spans(text))
    assert spans == sorted(spans)
    assert all(0 < end - start <= LONGEST_SENTENCE for start, end in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert "".join(text.split()) == "".join("".join(text[start:end] for start, end in spans).split())


@pytest.mark.parametrize("line", ["word " * 10_000, "a." * 25_000, "x" * 50_000, "?! " * 16_000, "((((" * 12_500, "e.g. " * 10_000])
def test_a_line_of_fifty_thousand_characters_is_cut_within_a_second(line: str) -> None:
    started = time.perf_counter()
    pieces = list(sentence_spans(line))
    assert time.perf_counter() - started < 1.0
    assert pieces
