"""A mail server on this machine that speaks as much IMAP as a reader needs, and hangs up by a seeded chance."""

from __future__ import annotations

import random
import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.apis import SECRET


def letter(number: int, text: str, *, to: str = "bo", by: str = "ada", reply_to: int | None = None) -> bytes:
    lines = [
        f"From: {by.title()} <{by}@harbour.example>",
        f"To: {to.title()} <{to}@harbour.example>",
        f"Subject: Letter {number}",
        f"Message-ID: <letter-{number}@harbour.example>",
        f"Date: Mon, 02 Mar 2026 0{number % 10}:00:00 +0000",
        *([f"In-Reply-To: <letter-{reply_to}@harbour.example>"] if reply_to is not None else []),
        "",
        text,
    ]
    return "\r\n".join(lines).encode()


@dataclass
class FakeMail:
    """Folders of messages by number; `hang_ups` is the share of commands at which the line goes dead."""

    folders: dict[str, dict[int, bytes]] = field(default_factory=dict)
    validity: str = "7"
    password: str = SECRET
    hang_ups: float = 0.0
    seed: int = 0
    commands: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)


@contextmanager
def serving_mail(mail: FakeMail) -> Iterator[int]:
    """The port of a running server."""

    class Session(socketserver.StreamRequestHandler):
        folder: dict[int, bytes]

        def handle(self) -> None:
            self.send(b"* OK ready")
            while line := self.rfile.readline():
                tag, command, rest = [*line.decode().strip().split(" ", 2), "", ""][:3]
                mail.commands.append(command)
                if mail.chance.random() < mail.hang_ups:
                    return
                if not self.obey(tag, command.upper(), rest):
                    return

        def obey(self, tag: str, command: str, rest: str) -> bool:
            match command:
                case "CAPABILITY":
                    self.send(b"* CAPABILITY IMAP4rev1")
                case "LOGIN":
                    if rest.rpartition(" ")[2].strip('"') != mail.password:
                        self.send(f"{tag} NO [AUTHENTICATIONFAILED] Invalid credentials {rest}".encode())
                        return True
                case "EXAMINE":
                    if rest.strip('"') not in mail.folders:
                        self.send(f"{tag} NO no such folder".encode())
                        return True
                    self.folder = mail.folders[rest.strip('"')]
                    self.send(f"* {len(self.folder)} EXISTS\r\n* OK [UIDVALIDITY {mail.validity}] valid".encode())
                case "UID":
                    self.uid(rest)
                case "LOGOUT":
                    self.send(f"* BYE\r\n{tag} OK".encode())
                    return False
                case _:
                    self.send(f"{tag} BAD".encode())
                    return True
            self.send(f"{tag} OK done".encode())
            return True

        def uid(self, rest: str) -> None:
            if rest.startswith("SEARCH"):
                called = re.search(r'HEADER Message-ID "([^"]*)"', rest)
                since = re.search(r"UID (\d+):\*", rest)
                if called:
                    found = [uid for uid, raw in self.folder.items() if f"<{called[1]}>".encode() in raw]
                else:
                    assert since is not None
                    found = [uid for uid in self.folder if uid >= int(since[1])] or list(self.folder)[-1:]
                self.send(f"* SEARCH {' '.join(map(str, found))}".encode())
                return
            for uid in map(int, rest.split()[1].split(",")):
                if uid not in self.folder:
                    continue
                raw = self.folder[uid]
                if "BODY.PEEK[]" in rest:
                    self.send(f"* {uid} FETCH (UID {uid} BODY[] {{{len(raw)}}}".encode() + b"\r\n" + raw + b")")
                else:
                    self.send(f'* {uid} FETCH (UID {uid} RFC822.SIZE {len(raw)} INTERNALDATE "02-Mar-2026 10:00:00 +0000")'.encode())

        def send(self, line: bytes) -> None:
            self.wfile.write(line + b"\r\n")

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Session)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def postbox(**options: float) -> FakeMail:
    """Two folders with six messages."""
    mail = FakeMail(**options)  # type: ignore[arg-type]
    mail.folders = {
        "INBOX": {
            3: letter(1, "We decided to load the vans at Moss by night."),
            4: letter(2, "Why is the gate so slow?", by="bo", to="ada"),
            7: letter(3, "I suspect the scanner.", reply_to=2),
            9: letter(4, "We plan to sell the depot.", to="cy"),
        },
        "Sent": {1: letter(5, "Drivers must sign every waybill."), 2: letter(6, "I rate the offer as poor.")},
    }
    return mail
