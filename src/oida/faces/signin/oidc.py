"""OpenID Connect for people: discovery, the code flow with PKCE, and what an identity token must say before it is believed.

Signatures and claims are checked by PyJWT; what is asked of the provider and compared besides stands here.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2
import jwt

from oida.model.access import KEY_PREFIX, Scope
from oida.model.errors import InputError, UnauthenticatedError, UnavailableError

ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
"""Signatures that are believed: never a shared secret, never none."""

CLOCK_LEEWAY_SECONDS = 60
PENDING_SECONDS = 600.0
MOST_PENDING = 1000
TIMEOUT_SECONDS = 10.0
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_ROLES: Mapping[str, Scope] = {"reader": Scope.READ, "contributor": Scope.WRITE, "reviewer": Scope.REVIEW, "admin": Scope.ADMIN}


@dataclass(frozen=True, slots=True)
class Provider:
    """Who vouches for people: `groups` says which visibility group a group of the provider stands for; no other counts.

    `public_url` is the address at which browsers reach this server.
    """

    issuer: str
    client_id: str
    public_url: str
    client_secret: str = field(default="", repr=False)
    roles_claim: str = "roles"
    groups_claim: str = "groups"
    groups: Mapping[str, str] = field(default_factory=dict)

    @property
    def redirect_uri(self) -> str:
        """Where the provider sends people back to."""
        return self.public_url.rstrip("/") + "/signin/back"


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody a provider vouched for: the address or the subject they are known by, their rights and their groups."""

    name: str
    scopes: frozenset[Scope]
    groups: frozenset[str]
    is_address: bool


@dataclass(frozen=True, slots=True)
class _Pending:
    nonce: str
    verifier: str
    goes_to: str
    began: float


