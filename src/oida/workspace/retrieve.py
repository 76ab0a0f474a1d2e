"""Stages 7, 9 and 10: a question understood, candidates gathered, ranked, and packed into what an agent is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache

from oida.events.state import EdgeRecord
from oida.ingestion.anchors import anchors_of
from oida.ingestion.domains import UNKNOWN_DOMAIN, domain_of
from oida.model.edge import EdgeType
from oida.model.identifiers import ObjectId, PersonId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.query import AgentContext, Query, Ranking
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import CORE_THRESHOLD
from oida.ports import Embedder, LexicalIndex, ObjectFilter, VectorIndex
from oida.retrieval.context.assemble import Surroundings, assemble
from oida.retrieval.question.known import nothing_known
from oida.retrieval.question.understand import Understanding, understand
from oida.retrieval.question.vocabulary import GENERIC, Vocabulary, folded_words, vocabulary_of
from oida.retrieval.ranking.candidates import EXPANDED, FOUND_BY_EACH_INDEX, Candidate, candidate_ids
from oida.retrieval.ranking.profiles import profile_named
from oida.retrieval.ranking.rank import rank
from oida.retrieval.ranking.similarity import MAX_HOPS, anchor_objects, hops_from
from oida.workspace.explain import ContextExplanation, explain
from oida.workspace.identities import Identities
from oida.workspace.reading import Reading
from oida.workspace.why_not import WhyNot, why_not

CORE_OBJECTS = 12


@dataclass(frozen=True, slots=True)
class Found:
    """A ranking with everything that an assembler needs besides."""

    ranking: Ranking
    surroundings: Surroundings


class Retrieval:
    """Looks for what answers a question in one reading; `among` limits it to those objects (the past)."""

    def __init__(
        self,
        reading: Reading,
        *,
        vectors: VectorIndex,
        words: LexicalIndex,
        embedder: Callable[[], Embedder],
        identities: Callable[[], Identities],
        among: frozenset[ObjectId] | None = None,
    ) -> None:
        self._reading = reading
        self._vectors = vectors
        self._words = words
        self._embedder = embedder
        self._find_identities = identities
        self._among = among

    @cached_property
    def _identities(self) -> Identities:
        return self._find_identities()

    def context(
        self, question: str, *, budget_tokens: int, profile: str, count: Callable[[str], int], as_of: datetime | None
    ) -> AgentContext:
        """What an agent should be given for a question."""
        return self.ranked_context(question, budget_tokens=budget_tokens, profile=profile, count=count, as_of=as_of)[0]

    def ranked_context(
        self, question: str, *, budget_tokens: int, profile: str, count: Callable[[str], int], as_of: datetime | None
    ) -> tuple[AgentContext, Ranking]:
        """The same with the ranking that it was packed from."""
        query = self.understood(question, budget_tokens=budget_tokens)
        found = self.find(query, profile=profile)
        return assemble(found.ranking, found.surroundings, budget_tokens=budget_tokens, count=count, as_of=as_of), found.ranking

    def explained(
        self, question: str, *, budget_tokens: int, profile: str, count: Callable[[str], int], as_of: datetime | None
    ) -> ContextExplanation:
        """Why the context for a question is what it is."""
        context, ranking = self.ranked_context(question, budget_tokens=budget_tokens, profile=profile, count=count, as_of=as_of)
        people = {each.person_id: each.name for each in self._identities.people}
        return explain(
            self._understanding(question, budget_tokens=budget_tokens),
            ranking,
            context,
            profile=profile,
            entity_name=lambda entity: self._reading.entity_names.get(entity, entity),
            person_name=lambda person: people.get(PersonId(person)) or person,
        )

    def why_not(self, found: KnowledgeObject, question: str, *, budget_tokens: int, profile: str, count: Callable[[str], int]) -> WhyNot:
        """Where an object fell out of the context for a question."""
        query = self.understood(question, budget_tokens=budget_tokens)
        gathered = self.find(query, profile=profile)
        context = assemble(gathered.ranking, gathered.surroundings, budget_tokens=budget_tokens, count=count)
        vector = self._embedder().embed_queries([question])[0]
        indexed = found.object_id in self._vectors.similarities(vector, [found.object_id])
        return why_not(found, gathered.ranking, context, indexed=indexed)

    def understood(self, question: str, *, budget_tokens: int) -> Query:
        """The question with what the base's own vocabulary makes of it."""
        query = self._understanding(question, budget_tokens=budget_tokens).query
        return replace(query, alike=self._identities.alike(query.entity) | self._identities.alike(query.author))

    def _understanding(self, question: str, *, budget_tokens: int) -> Understanding:
        return understand(
            question,
            self._vocabulary(),
            moment=self._reading.moment,
            budget_tokens=budget_tokens,
            anchors_of=anchors_of,
            domain_of=_domain_of,
        )

    def find(self, query: Query, *, profile: str) -> Found:
        """Candidates by meaning, by words and over the graph, ranked; never what the principal may not see."""
        groups = self._reading.principal.groups
        vector = self._embedder().embed_queries([query.text])[0]
        by_meaning = self._vectors.search(vector, FOUND_BY_EACH_INDEX, groups=groups, within=self._among)
        by_words = self._words.search(query.text, FOUND_BY_EACH_INDEX, groups=groups, within=self._among)
        query = replace(query, anchor_objects=tuple(self._reading.visible(query.anchor_objects)))
        if not query.anchor_objects and self._knows_nothing(query, by_meaning):
            return Found(rank(query, (), profile_named(profile, intent=query.intent)), self._surroundings([], []))
        near = _Neighbourhood(self._reading)
        near.load(hit for hits in (by_meaning, by_words) for hit, _ in hits[:EXPANDED])
        ids = candidate_ids(query, by_meaning, by_words, near)
        anchors = anchor_objects(query, by_meaning)
        near.load_around(anchors, steps=MAX_HOPS)
        hops = hops_from(anchors, near)
        objects = self._with_heirs(self._reading.view(ids))
        found = [each.object_id for each in objects]
        edges = self._reading.active_edges(found)
        linked = _linked(edges)
        cosines = self._vectors.similarities(vector, found)
        lexical = self._words.scores(query.text, found, groups=groups)
        candidates = [
            Candidate(
                knowledge_object=each,
                cosine=cosines.get(each.object_id, 0.0),
                lexical=lexical.get(each.object_id, 0.0),
                hops=hops.get(each.object_id),
                neighbours=tuple(sorted({other for other, _ in linked.get(each.object_id, ())})),
                graph_mass=sum(mass for _, mass in linked.get(each.object_id, ())),
            )
            for each in objects
        ]
        ranking = rank(query, candidates, profile_named(profile, intent=query.intent))
        return Found(ranking, self._surroundings(objects, edges))

    def _knows_nothing(self, query: Query, by_meaning: Sequence[tuple[ObjectId, float]]) -> bool:
        """Whether neither meaning nor words of anything that the principal sees are near the question."""
        best = by_meaning[0][1] if by_meaning else 0.0
        words = [word for word in dict.fromkeys(folded_words(query.text)) if word not in GENERIC]
        if not self._vectors.count() or not nothing_known(self._vectors.model_id, best, 0.0):
            return False
        groups = self._reading.principal.groups
        known = sum(bool(self._words.search(word, 1, groups=groups, within=self._among)) for word in words)
        return nothing_known(self._vectors.model_id, best, known / max(1, len(words)))

    def _with_heirs(self, objects: list[KnowledgeObject]) -> list[KnowledgeObject]:
        """The objects and what took the place of those that were superseded, where that was not found by itself."""
        known = {each.object_id for each in objects}
        heirs = dict.fromkeys(each.superseded_by for each in objects if each.superseded_by and each.superseded_by not in known)
        return [*objects, *self._reading.view(list(heirs))] if heirs else objects

    def _surroundings(self, objects: list[KnowledgeObject], edges: list[EdgeRecord]) -> Surroundings:
        known: dict[ObjectId, KnowledgeObject | None] = {each.object_id: each for each in objects}
        core = self._core_ids()
        wanted = dict.fromkeys((*_beside(objects, edges), *core))
        known.update((each.object_id, each) for each in self._reading.view([found for found in wanted if found not in known]))

        def lookup(wanted: ObjectId) -> KnowledgeObject | None:
            if wanted not in known:
                known[wanted] = next(iter(self._reading.view([wanted])), None)
            return known[wanted]

        return Surroundings(
            edges=self._reading.edge_models(edge for edge in edges if edge.edge_type in _TOLD_EDGES),
            lookup=lookup,
            core=_core([kept for found in core if (kept := known.get(found)) is not None]),
            source_counts=self._source_counts(objects),
        )

    def _core_ids(self) -> list[ObjectId]:
        """The heaviest decisions and constraints, some more than are shown: a few may have ended for this principal."""
        wanted = ObjectFilter(
            classes=frozenset({EpistemicClass.DECISION, EpistemicClass.CONSTRAINT}),
            statuses=frozenset({Status.ACTIVE}),
            groups=self._reading.principal.groups,
        )
        return self._reading.records.heaviest(wanted, most=2 * CORE_OBJECTS, k_at_least=CORE_THRESHOLD)

    def _source_counts(self, objects: list[KnowledgeObject]) -> Mapping[ObjectId, int]:
        copies = self._reading.records.copies_of([each.object_id for each in objects])
        counted = Counter(
            copy.duplicate_of
            for copy in copies
            if copy.duplicate_of and copy.status.acts and self._reading.principal.may_see(copy.visibility)
        )
        return {found: 1 + count for found, count in counted.items()}

    def _vocabulary(self) -> Vocabulary:
        groups, identities = self._reading.principal.groups, self._identities
        entities, domains = self._reading.records.vocabulary(groups=groups)
        authors = self._reading.records.authors(groups=groups)
        names = self._reading.entity_names
        known = sorted(entities.keys() | {alias for alias in identities.aliases if not entities.keys().isdisjoint(identities.alike(alias))})
        people = [
            each for each in identities.people if each.name and not authors.isdisjoint({each.person_id, *identities.alike(each.person_id)})
        ]
        return _indexed(
            tuple((names[entity], identities.meant(entity)) for entity in known if entity in names),
            tuple(sorted(domains)),
            tuple((person.name, identities.meant(person.person_id)) for person in people),
        )


