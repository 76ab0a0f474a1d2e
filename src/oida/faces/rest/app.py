"""The REST app: routes behind a guard, every error a problem, every request counted.

The web page and MCP are built into the same app: `create_app` takes their ways of recognising people and their routes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI, Response
from starlette.routing import BaseRoute

import oida
from oida.faces.rest.describe import ALWAYS, describe
from oida.faces.rest.guard import Guard, Recognition, by_key, caller_with
from oida.faces.rest.problems import add_problems
from oida.faces.rest.replies import reply
from oida.faces.rest.routes.admin import admin_routes, job_routes
from oida.faces.rest.routes.health import Counted, Meter, health_routes
from oida.faces.rest.routes.keeping import keeping_routes
from oida.faces.rest.routes.read import read_routes
from oida.faces.rest.routes.write import write_routes
from oida.faces.serving.base import ServedBase
from oida.faces.serving.engine import EngineClock
from oida.faces.serving.jobs import Jobs
from oida.faces.serving.limits import RateLimit
from oida.model.access import Scope
from oida.workspace.access import Caller

PREFIX = "/v1"
OPEN_PATHS = ("/healthz", "/readyz")
MOST_BODY_BYTES = 1 << 20
CALLS_PER_MINUTE = 600.0
BURST = 120

Lifespan = Callable[[], AbstractAsyncContextManager[None]]


def create_app(
    base: ServedBase,
    *,
    engine: EngineClock | None = None,
    limit: RateLimit | None = None,
    import_from: Path | None = None,
    zone: str = "UTC",
    recognitions: Sequence[Recognition] = (),
    open_paths: Sequence[str] = (),
    routes: Sequence[BaseRoute] = (),
    lifespans: Sequence[Lifespan] = (),
    traces: bool = False,
    jobs: Jobs | None = None,
) -> FastAPI:
    """An app over a served base.

    Whoever calls is recognised by a key, else by one of `recognitions`; `open_paths` (a trailing "/" means all below it) need nobody.
    `routes` of other faces stand behind the same guard and may share `jobs`, and `lifespans` are entered while the app runs.
    `traces` lets FastAPI emit OpenTelemetry spans to whatever provider the process has set.
    """
    jobs = jobs or Jobs()
    meter = Meter(base, engine)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for enter in lifespans:
                await stack.enter_async_context(enter())
            yield
        jobs.close()

    app = FastAPI(
        title="OIDA",
        summary=oida.__doc__.splitlines()[0] if oida.__doc__ else "",
        version=oida.__version__,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        telemetry={"tracing": traces, "metrics": traces, "logs": False, "operation_spans": traces},
    )
    for router in (
        read_routes(base),
        write_routes(base),
        admin_routes(base),
        keeping_routes(base, jobs),
        job_routes(base, jobs, import_from=import_from, zone=zone),
    ):
        app.include_router(router, prefix=PREFIX, responses=ALWAYS)
    app.include_router(health_routes(base, meter))

    @app.get("/openapi.json", include_in_schema=False)
    def document(caller: Annotated[Caller, Depends(caller_with(Scope.READ))]) -> Response:
        return reply(describe(app))

    app.router.routes.extend(routes)
    add_problems(app)
    app.add_middleware(
        Guard,
        recognitions=[by_key(base.recognise), *recognitions],
        limit=limit or RateLimit(per_minute=CALLS_PER_MINUTE, burst=BURST),
        open_paths=[*OPEN_PATHS, *open_paths],
        most_body_bytes=MOST_BODY_BYTES,
    )
    app.add_middleware(Counted, meter=meter)
    return app
