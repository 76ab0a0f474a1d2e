from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stores import new_database

from oida.adapters.content_store import SqliteContentStore
from oida.adapters.content_store.codec import from_json, to_json
from oida.model.content import ItemContent, StatementContent, StatementOutline
from oida.model.errors import Problem
from oida.model.identifiers import EdgeId, EntityId, ItemId, ObjectId, PersonId
from oida.model.source import BlockKind, ItemKind, Person, Reference, ReferenceCue

WHEN = datetime(2026, 3, 2, 9, tzinfo=timezone(timedelta(hours=1)))
any_text = st.text(st.characters(), max_size=20)


def item(**changed: object) -> ItemContent:
    content = ItemContent(
        item_id=ItemId("it-1"),
        source_id="notes",
        revision=1,
        native_id="n1",
        kind=ItemKind.PAGE,
        title="Night loading",
        body="We load by night.",
        place="notes/n1.md",
        link="https://example.org/n1",
        said_at=WHEN,
        fingerprint="f1",
        keys=("n1",),
        references=(Reference(ReferenceCue.LINK, "n2", 3, 7),),
        properties=MappingProxyType({"Status": "open"}),
        outline=(StatementOutline(0, 1, "We load by night.", ObjectId("ko-1")), StatementOutline(1, 1, "Hi!", None, gone=True)),
    )
    return replace(content, **changed)  # type: ignore[arg-type]


def statement(**changed: object) -> StatementContent:
    content = StatementContent(
        object_id=ObjectId("ko-1"),
        item_id=ItemId("it-1"),
        revision=1,
        ordinal=0,
        text="We load by night.",
        start=0,
        end=17,
        kind=BlockKind.PARAGRAPH,
        section=("Decisions",),
        previous="",
        said_at=WHEN,
        author_name="Ada",
        entity_name="Moss",
        anchors=("night",),
        title="Night loading",
        place="notes/n1.md",
        link="",
    )
    return replace(content, **changed)  # type: ignore[arg-type]


@pytest.fixture
def contents() -> SqliteContentStore:
    return SqliteContentStore(new_database())


@given(any_text, any_text, st.lists(any_text, max_size=3).map(tuple), st.dictionaries(any_text, any_text, max_size=3), st.booleans())
def test_content_comes_back_from_its_json_whatever_the_text(
    body: str, title: str, keys: tuple[str, ...], properties: dict[str, str], edited: bool
) -> None:
    content = item(body=body, title=title, keys=keys, properties=MappingProxyType(properties), edited_at=WHEN if edited else None)
    assert content == from_json(ItemContent, to_json(content))


@pytest.mark.parametrize("checked", [None, True, False])
def test_a_statement_keeps_the_zone_in_which_it_was_said(checked: bool | None) -> None:
    found = from_json(StatementContent, to_json(statement(checked=checked)))
    assert statement(checked=checked) == found
    assert "2026-03-02T09:00:00+01:00" == found.said_at.isoformat()


@settings(max_examples=20, deadline=None)
@given(any_text)
def test_any_text_can_be_kept_and_comes_back(text: str) -> None:
    contents = SqliteContentStore(new_database())
    contents.put_item(item(body=text))
    contents.put_statement(statement(text=text))
    contents.put_evidence(EdgeId("ed-1"), ItemId("it-1"), text)
    assert item(body=text) == contents.item(ItemId("it-1"))
    assert {ObjectId("ko-1"): statement(text=text)} == contents.statements([ObjectId("ko-1"), ObjectId("ko-9")])
    assert {EdgeId("ed-1"): text} == contents.evidence([EdgeId("ed-1")])


def test_digests_are_keyed_per_item_so_equal_texts_cannot_be_told(contents: SqliteContentStore) -> None:
    first, second = contents.put_item(item()), contents.put_item(item(item_id=ItemId("it-2")))
    assert first != second
    assert first == contents.item_digest(ItemId("it-1"), 1)
    words = [contents.put_evidence(EdgeId(f"ed-{number}"), ItemId(f"it-{number}"), "by night") for number in (1, 2)]
    assert words[0] != words[1]


