"""Routes for those who run a base: engine, access, verification, erasure, and long work with its progress."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from oida.bootstrap import LazyExports
from oida.faces.rest.bodies import (
    AccessBody,
    Body,
    CalibrateBody,
    CycleBody,
    IngestBody,
    ParametersBody,
    RedactBody,
    VerifyBody,
    WhatIfBody,
)
from oida.faces.rest.describe import gives
from oida.faces.rest.guard import caller_with
from oida.faces.rest.replies import reply
from oida.faces.schema import closed, listed, schema_of
from oida.faces.serving.base import ServedBase
from oida.faces.serving.jobs import Job, Jobs
from oida.faces.wire import head_of, plain, verification_values, what_if_values
from oida.gravity.certificate import Certificate
from oida.gravity.parameters import GravityParameters
from oida.gravity.study.calibrate import Calibration, CalibrationTargets
from oida.model.access import Scope
from oida.model.errors import ForbiddenError, InputError
from oida.workspace.access import Caller
from oida.workspace.audit import Verification
from oida.workspace.redact import RedactionCertificate
from oida.workspace.weigh import EngineRun, Progress

Reader = Annotated[Caller, Depends(caller_with(Scope.READ))]
Admin = Annotated[Caller, Depends(caller_with(Scope.ADMIN))]
_JOB = closed({"job": schema_of(Job)})
_LOOK_EVERY_SECONDS = 0.2
_TEXT = {"type": "string"}


def admin_routes(base: ServedBase) -> APIRouter:
    """Routes for keys with the scope admin; the engine's parameters may be read by all."""
    routes = APIRouter(tags=["admin"])

    @routes.get("/parameters", responses=gives(schema_of(GravityParameters), "The engine's parameters."), response_class=Response)
    def parameters(caller: Reader) -> Response:
        """The engine's parameters as the base has them."""
        with base.reading(caller.principal) as workspace:
            return reply(plain(workspace.parameters))

    @routes.put("/parameters", responses=gives(schema_of(GravityParameters), "The parameters from now on."), response_class=Response)
    def set_parameters(body: ParametersBody, caller: Admin) -> Response:
        """Run the engine under another preset from now on."""
        with base.writing(caller.principal) as workspace:
            return reply(plain(workspace.set_parameters(body.profile, half_lives=body.half_lives)))

    @routes.post("/settle", responses=gives(schema_of(EngineRun), "What the engine did."), response_class=Response)
    def settle(body: Body, caller: Admin) -> Response:
        """Run the engine to its fixed point at the last grid point."""
        with base.writing(caller.principal) as workspace:
            return reply(plain(workspace.settle()))

    runs = closed({"runs": listed(schema_of(EngineRun))})

    @routes.post("/cycle", responses=gives(runs, "What the engine did."), response_class=Response)
    def cycle(body: CycleBody, caller: Admin) -> Response:
        """Run the next due cycle on the six-hour grid, or all that are due."""
        with base.writing(caller.principal) as workspace:
            return reply({"runs": plain(workspace.cycle(catch_up=body.catch_up))})

    access = closed({"name": _TEXT, "group": _TEXT})

    @routes.post("/grant", responses=gives(access, "The membership that now is."), response_class=Response)
    def grant(body: AccessBody, caller: Admin) -> Response:
        """Let somebody see what a visibility group may see; a key's principal is key:NAME."""
        with base.writing(caller.principal) as workspace:
            workspace.grant(body.name, body.group)
        return reply({"name": body.name, "group": body.group})

    @routes.post("/revoke", responses=gives(access, "The membership that is no more."), response_class=Response)
    def revoke(body: AccessBody, caller: Admin) -> Response:
        """End a granted membership."""
        with base.writing(caller.principal) as workspace:
            workspace.revoke(body.name, body.group)
        return reply({"name": body.name, "group": body.group})

    @routes.post(
        "/redact", responses=gives(schema_of(RedactionCertificate), "The certificate.", also=(403, 404, 409)), response_class=Response
    )
    def redact(body: RedactBody, caller: Admin) -> Response:
        """Erase the text of an object's whole item, or of a source item, everywhere."""
        with base.writing(caller.principal) as workspace:
            return reply(plain(workspace.redact(body.object, source_item=body.source_item)))

    verification = schema_of(Verification)
    verification["properties"] = {"sound": {"type": "boolean"}} | verification["properties"]
    verification["required"] = ["sound", *verification["required"]]

    @routes.post("/verify", responses=gives(verification, "What a replay from nothing found."), response_class=Response)
    def verify(body: VerifyBody, caller: Admin) -> Response:
        """Replay the ledger from nothing, compare every digest, say what differs."""
        witness = head_of(body.witness) if body.witness else None
        with base.reading(caller.principal) as workspace:
            return reply(verification_values(workspace.verify(witness=witness, deep=body.deep)))

    @routes.get(
        "/head", responses=gives(closed({"head": _TEXT, "digest": _TEXT}), "Keep it elsewhere as a witness."), response_class=Response
    )
    def head(caller: Admin) -> Response:
        """Where the ledger ends, and the digest of the state."""
        with base.reading(caller.principal) as workspace:
            return reply({"head": str(workspace.head()), "digest": workspace.digest()})

    @routes.get("/certificate", responses=gives(schema_of(Certificate), "What convergence claim holds."), response_class=Response)
    def certificate(caller: Admin) -> Response:
        """The strongest convergence claim that holds for the base's graph."""
        with base.reading(caller.principal) as workspace:
            return reply(plain(workspace.certify()))

    moved = closed({"converged": {"type": "boolean"}, "movers": listed({"type": "object"})})

    @routes.post("/what-if", responses=gives(moved, "What a change would move.", also=(403, 404)), response_class=Response)
    def what_if(body: WhatIfBody, caller: Admin) -> Response:
        """The fixed point before and after a change; nothing is recorded."""
        with base.reading(caller.principal) as workspace:
            return reply(what_if_values(workspace, workspace.what_if(body.change, top=body.top)))

    @routes.post("/calibrate", responses=gives(schema_of(Calibration), "Weights that meet the targets."), response_class=Response)
    def calibrate(body: CalibrateBody, caller: Admin) -> Response:
        """Weights that meet stated targets, certified on the base's graph; nothing is changed."""
        with base.reading(caller.principal) as workspace:
            return reply(plain(workspace.calibrate(CalibrationTargets(**body.model_dump()))))

    return routes


