"""Slack's Web API: pages of what it lists, and its own words for what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from oida.adapters.live.transport import GoneError, RefusedError, Transport
from oida.model.errors import RateLimitedError, UnavailableError

Json = Mapping[str, Any]

PAGE_SIZE = 200
MOST_RESTARTS = 5
_PASSING = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"})
_LOST = frozenset({"channel_not_found", "not_in_channel", "is_archived", "no_permission", "access_denied"})
_GONE = frozenset({"thread_not_found", "message_not_found"})
_SECRET_REFUSED = frozenset({"invalid_auth", "token_revoked", "token_expired", "account_inactive", "not_authed"})
_CURSOR_EXPIRED = "invalid_cursor"


class LostChannelError(GoneError):
    """The bot may not read a conversation any more; nothing follows for what was said in it."""

    code = "lost-channel"


class CursorExpiredError(UnavailableError):
    """Slack no longer knows a page's cursor; begin the listing again."""

    code = "cursor-expired"


def judge(values: Any) -> None:
    """Raise what an answer says about itself: Slack answers 200 to almost everything."""
    if not isinstance(values, dict) or not isinstance(values.get("ok"), bool):
        raise UnavailableError("expected an answer of Slack's shape, found another")
    if values["ok"]:
        return
    error = str(values.get("error", ""))
    if error in ("ratelimited", "rate_limited"):
        raise RateLimitedError("Slack asks for patience")
    if error in _PASSING:
        raise UnavailableError(f"Slack answered {error}")
    if error in _LOST:
        raise LostChannelError(f"Slack answered {error}", status=404)
    if error in _GONE:
        raise GoneError(f"Slack answered {error}", status=410)
    raise RefusedError(_advice(error, values), status=401 if error in _SECRET_REFUSED else 400, reason=error)


class SlackApi:
    """Methods of the Web API over one transport."""

    def __init__(self, transport: Transport) -> None:
        transport.judge = judge
        self._transport = transport

    def call(self, method: str, **arguments: str) -> Json:
        """One method's answer; raises RefusedError with what to do, LostChannelError, GoneError or UnavailableError."""
        try:
            values: Json = self._transport.get(f"/{method}", {name: value for name, value in arguments.items() if value}).values
        except RefusedError as refusal:
            if refusal.reason == _CURSOR_EXPIRED:
                raise CursorExpiredError("Slack no longer knows this page") from None
            raise
        return values

    def pages(self, method: str, key: str, **arguments: str) -> Iterator[list[Json]]:
        """The pages of a listing, in Slack's order; raises CursorExpiredError between two of them."""
        cursor = ""
        while True:
            answer = self.call(method, limit=str(PAGE_SIZE), cursor=cursor, **arguments)
            found = answer.get(key)
            if not isinstance(found, list):
                raise UnavailableError(f"expected a list of {key} from Slack, found {type(found).__name__}")
            yield [entry for entry in found if isinstance(entry, dict)]
            cursor = _next(answer)
            if not cursor:
                return

    def all(self, method: str, key: str, **arguments: str) -> list[Json]:
        """A whole listing of things with ids, begun again where a cursor expires."""
        found: dict[str, Json] = {}
        for _ in range(MOST_RESTARTS):
            try:
                for page in self.pages(method, key, **arguments):
                    found.update((str(entry.get("id", "")), entry) for entry in page)
            except CursorExpiredError:
                continue
            return list(found.values())
        raise UnavailableError(f"Slack forgot the pages of {method} {MOST_RESTARTS} times; try again later")

    def members(self, channel_id: str) -> list[str]:
        """The user ids of a conversation's members."""
        for _ in range(MOST_RESTARTS):
            found: list[str] = []
            cursor = ""
            try:
                while True:
                    answer = self.call("conversations.members", channel=channel_id, limit=str(PAGE_SIZE), cursor=cursor)
                    found += [member for member in answer.get("members", ()) if isinstance(member, str)]
                    cursor = _next(answer)
                    if not cursor:
                        return found
            except CursorExpiredError:
                continue
        raise UnavailableError(f"Slack forgot the pages of conversations.members {MOST_RESTARTS} times; try again later")

    def close(self) -> None:
        """End open connections."""
        self._transport.close()


def _next(answer: Json) -> str:
    metadata = answer.get("response_metadata")
    return str(metadata.get("next_cursor") or "") if isinstance(metadata, dict) else ""


def _advice(error: str, values: Json) -> str:
    if error in _SECRET_REFUSED:
        return f"Slack does not accept the token ({error}): install the app anew, put its bot token where the connection looks for it"
    if error == "missing_scope":
        needed = str(values.get("needed", ""))[:100]
        return f"the Slack app lacks the scope {needed}: add it and install the app anew, or narrow `--option types=…`"
    return f"Slack refused: {error[:100]}"