def test_all_revisions_of_an_item_share_its_key_and_the_newest_is_shown(contents: SqliteContentStore) -> None:
    contents.put_item(item())
    contents.put_item(item(revision=2, body="We load by day.", fingerprint="f2"))
    keys = contents._database.connection.execute("select distinct key from item_content").fetchall()
    assert [32] == [len(key) for (key,) in keys]
    newest = contents.item(ItemId("it-1"))
    assert newest is not None
    assert (2, "f2") == (newest.revision, contents.fingerprint(ItemId("it-1")))
    assert [2] == [each.revision for each in contents.all_items()]


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("statement_content", "body"),
        ("statement_content", "item_id"),
        ("evidence_content", "body"),
        ("evidence_content", "item_id"),
        ("item_content", "body"),
        ("item_content", "key"),
    ],
)
def test_a_changed_byte_changes_the_digest(contents: SqliteContentStore, table: str, column: str) -> None:
    before = (
        contents.put_item(item()),
        contents.put_statement(statement()),
        contents.put_evidence(EdgeId("ed-1"), ItemId("it-1"), "by night"),
    )
    changed = "x'07'" if column == "key" else f"substr({column}, 1, length({column}) - 1) || 'z'"
    contents._database.connection.execute(f"update {table} set {column} = {changed}")
    assert before != (
        contents.item_digest(ItemId("it-1"), 1),
        contents.statement_digest(ObjectId("ko-1")),
        contents.evidence_digest(EdgeId("ed-1")),
    )


def test_erasing_an_item_takes_its_text_its_evidence_and_its_key(contents: SqliteContentStore) -> None:
    contents.put_item(item())
    contents.put_item(item(item_id=ItemId("it-2")))
    contents.put_statement(statement())
    contents.put_evidence(EdgeId("ed-1"), ItemId("it-1"), "by night")
    contents.erase(ItemId("it-1"))
    assert None is contents.item(ItemId("it-1")) is contents.fingerprint(ItemId("it-1"))
    assert None is contents.statement_digest(ObjectId("ko-1")) is contents.evidence_digest(EdgeId("ed-1"))
    assert ({}, {}) == (contents.statements([ObjectId("ko-1")]), contents.evidence([EdgeId("ed-1")]))
    assert [ItemId("it-2")] == [each.item_id for each in contents.all_items()]


def test_an_edge_that_is_found_again_has_its_newest_words(contents: SqliteContentStore) -> None:
    contents.put_item(item())
    first = contents.put_evidence(EdgeId("ed-1"), ItemId("it-1"), "by night")
    second = contents.put_evidence(EdgeId("ed-1"), ItemId("it-1"), "no longer")
    assert first != second
    assert (second, {EdgeId("ed-1"): "no longer"}) == (contents.evidence_digest(EdgeId("ed-1")), contents.evidence([EdgeId("ed-1")]))


def test_people_are_replaced_by_what_their_source_says_now(contents: SqliteContentStore) -> None:
    ada = Person(PersonId("p-1"), "Ada", "ada@example.org", "ada")
    contents.put_people("slack", [ada, Person(PersonId("p-2"), "Bot", is_bot=True)])
    contents.put_people("slack", [replace(ada, name="Ada L.")])
    assert ["Ada L.", "Bot"] == [person.name for person in contents.people()]
    assert [False, True] == [person.is_bot for person in contents.people()]


@pytest.mark.parametrize("names", [("Moss Depot", "moss depot"), ("moss depot", "Moss Depot")])
def test_an_entitys_name_does_not_depend_on_which_spelling_was_met_first(contents: SqliteContentStore, names: tuple[str, str]) -> None:
    for name in names:
        contents.put_entity(EntityId("en-1"), name)
    assert {"en-1": "Moss Depot"} == contents.entities()


def test_a_problem_is_kept_once(contents: SqliteContentStore) -> None:
    problem = Problem("read", "notes/n1.md", "not-utf-8", "byte 3", "line 1")
    assert [True, False] == [contents.put_problem("notes", problem, recorded_at=datetime(2026, 3, 2, tzinfo=UTC)) for _ in range(2)]
    assert contents.put_problem("slack", replace(problem, place="line 2"), recorded_at=datetime(2026, 3, 2, tzinfo=UTC))
    assert [problem, replace(problem, place="line 2")] == contents.problems()


def test_every_field_of_content_is_under_the_digest() -> None:
    for content in (item(), statement()):
        kept = to_json(content)
        assert all(f'"{field.name}":' in kept for field in fields(content))
