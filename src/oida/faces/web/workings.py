"""The pages on the machine itself: engine, sources and jobs, evaluation reports, audit."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.responses import FileResponse, RedirectResponse, Response

from oida.evaluation.report import shown
from oida.faces.serving.base import ServedBase
from oida.faces.serving.jobs import Jobs
from oida.faces.web.drawing import zone_layers
from oida.faces.web.render import Renderer
from oida.faces.web.visit import Visit
from oida.faces.wire import plain, verification_values
from oida.gravity.parameters import CLASS_ORDER
from oida.model.access import Scope
from oida.model.errors import NotFoundError
from oida.workspace.weigh import Progress

CERTIFICATE = "certificate"
VERIFICATION = "verification"
LEDGER_PAGE = 40
_REPORT = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")
_FIGURE = re.compile(r"[a-z0-9][a-z0-9-]{0,60}\.svg")


class Workings:
    """Pages on how a served base works and whether it is sound."""

    def __init__(self, base: ServedBase, renderer: Renderer, jobs: Jobs, reports: Path | None) -> None:
        self._base = base
        self._renderer = renderer
        self._jobs = jobs
        self._reports = reports

    def engine(self, visit: Visit) -> Response:
        """Zones now and over time, the certificate, the parameters."""
        with self._base.reading(visit.caller.principal) as workspace:
            parameters = workspace.parameters
            with workspace.pages() as pages:
                zones, runs = pages.zones(), pages.zones_over_time() if visit.may(Scope.ADMIN) else []
            last = workspace.last_run_at
        return self._renderer.page(
            visit,
            "engine.html",
            parameters=parameters,
            class_order=CLASS_ORDER,
            zone_counts=zones,
            runs=runs,
            layers=zone_layers(runs),
            last=last,
            job=self._newest(CERTIFICATE),
        )

    def certify(self, visit: Visit) -> Response:
        """Begin to compute what convergence claim holds."""
        visit.require(Scope.ADMIN)

        def work(_progress: Progress) -> Any:
            with self._base.reading(visit.caller.principal) as workspace:
                found = workspace.certify()
                return plain(found) | {"in_one_line": found.in_one_line}

        self._start(CERTIFICATE, work, visit)
        return RedirectResponse("/engine#certificate", status_code=303)

    def settle(self, visit: Visit) -> Response:
        """Begin to run the engine to its fixed point."""
        visit.require(Scope.ADMIN)

        def work(_progress: Progress) -> Any:
            with self._base.writing(visit.caller.principal) as workspace:
                return plain(workspace.settle())

        job = self._start("settle", work, visit)
        return RedirectResponse(f"/jobs/{job}", status_code=303)

    def sources(self, visit: Visit) -> Response:
        """Where the memory comes from, and what reads it."""
        with self._base.reading(visit.caller.principal) as workspace:
            found = workspace.sources()
            readings = workspace.jobs()[:20] if visit.may(Scope.ADMIN) else []
        own = self._jobs.all()[:20] if visit.may(Scope.ADMIN) else []
        return self._renderer.page(visit, "sources.html", sources=found, readings=readings, jobs=own)

    def problems(self, visit: Visit) -> Response:
        """What could not be read, and why."""
        visit.require(Scope.ADMIN)
        with self._base.reading(visit.caller.principal) as workspace:
            found = workspace.problems()[::-1]
        return self._renderer.page(
            visit,
            "problems.html",
            problems=found[visit.start : visit.start + visit.size],
            total=len(found),
            start=visit.start,
            size=visit.size,
        )

    def job(self, visit: Visit) -> Response:
        """One job of this server as it stands."""
        visit.require(Scope.ADMIN)
        return self._renderer.page(visit, "job.html", job=self._jobs.find(visit.part("job_id")))

    def reports(self, visit: Visit) -> Response:
        """The evaluation reports that lie in the server's folder."""
        return self._renderer.page(
            visit, "reports.html", reports=[self._read(name) for name in self._names()], folder=self._reports is not None
        )

    def report(self, visit: Visit) -> Response:
        """One evaluation report with its tables."""
        name = visit.part("name")
        if name not in self._names():
            raise NotFoundError(f"expected the name of an evaluation report, found nothing under {name!r}")
        return self._renderer.page(visit, "report.html", report=self._read(name), shown=shown)

    def figure(self, visit: Visit) -> Response:
        """A figure of a report."""
        name = visit.part("name")
        if self._reports is None or not _FIGURE.fullmatch(name) or not (self._reports / name).is_file():
            raise NotFoundError(f"expected the name of a figure, found nothing under {name!r}")
        return FileResponse(
            self._reports / name,
            media_type="image/svg+xml",
            headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"},
        )

    def audit(self, visit: Visit) -> Response:
        """The ledger's head and its newest entries, and whether a replay gives the same."""
        visit.require(Scope.ADMIN)
        text = visit.given("before")
        before = int(text) if text.isdecimal() and len(text) < 16 else None
        with self._base.reading(visit.caller.principal) as workspace:
            entries = workspace.ledger(before=before, most=LEDGER_PAGE)
            head, reading = workspace.head(), workspace.reading()
            lines = [(entry, type(entry.event).__name__, reading.name_of(entry.principal), _subject(entry.event)) for entry in entries]
        oldest = entries[-1].position if entries else 0
        return self._renderer.page(
            visit, "audit.html", head=head, lines=lines, older=oldest if oldest > 1 else None, job=self._newest(VERIFICATION)
        )

    def verify(self, visit: Visit) -> Response:
        """Begin to replay the ledger from nothing."""
        visit.require(Scope.ADMIN)

        def work(progress: Progress) -> Any:
            with self._base.reading(visit.caller.principal) as workspace:
                return verification_values(workspace.verify(progress=progress))

        self._start(VERIFICATION, work, visit)
        return RedirectResponse("/audit#verify", status_code=303)

    def _start(self, kind: str, work: Any, visit: Visit) -> str:
        return self._jobs.start(kind, work, by=visit.caller.principal.name, now=datetime.now(UTC)).job_id

    def _newest(self, kind: str) -> Any:
        return next((job for job in self._jobs.all() if job.kind == kind), None)

    def _names(self) -> list[str]:
        if self._reports is None or not self._reports.is_dir():
            return []
        return sorted(path.stem for path in self._reports.glob("*.json") if _REPORT.fullmatch(path.stem) and self._is_report(path))

    def _is_report(self, path: Path) -> bool:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(found, dict) and {"title", "verdict", "tables", "preregistration", "setting"} <= found.keys()

    def _read(self, name: str) -> dict[str, Any]:
        assert self._reports is not None
        found: dict[str, Any] = json.loads((self._reports / f"{name}.json").read_text(encoding="utf-8"))
        return found | {"id": name}


def _subject(event: object) -> str:
    """The object that an event is about, if there is one to look at."""
    for name in ("object_id", "target"):
        found = getattr(event, name, None)
        if isinstance(found, str) and found.startswith("ko-"):
            return found
    return ""