def job_routes(base: ServedBase, jobs: Jobs, *, import_from: Path | None, zone: str) -> APIRouter:
    """Routes for long work. Only what lies inside `import_from` on the server is ever read; without it nothing is."""
    routes = APIRouter(tags=["jobs"])

    @routes.post(
        "/ingest", status_code=202, responses=gives(_JOB, "The job that was begun.", status=202, also=(403, 409)), response_class=Response
    )
    def ingest(body: IngestBody, caller: Admin) -> Response:
        """Read exports that lie in the server's import folder; the same export again changes nothing."""
        paths = [_inside(import_from, path) for path in body.paths]

        def work(progress: Progress) -> object:
            with base.separate(caller.principal) as workspace:
                reader = LazyExports(body.zone or zone, body.source)
                report = workspace.ingest(paths, reader=reader, settle=body.settle, progress=progress)
                return plain({"report": report, "head": str(workspace.head())})

        job = jobs.start("ingest", work, by=caller.principal.name, now=datetime.now(UTC))
        return reply({"job": plain(job)}, status=202)

    @routes.get("/jobs", responses=gives(closed({"jobs": listed(schema_of(Job))}), "Newest first."), response_class=Response)
    def all_jobs(caller: Admin) -> Response:
        """The jobs of this process that are kept, newest first."""
        return reply({"jobs": plain(jobs.all())})

    @routes.get("/jobs/{job_id}", responses=gives(_JOB, "The job as it stands.", also=(403, 404)), response_class=Response)
    def one_job(job_id: str, caller: Admin) -> Response:
        """One job as it stands."""
        return reply({"job": plain(jobs.find(job_id))})

    @routes.get("/jobs/{job_id}/events", response_class=EventSourceResponse, include_in_schema=False)
    async def events(job_id: str, caller: Admin) -> AsyncIterator[ServerSentEvent]:
        """The job each time it changed, until it ended, as server-sent events."""
        last: Job | None = None
        while last is None or not last.has_ended:
            job = jobs.find(job_id)
            if job != last:
                yield ServerSentEvent(data=plain(job), event=job.state.value)
                last = job
            else:
                await asyncio.sleep(_LOOK_EVERY_SECONDS)

    return routes


def _inside(folder: Path | None, path: str) -> Path:
    """A path inside the import folder, links followed; raises for every other."""
    if folder is None:
        raise ForbiddenError("this server reads no files: it was started without --import-from")
    found = (folder / path).resolve()
    if not found.is_relative_to(folder.resolve()) or not found.exists():
        raise InputError(f"expected a path inside the server's import folder, found {path!r}")
    return found
