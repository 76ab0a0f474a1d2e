"""Access to Google's APIs: a token as it is, or the means to get a new one every hour."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from oida.adapters.live.registry import Opening
from oida.adapters.live.transport import Answer, GoneError, RefusedError, Transport
from oida.model.errors import InputError, UnavailableError

Json = Mapping[str, Any]

TOKEN_ADDRESS = "https://oauth2.googleapis.com"  # noqa: S105 - an address
_MARGIN = timedelta(minutes=2)
_NEEDED = ("client_id", "client_secret", "refresh_token")


class ForgottenError(GoneError):
    """Google no longer knows a page or how far was read; read anew."""

    code = "google-token-expired"


class GoogleApi:
    """Requests under one grant; the secret is an access token, or JSON with client_id, client_secret and refresh_token."""

    def __init__(self, transport: Transport, tokens: Transport, secret: str, now: Callable[[], datetime]) -> None:
        self._transport = transport
        self._tokens = tokens
        self._now = now
        self._grant = _grant(secret)
        self._valid_until: datetime | None = None
        if self._grant is None:
            self._use(secret)
        self._tokens.secrets = (secret, *(self._grant or {}).values())

    def get(self, path: str, **query: str) -> Json:
        """The answer's object; raises RefusedError with what to do, GoneError, ForgottenError or UnavailableError."""
        values = self._asked(path, query, as_json=True).values
        if not isinstance(values, dict):
            raise UnavailableError(f"expected an object from Google, found {type(values).__name__}")
        return values

    def text(self, path: str, **query: str) -> str:
        """The answer as text."""
        return self._asked(path, query, as_json=False).text

    def pages(self, path: str, key: str, **query: str) -> Iterator[tuple[list[Json], Json]]:
        """The pages of a listing, each with the whole answer; raises ForgottenError between two of them."""
        token = query.pop("pageToken", "")
        while True:
            try:
                answer = self.get(path, **query, **({"pageToken": token} if token else {}))
            except (GoneError, RefusedError) as refusal:
                if token and refusal.status in (400, 410):
                    raise ForgottenError("Google no longer knows this page", status=410) from None
                raise
            found = answer.get(key, [])
            if not isinstance(found, list):
                raise UnavailableError(f"expected a list of {key} from Google, found {type(found).__name__}")
            yield [entry for entry in found if isinstance(entry, dict)], answer
            token = str(answer.get("nextPageToken") or "")
            if not token:
                return

    def close(self) -> None:
        """End open connections."""
        self._transport.close()
        self._tokens.close()

    def _asked(self, path: str, query: Mapping[str, str], *, as_json: bool) -> Answer:
        given = {name: value for name, value in query.items() if value}
        self._renew_when_old()
        try:
            return self._transport.get(path, given, as_json=as_json)
        except RefusedError as refusal:
            if refusal.status != 401 or self._grant is None:
                raise
        self._valid_until = None
        self._renew_when_old()
        return self._transport.get(path, given, as_json=as_json)

    def _renew_when_old(self) -> None:
        if self._grant is None or (self._valid_until is not None and self._now() < self._valid_until):
            return
        try:
            answer = self._tokens.post_form("/token", {**self._grant, "grant_type": "refresh_token"}).values
        except RefusedError as refusal:
            advice = "the grant was revoked or has expired: make a new refresh token and put it where the connection looks for it"
            raise RefusedError(f"Google gives no access ({refusal.reason or refusal.status}): {advice}", status=refusal.status) from None
        if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
            raise UnavailableError("expected an access token from Google, found none")
        self._use(answer["access_token"])
        seconds = answer.get("expires_in")
        self._valid_until = self._now() + timedelta(seconds=seconds if isinstance(seconds, int) else 3600) - _MARGIN

    def _use(self, token: str) -> None:
        self._transport.headers = {"Authorization": f"Bearer {token}"}
        self._transport.secrets = (token, *(self._grant or {}).values())


def google_api(opening: Opening, address: str) -> GoogleApi:
    """The API at its address, or at those that the options name."""
    transport = Transport(opening.options.get("api") or address, opening.patience)
    tokens = Transport(opening.options.get("token_api") or TOKEN_ADDRESS, opening.patience)
    return GoogleApi(transport, tokens, opening.secret, opening.patience.now)


def _grant(secret: str) -> dict[str, str] | None:
    """The parts of a grant, None for a bare token; raises InputError for JSON that is no grant."""
    if not secret.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(secret)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(found.get(name), str) and found[name] for name in _NEEDED):
        raise InputError(f"expected an access token, or JSON with {', '.join(_NEEDED)}; found something else")
    return {name: found[name] for name in _NEEDED}
