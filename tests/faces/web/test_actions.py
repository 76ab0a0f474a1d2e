"""Everything that people do on pages is told first, confirmed, recorded under their name, and taken back where that can be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient
from tests.faces.conftest import World

from oida.faces.server import ServerOptions, create_whole_app
from oida.faces.serving.base import ServedBase
from oida.model.edge import EdgeType
from oida.model.identifiers import edge_id
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass

DECISION, EVIDENCE, QUESTION, CONSTRAINT, OBSERVATION, PLAN = range(6)


class Person:
    """Somebody at the pages, with the base beside them to look at what became of it."""

    def __init__(self, client: TestClient, world: World, name: str) -> None:
        self.client = client
        self.world = world
        self.name = f"key:{name}"

    def head(self) -> int:
        with self.world.open() as workspace:
            return int(workspace.head().position)

    def status(self, number: int) -> Status:
        with self.world.open() as workspace:
            return workspace.reading().one(self.world.ids[number]).status

    def do(self, path: str, **fields: str) -> str:
        """Confirm an action; where it led."""
        response = self.client.post(path, data={"step": "do", **fields}, follow_redirects=False)
        assert 303 == response.status_code, re.sub(r"<[^>]+>", " ", response.text)[-600:]
        return str(response.headers["location"])

    def undo(self, led_to: str) -> None:
        (position,) = parse_qs(urlsplit(led_to).query)["undo"]
        assert f"/undo/{position}" in self.client.get(led_to).text
        assert 303 == self.client.post(f"/undo/{position}", data={}, follow_redirects=False).status_code


def as_person(served: ServedBase, world: World, name: str) -> Iterator[Person]:
    with TestClient(create_whole_app(served, ServerOptions()), base_url="http://127.0.0.1:7432", headers=world.headers(name)) as client:
        yield Person(client, world, name)


@pytest.fixture
def admin(served: ServedBase, world: World) -> Iterator[Person]:
    yield from as_person(served, world, "admin")


@pytest.fixture
def writer(served: ServedBase, world: World) -> Iterator[Person]:
    yield from as_person(served, world, "write")


@pytest.fixture
def reader(served: ServedBase, world: World) -> Iterator[Person]:
    yield from as_person(served, world, "read")


@pytest.mark.parametrize(
    ("verb", "number", "fields"),
    [
        ("resolve", QUESTION, {"text": "We take the Brightwell sensor for the cold store."}),
        ("supersede", DECISION, {"text": "We use the Larch sensor on every dock door."}),
        ("reclassify", OBSERVATION, {"class": "EVALUATION"}),
        ("relate", CONSTRAINT, {"relation": "SUPPORTS", "by": "{0}"}),
        ("retract", OBSERVATION, {}),
        ("confirm", DECISION, {}),
        ("redact", OBSERVATION, {}),
    ],
)
def test_nothing_is_recorded_before_it_is_confirmed(admin: Person, verb: str, number: int, fields: dict[str, str]) -> None:
    before = admin.head()
    given = {name: value.format(*admin.world.ids) for name, value in fields.items()}
    path = f"/objects/{admin.world.ids[number]}/{verb}"
    assert 200 == admin.client.get(path).status_code
    response = admin.client.post(path, data={"step": "check", **given})
    assert 200 == response.status_code
    assert 'name="step" value="do"' in response.text
    assert before == admin.head()


def test_a_question_is_resolved_in_own_words_and_taken_back(writer: Person) -> None:
    question = writer.world.ids[QUESTION]
    led_to = writer.do(f"/objects/{question}/resolve", text="We take the Brightwell sensor for the cold store.")
    assert Status.RESOLVED is writer.status(QUESTION)
    with writer.world.open() as workspace:
        answer = workspace.reading().one(workspace.reading().one(question).resolved_by or "")
        assert "We take the Brightwell sensor for the cold store." == answer.text
        assert EpistemicClass.DECISION is answer.epistemic_class
        last = [line for line in workspace.show(question).history if line.event == "EdgeAsserted"][-1]
        assert writer.name == last.principal
    writer.undo(led_to)
    assert Status.ACTIVE is writer.status(QUESTION)
    with writer.world.open() as workspace:
        assert Status.RETRACTED is workspace.reading().one(answer.object_id).status
        assert workspace.verify().is_sound


def test_a_question_is_resolved_by_an_object(writer: Person) -> None:
    writer.do(f"/objects/{writer.world.ids[QUESTION]}/resolve", by=writer.world.ids[DECISION])
    with writer.world.open() as workspace:
        assert writer.world.ids[DECISION] == workspace.reading().one(writer.world.ids[QUESTION]).resolved_by


def test_a_decision_is_superseded_and_taken_back(writer: Person) -> None:
    led_to = writer.do(f"/objects/{writer.world.ids[DECISION]}/supersede", text="We use the Larch sensor on every dock door.")
    assert Status.SUPERSEDED is writer.status(DECISION)
    writer.undo(led_to)
    assert Status.ACTIVE is writer.status(DECISION)


def test_a_contradiction_is_settled_by_what_holds(writer: Person) -> None:
    wrong, right = writer.world.ids[OBSERVATION], writer.world.ids[EVIDENCE]
    shown = writer.client.get(f"/objects/{wrong}/supersede?by={right}").text
    assert f'value="{right}" checked' in shown
    led_to = writer.do(f"/objects/{wrong}/supersede", by=right)
    assert "No contradiction here." in writer.client.get("/contradictions").text
    writer.undo(led_to)
    assert "never misses a pallet" in writer.client.get("/contradictions").text


def test_a_class_is_corrected_and_taken_back(writer: Person) -> None:
    led_to = writer.do(f"/objects/{writer.world.ids[OBSERVATION]}/reclassify", **{"class": "EVALUATION"})
    assert Status.SUPERSEDED is writer.status(OBSERVATION)
    assert ">Evaluation<" in writer.client.get(led_to).text
    writer.undo(led_to)
    assert Status.ACTIVE is writer.status(OBSERVATION)


@pytest.mark.parametrize(("relation", "inward"), [("SUPPORTS", False), ("in:BASED_ON", True)])
def test_two_objects_are_related_either_way_and_taken_back(writer: Person, relation: str, inward: bool) -> None:
    one, other = writer.world.ids[CONSTRAINT], writer.world.ids[DECISION]
    led_to = writer.do(f"/objects/{one}/relate", relation=relation, by=other)
    source, target = (other, one) if inward else (one, other)
    edge = edge_id(source, EdgeType(relation.removeprefix("in:")), target)  # type: ignore[arg-type]
    with writer.world.open() as workspace:
        assert source == workspace.edge(edge).source.object_id
    writer.undo(led_to)
    assert 404 == writer.client.get(f"/edges/{edge}/retract").status_code


def test_a_retraction_and_giving_up_are_taken_back(writer: Person) -> None:
    led_to = writer.do(f"/objects/{writer.world.ids[OBSERVATION]}/retract")
    assert Status.RETRACTED is writer.status(OBSERVATION)
    writer.undo(led_to)
    assert Status.ACTIVE is writer.status(OBSERVATION)
    writer.do(f"/objects/{writer.world.ids[OBSERVATION]}/retract")
    writer.do(f"/objects/{writer.world.ids[OBSERVATION]}/reinstate")
    assert Status.ACTIVE is writer.status(OBSERVATION)


def test_a_relation_is_taken_back_and_comes_again(writer: Person) -> None:
    edge = edge_id(writer.world.ids[EVIDENCE], EdgeType.CONTRADICTS, writer.world.ids[OBSERVATION])  # type: ignore[arg-type]
    assert "Take this relation back?" in writer.client.get(f"/edges/{edge}/retract").text
    led_to = writer.do(f"/edges/{edge}/retract")
    assert "No contradiction here." in writer.client.get("/contradictions").text
    writer.undo(led_to)
    with writer.world.open() as workspace:
        assert EdgeType.CONTRADICTS is workspace.edge(edge).edge.edge_type


def test_a_confirmation_offers_no_way_back(writer: Person) -> None:
    before = writer.head()
    led_to = writer.do(f"/objects/{writer.world.ids[DECISION]}/confirm")
    assert before < writer.head()
    assert "undo" not in parse_qs(urlsplit(led_to).query)
    assert ">Undo<" not in writer.client.get(led_to).text


def test_a_text_is_erased_only_after_the_word(admin: Person) -> None:
    path = f"/objects/{admin.world.ids[OBSERVATION]}/redact"
    assert 422 == admin.client.post(path, data={"step": "do", "word": "yes"}).status_code
    assert Status.ACTIVE is admin.status(OBSERVATION)
    admin.do(path, word="erase")
    assert Status.REDACTED is admin.status(OBSERVATION)
    text = admin.client.get(f"/objects/{admin.world.ids[OBSERVATION]}").text
    assert "The text was erased." in text
    assert "never misses" not in text


def test_what_is_missing_is_asked_for(writer: Person) -> None:
    question, observation = writer.world.ids[QUESTION], writer.world.ids[OBSERVATION]
    response = writer.client.post(f"/objects/{question}/resolve", data={"step": "check"})
    assert 422 == response.status_code
    assert "Choose a statement" in response.text
    response = writer.client.post(f"/objects/{observation}/reclassify", data={"step": "check", "class": "OBSERVATION"})
    assert "choose another" in response.text
    assert 422 == writer.client.post(f"/objects/{question}/resolve", data={"step": "do"}).status_code


@pytest.mark.parametrize("verb", ["confirm", "retract", "reclassify", "redact"])
def test_a_reader_may_not_write(reader: Person, verb: str) -> None:
    before = reader.head()
    path = f"/objects/{reader.world.ids[OBSERVATION]}/{verb}"
    assert 403 == reader.client.get(path).status_code
    assert 403 == reader.client.post(path, data={"step": "do", "class": "PLAN", "word": "erase"}).status_code
    assert before == reader.head()


def test_a_writer_may_not_erase(writer: Person) -> None:
    assert 403 == writer.client.post(f"/objects/{writer.world.ids[OBSERVATION]}/redact", data={"step": "do", "word": "erase"}).status_code


@pytest.mark.parametrize(
    ("verb", "number", "fields"),
    [
        ("resolve", QUESTION, {"text": "We take the Brightwell sensor."}),
        ("supersede", DECISION, {"text": "We use the Larch sensor."}),
        ("relate", CONSTRAINT, {"relation": "in:SUPPORTS", "by": "{0}"}),
    ],
)
def test_a_reader_proposes_and_a_reviewer_accepts(
    served: ServedBase, world: World, reader: Person, verb: str, number: int, fields: dict[str, str]
) -> None:
    given = {name: value.format(*world.ids) for name, value in fields.items()}
    assert "You may propose this" in reader.client.get(f"/objects/{world.ids[number]}/{verb}").text
    led_to = reader.do(f"/objects/{world.ids[number]}/{verb}", **given)
    assert "Proposed" in parse_qs(urlsplit(led_to).query)["done"][0]
    with world.open() as workspace:
        (proposal,) = workspace.proposals()
    for reviewer in as_person(served, world, "review"):
        assert "Proposed by key:read" in reviewer.client.get("/review").text
        assert "Accept this?" in reviewer.client.get(f"/review/{proposal.proposal_id}/accept").text
        reviewer.do(f"/review/{proposal.proposal_id}/accept")
    with world.open() as workspace:
        assert [] == workspace.proposals()


def test_a_doubtful_class_is_reviewed(served: ServedBase, world: World) -> None:
    """An object that a classifier is unsure of, entered through its own events."""
    from dataclasses import replace

    with world.open() as workspace:
        record = workspace.store.projections.object_record(world.ids[EVIDENCE])  # type: ignore[arg-type]
        assert record is not None
        with workspace.store.transaction():
            workspace.store.projections.put_object(replace(record, confidence=0.2, classifier="offline"))
    for reviewer in as_person(served, world, "review"):
        assert "Unsure class" in reviewer.client.get("/review").text
        form = reviewer.client.get(f"/review/{world.ids[EVIDENCE]}/class").text
        assert "Which class is it?" in form
        assert 422 == reviewer.client.post(f"/review/{world.ids[EVIDENCE]}/class", data={"class": "NONSENSE"}).status_code
        led_to = reviewer.do(f"/review/{world.ids[EVIDENCE]}/class", **{"class": "OBSERVATION"})
        assert Status.SUPERSEDED is reviewer.status(EVIDENCE)
        reviewer.undo(led_to)
        assert Status.ACTIVE is reviewer.status(EVIDENCE)


def test_only_a_reviewer_reviews(writer: Person) -> None:
    assert 403 == writer.client.get(f"/review/{writer.world.ids[EVIDENCE]}/accept").status_code


@pytest.mark.parametrize("path", ["/undo/1", "/undo/999999", "/undo/x", "/undo/-1"])
def test_what_cannot_be_taken_back_is_told(writer: Person, path: str) -> None:
    assert writer.client.get(path).status_code in (404, 409)


def test_a_deed_of_others_on_what_is_hidden_cannot_be_taken_back(served: ServedBase, world: World, writer: Person) -> None:
    for board in as_person(served, world, "board"):
        led_to = board.do(f"/objects/{world.ids[PLAN]}/retract")
    (position,) = parse_qs(urlsplit(led_to).query)["undo"]
    assert 404 == writer.client.post(f"/undo/{position}", data={}).status_code
    assert Status.RETRACTED is writer.status(PLAN)
