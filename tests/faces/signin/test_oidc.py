"""Sign-in through a provider of our own: it discloses itself, keeps codes with their challenge, and signs what the test tells it to."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from oida.faces.signin.oidc import OpenIdConnect, Provider, identity_of
from oida.model.access import Scope
from oida.model.errors import InputError, UnauthenticatedError, UnavailableError

ISSUER = "https://id.example"
PROVIDER = Provider(ISSUER, "oida", "https://memory.example", groups={"leads": "board"})
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class LocalProvider:
    """What a provider does, in one process: `claims` changes what its next token says, `signs_with` who signs it."""

    claims: dict[str, Any] = field(default_factory=dict)
    signs_with: Any = KEY
    algorithm: str = "RS256"
    issuer: str = ISSUER
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, address: str) -> str:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert ("code", "S256", "openid email profile") == (asked["response_type"], asked["code_challenge_method"], asked["scope"])
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return code

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path == "/.well-known/openid-configuration":
            ends = {name: f"{ISSUER}/{name}" for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
            return httpx2.Response(200, json={"issuer": self.issuer, **ends})
        if path == "/jwks_uri":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            return httpx2.Response(200, json={"keys": [{**public, "kid": "one", "alg": "RS256", "use": "sig"}]})
        sent = {name: values[0] for name, values in parse_qs(request.content.decode()).items()}
        asked = self.codes.pop(sent["code"], None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(sent["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"] or sent["redirect_uri"] != asked["redirect_uri"]:
            return httpx2.Response(400, json=["invalid_grant"])
        now = int(time.time())
        said = {"iss": ISSUER, "sub": "7", "aud": "oida", "iat": now, "exp": now + 300, "nonce": asked["nonce"]} | self.claims
        token = jwt.encode(said, self.signs_with, algorithm=self.algorithm, headers={"kid": "one"})
        return httpx2.Response(200, json={"id_token": token})


def signing_in(local: LocalProvider, **options: Any) -> OpenIdConnect:
    return OpenIdConnect(PROVIDER, client=httpx2.Client(transport=httpx2.MockTransport(local.answer)), **options)


def test_a_person_comes_back_with_their_address_rights_and_groups() -> None:
    local = LocalProvider({"email": "Ada@x.example", "email_verified": True, "roles": ["reviewer"], "groups": ["leads", "others"]})
    ways = signing_in(local)
    address, state = ways.begin("/questions")
    found, goes_to = ways.end(state=state, kept_state=state, code=local.authorize(address))
    assert ("ada@x.example", frozenset({Scope.REVIEW}), frozenset({"board"}), "/questions") == (
        found.name,
        found.scopes,
        found.groups,
        goes_to,
    )


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another"},
        {"exp": int(time.time()) - 3600},
        {"iss": "https://elsewhere.example"},
        {"nonce": "of another sign-in"},
        {"azp": "another", "aud": ["oida", "another"]},
        {"iat": int(time.time()) + 3600},
    ],
    ids=["audience", "expired", "issuer", "nonce", "authorized party", "from the future"],
)
def test_a_token_that_says_something_else_is_not_believed(claims: dict[str, Any]) -> None:
    local = LocalProvider(claims)
    ways = signing_in(local)
    address, state = ways.begin("/")
    with pytest.raises(UnauthenticatedError):
        ways.end(state=state, kept_state=state, code=local.authorize(address))


@pytest.mark.parametrize(
    ("signs_with", "algorithm"), [(STRANGER, "RS256"), ("x" * 64, "HS256"), (None, "none")], ids=["stranger", "shared", "none"]
)
def test_a_signature_that_does_not_hold_is_not_believed(signs_with: Any, algorithm: str) -> None:
    local = LocalProvider(signs_with=signs_with, algorithm=algorithm)
    ways = signing_in(local)
    address, state = ways.begin("/")
    with pytest.raises(UnauthenticatedError):
        ways.end(state=state, kept_state=state, code=local.authorize(address))


def test_a_state_counts_once_and_only_in_the_browser_that_began() -> None:
    local = LocalProvider()
    ways = signing_in(local)
    address, state = ways.begin("/")
    with pytest.raises(UnauthenticatedError):
        ways.end(state=state, kept_state="another browser's", code=local.authorize(address))
    with pytest.raises(UnauthenticatedError):
        ways.end(state=state, kept_state=state, code=local.authorize(address))
    address, state = ways.begin("/")
    ways.end(state=state, kept_state=state, code=local.authorize(address))
    with pytest.raises(UnauthenticatedError):
        ways.end(state=state, kept_state=state, code="code-0")


def test_a_code_of_another_challenge_is_refused() -> None:
    local = LocalProvider()
    ways = signing_in(local)
    stolen = local.authorize(ways.begin("/")[0])
    _, state = ways.begin("/")
    with pytest.raises(UnauthenticatedError):
        ways.end(state=state, kept_state=state, code=stolen)


def test_a_sign_in_that_takes_too_long_is_begun_again() -> None:
    local, moments = LocalProvider(), [0.0]
    ways = signing_in(local, clock=lambda: moments[0])
    address, state = ways.begin("/")
    moments[0] = 601.0
    with pytest.raises(UnauthenticatedError):
        ways.end(state=state, kept_state=state, code=local.authorize(address))


def test_a_provider_that_calls_itself_otherwise_or_answers_in_the_open_is_refused() -> None:
    with pytest.raises(UnavailableError):
        signing_in(LocalProvider(issuer="https://elsewhere.example")).begin("/")
    with pytest.raises(InputError):
        OpenIdConnect(Provider("http://id.example", "oida", "https://memory.example"))


@pytest.mark.parametrize("address", ["key:admin@x", "owner", "two@at@x.example", "with blank@x.example"])
def test_an_address_that_is_none_or_is_not_verified_is_never_a_name(address: str) -> None:
    assert identity_of({"sub": "7", "email": address, "email_verified": True}, PROVIDER).name.startswith("oidc:")
    assert identity_of({"sub": "7", "email": "ada@x.example"}, PROVIDER).name.startswith("oidc:")
