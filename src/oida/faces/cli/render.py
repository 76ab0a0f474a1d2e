"""Results as text for people; whatever comes from the store is made inert first, so that no word of it can act on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.retrieval.context.render import inert

if TYPE_CHECKING:
    from rich.console import Console

    from oida.events.chain import Head
    from oida.gravity.explain import Explanation
    from oida.gravity.parameters import GravityParameters
    from oida.model.edge import Edge
    from oida.workspace.audit import Verification
    from oida.workspace.explain import ContextExplanation
    from oida.workspace.ingest import IngestReport
    from oida.workspace.inspect import ObjectReport, StatusReport
    from oida.workspace.lists import Contradiction, StaleObject
    from oida.workspace.redact import RedactionCertificate
    from oida.workspace.review import Doubtful
    from oida.workspace.search import SearchHit
    from oida.workspace.weigh import EngineRun
    from oida.workspace.why_not import WhyNot

PROBLEMS_SHOWN = 20
_TEXT_CHARACTERS = 400


def print_status(out: Console, found: StatusReport) -> None:
    """A base at a glance."""
    whole = f", ledger entries {found.entries}, problems {found.problems}" if found.entries is not None else ""
    out.print(f"objects {found.objects}{whole}", markup=False)
    for title, counts in (
        ("class", found.by_class),
        ("status", found.by_status),
        ("zone", {zone.value: count for zone, count in found.by_zone.items()}),
        ("items by source", found.items_by_source),
    ):
        _print_counts(out, title, counts)
    last = f"{found.last_run_at:%Y-%m-%d %H:%M} UTC" if found.last_run_at else "never"
    out.print(f"engine: profile {found.profile}, last run {last}, due cycles {found.due_cycles}", markup=False)
    if found.certificate is not None:
        out.print(f"certificate: {found.certificate.in_one_line}", markup=False)
    if found.head is not None:
        out.print(f"head {found.head}", markup=False)


def print_verification(out: Console, found: Verification) -> None:
    """Whether a base is what its ledger says, and what differs."""
    for each in found.discrepancies:
        out.print(inert(str(each), max_characters=_TEXT_CHARACTERS), markup=False, style="red")
    for other in found.other_engines:
        out.print(str(other), markup=False, style="yellow")
    verdict = "sound" if found.is_sound else f"NOT sound: {len(found.discrepancies)} discrepancies"
    out.print(f"{verdict}; replayed {found.entries} entries and {found.cycles} engine runs", markup=False)
    out.print(f"state {found.state_digest}", markup=False)
    if found.k_digest:
        out.print(f"K     {found.k_digest}", markup=False)
    if found.head is not None:
        out.print(f"head  {found.head}  (keep it elsewhere: verify --witness tells a cut tail by it)", markup=False)


def print_ingest(out: Console, report: IngestReport, head: Head) -> None:
    """What became of what was read."""
    out.print(
        f"items read {report.items}: new {report.new_items}, changed {report.changed_items}, "
        f"unchanged {report.unchanged_items}, withdrawn {report.withdrawn_items}",
        markup=False,
    )
    out.print(f"statements {report.statements}, of them noise left out {report.noise}", markup=False)
    _print_counts(out, "objects", {name.value: count for name, count in sorted(report.objects.items())})
    _print_counts(out, "edges", dict(sorted(report.edges_added.items())))
    if report.edges_retracted:
        out.print(f"edges no longer found {report.edges_retracted}", markup=False)
    by_code = Counter(problem.code for problem in report.problems)
    _print_counts(out, "problems", dict(sorted(by_code.items())))
    for problem in report.problems[:PROBLEMS_SHOWN]:
        place = f" {problem.place}" if problem.place else ""
        out.print(inert(f"  {problem.code}: {problem.item}{place}: {problem.message}", max_characters=_TEXT_CHARACTERS), markup=False)
    if len(report.problems) > PROBLEMS_SHOWN:
        out.print(f"  … and {len(report.problems) - PROBLEMS_SHOWN} more; --json lists all", markup=False)
    if not report.items:
        out.print("nothing was read: expected exports or documents there, or a folder of them", markup=False)
    elif not report.events:
        out.print("nothing new: everything here was known already", markup=False)
    out.print(f"head {head}", markup=False)


def print_runs(out: Console, runs: Sequence[EngineRun]) -> None:
    """What the engine did."""
    if not runs:
        out.print("no cycle is due", markup=False)
    for run in runs:
        kind = "settled" if run.settled else "cycle"
        note = "" if run.recorded else ", as the last run left it"
        out.print(
            f"{kind} at {run.grid_at:%Y-%m-%d %H:%M} UTC: {run.objects} objects, {run.edges} edges, {run.passes} passes, "
            f"residual {run.residual:.2e}{note}; K {run.k_digest[:16]}",
            markup=False,
        )
        if not run.converged:
            out.print("did not converge: `oida status` shows the certificate", markup=False, style="yellow")
        for found in run.alternating:
            out.print(f"alternates about the Dormant line: {found}", markup=False, style="yellow")


def print_parameters(out: Console, found: GravityParameters) -> None:
    """The engine's parameters."""
    from dataclasses import fields

    for field in fields(found):
        if field.name != "classes":
            out.print(f"{field.name} = {getattr(found, field.name)}", markup=False)


