"""Which pairs of statements may be at odds although no words say so: for a person or a language model to judge, never for an edge.

A finding is weighed against the hypothesis nearest to it, a judgement against the nearest decision, a plan against the nearest constraint.
What is looked at for one object is bounded, so that the cost is linear; what is proposed is bounded by the size of the whole.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from oida.ingestion.guard import Verdict, disputes, judge_pair, read_said
from oida.ingestion.relations.cues import Stance, denies, doubts, stance_of, withdraws
from oida.ingestion.relations.likeness import Likeness
from oida.ingestion.relations.relatable import Corpus, RelatableObject
from oida.ingestion.relations.replies import threads
from oida.model.classification import ProposedEdge
from oida.model.edge import EdgeType
from oida.model.identifiers import ItemId, ObjectId
from oida.model.source import BlockKind
from oida.model.taxonomy import EpistemicClass as Class

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Vectors = Mapping[ObjectId, npt.NDArray[np.float32]]

METHOD = "cue:tension"
NEAREST_OF_A_CLASS = 2
"""Earlier statements of each class that one statement is compared with."""
ASKED_OF_A_CLASS = 3
"""As many where a language model judges: it finds what lies further off, and pays for it."""
LATEST_OF_A_THREAD, FIRST_OF_A_THREAD = 6, 2
"""Earlier statements of its own thread that it is compared with besides."""
PROPOSED_PER_HUNDRED = 22
"""Most proposals for a hundred objects: what a person can go through."""
PROPOSED_FROM = 0.35
"""Tension from which a pair is proposed at all."""
GUARDED_PER_PROPOSAL = 2
"""Pairs that the guard looks at for each one that may be proposed."""

NEAREST, SAME_ENTITY, IN_ONE_THREAD, DISPUTES = 0.1, 0.1, 0.1, 0.05
"""What each sign adds to likeness: each side the other's nearest, one entity, two people in one thread, words of dispute."""
OF_VERDICT = {
    Verdict.CONTRADICTION: 0.1,
    Verdict.DIFFERENT_SCOPE: -0.03,
    Verdict.EVOLUTION: -0.1,
    Verdict.SUPERSESSION: -0.2,
    Verdict.DUPLICATE: -0.3,
}
"""What the guard's verdict adds: it is right too seldom to rule a pair out before a person has seen it."""

_FINDINGS = (Class.EVIDENCE, Class.OBSERVATION)
COMPARABLE = frozenset(Class) - {Class.QUESTION, Class.NARRATIVE}
"""Classes that can be at odds with something."""
CLASHES = frozenset(
    {
        *((newer, Class.HYPOTHESIS) for newer in (*_FINDINGS, Class.EVALUATION, Class.HYPOTHESIS, Class.CONSTRAINT)),
        *((Class.EVALUATION, older) for older in (Class.DECISION, Class.PLAN, *_FINDINGS, Class.EVALUATION)),
        *((Class.EVIDENCE, older) for older in (*_FINDINGS, Class.EVALUATION, Class.DECISION)),
        (Class.OBSERVATION, Class.EVIDENCE),
        (Class.PLAN, Class.CONSTRAINT),
        (Class.DECISION, Class.CONSTRAINT),
        (Class.PLAN, Class.PLAN),
    }
)
"""(later, earlier): a finding tests a hypothesis or another finding, a judgement meets a choice, a commitment meets a boundary."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A later and an earlier statement worth comparing; `likeness` in [0, 1], `tension` what it adds up to with every other sign."""

    newer: RelatableObject
    older: RelatableObject
    likeness: float
    tension: float


