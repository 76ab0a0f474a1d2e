"""Every page with its address, and what all of them have in common: a caller, a form, an error told on a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from oida.faces.rest.guard import caller_of
from oida.faces.rest.problems import status_of
from oida.faces.serving.base import ServedBase
from oida.faces.serving.jobs import Jobs
from oida.faces.web.actions import Actions
from oida.faces.web.ask import Asking
from oida.faces.web.lists import Lists
from oida.faces.web.maps import Maps
from oida.faces.web.objects import Objects
from oida.faces.web.render import STATIC, THEME_COOKIE, THEMES, Renderer
from oida.faces.web.visit import Visit, form_of, local_path
from oida.faces.web.workings import Workings
from oida.model.errors import OidaError

OPEN_WEB_PATHS = ("/static/",)
"""What a browser may fetch without anybody being signed in: scripts and style sheets, nothing of the base."""

_YEAR_SECONDS = 31_536_000
_ADVICE = {
    401: "Sign in, then come back to this page.",
    403: "Ask an administrator for the right, or propose the change instead.",
    404: "It is not here, or not for you: the two look the same on purpose.",
    409: "Somebody was faster, or it is done already. Look at it again.",
    422: "Go back, change what is named above, and send it again.",
    429: "Wait a moment, then try again.",
    503: "Try again in a moment; nothing was changed.",
}

Handler = Callable[[Visit], Response]


@dataclass(frozen=True, slots=True)
class WebOptions:
    """What pages need to know of the server: the folder of evaluation reports, if there is one."""

    reports: Path | None = None


class _Versioned(StaticFiles):
    """Static files whose addresses change with their bytes, so that a browser may keep them."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        """A file, to be kept for a year."""
        found = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        found.headers["Cache-Control"] = f"public, max-age={_YEAR_SECONDS}, immutable"
        return found


def web_routes(base: ServedBase, jobs: Jobs, options: WebOptions) -> list[BaseRoute]:
    """The pages over a served base; `jobs` is where long work of the same server runs."""
    renderer = Renderer()
    lists, asking, objects = Lists(base, renderer), Asking(base, renderer), Objects(base, renderer)
    actions, maps, workings = Actions(base, renderer), Maps(base, renderer), Workings(base, renderer, jobs, options.reports)
    pages: tuple[tuple[str, str, Handler], ...] = (
        ("GET", "/", lists.today),
        ("POST", "/looked", lists.looked),
        ("GET", "/questions", lists.questions),
        ("GET", "/decisions", lists.decisions),
        ("GET", "/contradictions", lists.contradictions),
        ("GET", "/review", lists.review),
        ("GET", "/search", lists.search),
        ("GET", "/ask", asking.ask),
        ("GET", "/ask/why", asking.why),
        ("GET", "/objects/{object_id}", objects.show),
        ("GET", "/objects/{object_id}/causes", objects.causes),
        ("GET", "/objects/{object_id}/{verb}", actions.form),
        ("POST", "/objects/{object_id}/{verb}", actions.act),
        ("GET", "/edges/{edge_id}/retract", actions.edge_form),
        ("POST", "/edges/{edge_id}/retract", actions.retract_edge),
        ("GET", "/review/{review_id}/{verdict}", actions.review_form),
        ("POST", "/review/{review_id}/{verdict}", actions.decide),
        ("GET", "/undo/{position}", actions.undo_form),
        ("POST", "/undo/{position}", actions.undo),
        ("GET", "/map", maps.page),
        ("GET", "/map.json", maps.graph),
        ("GET", "/engine", workings.engine),
        ("POST", "/engine/certificate", workings.certify),
        ("POST", "/engine/settle", workings.settle),
        ("GET", "/sources", workings.sources),
        ("GET", "/sources/problems", workings.problems),
        ("GET", "/jobs/{job_id}", workings.job),
        ("GET", "/reports", workings.reports),
        ("GET", "/reports/{name}", workings.report),
        ("GET", "/reports/figures/{name}", workings.figure),
        ("GET", "/audit", workings.audit),
        ("POST", "/audit/verify", workings.verify),
        ("POST", "/theme", _choose_theme),
    )
    routes: list[BaseRoute] = [Route(path, _endpoint(renderer, handler), methods=[method]) for method, path, handler in pages]
    routes.append(Mount("/static", _Versioned(directory=STATIC)))
    return routes


def _endpoint(renderer: Renderer, handler: Handler) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        form = form_of(await request.body()) if request.method == "POST" else {}
        visit = Visit(request, caller_of(request), form)
        return await run_in_threadpool(_answered, renderer, handler, visit)

    return endpoint


def _answered(renderer: Renderer, handler: Handler, visit: Visit) -> Response:
    try:
        return handler(visit)
    except OidaError as error:
        status = status_of(error)
        return renderer.page(visit, "error.html", http_status=status, code=status, message=str(error), advice=_ADVICE.get(status, ""))


def _choose_theme(visit: Visit) -> Response:
    """Keep which theme somebody wants, and go back."""
    chosen = visit.given("theme")
    response = RedirectResponse(local_path(visit.given("back")), status_code=303)
    response.set_cookie(THEME_COOKIE, chosen if chosen in THEMES else "auto", max_age=_YEAR_SECONDS, samesite="lax", httponly=True)
    return response
