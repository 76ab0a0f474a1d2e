"""Is the base what its ledger says: replay from nothing, compare everything, say what differs (spec section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from oida.events.chain import Head
from oida.events.digest import state_digest
from oida.events.project import apply
from oida.events.state import MemoryState, sorted_objects
from oida.events.vocabulary import CycleCompleted, EdgeAsserted, Entry, ItemRecorded, ParametersChanged, StatementRecorded
from oida.gravity.arrays import k_digest
from oida.gravity.engine import ENGINE_VERSION, cycle, initial_k, settle
from oida.gravity.parameters import GravityParameters
from oida.model.errors import IntegrityError
from oida.model.identifiers import EdgeId, ItemId, ObjectId, Position
from oida.ports import Store
from oida.workspace.weigh import Progress, accumulate, gravity_arrays, grid_index


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One thing that is not as the ledger says: `kind` is chain, witness, content, record or score."""

    kind: str
    subject: str
    expected: str
    found: str

    def __str__(self) -> str:
        """What a person reads.

        >>> str(Discrepancy("content", "ko-1", "abc", "changed"))
        'content of ko-1: expected abc, found changed'
        """
        return f"{self.kind} of {self.subject}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome: a base is sound when nothing differs. `state` and `k` are the digests that a replay gives."""

    head: Head | None
    entries: int
    cycles: int
    state_digest: str
    k_digest: str
    discrepancies: tuple[Discrepancy, ...]

    @property
    def is_sound(self) -> bool:
        """Whether everything is as the ledger says."""
        return not self.discrepancies


ParametersReader = Callable[[str, str], GravityParameters]
"""Profile name and canonical parameters to the parameters of an engine run."""


