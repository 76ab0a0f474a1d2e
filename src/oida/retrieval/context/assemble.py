"""A ranking to what an agent is given: sections in a fixed order, never over budget, knowledge gaps always (spec section 6).

Objects enter in rank order as bundles that are shown whole or not at all: an object with the side that contradicts it, an ended
object with its successor. The budget is checked on the rendered text. Next: `render`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from oida.model.edge import Edge, EdgeType
from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.query import (
    AgentContext,
    ContestedPair,
    ContextLine,
    ContextSection,
    Omission,
    Query,
    RankedObject,
    Ranking,
)
from oida.model.taxonomy import EpistemicClass
from oida.model.zone import MemoryZone
from oida.retrieval.context.labels import (
    CONTESTED,
    CORE,
    GAPS,
    HISTORY,
    IN_FORCE,
    NO_OPEN_QUESTION,
    SECTION_ORDER,
    commitment_of,
    marks_of,
    questions_without_room,
    section_of,
)
from oida.retrieval.context.render import (
    MAX_DIGEST_CHARACTERS,
    render_line,
    render_markdown,
    render_pair,
    render_pointer,
)

CountTokens = Callable[[str], int]

SMALLEST_BUDGET_TOKENS = 100
DISPUTES_LOOKED_FOR = 250
"""Ranked objects among which disputes on the question are looked for."""
MOST_DISPUTES_ON_THE_QUESTION = 1
ANCHORS_OF_A_DISPUTE = 2
"""With more or looser ones, disputes that matter to a question lose their place to disputes that share its words (halden gold)."""
DISPUTED_IN_FULL = 25
"""For so many of the best objects everything that contradicts them is shown, for the others at least one contradiction."""
DISPUTE_STEPS = 2
MOST_IN_VAIN = 40
"""After so many objects in a row that did not fit, the rest is not tried."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Which part of the budget gaps, history, the Core digest and disputes may take at most, each in [0, 1]; the rest goes by rank."""

    gaps: float = 0.20
    history: float = 0.10
    core: float = 0.04
    disputes: float = 0.12


