from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status
from oida.model.query import Query
from oida.model.taxonomy import EpistemicClass
from oida.retrieval.ranking.attention import AttentionWeights, contextual_attention, effective_k
from oida.retrieval.ranking.candidates import Candidate, candidate_ids
from oida.retrieval.ranking.fusion import FUSION, FusionProfile
from oida.retrieval.ranking.hybrid import EQUATION_4, HybridProfile
from oida.retrieval.ranking.profiles import PROFILE_NAMES, profile_named
from oida.retrieval.ranking.rank import rank
from oida.retrieval.ranking.tag_and_boost import TAG_AND_BOOST
from oida.retrieval.ranking.vesta import COMPONENTS, VESTA_PRESETS, VestaProfile, vesta


def order(query: Query, candidates: list[Candidate], profile) -> list[str]:
    return [each.knowledge_object.object_id for each in rank(query, candidates, profile).objects]


def test_attention_is_equation_5(ask: Callable[..., Query], make) -> None:
    found = make("ko-a", anchors=frozenset({"dock", "plan"}))
    query = ask(entity="en-moss", domain="operations", anchors=frozenset({"dock", "rain"}))
    assert pytest.approx(0.40 + 0.35 + 0.25 / 2) == contextual_attention(query, found)
    assert 0.0 == contextual_attention(ask(), found)
    assert pytest.approx(0.25) == contextual_attention(ask(anchors=frozenset({"dock"})), found)


def test_what_matters_everywhere_keeps_a_tenth_of_its_k() -> None:
    assert pytest.approx(0.08) == effective_k(0.8, 0.0)
    assert pytest.approx(0.4) == effective_k(0.8, 0.5)


def test_equation_4_multiplies_hybrid_similarity_by_effective_k(ask: Callable[..., Query], make) -> None:
    query = ask(entity="en-moss", domain="legal")
    (only,) = rank(query, [Candidate(make("ko-a", k=0.5), 0.4, 3.0, 1)], EQUATION_4).objects
    structural = 0.30 / 0.55
    hybrid = 0.30 * structural + 0.50 * 0.7 + 0.20 * 0.5
    assert pytest.approx(hybrid * 0.5 * max(0.10, 0.40)) == only.rank_score
    assert pytest.approx(hybrid) == only.parts["hybrid_similarity"]
    assert pytest.approx(0.2) == only.parts["effective_k"]
    assert (0.4, 3.0, 1.0) == (only.parts["cosine"], only.parts["lexical"], only.parts["hops"])


def test_urgency_lifts_an_open_question_in_equation_4(ask: Callable[..., Query], make) -> None:
    calm, urgent = make("ko-a", "QUESTION", urgency=0.0), make("ko-b", "QUESTION", urgency=0.9)
    assert ["ko-b", "ko-a"] == order(ask(), [Candidate(calm, 0.5, 0.0, None), Candidate(urgent, 0.5, 0.0, None)], EQUATION_4)


def test_the_known_trap_of_equation_4_is_not_in_the_default(ask: Callable[..., Query], make) -> None:
    weak, strong = make("ko-decision", "DECISION"), make("ko-observation", "OBSERVATION")
    candidates = [Candidate(weak, 0.1, 0.0, None), Candidate(strong, 0.8, 9.0, None)]
    assert ["ko-decision", "ko-observation"] == order(ask(), candidates, EQUATION_4)
    assert ["ko-observation", "ko-decision"] == order(ask(), candidates, FUSION)


