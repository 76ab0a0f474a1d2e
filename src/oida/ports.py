"""The whole boundary on one page: what the workspace asks of the outside world.

Adapters implement these; nothing below the workspace ever calls one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from oida.evaluation.labelled import Example
from oida.events.chain import EMPTY_HEAD, Head
from oida.events.state import EdgeRecord, MemoryState, ObjectRecord, State
from oida.events.vocabulary import Entry, NewEntry
from oida.model.access import AccessKey, Proposal
from oida.model.classification import Classification
from oida.model.content import ItemContent, StatementContent, Whereabouts
from oida.model.dialogue import Prompt, Reply
from oida.model.errors import Problem
from oida.model.feed import CompleteRange, Connection, Handed, SecretReference
from oida.model.identifiers import EdgeId, EntityId, ItemId, ObjectId, Position
from oida.model.job import FailedItem, Job, JobCounts, JobState
from oida.model.source import Person, SourceDescription, Statement
from oida.model.webhook import Delivery, Webhook

if TYPE_CHECKING:
    from oida.gravity.arrays import BoolArray, GravityArrays
    from oida.gravity.engine import CycleResult, SettleResult
    from oida.gravity.parameters import GravityParameters
    from oida.gravity.portable import FloatArray
    from oida.ingestion.guard import Said
    from oida.ingestion.relation_prompt import Pair, PairAnswer

Vectors = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float32]


class Clock(Protocol):
    """What time it is, and the waiting for a later one."""

    def now(self) -> datetime:
        """The current moment, aware."""
        ...

    def wait(self, seconds: float) -> None:
        """Come back when so much time has gone by."""
        ...


class HalfEmbedded(Protocol):
    """Texts of which an encoder has done the part that a classifier reads; the rest is done for those that are kept."""

    def finish(self, rows: Sequence[int]) -> Vectors:
        """Unit vectors of the texts in those rows, shape (len(rows), dimension), the same bits as `Embedder.embed` gives."""
        ...


class Embedder(Protocol):
    """Text to unit vectors."""

    @property
    def model_id(self) -> str:
        """Name and version; vectors of different models are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimension), float32; the same text gives the same vector in any batch."""
        ...

    def begin(self, texts: Sequence[str]) -> HalfEmbedded:
        """As `embed`, for texts of which only some will be kept."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As `embed`, for questions put to the memory: some models tell the two apart."""
        ...


class LanguageModel(Protocol):
    """A model that is asked and replies."""

    @property
    def name(self) -> str:
        """What is recorded with its replies."""
        ...

    def ask(self, prompt: Prompt) -> Reply:
        """One reply, with no text for a refusal; raises UnavailableError when there is none, InputError when it may not be asked."""
        ...


class KeepingModel(LanguageModel, Protocol):
    """A model whose valid replies are kept, so that a replay asks nobody."""

    def recall(self, prompt: Prompt) -> Reply | None:
        """The kept reply to a prompt, None where there is none; asks nobody."""
        ...

    def keep(self, prompt: Prompt, reply: Reply) -> None:
        """Keep a reply that was valid."""
        ...


class StatementClassifier(Protocol):
    """Statements to classes."""

    @property
    def name(self) -> str:
        """What is recorded with every object it types."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever an answer could."""
        ...

    def classify(self, statements: Sequence[Statement]) -> list[Classification | Problem]:
        """One answer for each statement, in order."""
        ...


class RelationFinder(Protocol):
    """Pairs of statements to relations, beyond what cues show."""

    @property
    def version(self) -> str:
        """Recorded as the method of every edge; changes whenever an answer could."""
        ...

    def relations(self, pairs: Sequence[Pair]) -> list[PairAnswer | Problem]:
        """One answer for each (later, earlier), in order."""
        ...


@dataclass(frozen=True, slots=True)
class UnseenAnswers:
    """Probabilities, one row an example and one column a label, and by source where they come from."""

    labels: tuple[str, ...]
    probabilities: npt.NDArray[np.float64]
    means: Mapping[str, str]


