"""Routes for what a base is fed from and who may call: sources and their jobs, names, keys, the ledger as it stands."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from oida.faces.rest.bodies import AliasBody, Body, JoinBody, KeyBody, SyncBody
from oida.faces.rest.describe import gives
from oida.faces.rest.guard import caller_with
from oida.faces.rest.replies import reply
from oida.faces.schema import closed, listed, schema_of
from oida.faces.serving.base import ServedBase
from oida.faces.serving.jobs import Job, Jobs
from oida.faces.wire import plain
from oida.model.access import Scope
from oida.model.errors import ConflictError, Problem
from oida.workspace.access import Caller, KeyReport
from oida.workspace.lessons import Reliability
from oida.workspace.naming import EntityReport, PersonReport, Renaming
from oida.workspace.sources import JobReport, SourceReport
from oida.workspace.weigh import Progress

Reader = Annotated[Caller, Depends(caller_with(Scope.READ))]
Admin = Annotated[Caller, Depends(caller_with(Scope.ADMIN))]
Named = Annotated[str, Path(min_length=1, max_length=200)]
_MOST_ENTRIES = 200


def keeping_routes(base: ServedBase, jobs: Jobs) -> APIRouter:
    """Sources and entities as each caller sees them; the rest for admins."""
    routes = APIRouter(tags=["keeping"])
    _source_routes(routes, base, jobs)
    _name_routes(routes, base)
    _key_routes(routes, base)
    return routes


def _source_routes(routes: APIRouter, base: ServedBase, jobs: Jobs) -> None:
    @routes.get("/sources", responses=gives(closed({"sources": listed(schema_of(SourceReport))}), "Each source."), response_class=Response)
    def sources(caller: Reader) -> Response:
        """Each source with what the caller may see of it."""
        with base.reading(caller.principal) as workspace:
            return reply({"sources": plain(workspace.sources())})

    @routes.get("/problems", responses=gives(closed({"problems": listed(schema_of(Problem))}), "Oldest first."), response_class=Response)
    def problems(caller: Admin) -> Response:
        """Every fault met in what was read."""
        with base.reading(caller.principal) as workspace:
            return reply({"problems": plain(workspace.problems())})

    found = closed({"source_jobs": listed(schema_of(JobReport))})

    @routes.get("/source-jobs", responses=gives(found, "Newest first."), response_class=Response)
    def source_jobs(caller: Admin) -> Response:
        """What was read from followed sources, and what failed; it outlives the process."""
        with base.reading(caller.principal) as workspace:
            return reply({"source_jobs": plain(workspace.jobs())})

    begun = gives(closed({"job": schema_of(Job)}), "The job that was begun.", status=202, also=(403, 409))

    @routes.post("/sync", status_code=202, responses=begun, response_class=Response)
    def sync(body: SyncBody, caller: Admin) -> Response:
        """Read what changed at followed sources, or at all of them; 409 where none of them is followed."""
        with base.reading(caller.principal) as workspace:
            followed = {connection.name for connection in workspace.connections()}
        unknown = sorted(set(body.names) - followed)
        if unknown or not followed:
            raise ConflictError(f"expected sources that are followed, found {', '.join(unknown) or 'none'}; `oida connect` follows one")

        def work(progress: Progress) -> object:
            with base.separate(caller.principal) as workspace:
                return plain(workspace.sync(body.names, retry_all=body.retry_all, progress=progress))

        job = jobs.start("sync", work, by=caller.principal.name, now=datetime.now(UTC))
        return reply({"job": plain(job)}, status=202)


def _name_routes(routes: APIRouter, base: ServedBase) -> None:
    @routes.get("/entities", responses=gives(closed({"entities": listed(schema_of(EntityReport))}), "Most first."), response_class=Response)
    def entities(caller: Reader) -> Response:
        """What the caller's objects are about, with aliases."""
        with base.reading(caller.principal) as workspace:
            return reply({"entities": plain(workspace.entities())})

    @routes.get("/people", responses=gives(closed({"people": listed(schema_of(PersonReport))}), "Each once."), response_class=Response)
    def people(caller: Admin) -> Response:
        """Everyone whom sources name."""
        with base.reading(caller.principal) as workspace:
            return reply({"people": plain(workspace.known_people())})

    renamed = gives(schema_of(Renaming), "What the change did.", also=(403, 404, 409))

    @routes.post("/entities/alias", responses=renamed, response_class=Response)
    def name_alias(body: AliasBody, caller: Admin) -> Response:
        """Let one name of an entity stand for another from now on, or for itself again; relations are found again."""
        with base.writing(caller.principal) as workspace:
            return reply(plain(workspace.name_alias(body.alias, means=body.means)))

    @routes.post("/people/join", responses=renamed, response_class=Response)
    def join_people(body: JoinBody, caller: Admin) -> Response:
        """Two people whom sources name are one."""
        with base.writing(caller.principal) as workspace:
            return reply(plain(workspace.join_people(body.first, body.second)))

    @routes.post("/people/{person}/apart", responses=renamed, response_class=Response)
    def set_person_apart(person: Named, body: Body, caller: Admin) -> Response:
        """One of the people whom sources name, by id, is nobody else."""
        with base.writing(caller.principal) as workspace:
            return reply(plain(workspace.set_person_apart(person)))

    judged = gives(closed({"reliability": listed(schema_of(Reliability))}), "By source and classifier.")

    @routes.get("/reliability", responses=judged, response_class=Response)
    def reliability(caller: Admin) -> Response:
        """How often each source and classifier was right where a person looked."""
        with base.reading(caller.principal) as workspace:
            return reply({"reliability": plain(workspace.reliability())})

    taught = gives(closed({"lessons": listed({"type": "object"})}), "Labelled examples.")

    @routes.get("/lessons", responses=taught, response_class=Response)
    def lessons(caller: Admin) -> Response:
        """What people corrected and confirmed, as examples to train with."""
        with base.reading(caller.principal) as workspace:
            return reply({"lessons": plain(workspace.lessons())})

    entries = closed({"entries": listed({"type": "object"})})

    @routes.get("/ledger", responses=gives(entries, "Newest first."), response_class=Response)
    def ledger(
        caller: Admin,
        before: Annotated[int | None, Query(ge=1, le=1 << 53)] = None,
        limit: Annotated[int, Query(ge=1, le=_MOST_ENTRIES)] = 50,
    ) -> Response:
        """The newest entries of the ledger, or those before a place; no entry holds text."""
        with base.reading(caller.principal) as workspace:
            return reply({"entries": plain(workspace.ledger(before=before, most=limit))})


