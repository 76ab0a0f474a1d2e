"""Is the base what its ledger says: replay from nothing, compare everything, say what differs (spec section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from oida.events.chain import Head
from oida.events.digest import state_digest
from oida.events.project import apply
from oida.events.state import MemoryState, sorted_objects
from oida.events.vocabulary import ContentRedacted, CycleCompleted, EdgeAsserted, Entry, ItemRecorded, ParametersChanged, StatementRecorded
from oida.gravity.arrays import BoolArray, GravityArrays, k_digest, rows_of
from oida.gravity.engine import ENGINE_VERSION, cycle, dormant_after, initial_k, settle
from oida.gravity.parameters import GravityParameters
from oida.gravity.portable import FloatArray
from oida.model.errors import IntegrityError, NotFoundError
from oida.model.identifiers import EdgeId, ItemId, ObjectId, Position
from oida.ports import Store, StoredScore
from oida.workspace.weigh import Progress, accumulate, gravity_arrays, grid_index


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One thing that is not as the ledger says: `kind` is chain, witness, content, record, index, score or storage."""

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
class OtherEngine:
    """Runs that another version of the engine computed: no fault of the base, but this one cannot vouch for their K.

    `runs` were replayed under this version; in `differing` of them it gives another K (ADR 0010), the last at `last_grid_at`.
    What the ledger says of their K is still held against the K that is kept.
    """

    engine_version: str
    replayed_under: str
    runs: int
    differing: int
    last_grid_at: datetime

    def __str__(self) -> str:
        """What a person reads.

        >>> str(OtherEngine("1", "2", 12, 0, datetime(2026, 5, 1, 6)))
        '12 runs computed by engine version 1, the last at 2026-05-01 06:00; replay under 2 gives the same K'
        """
        outcome = f"another K in {self.differing} of them" if self.differing else "the same K"
        last = f"{self.last_grid_at:%Y-%m-%d %H:%M}"
        return (
            f"{self.runs} runs computed by engine version {self.engine_version}, the last at {last}; "
            f"replay under {self.replayed_under} gives {outcome}"
        )


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome: a base is sound when nothing differs. `state` and `k` are the digests that a replay gives.

    `other_engines` tells of runs by other versions of the engine; they leave a base sound.
    """

    head: Head | None
    entries: int
    cycles: int
    state_digest: str
    k_digest: str
    discrepancies: tuple[Discrepancy, ...]
    other_engines: tuple[OtherEngine, ...] = ()

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
    deep: bool = False,
) -> Verification:
    """Replay the ledger from nothing and compare the chain, every text's digest, every record, every K and the witnessed head.

    `deep` has the store look through its own files as well: pages, indexes against tables.
    """
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
        found.extend(
            Discrepancy("record", f"{record.table} {record.key}", record.expected, record.found)
            for record in store.projections.differences(replay.state)
        )
        found.extend(replay.evidence_that_differs())
        found.extend(replay.items_that_differ())
        found.extend(replay.words_that_differ())
        found.extend(replay.scores_that_differ())
        found.extend(replay.k_history_that_differs())
    if deep:
        found.extend(Discrepancy("storage", "the store's files", "files without damage", each) for each in store.damage())
    return Verification(
        head=head,
        entries=replay.entries,
        cycles=replay.cycles,
        state_digest=state_digest(replay.state.objects.values(), replay.state.edges.values()),
        k_digest=replay.last_k_digest,
        discrepancies=tuple(found),
        other_engines=tuple(replay.other_engines.values()),
    )


def _against_witnesses(store: Store, head: Head | None, given: Head | None) -> Iterator[Discrepancy]:
    try:
        beside = store.witnessed_head()
    except IntegrityError as error:
        yield Discrepancy("witness", "the file beside the base", "a head", str(error))
        beside = None
    end = (head or store.event_log.head()).position
    for place, witnessed in (("the file beside the base", beside), ("the given witness", given)):
        if witnessed is not None:
            yield from against_witness(store, end, place, witnessed)


def against_witness(store: Store, end: Position, place: str, witnessed: Head) -> Iterator[Discrepancy]:
    """What is wrong with a ledger that ends at `end`, by a head that was kept at `place`."""
    if witnessed.position == 0:
        return
    if end < witnessed.position:
        yield Discrepancy("witness", place, f"a ledger of at least {witnessed.position} entries", f"its tail cut at {end}")
        return
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
        self.other_engines: dict[str, OtherEngine] = {}
        self._inherits = ""
        self._taken_as_kept = False
        self._store = store
        self._parameters_of = parameters_of
        self._parameters = default_parameters
        self._progress = progress
        self._scores: dict[ObjectId, tuple[float, bool]] = {}
        self._usage: dict[ObjectId, float] = {}
        self._usage_index: int | None = None
        self._evidence: dict[EdgeId, str] = {}
        self._k_digests: dict[int, str] = {}
        self._erased: frozenset[ItemId] = frozenset()

    def run(self, head: Head | None) -> Iterator[Discrepancy]:
        total = head.position if head else 0
        self._erased = frozenset(self._erased_items())
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

    def _erased_items(self) -> Iterator[ItemId]:
        for entry in self._store.event_log.read():
            if isinstance(entry.event, ContentRedacted):
                yield entry.event.item_id

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
        return item_id in self._erased

    def items_that_differ(self) -> Iterator[Discrepancy]:
        """The newest revision beside the ledger is the newest in it, and what an import compares is what was digested."""
        for item_id, record in self.state.items.items():
            if record.redacted:
                continue
            try:
                content, fingerprint = self._store.contents.item(item_id), self._store.contents.fingerprint(item_id)
            except (ValueError, TypeError, KeyError):
                yield Discrepancy("content", item_id, f"revision {record.revision}", "what cannot be read")
                continue
            if content is None or content.revision != record.revision:
                newest = f"revision {content.revision}" if content else "nothing"
                yield Discrepancy("content", item_id, f"revision {record.revision}", newest)
            elif content.fingerprint != fingerprint:
                yield Discrepancy("content", item_id, f"fingerprint {content.fingerprint}", f"fingerprint {fingerprint}")

    def words_that_differ(self) -> Iterator[Discrepancy]:
        """Every object that has its text is in the index of words, and nothing else."""
        expected = sum(not record.redacted for record in self.state.objects.values())
        if self._store.words.count() != expected:
            yield Discrepancy("index", "words", f"{expected} objects", f"{self._store.words.count()} objects")

    def evidence_that_differs(self) -> Iterator[Discrepancy]:
        """An edge that is asserted again has new words, so only the last assertion's are compared."""
        for edge, expected in self._evidence.items():
            actual = self._store.contents.evidence_digest(edge)
            ends = self.state.edges[edge].source, self.state.edges[edge].target
            if actual != expected and not any(self._is_erased(self.state.objects[end].item_id) for end in ends):
                yield Discrepancy("content", edge, f"evidence with digest {expected[:16]}", f"{(actual or 'nothing')[:16]}")

    def _cycle_that_differs(self, entry: Entry, event: CycleCompleted) -> Iterator[Discrepancy]:
        self.cycles += 1
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
        self._k_digests[index] = event.k_digest
        yield from self._taken_over(event, arrays, k, dormant)
        self._progress(self.entries, 0, f"replayed the run at {event.grid_at:%Y-%m-%d %H:%M}")

    def _taken_over(self, event: CycleCompleted, arrays: GravityArrays, k: FloatArray, dormant: BoolArray) -> Iterator[Discrepancy]:
        """What the next run starts from: K as replayed or, where another engine gave another K, as it is kept."""
        replayed = k_digest(arrays.object_ids, k, id_order=arrays.id_order)
        differs = replayed != event.k_digest
        foreign = event.engine_version if event.engine_version != ENGINE_VERSION else "" if event.settled else self._inherits
        if event.engine_version != ENGINE_VERSION:
            self._count(event, differing=differs)
        self._inherits, self._taken_as_kept = "", False
        if differs and not foreign:
            yield Discrepancy("score", f"the run at {event.grid_at.isoformat()}", event.k_digest[:16], replayed[:16])
        elif differs:
            kept = self._kept(event, arrays)
            self._inherits = foreign if kept is None else ""
            if kept is not None:
                self._taken_as_kept = True
                k, replayed, dormant = kept, event.k_digest, dormant_after(kept, dormant, self._parameters)
        self._scores = {ObjectId(found): (float(k[row]), bool(dormant[row])) for row, found in enumerate(arrays.object_ids)}
        self.last_k_digest = replayed

    def _count(self, event: CycleCompleted, *, differing: bool) -> None:
        so_far = self.other_engines.get(event.engine_version)
        runs, others = (so_far.runs, so_far.differing) if so_far else (0, 0)
        self.other_engines[event.engine_version] = OtherEngine(
            event.engine_version, ENGINE_VERSION, runs + 1, others + differing, event.grid_at
        )

    def _kept(self, event: CycleCompleted, arrays: GravityArrays) -> FloatArray | None:
        """The K that is kept of a run, by the rows of the arrays; None where it is not kept or not what the event says."""
        try:
            _, ids, kept = self._store.projections.k_run(grid_index(event.grid_at))
        except NotFoundError:
            return None
        names = ids.decode("ascii", "replace").split("\n")
        if len(kept) != 8 * len(names) or sorted(names) != sorted(arrays.object_ids):
            return None
        k = np.frombuffer(kept, dtype="<f8")[rows_of(names, list(arrays.object_ids))]
        return k if k_digest(arrays.object_ids, k, id_order=arrays.id_order) == event.k_digest else None

    def scores_that_differ(self) -> Iterator[Discrepancy]:
        """K, usage and Dormant of every object are what the last engine run left, and no others are there."""
        stored = self._store.projections.scores()
        at = self._usage_index or 0
        if self._taken_as_kept:
            self._scores = {found: (k, self._asleep(k, stored.get(found), dormant)) for found, (k, dormant) in self._scores.items()}
        expected = {found: StoredScore(k, self._usage.get(found, 0.0), at, dormant) for found, (k, dormant) in self._scores.items()}
        for found in sorted({*stored, *expected}):
            if stored.get(found) != expected.get(found):
                yield Discrepancy("score", found, _told(expected.get(found)), _told(stored.get(found)))

    def _asleep(self, k: float, stored: StoredScore | None, dormant: bool) -> bool:
        """Being Dormant under another engine's K: between the two lines only what is stored can tell it."""
        if stored is None:
            return dormant
        return bool(dormant_after(np.array([k]), np.array([stored.dormant]), self._parameters)[0])

    def k_history_that_differs(self) -> Iterator[Discrepancy]:
        """Each kept run has the digest that its event holds."""
        for index, ids, k in self._store.projections.k_history():
            object_ids = ids.decode("ascii", "replace").split("\n") if ids else []
            actual = k_digest(object_ids, np.frombuffer(k, dtype="<f8")) if len(k) == 8 * len(object_ids) else "of another length"
            if actual != self._k_digests.get(index):
                yield Discrepancy("score", f"the kept K of grid point {index}", str(self._k_digests.get(index))[:16], actual[:16])


def _told(score: StoredScore | None) -> str:
    return "none" if score is None else f"K {score.k!r}, usage {score.usage!r}, Dormant {score.dormant}, at grid point {score.grid_index}"