class UnseenClassifier(Protocol):
    """A classifier for audits: nothing that answers here was trained on what it is asked about."""

    def classifier_for(self, source: str, texts: Sequence[str]) -> StatementClassifier:
        """A classifier that never saw a source or its texts; raises InputError where there is none."""
        ...

    def answers(self, examples: Sequence[Example], *, training: Callable[[], Sequence[Example]] | None) -> UnseenAnswers:
        """Answers about labelled statements; `training` gives what may be fitted on for a source that was seen, None to fit nothing."""
        ...


@dataclass(frozen=True, slots=True)
class UnseenRelations:
    """A relation label and its probability for each pair, and how many pairs were answered which way."""

    labels: tuple[str, ...]
    confidence: tuple[float, ...]
    means: Mapping[str, int]


class PairAuditor(Protocol):
    """A relation finder for audits: nothing that answers here was trained on what it is asked about."""

    def answers(self, pairs: Sequence[tuple[Said, Said]]) -> UnseenRelations:
        """Answers about pairs of statements."""
        ...


class Connector(Protocol):
    """A source that can be read: items or problems, in any order, in bounded memory."""

    @property
    def description(self) -> SourceDescription:
        """Identity, people and groups of the source."""
        ...

    def read(self) -> Iterator[Handed]:
        """Every item once; a broken one is a Problem and does not end the reading.

        Where the source can tell, also who may see what, and which ranges are complete: what of those did not come is gone. A connector
        that says nothing of the kind withdraws nothing.
        """
        ...


class LiveConnector(Protocol):
    """A source that is followed over the network: read from where the last reading ended.

    What the source says in its own way leaves as an `OidaError`: UnavailableError for what may pass, InputError for what a person must
    put right (a revoked token), with the secret in neither.
    """

    def describe(self) -> SourceDescription:
        """Identity, people and groups of the source as it is now; asking for them tests the connection."""
        ...

    def follow(self, cursor: str, *, known: Callable[[], Iterable[str]]) -> Iterator[Handed]:
        """What changed since `cursor` ("" for everything), with a Checkpoint wherever a later reading may go on.

        `known` gives the native ids that stand in the base, for sources that tell of a deletion only when they are asked. A cursor that
        has expired is no error: the source is read anew. The last thing handed over is a Checkpoint.
        """
        ...

    def read_again(self, native_ids: Sequence[str]) -> Iterator[Handed]:
        """Those items as they stand now; one that still cannot be read is Missed, one that is gone for certain a tombstone."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


class LiveSources(Protocol):
    """The kinds of source that can be followed, and the way to their secrets."""

    def kinds(self) -> Mapping[str, str]:
        """Each kind with the options that it takes, in a line."""
        ...

    def secret_variable(self, kind: str) -> str:
        """The environment variable in which a kind's secret is looked for by default; raises InputError for no kind of ours."""
        ...

    def find_secret(self, reference: SecretReference) -> str:
        """The secret; raises InputError with what to do when it is not there."""
        ...

    def keep_secret(self, reference: SecretReference, secret: str) -> None:
        """Put a secret into the system's keyring; raises InputError where there is none."""
        ...

    def open(self, kind: str, options: Mapping[str, str], secret: str) -> LiveConnector:
        """A connector; raises InputError for options that the kind does not take or an address that may not be asked."""
        ...


class TokenCounter(Protocol):
    """How many tokens a text costs a model."""

    def count(self, text: str) -> int:
        """At least the number of tokens that the target model sees."""
        ...


class ExportReader(Protocol):
    """Finds the sources that a path holds, by content."""

    def open_path(self, path: Path) -> tuple[list[Connector], list[Problem]]:
        """One connector for each source found under `path`; what is no source of ours is a Problem."""
        ...


@dataclass(frozen=True, slots=True)
class ObjectFilter:
    """Which objects are wanted; an empty set means any, `groups=None` means whatever anyone may see."""

    classes: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    groups: frozenset[str] | None = None


class ListOrder(StrEnum):
    """In which order objects are listed: newest said, newest recorded, longest not reinforced, heaviest, most urgent, most worth a look."""

    SAID = "said"
    RECORDED = "recorded"
    FADED = "faded"
    K = "k"
    URGENCY = "urgency"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True)