@pytest.mark.parametrize("name", [*PROFILE_NAMES, "vesta"])
def test_equal_candidates_are_ordered_by_id_whatever_order_they_come_in(name: str, ask: Callable[..., Query], make) -> None:
    candidates = [Candidate(make(name_), 0.3, 1.0, None) for name_ in ("ko-c", "ko-a", "ko-b")]
    for given_ in (candidates, candidates[::-1]):
        assert ["ko-a", "ko-b", "ko-c"] == order(ask(), given_, profile_named(name))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(
            st.floats(-1, 1), st.floats(0, 30), st.sampled_from([None, 0, 1, 2, 3]), st.floats(0, 1), st.sampled_from(list(EpistemicClass))
        ),
        max_size=25,
    ),
    st.sampled_from([name for name in PROFILE_NAMES if name != "tag-and-boost"]),
    st.randoms(use_true_random=False),
)
def test_scores_lie_in_the_unit_interval_and_no_order_of_arrival_shows(ask, make, drawn, name, random) -> None:
    candidates = [
        Candidate(make(f"ko-{at:02d}", kind, k=k), cosine, words, hops, neighbours=(ObjectId(f"ko-{at // 2:02d}"),), graph_mass=at)
        for at, (cosine, words, hops, k, kind) in enumerate(drawn)
    ]
    ranking = rank(ask(entity="en-moss"), candidates, profile_named(name))
    assert all(-1e-12 <= each.rank_score <= 1.0 + 1e-12 for each in ranking.objects)
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert pytest.approx([o.rank_score for o in rank(ask(entity="en-moss"), shuffled, profile_named(name)).objects]) == [
        o.rank_score for o in ranking.objects
    ]


def test_a_ranking_says_which_weights_made_it() -> None:
    assert "equation-4" == EQUATION_4.label
    assert HybridProfile(attention=AttentionWeights(0.5, 0.25, 0.25)).label.startswith("equation-4(attention=")
    assert "fusion(meaning=0.25, in_force=0.05)" == FusionProfile(meaning=0.25, in_force=0.05).label
    assert "vesta:gap" == vesta("gap").label
    assert VestaProfile("mine", vesta("gap").weights).label.startswith("vesta:mine(structural_similarity=")


def test_weights_that_do_not_sum_to_one_are_our_own_mistake() -> None:
    for build in (lambda: HybridProfile(0.5, 0.5, 0.5), lambda: FusionProfile(meaning=1.0), lambda: AttentionWeights(1.0, 1.0, 1.0)):
        with pytest.raises(AssertionError):
            build()


@pytest.mark.parametrize("wrong", ["", "best", "vesta:", "vesta:unknown", "Equation-4"])
def test_an_unknown_ranking_is_refused_with_those_that_exist(wrong: str) -> None:
    with pytest.raises(InputError, match="expected a "):
        profile_named(wrong)


def changed_for(component: str, make) -> tuple[Candidate, Candidate, dict[str, object]]:
    """Two candidates that differ in one component alone, the better one with the higher id; and what the question fixes."""
    low, high = Candidate(make("ko-a"), 0.2, 0.0, None), Candidate(make("ko-b"), 0.2, 0.0, None)
    with_scores = lambda found, **changes: dataclasses.replace(found, scores=dataclasses.replace(found.scores, **changes))  # noqa: E731
    swap = dataclasses.replace
    match component:
        case "structural_similarity":
            return swap(low, knowledge_object=make("ko-a", entity="en-x")), high, {"entity": "en-moss"}
        case "semantic_similarity":
            return low, swap(high, cosine=0.3), {}
        case "topological_similarity":
            return low, swap(high, hops=1), {}
        case "confidence" | "freshness":
            return swap(low, knowledge_object=with_scores(low.knowledge_object, **{component: 0.1})), high, {}
        case "graph_mass":
            return low, swap(high, graph_mass=2.0), {}
        case "goal_alignment":
            return low, swap(high, goal_cosine=0.5), {}
        case "domain_match":
            return swap(low, knowledge_object=make("ko-a", domain="x")), high, {"domain": "operations"}
        case "functional_fit":
            return low, swap(high, knowledge_object=make("ko-b", "EVIDENCE", k=0.4)), {"intent": "evidence"}
        case _:
            return swap(low, k_deviation=0.2), high, {}


@pytest.mark.parametrize("component", COMPONENTS)
def test_each_vesta_component_changes_the_order_and_stays_in_range(component: str, ask: Callable[..., Query], make) -> None:
    worse, better, fixed = changed_for(component, make)
    weights = tuple(1.0 if name == component else 0.0 for name in COMPONENTS)
    ranking = rank(ask(**fixed), [worse, better], VestaProfile("alone", weights))
    assert ["ko-b", "ko-a"] == [each.knowledge_object.object_id for each in ranking.objects]
    assert ranking.objects[0].rank_score > ranking.objects[1].rank_score
    assert all(0.0 <= each.parts[component] <= 1.0 for each in ranking.objects)
    assert set(COMPONENTS) <= set(ranking.objects[0].parts)
    assert ["ko-b", "ko-a"] == order(ask(**fixed), [worse, better], vesta("general"))


