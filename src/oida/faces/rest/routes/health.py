"""Routes for those who watch over a server: is it alive, is it ready, what does it do."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oida.events.vocabulary import OWNER
from oida.faces.rest.describe import Responses, problems
from oida.faces.rest.guard import caller_with
from oida.faces.rest.replies import reply
from oida.faces.schema import closed
from oida.faces.serving.base import ServedBase
from oida.faces.serving.engine import EngineClock
from oida.model.access import Scope as AccessScope
from oida.workspace.access import Caller
from oida.workspace.principal import Principal

_STATE: Responses = {200: {"description": "It is.", "content": {"application/json": {"schema": closed({"status": {"type": "string"}})}}}}

_METRICS: Responses = {200: {"description": "Prometheus text.", "content": {"text/plain": {"schema": {"type": "string"}}}}}


class Meter:
    """Counts every request by route and status; never what was asked or who asked."""

    def __init__(self, base: ServedBase, engine: EngineClock | None) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter("oida_requests", "Requests by route and status.", ["method", "route", "status"], registry=self.registry)
        self._seconds = Histogram("oida_request_seconds", "Time to the end of a reply.", ["route"], registry=self.registry)
        lost = Gauge("oida_served_lost", "Answers that could not be recorded as served.", registry=self.registry)
        lost.set_function(lambda: base.served_lost)
        if engine is not None:
            cycles = Gauge("oida_engine_cycles", "Cycles run by this process.", registry=self.registry)
            cycles.set_function(lambda: engine.cycles)
            failures = Gauge("oida_engine_failures", "Looks at the clock that ended in an error.", registry=self.registry)
            failures.set_function(lambda: engine.failures)

    def note(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)


class Counted:
    """The app, with every request counted."""

    def __init__(self, app: ASGIApp, *, meter: Meter) -> None:
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note how it ended."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "(none)")
            self._meter.note(method=scope["method"], route=route, status=status, seconds=time.perf_counter() - begun)


def health_routes(base: ServedBase, meter: Meter) -> APIRouter:
    """Alive and ready for everybody, metrics for keys with the scope admin."""
    routes = APIRouter(tags=["health"])

    @routes.get("/healthz", responses=dict(_STATE), response_class=Response)
    async def healthz() -> Response:
        """The process answers."""
        return reply({"status": "ok"})

    @routes.get("/readyz", responses=dict(_STATE) | problems(503), response_class=Response)
    def readyz() -> Response:
        """The base can be read."""
        with base.reading(Principal(OWNER, None)) as workspace:
            workspace.head()
        return reply({"status": "ready"})

    @routes.get(
        "/metrics",
        responses=_METRICS | problems(401, 403),
        response_class=Response,
    )
    def metrics(request: Request, caller: Annotated[Caller, Depends(caller_with(AccessScope.ADMIN))]) -> Response:
        """What this process has done."""
        return Response(generate_latest(meter.registry), media_type=CONTENT_TYPE_LATEST)

    return routes
