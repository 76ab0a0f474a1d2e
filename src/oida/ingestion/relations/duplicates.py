"""Which objects say the same in other items: the earliest one stands for all (spec section 1)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from oida.ingestion.relations.relatable import RelatableObject
from oida.model.identifiers import ObjectId

FEWEST_WORDS = 4
"""Shorter statements ("same here", "it works") are alike without saying the same."""

_NOT_WORD = re.compile(r"[^\w%§]+")


def duplicates(objects: Iterable[RelatableObject]) -> list[tuple[ObjectId, ObjectId]]:
    """(object, representative) for each object whose class and words another item had said before, by object id.

    Equal means equal words: case, punctuation and space are no matter. The representative is the earliest by (said at, item id).
    """
    groups: dict[tuple[str, str], list[RelatableObject]] = {}
    for found in objects:
        words = normal_words(found.text)
        if words.count(" ") + 1 >= FEWEST_WORDS:
            groups.setdefault((found.epistemic_class.value, words), []).append(found)
    pairs = []
    for group in groups.values():
        first, *rest = sorted(group, key=lambda found: found.order)
        pairs += [(found.object_id, first.object_id) for found in rest if found.item_id != first.item_id]
    return sorted(pairs)


def normal_words(text: str) -> str:
    """A text's words, folded, with single spaces.

    >>> normal_words("Two loaders — from 1 June!")
    'two loaders from 1 june'
    """
    return _NOT_WORD.sub(" ", text.casefold()).strip()