def _key_routes(routes: APIRouter, base: ServedBase) -> None:
    @routes.get("/keys", responses=gives(closed({"keys": listed(schema_of(KeyReport))}), "Oldest first."), response_class=Response)
    def keys(caller: Admin) -> Response:
        """Every key there ever was, without its secret."""
        with base.reading(caller.principal) as workspace:
            return reply({"keys": plain(workspace.list_keys())})

    made = closed({"key": {"type": "string"}, "id": {"type": "string"}, "name": {"type": "string"}})

    @routes.post(
        "/keys", status_code=201, responses=gives(made, "The key, this once.", status=201, also=(403, 409)), response_class=Response
    )
    def create_key(body: KeyBody, caller: Admin) -> Response:
        """Make a key; its token is shown this once."""
        with base.writing(caller.principal) as workspace:
            new = workspace.create_key(body.name, scopes=body.scopes, groups=body.groups, expires_at=body.expires_at)
        return reply({"key": new.token, "id": new.key.key_id, "name": new.key.name}, status=201, headers={"Cache-Control": "no-store"})

    ended = gives(closed({"revoked": schema_of(KeyReport)}), "The key that opens nothing any more.", also=(403, 404))

    @routes.delete("/keys/{name}", responses=ended, response_class=Response)
    def revoke_key(name: Named, caller: Admin) -> Response:
        """End a key by name or id, and take back what was granted to it."""
        with base.writing(caller.principal) as workspace:
            return reply({"revoked": plain(workspace.revoke_key(name))})
