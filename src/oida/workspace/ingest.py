"""Stages 1 to 6: what a source holds, read, cut, typed, located and recorded; then what relates to what.

One source item is one append, whole or not at all. Relations depend on what else is there, so they are found again over the whole set when
the reading ends: the order and the batches in which items came do not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from oida.events.state import ItemRecord
from oida.events.vocabulary import (
    EdgeAsserted,
    Event,
    GroupMembersDeclared,
    ImportCompleted,
    ItemRecorded,
    ItemWithdrawn,
    SourceDeclared,
    StatementRecorded,
    StatementRestored,
    StatementWithdrawn,
    VisibilityChanged,
)
from oida.ingestion.locate import Location, locate
from oida.ingestion.segment import segment
from oida.ingestion.stakes import stakes_of
from oida.model.classification import Classification
from oida.model.content import ItemContent, StatementOutline
from oida.model.coordinate import epoch_of
from oida.model.edge import EdgeType
from oida.model.errors import Problem
from oida.model.identifiers import ItemId, ObjectId, edge_id, entity_id
from oida.model.source import SourceDescription, SourceItem, Statement
from oida.model.taxonomy import EpistemicClass
from oida.ports import Embedder, HalfEmbedded, StatementClassifier, Store, Vector
from oida.workspace.align import Aligned, align
from oida.workspace.connect import EDITED
from oida.workspace.contents import indexed_text, item_content, statement_content
from oida.workspace.identities import Identities, aliases_of
from oida.workspace.lessons import trust
from oida.workspace.met import Meeting, Met
from oida.workspace.outline import gone_lines, outlined, withdrawn_objects
from oida.workspace.receive import encodable
from oida.workspace.record import Happened, record
from oida.workspace.stated import classified
from oida.workspace.weigh import Progress

NO_AUTHOR = "unknown"


@dataclass(slots=True)
class IngestReport:
    """What became of what was read; `problems` are those met in this run, `new_problems` of them not known before."""

    items: int = 0
    new_items: int = 0
    changed_items: int = 0
    unchanged_items: int = 0
    withdrawn_items: int = 0
    statements: int = 0
    noise: int = 0
    objects: Counter[EpistemicClass] = field(default_factory=Counter)
    edges_added: Counter[str] = field(default_factory=Counter)
    edges_retracted: int = 0
    problems: list[Problem] = field(default_factory=list)
    new_problems: int = 0
    sources: list[str] = field(default_factory=list)
    events: int = 0


@dataclass(frozen=True, slots=True)
class _Typed:
    """An aligned statement with its class and place; neither for one that stayed as it was."""

    aligned: Aligned
    classification: Classification | None
    location: Location | None
    row: int = -1
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """Items cut into statements that the encoder is at work on."""

    cut: tuple[tuple[SourceItem, ItemContent | None, list[Aligned]], ...]
    items: frozenset[ItemId]
    fresh: tuple[Statement, ...]
    begun: Future[HalfEmbedded | None]


@dataclass(frozen=True, slots=True)
class _Prepared:
    item: SourceItem
    known: ItemContent | None
    statements: tuple[_Typed, ...]


@dataclass(slots=True)
class _Draft:
    """What the items of a batch add up to, written together: their events, and each new object's vector and words.

    `vectors` are those of the statements that were kept, by their row in the batch.
    """

    vectors: Mapping[int, Vector]
    events: list[Happened | Event] = field(default_factory=list)
    objects: list[ObjectId] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


class Ingestion:
    """Items into one store, a batch at a time; `follow` decides which and when."""

    def __init__(
        self,
        store: Store,
        *,
        embedder: Callable[[], Embedder],
        classifier: Callable[[], StatementClassifier],
        principal: str,
        now: Callable[[], datetime],
        progress: Progress | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._classifier = classifier
        self._principal = principal
        self._now = now
        self._progress = progress or (lambda done, total, what: None)
        self._met = Met()
        self._names = Identities((), aliases_of(store))
        self._trust: dict[tuple[str, str], float] | None = None
        self.report = IngestReport()

    def complete(self) -> None:
        """Note in the ledger that a run ended, if it changed anything."""
        if self.report.events:
            with self._store.transaction():
                completed = ImportCompleted(
                    source_ids=tuple(self.report.sources),
                    items=self.report.new_items + self.report.changed_items,
                    statements=self.report.statements,
                    problems=self.report.new_problems,
                )
                self.report.events += record(self._store, [completed], principal=self._principal, now=self._now())

    def _declare(self, found: SourceDescription) -> None:
        self.report.sources.append(found.source_id)
        events: list[Event] = []
        with self._store.transaction():
            if self._store.projections.fact(f"source:{found.source_id}") is None:
                events.append(SourceDeclared(found.source_id, found.kind))
            for group, members in sorted(found.groups.items()):
                named = tuple(sorted(members))
                if self._store.projections.group_members(group) != named:
                    events.append(GroupMembersDeclared(group, named))
            self._store.contents.put_people(found.source_id, found.people)
            self.report.events += record(self._store, events, principal=self._principal, now=self._now())

    def _meet(self, problem: Problem, *, source_id: str) -> None:
        problem = encodable(problem)
        self.report.problems.append(problem)
        with self._store.transaction():
            self.report.new_problems += self._store.contents.put_problem(source_id, problem, recorded_at=self._now())

    def _changed_of(self, items: Sequence[SourceItem]) -> list[SourceItem]:
        return [item for item in items if self._is_new(item) and self._is_changed(item)]

    def _begin(self, items: Sequence[SourceItem], models: Executor) -> Batch:
        """Cut items into statements and have the encoder begin with those that are new; meanwhile other work can be done here."""
        cut = []
        for item in items:
            known = self._store.contents.item(item.item_id)
            cut.append((item, known, align(segment(item), known.outline if known else ())))
        fresh = tuple(each.statement for _, _, aligned in cut for each in aligned if each.is_new)
        ids = frozenset(item.item_id for item in items)
        return Batch(tuple(cut), ids, fresh, models.submit(self._encoded, [statement.text for statement in fresh]))

    def _encoded(self, texts: Sequence[str]) -> HalfEmbedded | None:
        """The models are made when they are first needed: not for an export that is known already."""
        return self._embedder().begin(texts) if texts else None

    def _finish(self, batch: Batch) -> list[SourceItem]:
        """Record a batch; those of its items of which another process recorded something meanwhile come back."""
        prepared, begun = self._prepare(batch)
        if not prepared:
            return []
        kept = [each.row for item in prepared for each in item.statements if each.location is not None]
        draft = _Draft(dict(zip(kept, begun.finish(kept), strict=True)) if begun else {})
        with self._store.transaction():
            overtaken = [each.item for each in prepared if not self._write(each, draft)]
            self._write_draft(draft)
        for item in overtaken:
            self._met.forget(item.item_id)
        return overtaken

    def _is_new(self, item: SourceItem) -> bool:
        """Whether this run has not met the item yet, or only an earlier state of it."""
        meeting = self._met.meet(item)
        if meeting is Meeting.NEW:
            return True
        if meeting is Meeting.KNOWN:
            self.report.unchanged_items += 1
            return False
        kept = self._store.contents.item(item.item_id)
        place = kept.place if kept else "the first place"
        message = f"two different items of one id: kept the one at {place}; if they are two exports, ingest the older one first"
        self._meet(Problem("read", item.place, "duplicate-id", message), source_id=item.source_id)
        return False

    def _is_changed(self, item: SourceItem) -> bool:
        known = self._store.projections.item_record(item.item_id)
        if known is None:
            return not item.deleted
        if item.deleted and not known.redacted:
            return not known.withdrawn
        is_changed = not known.redacted and not self._is_known(item, known)
        self.report.unchanged_items += not is_changed
        return is_changed

    def _is_known(self, item: SourceItem, known: ItemRecord) -> bool:
        """Whether the store has the item as it is read, or a later edit of it."""
        if self._store.contents.fingerprint(item.item_id) == item.fingerprint:
            return not known.withdrawn and known.visibility == tuple(sorted(item.visibility))
        content = self._store.contents.item(item.item_id)
        return content is not None and content.edited_at is not None and content.edited_at > _changed_at(item)

    def _prepare(self, batch: Batch) -> tuple[list[_Prepared], HalfEmbedded | None]:
        begun = batch.begun.result()
        classes = classified(self._classifier(), batch.fresh) if batch.fresh else []
        answers = iter(zip(classes, range(len(batch.fresh)), strict=True))
        prepared = []
        for item, known, aligned in batch.cut:
            typed = tuple(self._typed(item, each, answers) for each in aligned)
            if not any(each.failed for each in typed):
                prepared.append(_Prepared(item, known, typed))
        return prepared, begun

    def _typed(self, item: SourceItem, aligned: Aligned, answers: Iterator[tuple[Classification | Problem, int]]) -> _Typed:
        if not aligned.is_new:
            return _Typed(aligned, None, None)
        answer, row = next(answers)
        if isinstance(answer, Problem):
            self._meet(answer, source_id=item.source_id)
            return _Typed(aligned, None, None, row, failed=True)
        if answer.epistemic_class is None:
            return _Typed(aligned, answer, None, row)
        people = [person.name for person in item.people]
        return _Typed(aligned, answer, locate(aligned.statement, item, people=people), row)

    def _write_draft(self, draft: _Draft) -> None:
        self.report.events += self._record(draft.events)
        if draft.objects:
            self._store.vectors.add(draft.objects, np.stack([draft.vectors[row] for row in draft.rows]))
            self._store.words.add(draft.objects, draft.words)

    def _write(self, prepared: _Prepared, draft: _Draft) -> bool:
        """Keep an item's texts and draft its events; False when it is no longer what it was when it was prepared."""
        item, known = prepared.item, self._store.projections.item_record(prepared.item.item_id)
        visibility = tuple(sorted(item.visibility))
        if (known.revision if known else 0) != (prepared.known.revision if prepared.known else 0):
            return False
        if item.deleted:
            self.report.withdrawn_items += 1
            draft.events.append(Happened(ItemWithdrawn(item.item_id), item.edited_at))
        elif known and prepared.known and prepared.known.fingerprint == item.fingerprint and not known.withdrawn:
            # Another process may have written the same between our look at the item and our claim on it.
            is_shared_otherwise = known.visibility != visibility
            self.report.changed_items += is_shared_otherwise
            self.report.unchanged_items += not is_shared_otherwise
            draft.events.extend([VisibilityChanged(item.item_id, visibility)] if is_shared_otherwise else [])
        else:
            self.report.new_items += known is None
            self.report.changed_items += known is not None
            self._write_revision(prepared, known, draft)
        return True

    def _write_revision(self, prepared: _Prepared, known: ItemRecord | None, draft: _Draft) -> None:
        item, visibility = prepared.item, tuple(sorted(prepared.item.visibility))
        revision = known.revision + 1 if known else 1
        outline = [outlined(item.item_id, each.aligned, is_object=each.location is not None) for each in prepared.statements]
        lines = list(zip(prepared.statements, outline, strict=True))
        if prepared.known:
            outline += gone_lines(prepared.known.outline, outline)
        digest = self._store.contents.put_item(item_content(item, revision=revision, outline=outline))
        if item.people:
            self._store.contents.put_people(item.source_id, item.people)
        events: list[Happened | Event] = [
            Happened(
                ItemRecorded(
                    item_id=item.item_id,
                    source_id=item.source_id,
                    kind=item.kind,
                    revision=revision,
                    said_at=item.said_at,
                    visibility=visibility,
                    statement_count=len(prepared.statements),
                    content_digest=digest,
                ),
                _changed_at(item) if known else item.said_at,
            )
        ]
        if known and known.visibility != visibility:
            events.append(VisibilityChanged(item.item_id, visibility))
        for each, line in lines:
            self.report.statements += each.aligned.is_new
            self.report.noise += each.aligned.is_new and each.location is None
            events.extend(self._statement_events(item, each, line, revision, draft, edited=known is not None))
        if known:
            events.extend(self._comings_and_goings(outline, events))
        draft.events += events

    def _entity(self, name: str) -> str:
        """The id of an entity of that name, kept with it; of the one that the name stands for where a person said so."""
        own = entity_id(name)
        meant = self._names.meant(own)
        if meant == own:
            self._store.contents.put_entity(own, name)
        return meant

    def _trusted(self, source_id: str, classification: Classification) -> float:
        """What corrections of earlier objects leave of the confidence in new ones of a source and a classifier, in (0, 1]."""
        if self._trust is None:
            self._trust = trust(self._store)
        classifier = f"{classification.classifier}/{classification.version}"
        return min(self._trust.get(("source", source_id), 1.0), self._trust.get(("classifier", classifier), 1.0))

    def _record(self, events: Iterable[Happened | Event]) -> int:
        return record(self._store, events, principal=self._principal, now=self._now())

    def _statement_events(
        self, item: SourceItem, each: _Typed, line: StatementOutline, revision: int, draft: _Draft, *, edited: bool
    ) -> Iterator[Happened | Event]:
        if each.location is None or each.classification is None or line.object_id is None:
            return
        assert each.classification.epistemic_class is not None
        found, statement, location = line.object_id, each.aligned.statement, each.location
        self.report.objects[each.classification.epistemic_class] += 1
        content = statement_content(item, statement, found, revision=revision, location=location)
        digest = self._store.contents.put_statement(content)
        entity = self._entity(location.entity_name)
        yield Happened(
            StatementRecorded(
                object_id=found,
                item_id=item.item_id,
                ordinal=line.ordinal,
                revision=line.revision,
                entity=entity,
                domain=location.domain,
                epistemic_class=each.classification.epistemic_class,
                epoch=epoch_of(statement.said_at),
                depth=location.depth,
                author=statement.author.person_id if statement.author else NO_AUTHOR,
                variant=found[-6:],
                confidence=round(each.classification.confidence * self._trusted(item.source_id, each.classification), 6),
                stakes=stakes_of(statement) if each.classification.epistemic_class is EpistemicClass.QUESTION else 0.0,
                said_at=statement.said_at,
                language=location.language,
                classifier=each.classification.classifier,
                classifier_version=each.classification.version,
                content_digest=digest,
            ),
            max(statement.said_at, item.edited_at) if edited and item.edited_at else statement.said_at,
        )
        before = each.aligned.before
        if before is not None and before.object_id is not None:
            yield Happened(
                EdgeAsserted(
                    edge_id=edge_id(found, EdgeType.SUPERSEDES, before.object_id),
                    source=found,
                    edge_type=EdgeType.SUPERSEDES,
                    target=before.object_id,
                    confidence=1.0,
                    method=EDITED,
                    said_at=item.edited_at or statement.said_at,
                ),
                item.edited_at or statement.said_at,
            )
        draft.objects.append(found)
        draft.rows.append(each.row)
        draft.words.append(indexed_text(content))

    def _comings_and_goings(self, outline: Sequence[StatementOutline], events: Sequence[Happened | Event]) -> Iterator[Event]:
        """What of an edited item is gone now, and what is back."""
        own = {line.object_id for line in outline if line.object_id}
        ended_by: dict[ObjectId, set[ObjectId]] = {found: set() for found in own}
        for found in own:
            for edge in self._store.projections.edges_into(found):
                if edge.edge_type is EdgeType.SUPERSEDES and not edge.retracted and edge.source in own:
                    ended_by[found].add(edge.source)
        for happened in events:
            if isinstance(happened, Happened) and isinstance(happened.event, EdgeAsserted):
                ended_by[happened.event.target].add(happened.event.source)
        for found, is_withdrawn in sorted(withdrawn_objects(outline, ended_by).items()):
            stored = self._store.projections.object_record(found)
            if stored is not None and stored.withdrawn != is_withdrawn:
                yield StatementWithdrawn(found) if is_withdrawn else StatementRestored(found)


def _changed_at(item: SourceItem) -> datetime:
    return max(item.said_at, item.edited_at) if item.edited_at else item.said_at
