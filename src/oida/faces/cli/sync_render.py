"""Sources, jobs and what a sync did, as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from oida.faces.cli.render import PROBLEMS_SHOWN
from oida.retrieval.context.render import inert

if TYPE_CHECKING:
    from rich.console import Console

    from oida.model.feed import Connection
    from oida.model.job import JobCounts
    from oida.workspace.sources import JobReport, SourceReport
    from oida.workspace.sync import Connected, SyncReport

_GROUPS_SHOWN = 5
_TEXT_CHARACTERS = 400
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def print_kinds(out: Console, kinds: Mapping[str, str]) -> None:
    """The kinds of source that can be followed."""
    for kind, options in kinds.items():
        out.print(f"{kind}: {options}", markup=False)


def print_connected(out: Console, found: Connected, *, still_to_set: str) -> None:
    """A connection that was tested."""
    connection = found.connection
    named = f"{found.people} people, {found.groups} closed groups"
    _line(out, f"{connection.name} follows {connection.source_id} ({found.source_name}): {named}")
    if still_to_set:
        _line(out, f"the secret was not kept: set {still_to_set} for `oida sync`, or connect again with --keyring")
    _line(out, f"next: oida sync {connection.name}")


def print_connections(out: Console, found: Sequence[Connection]) -> None:
    """The sources that are followed."""
    if not found:
        _line(out, "nothing is followed; `oida connect` lists the kinds")
    for each in found:
        options = "".join(f" {key}={value}" for key, value in sorted(each.options.items()))
        _line(out, f"{each.name}: {each.source_id}, secret in {each.secret.place} {each.secret.name}{options}")


def print_sync(out: Console, report: SyncReport) -> None:
    """What became of each source, and what that changed."""
    if not report.sources:
        _line(out, "nothing to read; `oida connect` follows a source")
    for each in report.sources:
        _line(out, f"{each.connection} ({each.source_id}): {each.state}, {counted(each.counts)}")
        if each.message:
            _line(out, f"  {each.code}: {each.message}", style="red")
    by_code = Counter(problem.code for problem in report.problems)
    for problem in report.problems[:PROBLEMS_SHOWN]:
        _line(out, f"  {problem.code}: {problem.item}: {problem.message}")
    if len(report.problems) > PROBLEMS_SHOWN:
        _line(out, "  all: " + ", ".join(f"{code} {count}" for code, count in sorted(by_code.items())))
    edges = sum(report.edges_added.values())
    _line(out, f"edges added {edges}, no longer found {report.edges_retracted}" if report.events else "nothing changed")


def print_sources(out: Console, found: Sequence[SourceReport]) -> None:
    """Each source in two lines."""
    if not found:
        _line(out, "no source here; `oida ingest` reads exports, `oida connect` follows a source")
    for each in found:
        read = f"read {ago(each.lag_seconds)} ago" if each.lag_seconds is not None else "never read to its end"
        followed = f", followed as {each.connection}" if each.connection else ""
        _line(out, f"{each.source_id}: items {each.items}, objects {each.objects}, {read}{followed}")
        details = []
        if each.problems is not None:
            details.append(f"problems {each.problems}, failed items {each.failed_items}")
        groups = list(each.visible_to.items())
        shown = ", ".join(f"{group} {count}" for group, count in groups[:_GROUPS_SHOWN])
        more = f" and {len(groups) - _GROUPS_SHOWN} more groups" if len(groups) > _GROUPS_SHOWN else ""
        details.append(f"seen by {shown or 'nobody'}{more}")
        _line(out, "  " + "; ".join(details))
        if each.message:
            _line(out, f"  last job {each.state}: {each.message}", style="red")


def print_jobs(out: Console, found: Sequence[JobReport], *, total: int) -> None:
    """Each job with what failed in it."""
    for each in found:
        job = each.job
        ended = f"{job.ended_at:%Y-%m-%d %H:%M}" if job.ended_at else "…"
        _line(out, f"{job.job_id} {job.state} {job.source_id} {job.started_at:%Y-%m-%d %H:%M} to {ended} UTC: {counted(job.counts)}")
        if job.message:
            _line(out, f"  {job.code}: {job.message}", style="red")
        shown = each.failed if len(found) == 1 else each.failed[:3]
        for item in shown:
            _line(out, f"  failed {item.attempts}×: {item.native_id}: {item.code}: {item.message}")
        if len(shown) < len(each.failed):
            _line(out, f"  … and {len(each.failed) - len(shown)} more; `oida jobs {job.job_id}` lists all")
    if total > len(found):
        _line(out, f"… and {total - len(found)} older jobs")
    if not found:
        _line(out, "no job was ever run here")


def counted(counts: JobCounts) -> str:
    """The counts of a job in a line."""
    parts = [f"read {counts.read}", f"new {counts.new}", f"changed {counts.changed}", f"withdrawn {counts.withdrawn}"]
    parts += [f"{name} {value}" for name, value in (("failed", counts.failed), ("problems", counts.problems)) if value]
    return ", ".join(parts)


def ago(seconds: float) -> str:
    """A length of time in its largest unit.

    >>> ago(7300.0)
    '2 h'
    """
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name}"
    return f"{int(max(0.0, seconds))} s"


def _line(out: Console, text: str, *, style: str = "") -> None:
    out.print(inert(text, max_characters=_TEXT_CHARACTERS), markup=False, style=style)
