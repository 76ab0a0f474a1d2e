"""One process for everybody: REST, MCP over streamable HTTP, the pages, the six-hour engine and the syncs over one base.

It listens on loopback unless told otherwise, and elsewhere only when somebody can sign in. Every request needs a key or a session,
wherever it comes from.
"""

from __future__ import annotations

import gc
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from mcp.server.transport_security import TransportSecuritySettings

from oida.events.vocabulary import OWNER
from oida.faces.mcp.server import create_server
from oida.faces.rest.app import BURST, CALLS_PER_MINUTE, create_app
from oida.faces.rest.guard import caller_of
from oida.faces.serving.base import ServedBase
from oida.faces.serving.engine import EngineClock
from oida.faces.serving.jobs import Jobs
from oida.faces.serving.limits import RateLimit
from oida.faces.serving.syncs import SyncClock
from oida.faces.serving.telling import NewsClock
from oida.faces.signin.gate import Gate, by_session
from oida.faces.signin.pages import OPEN_PATHS as OPEN_SIGN_IN_PATHS
from oida.faces.signin.pages import SignIn, sign_in_routes
from oida.faces.signin.sessions import Sessions
from oida.faces.web import OPEN_WEB_PATHS, WebOptions, web_routes
from oida.model.errors import InputError, UnauthenticatedError, UnavailableError
from oida.ports import WebhookSender
from oida.workspace.access import Caller
from oida.workspace.principal import Principal
from oida.workspace.workspace import Workspace

SHUTDOWN_SECONDS = 20


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server runs; `calls_per_minute` counts for each key."""

    host: str = "127.0.0.1"
    port: int = 7432
    run_engine: bool = True
    run_syncs: bool = True
    import_from: Path | None = None
    zone: str = "UTC"
    calls_per_minute: float = CALLS_PER_MINUTE
    traces: bool = False
    reports: Path | None = None
    """The folder whose evaluation reports are shown."""
    sign_in: SignIn | None = None
    """How people sign in; None: with a key alone."""

    webhook_sender: WebhookSender | None = None
    """What tells webhooks of news; None: nobody is told."""


def create_whole_app(base: ServedBase, options: ServerOptions, *, engine: EngineClock | None = None) -> FastAPI:
    """REST, MCP and the pages in one app, behind one guard."""
    jobs = Jobs()
    mcp = create_server(base, _caller_of_request)
    security = None if is_loopback(options.host) else TransportSecuritySettings(enable_dns_rebinding_protection=False)
    mcp_app = mcp.streamable_http_app(stateless_http=True, json_response=True, transport_security=security)
    burst = max(1, int(options.calls_per_minute * BURST / CALLS_PER_MINUTE))
    sign_in = options.sign_in or SignIn(Sessions())
    app = create_app(
        base,
        engine=engine,
        limit=RateLimit(per_minute=options.calls_per_minute, burst=burst),
        import_from=options.import_from,
        zone=options.zone,
        recognitions=[by_session(sign_in.sessions)],
        open_paths=(*OPEN_WEB_PATHS, *OPEN_SIGN_IN_PATHS),
        routes=[*sign_in_routes(base, sign_in), *web_routes(base, jobs, WebOptions(reports=options.reports)), *mcp_app.routes],
        jobs=jobs,
        lifespans=[mcp.session_manager.run],
        traces=options.traces,
    )
    app.add_middleware(Gate, sessions=sign_in.sessions, secure=sign_in.secure)
    return app


def serve(open_base: Callable[[], Workspace], options: ServerOptions) -> None:
    """Serve a base until the process is told to stop; what was begun is ended before it does."""
    with open_base() as workspace:
        has_key = any(key.live for key in workspace.acting_as(Principal(OWNER, None)).list_keys())
    by_people = options.sign_in is not None and (options.sign_in.password is not None or options.sign_in.provider is not None)
    if not (has_key or by_people) and not is_loopback(options.host):
        raise InputError(
            f"expected a key, a password or a provider before listening on {options.host}; `oida keys create NAME` makes a key"
        )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    base = ServedBase(open_base)
    engine = EngineClock(base) if options.run_engine else None
    syncs = SyncClock(base) if options.run_syncs else None
    news = NewsClock(base, options.webhook_sender) if options.webhook_sender is not None else None
    try:
        config = uvicorn.Config(
            create_whole_app(base, options, engine=engine),
            host=options.host,
            port=options.port,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        listening = _bound(config)
        with base.reading(Principal(OWNER, None)) as workspace:
            workspace.search("warm", limit=1)
        # Models, vectors and indexes stay: looking through them at every collection costs a slow answer a third of its time.
        gc.collect()
        gc.freeze()
        if engine is not None:
            engine.start()
        if syncs is not None:
            syncs.start()
        if news is not None:
            news.start()
        sys.stderr.write(_greeting(listening, has_key=has_key or by_people, engine=engine is not None))
        _run(_Server(config), listening)
    finally:
        if news is not None:
            news.stop()
        if syncs is not None:
            syncs.stop()
        if engine is not None:
            engine.stop()
        base.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to its caller: uvicorn's own way ends the process before what is waiting is recorded."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield


def _run(server: uvicorn.Server, listening: socket.socket) -> None:
    before = {number: signal.signal(number, server.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0"), is_loopback("localhost")
    (True, False, True)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _caller_of_request(request: Any) -> Caller:
    if request is None:
        raise UnauthenticatedError("expected a request with a key")
    return caller_of(request)


def _bound(config: uvicorn.Config) -> socket.socket:
    try:
        listening = config.bind_socket()
        listening.listen(config.backlog)
    except SystemExit:
        raise UnavailableError(f"cannot listen on {config.host}:{config.port}; is another server running there?") from None
    return listening


def _greeting(listening: socket.socket, *, has_key: bool, engine: bool) -> str:
    host, port = listening.getsockname()[:2]
    where = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    keys = "" if has_key else "; nothing opens it yet: `oida keys create NAME`, or `oida password set`"
    return f"serving at {where}: REST /v1 (document /openapi.json), MCP /mcp, engine {'on' if engine else 'off'}{keys}\n"
