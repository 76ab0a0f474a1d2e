"""Erasure on request: the text is gone from every file of the base, the record of it stays (spec section 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from oida.events.vocabulary import ContentRedacted
from oida.model.errors import ConflictError, NotFoundError
from oida.model.identifiers import EdgeId, ItemId, ObjectId
from oida.ports import Store
from oida.workspace.principal import Principal
from oida.workspace.record import record


@dataclass(frozen=True, slots=True)
class RedactionCertificate:
    """What was erased and where the ledger says so; `said_again_by` are objects of other items with the same words, left as they are."""

    item_id: ItemId
    object_ids: tuple[ObjectId, ...]
    said_again_by: tuple[ObjectId, ...]
    redacted_at: datetime
    redacted_by: str
    ledger_position: int
    ledger_digest: str


def redact(store: Store, item_id: ItemId, *, principal: Principal, now: datetime) -> RedactionCertificate:
    """Erase an item's text, what was made of it and its key; then purge free pages, the write-ahead log and the index.

    Raises NotFoundError for an item that is not here and ConflictError for one that was erased before.
    """
    item = store.projections.item_record(item_id)
    if item is None:
        raise NotFoundError(f"expected the id of a source item, found nothing under {item_id!r}")
    if item.redacted:
        raise ConflictError(f"item {item_id} was redacted already")
    with store.transaction():
        records = store.projections.objects_of_item(item_id)
        object_ids = tuple(sorted(found.object_id for found in records))
        copies = {copy.object_id for found in object_ids for copy in store.projections.duplicates_of(found)}
        copies |= {found.duplicate_of for found in records if found.duplicate_of}
        store.contents.erase(item_id)
        store.contents.erase_evidence(_edges_of(store, object_ids))
        store.vectors.remove(object_ids)
        store.words.remove(object_ids)
        store.jobs.forget_failed([item_id])
        record(store, [ContentRedacted(item_id, object_ids)], principal=principal.recorded_as, now=now)
        entities = {found.entity for found in records}
        store.contents.erase_entities(entities - store.projections.unredacted_entities())
        head = store.event_log.head()
    store.purge()
    return RedactionCertificate(
        item_id=item_id,
        object_ids=object_ids,
        said_again_by=tuple(sorted(copies - set(object_ids))),
        redacted_at=now,
        redacted_by=principal.name,
        ledger_position=int(head.position),
        ledger_digest=head.digest.hex(),
    )


def _edges_of(store: Store, object_ids: Iterable[ObjectId]) -> set[EdgeId]:
    """Every edge that ever touched the objects: its words may be theirs, whichever end's item keeps them."""
    projections = store.projections
    return {edge.edge_id for found in object_ids for edge in (*projections.edges_into(found), *projections.edges_from(found))}


def item_meant(store: Store, *, found: str | None, source_item: str | None) -> ItemId:
    """The item of an object, or the one that a source calls by that native id, place or id; raises NotFoundError for none."""
    if found is not None:
        stored = store.projections.object_record(ObjectId(found))
        if stored is None:
            raise NotFoundError(f"expected the id of an object, found nothing under {found!r}; `oida search` finds ids")
        return stored.item_id
    assert source_item is not None
    if store.projections.item_record(ItemId(source_item)) is not None:
        return ItemId(source_item)
    matching = store.contents.items_called(source_item)
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise ConflictError(f"expected one item called {source_item!r}, found {len(matching)}: {', '.join(matching)}; name one by its id")
    raise NotFoundError(f"expected a source item called {source_item!r} by its native id, place or id, found none")
