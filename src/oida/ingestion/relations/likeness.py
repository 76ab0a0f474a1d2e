"""How much two objects speak of the same thing, and which earlier ones come into question: rare shared words, and vectors if given.

One index for a whole set; what is looked at for one object is bounded, so that the cost is linear in the set.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from oida.ingestion.anchors import codes_of
from oida.ingestion.relations.relatable import Corpus, RelatableObject
from oida.ingestion.words import content_words
from oida.model.taxonomy import EpistemicClass

WORD_SHARE = 0.5
"""Share of words in likeness when vectors are there; the rest is cosine."""
WORDS_ALONE = 1.4
"""What shared words count without vectors, so that the same thresholds serve: cosines run higher than shares of words."""
SAME_CONTAINER = 0.1
SAME_ENTITY = 0.1
MOST_HOLDERS = 200
"""Latest earlier objects that are looked at for one shared word."""
ENOUGH_CANDIDATES = 400
"""Candidates after which commoner words call no more."""

_ROOT_LENGTH = 7


def roots_of(text: str) -> frozenset[str]:
    """The subject words of a text cut to their first letters, so that kindred words meet, and its codes.

    >>> sorted(roots_of("Cockroach, the CockroachDB of ADR-011"))
    ['adr-11', 'cockroa']
    """
    return frozenset(word[:_ROOT_LENGTH] for word in content_words(text) if word.replace("-", "").isalpha()) | frozenset(codes_of(text))


class Likeness:
    """Compares the objects of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._position = {found.object_id: number for number, found in enumerate(corpus.objects)}
        self._roots = {found.object_id: roots_of(found.text) for found in corpus.objects}
        holders: dict[str, list[int]] = {}
        for number, found in enumerate(corpus.objects):
            for root in sorted(self._roots[found.object_id]):
                holders.setdefault(root, []).append(number)
        self._holders = holders
        count = len(corpus.objects)
        self._rarity = {root: round(math.log(1.0 + count / len(held)), 9) for root, held in holders.items()}
        self._mass = {identity: self._weight(roots) for identity, roots in self._roots.items()}
        self._masses = np.array([self._mass[found.object_id] for found in corpus.objects])

    def between(self, a: RelatableObject, b: RelatableObject) -> float:
        """In [0, 1.2]: half shared words by rarity, half cosine, plus container and entity if the same; see WORDS_ALONE without vectors."""
        words = self.in_words(a, b)
        if a.vector is None or b.vector is None:
            alike = min(1.0, WORDS_ALONE * words)
        else:
            cosine = round(float(a.vector @ b.vector), 4)
            alike = WORD_SHARE * words + (1.0 - WORD_SHARE) * max(0.0, cosine)
        return alike + SAME_CONTAINER * self._same_container(a, b) + SAME_ENTITY * (a.entity == b.entity != "")

    def most_alike(
        self,
        newer: RelatableObject,
        classes: Collection[EpistemicClass],
        *,
        naming: frozenset[str] = frozenset(),
        accept: Callable[[RelatableObject], bool] = lambda _: True,
    ) -> tuple[float, RelatableObject] | None:
        """The earlier object of one of some classes that speaks most of the same thing, with its likeness; None if none shares a word.

        With `naming` it must hold one of those roots.
        """
        scored = [
            (self.between(newer, older), older)
            for older in self.earlier(newer)
            if older.epistemic_class in classes and (not naming or self._names(older, naming)) and accept(older)
        ]
        return min(scored, key=lambda pair: (-pair[0], pair[1].order), default=None)

    def in_words(self, a: RelatableObject, b: RelatableObject) -> float:
        """Rarity of shared roots over the geometric mean of both sides' rarity, in [0, 1]."""
        shared = self._weight(self._roots[a.object_id] & self._roots[b.object_id])
        mass = self._mass[a.object_id] * self._mass[b.object_id]
        return shared / math.sqrt(mass) if mass > 0.0 else 0.0

    def _names(self, found: RelatableObject, roots: frozenset[str]) -> bool:
        """Whether an object holds one of some roots."""
        return not roots.isdisjoint(self._roots[found.object_id])

    def earlier(self, found: RelatableObject) -> Iterator[RelatableObject]:
        """Objects said before that share a word, those of rare words first called; each once, in order of time."""
        mine = self._position[found.object_id]
        near: set[int] = set()
        for root in sorted(self._roots[found.object_id], key=lambda root: (-self._rarity[root], root)):
            if len(near) >= ENOUGH_CANDIDATES:
                break
            near.update(_latest_before(self._holders[root], mine))
        return (self._corpus.objects[number] for number in sorted(near))

    def words_shared_before(self, found: RelatableObject) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Numbers in the corpus of the earlier objects that share a word, ascending, and `in_words` with each of them."""
        mine = self._position[found.object_id]
        roots = sorted(self._roots[found.object_id], key=lambda root: (-self._rarity[root], root))
        shared = np.zeros(mine)
        calling = True
        for root in roots:
            numbers = np.array(_latest_before(self._holders[root], mine), np.int64)
            if calling:
                shared[numbers] += self._rarity[root]
            else:
                shared[numbers[shared[numbers] > 0.0]] += self._rarity[root]
            calling = calling and int(np.count_nonzero(shared)) < ENOUGH_CANDIDATES
        near = np.flatnonzero(shared).astype(np.int64)
        masses = self._masses[near]
        return near, np.round(shared[near] / np.sqrt(self._mass[found.object_id] * masses), 9) if len(near) else shared[near]

    def _same_container(self, a: RelatableObject, b: RelatableObject) -> bool:
        one, other = self._corpus.items.get(a.item_id), self._corpus.items.get(b.item_id)
        return bool(one and other and one.container and (one.source_id, one.container) == (other.source_id, other.container))

    def _weight(self, roots: Iterable[str]) -> float:
        return math.fsum(self._rarity[root] for root in roots)


def _latest_before(numbers: Sequence[int], mine: int) -> Sequence[int]:
    stop = bisect_left(numbers, mine)
    return numbers[max(0, stop - MOST_HOLDERS) : stop]