class OpenIdConnect:
    """Signs people in through a provider; what waits for its answer is kept in memory and counts once."""

    def __init__(self, provider: Provider, *, client: httpx2.Client | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        _require_private(provider.issuer)
        self._provider = provider
        self._client = client or httpx2.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False)
        self._clock = clock
        self._lock = threading.Lock()
        self._pending: OrderedDict[str, _Pending] = OrderedDict()
        self._described: Mapping[str, Any] | None = None
        self._keys: jwt.PyJWKSet | None = None

    def begin(self, goes_to: str) -> tuple[str, str]:
        """Where to send a browser, and the state that it must bring back, to be kept in a cookie of it."""
        described = self._description()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        with self._lock:
            self._pending[state] = _Pending(nonce, verifier, goes_to, self._clock())
            while len(self._pending) > MOST_PENDING:
                self._pending.popitem(last=False)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode("ascii")
        asked = {
            "response_type": "code",
            "client_id": self._provider.client_id,
            "redirect_uri": self._provider.redirect_uri,
            "scope": "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        endpoint = described["authorization_endpoint"]
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(asked)}", state

    def end(self, *, state: str, kept_state: str, code: str) -> tuple[Identity, str]:
        """Who came back, and where they wanted to go; raises UnauthenticatedError for anything that is not as it was begun."""
        with self._lock:
            pending = self._pending.pop(state, None)
        if pending is None or not hmac.compare_digest(state.encode(), kept_state.encode()):
            raise UnauthenticatedError("expected the sign-in that this browser began; begin again")
        if self._clock() - pending.began > PENDING_SECONDS or not code:
            raise UnauthenticatedError("the sign-in took too long or was refused; begin again")
        return identity_of(self._claims(self._token(code, pending.verifier), pending.nonce), self._provider), pending.goes_to

    def _token(self, code: str, verifier: str) -> str:
        sent = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._provider.redirect_uri,
            "client_id": self._provider.client_id,
            "code_verifier": verifier,
        }
        if self._provider.client_secret:
            sent["client_secret"] = self._provider.client_secret
        found = self._fetched("POST", self._description()["token_endpoint"], data=sent).get("id_token")
        if not isinstance(found, str):
            raise UnauthenticatedError("the provider gave no identity token")
        return found

    def _claims(self, token: str, nonce: str) -> Mapping[str, Any]:
        try:
            claims: Mapping[str, Any] = jwt.decode(
                token,
                self._key(jwt.get_unverified_header(token)),
                algorithms=list(ALGORITHMS),
                audience=self._provider.client_id,
                issuer=self._provider.issuer,
                leeway=CLOCK_LEEWAY_SECONDS,
                options={"require": ["exp", "iat", "aud", "iss", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise UnauthenticatedError(f"the identity token does not hold: {error}") from None
        given = claims.get("nonce")
        if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
            raise UnauthenticatedError("the identity token is of another sign-in")
        if claims.get("azp", self._provider.client_id) != self._provider.client_id:
            raise UnauthenticatedError("the identity token is for another client")
        return claims

    def _key(self, header: Mapping[str, Any]) -> jwt.PyJWK:
        for fresh in (False, True):
            if self._keys is None or fresh:
                self._keys = jwt.PyJWKSet.from_dict(dict(self._fetched("GET", self._description()["jwks_uri"])))
            found = [key for key in self._keys.keys if "kid" not in header or key.key_id == header["kid"]]
            if found:
                return found[0]
        raise UnauthenticatedError("the identity token is signed with a key that the provider does not name")

    def _description(self) -> Mapping[str, Any]:
        if self._described is None:
            found = self._fetched("GET", self._provider.issuer.rstrip("/") + "/.well-known/openid-configuration")
            if found.get("issuer") != self._provider.issuer:
                raise UnavailableError(f"expected the provider to call itself {self._provider.issuer}, found another name")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if not isinstance(found.get(name), str):
                    raise UnavailableError(f"expected the provider to name its {name}")
                _require_private(found[name])
            self._described = found
        return self._described

    def _fetched(self, method: str, address: str, *, data: Mapping[str, str] | None = None) -> Mapping[str, Any]:
        try:
            reply = self._client.request(method, address, data=data)
            found = reply.json() if reply.status_code == httpx2.codes.OK else None
        except (httpx2.HTTPError, ValueError):
            raise UnavailableError("the identity provider does not answer; try again", retry_after_seconds=5.0) from None
        if not isinstance(found, dict):
            raise UnauthenticatedError(f"the identity provider refused with {reply.status_code}")
        return found


def identity_of(claims: Mapping[str, Any], provider: Provider) -> Identity:
    """Whom claims are about: an address only where the provider has verified it, else the provider's subject.

    >>> provider = Provider("https://id.example", "oida", "https://memory.example", groups={"leads": "board"})
    >>> found = identity_of({"sub": "7", "email": "Ada@x.example", "email_verified": True, "groups": ["leads", "all"]}, provider)
    >>> found.name, sorted(found.groups), sorted(found.scopes)
    ('ada@x.example', ['board'], [<Scope.READ: 'read'>])
    """
    address = claims.get("email")
    believed = claims.get("email_verified") is True and isinstance(address, str) and _is_address(address)
    subject = "oidc:" + hashlib.sha256(f"{provider.issuer} {claims['sub']}".encode()).hexdigest()[:16]
    named = [_ROLES[role] for role in _texts(claims.get(provider.roles_claim)) if role in _ROLES]
    groups = frozenset(provider.groups[group] for group in _texts(claims.get(provider.groups_claim)) if group in provider.groups)
    return Identity(str(address).casefold() if believed else subject, frozenset(named) or frozenset({Scope.READ}), groups, believed)


def _texts(claim: object) -> list[str]:
    found = claim if isinstance(claim, list) else [claim]
    return [each for each in found if isinstance(each, str)]


def _is_address(text: str) -> bool:
    return text.count("@") == 1 and text.isprintable() and " " not in text and not text.casefold().startswith(KEY_PREFIX)


def _require_private(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise InputError(f"expected an https address of an identity provider, found {address}")
