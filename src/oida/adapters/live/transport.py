"""Asking one API: only its configured address, with patience for what passes and plain words for what does not.

A request is repeated when the service is busy (429, 5xx), the connection breaks, or the answer is not the JSON that it should be. The
waits grow and are scattered, so that many clients do not come back at once; how to wait and how to scatter is given from outside. The
secret stands in a header only, and is struck from every message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2

from oida.model.errors import InputError, RateLimitedError, UnavailableError

MOST_ATTEMPTS = 8
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 60.0
LONGEST_ASKED_WAIT_SECONDS = 600.0
"""A service that asks for more patience than this is left alone until the next run."""

LARGEST_ANSWER_BYTES = 64 * 2**20
_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_LONGEST_MESSAGE = 300


class GoneError(UnavailableError):
    """What was asked for is not there, or not for this secret; `status` is 404 or 410."""

    code = "gone-at-source"

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class RefusedError(InputError):
    """The service refuses the request: `status` as HTTP has it, `reason` in the service's own word."""

    code = "refused-by-source"

    def __init__(self, message: str, *, status: int, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Patience:
    """How to wait: `sleep` for seconds, `chance` in [0, 1) to scatter the waits, `now` to read dates in Retry-After."""

    sleep: Callable[[float], None]
    chance: Callable[[], float]
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the JSON or the text, and the headers."""

    values: Any
    headers: Mapping[str, str]
    text: str = ""


@dataclass(slots=True)
class Transport:
    """Requests to one address; `headers` are kept from every message. Not for several threads at once."""

    base: str
    patience: Patience
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    timeout_seconds: float = 30.0
    judge: Callable[[Any], None] = lambda values: None
    """Raises what an answer with status 200 says in its own words; UnavailableError for what may pass."""

    _client: httpx2.Client | None = None

    def __post_init__(self) -> None:
        self.base = checked_base(self.base)

    def get(self, path: str, query: Mapping[str, str] | None = None, *, as_json: bool = True) -> Answer:
        """The answer to a GET; raises UnavailableError after the last attempt, RefusedError or GoneError at once."""
        return self._ask("GET", path, query or {}, None, as_json)

    def post(self, path: str, body: Mapping[str, Any]) -> Answer:
        """The answer to a POST of JSON that only asks and changes nothing there, so that it may be repeated."""
        return self._ask("POST", path, {}, body, True)

    def post_form(self, path: str, fields: Mapping[str, str]) -> Answer:
        """The answer to a POST of form fields."""
        return self._ask("FORM", path, {}, fields, True)

    def close(self) -> None:
        """End open connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _ask(self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | None, as_json: bool) -> Answer:
        assert path.startswith("/"), "a path begins with a slash, so that it cannot name another host"
        trouble = UnavailableError("nothing was asked")
        for attempt in range(MOST_ATTEMPTS):
            try:
                return self._once(method, path, query, body, as_json)
            except (RefusedError, GoneError):
                raise
            except UnavailableError as error:
                trouble = error
                asked = error.retry_after_seconds
                if asked is not None and asked > LONGEST_ASKED_WAIT_SECONDS:
                    raise
                if attempt < MOST_ATTEMPTS - 1:
                    self.patience.sleep(self._wait(attempt, asked))
        raise trouble

    def _wait(self, attempt: int, asked: float | None) -> float:
        grown = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**attempt)
        scattered = grown * (0.5 + 0.5 * self.patience.chance())
        return scattered if asked is None else asked + scattered * 0.1

    def _once(self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | None, as_json: bool) -> Answer:
        status, headers, raw = self._exchange(method, path, query, body)
        if status in _BUSY or _is_rate_limit(status, headers):
            raise self._busy(status, headers)
        if 200 <= status < 300:
            return self._read(raw, headers, as_json)
        raise self._refusal(status, raw)

    def _exchange(
        self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        given: dict[str, Any] = {"params": dict(query)} if query else {}
        given["headers"] = dict(self.headers)
        if body is not None:
            given["data" if method == "FORM" else "json"] = dict(body)
        try:
            with self._open().stream("GET" if method == "GET" else "POST", self.base + path, **given) as answer:
                pieces, size = [], 0
                for piece in answer.iter_bytes():
                    size += len(piece)
                    if size > LARGEST_ANSWER_BYTES:
                        raise UnavailableError(f"expected an answer of at most {LARGEST_ANSWER_BYTES} bytes from {self.base}, found more")
                    pieces.append(piece)
                return answer.status_code, answer.headers, b"".join(pieces)
        except httpx2.TimeoutException as error:
            raise UnavailableError(f"{self.base} did not answer within {self.timeout_seconds:g} s") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise UnavailableError(self._without_secrets(f"{self.base} cannot be reached: {type(error).__name__}: {error}")) from None

    def _open(self) -> httpx2.Client:
        if self._client is None:
            self._client = httpx2.Client(timeout=self.timeout_seconds, follow_redirects=False, trust_env=True)
        return self._client

    def _read(self, raw: bytes, headers: Mapping[str, str], as_json: bool) -> Answer:
        text = raw.decode("utf-8", "replace")
        if not as_json:
            return Answer(None, headers, text)
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as fault:
            raise UnavailableError(f"expected JSON from {self.base}, found something else: {type(fault).__name__}") from None
        self.judge(values)
        return Answer(values, headers)

    def _busy(self, status: int, headers: Mapping[str, str]) -> UnavailableError:
        asked = _retry_after(headers, self.patience.now())
        if status in (403, 429):
            return RateLimitedError(f"{self.base} asks for patience", retry_after_seconds=asked)
        return UnavailableError(f"{self.base} answered {status}", retry_after_seconds=asked)

    def _refusal(self, status: int, raw: bytes) -> RefusedError | GoneError | UnavailableError:
        reason, said = _explained(raw)
        message = self._without_secrets(f"{self.base} answered {status}{': ' + said if said else ''}")[:_LONGEST_MESSAGE]
        if status in (404, 410):
            return GoneError(message, status=status)
        if 300 <= status < 400:
            return UnavailableError(f"{message}; it names another address, which is not followed")
        if status == 401:
            message += "; the secret is not accepted: make a new one, put it where the connection looks for it, and run this again"
        return RefusedError(message, status=status, reason=reason)

    def _without_secrets(self, text: str) -> str:
        for secret in self.secrets:
            if secret:
                text = text.replace(secret, "•••")
        return text


def checked_base(base: str) -> str:
    """An address that may be asked: https anywhere, http on this machine only; raises InputError for any other.

    >>> checked_base("https://slack.com/api/")
    'https://slack.com/api'
    """
    parts = urlsplit(base.strip())
    try:
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if parts.username or parts.password or parts.query or parts.fragment or not host:
        raise InputError(f"expected an address such as https://api.example.org, found {base[:80]!r}")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        raise InputError(f"expected an https address (http only on this machine), found {base[:80]!r}")
    return base.strip().rstrip("/")


def _is_rate_limit(status: int, headers: Mapping[str, str]) -> bool:
    """GitHub and Google say with 403 that a limit is reached, too."""
    return status == 403 and (headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers)


def _retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that a service asks for, as a number, as a date, or as the moment at which its limit ends."""
    written = headers.get("retry-after", "").strip()
    if written:
        try:
            return max(0.0, float(written))
        except ValueError:
            pass
        try:
            moment = parsedate_to_datetime(written)
        except (ValueError, TypeError, OverflowError):
            return None
        return max(0.0, ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now).total_seconds())
    reset = headers.get("x-ratelimit-reset", "").strip()
    return max(0.0, float(reset) - now.timestamp()) if reset.isdigit() and headers.get("x-ratelimit-remaining") == "0" else None


def _explained(raw: bytes) -> tuple[str, str]:
    """The service's word for its refusal and what it says about it, of the shapes that our services use."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return "", ""
    if not isinstance(found, dict):
        return "", ""
    error = found.get("error", found)
    if isinstance(error, dict):
        reason = error.get("status") or error.get("code") or error.get("reason") or ""
        return str(reason), str(error.get("message") or "")[:_LONGEST_MESSAGE]
    return str(error), str(found.get("error_description") or error)[:_LONGEST_MESSAGE]
