"""Services on this machine that behave as their interfaces document, and misbehave as networks do, by a seeded chance."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from oida.adapters.live.registry import LiveKinds
from oida.adapters.live.transport import Patience

SECRET = "xoxb-harbour-s3cr3t-9f8e7d"
NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)
FAULTS = ("too-many", "overloaded", "unavailable", "broken-json", "cut", "no-answer")


@dataclass
class Reply:
    """What a service answers."""

    values: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None


@dataclass
class Request:
    """What a service is asked."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: Mapping[str, str]


@dataclass
class Waits:
    """Stands for sleeping: notes how long it would have been."""

    seconds: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


class FakeService:
    """One service; subclasses answer. A share `faulty` of the requests goes wrong, and `expiring` of the cursors are forgotten."""

    def __init__(self, *, faulty: float = 0.0, expiring: float = 0.0, seed: int = 0) -> None:
        self.faulty = faulty
        self.expiring = expiring
        self.secret = SECRET
        self.chance = random.Random(seed)
        self.asked: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.always: Reply | None = None
        self.lock = threading.Lock()

    def answer(self, request: Request) -> Reply:
        raise NotImplementedError

    def fault(self) -> str:
        with self.lock:
            if self.chance.random() >= self.faulty:
                return ""
            found = self.chance.choice(FAULTS)
            self.faults[found] += 1
            return found

    def forgets(self) -> bool:
        with self.lock:
            forgotten = self.chance.random() < self.expiring
            self.faults["expired-cursor"] += forgotten
            return forgotten


@contextmanager
def serving(service: FakeService) -> Iterator[str]:
    """The address of a running service."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.respond("GET")

        def do_POST(self) -> None:
            self.respond("POST")

        def respond(self, method: str) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            is_form = self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded")
            body = dict(parse_qsl(raw.decode())) if is_form else json.loads(raw) if raw else None
            request = Request(method, parts.path, dict(parse_qsl(parts.query)), body, self.headers)
            service.asked[parts.path] += 1
            fault = service.fault()
            if fault == "no-answer":
                self.close_connection = True
                return
            reply = _of_fault(fault) or service.always or service.answer(request)
            if fault == "broken-json" and reply.text is not None:
                reply = Reply({"error": "internal"}, 500)
            content = (reply.text if reply.text is not None else json.dumps(reply.values)).encode()
            if fault == "broken-json":
                content = content[: len(content) // 2] + b"<"
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if fault == "cut":
                self.wfile.write(content[: len(content) // 2])
                self.close_connection = True
                return
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _of_fault(fault: str) -> Reply | None:
    if fault == "too-many":
        return Reply({"ok": False, "error": "ratelimited"}, 429, {"Retry-After": "3"})
    if fault == "overloaded":
        return Reply({"error": "internal"}, 500)
    if fault == "unavailable":
        return Reply(None, 503, text="<html>down</html>")
    return None


def kinds(waits: Waits | None = None, *, secret: str = SECRET, seed: int = 1) -> LiveKinds:
    """Every kind of source, waiting without waiting; each finds `secret` where it looks."""
    chance = random.Random(seed)
    names = ("SLACK", "NOTION", "GOOGLE", "GITHUB", "IMAP")
    environment = {f"OIDA_{name}_TOKEN": secret for name in names} | {"OIDA_IMAP_PASSWORD": secret}
    return LiveKinds(environment, Patience((waits or Waits()).sleep, chance.random, lambda: NOW))
