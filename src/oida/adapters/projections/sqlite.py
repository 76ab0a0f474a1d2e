"""The fold's records in tables, and the questions that the workspace asks of them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from oida.adapters.database import SqliteDatabase
from oida.adapters.database.schema import PROJECTION_TABLES
from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.adapters.projections.compare import differing_rows
from oida.adapters.projections.listing import edge_list, micros, object_conditions, object_list, together, visible_to
from oida.events.state import EdgeRecord, ItemRecord, MemoryState, ObjectRecord
from oida.events.vocabulary import CycleCompleted, ObjectsServed
from oida.model.edge import EdgeType
from oida.model.errors import NotFoundError
from oida.model.identifiers import EdgeId, ItemId, ObjectId
from oida.model.knowledge_object import Status
from oida.model.source import ItemKind
from oida.model.taxonomy import EpistemicClass
from oida.ports import (
    EdgeListing,
    EdgeTable,
    ObjectFilter,
    ObjectListing,
    ObjectTable,
    RecordDifference,
    ScoreTable,
    StoredScore,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OBJECT_COLUMNS = tuple(field.name for field in fields(ObjectRecord))
_EDGE_COLUMNS = tuple(field.name for field in fields(EdgeRecord))
RECORDS_KEPT = 65_536
"""Records of each kind that a process keeps decoded, at most some 130 MB; they hold no words."""
_CLASSES = {each.value: each for each in EpistemicClass}
_STATUSES = {each.value: each for each in Status}
_EDGE_TYPES = {each.value: each for each in EdgeType}
_SELECT_OBJECT = f"select {', '.join('o.' + name for name in _OBJECT_COLUMNS)} from object o"
_SELECT_EDGE = f"select {', '.join('e.' + name for name in _EDGE_COLUMNS)} from edge e"
_PUT_OBJECT = f"insert or replace into object({', '.join(_OBJECT_COLUMNS)}) values({', '.join('?' * len(_OBJECT_COLUMNS))})"
_PUT_EDGE = f"insert or replace into edge({', '.join(_EDGE_COLUMNS)}) values({', '.join('?' * len(_EDGE_COLUMNS))})"
_CHUNK = 500
_MOST_KEPT = 64
_NO_KNOWLEDGE = (ObjectsServed.__name__, CycleCompleted.__name__)
_Found = TypeVar("_Found")
_ID_BYTES = "S24"
_OBJECT_ROW = np.dtype([("id", _ID_BYTES), ("class", np.int8), ("status", np.int8), ("reinforced", np.int64)])
_EDGE_ROW = np.dtype([("id", _ID_BYTES), ("source", _ID_BYTES), ("target", _ID_BYTES), ("type", np.int8), ("confidence", np.float64)])
_SCORE_ROW = np.dtype([("id", _ID_BYTES), ("k", np.float64), ("usage", np.float64), ("dormant", np.bool_)])


def _code(column: str, names: Iterable[str]) -> str:
    """SQL that turns a name into its number in an enumeration."""
    cases = " ".join(f"when '{name}' then {number}" for number, name in enumerate(names))
    return f"case {column} {cases} end"


_CLASS_CODE = _code("epistemic_class", EpistemicClass)
_STATUS_CODE = _code("status", Status)
_TYPE_CODE = _code("edge_type", EdgeType)


class SqliteProjections:
    """A `State` in tables, and read queries over it; writes join the database's open transaction."""

    _FIND_OCTETS = "select instr(ids, ?) from k_history_ids where ids_digest = ?"

    def __init__(self, database: Database) -> None:
        self._database = database
        self._answers: dict[Hashable, tuple[object, object]] = {}
        self._looked: tuple[int, bytes, bytes] | None = None
        self._lengths: dict[Hashable, tuple[object, int]] = {}

    def item_record(self, item_id: ItemId) -> ItemRecord | None:
        """The item's record."""
        row = self._one(
            "select item_id, source_id, kind, revision, said_at, visibility, withdrawn, redacted from item where item_id = ?", item_id
        )
        return _item(row) if row else None

    def put_item(self, record: ItemRecord) -> None:
        """Keep the record in place of what was there."""
        self._execute(
            "insert or replace into item values(?, ?, ?, ?, ?, ?, ?, ?)",
            record.item_id,
            record.source_id,
            record.kind,
            record.revision,
            micros(record.said_at),
            json.dumps(record.visibility),
            record.withdrawn,
            record.redacted,
        )

    def object_record(self, object_id: ObjectId) -> ObjectRecord | None:
        """The object's record."""
        row = self._one(f"{_SELECT_OBJECT} where object_id = ?", object_id)
        return _object(row) if row else None

    def put_object(self, record: ObjectRecord) -> None:
        """Keep the record in place of what was there."""
        self._execute(_PUT_OBJECT, *(_column(getattr(record, name)) for name in _OBJECT_COLUMNS))
        self._execute(
            "delete from object_visibility where object_id = ? and visibility_group not in (select value from json_each(?))",
            record.object_id,
            json.dumps(record.visibility),
        )
        for group in record.visibility:
            self._execute("insert or ignore into object_visibility values(?, ?)", record.object_id, group)

    def objects_of_item(self, item_id: ItemId) -> list[ObjectRecord]:
        """The item's objects, all revisions."""
        return [_object(row) for row in self._all(f"{_SELECT_OBJECT} where item_id = ? order by object_id", item_id)]

    def edge_record(self, edge_id: EdgeId) -> EdgeRecord | None:
        """The edge's record."""
        row = self._one(f"{_SELECT_EDGE} where edge_id = ?", edge_id)
        return _edge(row) if row else None

    def put_edge(self, record: EdgeRecord) -> None:
        """Keep the record in place of what was there."""
        self._execute(_PUT_EDGE, *(_column(getattr(record, name)) for name in _EDGE_COLUMNS))

    def edges_into(self, target: ObjectId) -> list[EdgeRecord]:
        """Edges that act on an object, retracted ones included."""
        return [_edge(row) for row in self._all(f"{_SELECT_EDGE} where target = ? order by edge_id", target)]

    def edges_from(self, source: ObjectId) -> list[EdgeRecord]:
        """Edges by which an object acts, retracted ones included."""
        return [_edge(row) for row in self._all(f"{_SELECT_EDGE} where source = ? order by edge_id", source)]

    def duplicates_of(self, representative: ObjectId) -> list[ObjectRecord]:
        """The objects that say again what the representative said first."""
        rows = self._all(f"{_SELECT_OBJECT} where duplicate_of = ? order by object_id", representative)
        return [_object(row) for row in rows]

    def copies_of(self, representatives: Collection[ObjectId]) -> list[ObjectRecord]:
        """The objects that say again what one of the representatives said first."""
        return [
            _object(row)
            for chunk in _chunks(sorted(representatives))
            for row in self._rows(f"{_SELECT_OBJECT} where duplicate_of in ({_marks(chunk)}) order by duplicate_of, object_id", *chunk)
        ]

    def set_group(self, group: str, members: tuple[str, ...]) -> None:
        """Replace a group's members."""
        self._execute("delete from group_member where visibility_group = ?", group)
        for member in members:
            self._execute("insert or ignore into group_member values(?, ?)", group, member)

    def grant(self, principal: str, group: str, *, granted: bool) -> None:
        """Add or remove a granted membership."""
        if granted:
            self._execute("insert or ignore into access_grant values(?, ?)", principal, group)
        else:
            self._execute("delete from access_grant where principal = ? and visibility_group = ?", principal, group)

    def serve(self, object_id: ObjectId, *, principal: str, day: str, grid_index: int) -> None:
        """Count a retrieval at a grid point, at most once per principal, object and day."""
        counted = self._database.connection.execute(
            "insert or ignore into served_day values(?, ?, ?)", (object_id, principal, day)
        ).rowcount
        if counted:
            self._execute(
                "insert into served values(?, ?, 1) on conflict(object_id, grid_index) do update set count = served.count + 1",
                object_id,
                grid_index,
            )

    def set_fact(self, name: str, value: str) -> None:
        """Keep a single value of the base."""
        self._execute("insert or replace into fact values(?, ?)", name, value)

    def fact(self, name: str) -> str | None:
        """The single value, if it was set."""
        row = self._one("select value from fact where name = ?", name)
        return str(row[0]) if row else None

    def facts_of(self, prefix: str) -> dict[str, str]:
        """Every single value whose name begins so, by name."""
        return dict(self._all("select name, value from fact where name >= ? and name < ? order by name", prefix, prefix + "\U0010ffff"))

    def objects(self, object_ids: Collection[ObjectId]) -> list[ObjectRecord]:
        """The records of those ids that are here, by id."""
        return [
            _object(row)
            for chunk in _chunks(sorted(object_ids))
            for row in self._rows(f"{_SELECT_OBJECT} where object_id in ({_marks(chunk)}) order by object_id", *chunk)
        ]

    def all_objects(self) -> Iterator[ObjectRecord]:
        """Every object, by id."""
        return (_object(row) for row in self._all(f"{_SELECT_OBJECT} order by object_id"))

    def all_edges(self) -> Iterator[EdgeRecord]:
        """Every edge in the engine's order: target, source, type, edge id."""
        return (_edge(row) for row in self._all(f"{_SELECT_EDGE} order by target, source, edge_type, edge_id"))

    def edges_touching(self, object_ids: Collection[ObjectId]) -> list[EdgeRecord]:
        """Edges that are not retracted and begin or end at one of the objects, by edge id."""
        found: dict[EdgeId, EdgeRecord] = {}
        for chunk in _chunks(sorted(object_ids)):
            marks = _marks(chunk)
            for end in ("source", "target"):
                for row in self._rows(f"{_SELECT_EDGE} where {end} in ({marks}) and not retracted", *chunk):
                    edge = _edge(row)
                    found[edge.edge_id] = edge
        return [found[edge_id] for edge_id in sorted(found)]

    def find(self, wanted: ObjectFilter) -> list[ObjectRecord]:
        """The objects that a filter lets through, newest first, ties by id."""
        condition, arguments = together(object_conditions(wanted))
        statement = f"{_SELECT_OBJECT} where {condition} order by o.said_at desc, o.object_id"
        return [_object(row) for row in self._all(statement, *arguments)]

    def list_objects(self, listing: ObjectListing) -> tuple[list[ObjectRecord], int]:
        """A part of a list in its order, ties by id, and how long the whole list is."""
        condition, values, order, order_values = object_list(listing)
        total = self._length(f"object o where {condition}", *values)
        ids = f"select o.object_id from object o where {condition} order by {order} limit ? offset ?"
        found = [ObjectId(row[0]) for row in self._all(ids, *values, *order_values, listing.size, listing.start)]
        records = {record.object_id: record for record in self.objects(found)}
        return [records[each] for each in found], total

    def list_edges(self, listing: EdgeListing) -> tuple[list[EdgeRecord], int]:
        """A part of a list in its order, ties by id, and how long the whole list is."""
        condition, values, order = edge_list(listing)
        ends = "join object s on s.object_id = e.source join object t on t.object_id = e.target"
        total = self._length(f"edge e {ends} where {condition}", *values)
        rows = self._all(f"{_SELECT_EDGE} {ends} where {condition} order by {order} limit ? offset ?", *values, listing.size, listing.start)
        return [_edge(row) for row in rows], total

    def _length(self, rows: str, *values: object) -> int:
        """How many rows a list has, kept as other answers are; lists that begin at a moment are asked for once and push each other out."""
        state = (self._knowledge(), self.fact("last_k_digest"))
        kept = self._lengths.pop((rows, values), None)
        if kept is None or kept[0] != state:
            found = self._one(f"select count(*) from {rows}", *values)
            assert found is not None
            kept = (state, int(found[0]))
        if len(self._lengths) >= _MOST_KEPT:
            del self._lengths[next(iter(self._lengths))]
        self._lengths[(rows, values)] = kept
        return kept[1]

    def restricted_endings(self) -> list[EdgeRecord]:
        """Edges that supersede or resolve and act only for those who may see both ends, by edge id."""
        kinds = "e.edge_type in ('SUPERSEDES', 'IMPLEMENTS')"

        def look_up() -> tuple[EdgeRecord, ...]:
            rows = self._all(f"{_SELECT_EDGE} where not public and not retracted and {kinds} order by edge_id")
            return tuple(_edge(row) for row in rows)

        return list(self._kept(("restricted endings",), self._knowledge(), look_up))

    def unweighed(self, *, groups: frozenset[str] | None) -> list[ObjectId]:
        """Objects that the groups may see and no engine run has weighed yet, by id."""
        visible, values = visible_to(groups)
        missing = "not exists(select 1 from score s where s.object_id = o.object_id)"
        rows = self._all(f"select o.object_id from object o where {missing} and {visible} order by o.object_id", *values)
        return [ObjectId(row[0]) for row in rows]

    def zone_counts(self, *, groups: frozenset[str] | None, thresholds: Sequence[float]) -> list[int]:
        """How many weighed objects that the groups may see have K at or above each threshold."""
        visible, values = visible_to(groups, "s")
        sums = ", ".join(f"count(case when s.k >= {float(each)!r} then 1 end)" for each in thresholds)
        row = self._one(f"select {sums} from score s where {visible}", *values)
        return [int(count or 0) for count in row or ()]

    def k_series(self, object_id: ObjectId, *, most: int) -> list[tuple[int, float]]:
        """Grid point and K of an object at the newest `most` kept runs that have it, oldest first."""
        found: list[tuple[int, float]] = []
        places: dict[bytes, int] = {}
        wanted = object_id.encode("ascii")
        for grid_index, digest in self._all("select grid_index, ids_digest from k_history order by grid_index desc limit ?", most):
            if digest not in places:
                place = self._one(self._FIND_OCTETS, wanted, digest)
                places[digest] = (place[0] - 1) // (len(wanted) + 1) if place and place[0] else -1
            if places[digest] >= 0:
                found.append((grid_index, float(np.frombuffer(self._kept_k(grid_index, places[digest] * 8), "<f8")[0])))
        return found[::-1]

    def _kept_k(self, grid_index: int, start: int) -> bytes:
        """The eight octets of a kept run that begin at `start`, without reading the others."""
        connection = cast("sqlite3.Connection", self._database.connection)
        with connection.blobopen("k_history", "k", grid_index, readonly=True) as kept:
            kept.seek(start)
            return kept.read(8)

    def k_samples(self, *, most: int) -> Iterator[tuple[int, bytes]]:
        """Grid point and all K of the newest `most` kept runs, oldest first."""
        newest = "select grid_index from k_history order by grid_index desc limit ?"
        yield from self._all(f"select grid_index, k from k_history where grid_index in ({newest}) order by grid_index", most)

    def scores(self, object_ids: Collection[ObjectId] | None = None) -> dict[ObjectId, StoredScore]:
        """K and usage of the objects at the last engine run; of all for None."""
        select = "select object_id, k, usage, grid_index, dormant from score"
        if object_ids is None:
            rows: Iterable[tuple[Any, ...]] = self._all(select)
        else:
            rows = (
                row for chunk in _chunks(sorted(object_ids)) for row in self._rows(f"{select} where object_id in ({_marks(chunk)})", *chunk)
            )
        return {ObjectId(row[0]): StoredScore(row[1], row[2], row[3], bool(row[4])) for row in rows}

    def object_table(self, *, with_domains: bool) -> ObjectTable:
        """Every object as columns."""
        select = f"select cast(object_id as blob), {_CLASS_CODE}, {_STATUS_CODE}, reinforced_at from object order by object_id"
        rows = self._columns(select, _OBJECT_ROW)
        domains = np.array([row[0] for row in self._all("select domain from object order by object_id")] if with_domains else [], np.str_)
        return ObjectTable(_text(rows["id"]), rows["class"], rows["status"], rows["reinforced"], domains)

    def edge_table(self, *, targets: tuple[str, str] | None = None) -> EdgeTable:
        """Every edge that counts for K, or those whose target's id lies from the one to the other, as columns.

        Whether an edge's source still acts is for the caller to tell.
        """
        select = (
            f"select cast(edge_id as blob), cast(source as blob), cast(target as blob), {_TYPE_CODE}, confidence from edge "
            "where not retracted and public"
        )
        rows = self._columns(f"{select} and target >= ? and target <= ?" if targets else select, _EDGE_ROW, *targets or ())
        return EdgeTable(_text(rows["id"]), _text(rows["source"]), _text(rows["target"]), rows["type"], rows["confidence"])

    def in_degrees(self) -> dict[ObjectId, int]:
        """How many edges that count for K end at each object that has any."""
        rows = self._all("select target, count(*) from edge where not retracted and public group by target")
        return {ObjectId(target): count for target, count in rows}

    def score_table(self) -> ScoreTable:
        """What the last engine run left, as columns."""
        rows = self._columns("select cast(object_id as blob), k, usage, dormant from score order by object_id", _SCORE_ROW)
        return ScoreTable(_text(rows["id"]), rows["k"], rows["usage"], rows["dormant"])

    def put_score_table(self, table: ScoreTable, *, grid_index: int) -> None:
        """Keep K, usage and Dormant after an engine run, in place of what was there."""
        columns = (table.object_ids.tolist(), table.k.tolist(), table.usage.tolist(), table.dormant.tolist())
        self._database.connection.executemany(
            "insert or replace into score(object_id, k, usage, dormant, grid_index) values(?, ?, ?, ?, ?)",
            ((found, k, usage, dormant, grid_index) for found, k, usage, dormant in zip(*columns, strict=True)),
        )

    def put_k_history(self, *, grid_index: int, position: int, ids: bytes, k: bytes) -> None:
        """Keep all K of a grid point beside the ledger, replacing an earlier run at the same point.

        That is 8 bytes for each object and run: the ids are kept once as long as no object is added.
        """
        digest = hashlib.sha256(ids).digest()
        self._execute("insert or ignore into k_history_ids values(?, ?)", digest, ids)
        self._execute("insert or replace into k_history values(?, ?, ?, ?)", grid_index, position, digest, k)

    def k_history(self, *, since_grid_index: int = 0) -> Iterator[tuple[int, bytes, bytes]]:
        """Grid point, ids and K of each kept run, oldest first."""
        for row in self._all(
            "select grid_index, i.ids, k from k_history join k_history_ids i using(ids_digest) where grid_index >= ? order by grid_index",
            since_grid_index,
        ):
            yield row[0], row[1], row[2]

    def k_run(self, grid_index: int) -> tuple[int, bytes, bytes]:
        """Ledger position, ids and K of the kept run at a grid point; raises NotFoundError where none is kept."""
        row = self._one("select position, i.ids, k from k_history join k_history_ids i using(ids_digest) where grid_index = ?", grid_index)
        if row is None:
            raise NotFoundError(f"expected a kept run at grid point {grid_index}, found none")
        return row[0], row[1], row[2]

    def thin_k_history(self, *, full_rate_from_grid_index: int, points_per_day: int) -> None:
        """Keep one run a day of what is older than `full_rate_from_grid_index`."""
        self._execute(
            "delete from k_history where grid_index < ? and grid_index not in "
            "(select max(grid_index) from k_history group by grid_index / ?)",
            full_rate_from_grid_index,
            points_per_day,
        )
        self._execute("delete from k_history_ids where ids_digest not in (select ids_digest from k_history)")

    def served_counts(self, *, after_grid_index: int, up_to_grid_index: int) -> dict[int, dict[ObjectId, int]]:
        """Retrievals by grid point and object, in a half-open range (after, up to]."""
        found: dict[int, dict[ObjectId, int]] = {}
        for object_id, grid_index, count in self._all(
            "select object_id, grid_index, count from served where grid_index > ? and grid_index <= ? order by grid_index, object_id",
            after_grid_index,
            up_to_grid_index,
        ):
            found.setdefault(grid_index, {})[ObjectId(object_id)] = count
        return found

    def groups_of(self, members: Collection[str], principal: str) -> frozenset[str]:
        """The visibility groups of a principal: granted ones, and those that name one of its persons."""
        rows = list(self._all("select visibility_group from access_grant where principal = ?", principal))
        for chunk in _chunks(sorted(members)):
            rows += self._all(f"select distinct visibility_group from group_member where member in ({_marks(chunk)})", *chunk)
        return frozenset(row[0] for row in rows)

    def group_members(self, group: str) -> tuple[str, ...]:
        """Who belongs to a group, as its source said last."""
        return tuple(row[0] for row in self._all("select member from group_member where visibility_group = ? order by member", group))

    def has_grants(self, principal: str) -> bool:
        """Whether anything was granted to a principal by name."""
        return self._one("select 1 from access_grant where principal = ? limit 1", principal) is not None

    def newest_said_at(self) -> datetime | None:
        """The newest source time of all objects."""
        row = self._one("select max(said_at) from object")
        return _moment(row[0]) if row and row[0] is not None else None

    def counts(self, column: str, *, groups: frozenset[str] | None) -> Mapping[str, int]:
        """How many objects have each value of a column, of those that the groups may see."""
        assert column in ("epistemic_class", "status", "source_id", "domain")
        visible, arguments = visible_to(groups)
        rows = self._all(f"select {column}, count(*) from object o where {visible} group by {column}", *arguments)
        return dict(Counter({row[0]: row[1] for row in rows}))

    def item_counts(self, *, groups: frozenset[str] | None) -> Mapping[str, int]:
        """How many items each source has, of those that the groups may see."""

        def look_up() -> Counter[str]:
            if groups is None:
                return Counter(dict(self._all("select source_id, count(*) from item group by source_id")))
            seen = self._all("select source_id, visibility from item")
            return Counter(source_id for source_id, visibility in seen if not groups.isdisjoint(_groups(visibility)))

        return dict(self._kept(("item counts", groups), self._knowledge(), look_up))

    def audiences(self, *, groups: frozenset[str] | None) -> Mapping[str, Mapping[str, int]]:
        """For each source the groups among `groups` (all for None) who may see it, with how many of its objects."""

        def look_up() -> list[tuple[Any, ...]]:
            return self._rows(
                "select o.source_id, v.visibility_group, count(*) from object_visibility v join object o on o.object_id = v.object_id "
                "group by o.source_id, v.visibility_group order by o.source_id, count(*) desc, v.visibility_group"
            )

        found: dict[str, dict[str, int]] = {}
        for source_id, group, count in self._kept(("audiences",), self._knowledge(), look_up):
            if groups is None or group in groups:
                found.setdefault(source_id, {})[group] = count
        return found

    def heaviest(self, wanted: ObjectFilter, *, most: int, k_at_least: float) -> list[ObjectId]:
        """The objects of most K that a filter lets through, of equal ones the newest first; looked up once for each engine run."""

        def look_up() -> list[ObjectId]:
            condition, values = together(object_conditions(wanted))
            rows = self._all(
                "select o.object_id from score s join object o on o.object_id = s.object_id "
                f"where s.k >= ? and {condition} order by s.k desc, o.said_at desc, o.object_id limit ?",
                k_at_least,
                *values,
                most,
            )
            return [ObjectId(row[0]) for row in rows]

        return self._kept(("heaviest", wanted, most, k_at_least), self.fact("last_k_digest"), look_up)

    def authors(self, *, groups: frozenset[str] | None) -> frozenset[str]:
        """Who said what the groups may see."""

        def look_up() -> frozenset[str]:
            condition, values = visible_to(groups)
            return frozenset(row[0] for row in self._all(f"select distinct o.author from object o where {condition}", *values))

        return self._kept(("authors", groups), self._knowledge(), look_up)

    def _knowledge(self) -> bytes | None:
        """The digest of an entry since which nothing changed but what was served, as every answer records, and how it was weighed."""
        head = self._one("select position, digest from ledger order by position desc limit 1")
        if head is None:
            return None
        position, digest = head[0], bytes(head[1])
        if self._looked is not None and self._looked[:2] != (position, digest):
            seen, seen_digest, knowledge = self._looked
            there = self._one("select digest from ledger where position = ?", seen)
            if there is not None and bytes(there[0]) == seen_digest:
                newer = self._one(
                    f"select digest from ledger where position > ? and kind not in ({_marks(_NO_KNOWLEDGE)}) "
                    "order by position desc limit 1",
                    seen,
                    *_NO_KNOWLEDGE,
                )
                self._looked = (position, digest, knowledge if newer is None else bytes(newer[0]))
            else:
                self._looked = None
        if self._looked is None:
            self._looked = (position, digest, digest)
        return self._looked[2]

    def _kept(self, question: Hashable, state: object, look_up: Callable[[], _Found]) -> _Found:
        """The answer to a question, looked up anew when what it depends on is another."""
        kept = self._answers.get(question)
        if kept is None or kept[0] != state or state is None:
            if len(self._answers) >= _MOST_KEPT:
                self._answers.clear()
            kept = self._answers[question] = (state, look_up())
        return cast("_Found", kept[1])

    def vocabulary(self, *, groups: frozenset[str] | None) -> tuple[dict[str, int], dict[str, int]]:
        """Entity ids and domains that the groups may see, each with its number of objects."""

        def look_up() -> tuple[dict[str, int], dict[str, int]]:
            visible, arguments = visible_to(groups)
            entities = dict(self._all(f"select entity, count(*) from object o where {visible} group by entity", *arguments))
            domains = dict(self._all(f"select domain, count(*) from object o where {visible} group by domain", *arguments))
            return entities, domains

        entities, domains = self._kept(("vocabulary", groups), self._knowledge(), look_up)
        return dict(entities), dict(domains)

    def unredacted_entities(self) -> frozenset[str]:
        """Entities of which some object still has its text."""
        return frozenset(row[0] for row in self._all("select distinct entity from object where not redacted"))

    def differences(self, expected: MemoryState) -> Iterator[RecordDifference]:
        """Where the tables are not those of a replay, byte for byte."""
        reference = SqliteProjections(SqliteDatabase.create(None))
        reference._take(expected)
        with translated(self._database.path):
            yield from differing_rows(reference._database.connection, self._database.connection)
        reference._database.close()

    def _take(self, state: MemoryState) -> None:
        with self._database.transaction() as connection:
            for item in state.items.values():
                self.put_item(item)
            for record in state.objects.values():
                self.put_object(record)
            for edge in state.edges.values():
                self.put_edge(edge)
            for group, members in state.groups.items():
                self.set_group(group, members)
            connection.executemany("insert into access_grant values(?, ?)", state.grants)
            connection.executemany("insert into fact values(?, ?)", state.facts.items())
            connection.executemany(
                "insert into served_day values(?, ?, ?)", ((found, principal, day) for found, principal, day in state.served_days)
            )
            connection.executemany(
                "insert into served values(?, ?, ?)", ((found, index, count) for (found, index), count in state.served.items())
            )

    def clear(self) -> None:
        """Empty every projection table: the step before a rebuild."""
        for table in PROJECTION_TABLES:
            self._execute(f"delete from {table}")

    def _columns(self, statement: str, row: np.dtype[np.void], *arguments: object) -> npt.NDArray[np.void]:
        """A query's rows as one structured array, streamed: no row outlives its turn as a Python object."""
        with translated(self._database.path):
            return np.fromiter(self._database.connection.execute(statement, arguments), dtype=row)

    def _execute(self, statement: str, *arguments: object) -> None:
        self._database.connection.execute(statement, arguments)

    def _one(self, statement: str, *arguments: object) -> tuple[Any, ...] | None:
        with translated(self._database.path):
            row: tuple[Any, ...] | None = self._database.connection.execute(statement, arguments).fetchone()
        return row

    def _rows(self, statement: str, *arguments: object) -> list[tuple[Any, ...]]:
        """What is not too much to be fetched at once, which is three times as fast as row by row."""
        with translated(self._database.path):
            return self._database.connection.execute(statement, arguments).fetchall()

    def _all(self, statement: str, *arguments: object) -> Iterator[tuple[Any, ...]]:
        with translated(self._database.path):
            yield from self._database.connection.execute(statement, arguments)