def candidates(
    corpus: Corpus,
    likeness: Likeness,
    vectors: Vectors,
    *,
    nearest: int = NEAREST_OF_A_CLASS,
    wanted: Callable[[RelatableObject, RelatableObject], bool] = lambda newer, older: True,
) -> list[Candidate]:
    """For each statement the `nearest` earlier ones of each class and those of its thread, in the corpus's order; see COMPARABLE.

    Those that are not `wanted` count in what is nearest, and are left out.
    """
    thread_of = _threads(corpus)
    comparison = _Comparison(corpus, likeness, vectors, thread_of)
    found = [each for number in range(len(corpus.objects)) for each in comparison.of(number, nearest)]
    mutual = _mutuality(found, corpus)
    return [
        Candidate(newer, older, alike, round(alike + NEAREST * near + _signs(newer, older, thread_of), 6))
        for (newer_at, older_at, alike), near in zip(found, mutual, strict=True)
        for newer, older in ((corpus.objects[newer_at], corpus.objects[older_at]),)
        if wanted(newer, older)
    ]


def tensions(corpus: Corpus, likeness: Likeness, vectors: Vectors) -> list[ProposedEdge]:
    """CONTRADICTS from the later to the earlier of the pairs most in tension, for a person to judge; the tensest first.

    At most PROPOSED_PER_HUNDRED for a hundred objects. Confidence is the share of such pairs that contradicted each other on an annotated
    organisation, about one in ten.
    """
    most = math.ceil(PROPOSED_PER_HUNDRED * len(corpus.objects) / 100)
    clashing = candidates(corpus, likeness, vectors, wanted=_clash)
    likely = sorted(clashing, key=_tensest)[: GUARDED_PER_PROPOSAL * most]
    judged = [each for each in _judged(likely) if each.tension >= PROPOSED_FROM]
    return [
        ProposedEdge(
            each.newer.object_id,
            EdgeType.CONTRADICTS,
            each.older.object_id,
            round(min(0.25, max(0.03, 0.25 * (each.tension - 0.2))), 3),
            METHOD,
            f"{each.newer.epistemic_class.value} near {each.older.epistemic_class.value}",
        )
        for each in sorted(judged, key=_tensest)[:most]
    ]