@lru_cache(maxsize=16)
def _indexed(entities: tuple[tuple[str, str], ...], domains: tuple[str, ...], people: tuple[tuple[str, str], ...]) -> Vocabulary:
    """The same names are indexed once, whoever asks."""
    return vocabulary_of(entities=dict(entities), domains={domain: domain for domain in domains}, people=dict(people))


_TOLD_EDGES = (EdgeType.CONTRADICTS, EdgeType.BLOCKS)
"""Edges of which a context tells, so that their words are needed."""


class _Neighbourhood:
    """Who is linked to whom over active edges, asked of the reading many at a time."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._known: dict[ObjectId, set[ObjectId]] = {}

    def __call__(self, found: ObjectId) -> list[ObjectId]:
        """The other ends of an object's active edges, by id."""
        if found not in self._known:
            self.load([found])
        return sorted(self._known[found])

    def load(self, wanted: Iterable[ObjectId]) -> None:
        """Ask for the neighbours of many objects at once."""
        asked = [found for found in dict.fromkeys(wanted) if found not in self._known]
        self._known.update((found, set()) for found in asked)
        asked_for = set(asked)
        for edge in self._reading.active_edges(asked) if asked else ():
            for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
                if one in asked_for and one != other:
                    self._known[one].add(other)

    def load_around(self, anchors: Iterable[ObjectId], *, steps: int) -> None:
        """Ask for everything that lies fewer than `steps` steps from the anchors."""
        frontier = set(anchors)
        for _ in range(steps):
            self.load(sorted(frontier))
            frontier = {other for found in frontier for other in self._known[found]}


