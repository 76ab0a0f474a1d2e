"""How routes are described: the schema of what each gives, and the problems that each may have."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from oida.faces.rest.problems import MEDIA_TYPE
from oida.faces.schema import COMPONENTS, Schema, reference

_PROBLEM_TEXTS = {
    401: "No live key was given.",
    403: "The key lacks the scope.",
    404: "Not here, or not for this key: one answer for both.",
    409: "What this builds on has changed, or is done already.",
    413: "The body is too large.",
    422: "The request is not as described.",
    429: "Too many calls; see Retry-After.",
    503: "The base cannot answer now; see Retry-After.",
}

Responses = dict[int | str, dict[str, Any]]


def problems(*statuses: int) -> Responses:
    """Problems with those statuses."""
    return {
        status: {"description": _PROBLEM_TEXTS[status], "content": {MEDIA_TYPE: {"schema": reference("Problem")}}} for status in statuses
    }


ALWAYS = problems(401, 422, 429, 503)


def gives(schema: Schema, text: str, *, status: int = 200, validator: bool = False, also: tuple[int, ...] = (403,)) -> Responses:
    """A result of that schema, with the problems a route may have besides those that every route has."""
    found: Responses = {status: {"description": text, "content": {"application/json": {"schema": schema}}}}
    if validator:
        found[304] = {"description": "The caller has it: see If-None-Match."}
    return found | problems(*also)


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the shapes that results share."""
    if app.openapi_schema:
        return app.openapi_schema
    document = FastAPI.openapi(app)
    components = document.setdefault("components", {})
    components.setdefault("schemas", {}).update(COMPONENTS)
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "A key made by `oida keys create`."}}
    document["security"] = [{"key": []}]
    for path in ("/healthz", "/readyz"):
        for operation in document["paths"].get(path, {}).values():
            operation["security"] = []
    return document