def print_hits(out: Console, hits: Sequence[SearchHit]) -> None:
    """What matches, marked as what it is."""
    for hit in hits:
        print_line(out, hit.knowledge_object, note=f"cosine {hit.cosine:.2f}, words {hit.lexical:.1f}")
    if not hits:
        out.print("nothing matches", markup=False)


def print_objects(out: Console, found: Sequence[KnowledgeObject], *, total: int) -> None:
    """A list of objects."""
    for each in found:
        print_line(out, each)
    _print_total(out, len(found), total)


def print_questions(out: Console, found: Sequence[KnowledgeObject], *, total: int) -> None:
    """Questions with their urgency."""
    for each in found:
        note = f"answered by {each.resolved_by}" if each.resolved_by else f"urgency {each.scores.unclamped_urgency:.2f}"
        print_line(out, each, note=f"{note}, stakes {each.stakes:.1f}")
    _print_total(out, len(found), total)


def print_contradictions(out: Console, found: Sequence[Contradiction], *, total: int) -> None:
    """Pairs, both sides with the edge between them."""
    for pair in found:
        print_line(out, pair.source)
        how = f"{pair.edge.method}, {pair.edge.confidence:.2f}; edge {pair.edge.edge_id}"
        out.print(f"    contradicts ({how})", markup=False, style="yellow")
        print_line(out, pair.target)
        out.print()
    _print_total(out, len(found), total)


def print_possible_contradictions(out: Console, found: Sequence[Doubtful], *, total: int) -> None:
    """Pairs that may be at odds, with what `oida review` takes to decide them; nothing where there are none."""
    if not found:
        return
    out.print(f"\npossible, about one in ten is one; {total} in all, decide them with `oida review`:\n", markup=False)
    for each in found:
        source, target = each.objects
        print_line(out, source)
        out.print(f"    may contradict ({each.method}, {each.confidence:.2f}; {each.review_id})", markup=False, style="yellow")
        print_line(out, target)
        out.print()


def print_stale(out: Console, found: Sequence[StaleObject], *, total: int) -> None:
    """Stale objects with the reasons."""
    for each in found:
        why = ", ".join(each.reasons)
        rests = f" ({_ways(each.knowledge_object)})" if each.knowledge_object.basis_changed else ""
        print_line(out, each.knowledge_object, note=f"{why}{rests}, freshness {each.knowledge_object.scores.freshness:.2f}")
    _print_total(out, len(found), total)


def _ways(found: KnowledgeObject) -> str:
    """The ways to what an object rests on and that no longer stands, nearest basis first."""
    return "; ".join(" → ".join(path) for path in found.basis_paths)


def print_line(out: Console, each: KnowledgeObject, *, note: str = "") -> None:
    """One object: what it says, what it is, who said it and where."""
    head = Text(f"{each.epistemic_class.value:<11}", style="bold")
    if each.status is not Status.ACTIVE:
        successor = f" by {each.superseded_by or each.resolved_by}" if each.superseded_by or each.resolved_by else ""
        head.append(f" {each.status.value}{successor}", style="yellow")
    head.append(f"  {inert(each.text or '(erased)', max_characters=_TEXT_CHARACTERS)}", style="")
    out.print(head)
    source = each.provenance
    parts = (
        each.object_id,
        f"K {each.scores.k_score:.2f} {each.scores.zone.value}",
        note,
        inert(source.author_name, max_characters=80),
        f"{source.said_at:%Y-%m-%d}",
        inert(source.place or source.link, max_characters=160),
    )
    out.print(Text("            " + " · ".join(part for part in parts if part), style="dim"))


def print_object(out: Console, report: ObjectReport, *, why: bool) -> None:
    """One object from all sides."""
    found, source = report.knowledge_object, report.knowledge_object.provenance
    print_line(out, found)
    rows = (
        ("entity, domain", f"{inert(found.entity_name)}, {found.coordinate.domain}"),
        ("coordinate", str(found.coordinate)),
        ("said", f"{source.said_at.isoformat()} by {inert(source.author_name) or 'unknown'}"),
        ("source", f"{inert(source.source_id)}  {inert(source.title)}  {inert(' / '.join(source.section))}"),
        ("place", f"{inert(source.place)}  characters {source.start} to {source.end}"),
        ("link", inert(source.link)),
        ("classifier", f"{inert(found.classifier)}, confidence {found.scores.confidence:.2f}"),
        (
            "scores",
            f"K {found.scores.k_score:.4f}, freshness {found.scores.freshness:.2f}, urgency {found.scores.urgency:.2f}, "
            f"contradiction {found.scores.contradiction:.2f}, priority {found.scores.priority:.4f}, {found.scores.zone.value}",
        ),
        ("visible to", ", ".join(inert(group) for group in sorted(found.visibility))),
        ("anchors", inert(", ".join(sorted(found.anchors)))),
        ("says again", found.duplicate_of or ""),
        ("basis changed", _ways(found)),
    )
    for name, value in rows:
        if value.strip():
            out.print(f"{name:>15}  {value}", markup=False)
    _print_edges(out, "acted on by", report.edges_in, report.neighbours, other="source")
    _print_edges(out, "acts on", report.edges_out, report.neighbours, other="target")
    if why:
        _print_explanation(out, report.explanation)
    out.print("history:", markup=False)
    for line in report.history:
        out.print(
            f"  {line.occurred_at:%Y-%m-%d %H:%M} {line.event} by {inert(line.principal)}"
            f" (recorded {line.recorded_at:%Y-%m-%d %H:%M}) {inert(line.detail)}",
            markup=False,
        )