class ObjectListing:
    """A part of a list of objects, told so that a store can cut it out without reading the rest.

    `without` are ids that do not belong to it though the filter lets them through, `also` ids that do though it does not (but for
    their status, they must pass too). `recorded_since` is exclusive; `reinforced_before`, `confidence_below` and `k_at_least` are what
    they say; `by_machine` leaves out what a person typed or confirmed. `urgency` holds the weights of age in days, of a blocked object
    and of stakes, for the order by urgency.
    """

    wanted: ObjectFilter
    order: ListOrder = ListOrder.SAID
    start: int = 0
    size: int = 50
    without: frozenset[ObjectId] = frozenset()
    also: frozenset[ObjectId] = frozenset()
    recorded_since: datetime | None = None
    reinforced_before: datetime | None = None
    confidence_below: float | None = None
    k_at_least: float | None = None
    by_machine: bool = False
    urgency: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class EdgeListing:
    """A part of a list of edges that are not retracted, both of whose ends the groups may see.

    With `standing` both ends are ACTIVE and neither is in `without`; with `ending` the edge is what superseded or resolved its target. The
    order is the sum of both ends' K with `by_weight`, that sum times the doubt with `by_doubt`, else the newest recorded first. `entities`
    and `domain` are of one end at least.
    """

    types: frozenset[str]
    groups: frozenset[str] | None
    start: int = 0
    size: int = 50
    standing: bool = False
    by_weight: bool = False
    without: frozenset[ObjectId] = frozenset()
    recorded_since: datetime | None = None
    confidence_below: float | None = None
    by_machine: bool = False
    entities: frozenset[str] = frozenset()
    domain: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    ending: bool = False
    by_doubt: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ObjectTable:
    """Every object as columns in the order of ids: no Python object for each.

    `class_index` counts in the order of `EpistemicClass`, `status_index` in that of `Status`; `reinforced_us` is in microseconds since
    1970; `domains` is empty unless asked for.
    """

    object_ids: npt.NDArray[np.str_]
    class_index: npt.NDArray[np.int8]
    status_index: npt.NDArray[np.int8]
    reinforced_us: npt.NDArray[np.int64]
    domains: npt.NDArray[np.str_]


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTable:
    """Edges that are neither retracted nor restricted, as columns; `type_index` counts in the order of `EdgeType`."""

    edge_ids: npt.NDArray[np.str_]
    sources: npt.NDArray[np.str_]
    targets: npt.NDArray[np.str_]
    type_index: npt.NDArray[np.int8]
    confidence: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """K, usage and Dormant of every object that has been weighed, as columns in the order of ids."""

    object_ids: npt.NDArray[np.str_]
    k: npt.NDArray[np.float64]
    usage: npt.NDArray[np.float64]
    dormant: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StoredScore:
    """K in [0, 1] and the usage accumulator in [0, 5] of an object after the engine's run at a grid point."""

    k: float
    usage: float
    grid_index: int
    dormant: bool = False


@dataclass(frozen=True, slots=True)
class RecordDifference:
    """One record that is not what a replay makes it: the table, its key, and what of it is expected and found."""

    table: str
    key: str
    expected: str
    found: str


class EventLog(Protocol):
    """The ledger: appended to, read in order, never changed."""

    def head(self) -> Head:
        """Where the ledger ends."""
        ...

    def append(self, entries: Sequence[NewEntry], *, expected: Position) -> list[Entry]:
        """Add entries after `expected`, all or none; raises StaleAppendError when the ledger ends elsewhere."""
        ...

    def read(self, *, after: Position = EMPTY_HEAD.position) -> Iterator[Entry]:
        """Entries in order, from the one after `after`."""
        ...

    def about(self, subject: str) -> list[Entry]:
        """The entries that are about an object, an item or an edge, oldest first."""
        ...

    def before(self, position: int, *, most: int) -> list[Entry]:
        """The last `most` entries at or before a position, newest first."""
        ...

    def verify(self) -> Head:
        """The head of an unbroken chain; raises BrokenChainError with the first line that does not follow."""
        ...


