"""Small named worlds, shared by documents, doctests and tests: each is named for what it shows.

Nouns of the model only, so that every room can read them. Times are fixed; nothing here is random.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from oida.model.coordinate import KnowledgeObjectCoordinate, epoch_of
from oida.model.edge import Edge, EdgeType
from oida.model.identifiers import ItemId, ObjectId, edge_id, entity_id, person_id
from oida.model.knowledge_object import KnowledgeObject, Provenance, ScoreVector, Status
from oida.model.taxonomy import CLASS_PROFILES, EpistemicClass

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
"""The moment at which every world is looked at."""

_C, _E = EpistemicClass, EdgeType


@dataclass(frozen=True, slots=True)
class SmallWorld:
    """A handful of objects and edges with the one thing they show."""

    shows: str
    objects: tuple[KnowledgeObject, ...]
    edges: tuple[Edge, ...] = ()

    def object(self, object_id: str) -> KnowledgeObject:
        """The object of that id; KeyError when there is none."""
        return {o.object_id: o for o in self.objects}[ObjectId(object_id)]


def statement(
    object_id: str,
    epistemic_class: EpistemicClass,
    text: str,
    *,
    age_days: float = 0.0,
    status: Status = Status.ACTIVE,
    stakes: float = 0.0,
    superseded_by: str | None = None,
) -> KnowledgeObject:
    """One object of a world, said `age_days` before `NOW` and not repeated since; K is its class's seed."""
    said_at = NOW - timedelta(days=age_days)
    profile = CLASS_PROFILES[epistemic_class]
    fresh = 2.0 ** (-age_days / profile.half_life_days) if profile.half_life_days else 1.0
    return KnowledgeObject(
        object_id=ObjectId(object_id),
        coordinate=KnowledgeObjectCoordinate(
            entity=entity_id("Harbour"),
            domain="operations",
            epistemic_class=epistemic_class,
            epoch=epoch_of(said_at),
            depth=1,
            author=person_id("samples", "ada"),
            variant=object_id,
        ),
        text=text,
        status=status,
        scores=ScoreVector(profile.seed, confidence=1.0, freshness=fresh, urgency=0.0, contradiction=0.0),
        provenance=Provenance(
            source_id="samples",
            item_id=ItemId(f"it-{object_id}"),
            place=f"samples/{object_id}",
            link="",
            title="A small world",
            section=(),
            author_name="Ada",
            said_at=said_at,
            recorded_at=said_at,
            start=0,
            end=len(text),
        ),
        entity_name="Harbour",
        anchors=frozenset(),
        language="en",
        classifier="samples",
        stakes=stakes,
        superseded_by=None if superseded_by is None else ObjectId(superseded_by),
    )


def acts_on(source: str, edge_type: EdgeType, target: str, *, confidence: float = 1.0) -> Edge:
    """One edge of a world, asserted at `NOW` by a person."""
    ends = ObjectId(source), ObjectId(target)
    return Edge(edge_id(ends[0], edge_type, ends[1]), ends[0], edge_type, ends[1], confidence, "person", "ada", NOW)


def unanswered_question() -> SmallWorld:
    """A question of forty days that blocks a plan, beside an observation as old as itself.

    >>> unanswered_question().object("question").epistemic_class.value
    'QUESTION'
    """
    return SmallWorld(
        "what nobody knows outranks what nobody repeats",
        (
            statement("question", _C.QUESTION, "Who owns the crane licence after July?", age_days=40.0, stakes=0.5),
            statement("observation", _C.OBSERVATION, "The gate was open twice this week.", age_days=40.0),
            statement("plan", _C.PLAN, "We move the crane in July.", age_days=10.0),
        ),
        (acts_on("question", _E.BLOCKS, "plan"),),
    )


def two_contradictions() -> SmallWorld:
    """A supported decision that two others contradict: K* 1.00 before, 0.78 with one, 0.33 with both under `paper`."""
    return SmallWorld(
        "contradicted knowledge is suppressed, not erased",
        (
            statement("decision", _C.DECISION, "Night loading stays at the north quay."),
            statement("support", _C.DECISION, "The north quay keeps its night crew."),
            statement("doubt", _C.DECISION, "All night work moves to the south quay."),
            statement("second-doubt", _C.DECISION, "The north quay closes at ten."),
        ),
        (
            acts_on("support", _E.SUPPORTS, "decision"),
            acts_on("doubt", _E.CONTRADICTS, "decision"),
            acts_on("second-doubt", _E.CONTRADICTS, "decision"),
        ),
    )


def decision_superseded() -> SmallWorld:
    """A decision and the one that replaced it: history, pointing at its successor."""
    return SmallWorld(
        "a superseded decision has lost its injection and stays retrievable as history",
        (
            statement("old", _C.DECISION, "Tugs are hired by the day.", age_days=200.0, status=Status.SUPERSEDED, superseded_by="new"),
            statement("new", _C.DECISION, "Tugs are hired by the month.", age_days=20.0),
        ),
        (acts_on("new", _E.SUPERSEDES, "old"),),
    )


def stale_observation() -> SmallWorld:
    """One observation said today and the same kind said a year ago.

    >>> round(stale_observation().object("stale").scores.freshness, 3)
    0.06
    """
    return SmallWorld(
        "an observation that nobody repeats fades by half in ninety days",
        (
            statement("fresh", _C.OBSERVATION, "The queue at gate two is short."),
            statement("stale", _C.OBSERVATION, "The queue at gate two is long.", age_days=365.0),
        ),
    )


def degree_43_hub() -> SmallWorld:
    """A decision on which forty-three objects act: the paper's largest observed degree."""
    kinds, classes = list(EdgeType), list(EpistemicClass)
    around = [statement(f"n{i:02d}", classes[i % 9], f"Neighbour {i}.") for i in range(43)]
    edges = tuple(acts_on(o.object_id, kinds[i % 10], "hub") for i, o in enumerate(around))
    return SmallWorld("a hub of in-degree 43", (statement("hub", _C.DECISION, "Everything passes the lock."), *around), edges)


WORLDS = {
    world.__name__: world for world in (unanswered_question, two_contradictions, decision_superseded, stale_observation, degree_43_hub)
}


def without_edges(world: SmallWorld, *sources: str) -> SmallWorld:
    """The world without the edges from these objects, for comparing before and after."""
    return replace(world, edges=tuple(e for e in world.edges if e.source not in sources))
