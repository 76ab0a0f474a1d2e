from __future__ import annotations

import random
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.ingestion.anchors import anchors_of
from oida.ingestion.relate import find_relations
from oida.ingestion.relations.duplicates import duplicates
from oida.ingestion.relations.relatable import ItemFacts, RelatableObject
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId
from oida.model.knowledge_object import Status
from oida.model.source import BlockKind, ItemKind, Reference, ReferenceCue
from oida.model.taxonomy import EpistemicClass as Class

START = datetime(2026, 2, 2, 9, 0, tzinfo=UTC)


class World:
    """Objects and items that a test puts together, one statement an item unless told otherwise."""

    def __init__(self) -> None:
        self.objects: list[RelatableObject] = []
        self.items: dict[ItemId, ItemFacts] = {}

    def say(
        self,
        name: str,
        epistemic_class: Class,
        text: str,
        *,
        day: int = 0,
        item: str = "",
        author: str = "",
        reply_to: str = "",
        kind: ItemKind = ItemKind.MESSAGE,
        status: str = "",
        section: tuple[str, ...] = (),
        references: tuple[Reference, ...] = (),
        block: BlockKind = BlockKind.PARAGRAPH,
        checked: bool | None = None,
    ) -> None:
        item_id = ItemId(item or f"it-{name}")
        cues = ((Reference(ReferenceCue.REPLY, reply_to),) if reply_to else ()) + references
        said_at = START + timedelta(days=day, minutes=len(self.objects))
        ordinal = sum(found.item_id == item_id for found in self.objects)
        if item_id not in self.items:
            key = item or name
            self.items[item_id] = ItemFacts(item_id, "s", kind, said_at, status=status, keys=(key,), references=cues, container="ops")
        start = 1000 * ordinal
        self.objects.append(
            RelatableObject(
                ObjectId(name),
                item_id,
                ordinal,
                epistemic_class,
                text,
                said_at,
                author=author or f"p-{name}",
                section=section,
                anchors=anchors_of(text),
                kind=block,
                checked=checked,
                start=start,
                end=start + len(text),
            )
        )

    def edges(self) -> set[tuple[str, str, str]]:
        return {(edge.source, edge.edge_type.value, edge.target) for edge in find_relations(self.objects, self.items).edges}

    def statuses(self) -> dict[str, Status]:
        return {declared.object_id: declared.status for declared in find_relations(self.objects, self.items).statuses}


@pytest.fixture
def world() -> World:
    return World()


def test_a_decision_in_reply_to_a_question_answers_it(world: World) -> None:
    world.say("q", Class.QUESTION, "Do we keep the old suite?")
    world.say("d", Class.DECISION, "keep all of it until the last site has moved", reply_to="q")
    assert world.edges() == {("d", "IMPLEMENTS", "q")}


@pytest.mark.parametrize("text", ["I'll ask them, not sure yet.", "which suite do you mean?", "depends, let me check"])
def test_a_reply_that_settles_nothing_resolves_no_question(world: World, text: str) -> None:
    world.say("q", Class.QUESTION, "Do we keep the old suite?")
    world.say("d", Class.PLAN, text, reply_to="q")
    assert world.edges() == set()


def test_a_plan_answers_whether_but_not_how_unless_it_speaks_of_it(world: World) -> None:
    world.say("whether", Class.QUESTION, "do we have to redo the mapping?")
    world.say("yes", Class.PLAN, "two of us go there in week 25", reply_to="whether")
    world.say("how", Class.QUESTION, "How does a single site go back?")
    world.say("off", Class.PLAN, "Ada prepares that before May", reply_to="how")
    world.say("on", Class.PLAN, "a single site publishes the shadow list again", reply_to="how")
    assert world.edges() == {("yes", "IMPLEMENTS", "whether"), ("on", "IMPLEMENTS", "how")}


def test_a_later_decision_settles_the_question_it_speaks_of_once(world: World) -> None:
    world.say("q", Class.QUESTION, "how long do we keep v1 readable after the last depot has moved?")
    world.say("other", Class.QUESTION, "who pays for the canteen?")
    world.say("d", Class.DECISION, "v1 stays readable for 90 days after the last depot has moved", day=9)
    world.say("again", Class.DECISION, "v1 stays readable for 90 days after the last depot has moved, as said", day=12)
    assert world.edges() == {("d", "IMPLEMENTS", "q")}


def test_a_finding_that_denies_refutes_the_hypothesis_most_like_it(world: World) -> None:
    world.say("h", Class.HYPOTHESIS, "the tablets failed because of the Android update")
    world.say("other", Class.HYPOTHESIS, "customers prefer the portal")
    world.say("e", Class.EVIDENCE, "tablets with and without the Android update failed at the same rate", day=9)
    assert world.edges() == {("e", "CONTRADICTS", "h")}