class ContentStore(Protocol):
    """The texts, names and problems beside the ledger."""

    def put_item(self, content: ItemContent) -> str:
        """Keep a revision of an item; its keyed digest, hexadecimal, for the event that records it."""
        ...

    def put_statement(self, content: StatementContent) -> str:
        """Keep the text of an object of an item that is here; its keyed digest."""
        ...

    def put_evidence(self, edge_id: EdgeId, item_id: ItemId, words: str) -> str:
        """Keep the words that show an edge, under the key of the item that says them; their keyed digest."""
        ...

    def item(self, item_id: ItemId) -> ItemContent | None:
        """The newest revision of an item."""
        ...

    def fingerprint(self, item_id: ItemId) -> str | None:
        """The fingerprint of the newest revision: equal ones mean that nothing changed at the source."""
        ...

    def all_items(self) -> Iterator[ItemContent]:
        """The newest revision of every item, by id."""
        ...

    def statements(self, object_ids: Collection[ObjectId]) -> dict[ObjectId, StatementContent]:
        """The texts of those objects that are here and not redacted."""
        ...

    def texts(self, object_ids: Collection[ObjectId]) -> dict[ObjectId, str]:
        """The words alone of those objects that are here and not redacted: for thousands at once."""
        ...

    def all_statements(self) -> Iterator[StatementContent]:
        """Every text, by object id."""
        ...

    def evidence(self, edge_ids: Collection[EdgeId]) -> dict[EdgeId, str]:
        """The words that show those edges."""
        ...

    def statement_digest(self, object_id: ObjectId) -> str | None:
        """The keyed digest of an object's text as it lies here now; None when it or its key is gone."""
        ...

    def item_digest(self, item_id: ItemId, revision: int) -> str | None:
        """The keyed digest of an item's revision as it lies here now."""
        ...

    def evidence_digest(self, edge_id: EdgeId) -> str | None:
        """The keyed digest of an edge's words as they lie here now."""
        ...

    def erase(self, item_id: ItemId) -> None:
        """Erase an item's text, its statements', its edges' evidence and its key."""
        ...

    def erase_evidence(self, edge_ids: Collection[EdgeId]) -> None:
        """Erase the words that show those edges."""
        ...

    def whereabouts(self, item_ids: Collection[ItemId]) -> dict[ItemId, Whereabouts]:
        """Where those items stand at their source now."""
        ...

    def erase_entities(self, entity_ids: Collection[str]) -> None:
        """Erase names of entities."""
        ...

    def items_called(self, name: str) -> list[ItemId]:
        """The items whose native id or place is `name`, by id."""
        ...

    def standing_native_ids(self, source_id: str) -> Iterator[str]:
        """The native ids of a source's items that are not withdrawn or redacted."""
        ...

    def standing_in(self, source_id: str, range_: CompleteRange) -> Iterator[ItemId]:
        """The items that stand and belong to a range."""
        ...

    def seen_otherwise(self, source_id: str, prefix: str, visibility: Collection[str]) -> list[ItemId]:
        """The items whose native id begins with `prefix` and who are visible to others than `visibility`, by id."""
        ...

    def problem_counts(self) -> Mapping[str, int]:
        """How many problems each source has met."""
        ...

    def put_people(self, source_id: str, people: Sequence[Person]) -> None:
        """Keep names and addresses of people, in place of what was there."""
        ...

    def people(self) -> list[Person]:
        """Everyone known, by id."""
        ...

    def put_entity(self, entity_id: EntityId, name: str) -> None:
        """Keep the name of an entity; of several spellings the first by code point, whichever was met first."""
        ...

    def entities(self) -> dict[str, str]:
        """Names of all entities by id."""
        ...

    def put_problem(self, source_id: str, problem: Problem, *, recorded_at: datetime) -> bool:
        """Keep a problem; False when the same one is known already."""
        ...

    def problems(self) -> list[Problem]:
        """Every problem met, oldest first."""
        ...


