from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from oida.adapters.webhook import HttpWebhookSender, checked_url
from oida.model.errors import InputError, UnavailableError


class Receiver(ThreadingHTTPServer):
    """Takes what is posted to /hook, and sends everything else elsewhere."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.taken: list[tuple[str, str, bytes]] = []


class Taking(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken.append((self.path, self.headers["host"], body))
        self.send_response(204 if self.path.startswith("/hook") else 302)
        self.send_header("location", "/hook")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_message_reaches_a_private_address_only_where_that_is_wanted(receiver: Receiver) -> None:
    url = f"http://localhost:{receiver.server_port}/hook?team=ops"
    assert 204 == HttpWebhookSender().post(url, headers={"webhook-id": "m"}, body=b"{}", private=True)
    assert [("/hook?team=ops", f"localhost:{receiver.server_port}", b"{}")] == receiver.taken


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    assert 302 == HttpWebhookSender().post(f"http://127.0.0.1:{receiver.server_port}/x", headers={}, body=b"{}", private=True)
    assert 1 == len(receiver.taken)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"]
)
def test_an_address_that_is_not_public_is_never_asked(host: str) -> None:
    with pytest.raises(UnavailableError, match="in a public network"):
        HttpWebhookSender().post(f"https://{host}/hook", headers={}, body=b"{}", private=False)


def test_what_does_not_answer_is_said() -> None:
    with pytest.raises(UnavailableError, match="expected the address of nowhere"):
        HttpWebhookSender().post("https://nowhere.invalid/", headers={}, body=b"{}", private=False)
    with pytest.raises(UnavailableError, match="does not answer: ConnectError"):
        HttpWebhookSender().post("http://127.0.0.1:1/", headers={}, body=b"{}", private=True)


@pytest.mark.parametrize(
    "url", ["http://hooks.example.org/", "ftp://x.example/", "https://", "https://a:b@x.example/", "https://x.example:99999/", "hooks", ""]
)
def test_an_address_is_https(url: str) -> None:
    with pytest.raises(InputError):
        checked_url(url, private=False)
