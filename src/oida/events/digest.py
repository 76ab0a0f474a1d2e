"""One digest for a whole state, equal wherever the same things are the case (spec section 4).

It covers objects, edges and statuses, never when or in which order we learned of them. Retracted edges are left out:
whether a relation was once proposed and taken back depends on what was there at the time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from oida.events.codec import canonical_json, canonical_time
from oida.events.state import EdgeRecord, ObjectRecord


def object_row(record: ObjectRecord) -> str:
    """The canonical line of one object."""
    return canonical_json(
        [
            record.object_id,
            record.item_id,
            record.entity,
            record.domain,
            record.epistemic_class,
            record.epoch,
            record.depth,
            record.author,
            record.variant,
            record.confidence.hex(),
            record.stakes.hex(),
            canonical_time(record.said_at),
            record.language,
            record.classifier,
            sorted(record.visibility),
            record.status,
            record.superseded_by,
            record.resolved_by,
            record.duplicate_of,
            canonical_time(record.reinforced_at) if record.reinforced_at else None,
        ]
    )


def edge_row(record: EdgeRecord) -> str:
    """The canonical line of one edge that is not retracted."""
    return canonical_json(
        [record.edge_id, record.source, record.edge_type, record.target, record.confidence.hex(), record.method, record.public]
    )


def state_digest(objects: Iterable[ObjectRecord], edges: Iterable[EdgeRecord]) -> str:
    """SHA-256 over all objects and active edges, each sorted by id; hexadecimal."""
    digest = hashlib.sha256()
    for line in sorted(map(object_row, objects)):
        digest.update(line.encode("ascii") + b"\n")
    for line in sorted(edge_row(edge) for edge in edges if not edge.retracted):
        digest.update(line.encode("ascii") + b"\n")
    return digest.hexdigest()