class Projections(State, Protocol):
    """The fold's records in a store, and the questions asked of them."""

    def objects(self, object_ids: Collection[ObjectId]) -> list[ObjectRecord]:
        """The records of those ids that are here, by id."""
        ...

    def all_objects(self) -> Iterator[ObjectRecord]:
        """Every object, by id."""
        ...

    def all_edges(self) -> Iterator[EdgeRecord]:
        """Every edge in the engine's order: target, source, type, edge id."""
        ...

    def copies_of(self, representatives: Collection[ObjectId]) -> list[ObjectRecord]:
        """The objects that say again what one of the representatives said first."""
        ...

    def edges_touching(self, object_ids: Collection[ObjectId]) -> list[EdgeRecord]:
        """Edges that are not retracted and begin or end at one of the objects, by edge id."""
        ...

    def find(self, wanted: ObjectFilter) -> list[ObjectRecord]:
        """The objects that a filter lets through, newest first, ties by id."""
        ...

    def list_objects(self, listing: ObjectListing) -> tuple[list[ObjectRecord], int]:
        """A part of a list in its order, ties by id, and how long the whole list is."""
        ...

    def list_edges(self, listing: EdgeListing) -> tuple[list[EdgeRecord], int]:
        """A part of a list in its order, ties by id, and how long the whole list is."""
        ...

    def restricted_endings(self) -> list[EdgeRecord]:
        """Edges that supersede or resolve and act only for those who may see both ends, by edge id."""
        ...

    def unweighed(self, *, groups: frozenset[str] | None) -> list[ObjectId]:
        """Objects that the groups may see and no engine run has weighed yet, by id."""
        ...

    def zone_counts(self, *, groups: frozenset[str] | None, thresholds: Sequence[float]) -> list[int]:
        """How many weighed objects that the groups may see have K at or above each threshold."""
        ...

    def k_series(self, object_id: ObjectId, *, most: int) -> list[tuple[int, float]]:
        """Grid point and K of an object at the newest `most` kept runs that have it, oldest first."""
        ...

    def k_samples(self, *, most: int) -> Iterator[tuple[int, bytes]]:
        """Grid point and all K of the newest `most` kept runs, oldest first."""
        ...

    def scores(self, object_ids: Collection[ObjectId] | None = None) -> dict[ObjectId, StoredScore]:
        """K and usage of the objects at the last engine run; of all for None."""
        ...

    def object_table(self, *, with_domains: bool) -> ObjectTable:
        """Every object as columns."""
        ...

    def edge_table(self, *, targets: tuple[str, str] | None = None) -> EdgeTable:
        """Every edge that counts for K, or those whose target's id lies from the one to the other, as columns.

        Whether an edge's source still acts is for the caller to tell.
        """
        ...

    def in_degrees(self) -> Mapping[ObjectId, int]:
        """How many edges that count for K end at each object that has any."""
        ...

    def score_table(self) -> ScoreTable:
        """What the last engine run left, as columns."""
        ...

    def put_score_table(self, table: ScoreTable, *, grid_index: int) -> None:
        """Keep K, usage and Dormant after an engine run, in place of what was there."""
        ...

    def put_k_history(self, *, grid_index: int, position: int, ids: bytes, k: bytes) -> None:
        """Keep all K of a grid point beside the ledger, replacing an earlier run at the same point."""
        ...

    def k_history(self, *, since_grid_index: int = 0) -> Iterator[tuple[int, bytes, bytes]]:
        """Grid point, ids and K of each kept run, oldest first."""
        ...

    def k_run(self, grid_index: int) -> tuple[int, bytes, bytes]:
        """Ledger position, ids and K of the kept run at a grid point; raises NotFoundError where none is kept."""
        ...

    def thin_k_history(self, *, full_rate_from_grid_index: int, points_per_day: int) -> None:
        """Keep one run a day of what is older than `full_rate_from_grid_index`."""
        ...

    def served_counts(self, *, after_grid_index: int, up_to_grid_index: int) -> dict[int, dict[ObjectId, int]]:
        """Retrievals by grid point and object, in a half-open range (after, up to]."""
        ...

    def groups_of(self, members: Collection[str], principal: str) -> frozenset[str]:
        """The visibility groups of a principal: granted ones, and those that name one of its persons."""
        ...

    def group_members(self, group: str) -> tuple[str, ...]:
        """Who belongs to a group, as its source said last."""
        ...

    def has_grants(self, principal: str) -> bool:
        """Whether anything was granted to a principal by name."""
        ...

    def newest_said_at(self) -> datetime | None:
        """The newest source time of all objects."""
        ...

    def counts(self, column: str, *, groups: frozenset[str] | None) -> Mapping[str, int]:
        """How many objects have each value of a column, of those that the groups may see."""
        ...

    def item_counts(self, *, groups: frozenset[str] | None) -> Mapping[str, int]:
        """How many items each source has, of those that the groups may see."""
        ...

    def audiences(self, *, groups: frozenset[str] | None) -> Mapping[str, Mapping[str, int]]:
        """For each source the groups among `groups` (all for None) who may see it, with how many of its objects."""
        ...

    def vocabulary(self, *, groups: frozenset[str] | None) -> tuple[dict[str, int], dict[str, int]]:
        """Entity ids and domains that the groups may see, each with its number of objects."""
        ...

    def heaviest(self, wanted: ObjectFilter, *, most: int, k_at_least: float) -> list[ObjectId]:
        """The objects of most K at the last engine run, of equal ones the newest first; some may have ended since."""
        ...

    def authors(self, *, groups: frozenset[str] | None) -> frozenset[str]:
        """Who said what the groups may see."""
        ...

    def unredacted_entities(self) -> frozenset[str]:
        """Entities of which some object still has its text."""
        ...

    def differences(self, expected: MemoryState) -> Iterator[RecordDifference]:
        """Where the records are not those of a replay."""
        ...

    def clear(self) -> None:
        """Empty every projection table: the step before a rebuild."""
        ...