SHARES_BY_INTENT: Mapping[str, Shares] = MappingProxyType(
    {
        "general": Shares(),
        "gap": Shares(gaps=0.40),
        "history": Shares(gaps=0.10, history=0.40),
    }
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a context needs beside the ranking; all of it only as far as the asker may see it.

    `edges` are the active CONTRADICTS and BLOCKS edges that touch a candidate; `lookup` finds an object that is none (None: not there);
    `core` is the top of Core memory, best first; `source_counts` says how many sources state what a representative states.
    """

    edges: Sequence[Edge] = ()
    lookup: Callable[[ObjectId], KnowledgeObject | None] = lambda _: None
    core: Sequence[KnowledgeObject] = ()
    source_counts: Mapping[ObjectId, int] = field(default_factory=lambda: MappingProxyType({}))
    not_yet_indexed: int = 0


@dataclass(frozen=True, slots=True)
class _Bundle:
    """What enters or stays out as one: lines with their sections, and pairs."""

    lines: tuple[tuple[str, ContextLine], ...]
    pairs: tuple[ContestedPair, ...] = ()

    def objects(self) -> Iterator[ObjectId]:
        for _, line in self.lines:
            yield line.knowledge_object.object_id
        for pair in self.pairs:
            yield from (pair.edge.source, pair.edge.target)


def assemble(
    ranking: Ranking,
    surroundings: Surroundings,
    *,
    budget_tokens: int,
    count: CountTokens,
    shares: Shares | None = None,
    as_of: datetime | None = None,
) -> AgentContext:
    """The context for a ranking; `count` gives what a text costs the model that will read it.

    Raises InputError when the budget cannot hold even the line on knowledge gaps and what was left out.
    """
    empty = AgentContext(ranking.query, ranking.profile, (), (), 0, budget_tokens, as_of)
    scene = _Scene(ranking, surroundings)
    fixed = count(render_markdown(_with_bundles(empty, (), scene.worst_omissions(), len(scene.questions))))
    _refuse_tiny(budget_tokens, needed=fixed)
    chosen = _choose(scene, budget_tokens - fixed, budget_tokens, count, shares or _shares_for(ranking.query))
    return _trimmed(empty, chosen, scene, count)


def _refuse_tiny(budget_tokens: int, *, needed: int) -> None:
    smallest = max(SMALLEST_BUDGET_TOKENS, needed)
    if budget_tokens < smallest:
        raise InputError(
            f"expected a budget of at least {smallest} tokens (the smallest honest context for this question), found {budget_tokens}"
        )


def _shares_for(query: Query) -> Shares:
    return SHARES_BY_INTENT.get(query.intent, SHARES_BY_INTENT["general"])


class _Scene:
    """The candidates and their surroundings, indexed; decides what belongs together, never what fits."""

    def __init__(self, ranking: Ranking, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._named = frozenset(ranking.query.anchor_objects)
        self._anchors = ranking.query.anchors
        self._position = {each.knowledge_object.object_id: at for at, each in enumerate(ranking.objects)}
        self._ranked = {each.knowledge_object.object_id: each for each in ranking.objects}
        self._looked_up: dict[ObjectId, KnowledgeObject | None] = {}
        self._against = self._opposing_edges()
        self._blocked = frozenset(edge.target for edge in surroundings.edges if edge.edge_type is EdgeType.BLOCKS)
        admitted, self.dormant = self._admit(ranking.objects)
        self.questions = [each for each in admitted if section_of(each.knowledge_object) == GAPS]
        self.others = [each for each in admitted if section_of(each.knowledge_object) != GAPS]
        self.core = [each for each in surroundings.core if each.status is Status.ACTIVE and not self._is_contested(each)]

    def _admit(self, objects: Sequence[RankedObject]) -> tuple[list[RankedObject], int]:
        """Without near-copies, erased texts and what is Dormant and not asked for by id; and how many are Dormant."""
        admitted: dict[ObjectId, RankedObject] = {}
        dormant = 0
        for each in objects:
            shown = self._representative(each)
            found = shown.knowledge_object
            if found.status is Status.REDACTED or found.object_id in admitted:
                continue
            asleep = found.status.acts and found.scores.zone is MemoryZone.DORMANT
            if asleep and found.object_id not in self._named:
                dormant += 1
            else:
                admitted[found.object_id] = shown
        return list(admitted.values()), dormant

    def _representative(self, each: RankedObject) -> RankedObject:
        original = each.knowledge_object.duplicate_of
        if original is None or each.knowledge_object.status is not Status.ACTIVE:
            return each
        found = self.find(original)
        return replace(each, knowledge_object=found) if found and found.status is Status.ACTIVE else each

    def find(self, wanted: ObjectId) -> KnowledgeObject | None:
        """An object by id, candidate or not; None when it is not there for the asker."""
        if wanted in self._ranked:
            return self._ranked[wanted].knowledge_object
        if wanted not in self._looked_up:
            self._looked_up[wanted] = self._surroundings.lookup(wanted)
        return self._looked_up[wanted]

    def _is_contested(self, found: KnowledgeObject) -> bool:
        return bool(found.contested_by) or found.object_id in self._against

    def _opposing_edges(self) -> dict[ObjectId, list[Edge]]:
        against: dict[ObjectId, list[Edge]] = {}
        for edge in self._surroundings.edges:
            if edge.edge_type is EdgeType.CONTRADICTS and not edge.retracted and self._is_dispute(edge):
                against.setdefault(edge.source, []).append(edge)
                against.setdefault(edge.target, []).append(edge)
        return against

    def _is_dispute(self, edge: Edge) -> bool:
        """Both sides stand, and neither is a question, which states nothing."""
        sides = (self.find(edge.source), self.find(edge.target))
        return all(
            side is not None and side.status is Status.ACTIVE and side.epistemic_class is not EpistemicClass.QUESTION for side in sides
        )

    def bundle(self, each: RankedObject, shown: frozenset[ObjectId]) -> _Bundle | None:
        """What must enter together with an object, less what is shown already; None when it is shown."""
        found = each.knowledge_object
        if found.object_id in shown:
            return None
        section = section_of(found)
        if section == HISTORY:
            return self._ended(each, shown)
        if found.object_id in self._against:
            return self._contested(found.object_id, shown)
        return _Bundle(((section, self.line(found)),))

    def _ended(self, each: RankedObject, shown: frozenset[ObjectId]) -> _Bundle:
        found = each.knowledge_object
        past = _Bundle(((HISTORY, self.line(found)),))
        successor = self._in_force_now(found)
        present = self.bundle(RankedObject(successor, each.rank_score), shown) if successor else None
        return _Bundle((*past.lines, *present.lines), present.pairs) if present else past

    def _in_force_now(self, found: KnowledgeObject) -> KnowledgeObject | None:
        """The end of a chain of supersessions, where it stands and may be seen."""
        followed = {found.object_id}
        current: KnowledgeObject | None = found
        while current and current.status is Status.SUPERSEDED and current.superseded_by not in followed:
            current = self.find(current.superseded_by) if current.superseded_by else None
            followed |= {current.object_id} if current else set()
        return current if current and current.status is Status.ACTIVE else None

    def _contested(self, one: ObjectId, shown: frozenset[ObjectId]) -> _Bundle:
        return self._dispute(self._opponents(one, shown)[0], shown)

    def disputes(self, one: ObjectId, shown: frozenset[ObjectId], paired: frozenset[str]) -> Iterator[_Bundle]:
        """What else contradicts an object, best opponent first."""
        for edge in self._opponents(one, shown):
            if edge.edge_id not in paired:
                yield self._dispute(edge, shown)

    def _opponents(self, one: ObjectId, shown: frozenset[ObjectId]) -> list[Edge]:
        return sorted(self._against.get(one, ()), key=lambda edge: self._preference(_other(edge, one), edge, shown))

    def _dispute(self, edge: Edge, shown: frozenset[ObjectId]) -> _Bundle:
        """Both sides with their edge; a side that binds is also named among what is in force."""
        source, target = self.find(edge.source), self.find(edge.target)
        assert source is not None
        assert target is not None
        pair = ContestedPair(edge, self.line(source), self.line(target))
        binding = tuple(
            (IN_FORCE, side)
            for side in (pair.source, pair.target)
            if section_of(side.knowledge_object) == IN_FORCE and side.knowledge_object.object_id not in shown
        )
        return _Bundle(binding, (pair,))

    def _preference(self, other: ObjectId, edge: Edge, shown: frozenset[ObjectId]) -> tuple[bool, int, float, str]:
        """Which of several opponents stands beside an object: one that is shown, then the best ranked, then the surest edge."""
        return (other not in shown, self._position.get(other, len(self._position)), -edge.confidence, edge.edge_id)

    def further_pairs(self, shown: frozenset[ObjectId], paired: frozenset[str]) -> Iterator[_Bundle]:
        """Contradictions between objects that are shown anyway, so that none of them is left unsaid."""
        for edge in sorted(self._unsaid(shown, paired), key=self._pair_position):
            yield self._dispute(edge, shown)

    def _unsaid(self, shown: frozenset[ObjectId], paired: frozenset[str]) -> Iterable[Edge]:
        edges = {edge.edge_id: edge for one in shown for edge in self._against.get(one, ())}
        return [e for e in edges.values() if e.edge_id not in paired and e.source in shown and e.target in shown]

    def disputes_on_the_question(self) -> list[RankedObject]:
        """The better ranked side of the dispute that bears most of the question's anchors, both sides ranked."""
        near = {each.knowledge_object.object_id: each for each in self.others[:DISPUTES_LOOKED_FOR]}
        found: dict[ObjectId, tuple[int, int, ObjectId]] = {}
        for edge in {edge.edge_id: edge for one in near for edge in self._against.get(one, ())}.values():
            sides = [near[side] for side in (edge.source, edge.target) if side in near]
            if len(sides) == 2 and (shared := self._anchors_of(sides)) >= ANCHORS_OF_A_DISPUTE:
                first = min(sides, key=lambda each: self._position[each.knowledge_object.object_id])
                place = sum(self._position[each.knowledge_object.object_id] for each in sides)
                one = first.knowledge_object.object_id
                found[one] = min(found.get(one, (0, 0, one)), (-shared, place, one))
        return [near[one] for _, _, one in sorted(found.values())[:MOST_DISPUTES_ON_THE_QUESTION]]

    def _anchors_of(self, sides: Sequence[RankedObject]) -> int:
        return len(self._anchors & frozenset().union(*(each.knowledge_object.anchors for each in sides)))

    def _pair_position(self, edge: Edge) -> tuple[int, int, str]:
        last = len(self._position)
        places = sorted((self._position.get(edge.source, last), self._position.get(edge.target, last)))
        return places[0], places[1], edge.edge_id

    def line(self, found: KnowledgeObject) -> ContextLine:
        """An object with its commitment and marks."""
        ranked = self._ranked.get(found.object_id)
        marks = marks_of(
            found,
            contested=found.object_id in self._against,
            blocked=found.object_id in self._blocked,
            sources=self._surroundings.source_counts.get(found.object_id, 1),
        )
        return ContextLine(found, commitment_of(found), marks, ranked.rank_score if ranked else 0.0)

    def omissions(self, shown: frozenset[ObjectId]) -> tuple[Omission, ...]:
        """What a reader of `shown` does not see, and why."""
        candidates = (each.knowledge_object for each in (*self.questions, *self.others))
        left = [found for found in candidates if found.object_id not in shown]
        ended = sum(found.status is Status.SUPERSEDED for found in left)
        counted = (
            Omission("budget", len(left) - ended),
            Omission("dormant", self.dormant),
            Omission("superseded", ended),
            Omission("not-yet-indexed", self._surroundings.not_yet_indexed),
        )
        nothing = () if self.questions or self.others else (Omission("nothing-known", 0),)
        return (*(each for each in counted if each.count), *nothing)

    def worst_omissions(self) -> tuple[Omission, ...]:
        """The longest that `omissions` can become."""
        left = len(self.questions) + len(self.others)
        counts = (
            ("budget", left),
            ("dormant", self.dormant),
            ("superseded", left),
            ("not-yet-indexed", self._surroundings.not_yet_indexed),
        )
        return (*(Omission(reason, found) for reason, found in counts if found), Omission("nothing-known", 0))


def _other(edge: Edge, one: ObjectId) -> ObjectId:
    return edge.target if edge.source == one else edge.source


class _Pack:
    """Bundles taken so far and what they cost."""

    def __init__(self, count: CountTokens) -> None:
        self._count = count
        self._counted: dict[str, int] = {}
        self.bundles: list[_Bundle] = []
        self.spent = 0
        self.spent_in: dict[str, int] = {}
        self.shown: frozenset[ObjectId] = frozenset()
        self.paired: frozenset[str] = frozenset()
        self._in_pairs: frozenset[ObjectId] = frozenset()

    def offer(self, bundle: _Bundle, *, limit: int, section_limits: Mapping[str, int]) -> bool:
        """Take a bundle if it fits the limit and its sections' limits."""
        costs = self._costs(bundle)
        if self.spent + sum(costs.values()) > limit:
            return False
        if any(self.spent_in.get(name, 0) + cost > section_limits.get(name, limit) for name, cost in costs.items()):
            return False
        self.bundles.append(bundle)
        self.spent += sum(costs.values())
        for name, cost in costs.items():
            self.spent_in[name] = self.spent_in.get(name, 0) + cost
        self.shown |= frozenset(bundle.objects())
        self.paired |= frozenset(pair.edge.edge_id for pair in bundle.pairs)
        self._in_pairs |= frozenset(side for pair in bundle.pairs for side in (pair.edge.source, pair.edge.target))
        return True

    def has_room_for(self, bundle: _Bundle, *, limit: int) -> bool:
        """Whether only a section's own limit keeps a bundle out."""
        return self.spent + sum(self._costs(bundle).values()) <= limit

    def _costs(self, bundle: _Bundle) -> dict[str, int]:
        in_pairs = self._in_pairs | {side for pair in bundle.pairs for side in (pair.edge.source, pair.edge.target)}
        costs: dict[str, int] = {}
        for section, line in bundle.lines:
            costs[section] = costs.get(section, 0) + self._tokens(_rendered(section, line, in_pairs))
        already = self._in_pairs
        for pair in bundle.pairs:
            heading, *sides = render_pair(pair, already=already)
            costs[CONTESTED] = costs.get(CONTESTED, 0) + self._tokens(heading) + sum(self._tokens(side) for side in sides)
            already = already | {pair.edge.source, pair.edge.target}
        return {name: cost + self._opening(name) for name, cost in costs.items()}

    def _opening(self, section: str) -> int:
        return 0 if section in self.spent_in or section == GAPS else self._tokens(f"## {section}")

    def _tokens(self, line: str) -> int:
        if line not in self._counted:
            self._counted[line] = self._count(line + "\n")
        return self._counted[line]


def _rendered(section: str, line: ContextLine, in_pairs: frozenset[ObjectId]) -> str:
    if line.knowledge_object.object_id in in_pairs:
        return render_pointer(line, where=CONTESTED)
    return render_line(line, max_characters=MAX_DIGEST_CHARACTERS) if section == CORE else render_line(line)


def _choose(scene: _Scene, room: int, budget_tokens: int, count: CountTokens, shares: Shares) -> list[_Bundle]:
    """Gaps and disputes up to their shares, then everything else by rank, then the Core digest, then whatever still fits."""
    pack = _Pack(count)
    history = int(shares.history * budget_tokens)
    core = int(shares.core * budget_tokens) if scene.core else 0
    _fill(pack, scene, scene.questions, limit=min(room, int(shares.gaps * budget_tokens)), section_limits={})
    told = pack.spent + int(shares.disputes * budget_tokens)
    _fill(pack, scene, scene.disputes_on_the_question(), limit=min(room - core, told), section_limits={HISTORY: history})
    _fill(pack, scene, scene.others, limit=room - core, section_limits={HISTORY: history})
    for bundle in scene.further_pairs(pack.shown, pack.paired):
        pack.offer(bundle, limit=room, section_limits={})
    for found in scene.core:
        if found.object_id not in pack.shown:
            pack.offer(_Bundle(((CORE, scene.line(found)),)), limit=room, section_limits={CORE: core})
    _fill(pack, scene, (*scene.questions, *scene.others), limit=room, section_limits={HISTORY: history})
    return pack.bundles


def _fill(pack: _Pack, scene: _Scene, objects: Sequence[RankedObject], *, limit: int, section_limits: Mapping[str, int]) -> None:
    in_vain = 0
    for position, each in enumerate(objects):
        bundle = scene.bundle(each, pack.shown)
        if bundle is not None:
            taken = pack.offer(bundle, limit=limit, section_limits=section_limits)
            in_vain = 0 if taken or pack.has_room_for(bundle, limit=limit) else in_vain + 1
        if in_vain == MOST_IN_VAIN:
            return
        if position < DISPUTED_IN_FULL:
            _offer_disputes(pack, scene, each.knowledge_object.object_id, limit=limit)


def _offer_disputes(pack: _Pack, scene: _Scene, one: ObjectId, *, limit: int) -> None:
    """What contradicts an object that is shown, and what contradicts that in turn."""
    nearest = [one] if one in pack.shown else []
    for _ in range(DISPUTE_STEPS):
        before = pack.shown
        for disputed in nearest:
            for bundle in scene.disputes(disputed, pack.shown, pack.paired):
                pack.offer(bundle, limit=limit, section_limits={})
        nearest = sorted(pack.shown - before)


def _trimmed(empty: AgentContext, chosen: list[_Bundle], scene: _Scene, count: CountTokens) -> AgentContext:
    """The context of the chosen bundles, less the last ones while the whole text costs more than its lines did."""
    kept = list(chosen)
    while True:
        shown = frozenset(found for bundle in kept for found in bundle.objects())
        context = _with_bundles(empty, kept, scene.omissions(shown), len(scene.questions))
        tokens = count(render_markdown(context))
        if tokens <= empty.budget_tokens or not kept:
            assert tokens <= empty.budget_tokens
            return replace(context, tokens=tokens)
        kept.pop()


def _with_bundles(empty: AgentContext, bundles: Sequence[_Bundle], omissions: tuple[Omission, ...], open_questions: int) -> AgentContext:
    lines: dict[str, dict[ObjectId, ContextLine]] = {title: {} for title in SECTION_ORDER}
    pairs: dict[str, ContestedPair] = {}
    for bundle in bundles:
        for title, line in bundle.lines:
            lines[title].setdefault(line.knowledge_object.object_id, line)
        pairs.update((pair.edge.edge_id, pair) for pair in bundle.pairs)
    sections = (_section(title, list(lines[title].values()), list(pairs.values()), open_questions) for title in SECTION_ORDER)
    return replace(empty, sections=tuple(s for s in sections if s.lines or s.pairs or s.note), omissions=omissions)


def _section(title: str, lines: list[ContextLine], pairs: list[ContestedPair], open_questions: int) -> ContextSection:
    if title == CONTESTED:
        return ContextSection(title, (), tuple(sorted(pairs, key=_pair_order)))
    if title == GAPS:
        unshown = questions_without_room(open_questions) if open_questions else NO_OPEN_QUESTION
        return ContextSection(title, tuple(sorted(lines, key=_by_urgency)), (), "" if lines else unshown)
    if title == CORE:
        return ContextSection(title, tuple(lines), always_included=True)
    return ContextSection(title, tuple(sorted(lines, key=_by_rank)))


def _by_rank(line: ContextLine) -> tuple[float, str]:
    return -line.rank_score, line.knowledge_object.object_id


def _by_urgency(line: ContextLine) -> tuple[float, str]:
    return -line.knowledge_object.scores.unclamped_urgency, line.knowledge_object.object_id


def _pair_order(pair: ContestedPair) -> tuple[float, str]:
    return -max(pair.source.rank_score, pair.target.rank_score), pair.edge.edge_id
