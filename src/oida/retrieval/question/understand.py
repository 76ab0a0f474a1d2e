"""A question in words to a `Query`: entity, domain, class, time, intent, anchors and ids, found without any model.

Everything comes from the store's own vocabulary and tables of cues, so the same question is always understood alike. Next: `rank`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from oida.model.identifiers import ObjectId
from oida.model.query import Query
from oida.retrieval.question.intent import class_asked_for, intent_of
from oida.retrieval.question.moments import TimeHint, time_hint
from oida.retrieval.question.vocabulary import NameMatch, Vocabulary, folded_words

LONGEST_QUESTION = 4000

_OBJECT_ID = re.compile(r"\bko-[a-z2-7]{16}\b")
_SAID_BY = re.compile(r"\b(said|says|say|wrote|writes|write|think|thinks|thought|claims?|claimed|according to|by|opinion|view)\b")


@dataclass(frozen=True, slots=True)
class Understanding:
    """The query, and what it was read from: every name that matched, best first, and what the question says of time."""

    query: Query
    time: TimeHint
    entities: tuple[NameMatch, ...]
    domains: tuple[NameMatch, ...]
    people: tuple[NameMatch, ...]


def understand(
    text: str,
    vocabulary: Vocabulary,
    *,
    moment: datetime,
    budget_tokens: int,
    anchors_of: Callable[[str], frozenset[str]],
    domain_of: Callable[[str], str | None] = lambda _: None,
) -> Understanding:
    """What a question asks for; `anchors_of` must be the function that gave the objects their anchors.

    `domain_of` is asked when no domain of the vocabulary is named. A person is taken for the author only where the question speaks of
    saying or thinking; only the first 4,000 characters are read.
    """
    read = text[:LONGEST_QUESTION]
    words = folded_words(read)
    entities = vocabulary.entities.matches(words, known=vocabulary.known_words)
    domains = vocabulary.domains.matches(words, known=vocabulary.known_words)
    people = vocabulary.people.matches(words, known=vocabulary.known_words)
    hint = time_hint(read, moment)
    query = Query(
        text=text,
        moment=moment,
        budget_tokens=budget_tokens,
        entity=entities[0].target if entities else None,
        domain=domains[0].target if domains else domain_of(read),
        epistemic_class=class_asked_for(read),
        epoch=hint.epoch,
        author=people[0].target if people and _SAID_BY.search(read.casefold()) else None,
        anchors=anchors_of(read),
        anchor_objects=tuple(ObjectId(found) for found in dict.fromkeys(_OBJECT_ID.findall(read.casefold()))),
        intent=intent_of(read),
    )
    return Understanding(query, hint, tuple(entities), tuple(domains), tuple(people))
