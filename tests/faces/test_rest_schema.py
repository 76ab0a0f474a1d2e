"""The API does what its OpenAPI document says: schemathesis over every route, with a key of every right."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from tests import stores

import oida
from oida.faces.rest.app import create_app
from oida.faces.rest.describe import describe
from oida.faces.serving.base import ServedBase
from oida.faces.serving.limits import RateLimit

schemathesis = pytest.importorskip("schemathesis", reason="the extra `dev` brings it")
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

EXAMPLES = 10
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
SLOW = {"POST /v1/calibrate", "POST /v1/settle", "POST /v1/cycle", "POST /v1/verify"}

schema = schemathesis.openapi.from_dict(describe(create_app(SimpleNamespace(recognise=None))))  # type: ignore[arg-type]  # nothing is asked of the base here
operations = [found.ok() for found in schema.get_all_operations()]


@pytest.fixture(scope="module")
def app(made_world, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    copy = tmp_path_factory.mktemp("schema") / "base.db"
    if stores.SERVER:
        stores.copy_tenant(made_world.path, copy)
    for suffix in () if stores.SERVER else ("", "-wal"):
        source = made_world.path.with_name(made_world.path.name + suffix)
        if source.exists():
            shutil.copy(source, copy.with_name(copy.name + suffix))
    base = ServedBase(lambda: oida.open(copy), readers=2)
    app = create_app(base, limit=RateLimit(per_minute=1e9, burst=10**9))
    yield app
    base.close()


@pytest.mark.parametrize("operation", operations, ids=lambda found: f"{found.method.upper()} {found.path}")
def test_every_route_answers_as_described(app: FastAPI, made_world, operation: Any) -> None:
    examples = 3 if f"{operation.method.upper()} {operation.path}" in SLOW else EXAMPLES

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        response = case.call(app=app, headers=made_world.headers("admin"))
        case.validate_response(response, checks=CHECKS)

    check()
