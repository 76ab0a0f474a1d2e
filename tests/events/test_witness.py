"""A signed head says what it was made from, under its key alone; no other text passes for one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oida.events.chain import Head
from oida.events.witness import SignedHead, read_signed_head, sign_head
from oida.model.errors import IntegrityError
from oida.model.identifiers import Position

KEY = "a key of more than thirty-two characters"
SIGNED = SignedHead("0123abcd", Head(Position(41), bytes(range(32))), "2026-06-05T18:00:00Z")


@given(
    base=st.text(), position=st.integers(0, 2**62), digest=st.binary(min_size=32, max_size=32), key=st.text(min_size=32, alphabet="kéy字 1")
)
def test_what_is_signed_is_read_again(base: str, position: int, digest: bytes, key: str) -> None:
    signed = SignedHead(base, Head(Position(position), digest), "2026-06-05T18:00:00Z")
    line = sign_head(signed, key)
    assert line.isascii()
    assert "\n" not in line
    assert signed == read_signed_head(line, key)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base", "other"),
        ("position", 40),
        ("digest", "00" * 32),
        ("at", "2027-06-05T18:00:00Z"),
        ("signature", "00" * 32),
        ("signature", "ø"),
    ],
)
def test_a_line_that_was_changed_is_refused(name: str, value: object) -> None:
    values = json.loads(sign_head(SIGNED, KEY)) | {name: value}
    with pytest.raises(IntegrityError, match="expected the signature of entry"):
        read_signed_head(json.dumps(values), KEY)


def test_a_line_under_another_key_is_refused() -> None:
    with pytest.raises(IntegrityError, match="of this key"):
        read_signed_head(sign_head(SIGNED, KEY), KEY + "!")


@pytest.mark.parametrize(
    "line", ["", "41:00", "[]", "null", "{}", '{"base": "b", "position": "x", "digest": "00", "at": "", "signature": ""}']
)
def test_what_is_no_line_is_told(line: str) -> None:
    with pytest.raises(IntegrityError, match="expected a line that `oida witness export` wrote"):
        read_signed_head(line, KEY)
