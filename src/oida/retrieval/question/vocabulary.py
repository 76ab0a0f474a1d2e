"""Which of the store's own names a question uses: entities, domains, people, whole, in part or misspelt.

Built once from plain data; a question costs about a millisecond at 20,000 names. Next: `understand`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_COMBINING = re.compile("[\u0300-\u036f]")

SMALLEST_SHARE = 0.5
COMMON_TO_NAMES = 0.05
SHORTEST_MISSPELT = 5
TWO_SLIPS_FROM = 9

GENERIC = frozenset(
    """
    a an and are as at be been by can could did do does for from had has have how i if in is it its may me might more most must no not of
    off on one or our out over shall should so some than that the their them then there these they this those to under up us was we were
    what when where which who whom whose why will with would you your about all any new old now
    """.split()  # noqa: SIM905 - a table of words reads as a table.
)


def folded_words(text: str) -> list[str]:
    """Words in lower case without diacritics and plural s, in order.

    >>> folded_words("The Ålesund depots' plan")
    ['the', 'alesund', 'depot', 'plan']
    """
    plain = _COMBINING.sub("", unicodedata.normalize("NFD", text.casefold()))
    return [_singular(word) for word in _WORD.findall(unicodedata.normalize("NFC", plain)) if word != "s"]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name that a question uses; `share` in (0, 1] of the name's weight stands in the question, from word `position` on."""

    name: str
    target: str
    share: float
    weight: float
    position: int
    misspelt: bool


class NameIndex:
    """Names and aliases with what they stand for, found by their words.

    A name matches when at least half of its weight is in the question, a word weighing more the fewer names have it, and one of
    those words tells the name from most others.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names: list[tuple[str, str, frozenset[str]]] = []
        self._by_word: dict[str, list[int]] = {}
        for name in sorted(names):
            words = frozenset(folded_words(name))
            for word in words:
                self._by_word.setdefault(word, []).append(len(self._names))
            self._names.append((name, names[name], words))
        self._by_shape: dict[tuple[str, int], list[str]] = {}
        for word in self._by_word:
            self._by_shape.setdefault((word[0], len(word)), []).append(word)

    def matches(self, words: Sequence[str], *, known: frozenset[str] = frozenset()) -> list[NameMatch]:
        """The names that `words` use, best first; a word in `known` is never taken for a misspelling."""
        used: dict[str, tuple[int, bool]] = {}
        for position, word in enumerate(words):
            for meant in self._meant(word, known):
                used.setdefault(meant, (position, meant != word))
        touched = Counter(at for word in used if self._tells(word) for at in self._by_word[word])
        found = (self._match(at, used) for at in touched)
        return sorted(
            (match for match in found if match.share >= SMALLEST_SHARE),
            key=lambda match: (-match.share * match.weight, match.position, match.name),
        )

    def _meant(self, word: str, known: frozenset[str]) -> list[str]:
        if word in self._by_word:
            return [word]
        if word in known or word in GENERIC or len(word) < SHORTEST_MISSPELT or not word.isalpha():
            return []
        slips = 2 if len(word) >= TWO_SLIPS_FROM else 1
        lengths = range(len(word) - slips, len(word) + slips + 1)
        alike = [other for length in lengths for other in self._by_shape.get((word[0], length), ()) if len(other) > 3]
        scored = sorted((distance(word, other, limit=slips), other) for other in alike)
        return [other for slipped, other in scored if slipped <= slips and slipped == scored[0][0]]

    def _tells(self, word: str) -> bool:
        return word not in GENERIC and len(self._by_word[word]) <= max(2.0, COMMON_TO_NAMES * len(self._names))

    def _match(self, at: int, used: Mapping[str, tuple[int, bool]]) -> NameMatch:
        name, target, words = self._names[at]
        shared = words & used.keys()
        weight = sum(self._weight(word) for word in sorted(shared))
        whole = sum(self._weight(word) for word in sorted(words))
        position = min(used[word][0] for word in shared)
        return NameMatch(name, target, weight / whole, weight, position, any(used[word][1] for word in shared))

    def _weight(self, word: str) -> float:
        return 0.1 if word in GENERIC else math.log1p(len(self._names) / len(self._by_word[word]))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The store's own names; `known_words` are words of its texts, which are not misspellings of a name."""

    entities: NameIndex
    domains: NameIndex
    people: NameIndex
    known_words: frozenset[str] = frozenset()


def vocabulary_of(
    *,
    entities: Mapping[str, str],
    domains: Mapping[str, str],
    people: Mapping[str, str],
    known_words: Iterable[str] = (),
) -> Vocabulary:
    """Index names and aliases, each with the id or domain that it stands for."""
    known = frozenset(word for text in known_words for word in folded_words(text))
    return Vocabulary(NameIndex(entities), NameIndex(domains), NameIndex(people), known)


def distance(one: str, other: str, *, limit: int) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours from one word to another; limit + 1 when it is more.

    >>> distance("brimslat", "brimsalt", limit=2), distance("moss", "boston", limit=1)
    (1, 2)
    """
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    current = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        before, previous, current = current, before, [at]
        for place, wanted in enumerate(other, start=1):
            least = min(before[place] + 1, current[place - 1] + 1, before[place - 1] + (letter != wanted))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == wanted:
                least = min(least, previous[place - 2] + 1)
            current.append(least)
        if min(current) > limit:
            return limit + 1
    return min(current[-1], limit + 1)
