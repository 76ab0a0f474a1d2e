from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.words import FILLER, content_words, lemma


@pytest.mark.parametrize(
    "forms",
    [
        "load loads loaded loading Loading load's",
        "price prices priced pricing",
        "plan plans planned planning",
        "company companies",
        "decide decides decided deciding",
        "measure measured measuring",
        "box boxes",
        "try tried",
        "handle handled handling",
        "pay paid paying",
        "miss missed missing",
        "roll rolled rolling",
    ],
)
def test_forms_of_a_word_have_one_lemma(forms: str) -> None:
    assert len({lemma(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("word", ["moss", "status", "news", "morning", "need", "bus", "analysis", "string", "boss"])
def test_what_only_looks_inflected_stays_whole(word: str) -> None:
    assert lemma(word) == word


@given(st.text(max_size=300))
def test_content_words_hold_no_filler_and_no_bare_figures(text: str) -> None:
    words = content_words(text)
    assert not [word for word in words if word[0].isdigit()]
    assert not set(words) & (FILLER - {lemma(word) for word in text.split()} - set(words))
