"""Lists cut out by the database: which rows, in which order, and how many there are in all."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta

from oida.ports import EdgeListing, ListOrder, ObjectFilter, ObjectListing

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MICROS = 86_400_000_000.0
# The empty text keeps the planner from walking all edges of the type for each object: those of one source are few.
_BLOCKED = (
    "(select count(*) from edge b join object t on t.object_id = b.target where b.source = o.object_id and b.edge_type || '' = 'BLOCKS' "
    "and not b.retracted and {visible})"
)

Condition = tuple[str, Sequence[object]]


def object_conditions(wanted: ObjectFilter, *, with_status: bool = True) -> list[Condition]:
    """What a filter asks of a row of `object o`."""
    found: list[Condition] = []
    for column, values in (
        ("o.epistemic_class", wanted.classes),
        ("o.status", wanted.statuses if with_status else frozenset()),
        ("o.entity", wanted.entities),
        ("o.domain", wanted.domains),
        ("o.source_id", wanted.sources),
    ):
        if values:
            found.append((f"{column} in ({', '.join('?' * len(values))})", sorted(str(value) for value in values)))
    if wanted.since:
        found.append(("o.said_at >= ?", [micros(wanted.since)]))
    if wanted.until:
        found.append(("o.said_at < ?", [micros(wanted.until)]))
    if wanted.groups is not None:
        found.append(visible_to(wanted.groups))
    return found


def visible_to(groups: frozenset[str] | None, alias: str = "o") -> Condition:
    """That one of the groups may see an object."""
    if groups is None:
        return "true", []
    marks = ", ".join("?" * len(groups))
    condition = f"exists(select 1 from object_visibility v where v.object_id = {alias}.object_id and v.visibility_group in ({marks}))"
    return condition, sorted(groups)


def object_list(listing: ObjectListing) -> tuple[str, Sequence[object], str, Sequence[object]]:
    """The rows of `object o` that a list has, and their order: a condition with its values, then a join and an order with theirs."""
    conditions = _with_exceptions(listing)
    if listing.recorded_since:
        conditions.append(("o.recorded_at > ?", [micros(listing.recorded_since)]))
    if listing.reinforced_before:
        conditions.append(("o.reinforced_at < ?", [micros(listing.reinforced_before)]))
    if listing.confidence_below is not None:
        conditions.append(("o.confidence < ?", [listing.confidence_below]))
    if listing.k_at_least is not None:
        conditions.append(("o.object_id in (select object_id from score where k >= ?)", [listing.k_at_least]))
    if listing.by_machine:
        conditions.append(("o.confirmed_at is null and o.classifier not like 'person%'", []))
    condition, values = together(conditions)
    order, order_values = _order(listing)
    return condition, values, order, order_values


def edge_list(listing: EdgeListing) -> tuple[str, Sequence[object], str]:
    """The rows of `edge e` with ends `s` and `t` that a list has: a condition with its values, and an order."""
    conditions: list[Condition] = [
        (f"e.edge_type in ({', '.join('?' * len(listing.types))})", sorted(listing.types)),
        ("not e.retracted", []),
    ]
    if listing.groups is not None:
        conditions += [visible_to(listing.groups, "s"), visible_to(listing.groups, "t")]
    if listing.standing:
        conditions.append(("s.status = 'ACTIVE' and t.status = 'ACTIVE'", []))
        if listing.without:
            ids = as_json(listing.without)
            conditions.append(
                ("e.source not in (select value from json_each(?)) and e.target not in (select value from json_each(?))", [ids, ids])
            )
    if listing.ending:
        conditions.append(("(e.source in (t.superseded_by, t.resolved_by) or (not e.public and s.status in ('ACTIVE', 'RESOLVED')))", []))
    if listing.recorded_since:
        conditions.append(("e.recorded_at > ?", [micros(listing.recorded_since)]))
    if listing.confidence_below is not None:
        conditions.append(("e.confidence < ?", [listing.confidence_below]))
    if listing.by_machine:
        conditions.append(("e.method not like 'person%'", []))
    if listing.entities:
        marks, entities = ", ".join("?" * len(listing.entities)), sorted(listing.entities)
        conditions.append((f"(s.entity in ({marks}) or t.entity in ({marks}))", [*entities, *entities]))
    if listing.domain:
        conditions.append(("(s.domain = ? or t.domain = ?)", [listing.domain, listing.domain]))
    if listing.since:
        conditions.append(("(s.said_at >= ? or t.said_at >= ?)", [micros(listing.since)] * 2))
    if listing.until:
        conditions.append(("(s.said_at < ? or t.said_at < ?)", [micros(listing.until)] * 2))
    condition, values = together(conditions)
    weight = "coalesce((select k from score where object_id = e.source), 0) + coalesce((select k from score where object_id = e.target), 0)"
    if listing.by_doubt:
        return condition, values, f"(1.0 - e.confidence) * ({weight}) desc, e.edge_id"
    return condition, values, f"{weight} desc, e.edge_id" if listing.by_weight else "e.recorded_at desc, e.edge_id"


def together(conditions: Collection[Condition]) -> Condition:
    """All of them."""
    return " and ".join(each for each, _ in conditions) or "true", [value for _, values in conditions for value in values]


def as_json(values: Collection[str]) -> str:
    """Ids as one bound value, however many there are."""
    return json.dumps(sorted(values))


def micros(moment: datetime) -> int:
    """Microseconds since 1970, as tables have moments."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _with_exceptions(listing: ObjectListing) -> list[Condition]:
    conditions = object_conditions(listing.wanted)
    if not (listing.without or listing.also):
        return conditions
    usual, values = together([*conditions, ("o.object_id not in (select value from json_each(?))", [as_json(listing.without)])])
    others, other_values = together(
        [
            ("o.object_id in (select value from json_each(?))", [as_json(listing.also)]),
            *object_conditions(listing.wanted, with_status=False),
        ]
    )
    return [(f"(({usual}) or ({others}))", [*values, *other_values])]


def _order(listing: ObjectListing) -> Condition:
    match listing.order:
        case ListOrder.SAID:
            return "o.said_at desc, o.object_id", []
        case ListOrder.RECORDED:
            return "o.recorded_at desc, o.object_id", []
        case ListOrder.FADED:
            return "o.reinforced_at, o.object_id", []
        case ListOrder.K:
            return "(select k from score where object_id = o.object_id) desc nulls last, o.object_id", []
        case ListOrder.DOUBT:
            return "(1.0 - o.confidence) * coalesce((select k from score where object_id = o.object_id), 0) desc, o.object_id", []
        case ListOrder.URGENCY:
            a_day, a_block, a_stake = listing.urgency
            visible, groups = visible_to(listing.wanted.groups, "t")
            blocked = _BLOCKED.format(visible=visible)
            return f"? * {blocked} + ? * o.stakes - ? * (o.said_at / ?) desc, o.object_id", [a_block, *groups, a_stake, a_day, _DAY_MICROS]