class KeyRing(Protocol):
    """The keys of a base; no secret is ever kept, only digests."""

    def put(self, key: AccessKey) -> None:
        """Keep a new key."""
        ...

    def find(self, key_id: str) -> AccessKey | None:
        """The key of that id, live or not."""
        ...

    def all(self) -> list[AccessKey]:
        """Every key there ever was, oldest first."""
        ...

    def revoke(self, key_id: str, *, at: datetime) -> None:
        """End a key for good."""
        ...


class Proposals(Protocol):
    """What waits for a reviewer's word."""

    def put(self, proposal: Proposal) -> None:
        """Keep a proposal in place of what its id had."""
        ...

    def find(self, proposal_id: str) -> Proposal | None:
        """The proposal of that id."""
        ...

    def waiting(self) -> list[Proposal]:
        """What waits, oldest first."""
        ...

    def count_waiting(self, proposed_by: str) -> int:
        """How many proposals of one principal wait."""
        ...


@dataclass(frozen=True, slots=True)
class RememberedRequest:
    """A request that was begun under an idempotency key; `outcome` is JSON without free text, None while it runs or when it broke off."""

    request_digest: bytes
    outcome: str | None


class Requests(Protocol):
    """Requests that must not be carried out twice."""

    def begin(self, principal: str, request_key: str, request_digest: bytes, *, now: datetime) -> RememberedRequest | None:
        """Claim a key for a request; what is remembered under it already, or None when it is now claimed."""
        ...

    def end(self, principal: str, request_key: str, outcome: str) -> None:
        """Remember what a claimed request did."""
        ...

    def forget(self, principal: str, request_key: str) -> None:
        """Give a claimed key back: the request failed and changed nothing."""
        ...


class Connections(Protocol):
    """The sources that a base follows; each write joins the open transaction or is one of its own."""

    def put(self, connection: Connection) -> None:
        """Keep a connection in place of what its name had."""
        ...

    def find(self, name: str) -> Connection | None:
        """The connection of that name."""
        ...

    def all(self) -> list[Connection]:
        """Every connection, by name."""
        ...

    def remove(self, name: str) -> None:
        """Follow a source no longer; what was read of it stays."""
        ...

    def move_on(self, name: str, cursor: str) -> None:
        """Note how far a source was read."""
        ...

    def note_read(self, name: str, *, at: datetime) -> None:
        """Note that a source was read to its end."""
        ...


class Webhooks(Protocol):
    """Who is told of news, and what is on its way; each write joins the open transaction or is one of its own."""

    def put(self, webhook: Webhook) -> None:
        """Keep a webhook in place of what its name had."""
        ...

    def all(self) -> list[Webhook]:
        """Every webhook, by name."""
        ...

    def remove(self, name: str) -> None:
        """Tell an address nothing more."""
        ...

    def note_told(self, before: Webhook, after: Webhook) -> bool:
        """Keep what was told in place of what was told before; False when another process has done so meanwhile."""
        ...

    def send_off(self, delivery: Delivery) -> None:
        """Put a message on its way."""
        ...

    def deliveries(self, *, due_at: datetime | None = None) -> list[Delivery]:
        """What is on its way, the oldest first; with `due_at` only what should go out by then."""
        ...

    def take(self, delivery: Delivery, *, next_at: datetime) -> bool:
        """Count an attempt before it is made, so that of two processes only one makes it; whether it is this one's."""
        ...

    def fail(self, delivery_id: str, message: str, *, for_good: bool) -> None:
        """Note why an attempt failed, and whether it was the last."""
        ...

    def arrived(self, delivery_id: str) -> None:
        """Forget a message that arrived."""
        ...


