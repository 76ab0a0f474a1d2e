"""What audits found, as lines of Markdown and as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oida.faces.wire import plain

if TYPE_CHECKING:
    from oida.evaluation.audit import Audit
    from oida.workspace.audit_classes import ClassAudit
    from oida.workspace.audit_coordinates import CoordinateAudit
    from oida.workspace.audit_relations import RelationAudit
    from oida.workspace.shares import Share


def class_values(found: ClassAudit) -> dict[str, Any]:
    """The audit's figures at the top, then where they come from."""
    own = {"name": found.name, "by_source": found.by_source, "means": found.means, "chatter_kept": found.chatter_kept}
    return plain(found.audit) | plain(own | {"seconds": found.seconds})  # type: ignore[no-any-return]


def relation_values(found: RelationAudit) -> dict[str, Any]:
    """The audit's figures at the top, then the named shares."""
    return plain(found.audit) | plain({"name": found.name, "shares": found.shares, "means": found.means, "funnel": found.funnel})  # type: ignore[no-any-return]


def class_lines(found: ClassAudit) -> list[str]:
    """The classification audit for people."""
    rate = found.audit.n / found.seconds if found.seconds else 0.0
    lines = [*_figures(found.audit), f"cost: {found.seconds:.1f} s, {rate:,.0f} statements a second, no money (offline)"]
    if found.chatter_kept is not None:
        lines.append(f"unannotated chatter taken for knowledge: {found.chatter_kept:.3f}")
    lines += ["", "| source | statements | accuracy | answered by |", "|---|---|---|---|"]
    lines += [f"| {source} | {n} | {right:.3f} | {found.means[source]} |" for source, (n, right) in found.by_source.items()]
    return [*lines, "", *_confusion(found.audit)]


def relation_lines(found: RelationAudit) -> list[str]:
    """The relation audit for people."""
    lines = [*_figures(found.audit), "", *_shares(found.shares)]
    lines += ["", *(f"{name}: {count}" for name, count in found.means.items())]
    if found.funnel:
        lines += ["", "Where annotated contradictions are lost:", "", "| step | explicit | implicit |", "|---|---|---|"]
        lines += [f"| {step.name} | {step.explicit} | {step.implicit} |" for step in found.funnel]
    return [*lines, "", *_confusion(found.audit)]


def coordinate_lines(found: CoordinateAudit) -> list[str]:
    """The coordinate audit for people."""
    lines = [*_shares(found.axes), "", f"not annotated: {', '.join(found.not_annotated)}"]
    lines += ["", f"relevant statements in the context of {found.questions} questions:"]
    return [*lines, *(f"  {kind}: {value:.3f}" for kind, value in found.recall.items())]


def _figures(audit: Audit) -> list[str]:
    lines = [
        f"n {audit.n}, macro F1 {audit.macro_f1:.3f} [{audit.macro_f1_interval.low:.3f}, {audit.macro_f1_interval.high:.3f}], "
        f"NONE F1 {audit.none_f1:.3f}, accuracy {audit.accuracy:.3f} [{audit.accuracy_interval.low:.3f}, "
        f"{audit.accuracy_interval.high:.3f}], also counting a second label {audit.either_accuracy:.3f}"
        + (f", ECE {audit.ece:.3f}" if audit.ece is not None else ""),
        "",
        "| label | precision | recall | F1 | 95 % | gold |",
        "|---|---|---|---|---|---|",
    ]
    for label, each in audit.per_class.items():
        interval = f"{each.f1_interval.low:.2f} to {each.f1_interval.high:.2f}"
        lines.append(f"| {label} | {each.precision:.3f} | {each.recall:.3f} | {each.f1:.3f} | {interval} | {each.support} |")
    if audit.calibration:
        lines += ["", "| confidence | accuracy | answers |", "|---|---|---|"]
        lines += [f"| {each.confidence:.3f} | {each.accuracy:.3f} | {each.count} |" for each in audit.calibration]
    return lines


def _shares(shares: Mapping[str, Share]) -> list[str]:
    return [
        f"{name}: {each.count} of {each.of} = {each.share:.3f} [{each.interval.low:.3f}, {each.interval.high:.3f}]"
        for name, each in shares.items()
    ]


def _confusion(audit: Audit) -> list[str]:
    labels = list(audit.confusion)
    lines = ["| gold \\ said | " + " | ".join(label[:5] for label in labels) + " |", "|---" * (len(labels) + 1) + "|"]
    return lines + [f"| {label} | " + " | ".join(str(n) for n in audit.confusion[label].values()) + " |" for label in labels]
