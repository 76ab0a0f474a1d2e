"""A head of the ledger as one signed line, to be kept where whoever can change the base cannot (spec section 4, ADR 0016).

The signature is HMAC-SHA256 under a key that stands in no base: who has the key can check a line, and could also write one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass

from oida.events.chain import Head
from oida.events.codec import canonical_json
from oida.model.errors import IntegrityError
from oida.model.identifiers import Position

SHORTEST_KEY = 32
"""Characters that a key has at least."""


@dataclass(frozen=True, slots=True)
class SignedHead:
    """What a line says: that the ledger of a base ended at `head` at a moment (ISO 8601, UTC)."""

    base_id: str
    head: Head
    at: str


def sign_head(signed: SignedHead, key: str) -> str:
    """The line of a head, canonical JSON without a line's end.

    >>> line = sign_head(SignedHead("b", Head(Position(3), bytes(32)), "2026-06-05T18:00:00Z"), "k" * 32)
    >>> read_signed_head(line, "k" * 32).head.position
    3
    """
    return canonical_json(_values(signed) | {"signature": _signature(signed, key)})


def read_signed_head(line: str, key: str) -> SignedHead:
    """What a line says; raises IntegrityError where it is no such line, or was not signed with this key as it stands."""
    try:
        values = json.loads(line)
        found = SignedHead(str(values["base"]), Head(Position(int(values["position"])), bytes.fromhex(values["digest"])), str(values["at"]))
        signature = str(values["signature"])
    except (ValueError, KeyError, TypeError):
        raise IntegrityError(f"expected a line that `oida witness export` wrote, found {line[:80]!r}") from None
    if not hmac.compare_digest(_signature(found, key).encode("ascii"), signature.encode("utf-8", "replace")):
        raise IntegrityError(f"expected the signature of entry {found.head.position} to be of this key and text, found another")
    return found


def _values(signed: SignedHead) -> dict[str, object]:
    return {"at": signed.at, "base": signed.base_id, "digest": signed.head.digest.hex(), "position": int(signed.head.position)}


def _signature(signed: SignedHead, key: str) -> str:
    return hmac.new(key.encode("utf-8"), b"oida witness 1\n" + canonical_json(_values(signed)).encode("ascii"), hashlib.sha256).hexdigest()
