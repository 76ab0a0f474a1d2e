from __future__ import annotations

import mailbox
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.apis import SECRET, Waits, kinds
from tests.contracts.live_connector import cursor_of, items_of
from tests.imap_server import FakeMail, letter, postbox, serving_mail

from oida.adapters.connector.export import open_path
from oida.adapters.live.imap import client
from oida.adapters.live.transport import MOST_ATTEMPTS
from oida.model.errors import InputError, UnavailableError
from oida.model.feed import Checkpoint, CompleteRange, GroupMembers, Missed
from oida.model.source import EVERYONE, SourceItem
from oida.ports import LiveConnector

ACCOUNT = "ada@harbour.example"


def open_mail(port: int, *, secret: str = SECRET, waits: Waits | None = None, folders: str = "INBOX,Sent", **more: str) -> LiveConnector:
    options = {"host": "127.0.0.1", "port": str(port), "tls": "no", "user": ACCOUNT, "folders": folders, **more}
    return kinds(waits).open("imap", options, secret)


def read(port: int, cursor: str = "", **options: str) -> list[object]:
    live = open_mail(port, **options)  # type: ignore[arg-type]
    try:
        return list(live.follow(cursor, known=tuple))
    finally:
        live.close()


@pytest.fixture
def running() -> Iterator[tuple[FakeMail, int]]:
    mail = postbox()
    with serving_mail(mail) as port:
        yield mail, port


def test_every_message_comes_with_the_group_of_those_who_took_part(running: tuple[FakeMail, int]) -> None:
    handed = read(running[1])
    assert 6 == len(items_of(handed))  # type: ignore[arg-type]
    groups = {each.group for each in handed if isinstance(each, GroupMembers)}
    assert all(item.visibility <= groups and EVERYONE not in item.visibility for item in items_of(handed))  # type: ignore[arg-type]
    assert isinstance(handed[-1], Checkpoint)


def test_a_mailbox_file_of_the_same_messages_gives_the_same_ids_and_fingerprints(running: tuple[FakeMail, int], tmp_path: Path) -> None:
    mail, port = running
    box = mailbox.mbox(tmp_path / "past.mbox")
    for raw in mail.folders["INBOX"].values():
        box.add(mailbox.mboxMessage(raw))
    box.close()
    (connector,), _ = open_path(tmp_path / "past.mbox", zone=ZoneInfo("UTC"), source_name=ACCOUNT)
    exported = {each.item_id: each.fingerprint for each in connector.read() if isinstance(each, SourceItem)}
    followed = {item.item_id: item.fingerprint for item in items_of(read(port, folders="INBOX"))}  # type: ignore[arg-type]
    assert exported == followed


def test_only_new_messages_come_from_the_cursor(running: tuple[FakeMail, int]) -> None:
    mail, port = running
    cursor = cursor_of(read(port))  # type: ignore[arg-type]
    assert [] == items_of(read(port, cursor))  # type: ignore[arg-type]
    mail.folders["INBOX"][12] = letter(7, "We decided to wait.")
    assert ["letter-7@harbour.example"] == [item.native_id for item in items_of(read(port, cursor))]  # type: ignore[arg-type]


def test_numbers_given_anew_are_a_full_reading_and_nothing_is_ever_declared_complete(running: tuple[FakeMail, int]) -> None:
    mail, port = running
    cursor = cursor_of(read(port))  # type: ignore[arg-type]
    mail.validity = "8"
    handed = read(port, cursor)
    assert 6 == len(items_of(handed))  # type: ignore[arg-type]
    assert not [each for each in handed if isinstance(each, CompleteRange)]


@pytest.mark.parametrize("seed", range(4))
def test_with_a_line_that_goes_dead_again_and_again_everything_comes_all_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MESSAGES_AT_ONCE", 2)
    with serving_mail(postbox(hang_ups=0.15, seed=seed)) as port:
        live, cursor, found = open_mail(port), "", set()
        for _ in range(5):
            try:
                for each in live.follow(cursor, known=tuple):
                    if isinstance(each, SourceItem):
                        found.add(each.native_id)
                    elif isinstance(each, Checkpoint):
                        cursor = each.cursor
            except UnavailableError:
                continue
            break
        live.close()
    assert {f"letter-{number}@harbour.example" for number in range(1, 7)} == found


def test_a_refused_password_is_tried_once_and_not_shown(running: tuple[FakeMail, int]) -> None:
    mail, port = running
    mail.password = "another"
    with pytest.raises(InputError, match="app password") as raised:
        open_mail(port).describe()
    assert SECRET not in str(raised.value)
    assert 1 == mail.commands.count("LOGIN")


def test_a_server_that_is_down_is_unavailable_after_patience() -> None:
    waits = Waits()
    with serving_mail(postbox(hang_ups=1.0)) as port, pytest.raises(UnavailableError):
        open_mail(port, waits=waits).describe()
    assert MOST_ATTEMPTS - 1 == len(waits.seconds)


def test_single_messages_can_be_read_again_and_one_that_is_gone_is_missed(running: tuple[FakeMail, int]) -> None:
    found = list(open_mail(running[1]).read_again(["letter-6@harbour.example", "INBOX/7", "gone@harbour.example", 'a"b']))
    assert ["letter-6@harbour.example", "letter-3@harbour.example"] == [item.native_id for item in found if isinstance(item, SourceItem)]
    assert ["gone@harbour.example", 'a"b'] == [each.native_id for each in found if isinstance(each, Missed)]


def test_a_message_that_is_too_large_is_missed_under_its_number(running: tuple[FakeMail, int], monkeypatch: pytest.MonkeyPatch) -> None:
    mail, port = running
    monkeypatch.setattr(client, "LARGEST_MESSAGE_BYTES", 1_000)
    mail.folders["INBOX"][20] = letter(8, "x" * 2_000)
    handed = read(port)
    assert [("INBOX/20", "too-large")] == [(each.native_id, each.problem.code) for each in handed if isinstance(each, Missed)]
    assert 6 == len(items_of(handed))  # type: ignore[arg-type]


@pytest.mark.parametrize("folders", ["None", 'IN"BOX', "Entwürfe"])
def test_a_folder_that_is_not_there_says_so(running: tuple[FakeMail, int], folders: str) -> None:
    with pytest.raises(InputError, match="folder"):
        open_mail(running[1], folders=folders).describe()


def test_a_connection_without_tls_is_for_this_machine_only() -> None:
    with pytest.raises(InputError, match="TLS"):
        kinds().open("imap", {"host": "imap.example.org", "user": ACCOUNT, "tls": "no"}, SECRET)


def test_the_server_and_the_account_are_needed() -> None:
    with pytest.raises(InputError, match="host"):
        kinds().open("imap", {"user": ACCOUNT}, SECRET)
    with pytest.raises(InputError, match="user"):
        kinds().open("imap", {"host": "imap.example.org"}, SECRET)