def print_why_not(out: Console, found: WhyNot) -> None:
    """Where an object fell out of a context."""
    print_line(out, found.knowledge_object)
    place = f", place {found.position} of {found.ranked}" if found.position else f", not among the {found.ranked} that were ranked"
    out.print(f"{found.reason}: {found.explanation}{place}", markup=False, style="bold")
    if found.rank_score is not None:
        out.print(
            f"rank score {found.rank_score:.4f}: " + ", ".join(f"{name} {value:.3f}" for name, value in found.parts.items()), markup=False
        )


def print_context_explanation(out: Console, why: ContextExplanation) -> None:
    """Why a context is what it is."""
    out.print("Why these", markup=False, style="bold")
    axes = {
        "intent": why.intent,
        "entity": why.entity,
        "domain": why.domain,
        "class": why.epistemic_class,
        "quarter": why.epoch,
        "depth": "" if why.depth is None else str(why.depth),
        "author": why.author,
        "anchors": ", ".join(why.anchors),
        "looks back": " to ".join(why.looks_back or ()),
    }
    out.print("read as: " + "; ".join(f"{axis} {inert(value)}" for axis, value in axes.items() if value), markup=False)
    for name in why.names:
        means = f", which means {inert(name.meant)}" if name.meant.casefold() != name.name.casefold() else ""
        out.print(f"  names the {name.role} {inert(name.name)}{means}{', misspelt' if name.misspelt else ''}", markup=False)
    weights = ", ".join(f"{name} {weight:g}" for name, weight in why.weights.items() if weight)
    out.print(f"ranked by {why.profile}: {weights}", markup=False)
    out.print(f"{len(why.shown)} shown of {why.ranked} that were ranked", markup=False)
    for each in why.shown:
        parts = ", ".join(f"{name} {value:.3f}" for name, value in each.parts.items())
        out.print(f"  {each.knowledge_object.object_id}  {each.rank_score:.4f} = {parts}", markup=False)


def print_redaction(out: Console, found: RedactionCertificate) -> None:
    """The certificate of an erasure."""
    out.print("Certificate of erasure", markup=False, style="bold")
    for name in ("item_id", "redacted_by", "redacted_at", "ledger_position", "ledger_digest"):
        out.print(f"  {name}: {getattr(found, name)}", markup=False)
    out.print(f"  objects: {', '.join(found.object_ids) or 'none'}", markup=False)
    if found.said_again_by:
        out.print(f"  the same words stand in other items: {', '.join(found.said_again_by)}", markup=False, style="yellow")


def _print_edges(out: Console, title: str, edges: Sequence[Edge], neighbours: Mapping[ObjectId, KnowledgeObject], *, other: str) -> None:
    if not edges:
        return
    out.print(f"{title}:", markup=False)
    for edge in edges:
        end = getattr(edge, other)
        near = neighbours.get(end)
        text = inert(near.text, max_characters=120) if near else ""
        out.print(f"  {edge.edge_type.value} {end} ({edge.method}, {edge.confidence:.2f}, {edge.edge_id}) {text}", markup=False)


def _print_explanation(out: Console, found: Explanation | None) -> None:
    if found is None:
        out.print("K has not been weighed yet, or rests on what you may not see", markup=False)
        return
    table = Table("term of K", "value", box=None, pad_edge=False)
    for name in ("seed", "usage", "evidence", "gravity", "contradiction", "momentum", "decay", "clamp"):
        table.add_row(name, f"{getattr(found, name):+.6f}")
    table.add_row("K", f"{found.k_after:.6f}", style="bold")
    out.print(table)
    for edge in found.edges:
        asleep = ", Dormant" if edge.source_is_dormant else ""
        out.print(
            f"  {edge.edge_type.value} from {edge.source_id}: K {edge.source_k:.3f}{asleep}, z {edge.z:.3f}, "
            f"gravity {edge.gravity:+.6f}, evidence {edge.evidence:+.6f}, contradiction {edge.contradiction:+.6f}",
            markup=False,
        )


def _print_counts(out: Console, title: str, counts: Mapping[str, int]) -> None:
    if counts:
        out.print(f"{title}: " + ", ".join(f"{inert(name)} {count}" for name, count in _largest(counts)), markup=False)


def _largest(counts: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _print_total(out: Console, shown: int, total: int) -> None:
    if total == 0:
        out.print("none", markup=False)
    elif shown < total:
        out.print(f"{shown} of {total}; --limit shows more", markup=False)
