from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.companies import MONDAY

from oida.model.content import StatementOutline
from oida.model.identifiers import ItemId, ObjectId
from oida.model.source import BlockKind, ItemKind, Statement
from oida.workspace.align import Aligned, align

SENTENCES = [
    "the vans load at night",
    "the vans load at noon",
    "drivers sign every waybill",
    "drivers sign each waybill",
    "hello",
]


def statements(texts: Sequence[str]) -> list[Statement]:
    return [
        Statement(ItemId("it"), number, text, 0, 0, BlockKind.PARAGRAPH, ItemKind.DOCUMENT, "", (), "", MONDAY)
        for number, text in enumerate(texts)
    ]


def outline_after(aligned: Sequence[Aligned], before: Sequence[StatementOutline]) -> list[StatementOutline]:
    standing = [StatementOutline(each.ordinal, each.revision, each.statement.text, ObjectId("ko")) for each in aligned]
    places = {(line.ordinal, line.revision) for line in standing}
    return standing + [replace(line, gone=True) for line in before if (line.ordinal, line.revision) not in places]


def told(aligned: Sequence[Aligned]) -> list[tuple[int, int, bool]]:
    return [(each.ordinal, each.revision, each.is_new) for each in aligned]


def versions(*texts: Sequence[str]) -> list[tuple[int, int, bool]]:
    """How the last of several versions of an item was aligned."""
    outline: list[StatementOutline] = []
    aligned: list[Aligned] = []
    for version in texts:
        aligned = align(statements(version), outline)
        outline = outline_after(aligned, outline)
    return told(aligned)


def test_a_new_item_is_numbered_in_order() -> None:
    assert [(0, 1, True), (1, 1, True)] == versions(["a", "b"])


def test_what_is_unchanged_keeps_its_ordinal_whatever_stands_around_it() -> None:
    assert [(2, 1, True), (0, 1, False), (1, 1, False)] == versions(["a", "b"], ["new", "a", "b"])
    assert [(1, 1, False)] == versions(["a", "b"], ["b"])


def test_what_is_reworded_is_the_next_revision_of_its_ordinal() -> None:
    assert [(0, 2, True)] == versions([SENTENCES[0]], [SENTENCES[1]])


def test_what_is_another_statement_altogether_gets_an_ordinal_that_nothing_had() -> None:
    assert [(1, 1, True)] == versions(["the vans load at night"], ["hello"])
    assert [(2, 1, True)] == versions(["a"], ["b"], ["c"])


def test_statements_that_change_places_stay_themselves() -> None:
    assert [(1, 1, False), (0, 1, False)] == versions(SENTENCES[1:3], SENTENCES[2:0:-1])


def test_what_comes_back_after_it_was_gone_is_itself_again() -> None:
    assert [(0, 1, False), (1, 1, False)] == versions(["a", "b"], ["b"], ["a", "b"])
    assert [(0, 1, False)] == versions([SENTENCES[0]], [SENTENCES[1]], [SENTENCES[0]])


def test_a_wording_after_one_that_came_back_is_a_revision_that_never_was() -> None:
    assert [(0, 3, True)] == versions([SENTENCES[0]], [SENTENCES[1]], [SENTENCES[0]], ["the vans load at dawn"])


def test_an_old_wording_beside_its_new_one_is_a_statement_of_its_own() -> None:
    assert [(0, 2, False), (1, 1, True)] == versions([SENTENCES[0]], [SENTENCES[1]], [SENTENCES[1], SENTENCES[0]])


def test_what_came_back_is_not_taken_for_the_old_wording_of_another() -> None:
    sign, load = SENTENCES[2:4], SENTENCES[:2]
    found = versions(sign, [load[1], load[0]], [sign[1], load[1], load[1]], [load[0], load[1], load[0]], [sign[0], load[1]])
    assert len(found) == len({ordinal for ordinal, _, _ in found})


@given(st.lists(st.lists(st.sampled_from(SENTENCES), max_size=4), min_size=1, max_size=5))
def test_no_ordinal_and_revision_is_ever_given_to_two_texts(texts: list[list[str]]) -> None:
    outline: list[StatementOutline] = []
    text_of: dict[tuple[int, int], str] = {}
    for version in texts:
        aligned = align(statements(version), outline)
        assert version == [each.statement.text for each in aligned]
        assert len(aligned) == len({each.ordinal for each in aligned})
        for each in aligned:
            known = text_of.setdefault((each.ordinal, each.revision), each.statement.text)
            assert known == each.statement.text
            assert each.is_new == ((each.ordinal, each.revision) not in {(line.ordinal, line.revision) for line in outline})
        outline = outline_after(aligned, outline)


@given(st.lists(st.sampled_from(SENTENCES), max_size=6))
def test_the_same_version_again_changes_nothing(version: list[str]) -> None:
    assert all(not is_new for _, _, is_new in versions(version, version))