def test_a_disagreement_about_something_else_does_not_hit_what_it_replies_to(world: World) -> None:
    world.say("d", Class.DECISION, "replication runs through the log")
    world.say("v", Class.EVIDENCE, "The April weekend is not achievable with the test I was promised", reply_to="d")
    assert world.edges() == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This is based on the study.", ("study", "BASED_ON", "memo")),
        ("This contradicts the study.", ("memo", "CONTRADICTS", "study")),
        ("See the study.", None),
    ],
)
def test_a_link_relates_only_by_the_words_around_it(world: World, text: str, expected: tuple[str, str, str] | None) -> None:
    world.say("study", Class.EVALUATION, "the doors come first", item="study", kind=ItemKind.DOCUMENT)
    link = Reference(ReferenceCue.LINK, "study", 5, 10)
    world.say("memo", Class.DECISION, text, item="memo", kind=ItemKind.DOCUMENT, references=(link,), day=3)
    assert world.edges() == ({expected} if expected else set())


def test_an_opinion_in_reply_to_a_question_resolves_nothing(world: World) -> None:
    world.say("q", Class.QUESTION, "Do we keep the old suite?")
    world.say("e", Class.EVALUATION, "the old suite is a burden", reply_to="q")
    assert world.edges() == set()


def test_a_plan_in_reply_to_a_decision_carries_it_out(world: World) -> None:
    world.say("d", Class.DECISION, "the slot pilot starts at the harbour")
    world.say("p", Class.PLAN, "form and screen by 1 April", reply_to="d")
    assert world.edges() == {("p", "IMPLEMENTS", "d")}


def test_a_reply_that_disagrees_contradicts_what_it_answers(world: World) -> None:
    world.say("h", Class.HYPOTHESIS, "the doors are the bottleneck")
    world.say("e", Class.EVIDENCE, "I don't buy that, two doors were free all night", reply_to="h")
    assert world.edges() == {("e", "CONTRADICTS", "h")}


def test_nobody_contradicts_himself_by_a_reply(world: World) -> None:
    world.say("h", Class.HYPOTHESIS, "the doors are the bottleneck", author="ada")
    world.say("e", Class.OBSERVATION, "no, wait, that's the east hall", reply_to="h", author="ada")
    assert ("e", "CONTRADICTS", "h") not in world.edges()


def test_measured_agreement_supports_and_bare_agreement_does_not(world: World) -> None:
    world.say("h", Class.HYPOTHESIS, "the doors are the bottleneck")
    world.say("e", Class.EVIDENCE, "confirmed, 46 of 50 trucks waited for a door", reply_to="h")
    world.say("v", Class.EVALUATION, "yes, sounds right", reply_to="h")
    assert world.edges() == {("e", "SUPPORTS", "h")}


def test_a_misgiving_about_anothers_decision_is_dissent_and_never_ends_it(world: World) -> None:
    world.say("d", Class.DECISION, "all sites switch in one weekend")
    world.say("v", Class.EVALUATION, "one weekend is the riskiest version of this", reply_to="d")
    assert world.edges() == {("v", "CONTRADICTS", "d")}
    assert world.statuses() == {}


def test_words_of_change_end_the_most_alike_earlier_decision(world: World) -> None:
    world.say("old", Class.DECISION, "we go with Cockroach for the routing database")
    world.say("other", Class.DECISION, "the canteen closes at three")
    world.say("new", Class.DECISION, "we use Postgres instead of Cockroach for the routing database", day=20)
    assert world.edges() == {("new", "SUPERSEDES", "old")}


def test_likeness_without_words_of_change_ends_nothing(world: World) -> None:
    world.say("old", Class.DECISION, "we go with Cockroach for the routing database")
    world.say("new", Class.DECISION, "we go with Cockroach for the routing database in Moss", day=20)
    assert world.edges() == set()


def test_a_third_decision_ends_the_second_and_not_the_first_again(world: World) -> None:
    world.say("a", Class.DECISION, "on-call rotation has four people and pays 4000")
    world.say("b", Class.DECISION, "on-call rotation of four people is replaced by six people and pays 5000", day=10)
    world.say("c", Class.DECISION, "on-call rotation is no longer four people, it has eight and pays 4000", day=20)
    assert world.edges() == {("b", "SUPERSEDES", "a"), ("c", "SUPERSEDES", "b")}


def test_a_plan_never_ends_a_decision_by_its_words(world: World) -> None:
    world.say("d", Class.DECISION, "the lane to Bergen opens on 4 May")
    world.say("p", Class.PLAN, "the lane to Bergen moves to 15 June", day=10)
    assert world.edges() == set()


