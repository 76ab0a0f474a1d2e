"""What those who run a base ask of it from afar: sources and their jobs, names, keys, and a correction taken back."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from oida.faces.client.parse import parse
from oida.model.access import Scope
from oida.model.errors import OidaError, Problem, UnavailableError
from oida.workspace.access import KeyReport
from oida.workspace.correct import Correction
from oida.workspace.lessons import Reliability
from oida.workspace.naming import EntityReport, PersonReport, Renaming
from oida.workspace.sources import JobReport, SourceReport

LOOK_EVERY_SECONDS = 0.5


class RemoteKeeping:
    """The verbs beside questions and corrections; whoever inherits from this sends the calls."""

    def _call(
        self, method: Any, path: str, *, query: dict[str, Any] | None = None, body: Any = None, headers: dict[str, str] | None = None
    ) -> Any:
        raise NotImplementedError

    def undo(self, position: int) -> Correction:
        """Take back a correction by an inverse event; `position` is where its last event stands in the ledger."""
        return parse(Correction, self._call("POST", f"/undo/{position}", body={})["correction"])

    def sources(self) -> list[SourceReport]:
        """Each source with what the principal may see of it."""
        return [parse(SourceReport, each) for each in self._call("GET", "/sources")["sources"]]

    def entities(self) -> list[EntityReport]:
        """The entities that the principal's objects are about, with their aliases."""
        return [parse(EntityReport, each) for each in self._call("GET", "/entities")["entities"]]

    def known_people(self) -> list[PersonReport]:
        """Everyone whom sources name; for admins."""
        return [parse(PersonReport, each) for each in self._call("GET", "/people")["people"]]

    def problems(self) -> list[Problem]:
        """Every fault met in what was read, oldest first; for admins."""
        return [parse(Problem, each) for each in self._call("GET", "/problems")["problems"]]

    def name_alias(self, alias: str, *, means: str | None) -> Renaming:
        """One name of an entity stands for another from now on, None to take it back; for admins."""
        return parse(Renaming, self._call("POST", "/entities/alias", body={"alias": alias, "means": means}))

    def join_people(self, first: str, second: str) -> Renaming:
        """Two people whom sources name are one; for admins."""
        return parse(Renaming, self._call("POST", "/people/join", body={"first": first, "second": second}))

    def set_person_apart(self, person: str) -> Renaming:
        """One of the people whom sources name, by id, is nobody else; for admins."""
        return parse(Renaming, self._call("POST", f"/people/{quote(person, safe='')}/apart", body={}))

    def reliability(self) -> list[Reliability]:
        """How often each source and classifier was right where a person looked; for admins."""
        return [parse(Reliability, each) for each in self._call("GET", "/reliability")["reliability"]]

    def lessons(self) -> list[dict[str, Any]]:
        """What people corrected and confirmed, as labelled examples; for admins."""
        found: list[dict[str, Any]] = self._call("GET", "/lessons")["lessons"]
        return found

    def jobs(self) -> list[JobReport]:
        """The jobs that read followed sources, newest first; for admins."""
        return [parse(JobReport, each) for each in self._call("GET", "/source-jobs")["source_jobs"]]

    def list_keys(self) -> list[KeyReport]:
        """Every key there ever was, without its secret; for admins."""
        return [parse(KeyReport, each) for each in self._call("GET", "/keys")["keys"]]

    def create_key(self, name: str, *, scopes: Collection[Scope], groups: Collection[str] = (), expires_at: datetime | None = None) -> str:
        """Make a key; its token, which is in the result and nowhere else."""
        body: dict[str, Any] = {"name": name, "scopes": sorted(scope.value for scope in scopes), "groups": sorted(groups)}
        if expires_at is not None:
            body["expires_at"] = expires_at.isoformat()
        return str(self._call("POST", "/keys", body=body)["key"])

    def revoke_key(self, name_or_id: str) -> KeyReport:
        """End a key and take back what was granted to it."""
        return parse(KeyReport, self._call("DELETE", f"/keys/{name_or_id}")["revoked"])

    def sync(self, names: Sequence[str] = (), *, retry_all: bool = False) -> dict[str, Any]:
        """Have followed sources read, wait for the end, and give the report as JSON values; raises what the job broke off with."""
        job = self._call("POST", "/sync", body={"names": list(names), "retry_all": retry_all})["job"]
        return self._ended(job)

    def ingest(self, paths: Sequence[str], *, source: str | None = None) -> dict[str, Any]:
        """Have exports in the server's import folder read, wait for the end, and give the report as JSON values."""
        body: dict[str, Any] = {"paths": list(paths)}
        if source is not None:
            body["source"] = source
        return self._ended(self._call("POST", "/ingest", body=body)["job"])

    def _ended(self, job: dict[str, Any]) -> dict[str, Any]:
        while job["state"] not in ("done", "failed"):
            time.sleep(LOOK_EVERY_SECONDS)
            job = self._call("GET", f"/jobs/{job['job_id']}")["job"]
        if job["state"] == "failed":
            raise _broke_off(job)
        found: dict[str, Any] = job["result"]
        return found


def _broke_off(job: dict[str, Any]) -> OidaError:
    return UnavailableError(f"the job {job['job_id']} broke off: {job['message']} ({job['code']})")
