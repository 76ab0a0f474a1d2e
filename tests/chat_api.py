"""A server that speaks the OpenAI chat protocol, with faults drawn from a seed: garbage, refusals, foreign answers, 429 and 500."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GARBAGE = (
    "",
    "I cannot help with that.",
    '{"answers": [',
    '{"answers": "PLAN"}',
    "[1, 2]",
    '{"answers": [{"number": 99, "class": "PLAN", "confidence": 1}]}',
)

RELATIONS = ("CONTRADICTS", "SUPPORTS", "SUPERSEDES", "NONE")


class ChatServer:
    """Types every statement by its first word (a class), else as NARRATIVE, and relates pairs by the first word of the later one.

    `garbage` of the replies are none, `failing` are refused.
    """

    def __init__(self, *, garbage: float = 0.0, failing: float = 0.0, seed: int = 7) -> None:
        self.garbage = garbage
        self.failing = failing
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and reply for a request."""
        with self._lock:
            self.requests.append(body)
            draw, which = self._random.random(), self._random.choice(GARBAGE)
        if draw < self.failing:
            return (429, {}) if which else (500, {})
        text = which if draw < self.failing + self.garbage else _typed(body["messages"][1]["content"])
        return 200, {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}


def _typed(material: str) -> str:
    rows = json.loads(material)
    if rows and "A" in rows[0]:
        return json.dumps({"answers": [_related(row) for row in rows]})
    labels = {row["number"]: row["statement"].split()[0].strip(".:") for row in rows}
    known = ("DECISION", "PLAN", "QUESTION", "NONE")
    return json.dumps(
        {"answers": [{"number": n, "class": label if label in known else "NARRATIVE", "confidence": 0.9} for n, label in labels.items()]}
    )


def _related(row: dict[str, Any]) -> dict[str, Any]:
    """The relation that the later statement names by its first word, else NONE."""
    word = row["A"]["statement"].split()[0].strip(".:")
    label = word if word in RELATIONS else "NONE"
    return {"number": row["number"], "relation": label, "source": "A", "confidence": 0.9}


@contextmanager
def serving(server: ChatServer) -> Iterator[ChatServer]:
    """The server on a free local port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, reply = server.answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            content = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            return None

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
