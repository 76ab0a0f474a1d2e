from __future__ import annotations

from typing import Any

import pytest
from tests.apis import NOW, SECRET, FakeService, Reply, Request, Waits, serving

from oida.adapters.live.transport import GoneError, Patience, RefusedError, Transport, checked_base
from oida.model.errors import InputError, RateLimitedError, UnavailableError


class Echo(FakeService):
    """Answers what it was told to, then that all is well."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__()
        self.replies = list(replies)
        self.requests: list[Request] = []

    def answer(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.replies.pop(0) if self.replies else Reply({"well": True})


def transport(base: str, waits: Waits, **options: Any) -> Transport:
    patience = Patience(waits.sleep, lambda: 0.0, lambda: NOW)
    return Transport(base, patience, headers={"Authorization": f"Bearer {SECRET}"}, secrets=(SECRET,), **options)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "17"}, 17.025),
        ({"Retry-After": "Wed, 01 Apr 2026 09:00:30 GMT"}, 30.025),
        ({"Retry-After": "Wed, 01 Apr 2026 08:00:00 GMT"}, 0.025),
        ({"Retry-After": "soon"}, 0.25),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW.timestamp()) + 40)}, 40.025),
        ({}, 0.25),
    ],
)
def test_a_busy_service_is_given_the_time_that_it_asks_for(headers: dict[str, str], seconds: float) -> None:
    waits = Waits()
    with serving(Echo(Reply(None, 429, headers, text=""))) as base:
        assert {"well": True} == transport(base, waits).get("/x").values
    assert [pytest.approx(seconds)] == waits.seconds


def test_waits_grow_and_are_scattered() -> None:
    waits = Waits()
    with serving(Echo(*[Reply(None, 503, text="")] * 5)) as base:
        transport(base, waits).get("/x")
    assert [0.25, 0.5, 1.0, 2.0, 4.0] == waits.seconds


def test_a_service_that_asks_for_an_hour_is_left_alone() -> None:
    waits = Waits()
    with serving(Echo(Reply(None, 429, {"Retry-After": "3600"}, text=""))) as base, pytest.raises(RateLimitedError) as raised:
        transport(base, waits).get("/x")
    assert (3600.0, []) == (raised.value.retry_after_seconds, waits.seconds)


def test_a_403_is_patience_at_a_limit_and_a_refusal_otherwise() -> None:
    limit = Reply({"message": "rate limit"}, 403, {"X-RateLimit-Remaining": "0"})
    with serving(Echo(limit, Reply({"message": "no"}, 403))) as base, pytest.raises(RefusedError) as raised:
        transport(base, Waits()).get("/x")
    assert 403 == raised.value.status


@pytest.mark.parametrize("status", [301, 302, 307])
def test_a_redirection_is_not_followed(status: int) -> None:
    service = Echo(*[Reply(None, status, {"Location": "http://169.254.169.254/latest"}, text="")] * 9)
    with serving(service) as base, pytest.raises(UnavailableError, match="not followed"):
        transport(base, Waits()).get("/x")
    assert {"/x"} == set(service.asked)


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_not_there_is_gone_at_once(status: int) -> None:
    waits = Waits()
    with serving(Echo(Reply({"message": "x"}, status))) as base, pytest.raises(GoneError) as raised:
        transport(base, waits).get("/x")
    assert (status, []) == (raised.value.status, waits.seconds)


def test_a_secret_that_the_service_says_back_is_struck_out() -> None:
    with serving(Echo(Reply({"error": {"message": f"bad token {SECRET}"}}, 401))) as base, pytest.raises(RefusedError) as raised:
        transport(base, Waits()).get("/x")
    assert SECRET not in str(raised.value)
    assert "•••" in str(raised.value)
    assert SECRET not in repr(transport("https://api.example", Waits()))


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oida.adapters.live.transport.LARGEST_ANSWER_BYTES", 1_000)
    with serving(Echo(*[Reply("x" * 5_000)] * 9)) as base, pytest.raises(UnavailableError, match="at most 1000 bytes"):
        transport(base, Waits()).get("/x")


def test_a_service_that_is_silent_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="cannot be reached"):
        transport("http://127.0.0.1:9", Waits()).get("/x")


@pytest.mark.parametrize("text", ["", "<html>", "{", "[" * 100_000])
def test_what_is_no_json_is_asked_for_again(text: str) -> None:
    with serving(Echo(Reply(None, text=text))) as base:
        assert {"well": True} == transport(base, Waits()).get("/x").values


REFUSED = (
    "http://slack.com", "https://", "https://a:b@x.org", "https://x.org?y=1", "https://x.org:port", "gopher://127.0.0.1",
    "http://127.0.0.1.evil.org", "//x.org", "",
)  # fmt: skip


@pytest.mark.parametrize("base", REFUSED)
def test_only_addresses_that_are_safe_to_ask_are_taken(base: str) -> None:
    with pytest.raises(InputError):
        checked_base(base)


@pytest.mark.parametrize("base", ["https://slack.com/api/", "http://127.0.0.1:8080", "http://localhost:1/x", "http://[::1]:2"])
def test_https_and_this_machine_are_taken(base: str) -> None:
    assert base.rstrip("/") == checked_base(base)