def _beside(objects: list[KnowledgeObject], edges: list[EdgeRecord]) -> Iterable[ObjectId]:
    """What a context may have to name besides its candidates: the other sides of disputes, successors, and what copies stand for."""
    for edge in edges:
        if edge.edge_type is EdgeType.CONTRADICTS:
            yield from (edge.source, edge.target)
    for each in objects:
        yield from (found for found in (each.superseded_by, each.duplicate_of) if found is not None)


def _core(objects: list[KnowledgeObject]) -> list[KnowledgeObject]:
    """The top of Core memory: heaviest first, of equal ones the newest."""
    standing = [each for each in objects if each.status is Status.ACTIVE and each.scores.k_score >= CORE_THRESHOLD]
    standing.sort(key=lambda each: (-each.scores.k_score, -each.provenance.said_at.timestamp(), each.object_id))
    return standing[:CORE_OBJECTS]


def _linked(edges: list[EdgeRecord]) -> dict[ObjectId, list[tuple[ObjectId, float]]]:
    """Each object's other ends over the edges, with |coefficient| * confidence."""
    linked: dict[ObjectId, list[tuple[ObjectId, float]]] = {}
    for edge in edges:
        mass = abs(edge.edge_type.coefficient) * edge.confidence
        linked.setdefault(edge.source, []).append((edge.target, mass))
        linked.setdefault(edge.target, []).append((edge.source, mass))
    return linked


def _domain_of(text: str) -> str | None:
    """The domain that a question's words point to, by the rules that gave the objects theirs."""
    found = domain_of(text)
    return None if found == UNKNOWN_DOMAIN else found
