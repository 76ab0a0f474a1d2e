"""The texts of a base file; every item has a random key, and only digests under that key enter the ledger."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from oida.adapters.content_store.codec import from_json, to_json
from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.model.content import ItemContent, StatementContent, Whereabouts
from oida.model.errors import Problem
from oida.model.feed import CompleteRange
from oida.model.identifiers import EdgeId, EntityId, ItemId, ObjectId, PersonId
from oida.model.source import Person

_KEY_BYTES = 32
_CHUNK = 500
_LAST_CHARACTER = "\U0010ffff"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_REPLIES_TO = (
    "(select json_extract(r.value, '$.key') from json_each(c.body, '$.references') r"
    " where json_extract(r.value, '$.cue') = 'reply' limit 1)"
)


class SqliteContentStore:
    """Texts, names and problems of a base; writes join the database's open transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_item(self, content: ItemContent) -> str:
        """Keep a revision of an item; its keyed digest, hexadecimal, for the event that records it."""
        key = self._key(content.item_id) or self._new_key(content.item_id)
        body = to_json(content)
        self._execute(
            "insert or replace into item_content(item_id, revision, native_id, key, fingerprint, body) values(?, ?, ?, ?, ?, ?)",
            content.item_id,
            content.revision,
            content.native_id,
            key,
            content.fingerprint,
            body,
        )
        return _keyed(key, body)

    def put_statement(self, content: StatementContent) -> str:
        """Keep the text of an object of an item that is here; its keyed digest."""
        body = to_json(content)
        self._execute(
            "insert or replace into statement_content(object_id, item_id, revision, body) values(?, ?, ?, ?)",
            content.object_id,
            content.item_id,
            content.revision,
            body,
        )
        return _keyed(self._required_key(content.item_id), body)

    def put_evidence(self, edge_id: EdgeId, item_id: ItemId, words: str) -> str:
        """Keep the words that show an edge, under the key of the item that says them; their keyed digest."""
        body = json.dumps(words)
        self._execute("insert or replace into evidence_content(edge_id, item_id, body) values(?, ?, ?)", edge_id, item_id, body)
        return _keyed(self._required_key(item_id), body)

    def item(self, item_id: ItemId) -> ItemContent | None:
        """The newest revision of an item."""
        row = self._one("select body from item_content where item_id = ? order by revision desc limit 1", item_id)
        return from_json(ItemContent, row[0]) if row else None

    def fingerprint(self, item_id: ItemId) -> str | None:
        """The fingerprint of the newest revision: equal ones mean that nothing changed at the source."""
        row = self._one("select fingerprint from item_content where item_id = ? order by revision desc limit 1", item_id)
        return str(row[0]) if row else None

    def all_items(self) -> Iterator[ItemContent]:
        """The newest revision of every item, by id."""
        for row in self._all(
            "select body from item_content i where revision = (select max(revision) from item_content where item_id = i.item_id) "
            "order by item_id"
        ):
            yield from_json(ItemContent, row[0])

    def statements(self, object_ids: Collection[ObjectId]) -> dict[ObjectId, StatementContent]:
        """The texts of those objects that are here and not redacted."""
        ids = sorted(object_ids)
        found: dict[ObjectId, StatementContent] = {}
        for start in range(0, len(ids), _CHUNK):
            chunk = ids[start : start + _CHUNK]
            for row in self._all(f"select body from statement_content where object_id in ({', '.join('?' * len(chunk))})", *chunk):
                content = from_json(StatementContent, row[0])
                found[content.object_id] = content
        return found

    def texts(self, object_ids: Collection[ObjectId]) -> dict[ObjectId, str]:
        """The words alone of those objects that are here and not redacted: for thousands at once."""
        ids = sorted(object_ids)
        return {
            ObjectId(found): text
            for start in range(0, len(ids), _CHUNK)
            for found, text in self._all(
                "select object_id, json_extract(body, '$.text') from statement_content "
                f"where object_id in ({', '.join('?' * len(ids[start : start + _CHUNK]))})",
                *ids[start : start + _CHUNK],
            )
        }

    def all_statements(self) -> Iterator[StatementContent]:
        """Every text, by object id."""
        for row in self._all("select body from statement_content order by object_id"):
            yield from_json(StatementContent, row[0])

    def evidence(self, edge_ids: Collection[EdgeId]) -> dict[EdgeId, str]:
        """The words that show those edges."""
        ids = sorted(edge_ids)
        found: dict[EdgeId, str] = {}
        for start in range(0, len(ids), _CHUNK):
            chunk = ids[start : start + _CHUNK]
            for row in self._all(
                f"select edge_id, body from evidence_content where edge_id in ({', '.join('?' * len(chunk))})",
                *chunk,
            ):
                found[EdgeId(row[0])] = json.loads(row[1])
        return found

    def statement_digest(self, object_id: ObjectId) -> str | None:
        """The keyed digest of an object's text as it lies here now; None when it or its key is gone."""
        return self._digest_of("select item_id, body from statement_content where object_id = ?", object_id)

    def item_digest(self, item_id: ItemId, revision: int) -> str | None:
        """The keyed digest of an item's revision as it lies here now."""
        return self._digest_of("select item_id, body from item_content where item_id = ? and revision = ?", item_id, revision)

    def evidence_digest(self, edge_id: EdgeId) -> str | None:
        """The keyed digest of an edge's words as they lie here now."""
        return self._digest_of("select item_id, body from evidence_content where edge_id = ?", edge_id)

    def erase(self, item_id: ItemId) -> None:
        """Erase an item's text, its statements', its edges' evidence and its key."""
        for table in ("statement_content", "evidence_content", "item_content"):
            self._execute(f"delete from {table} where item_id = ?", item_id)

    def erase_evidence(self, edge_ids: Collection[EdgeId]) -> None:
        """Erase the words that show those edges."""
        for edge_id in edge_ids:
            self._execute("delete from evidence_content where edge_id = ?", edge_id)

    def whereabouts(self, item_ids: Collection[ItemId]) -> dict[ItemId, Whereabouts]:
        """Where those items stand at their source now."""
        rows = self._all(
            "select item_id, json_extract(body, '$.title'), json_extract(body, '$.place'), json_extract(body, '$.link') "
            "from item_content c where item_id in (select value from json_each(?)) "
            "and revision = (select max(revision) from item_content where item_id = c.item_id)",
            json.dumps(sorted(item_ids)),
        )
        return {ItemId(row[0]): Whereabouts(row[1], row[2], row[3]) for row in rows}

    def erase_entities(self, entity_ids: Collection[str]) -> None:
        """Erase names of entities."""
        for entity in entity_ids:
            self._execute("delete from entity_alias where entity_id = ?", entity)
            self._execute("delete from entity where entity_id = ?", entity)

    def items_called(self, name: str) -> list[ItemId]:
        """The items whose native id or place is `name`, by id."""
        rows = self._all(
            "select distinct item_id from item_content where native_id = ? or json_extract(body, '$.place') = ? order by item_id",
            name,
            name,
        )
        return [ItemId(row[0]) for row in rows]

    def standing_native_ids(self, source_id: str) -> Iterator[str]:
        """The native ids of a source's items that are not withdrawn or redacted."""
        for row in self._all(
            "select distinct c.native_id from item i join item_content c on c.item_id = i.item_id "
            "where i.source_id = ? and not i.withdrawn and not i.redacted order by c.native_id",
            source_id,
        ):
            yield str(row[0])

    def standing_in(self, source_id: str, range_: CompleteRange) -> Iterator[ItemId]:
        """The items that stand and belong to a range."""
        statement = (
            f"select i.item_id, i.said_at, {_REPLIES_TO} from item i "
            "join item_content c on c.item_id = i.item_id and c.revision = i.revision "
            "where i.source_id = ? and not i.withdrawn and not i.redacted and c.native_id >= ? and c.native_id < ? order by i.item_id"
        )
        since = -math.inf if range_.since is None else _micros(range_.since)
        until = math.inf if range_.until is None else _micros(range_.until)
        for item_id, said_at, thread in self._all(statement, source_id, range_.prefix, range_.prefix + _LAST_CHARACTER):
            in_time = since <= said_at < until
            if in_time if thread is None or range_.whole else thread in range_.threads:
                yield ItemId(item_id)

    def seen_otherwise(self, source_id: str, prefix: str, visibility: Collection[str]) -> list[ItemId]:
        """The items whose native id begins with `prefix` and who are visible to others than `visibility`, by id."""
        rows = self._all(
            "select distinct i.item_id from item i join item_content c on c.item_id = i.item_id "
            "where i.source_id = ? and c.native_id >= ? and c.native_id < ? and i.visibility <> ? order by i.item_id",
            source_id,
            prefix,
            prefix + _LAST_CHARACTER,
            json.dumps(sorted(visibility)),
        )
        return [ItemId(row[0]) for row in rows]

    def problem_counts(self) -> Mapping[str, int]:
        """How many problems each source has met."""
        return dict(self._all("select source_id, count(*) from problem group by source_id"))

    def put_people(self, source_id: str, people: Sequence[Person]) -> None:
        """Keep names and addresses of people, in place of what was there."""
        self._database.connection.executemany(
            "insert or replace into person(person_id, source_id, name, email, handle, is_bot) values(?, ?, ?, ?, ?, ?)",
            [(p.person_id, source_id, p.name, p.email, p.handle, p.is_bot) for p in people],
        )

    def people(self) -> list[Person]:
        """Everyone known, by id."""
        return [
            Person(PersonId(row[0]), row[1], row[2], row[3], bool(row[4]))
            for row in self._all("select person_id, name, email, handle, is_bot from person order by person_id")
        ]

    def put_entity(self, entity_id: EntityId, name: str) -> None:
        """Keep the name of an entity; of several spellings the first by code point, whichever was met first."""
        self._execute(
            "insert into entity(entity_id, name) values(?, ?) on conflict(entity_id) do update set "
            "name = case when excluded.name < entity.name then excluded.name else entity.name end",
            entity_id,
            name,
        )

    def entities(self) -> dict[str, str]:
        """Names of all entities by id."""
        return {row[0]: row[1] for row in self._all("select entity_id, name from entity order by entity_id")}

    def put_problem(self, source_id: str, problem: Problem, *, recorded_at: datetime) -> bool:
        """Keep a problem; False when the same one is known already."""
        inserted = self._database.connection.execute(
            "insert or ignore into problem(recorded_at, source_id, stage, item, code, message, place) values(?, ?, ?, ?, ?, ?, ?)",
            (recorded_at.isoformat(), source_id, problem.stage, problem.item, problem.code, problem.message, problem.place),
        ).rowcount
        return bool(inserted)

    def problems(self) -> list[Problem]:
        """Every problem met, oldest first."""
        return [
            Problem(stage=row[0], item=row[1], code=row[2], message=row[3], place=row[4])
            for row in self._all("select stage, item, code, message, place from problem order by id")
        ]

    def _key(self, item_id: str) -> bytes | None:
        row = self._one("select key from item_content where item_id = ? order by revision limit 1", item_id)
        return row[0] if row else None

    def _new_key(self, item_id: str) -> bytes:
        return secrets.token_bytes(_KEY_BYTES)

    def _required_key(self, item_id: str) -> bytes:
        key = self._key(item_id)
        assert key is not None, "an item's content is kept before that of its statements"
        return key

    def _digest_of(self, statement: str, *arguments: object) -> str | None:
        row = self._one(statement, *arguments)
        key = self._key(row[0]) if row else None
        return _keyed(key, row[1]) if row and key else None

    def _execute(self, statement: str, *arguments: object) -> None:
        self._database.connection.execute(statement, arguments)

    def _one(self, statement: str, *arguments: object) -> tuple[Any, ...] | None:
        with translated(self._database.path):
            row: tuple[Any, ...] | None = self._database.connection.execute(statement, arguments).fetchone()
        return row

    def _all(self, statement: str, *arguments: object) -> Iterator[tuple[Any, ...]]:
        with translated(self._database.path):
            yield from self._database.connection.execute(statement, arguments)


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _keyed(key: bytes, body: str) -> str:
    return hmac.new(key, body.encode("utf-8"), hashlib.sha256).hexdigest()
