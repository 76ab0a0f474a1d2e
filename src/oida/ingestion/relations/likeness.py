"""How much two objects speak of the same thing, and which earlier ones come into question: rare shared words, place, and vectors if given.

One index for a whole set; what is looked at for one object is bounded, so that the cost is linear in the set.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

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
COMMONEST_WORD = 400
"""Objects that hold a word; a commoner one calls no candidates (it still counts in likeness)."""
MOST_NEIGHBOURS = 400
"""Latest earlier objects of the same container or entity that are looked at."""

_ROOT_LENGTH = 7


def roots_of(text: str) -> frozenset[str]:
    """The subject words of a text cut to their first letters, so that kindred words meet, and its codes.

    >>> sorted(roots_of("Cockroach, the CockroachDB of ADR-011"))
    ['adr-011', 'cockroa']
    """
    return frozenset(word[:_ROOT_LENGTH] for word in content_words(text)) | frozenset(codes_of(text))


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
        self._places: dict[tuple[str, str], list[int]] = {}
        for number, found in enumerate(corpus.objects):
            for place in self._places_of(found):
                self._places.setdefault(place, []).append(number)

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
        self, newer: RelatableObject, classes: Collection[EpistemicClass], *, accept: Callable[[RelatableObject], bool] = lambda _: True
    ) -> tuple[float, RelatableObject] | None:
        """The earlier object of one of some classes that speaks most of the same thing, with its likeness; None if none shares a word."""
        scored = [
            (self.between(newer, older), older)
            for older in self.earlier(newer)
            if older.epistemic_class in classes and self.shared_roots(newer, older) and accept(older)
        ]
        return min(scored, key=lambda pair: (-pair[0], pair[1].order), default=None)

    def in_words(self, a: RelatableObject, b: RelatableObject) -> float:
        """Rarity of shared roots over the geometric mean of both sides' rarity, in [0, 1]."""
        shared = self._weight(self._roots[a.object_id] & self._roots[b.object_id])
        mass = self._mass[a.object_id] * self._mass[b.object_id]
        return shared / math.sqrt(mass) if mass > 0.0 else 0.0

    def shared_roots(self, a: RelatableObject, b: RelatableObject) -> frozenset[str]:
        """The roots that both hold."""
        return self._roots[a.object_id] & self._roots[b.object_id]

    def earlier(self, found: RelatableObject) -> Iterator[RelatableObject]:
        """Objects said before that share a word that is not too common, or the place; each once, in order of time."""
        mine = self._position[found.object_id]
        near: set[int] = set()
        for root in sorted(self._roots[found.object_id]):
            if len(self._holders[root]) <= COMMONEST_WORD:
                near.update(number for number in self._holders[root] if number < mine)
        for place in self._places_of(found):
            near.update(_latest_before(self._places[place], mine))
        return (self._corpus.objects[number] for number in sorted(near))

    def _places_of(self, found: RelatableObject) -> Sequence[tuple[str, str]]:
        facts = self._corpus.items.get(found.item_id)
        container = [(facts.source_id, facts.container)] if facts and facts.container else []
        return [*container, *([("entity", found.entity)] if found.entity else [])]

    def _same_container(self, a: RelatableObject, b: RelatableObject) -> bool:
        one, other = self._corpus.items.get(a.item_id), self._corpus.items.get(b.item_id)
        return bool(one and other and one.container and (one.source_id, one.container) == (other.source_id, other.container))

    def _weight(self, roots: Iterable[str]) -> float:
        return math.fsum(self._rarity[root] for root in roots)


def _latest_before(numbers: Sequence[int], mine: int) -> Iterator[int]:
    stop = bisect_left(numbers, mine)
    return iter(numbers[max(0, stop - MOST_NEIGHBOURS) : stop])
