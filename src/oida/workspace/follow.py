"""Stages 1 to 6 as a job: what a source hands over beside items, where reading may go on, and what failed.

Nothing is concluded from silence: an item is withdrawn by a tombstone, or because it did not come in a range that its source declares
complete. A cursor is kept only when everything before it is in the ledger, so a reading may be cut off anywhere.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from oida.events.vocabulary import Event, GroupMembersDeclared, ItemWithdrawn, VisibilityChanged
from oida.model.errors import OidaError, Problem
from oida.model.feed import Audience, Checkpoint, CompleteRange, GroupMembers, Handed, Missed
from oida.model.identifiers import ItemId, PersonId, item_id
from oida.model.source import SourceDescription, SourceItem
from oida.workspace.connect import connect_all
from oida.workspace.ingest import Batch, Ingestion, IngestReport
from oida.workspace.receive import encodable, received
from oida.workspace.work import Work

if TYPE_CHECKING:
    from oida.model.classification import Classification
    from oida.ports import Connector, Embedder, RelationFinder, StatementClassifier, Store
    from oida.workspace.align import Aligned
    from oida.workspace.ingest import _Draft, _Prepared, _Typed
    from oida.workspace.weigh import Progress


ITEMS_PER_BATCH = 256
"""Many enough that texts of equal length, which the encoder takes together, fill its batches."""
CHARACTERS_PER_BATCH = 200_000
"""Some 2,000 statements, so that a batch of long documents stays small in memory and an interruption is heard within seconds."""
LOOK_EVERY_SECONDS = 0.25
LOOKS_AT_HELD = 240
"""A minute in which nothing that another worker holds comes free: it is about something else than a batch."""


@dataclass(slots=True)
class _Reading:
    """One source while it is read; of what came since the last complete range only hashes are kept, eight bytes an item."""

    source_id: str
    is_export: bool = False
    batch: dict[ItemId, SourceItem] = field(default_factory=dict)
    characters: int = 0
    postponed: list[SourceItem] = field(default_factory=list)
    _came: array[int] = field(default_factory=lambda: array("q"))

    def note(self, found: ItemId) -> None:
        """Something came, whatever becomes of it."""
        self._came.append(hash(found))

    def noted(self) -> set[int]:
        """Hashes of what came since this was last asked."""
        came = set(self._came)
        self._came = array("q")
        return came


class Following(Ingestion):
    """An ingestion whose every source is a job: items are taken before they are prepared and given back with the writing.

    With `wait`, items that another worker holds are waited for; without, they are left to the next reading.
    """

    _work: Work
    _models: Executor

    def __init__(
        self,
        store: Store,
        *,
        embedder: Callable[[], Embedder],
        classifier: Callable[[], StatementClassifier],
        principal: str,
        now: Callable[[], datetime],
        wall_clock: Callable[[], datetime],
        wait: Callable[[float], None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(store, embedder=embedder, classifier=classifier, principal=principal, now=now, progress=progress)
        self._wall_clock = wall_clock
        self._wait = wait
        self._written: list[ItemId] = []
        self._under_way: Batch | None = None

    def run(
        self, connectors: Sequence[Connector], problems: Sequence[Problem] = (), *, finder: RelationFinder | None = None
    ) -> IngestReport:
        """Read every connector to its end, relate if anything changed; what was recorded before a crash stays and is not read again."""
        for problem in problems:
            self._meet(problem, source_id="")
        for connector in connectors:
            try:
                description = encodable(connector.description)
            except (OidaError, OSError) as error:
                self._meet(Problem("read", "a source", "unreadable", str(error)), source_id="")
                continue
            self._read(connector, description)
        if finder is not None or self.report.events or self._store.jobs.has_unrelated():
            self._relate(finder)
        self.complete()
        return self.report

    def _relate(self, finder: RelationFinder | None) -> None:
        self._progress(self.report.items, 0, "relating")
        connected = connect_all(self._store, now=self._now(), finder=finder)
        for problem in connected.problems:
            self._meet(problem, source_id="")
        self._store.jobs.note_related()
        self.report.edges_added, self.report.edges_retracted = connected.added, connected.retracted
        self.report.events += connected.events

    def read(self, found: SourceDescription, handed: Iterable[Handed], work: Work) -> None:
        """Record what a source hands over; what is recorded stays when the source breaks off, and the error is raised."""
        self._work = work
        self._declare(encodable(found))
        self._hear(handed, _Reading(found.source_id))

    def _read(self, connector: Connector, description: SourceDescription) -> None:
        with Work(self._store, self.report, source_id=description.source_id, wall_clock=self._wall_clock) as self._work:
            self._declare(description)
            self._hear(connector.read(), _Reading(description.source_id, is_export=True))

    def _hear(self, handed: Iterable[Handed], reading: _Reading) -> None:
        self._under_way = None
        with _one_thread() as self._models:
            for each in _heard(handed):
                self._receive(each, reading)
            self._flush(reading)
            self._take_postponed(reading)

    def _receive(self, each: Handed | OidaError | OSError, reading: _Reading) -> None:
        match each:
            case SourceItem():
                self._receive_item(each, reading)
            case Problem():
                self._meet(each, source_id=reading.source_id)
            case Missed(native_id=native_id, problem=problem):
                reading.note(item_id(reading.source_id, native_id))
                self._meet(problem, source_id=reading.source_id)
                self._work.fail(reading.source_id, native_id, problem)
            case GroupMembers(group=group, members=members):
                self._declare_groups({group: members})
            case Audience():
                self._flush(reading)
                self._readdress(each, reading.source_id)
            case CompleteRange():
                self._flush(reading)
                self._withdraw_absent(each, reading)
            case Checkpoint(cursor=cursor):
                self._flush(reading)
                if not reading.postponed:
                    self._work.reached(cursor)
            case OidaError() | OSError():
                self._flush(reading)
                if not reading.is_export:
                    raise each
                message = f"{each}; what was read before it is kept"
                self._meet(Problem("read", reading.source_id, "unreadable", message), source_id=reading.source_id)

    def _receive_item(self, item: SourceItem, reading: _Reading) -> None:
        reading.note(item.item_id)
        found = received(item)
        if isinstance(found, Problem):
            self._meet(found, source_id=reading.source_id)
            return
        self.report.items += 1
        if found.item_id in reading.batch or (self._under_way and found.item_id in self._under_way.items):
            self._flush(reading)
        elif len(reading.batch) >= ITEMS_PER_BATCH or reading.characters >= CHARACTERS_PER_BATCH:
            self._go_on(reading)
        reading.batch[found.item_id] = found
        reading.characters += len(found.body)

    def _declare_groups(self, groups: Mapping[str, frozenset[PersonId]]) -> None:
        changed: list[Event] = []
        for group, members in sorted(groups.items()):
            named = tuple(sorted(members))
            if self._store.projections.group_members(group) != named:
                changed.append(GroupMembersDeclared(group, named))
        if changed:
            with self._store.transaction():
                self.report.events += self._record(changed)

    def _readdress(self, audience: Audience, source_id: str) -> None:
        visibility = tuple(sorted(audience.visibility))
        found = self._store.contents.seen_otherwise(source_id, audience.prefix, visibility)
        if found:
            with self._store.transaction():
                self.report.changed_items += len(found)
                self.report.events += self._record(VisibilityChanged(each, visibility) for each in found)
                self._work.note_progress()

    def _withdraw_absent(self, complete: CompleteRange, reading: _Reading) -> None:
        came = reading.noted()
        if not came:
            return
        with self._store.transaction():
            standing = self._store.contents.standing_in(reading.source_id, complete)
            absent = [each for each in standing if hash(each) not in came]
            self.report.withdrawn_items += len(absent)
            self.report.events += self._record(ItemWithdrawn(each) for each in absent)
            self._work.note_progress()

    def _flush(self, reading: _Reading) -> None:
        """Record all that was read so far."""
        self._go_on(reading)
        self._end_batch(reading)

    def _go_on(self, reading: _Reading) -> None:
        """Begin with what was read, and record the batch before it: one is embedded while the other is read and written."""
        if not reading.batch:
            return
        items = list(reading.batch.values())
        reading.batch.clear()
        reading.characters = 0
        batch = self._begin_free(items, reading)
        self._end_batch(reading)
        self._under_way = batch

    def _end_batch(self, reading: _Reading) -> None:
        batch, self._under_way = self._under_way, None
        if batch is not None:
            reading.postponed.extend(self._finish(batch))
            self._work.release(batch.items)
            self._progress(self.report.items, 0, f"reading {reading.source_id}")

    def _begin_free(self, items: Sequence[SourceItem], reading: _Reading) -> Batch:
        """Begin with those items that no other worker holds; the others are postponed."""
        changed = self._changed_of(items)
        for found in {item.item_id for item in items} - {item.item_id for item in changed}:
            self._work.stands(found)
        mine = self._work.claim(changed)
        held = [item for item in changed if item.item_id not in mine]
        for item in held:
            self._met.forget(item.item_id)
        reading.postponed.extend(held)
        return self._begin([item for item in changed if item.item_id in mine], self._models)

    def _take_postponed(self, reading: _Reading) -> None:
        """Wait for what another worker holds until it is free or written; what is held on and on is left to the next reading."""
        looks = 0
        while reading.postponed and looks < LOOKS_AT_HELD:
            postponed, reading.postponed = reading.postponed, []
            self._under_way = self._begin_free(postponed, reading)
            self._end_batch(reading)
            if self._wait is None:
                break
            looks = looks + 1 if len(reading.postponed) == len(postponed) else 0
            if reading.postponed:
                self._wait(LOOK_EVERY_SECONDS)
        for item in reading.postponed:
            message = "another worker is writing this item; the next reading takes it up"
            self._meet(Problem("record", item.native_id, "item-held", message), source_id=reading.source_id)
        reading.postponed.clear()

    def _typed(self, item: SourceItem, aligned: Aligned, answers: Iterator[tuple[Classification | Problem, int]]) -> _Typed:
        typed = super()._typed(item, aligned, answers)
        if typed.failed:
            self._work.fail(item.source_id, item.native_id, self.report.problems[-1])
        return typed

    def _write(self, prepared: _Prepared, draft: _Draft) -> bool:
        written = super()._write(prepared, draft)
        if written:
            self._written.append(prepared.item.item_id)
        return written

    def _write_draft(self, draft: _Draft) -> None:
        super()._write_draft(draft)
        written, self._written = self._written, []
        self._work.wrote(written)


@contextmanager
def _one_thread() -> Iterator[Executor]:
    """A thread beside this one for the encoder, which holds no lock while it works; when reading breaks off nothing more is begun on it."""
    executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="encoder")
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _heard(handed: Iterable[Handed]) -> Iterator[Handed | OidaError | OSError]:
    """What a source hands over; the error with which it breaks off as the last of it."""
    try:
        yield from handed
    except (OidaError, OSError) as error:
        yield error