def test_a_corrected_figure_contradicts_the_statement_that_holds_the_wrong_one(world: World) -> None:
    world.say("old", Class.EVIDENCE, "staffing at the harbour is 96 % of the planned hours")
    world.say("new", Class.EVIDENCE, "real staffing at the harbour is 84 % and not 96", day=10)
    assert world.edges() == {("new", "CONTRADICTS", "old")}


def test_who_withdraws_his_own_theory_gives_it_up(world: World) -> None:
    world.say("h", Class.HYPOTHESIS, "the handheld scanners cause half of the night delay", author="ada")
    world.say("w", Class.EVALUATION, "I'm withdrawing the theory that handheld scanners cause the night delay", day=9, author="ada")
    assert world.edges() == {("w", "CONTRADICTS", "h")}
    assert world.statuses() == {"h": Status.ABANDONED}


def test_what_another_refutes_is_contradicted_but_not_given_up(world: World) -> None:
    world.say("h", Class.HYPOTHESIS, "the handheld scanners cause half of the night delay", author="ada")
    world.say("w", Class.EVALUATION, "the theory that handheld scanners cause the night delay is dead", day=9, author="bo")
    assert world.edges() == {("w", "CONTRADICTS", "h")}
    assert world.statuses() == {}


def document(world: World, code: str, *cues: tuple[ReferenceCue, str], status: str = "Accepted", day: int = 0) -> None:
    references = tuple(Reference(cue, key) for cue, key in cues)
    for name, section in (("why", "Context"), ("what", "Decision")):
        cls = Class.NARRATIVE if name == "why" else Class.DECISION
        text = f"{code} {name} in its own words"
        world.say(
            f"{code}-{name}",
            cls,
            text,
            item=code,
            kind=ItemKind.DOCUMENT,
            section=(section,),
            status=status,
            references=references,
            day=day,
        )


@pytest.mark.parametrize("declared_by", ["newer", "older", "both"])
def test_a_superseding_document_ends_the_older_ones_decisions(world: World, declared_by: str) -> None:
    newer_cues = [(ReferenceCue.SUPERSEDES, "adr-1")] if declared_by != "older" else []
    older_cues = [(ReferenceCue.SUPERSEDED_BY, "adr-2")] if declared_by != "newer" else []
    document(world, "adr-1", *older_cues, status="Superseded")
    document(world, "adr-2", *newer_cues, day=9)
    assert world.edges() == {("adr-2-what", "SUPERSEDES", "adr-1-what")}
    assert world.statuses() == {}


def test_a_document_superseded_in_part_is_refined_and_stays_in_force(world: World) -> None:
    document(world, "adr-1", status="Partly superseded")
    document(world, "adr-2", (ReferenceCue.SUPERSEDES, "adr-1"), day=9)
    assert world.edges() == {("adr-2-what", "REFINES", "adr-1-what")}


def test_a_field_that_names_an_annex_ends_what_stands_under_it_alone(world: World) -> None:
    document(world, "adr-1")
    world.say("annex", Class.DECISION, "both databases are written", item="adr-1", section=("ADR-1", "Annex B: keeping step"))
    document(world, "adr-2", (ReferenceCue.SUPERSEDES, "adr-1"), day=9)
    newer = ItemId("adr-2")
    world.items[newer] = replace(world.items[newer], properties={"Supersedes": "ADR-1 annex B"})
    assert world.edges() == {("adr-2-what", "SUPERSEDES", "annex")}


def test_a_successor_outside_the_base_still_ends_the_document(world: World) -> None:
    document(world, "adr-1", (ReferenceCue.SUPERSEDED_BY, "elsewhere-9"), status="Superseded by elsewhere-9")
    assert world.edges() == set()
    assert world.statuses() == {"adr-1-what": Status.SUPERSEDED}


def test_what_a_document_requires_is_its_ground(world: World) -> None:
    document(world, "pep-1")
    document(world, "pep-2", (ReferenceCue.REQUIRES, "pep-1"), day=9)
    assert world.edges() == {("pep-1-what", "BASED_ON", "pep-2-what")}


def test_two_documents_that_replace_each_other_make_no_cycle(world: World) -> None:
    document(world, "adr-1", (ReferenceCue.SUPERSEDES, "adr-2"))
    document(world, "adr-2", (ReferenceCue.SUPERSEDES, "adr-1"), day=9)
    assert len(world.edges()) == 1


@pytest.mark.parametrize("status", ["Rejected", "Withdrawn", "Deferred"])
def test_a_document_that_was_given_up_gives_up_its_proposals_and_not_its_facts(world: World, status: str) -> None:
    for name, cls, text in (
        ("plan", Class.PLAN, "we build it in May"),
        ("claim", Class.HYPOTHESIS, "it will be faster"),
        ("fact", Class.EVIDENCE, "it took 41 minutes"),
        ("verdict", Class.DECISION, "we do not go on with this"),
    ):
        world.say(name, cls, text, item="adr-1", kind=ItemKind.DOCUMENT, status=status)
    assert world.statuses() == {"plan": Status.ABANDONED, "claim": Status.ABANDONED}


