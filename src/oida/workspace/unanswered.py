"""Questions that the memory could not answer: raised once however they are worded, counted by who asked on which day, gone once answered.

Their words wait beside the memory, among the proposals, for those who may decide: nobody else learns that a thing was asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from oida.events.vocabulary import MACHINE
from oida.ingestion.relations.duplicates import normal_words
from oida.ingestion.relations.likeness import roots_of
from oida.model.access import Proposal, ProposalState
from oida.model.knowledge_object import KnowledgeObject
from oida.model.query import AgentContext
from oida.model.taxonomy import EpistemicClass
from oida.ports import Store

MOST_RAISED = 100
"""Questions that may wait at once; further ones are not taken until some are decided."""
MOST_COUNTED = 1_000
"""Askings that are counted for one question."""
FEWEST_WORDS = 2
"""Subject words that a question needs to be one that somebody could answer."""
LEAST_KNOWN = 0.5
"""Share of a question's subject words that what is served for it must hold between them; below it nothing was found."""
METHOD = "asked"


def found_nothing(question: str, context: AgentContext) -> bool:
    """Whether what a context serves speaks of less than half of what a question is about."""
    wanted = roots_of(question)
    shown = [line.knowledge_object for section in context.sections for line in section.lines if not section.always_included]
    shown += [side.knowledge_object for section in context.sections for pair in section.pairs for side in (pair.source, pair.target)]
    known = {root for each in shown for root in _words_of(each)} & wanted
    return len(wanted) >= FEWEST_WORDS and len(known) < LEAST_KNOWN * len(wanted)


def _words_of(found: KnowledgeObject) -> frozenset[str]:
    return roots_of(f"{found.text} {found.entity_name} {found.provenance.title}")


def note_asking(store: Store, question: str, *, unanswered: bool, asker: str, now: datetime) -> None:
    """Raise a question that found nothing, or count one more asking of it; one that is answered meanwhile waits no longer.

    An asking counts once for each principal and day, so that nobody can pump it up.
    """
    proposal_id = f"pr-ask-{_digest(_subject(question))}"
    known = store.proposals.find(proposal_id)
    waits = known is not None and known.state is ProposalState.WAITING
    if not unanswered:
        if waits and known is not None:
            store.proposals.put(replace(known, state=ProposalState.LAPSED, arguments={}, decided_by=MACHINE, decided_at=now))
        return
    if known is not None and known.state not in (ProposalState.WAITING, ProposalState.LAPSED):
        return
    asking = _digest(f"{asker} {now.date().isoformat()}")
    askings: list[str] = list(known.arguments["askings"]) if known is not None and waits else []
    if asking in askings or len(askings) >= MOST_COUNTED or (not waits and len(demanded(store.proposals.waiting())) >= MOST_RAISED):
        return
    text = str(known.arguments["text"]) if known is not None and waits else question
    store.proposals.put(
        Proposal(
            proposal_id=proposal_id,
            verb="record",
            arguments={"text": text, "class": EpistemicClass.QUESTION.value, "method": METHOD, "askings": [*askings, asking]},
            visible_to=frozenset(),
            proposed_by=MACHINE,
            proposed_at=known.proposed_at if known is not None and waits else now,
        )
    )


def demanded(proposals: Collection[Proposal]) -> list[tuple[Proposal, int]]:
    """The questions among what waits, each with how often it was asked, most demanded first."""
    asked = [(each, len(each.arguments["askings"])) for each in proposals if each.arguments.get("method") == METHOD]
    return sorted(asked, key=lambda pair: (-pair[1], pair[0].proposal_id))


def _subject(question: str) -> str:
    """What a question is about, however it is worded.

    >>> _subject("What is our parental leave policy?") == _subject("the parental-leave policy")
    False
    >>> _subject("What is our leave policy?") == _subject("our policy of leave, what is it")
    True
    """
    return " ".join(sorted(roots_of(question))) or normal_words(question)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
