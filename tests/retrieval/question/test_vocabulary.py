from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.retrieval.question.vocabulary import NameIndex, distance, folded_words

ENTITIES = {
    "Moss depot": "en-moss",
    "Alnabru depot": "en-alnabru",
    "Brimsalt Seafood": "en-brimsalt",
    "night loading": "en-night",
    "Sleipner v2": "en-sleipner",
    "Havn customer portal": "en-havn",
    "Ålesund": "en-alesund",
    "customer research": "en-research",
}


def best(text: str, names: dict[str, str] = ENTITIES, **more) -> str | None:
    matches = NameIndex(names).matches(folded_words(text), **more)
    return matches[0].target if matches else None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When does Moss move?", "en-moss"),
        ("What does BRIMSALT pay?", "en-brimsalt"),
        ("Is the customer portal Havn up?", "en-havn"),
        ("How are the depots in Alesund doing?", "en-alesund"),
        ("Who runs the night loadings?", "en-night"),
        ("What is Sleipner's cache?", "en-sleipner"),
        ("Where is the rain?", None),
        ("Which depot is best?", None),
        ("", None),
    ],
)
def test_names_are_found_whole_or_by_the_word_that_tells_them_apart(question: str, expected: str | None) -> None:
    assert expected == best(question)


@pytest.mark.parametrize(
    ("misspelt", "expected"),
    [("Brimslat", "en-brimsalt"), ("Alnabrue", "en-alnabru"), ("Sleipnr", "en-sleipner"), ("Mos", None), ("mass", None)],
)
def test_a_slip_of_the_pen_is_forgiven_in_words_long_enough(misspelt: str, expected: str | None) -> None:
    assert expected == best(f"What about {misspelt}?")


def test_a_word_of_the_stores_own_texts_is_no_misspelling() -> None:
    assert "en-sleipner" == best("a sleiper train")
    assert None is best("a sleiper train", known=frozenset({"sleiper"}))


def test_of_several_names_the_one_used_more_fully_comes_first() -> None:
    matches = NameIndex(ENTITIES).matches(folded_words("night loading at Moss"))
    assert ["en-night", "en-moss"] == [each.target for each in matches]
    assert [False, False] == [each.misspelt for each in matches]
    assert 1.0 == pytest.approx(matches[0].share)


def test_an_alias_leads_to_the_same_entity() -> None:
    assert "en-halden" == best("what does HF do", {"Halden Freight": "en-halden", "HF": "en-halden"})


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=5), max_size=20), st.text(max_size=60))
def test_any_names_and_any_question_are_understood_alike_every_time(names: dict[str, str], question: str) -> None:
    words = folded_words(question)
    first, again = NameIndex(names).matches(words), NameIndex(dict(reversed(names.items()))).matches(words)
    assert first == again
    assert all(0.5 <= each.share <= 1.0 + 1e-9 for each in first)


@given(st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_distance_is_symmetric_and_zero_only_for_equal_words(one: str, other: str) -> None:
    assert distance(one, other, limit=9) == distance(other, one, limit=9)
    assert (one == other) == (distance(one, other, limit=9) == 0)
    assert min(distance(one, other, limit=9), 2) == distance(one, other, limit=1)


def test_twenty_thousand_names_cost_little() -> None:
    syllables = ("ka", "lo", "mi", "ter", "sand", "vik", "bru", "sal", "no", "ra", "per", "tun")
    names = {
        f"{syllables[a]}{syllables[b]}{syllables[c]} {syllables[d]}{syllables[a]}{at % 7}": f"en-{at}"
        for at, (a, b, c, d) in enumerate((i % 12, i // 12 % 12, i // 144 % 12, i // 1728 % 12) for i in range(20_000))
    }
    index = NameIndex(names)
    questions = [folded_words(f"What did Kalomi terka{at} decide about the misspelled salnovk harbour fee?") for at in range(5)]
    started = time.process_time()
    for words in questions:
        index.matches(words)
    assert (time.process_time() - started) / len(questions) < 0.1
