"""Sign-in of a browser: what opens, what a session carries, and what other sites cannot do with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from oida.faces.server import ServerOptions, create_whole_app, serve
from oida.faces.serving.base import ServedBase
from oida.faces.signin.pages import SignIn
from oida.faces.signin.passwords import hash_of, matches, password_file, read_password, remove_password, set_password
from oida.faces.signin.sessions import COOKIE, Sessions
from oida.model.access import Scope
from oida.model.errors import InputError, UnauthenticatedError
from oida.settings import Settings
from oida.workspace.access import Caller
from oida.workspace.principal import Principal

PASSWORD = "a long enough password"
HTML = {"Accept": "text/html"}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "kept.password"
    set_password(path, PASSWORD)
    return path


@pytest.fixture
def browser(world, kept: Path) -> Iterator[TestClient]:
    base = ServedBase(world.open)
    app = create_whole_app(base, ServerOptions(sign_in=SignIn(Sessions(), password_file=kept)))
    try:
        yield TestClient(app, follow_redirects=False, base_url="http://127.0.0.1:7432")
    finally:
        base.close()


def signed_in(browser: TestClient, secret: str = PASSWORD) -> str:
    reply = browser.post("/signin", data={"secret": secret, "next": "/questions"})
    assert (303, "/questions") == (reply.status_code, reply.headers["location"])
    page = browser.get("/questions", headers=HTML)
    assert 200 == page.status_code
    found = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    assert found is not None
    return found[1]


def test_a_person_without_a_session_is_led_to_the_sign_in_page_and_an_agent_gets_401(browser: TestClient) -> None:
    led = browser.get("/questions?start=25", headers=HTML)
    assert (303, "/signin?next=%2Fquestions%3Fstart%3D25") == (led.status_code, led.headers["location"])
    assert 401 == browser.get("/v1/questions").status_code
    assert 401 == browser.get("/questions").status_code
    assert 401 == browser.post("/signout").status_code


def test_everything_but_health_sign_in_and_style_needs_a_key_or_a_session(browser: TestClient) -> None:
    paths = {getattr(route, "path", "") for route in browser.app.routes}  # type: ignore[attr-defined]
    closed = {path for path in paths if browser.get(re.sub(r"\{[^}]+\}", "x", path) or "/none").status_code == 401}
    assert {"/healthz", "/readyz", "/signin", "/signin/provider", "/signin/back", "/static"} >= paths - closed


def test_a_password_opens_the_pages_and_signing_out_ends_it(browser: TestClient) -> None:
    token = signed_in(browser)
    cookie = browser.cookies[COOKIE]
    assert 303 == browser.post("/signout", data={"csrf_token": token}).status_code
    browser.cookies.clear()
    browser.cookies.set(COOKIE, cookie)
    assert 401 == browser.get("/questions").status_code


def test_a_key_opens_the_pages_with_its_own_rights_until_it_is_revoked(browser: TestClient, world) -> None:
    signed_in(browser, world.tokens["read"])
    assert 403 == browser.get("/v1/keys").status_code or 404 == browser.get("/v1/keys").status_code
    with world.open() as workspace:
        workspace.revoke_key("read")
    assert 401 == browser.get("/questions").status_code


def test_a_change_needs_the_token_of_the_session(browser: TestClient) -> None:
    token = signed_in(browser)
    assert 403 == browser.post("/theme", data={"theme": "dark"}).status_code
    assert 403 == browser.post("/theme", data={"theme": "dark", "csrf_token": "x"}).status_code
    assert (
        403 == browser.post("/theme", data={"theme": "dark", "csrf_token": token}, headers={"Origin": "https://evil.example"}).status_code
    )
    assert 303 == browser.post("/theme", data={"theme": "dark", "csrf_token": token}).status_code
    assert 403 == browser.post("/v1/context", json={"question": "sensor"}).status_code
    assert 200 == browser.post("/v1/context", json={"question": "sensor"}, headers={"X-CSRF-Token": token}).status_code


def test_another_site_cannot_sign_a_browser_in(browser: TestClient) -> None:
    assert 403 == browser.post("/signin", data={"secret": PASSWORD}, headers={"Sec-Fetch-Site": "cross-site"}).status_code


def test_signing_in_again_ends_the_session_before(browser: TestClient) -> None:
    signed_in(browser)
    before = browser.cookies[COOKIE]
    signed_in(browser)
    assert before != browser.cookies[COOKIE]
    browser.cookies.clear()
    browser.cookies.set(COOKIE, before)
    assert 401 == browser.get("/questions").status_code


def test_too_many_wrong_passwords_are_slowed_down(browser: TestClient) -> None:
    replies = [browser.post("/signin", data={"secret": "wrong"}).status_code for _ in range(7)]
    assert [401, 401, 401, 401, 401, 429, 429] == replies


def test_a_new_password_signs_out_whoever_used_the_one_before(browser: TestClient, kept: Path) -> None:
    signed_in(browser)
    set_password(kept, "another long password")
    assert 401 == browser.get("/questions").status_code


def test_every_reply_keeps_others_out(browser: TestClient) -> None:
    for path in ("/signin", "/healthz", "/v1/questions"):
        headers = browser.get(path).headers
        assert "script-src 'self';" in headers["content-security-policy"]
        assert ("nosniff", "DENY") == (headers["x-content-type-options"], headers["x-frame-options"])


def test_a_way_back_never_leads_elsewhere(browser: TestClient) -> None:
    assert "/" == browser.post("/signin", data={"secret": PASSWORD, "next": "//evil.example"}).headers["location"]


def test_a_session_ends_when_idle_and_when_old() -> None:
    moments = [0.0]
    sessions = Sessions(clock=lambda: moments[0])
    caller = Caller(Principal("ada", frozenset()), frozenset({Scope.READ}))
    idle, used = sessions.begin(lambda: caller), sessions.begin(lambda: caller)
    for hour in range(1, 14):
        moments[0] = hour * 3600.0
        assert (caller if hour <= 12 else None) == sessions.caller(used)
    assert sessions.caller(idle) is None


def test_a_session_whose_key_is_revoked_is_gone() -> None:
    def revoked() -> Caller:
        raise UnauthenticatedError("revoked")

    sessions = Sessions()
    token = sessions.begin(revoked)
    assert sessions.caller(token) is None
    assert sessions.find(token) is None


def test_a_password_is_kept_as_a_salted_hash_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = password_file(Settings(base=tmp_path / "team.db"))
    assert read_password(path) is None
    set_password(path, PASSWORD)
    found = read_password(path) or ""
    assert 0o600 == path.stat().st_mode & 0o777
    assert PASSWORD not in found
    assert (True, False, False) == (matches(PASSWORD, found), matches("another", found), matches(PASSWORD, "scrypt$nonsense"))
    assert hash_of(PASSWORD) != hash_of(PASSWORD)
    assert (True, False) == (remove_password(path), remove_password(path))


def test_a_server_without_any_way_in_listens_on_loopback_alone(tmp_path: Path) -> None:
    from oida.bootstrap import create_workspace, open_workspace

    create_workspace(tmp_path / "base.db").close()
    with pytest.raises(InputError, match="password"):
        serve(
            lambda: open_workspace(tmp_path / "base.db"),
            ServerOptions(host="0.0.0.0", sign_in=SignIn(Sessions(), password_file=tmp_path / "no")),
        )
