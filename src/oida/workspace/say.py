"""A statement in somebody's own words: placed like any other, and recorded with the name of who said it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from oida.events.vocabulary import Event, ItemRecorded, StatementRecorded
from oida.ingestion.anchors import anchors_of
from oida.ingestion.language import language_of
from oida.ingestion.locate import locate
from oida.ingestion.stakes import stakes_of
from oida.model.content import ItemContent, StatementContent, StatementOutline
from oida.model.coordinate import epoch_of
from oida.model.errors import InputError
from oida.model.identifiers import EntityId, ObjectId, entity_id, item_id, object_id, person_id
from oida.model.source import BlockKind, ItemKind, SourceItem, Statement
from oida.model.taxonomy import EpistemicClass
from oida.ports import Embedder, Store
from oida.workspace.contents import indexed_text
from oida.workspace.record import record

PEOPLE_SOURCE = "people"
"""The source of what people tell the memory themselves."""

PERSON = "person"

MOST_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: the axes that are not its own, and the groups who may see it."""

    entity_id: str
    entity_name: str
    domain: str
    depth: int
    visibility: tuple[str, ...]
    stakes: float


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who says something, and whose name stands in the ledger for it: a reviewer's, where the words are somebody else's."""

    author: str
    recorded_by: str


def place_of(text: str, *, entity: str | None, domain: str | None, visibility: frozenset[str], now: datetime) -> Place:
    """Find the place of a statement by its words; a given entity name or domain is taken as it is."""
    item = SourceItem(PEOPLE_SOURCE, "", ItemKind.MESSAGE, "", text, (), now, "", "")
    statement = as_statement(text, now)
    location = locate(statement, item)
    name = " ".join((entity or "").split()) or location.entity_name
    return Place(
        entity_id=entity_id(name),
        entity_name=name,
        domain=domain or location.domain,
        depth=location.depth,
        visibility=tuple(sorted(visibility)),
        stakes=stakes_of(statement),
    )


def words_of(text: str) -> str:
    """The statement on one line; raises InputError for none and for what is no single statement."""
    words = " ".join(text.split())
    if not words:
        raise InputError("expected some words, found an empty text")
    if len(words) > MOST_CHARACTERS:
        raise InputError(f"expected one statement of at most {MOST_CHARACTERS} characters, found {len(words)}; ingest a document instead")
    return words


def say(
    store: Store, text: str, epistemic_class: EpistemicClass, place: Place, *, speaker: Speaker, embedder: Embedder, now: datetime
) -> tuple[ObjectId, int]:
    """Record a statement inside the store's transaction: the new object and how many events it took."""
    words = words_of(text)
    native_id = f"{speaker.recorded_by}/{store.event_log.head().position + 1}"
    item = item_id(PEOPLE_SOURCE, native_id)
    found = object_id(item, ordinal=0, revision=1)
    title, where = f"Said by {speaker.author}", f"{PEOPLE_SOURCE}/{speaker.author}"
    item_digest = store.contents.put_item(
        ItemContent(
            item_id=item,
            source_id=PEOPLE_SOURCE,
            revision=1,
            native_id=native_id,
            kind=ItemKind.MESSAGE,
            title=title,
            body=words,
            place=where,
            link="",
            said_at=now,
            fingerprint=found,
            outline=(StatementOutline(0, 1, words, found),),
        )
    )
    content = StatementContent(
        object_id=found,
        item_id=item,
        revision=1,
        ordinal=0,
        text=words,
        start=0,
        end=len(words),
        kind=BlockKind.PARAGRAPH,
        section=(),
        previous="",
        said_at=now,
        author_name=speaker.author,
        entity_name=place.entity_name,
        anchors=tuple(sorted(anchors_of(words))),
        title=title,
        place=where,
        link="",
    )
    digest = store.contents.put_statement(content)
    if place.entity_name:
        store.contents.put_entity(EntityId(place.entity_id), place.entity_name)
    events: list[Event] = [
        ItemRecorded(item, PEOPLE_SOURCE, ItemKind.MESSAGE, 1, now, place.visibility, 1, item_digest),
        StatementRecorded(
            object_id=found,
            item_id=item,
            ordinal=0,
            revision=1,
            entity=place.entity_id,
            domain=place.domain,
            epistemic_class=epistemic_class,
            epoch=epoch_of(now),
            depth=place.depth,
            author=person_id(PEOPLE_SOURCE, speaker.author),
            variant=found[-6:],
            confidence=1.0,
            stakes=place.stakes if epistemic_class is EpistemicClass.QUESTION else 0.0,
            said_at=now,
            language=language_of(words),
            classifier=PERSON,
            classifier_version="1",
            content_digest=digest,
        ),
    ]
    store.vectors.add([found], embedder.embed([words]))
    store.words.add([found], [indexed_text(content)])
    return found, record(store, events, principal=speaker.recorded_by, now=now)


def as_statement(text: str, now: datetime) -> Statement:
    """The words as a classifier reads them."""
    item = SourceItem(PEOPLE_SOURCE, "", ItemKind.MESSAGE, "", text, (), now, "", "")
    return Statement(item.item_id, 0, text, 0, len(text), BlockKind.PARAGRAPH, ItemKind.MESSAGE, "", (), "", now)
