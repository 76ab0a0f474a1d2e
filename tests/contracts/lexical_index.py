"""What every LexicalIndex promises. Subclass once per adapter."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oida.model.identifiers import ObjectId
from oida.ports import LexicalIndex

A, B, C = ObjectId("ko-a"), ObjectId("ko-b"), ObjectId("ko-c")
UNRELATED = [(ObjectId(f"ko-z{at}"), f"something else number {at}") for at in range(9)]


class LexicalIndexContract:
    def open_index(self) -> LexicalIndex:
        """An empty index."""
        raise NotImplementedError

    def show(self, found: ObjectId, groups: Iterable[str]) -> None:
        """Let the groups, and no others, see an object."""
        raise NotImplementedError

    def filled(self, *texts: tuple[ObjectId, str]) -> LexicalIndex:
        index = self.open_index()
        ids, words = zip(*texts, *UNRELATED, strict=True)
        index.add(ids, words)
        return index

    def test_more_shared_words_rank_higher(self) -> None:
        index = self.filled((A, "the night loading at Moss"), (B, "the night ferry"), (C, "loading docks at Moss at night"))
        found = index.search("Why is night loading at Moss slow?", 5, groups=None)
        assert {A, C} == {each for each, _ in found[:2]}
        assert B == found[2][0]
        assert all(score > 0 for _, score in found)

    def test_a_rare_word_weighs_more_than_a_common_one(self) -> None:
        index = self.filled((A, "depot depot"), (B, "ferry depot"), (C, "ferry patroni"))
        assert C == index.search("patroni ferry", 1, groups=None)[0][0]

    def test_equal_scores_are_ordered_by_id_even_at_the_cut(self) -> None:
        index = self.filled((C, "patroni drill"), (A, "patroni drill"), (B, "patroni drill"))
        assert [A, B] == [found for found, _ in index.search("patroni", 2, groups=None)]

    @pytest.mark.parametrize("asked", ["ALESUND", "Ålesund", "A\u030alesund", "ålesund?!"])
    def test_case_and_diacritics_are_no_matter(self, asked: str) -> None:
        assert [A] == [found for found, _ in self.filled((A, "Depot in Ålesund")).search(asked, 5, groups=None)]

    @pytest.mark.parametrize("word", ["도구", "инспекция", "§14", "naïve", "क्या", "v2.19", "O'Brien"])
    def test_a_word_of_any_script_finds_the_text_it_stands_in(self, word: str) -> None:
        assert [A] == [found for found, _ in self.filled((A, f"x {word} y")).search(word, 5, groups=None)]

    @pytest.mark.parametrize(
        "hostile",
        [
            '"',
            '" OR "',
            "body:moss",
            "NEAR(a b)",
            "moss*",
            "^moss",
            "(((",
            "a AND",
            "NOT",
            "-moss",
            "{a b}:c",
            "'; drop table x; --",
            "\x00",
        ],
    )
    def test_a_question_is_words_and_never_a_query_language(self, hostile: str) -> None:
        index = self.filled((A, "moss depot"))
        found = index.search(hostile, 5, groups=None)
        assert ([A] if "moss" in hostile else []) == [each for each, _ in found]
        assert 10 == index.count()

    def test_a_question_without_words_finds_nothing(self) -> None:
        assert [] == self.filled((A, "moss")).search("?! ...", 5, groups=None)

    def test_a_question_of_function_words_alone_still_finds_them(self) -> None:
        assert [A] == [found for found, _ in self.filled((A, "to be or not to be")).search("to be", 5, groups=None)]

    def test_adding_again_replaces(self) -> None:
        index = self.filled((A, "moss depot"))
        index.add([A], ["ferry dates"])
        assert [] == index.search("moss", 5, groups=None)
        assert [A] == [found for found, _ in index.search("ferry", 5, groups=None)]
        assert 10 == index.count()

    def test_what_was_removed_is_not_found(self) -> None:
        index = self.filled((A, "moss depot"), (B, "moss ferry"))
        index.remove([A, ObjectId("ko-unknown")])
        assert [B] == [found for found, _ in index.search("moss", 5, groups=None)]
        assert 10 == index.count()

    def test_only_what_a_group_may_see_is_found_however_deep_it_lies(self) -> None:
        index = self.filled((A, "moss and many other words beside it, so that it ranks low"), (B, "moss moss"))
        self.show(A, {"org", "leadership"})
        self.show(B, {"leadership"})
        assert [A] == [found for found, _ in index.search("moss", 1, groups=frozenset({"org", "sales"}))]
        assert [] == index.search("moss", 1, groups=frozenset())
        assert [B] == [found for found, _ in index.search("moss", 1, groups=None)]

    def test_a_search_within_ids_finds_no_others(self) -> None:
        index = self.filled((A, "moss"), (B, "moss"))
        assert [B] == [found for found, _ in index.search("moss", 5, groups=None, within={B, C})]
        assert [] == index.search("moss", 5, groups=None, within=frozenset())

    def test_scores_are_those_of_a_search(self) -> None:
        index = self.filled((A, "moss depot"), (B, "moss ferry lane"), (C, "nothing"))
        found = dict(index.search("moss depot", 5, groups=None))
        assert found == index.scores("moss depot", [A, B, C])
        assert {B: found[B]} == index.scores("moss depot", [B])

    def test_what_a_reader_may_not_see_changes_no_score_of_theirs(self) -> None:
        index = self.filled((A, "night loading at Moss"), (B, "the ferry to Moss"))
        for found in (A, B, *(each for each, _ in UNRELATED)):
            self.show(found, {"org"})
        mine = frozenset({"org"})
        before = index.search("Moss loading ferry", 9, groups=mine)
        index.add([C], ["Moss Moss loading ferry and a hundred words more " * 9])
        self.show(C, {"board"})
        assert before == index.search("Moss loading ferry", 9, groups=mine)
        assert dict(before) == index.scores("Moss loading ferry", [A, B, C], groups=mine)
        assert dict(before) != index.scores("Moss loading ferry", [A, B], groups=None)

    def test_what_becomes_visible_is_found_from_then_on(self) -> None:
        index = self.filled((A, "moss depot"), (B, "moss ferry"))
        self.show(A, {"org"})
        assert [A] == [found for found, _ in index.search("moss", 5, groups=frozenset({"org"}))]
        self.show(B, {"org"})
        assert [A, B] == sorted(found for found, _ in index.search("moss", 5, groups=frozenset({"org"})))

    @settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.text(max_size=60), st.text(max_size=60))
    def test_no_text_and_no_question_is_too_strange(self, text: str, question: str) -> None:
        index = self.filled((A, text))
        assert {A, *(each for each, _ in UNRELATED)} >= {found for found, _ in index.search(question, 20, groups=None)}