class WebhookSender(Protocol):
    """What carries messages to webhooks."""

    def post(self, url: str, *, headers: Mapping[str, str], body: bytes, private: bool) -> int:
        """The status of one POST; raises UnavailableError where nothing answers or the address lies where it may not."""
        ...


class JobBook(Protocol):
    """Jobs, the items that workers have taken for themselves, and those that failed; times are the wall clock's.

    A lease ends with its time or with its worker's process, whichever comes first. Each write joins the open transaction or is one of
    its own.
    """

    def new_worker(self) -> str:
        """A name for what the calling process is about to do, by which others can tell whether it still lives."""
        ...

    def begin(self, job: Job) -> None:
        """Keep a new job; raises ConflictError while another worker reads the same connection."""
        ...

    def renew(self, job_id: str, counts: JobCounts, *, lease_until: datetime) -> None:
        """Note how far a job is; raises ConflictError when it was taken from its worker."""
        ...

    def end(self, job_id: str, state: JobState, counts: JobCounts, *, at: datetime, code: str = "", message: str = "") -> None:
        """Note how a job ended."""
        ...

    def find(self, job_id: str, *, now: datetime) -> Job | None:
        """The job of that id, INTERRUPTED when its worker is gone."""
        ...

    def all(self, *, now: datetime) -> list[Job]:
        """Every job, newest first."""
        ...

    def has_unrelated(self) -> bool:
        """Whether a job changed something since relations were last found."""
        ...

    def note_related(self) -> None:
        """Relations were found over everything that is here."""
        ...

    def claim(self, item_ids: Sequence[ItemId], *, worker: str, now: datetime, lease_until: datetime) -> frozenset[ItemId]:
        """Take items that no other worker has; those that are now the worker's."""
        ...

    def release(self, item_ids: Sequence[ItemId], *, worker: str) -> int:
        """Give items back; how many were still the worker's."""
        ...

    def put_failed(self, failed: FailedItem) -> None:
        """Keep a failed item; its attempts are counted up."""
        ...

    def forget_failed(self, item_ids: Collection[ItemId]) -> None:
        """These failed no longer, or are to leave no trace."""
        ...

    def failed(self, *, source_id: str | None = None, job_id: str | None = None) -> list[FailedItem]:
        """Items that failed and still do, by source and native id."""
        ...


class Store(Protocol):
    """One base: everything that is written together or not at all."""

    @property
    def event_log(self) -> EventLog:
        """The ledger."""
        ...

    @property
    def contents(self) -> ContentStore:
        """The texts."""
        ...

    @property
    def projections(self) -> Projections:
        """The records of the fold."""
        ...

    @property
    def vectors(self) -> VectorIndex:
        """Search by meaning."""
        ...

    @property
    def words(self) -> LexicalIndex:
        """Search by words."""
        ...

    @property
    def keys(self) -> KeyRing:
        """Who may call from outside."""
        ...

    @property
    def proposals(self) -> Proposals:
        """What waits for a reviewer's word."""
        ...

    @property
    def requests(self) -> Requests:
        """What was asked for under an idempotency key."""
        ...

    @property
    def webhooks(self) -> Webhooks:
        """Who is told of what."""
        ...

    @property
    def connections(self) -> Connections:
        """The sources that are followed."""
        ...

    @property
    def jobs(self) -> JobBook:
        """What is being read, and what failed."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written here."""
        ...

    def transaction(self) -> AbstractContextManager[object]:
        """All that is written inside is written at once or not at all."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """All that is read inside is of one moment."""
        ...

    def rows(self, *, whole: bool = False) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Every row that an export carries, with its table; JSON values only. A backup is `whole`: with keys, queues and connections."""
        ...

    def take_rows(self, table: str, rows: Sequence[Mapping[str, Any]], *, whole: bool = False) -> None:
        """Put exported rows of one table back, inside a transaction; raises InputError for what is none."""
        ...

    def engine_turn(self) -> AbstractContextManager[bool]:
        """Whether the caller alone runs the engine meanwhile; it passes to another when the caller's process or connection ends."""
        ...

    def damage(self) -> Iterator[str]:
        """What the store finds wrong with its own files."""
        ...

    def witnessed_head(self) -> Head | None:
        """The head as it was last seen outside the base, if there is such a witness."""
        ...

    def witness(self, head: Head) -> None:
        """Note the head outside the base, so that a cut tail can be told."""
        ...

    def purge(self) -> None:
        """Leave no byte of what was erased in any file of the base: call it outside a transaction."""
        ...

    def close(self) -> None:
        """Give the base back."""
        ...


