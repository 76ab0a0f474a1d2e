"""What people say about the memory: each correction is events with the person's name, and nothing is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from oida.events.project import own_status
from oida.events.state import ObjectRecord
from oida.events.vocabulary import (
    EdgeAsserted,
    EdgeRetracted,
    Event,
    ObjectConfirmed,
    StatusDeclared,
)
from oida.model.edge import EdgeType
from oida.model.errors import ConflictError, InputError, NotFoundError
from oida.model.identifiers import EdgeId, ObjectId, edge_id
from oida.model.knowledge_object import Status
from oida.model.source import EVERYONE
from oida.model.taxonomy import EpistemicClass
from oida.ports import Embedder, Store
from oida.workspace.principal import Principal
from oida.workspace.record import record
from oida.workspace.say import PERSON, Place, Speaker, place_of, say, words_of
from oida.workspace.undo import inverse

_ENDS_NOTHING = (Status.RETRACTED, Status.WITHDRAWN, Status.ABANDONED, Status.REDACTED)
"""An object of such a status of its own can neither answer nor take the place of another."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a correction did: the object it is about, the one it added (if any), and how many events it took.

    `position` is where its last event stands in the ledger: what `undo` takes back; 0 where nothing was recorded.
    """

    subject: ObjectId
    added: ObjectId | None
    events: int
    position: int = 0


class Corrections:
    """The corrections of one principal at one moment; every one of them is a transaction.

    `author` is whose words are recorded where a reviewer accepts what somebody else proposed.
    """

    def __init__(
        self, store: Store, *, principal: Principal, embedder: Callable[[], Embedder], now: datetime, author: str | None = None
    ) -> None:
        self._store = store
        self._principal = principal
        self._embedder = embedder
        self._now = now
        self._name = principal.recorded_as
        self._author = author or principal.name

    def record(
        self,
        text: str,
        epistemic_class: EpistemicClass,
        *,
        entity: str | None = None,
        domain: str | None = None,
        visible_to: frozenset[str] = frozenset(),
        relations: Sequence[tuple[EdgeType, str]] = (),
    ) -> Correction:
        """A statement in the person's words, with what it does to objects that are here.

        Without `visible_to` it is seen by those who see the first object that it acts on, else by everyone.
        """
        words = words_of(text)
        targets = [(edge_type, self._seen(target)) for edge_type, target in relations]
        visibility = self._own_groups(visible_to) or (frozenset(targets[0][1].visibility) if targets else frozenset({EVERYONE}))
        place = place_of(words, entity=entity, domain=domain, visibility=visibility, now=self._now)
        with self._store.transaction():
            found, events = self._say_at(words, epistemic_class, place)
            for edge_type, target in targets:
                events += self._edge(found, edge_type, target.object_id)
        return Correction(found, found, events)

    def resolve(self, question: str, *, by: str | None = None, text: str | None = None) -> Correction:
        """An object, or a decision in the person's words, answers a question."""
        target = self._seen(question)
        if target.epistemic_class is not EpistemicClass.QUESTION:
            raise InputError(f"expected a QUESTION to resolve, found {target.object_id}, a {target.epistemic_class}")
        with self._store.transaction():
            source, events = self._other(target, by=by, text=text, epistemic_class=EpistemicClass.DECISION)
            events += self._edge(source, EdgeType.IMPLEMENTS, target.object_id)
        return Correction(target.object_id, source if text else None, events)

    def supersede(self, old: str, *, by: str | None = None, text: str | None = None) -> Correction:
        """An object, or a statement of the same class in the person's words, takes the place of another."""
        target = self._seen(old)
        with self._store.transaction():
            source, events = self._other(target, by=by, text=text, epistemic_class=target.epistemic_class)
            events += self._edge(source, EdgeType.SUPERSEDES, target.object_id)
        return Correction(target.object_id, source if text else None, events)

    def reclassify(self, found: str, epistemic_class: EpistemicClass) -> Correction:
        """The class is an axis of the coordinate, so the corrected object is a new one that supersedes the old (ADR 0005)."""
        target = self._seen(found)
        if target.epistemic_class is epistemic_class:
            raise ConflictError(f"{target.object_id} is a {epistemic_class} already")
        content = self._store.contents.statements([target.object_id]).get(target.object_id)
        if content is None:
            raise InputError(f"{target.object_id} has no text any more; there is nothing to classify")
        with self._store.transaction():
            source, events = self._say(content.text, epistemic_class, like=target)
            events += self._edge(source, EdgeType.SUPERSEDES, target.object_id)
        return Correction(target.object_id, source, events)

    def retract(self, found: str) -> Correction:
        """An object was wrong, or an edge is: it no longer counts, and what it had ended comes back."""
        edge = self._store.projections.edge_record(EdgeId(found))
        if edge is not None:
            if not all(self._sees(end) for end in (edge.source, edge.target)):
                raise _nothing_under(found)
            if edge.retracted:
                raise ConflictError(f"edge {found} is retracted already")
            return self._one(edge.target, EdgeRetracted(edge.edge_id))
        return self._declared(found, Status.RETRACTED)

    def abandon(self, found: str) -> Correction:
        """A plan or a hypothesis was given up."""
        return self._declared(found, Status.ABANDONED)

    def reinstate(self, found: str) -> Correction:
        """Take back an earlier retraction or abandonment."""
        target = self._seen(found)
        if target.declared_by_person is Status.ACTIVE:
            raise ConflictError(f"nobody retracted or abandoned {target.object_id}; its status is {target.status}")
        return self._one(target.object_id, StatusDeclared(target.object_id, Status.ACTIVE, PERSON))

    def confirm(self, found: str) -> Correction:
        """An object still holds: it is as fresh as if it had been said now."""
        target = self._seen(found)
        if not target.status.acts:
            raise ConflictError(f"expected an object that still stands, found {target.object_id}, which is {target.status}")
        return self._one(target.object_id, ObjectConfirmed(target.object_id))

    def relate(self, source: str, edge_type: EdgeType, target: str) -> Correction:
        """One object acts on another."""
        first, second = self._seen(source), self._seen(target)
        with self._store.transaction():
            events = self._edge(first.object_id, edge_type, second.object_id)
        return Correction(second.object_id, None, events)

    def undo(self, position: int) -> Correction:
        """Take back the deed at a place of the ledger by an inverse event."""
        subject, events = inverse(self._store, position, principal=self._principal)
        with self._store.transaction():
            return Correction(subject, None, self._record(events))

    def _own_groups(self, wanted: frozenset[str]) -> frozenset[str]:
        """The wanted groups; raises InputError for one that the principal is not in: nobody speaks into a room they cannot see."""
        foreign = wanted - self._principal.groups if self._principal.groups is not None else frozenset()
        if foreign:
            raise InputError(f"expected groups that {self._principal.name} is in, found {', '.join(sorted(foreign))}")
        return wanted

    def _declared(self, found: str, status: Status) -> Correction:
        target = self._seen(found)
        if status in (target.declared_by_person, target.status):
            raise ConflictError(f"{target.object_id} is {status} already")
        return self._one(target.object_id, StatusDeclared(target.object_id, status, PERSON))

    def _one(self, subject: ObjectId, event: Event) -> Correction:
        with self._store.transaction():
            return Correction(subject, None, self._record([event]))

    def _record(self, events: list[Event]) -> int:
        return record(self._store, events, principal=self._name, now=self._now)

    def _seen(self, found: str) -> ObjectRecord:
        stored = self._store.projections.object_record(ObjectId(found))
        if stored is None or not self._principal.may_see(stored.visibility):
            raise _nothing_under(found)
        return stored

    def _sees(self, found: ObjectId) -> bool:
        stored = self._store.projections.object_record(found)
        return stored is not None and self._principal.may_see(stored.visibility)

    def _other(self, target: ObjectRecord, *, by: str | None, text: str | None, epistemic_class: EpistemicClass) -> tuple[ObjectId, int]:
        if (by is None) == (text is None):
            raise InputError("expected either the id of an object (--by) or words of your own (--text), not both and not neither")
        if by is not None:
            source = self._seen(by)
            if own_status(source) in _ENDS_NOTHING:
                raise ConflictError(f"expected an object that still stands, found {source.object_id}, which is {source.status}")
            return source.object_id, 0
        assert text is not None
        return self._say(text, epistemic_class, like=target)

    def _edge(self, source: ObjectId, edge_type: EdgeType, target: ObjectId) -> int:
        if source == target:
            raise InputError(f"expected two objects, found {source} twice: an object does not act on itself")
        known = self._store.projections.edge_record(edge_id(source, edge_type, target))
        if known is not None and not known.retracted and known.asserted_by == self._name:
            raise ConflictError(f"{source} {edge_type} {target} is asserted already (edge {known.edge_id})")
        if edge_type is EdgeType.SUPERSEDES and self._supersedes(target, source):
            raise ConflictError(f"{target} supersedes {source} already, directly or through others; a circle has no newest")
        asserted = EdgeAsserted(
            edge_id=edge_id(source, edge_type, target),
            source=source,
            edge_type=edge_type,
            target=target,
            confidence=1.0,
            method=PERSON,
            said_at=self._now,
        )
        return self._record([asserted])

    def _supersedes(self, newer: ObjectId, older: ObjectId) -> bool:
        """Whether one object supersedes another, directly or through others, by edges that act for everyone or that the principal sees.

        A chain of edges that act for everyone leads only through what everyone who sees its end may see.
        """
        frontier, seen = [newer], {newer}
        while frontier:
            for edge in self._store.projections.edges_from(frontier.pop()):
                if edge.edge_type is not EdgeType.SUPERSEDES or edge.retracted or edge.target in seen:
                    continue
                if edge.public or (self._sees(edge.source) and self._sees(edge.target)):
                    seen.add(edge.target)
                    frontier.append(edge.target)
        return older in seen

    def _say(self, text: str, epistemic_class: EpistemicClass, *, like: ObjectRecord) -> tuple[ObjectId, int]:
        """Record a statement in the person's own words, about the same entity and domain as another object."""
        place = Place(
            entity_id=like.entity,
            entity_name=self._store.contents.entities().get(like.entity, ""),
            domain=like.domain,
            depth=like.depth,
            visibility=tuple(sorted(like.visibility)),
            stakes=like.stakes,
        )
        return self._say_at(text, epistemic_class, place)

    def _say_at(self, text: str, epistemic_class: EpistemicClass, place: Place) -> tuple[ObjectId, int]:
        speaker = Speaker(author=self._author, recorded_by=self._name)
        return say(self._store, text, epistemic_class, place, speaker=speaker, embedder=self._embedder(), now=self._now)


def _nothing_under(found: str) -> NotFoundError:
    return NotFoundError(f"expected the id of an object or an edge, found nothing under {found!r}; `oida search` finds ids")