def test_a_heading_that_says_so_gives_up_the_theories_under_it(world: World) -> None:
    world.say("h", Class.HYPOTHESIS, "it was the update", item="pm", kind=ItemKind.DOCUMENT, section=("A theory we dropped",))
    world.say("e", Class.EVIDENCE, "both failed at the same rate", item="pm", kind=ItemKind.DOCUMENT, section=("A theory we dropped",))
    assert world.statuses() == {"h": Status.ABANDONED}


def test_a_cancelled_to_do_is_given_up_and_a_done_one_is_not(world: World) -> None:
    world.say("done", Class.PLAN, "book the hall", item="page", block=BlockKind.TODO, checked=True)
    world.say("off", Class.PLAN, "order the cake (cancelled)", item="page", block=BlockKind.TODO, checked=False)
    assert world.statuses() == {"off": Status.ABANDONED}


def test_a_conclusion_rests_on_the_finding_before_it(world: World) -> None:
    world.say("e", Class.EVIDENCE, "nine of ten nights were late", item="memo")
    world.say("d", Class.DECISION, "Therefore the gate opens at nine", item="memo")
    assert world.edges() == {("e", "BASED_ON", "d")}


def test_a_plan_that_waits_for_a_question_is_blocked_by_it(world: World) -> None:
    world.say("q", Class.QUESTION, "Does a parked trailer count as storage under paragraph 14?")
    world.say("p", Class.PLAN, "the lane with the parked trailer is blocked by the storage question of paragraph 14", day=3)
    assert world.edges() == {("q", "BLOCKS", "p")}


TEXTS = st.sampled_from(
    [
        "we go with Cockroach for the routing database",
        "we use Postgres instead of Cockroach for the routing database",
        "no, that is wrong, staffing is 84 % and not 96",
        "staffing is 96 % of planned hours",
        "Do we keep the routing database?",
        "so the routing database moves to June",
        "I'm withdrawing the theory about the routing database",
        "blocked by the routing database",
    ]
)


@given(st.lists(st.tuples(st.sampled_from(list(Class)), TEXTS, st.integers(0, 3), st.booleans()), max_size=14), st.integers(0, 999))
def test_the_result_depends_on_the_set_and_not_on_its_order(statements: list[tuple[Class, str, int, bool]], seed: int) -> None:
    world = World()
    for number, (cls, text, day, reply) in enumerate(statements):
        world.say(f"o{number}", cls, text, day=day, reply_to="o0" if reply and number else "", author=f"p{number % 3}")
    shuffled = world.objects[:]
    random.Random(seed).shuffle(shuffled)
    items = dict(reversed(list(world.items.items())))
    found = find_relations(world.objects, world.items)
    assert found == find_relations(shuffled, items)
    known = {o.object_id: o for o in world.objects}
    for edge in found.edges:
        assert edge.source != edge.target
        assert 0.0 < edge.confidence <= 1.0
        if edge.edge_type is EdgeType.SUPERSEDES:
            assert known[edge.source].order > known[edge.target].order


def test_cost_grows_with_the_set_and_not_with_its_square() -> None:
    def seconds(count: int) -> float:
        draw = random.Random(7)
        world = World()
        words = [f"word{draw.randrange(count)}" for _ in range(count)]
        for number in range(count):
            text = f"we drop {words[number]} {words[number // 2]} for {words[number // 3]} now"
            world.say(f"o{number}", draw.choice(list(Class)), text, day=number // 50, item=f"i{number}", reply_to="")
        started = time.perf_counter()
        find_relations(world.objects, world.items)
        return time.perf_counter() - started

    small, large = seconds(1000), seconds(4000)
    assert large < 10 * small + 0.5


def test_equal_words_in_other_items_are_duplicates_of_the_earliest(world: World) -> None:
    world.say("second", Class.DECISION, "Two loaders start on Monday!", day=2)
    world.say("first", Class.DECISION, "two loaders start on monday", day=1)
    world.say("other class", Class.PLAN, "two loaders start on monday", day=3)
    world.say("short", Class.DECISION, "it works", day=1)
    world.say("short again", Class.DECISION, "It works.", day=2)
    assert duplicates(world.objects) == [("second", "first")]


def test_words_repeated_within_one_item_are_no_duplicates(world: World) -> None:
    world.say("a", Class.DECISION, "two loaders start on monday", item="page")
    world.say("b", Class.DECISION, "two loaders start on monday", item="page")
    assert duplicates(world.objects) == []