@lru_cache(maxsize=65_536)
def _moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


@lru_cache(maxsize=4_096)
def _groups(written: str) -> tuple[str, ...]:
    return tuple(json.loads(written))


def _column(value: object) -> object:
    if isinstance(value, datetime):
        return micros(value)
    return json.dumps(value) if isinstance(value, tuple) else value


def _item(row: tuple[Any, ...]) -> ItemRecord:
    item_id, source_id, kind, revision, said_at, visibility, withdrawn, redacted = row
    return ItemRecord(
        ItemId(item_id),
        source_id,
        ItemKind(kind),
        revision,
        _moment(said_at),
        tuple(json.loads(visibility)),
        bool(withdrawn),
        bool(redacted),
    )


@lru_cache(maxsize=RECORDS_KEPT)
def _object(row: tuple[Any, ...]) -> ObjectRecord:
    """The record that a row holds: equal rows give the one record, so whatever is written, a kept one is never out of date."""
    found = dict(zip(_OBJECT_COLUMNS, row, strict=True))
    found["epistemic_class"] = _CLASSES[found["epistemic_class"]]
    for name in ("declared_by_machine", "declared_by_person", "status"):
        found[name] = _STATUSES[found[name]]
    for name in ("said_at", "recorded_at", "confirmed_at", "reinforced_at"):
        found[name] = None if found[name] is None else _moment(found[name])
    for name in ("withdrawn", "redacted"):
        found[name] = bool(found[name])
    found["visibility"] = _groups(found["visibility"])
    return ObjectRecord(**found)


@lru_cache(maxsize=RECORDS_KEPT)
def _edge(row: tuple[Any, ...]) -> EdgeRecord:
    found = dict(zip(_EDGE_COLUMNS, row, strict=True))
    found["edge_type"] = _EDGE_TYPES[found["edge_type"]]
    found["said_at"], found["recorded_at"] = _moment(found["said_at"]), _moment(found["recorded_at"])
    found["retracted"], found["public"] = bool(found["retracted"]), bool(found["public"])
    return EdgeRecord(**found)


def _marks(values: Collection[object]) -> str:
    return ", ".join("?" * len(values))


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]


def _text(ids: npt.NDArray[np.bytes_]) -> npt.NDArray[np.str_]:
    return np.char.decode(ids, "ascii") if len(ids) else np.empty(0, dtype=np.str_)
