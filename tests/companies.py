"""A small company for tests: what its people write, read by a connector of our own, classed by the words that they use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

from tests import stores

from oida.adapters.classifier.scripted import ScriptedClassifier
from oida.adapters.clock import FrozenClock
from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.embedder.hashing import HashingEmbedder
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.events.vocabulary import Event
from oida.model.errors import Problem
from oida.model.identifiers import ObjectId, PersonId, person_id
from oida.model.source import (
    EVERYONE,
    Block,
    BlockKind,
    ItemKind,
    Person,
    Reference,
    ReferenceCue,
    SourceDescription,
    SourceItem,
    Statement,
)
from oida.model.taxonomy import EpistemicClass
from oida.ports import Connector, StatementClassifier
from oida.workspace.ingest import IngestReport
from oida.workspace.workspace import Models, Workspace

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOW = MONDAY + timedelta(days=30)
CHAT = "chat:harbour"

ADA = Person(person_id(CHAT, "U1"), "Ada", "ada@harbour.example", "ada")
BO = Person(person_id(CHAT, "U2"), "Bo", "bo@harbour.example", "bo")
CY = Person(person_id(CHAT, "U3"), "Cy", "cy@harbour.example", "cy")
BOARD = f"{CHAT}/board"

CLASS_OF_WORD = {
    "decided": EpistemicClass.DECISION,
    "must": EpistemicClass.CONSTRAINT,
    "measured": EpistemicClass.EVIDENCE,
    "plan": EpistemicClass.PLAN,
    "suspect": EpistemicClass.HYPOTHESIS,
    "noticed": EpistemicClass.OBSERVATION,
    "rate": EpistemicClass.EVALUATION,
    "founded": EpistemicClass.NARRATIVE,
}


def class_of(statement: Statement) -> EpistemicClass | None:
    """A question by its mark, any other class by a word that only it holds, chatter without."""
    if statement.text.rstrip().endswith("?"):
        return EpistemicClass.QUESTION
    words = statement.text.casefold().split()
    return next((found for word, found in CLASS_OF_WORD.items() if word in words), None)


def message(
    key: str,
    text: str,
    *,
    day: float = 0.0,
    author: Person | None = ADA,
    reply_to: str = "",
    visibility: Sequence[str] = (EVERYONE,),
    edited_day: float | None = None,
    deleted: bool = False,
    source_id: str = CHAT,
    place: str = "",
    link: str = "",
) -> SourceItem:
    """A message, said `day` days after Monday."""
    references = (Reference(ReferenceCue.REPLY, reply_to),) if reply_to else ()
    edited_at = None if edited_day is None else MONDAY + timedelta(days=edited_day)
    where = place or f"chat/{key}.json"
    return SourceItem(
        source_id=source_id,
        native_id=key,
        kind=ItemKind.MESSAGE,
        title="#harbour",
        body="" if deleted else text,
        blocks=() if deleted else (Block(BlockKind.PARAGRAPH, 0, len(text)),),
        said_at=MONDAY + timedelta(days=day),
        fingerprint=fingerprint(text, str(author), reply_to, edited_at, deleted, where, link),
        place=where,
        link=link or f"https://chat.example/{key}",
        author=author,
        edited_at=edited_at,
        keys=(key,),
        references=references,
        visibility=frozenset(visibility),
        deleted=deleted,
    )


def document(
    key: str, lines: Sequence[str], *, day: float = 0.0, supersedes: str = "", visibility: Sequence[str] = (EVERYONE,), status: str = ""
) -> SourceItem:
    """A document of one paragraph a line."""
    body = "\n\n".join(lines)
    blocks, start = [], 0
    for line in lines:
        blocks.append(Block(BlockKind.PARAGRAPH, start, start + len(line)))
        start += len(line) + 2
    return SourceItem(
        source_id="notes:harbour",
        native_id=key,
        kind=ItemKind.DOCUMENT,
        title=key,
        body=body,
        blocks=tuple(blocks),
        said_at=MONDAY + timedelta(days=day),
        fingerprint=fingerprint(body, supersedes, status),
        place=f"notes/{key}.md",
        author=BO,
        keys=(key,),
        references=(Reference(ReferenceCue.SUPERSEDES, supersedes),) if supersedes else (),
        visibility=frozenset(visibility),
        status=status,
    )


COMPANY: tuple[SourceItem, ...] = (
    message("m1", "We decided to load the vans at Moss by night.", day=0),
    message("m2", "I noticed that the night loading at Moss takes two hours longer.", day=1, author=BO),
    message("m3", "Why is the queue at the gate so long at dawn?", day=2, author=CY),
    message("m4", "I suspect the broken gate at Moss delays the night loading.", day=3, reply_to="m3", author=BO),
    message("m5", "We measured the gate at Moss and it opens in four seconds.", day=4, reply_to="m4", author=ADA),
    message("m6", "Good morning everybody!", day=4.5, author=CY),
    message("m7", "No, I suspect the new scanner instead.", day=5, reply_to="m4", author=CY),
    message("m8", "We plan to sell the Moss depot in autumn.", day=6, author=ADA, visibility=(BOARD,)),
    message("m9", "Who will buy the Moss depot from us?", day=7, author=BO, visibility=(BOARD,)),
    message("m10", "We decided to load the vans at Moss by day instead of by night.", day=8, author=ADA),
    document("adr-1", ["We decided to keep paper waybills.", "Drivers must sign every waybill."], day=2),
    document("adr-2", ["We decided to scan waybills with phones.", "I rate the phones as good enough."], day=9, supersedes="adr-1"),
    message("m11", "I noticed that the night loading at Moss takes two hours longer.", day=10, author=CY),
    message("m12", "How many vans must stay at Moss?", day=11, author=BO),
    message("m13", "We decided that four vans stay at Moss.", day=12, reply_to="m12", author=ADA),
)

PEOPLE = (ADA, BO, CY)


@dataclass
class FakeConnector:
    """A source that holds what a test gives it."""

    items: Sequence[SourceItem | Problem]
    source_id: str = CHAT
    groups: dict[str, frozenset[PersonId]] = field(default_factory=lambda: {BOARD: frozenset({ADA.person_id, BO.person_id})})
    people: tuple[Person, ...] = PEOPLE

    @property
    def description(self) -> SourceDescription:
        """The chat of the harbour, with its board."""
        return SourceDescription(self.source_id, "chat", "Harbour", MappingProxyType(self.groups), self.people)

    def read(self) -> Iterator[SourceItem | Problem]:
        """Everything in the given order."""
        yield from self.items


@dataclass
class FakeReader:
    """Finds the given connectors at any path."""

    connectors: Sequence[Connector]
    problems: Sequence[Problem] = ()

    def open_path(self, path: Path) -> tuple[list[Connector], list[Problem]]:
        """The given connectors."""
        return list(self.connectors), list(self.problems)


def sources_of(items: Sequence[SourceItem | Problem]) -> list[FakeConnector]:
    """One connector for each source, in the order in which the sources are met."""
    by_source: dict[str, list[SourceItem | Problem]] = {}
    for item in items:
        by_source.setdefault(item.source_id if isinstance(item, SourceItem) else CHAT, []).append(item)
    return [FakeConnector(held, source_id=source_id) for source_id, held in by_source.items()]


def open_base(
    path: Path | None = None, *, now: datetime = NOW, follows: bool = False, classifier: StatementClassifier | None = None
) -> Workspace:
    """A base at `path`, made when it is not there; in memory for None."""
    is_new = path is None or not stores.is_base(path)
    database = stores.make_base(path) if is_new or path is None else stores.find_base(path)
    embedder = HashingEmbedder()
    workspace = Workspace(
        stores.store_of(database, model_id=embedder.model_id, dimension=embedder.dimension),
        models=Models(embedder=lambda: embedder, classifier=lambda: classifier or ScriptedClassifier(class_of)),
        reader=FakeReader([]),
        counter=ConservativeTokenCounter(),
        clock=FrozenClock(now),
    )
    if is_new:
        workspace.create(follows_source_time=follows, base_id="base")
    return workspace


def ingest(workspace: Workspace, items: Sequence[SourceItem | Problem], *, settle: bool = True) -> IngestReport:
    """Read items as one run over their sources."""
    return workspace.ingest([Path("anywhere")], reader=FakeReader(sources_of(items)), settle=settle)


def company(path: Path | None = None, **options: object) -> Workspace:
    """A base that holds the company."""
    workspace = open_base(path, **options)  # type: ignore[arg-type]
    ingest(workspace, COMPANY)
    return workspace


def events_after(workspace: Workspace, position: int) -> list[Event]:
    """What happened after a position of the ledger."""
    return [entry.event for entry in workspace.store.event_log.read(after=position)]  # type: ignore[arg-type]


def names_after(workspace: Workspace, position: int) -> list[str]:
    """The names of what happened after a position."""
    return [type(event).__name__ for event in events_after(workspace, position)]


def said(workspace: Workspace, words: str) -> ObjectId:
    """The one object whose text begins with these words, its newest revision."""
    found = [each for each in workspace.store.contents.all_statements() if each.text.startswith(words)]
    assert found, f"nothing begins with {words!r}"
    return max(found, key=lambda each: (each.revision, each.object_id)).object_id


def status_of(workspace: Workspace, words: str) -> str:
    """The public status of the object whose text begins with these words."""
    record = workspace.store.projections.object_record(said(workspace, words))
    assert record is not None
    return record.status.value


def k_digest(workspace: Workspace) -> str:
    """The digest of K that the last engine run left."""
    return workspace.store.projections.fact("last_k_digest") or ""
