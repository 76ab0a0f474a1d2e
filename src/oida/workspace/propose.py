"""Proposals: what somebody without the right to write would have said, kept beside the memory until a reviewer decides.

Nothing of a proposal is in the memory: no object, no edge, no weight, no hit. Accepting one calls its verb in the reviewer's name, with the
proposer as the author of the words; rejecting one leaves only that it was. Either way its text is erased from the queue.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from oida.events.state import EdgeRecord
from oida.model.access import Proposal, ProposalState
from oida.model.edge import EdgeType
from oida.model.errors import ConflictError, InputError, NotFoundError
from oida.model.identifiers import EdgeId, ObjectId
from oida.model.source import EVERYONE
from oida.model.taxonomy import EpistemicClass
from oida.ports import Store
from oida.workspace.correct import Correction, Corrections
from oida.workspace.principal import Principal
from oida.workspace.say import words_of

MOST_WAITING = 200
"""How many proposals of one principal may wait at once."""

_Verb = Callable[[Corrections, Mapping[str, Any]], Correction]


def _record(corrections: Corrections, arguments: Mapping[str, Any]) -> Correction:
    return corrections.record(
        arguments["text"],
        EpistemicClass(arguments["class"]),
        entity=arguments.get("entity"),
        domain=arguments.get("domain"),
        visible_to=frozenset(arguments.get("visible_to", ())),
        relations=[(EdgeType(edge_type), target) for edge_type, target in arguments.get("relations", ())],
    )


_VERBS: Mapping[str, _Verb] = {
    "record": _record,
    "resolve": lambda corrections, given: corrections.resolve(given["question"], by=given.get("by"), text=given.get("text")),
    "supersede": lambda corrections, given: corrections.supersede(given["old"], by=given.get("by"), text=given.get("text")),
    "relate": lambda corrections, given: corrections.relate(given["source"], EdgeType(given["type"]), given["target"]),
}

_SUBJECTS = {"record": (), "resolve": ("question", "by"), "supersede": ("old", "by"), "relate": ("source", "target")}


class Reviewing:
    """The proposals of a base as one principal may handle them."""

    def __init__(self, store: Store, *, principal: Principal, now: datetime) -> None:
        self._store = store
        self._principal = principal
        self._now = now

    def propose(self, verb: str, arguments: Mapping[str, Any]) -> Proposal:
        """Let a verb wait for a reviewer; raises InputError or NotFoundError for one that could never be carried out."""
        if verb not in _VERBS:
            raise InputError(f"expected one of {', '.join(_VERBS)}, found {verb!r}")
        given = {name: value for name, value in arguments.items() if value not in (None, "", [], ())}
        if "text" in given:
            given["text"] = words_of(given["text"])
        if verb == "record" and not {"text", "class"} <= given.keys():
            raise InputError("expected a text and its class")
        targets = self._targets(verb, given)
        if self._store.proposals.count_waiting(self._principal.name) >= MOST_WAITING:
            raise ConflictError(f"{MOST_WAITING} proposals of {self._principal.name} wait already; a reviewer must decide some first")
        proposal = Proposal(
            proposal_id=f"pr-{secrets.token_hex(8)}",
            verb=verb,
            arguments=given,
            visible_to=self._audience(given, targets),
            proposed_by=self._principal.name,
            proposed_at=self._now,
        )
        self._store.proposals.put(proposal)
        return proposal

    def waiting(self) -> list[Proposal]:
        """What waits, oldest first, of what the principal may see."""
        return [proposal for proposal in self._store.proposals.waiting() if self._may_see(proposal)]

    def edge(self, found: str) -> EdgeRecord | None:
        """The edge of that id, whoever may see it."""
        return self._store.projections.edge_record(EdgeId(found))

    def accept(self, proposal_id: str, corrections: Callable[[str], Corrections]) -> tuple[Proposal, Correction]:
        """Carry a proposal out in the reviewer's name; `corrections` gives them for an author."""
        proposal = self._waiting(proposal_id)
        with self._store.transaction():
            done = _VERBS[proposal.verb](corrections(proposal.proposed_by), proposal.arguments)
            decided = self._decide(proposal, ProposalState.ACCEPTED, outcome=done.added or done.subject)
        return decided, done

    def reject(self, proposal_id: str) -> Proposal:
        """Decide that nothing comes of a proposal."""
        return self._decide(self._waiting(proposal_id), ProposalState.REJECTED, outcome="")

    def _decide(self, proposal: Proposal, state: ProposalState, *, outcome: str) -> Proposal:
        decided = replace(proposal, state=state, arguments={}, decided_by=self._principal.name, decided_at=self._now, outcome=outcome)
        self._store.proposals.put(decided)
        return decided

    def _waiting(self, proposal_id: str) -> Proposal:
        proposal = self._store.proposals.find(proposal_id)
        if proposal is None or not self._may_see(proposal):
            raise NotFoundError(f"expected the id of a proposal, found nothing under {proposal_id!r}")
        if proposal.state is not ProposalState.WAITING:
            raise ConflictError(f"{proposal_id} was {proposal.state} already by {proposal.decided_by}")
        return proposal

    def _may_see(self, proposal: Proposal) -> bool:
        return self._principal.may_see(proposal.visible_to) and all(
            self._is_seen(target) for target in _named(proposal.verb, proposal.arguments)
        )

    def _targets(self, verb: str, arguments: Mapping[str, Any]) -> list[str]:
        named = _named(verb, arguments)
        for found in named:
            if not self._is_seen(found):
                raise NotFoundError(f"expected the id of an object, found nothing under {found!r}")
        return named

    def _is_seen(self, found: str) -> bool:
        stored = self._store.projections.object_record(ObjectId(found))
        return stored is not None and self._principal.may_see(stored.visibility)

    def _audience(self, arguments: Mapping[str, Any], targets: list[str]) -> frozenset[str]:
        wanted = frozenset(arguments.get("visible_to", ()))
        if wanted and self._principal.groups is not None and not wanted <= self._principal.groups:
            raise InputError(
                f"expected groups that {self._principal.name} is in, found {', '.join(sorted(wanted - self._principal.groups))}"
            )
        if wanted or not targets:
            return wanted or frozenset({EVERYONE})
        first = self._store.projections.object_record(ObjectId(targets[0]))
        assert first is not None
        return frozenset(first.visibility)


def _named(verb: str, arguments: Mapping[str, Any]) -> list[str]:
    """The ids of objects that a verb speaks of."""
    named = [arguments[name] for name in _SUBJECTS[verb] if arguments.get(name)]
    return named + [target for _, target in arguments.get("relations", ())]