def verify(
    store: Store,
    *,
    parameters_of: ParametersReader,
    default_parameters: GravityParameters,
    witness: Head | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Replay the ledger from nothing and compare the chain, every text's digest, every record, every K and the witnessed head."""
    found: list[Discrepancy] = []
    head: Head | None = None
    try:
        head = store.event_log.verify()
    except IntegrityError as error:
        found.append(Discrepancy("chain", "the ledger", "an unbroken chain", str(error)))
    found.extend(_against_witnesses(store, head, witness))
    replay = _Replay(store, parameters_of, default_parameters, progress or (lambda done, total, what: None))
    try:
        found.extend(replay.run(head))
    except IntegrityError as error:
        found.append(Discrepancy("chain", "the ledger", "entries that can be read and folded", str(error)))
    else:
        found.extend(_records_that_differ(store, replay.state))
        found.extend(replay.evidence_that_differs())
        found.extend(replay.scores_that_differ())
    return Verification(
        head=head,
        entries=replay.entries,
        cycles=replay.cycles,
        state_digest=state_digest(replay.state.objects.values(), replay.state.edges.values()),
        k_digest=replay.last_k_digest,
        discrepancies=tuple(found),
    )


def _against_witnesses(store: Store, head: Head | None, given: Head | None) -> Iterator[Discrepancy]:
    try:
        beside = store.witnessed_head()
    except IntegrityError as error:
        yield Discrepancy("witness", "the file beside the base", "a head", str(error))
        beside = None
    for place, witnessed in (("the file beside the base", beside), ("the given witness", given)):
        if witnessed is None or witnessed.position == 0:
            continue
        if head is not None and head.position < witnessed.position:
            yield Discrepancy("witness", place, f"a ledger of at least {witnessed.position} entries", f"its tail cut at {head.position}")
            continue
        entry = next(iter(_entry_at(store, witnessed.position)), None)
        if entry is not None and entry.digest != witnessed.digest:
            yield Discrepancy("witness", place, f"entry {witnessed}", f"another entry {Head(entry.position, entry.digest)}")


def _entry_at(store: Store, position: int) -> Iterator[Entry]:
    try:
        for entry in store.event_log.read(after=Position(position - 1)):
            yield entry
            return
    except IntegrityError:
        return


class _Replay:
    """A fold from nothing that checks texts and runs every cycle again."""

    def __init__(self, store: Store, parameters_of: ParametersReader, default_parameters: GravityParameters, progress: Progress) -> None:
        self.state = MemoryState()
        self.entries = 0
        self.cycles = 0
        self.last_k_digest = ""
        self._store = store
        self._parameters_of = parameters_of
        self._parameters = default_parameters
        self._progress = progress
        self._scores: dict[ObjectId, tuple[float, bool]] = {}
        self._usage: dict[ObjectId, float] = {}
        self._usage_index: int | None = None
        self._evidence: dict[EdgeId, str] = {}

    def run(self, head: Head | None) -> Iterator[Discrepancy]:
        total = head.position if head else 0
        for entry in self._store.event_log.read():
            apply(entry, self.state)
            self.entries += 1
            yield from self._text_that_differs(entry)
            if isinstance(entry.event, ParametersChanged):
                self._parameters = self._parameters_of(entry.event.profile, entry.event.parameters)
            if isinstance(entry.event, CycleCompleted):
                yield from self._cycle_that_differs(entry, entry.event)
            if self.entries % 1000 == 0:
                self._progress(self.entries, total, "replaying")

    def _text_that_differs(self, entry: Entry) -> Iterator[Discrepancy]:
        event, contents = entry.event, self._store.contents
        match event:
            case StatementRecorded(object_id=found, content_digest=expected):
                actual = contents.statement_digest(found)
                subject: str = found
            case ItemRecorded(item_id=item, revision=revision, content_digest=expected):
                actual, subject = contents.item_digest(item, revision), f"{item} revision {revision}"
            case EdgeAsserted(edge_id=edge, evidence_digest=expected) if expected:
                self._evidence[edge] = expected
                return
            case _:
                return
        if actual != expected and not self._is_erased(event.item_id):
            yield Discrepancy("content", subject, f"text with digest {expected[:16]}", f"{(actual or 'nothing')[:16]}")

    def _is_erased(self, item_id: ItemId) -> bool:
        item = self._store.projections.item_record(item_id)
        return item is not None and item.redacted

    def evidence_that_differs(self) -> Iterator[Discrepancy]:
        """An edge that is asserted again has new words, so only the last assertion's are compared."""
        for edge, expected in self._evidence.items():
            actual = self._store.contents.evidence_digest(edge)
            source = self.state.objects[self.state.edges[edge].source]
            if actual != expected and not self._is_erased(source.item_id):
                yield Discrepancy("content", edge, f"evidence with digest {expected[:16]}", f"{(actual or 'nothing')[:16]}")

    def _cycle_that_differs(self, entry: Entry, event: CycleCompleted) -> Iterator[Discrepancy]:
        self.cycles += 1
        if event.engine_version != ENGINE_VERSION:
            yield Discrepancy("score", f"entry {entry.position}", f"engine {ENGINE_VERSION}", f"a cycle of engine {event.engine_version}")
            return
        parameters = self._parameters
        index = grid_index(event.grid_at)
        served: dict[int, dict[ObjectId, int]] = {}
        for (object_id, at), count in self.state.served.items():
            if at <= index and (self._usage_index is None or at > self._usage_index):
                served.setdefault(at, {})[object_id] = count
        start = self._usage_index if self._usage_index is not None else min(served, default=index) - 1
        self._usage = accumulate(self._usage, served, start=start, end=index, parameters=parameters)
        self._usage_index = index
        objects = sorted_objects(self.state.objects.values())
        arrays = gravity_arrays(objects, self.state.edges.values(), moment=event.grid_at, usage=self._usage, parameters=parameters)
        if event.settled:
            settled = settle(arrays, None, parameters)
            k, dormant = settled.k, settled.dormant
        else:
            before = initial_k(arrays, parameters)
            asleep = before < parameters.dormant_below
            for row, found in enumerate(arrays.object_ids):
                if ObjectId(found) in self._scores:
                    before[row], asleep[row] = self._scores[ObjectId(found)]
            cycled = cycle(arrays, before, parameters, dormant=asleep)
            k, dormant = cycled.k, cycled.dormant
        self._scores = {ObjectId(found): (float(k[row]), bool(dormant[row])) for row, found in enumerate(arrays.object_ids)}
        self.last_k_digest = k_digest(arrays.object_ids, k, id_order=arrays.id_order)
        if self.last_k_digest != event.k_digest:
            yield Discrepancy("score", f"the run at {event.grid_at.isoformat()}", event.k_digest[:16], self.last_k_digest[:16])
        self._progress(self.entries, 0, f"replayed the run at {event.grid_at:%Y-%m-%d %H:%M}")

    def scores_that_differ(self) -> Iterator[Discrepancy]:
        stored = self._store.projections.scores()
        for found, (k, _) in self._scores.items():
            if found not in stored or stored[found].k != k:
                yield Discrepancy("score", found, f"K {k!r}", f"K {stored[found].k!r}" if found in stored else "none")


def _records_that_differ(store: Store, replayed: MemoryState) -> Iterator[Discrepancy]:
    stored_objects = {record.object_id: record for record in store.projections.all_objects()}
    yield from _rows_that_differ(replayed.objects, stored_objects)
    yield from _rows_that_differ(replayed.edges, {record.edge_id: record for record in store.projections.all_edges()})
    for item_id, expected in replayed.items.items():
        found = store.projections.item_record(item_id)
        if found != expected:
            yield Discrepancy("record", item_id, _named(expected, found), _named(found, expected))


def _rows_that_differ(expected: Mapping[Any, object], found: Mapping[Any, object]) -> Iterator[Discrepancy]:
    for key in sorted({*expected, *found}, key=str):
        if expected.get(key) != found.get(key):
            yield Discrepancy("record", str(key), _named(expected.get(key), found.get(key)), _named(found.get(key), expected.get(key)))


def _named(record: object, other: object) -> str:
    """The fields of a record that the other has differently."""
    if record is None:
        return "nothing"
    if other is None:
        return "a record"
    names = [field.name for field in fields(record) if getattr(record, field.name) != getattr(other, field.name)]  # type: ignore[arg-type]
    return ", ".join(f"{name}={_short(getattr(record, name))}" for name in names)


def _short(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)[:60]