def _judged(likely: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with what their words add: those of dispute, and the guard's verdict."""
    objects = {each.object_id: each for pair in likely for each in (pair.newer, pair.older)}
    said = {found: read_said(each.text, each.said_at.date(), each.author) for found, each in objects.items()}
    disputing = {pair.newer.object_id: _disputes(pair.newer.text) for pair in likely}
    return [
        replace(
            pair,
            tension=round(
                pair.tension
                + DISPUTES * disputing[pair.newer.object_id]
                + OF_VERDICT.get(judge_pair(said[pair.newer.object_id], said[pair.older.object_id]).verdict, 0.0),
                6,
            ),
        )
        for pair in likely
    ]


def _tensest(each: Candidate) -> tuple[float, tuple[object, ...], tuple[object, ...]]:
    return (-each.tension, each.newer.order, each.older.order)


def _is_comparable(found: RelatableObject) -> bool:
    """Whether a statement can be at odds with one: rows of a table differ in what they are about, not in what they say of it."""
    return found.epistemic_class in COMPARABLE and found.kind is not BlockKind.TABLE_ROW


def may_clash(each: Candidate) -> bool:
    """Whether the classes of a pair are of those in CLASHES."""
    return _clash(each.newer, each.older)


def _clash(newer: RelatableObject, older: RelatableObject) -> bool:
    return (newer.epistemic_class, older.epistemic_class) in CLASHES


class _Comparison:
    """A corpus by number: whose vectors, classes and threads one statement is compared with."""

    def __init__(self, corpus: Corpus, likeness: Likeness, vectors: Vectors, thread_of: Mapping[ItemId, ItemId]) -> None:
        self._corpus = corpus
        self._likeness = likeness
        width = len(next(iter(vectors.values()))) if vectors else 1
        blank = np.zeros(width, np.float32)
        self._matrix = np.array([vectors.get(each.object_id, blank) for each in corpus.objects], np.float64).reshape(-1, width)
        kinds = list(Class)
        self._class = np.array([kinds.index(each.epistemic_class) if _is_comparable(each) else -1 for each in corpus.objects], np.int64)
        self._thread_of = thread_of
        self._in_thread: dict[ItemId, list[int]] = {}

    def of(self, number: int, nearest: int) -> list[tuple[int, int, float]]:
        """(number, earlier, likeness) for the earlier statements that one is compared with; to be asked in ascending order."""
        item = self._corpus.objects[number].item_id
        thread = self._in_thread.setdefault(self._thread_of.get(item, item), [])
        wanted = np.array(sorted({*thread[:FIRST_OF_A_THREAD], *thread[-LATEST_OF_A_THREAD:]}), np.int64)
        thread.append(number)
        if self._class[number] < 0:
            return []
        numbers, words = self._likeness.words_shared_before(self._corpus.objects[number])
        unlike = wanted[~np.isin(wanted, numbers, assume_unique=True)]
        numbers, words = np.concatenate([numbers, unlike]), np.concatenate([words, np.zeros(len(unlike))])
        comparable = self._class[numbers] >= 0
        numbers, words = numbers[comparable], words[comparable]
        alike = np.round(0.5 * words + 0.5 * np.maximum(0.0, np.round(self._matrix[numbers] @ self._matrix[number], 6)), 6)
        chosen = set(np.flatnonzero(np.isin(numbers, wanted)).tolist())
        taken: Counter[int] = Counter()
        order = np.lexsort((numbers, -alike))
        for place, kind in zip(order.tolist(), self._class[numbers[order]].tolist(), strict=True):
            taken[kind] += 1
            if taken[kind] <= nearest:
                chosen.add(place)
        return [(number, int(numbers[place]), float(alike[place])) for place in sorted(chosen)]


def _mutuality(found: Sequence[tuple[int, int, float]], corpus: Corpus) -> list[float]:
    """In (0, 1]: 1 where each is the nearest of its class to the other, less the more of them are nearer."""
    forward = _ranks(found, lambda each: (each[0], corpus.objects[each[1]].epistemic_class))
    backward = _ranks(found, lambda each: (each[1], corpus.objects[each[0]].epistemic_class))
    return [1.0 / math.sqrt((1.0 + ahead) * (1.0 + behind)) for ahead, behind in zip(forward, backward, strict=True)]


def _ranks(found: Sequence[tuple[int, int, float]], key: Callable[[tuple[int, int, float]], tuple[int, Class]]) -> list[int]:
    groups: dict[tuple[int, Class], list[int]] = {}
    for place in sorted(range(len(found)), key=lambda place: (-found[place][2], found[place])):
        groups.setdefault(key(found[place]), []).append(place)
    ranks = [0] * len(found)
    for group in groups.values():
        for rank, place in enumerate(group):
            ranks[place] = rank
    return ranks


def _signs(newer: RelatableObject, older: RelatableObject, thread_of: Mapping[ItemId, ItemId]) -> float:
    one_thread = thread_of.get(newer.item_id, newer.item_id) == thread_of.get(older.item_id, older.item_id)
    two_people = not newer.author or newer.author != older.author
    return SAME_ENTITY * (newer.entity == older.entity != "") + IN_ONE_THREAD * (one_thread and two_people)


def _disputes(text: str) -> bool:
    return bool(denies(text) or doubts(text) or withdraws(text) or disputes(text)) or stance_of(text)[0] is Stance.DISAGREES


def _threads(corpus: Corpus) -> Mapping[ItemId, ItemId]:
    """The root of each item that takes part in a thread."""
    return {facts.item_id: root.item_id for root, replies in threads(corpus) for facts in (root, *replies)}


def comparable_pairs(corpus: Corpus, likeness: Likeness, vectors: Vectors, *, related: Collection[frozenset[ObjectId]]) -> list[Candidate]:
    """The candidates that nothing relates yet, as a language model is asked about them."""
    found = candidates(corpus, likeness, vectors, nearest=ASKED_OF_A_CLASS)
    return [each for each in found if frozenset((each.newer.object_id, each.older.object_id)) not in related]