def test_there_is_a_vesta_preset_for_every_intent() -> None:
    from oida.retrieval.question.intent import INTENTS

    assert set(VESTA_PRESETS) == set(INTENTS)


def test_what_is_linked_to_a_relevant_object_rises_in_the_default(ask: Callable[..., Query], make) -> None:
    best, linked, loose = make("ko-m"), make("ko-z"), make("ko-a")
    candidates = [
        Candidate(best, 0.9, 5.0, 0),
        Candidate(linked, 0.1, 0.0, 1, neighbours=(best.object_id,)),
        Candidate(loose, 0.1, 0.0, None),
    ]
    assert ["ko-m", "ko-z", "ko-a"] == order(ask(), candidates, FUSION)


def test_what_has_ended_sinks_unless_history_is_asked_for(ask: Callable[..., Query], make) -> None:
    ended, stands = make("ko-a", status=Status.SUPERSEDED), make("ko-b")
    candidates = [Candidate(ended, 0.5, 1.0, None), Candidate(stands, 0.5, 1.0, None)]
    assert ["ko-b", "ko-a"] == order(ask(), candidates, FUSION)
    assert ["ko-a", "ko-b"] == order(ask(intent="history"), candidates, FUSION)


def test_the_static_baseline_knows_class_and_age_but_nothing_of_the_engine(ask: Callable[..., Query], make) -> None:
    quiet, loud = make("ko-a", "QUESTION", k=0.1), make("ko-b", "QUESTION", k=0.9, urgency=1.0)
    ranking = rank(ask(), [Candidate(quiet, 0.3, 0.0, None), Candidate(loud, 0.3, 0.0, 0)], TAG_AND_BOOST)
    assert ranking.objects[0].rank_score == ranking.objects[1].rank_score
    old = make("ko-a", said_at=loud.provenance.said_at - timedelta(days=90))
    assert ["ko-b", "ko-a"] == order(ask(), [Candidate(old, 0.3, 0.0, None), Candidate(make("ko-b"), 0.3, 0.0, None)], TAG_AND_BOOST)


def test_no_candidates_make_an_empty_ranking(ask: Callable[..., Query]) -> None:
    for name in PROFILE_NAMES:
        assert () == rank(ask(), [], profile_named(name)).objects


def test_candidates_are_what_is_named_found_and_linked_each_once(ask: Callable[..., Query]) -> None:
    a, b, c, d = (ObjectId(f"ko-{name}") for name in "abcd")
    links = {a: [c, d], b: [a]}
    found = candidate_ids(ask(anchor_objects=(d,)), [(a, 0.9)], [(b, 3.0), (a, 1.0)], lambda one: links.get(one, []))
    assert found == (d, a, b, c)


def test_a_hub_brings_at_most_fifty_neighbours(ask: Callable[..., Query]) -> None:
    many = [ObjectId(f"ko-{at:03d}") for at in range(200)]
    found = candidate_ids(ask(), [(ObjectId("ko-hub"), 0.9)], [], lambda one: many if one == "ko-hub" else [])
    assert 51 == len(found)


def test_what_took_the_place_of_another_is_as_near_to_the_question_as_that_was(ask: Callable[..., Query], make) -> None:
    heir, other = make("ko-heir", "DECISION"), make("ko-other", "DECISION")
    ended = make("ko-ended", "DECISION", status=Status.SUPERSEDED, superseded_by=ObjectId("ko-heir"))
    rest = [Candidate(make(f"ko-z{at}"), 0.05, 0.0, None) for at in range(3)]
    found = order(
        ask(), [Candidate(other, 0.5, 0.0, None), Candidate(ended, 0.9, 0.0, None), Candidate(heir, 0.1, 0.0, None), *rest], FUSION
    )
    assert found.index("ko-heir") < found.index("ko-other")