class VectorIndex(Protocol):
    """Nearest objects by meaning, exact, of one embedding model.

    Writes become durable with the transaction they are made in. `groups=None` sees everything; otherwise only objects that one of the
    groups may see are found, and no other object has any effect on what is returned.
    """

    @property
    def model_id(self) -> str:
        """The embedding model whose vectors these are."""
        ...

    def add(self, ids: Sequence[ObjectId], vectors: Vectors) -> None:
        """Index one unit vector for each id, replacing what the id had; InputError on another dimension or on NaN."""
        ...

    def remove(self, ids: Iterable[ObjectId]) -> None:
        """Forget these; ids that are not indexed are no matter."""
        ...

    def search(
        self, query: Vector, k: int, *, groups: frozenset[str] | None, within: Collection[ObjectId] | None = None
    ) -> list[tuple[ObjectId, float]]:
        """The k best by cosine in [-1, 1], ties by id; `within` limits the search to those ids."""
        ...

    def similarities(self, query: Vector, ids: Iterable[ObjectId]) -> dict[ObjectId, float]:
        """Cosines of the indexed ones among `ids`; the caller answers for who may see them."""
        ...

    def vectors(self, ids: Iterable[ObjectId]) -> dict[ObjectId, Vector]:
        """The vectors of the indexed ones among `ids`, of length 1 to about 1e-4; the caller answers for who may see them."""
        ...

    def count(self) -> int:
        """How many objects are indexed."""
        ...


class LexicalIndex(Protocol):
    """Objects by the words they share with a question, BM25; the rules on transactions and groups are VectorIndex's.

    So every number of BM25 (how many texts, how many have a word, how long they are) is taken over what the groups may see.
    """

    def add(self, ids: Sequence[ObjectId], texts: Sequence[str]) -> None:
        """Index one text for each id, replacing what the id had."""
        ...

    def remove(self, ids: Iterable[ObjectId]) -> None:
        """Forget these and their words; ids that are not indexed are no matter."""
        ...

    def search(
        self, text: str, k: int, *, groups: frozenset[str] | None, within: Collection[ObjectId] | None = None
    ) -> list[tuple[ObjectId, float]]:
        """The k best by BM25 > 0 for any word of `text`, ties by id; `text` is a person's words, never a query language."""
        ...

    def scores(self, text: str, ids: Collection[ObjectId], *, groups: frozenset[str] | None = None) -> dict[ObjectId, float]:
        """BM25 of those among `ids` that the groups may see and that share a word with `text`: what a search for the groups says."""
        ...

    def purge(self) -> None:
        """Write the index anew from what it still holds, so that nothing keeps the words of what was removed."""
        ...

    def count(self) -> int:
        """How many objects are indexed."""
        ...


class RunningEngine(Protocol):
    """The engine over one graph, wherever its edges are; the same bits as on one machine."""

    @property
    def edge_count(self) -> int:
        """How many edges act."""
        ...

    def cycle(self, k: FloatArray, *, dormant: BoolArray | None = None) -> CycleResult:
        """One cycle of Equation 1."""
        ...

    def settle(self, k0: FloatArray | None = None, *, dormant: BoolArray | None = None) -> SettleResult:
        """The fixed point at a frozen clock."""
        ...


class GravityRunner(Protocol):
    """Where the engine runs when it does not run here."""

    def engine(self, objects: GravityArrays, acts: BoolArray, parameters: GravityParameters) -> AbstractContextManager[RunningEngine]:
        """An engine over a base's edges for as long as the block lasts; `objects` has none, `acts` says whose edges count."""
        ...
