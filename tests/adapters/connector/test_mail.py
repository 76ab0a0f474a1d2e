from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.export import open_path
from oida.adapters.connector.mail.mapping import MailItem, MailSource, read_mail
from oida.model.errors import Problem
from oida.model.source import BlockKind, ReferenceCue, SourceItem

MODIFIED = datetime(2026, 11, 30, tzinfo=UTC)
SOURCE = MailSource("mail:acme", "inbox", ZONE, MODIFIED)
FIRST = b"""From: Ada Berg <Ada@example.org>
To: Bo Lie <bo@example.org>
Subject: =?utf-8?q?Keys_p=C3=A5_d=C3=B8ra?=
Date: Wed, 04 Mar 2026 09:00:00 +0100
Message-ID: <1@example.org>

Who has the second key?
"""
REPLY = b"""From: bo@example.org
To: ada@example.org
Subject: Re: Keys
Date: Wed, 04 Mar 2026 10:00:00 +0100
Message-ID: <2@example.org>
In-Reply-To: <1@example.org>

I do. See ADR-014.

On Wed, 4 Mar 2026 at 09:00, Ada Berg wrote:
> Who has the second key?

--\x20
Bo Lie, keeper of keys
"""


class TestMailConnector(ConnectorContract):
    kind = "mail"

    def write_export(self, folder: Path) -> None:
        (folder / "first.eml").write_bytes(FIRST)
        (folder / "reply.txt").write_bytes(REPLY)

    def damage(self, folder: Path) -> None:
        (folder / "first.eml").write_bytes(FIRST.replace(b"Wed, 04 Mar 2026 09:00:00 +0100", b"some day"))

    def alter(self, folder: Path) -> None:
        (folder / "first.eml").write_bytes(FIRST.replace(b"second", b"third"))

    def test_those_who_took_part_see_a_message(self, folder: Path) -> None:
        description, items, _ = self.read(folder)
        (group,) = set().union(*(item.visibility for item in items))
        emails = {person.email for person in description.people if person.person_id in description.groups[group]}
        assert emails == {"ada@example.org", "bo@example.org"}

    def test_a_mailbox_holds_many_messages(self, tmp_path: Path) -> None:
        box = b"".join(b"From x Wed Mar  4 09:00:00 2026\n" + raw + b"\n" for raw in (FIRST, REPLY, REPLY))
        (tmp_path / "all").write_bytes(box.replace(b"I do.", b"I do.\n\n>From now on."))
        _, items, problems = self.read(tmp_path)
        assert [item.native_id for item in items] == ["1@example.org", "2@example.org"]
        assert "\nFrom now on." in items[1].body
        assert [problem.code for problem in problems] == ["duplicate-id"]


def read(raw: bytes) -> SourceItem:
    found = read_mail(message_from_bytes(raw, policy=policy.default), source=SOURCE, place="p")
    assert isinstance(found, MailItem)
    return found.item


def quoted(item: SourceItem) -> list[tuple[BlockKind, str]]:
    return [(block.kind, item.body[block.start : block.end]) for block in item.blocks]


def test_headers_are_decoded() -> None:
    item = read(FIRST)
    assert item.title == "Keys på døra"
    assert item.said_at == datetime(2026, 3, 4, 8, tzinfo=UTC)
    assert item.author
    assert (item.author.name, item.author.email) == ("Ada Berg", "ada@example.org")


def test_what_is_said_what_is_quoted_and_what_is_signed_are_told_apart() -> None:
    item = read(REPLY)
    assert quoted(item) == [
        (BlockKind.PARAGRAPH, "I do. See ADR-014."),
        (BlockKind.QUOTE, "On Wed, 4 Mar 2026 at 09:00, Ada Berg wrote:"),
        (BlockKind.QUOTE, "Who has the second key?"),
    ]
    assert [(r.cue, r.key) for r in item.references] == [(ReferenceCue.REPLY, "1@example.org"), (ReferenceCue.LINK, "adr-014")]


def test_what_stands_under_a_forwarding_line_is_a_quote() -> None:
    item = read(FIRST + b"\n-----Original Message-----\nFrom: Eve\n\nBuy now.\n")
    assert (BlockKind.QUOTE, "Buy now.") in quoted(item)
    assert (BlockKind.PARAGRAPH, "Who has the second key?") in quoted(item)


def test_html_is_read_where_there_is_no_plain_text() -> None:
    raw = FIRST.replace(b"Message-ID", b"MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\nMessage-ID")
    item = read(raw.replace(b"Who has the second key?", b"<p>Two <b>keys</b></p><script>x</script>"))
    assert quoted(item) == [(BlockKind.PARAGRAPH, "Two keys")]


@pytest.mark.parametrize("charset", ["no-such-charset", "us-ascii", "utf-8"])
def test_a_wrong_charset_loses_no_message(charset: str) -> None:
    raw = FIRST.replace(b"Message-ID", f"Content-Type: text/plain; charset={charset}\nMessage-ID".encode())
    assert "key" in read(raw.replace(b"second", "søndre".encode("latin-1"))).body


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_break_the_reading(noise: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.eml").write_bytes(FIRST[:60] + noise + REPLY[40:90] + noise)
        for connector in open_path(Path(folder), zone=ZONE)[0]:
            assert all(isinstance(found, SourceItem | Problem) for found in connector.read())


@settings(deadline=None)
@given(st.text(alphabet="> \n-_aOn wrote:\t", max_size=120))
def test_blocks_of_any_text_are_ordered_spans(text: str) -> None:
    item = read(FIRST + text.encode() + b"\n-----Original Message-----\n" + text.encode())
    end = 0
    for block in item.blocks:
        assert end <= block.start < block.end <= len(item.body)
        assert item.body[block.start : block.end].strip() == item.body[block.start : block.end]
        end = block.end
