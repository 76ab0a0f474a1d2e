"""A digest of everything about an item that matters here: equal items are not recorded again."""

from __future__ import annotations

import hashlib


def fingerprint(*parts: object) -> str:
    """32 hex digits over the parts, framed so that moving a character between two parts changes it.

    >>> fingerprint("ab", "c") == fingerprint("a", "bc")
    False
    """
    framed = ascii([str(part) for part in parts])
    return hashlib.blake2b(framed.encode("ascii"), digest_size=16).hexdigest()
