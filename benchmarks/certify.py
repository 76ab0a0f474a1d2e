"""The certificate on real graphs: `python -m benchmarks.certify FOLDER` (graph-wordnet, rfc-python-peps) or without a folder on the hub.

WordNet's edges carry a type; a PEP that is cited is taken as ground of the citing one (BASED_ON). Classes are drawn with a seed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
import time
from pathlib import Path

import numpy as np

from oida.gravity import CLASS_ORDER, PRESETS, EdgeRow, GravityParameters, ObjectRow, arrays_of, preset, settle
from oida.gravity.arrays import GravityArrays
from oida.gravity.certificate import Certificate, certify
from oida.gravity.paper.convergence import HUB_SEED
from oida.gravity.study.graphs import random_graph, uniform_draws
from oida.model.edge import EdgeType

CLASS_SEED = 7


def with_drawn_classes(names: list[str]) -> list[ObjectRow]:
    drawn = (uniform_draws(CLASS_SEED, len(names)) * len(CLASS_ORDER)).astype(int)
    return [ObjectRow(name, CLASS_ORDER[c]) for name, c in zip(names, drawn, strict=True)]


def wordnet(folder: Path, parameters: GravityParameters) -> GravityArrays:
    with gzip.open(folder / "edges.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    names = sorted({row[end] for row in rows for end in ("src", "dst")})
    objects = with_drawn_classes(names)
    edges = {(row["src"], row["oida_type"], row["dst"]) for row in rows if row["src"] != row["dst"]}
    return arrays_of(objects, [EdgeRow(s, EdgeType(t), d) for s, t, d in sorted(edges)], parameters)


def peps(folder: Path, parameters: GravityParameters) -> GravityArrays:
    with (folder / "references.csv").open(encoding="utf-8") as lines:
        pairs = sorted({(row["dst"], row["src"]) for row in csv.DictReader(lines) if row["src"] != row["dst"]})
    names = sorted({name for pair in pairs for name in pair})
    objects = with_drawn_classes(names)
    return arrays_of(objects, [EdgeRow(cited, EdgeType.BASED_ON, citing) for cited, citing in pairs], parameters)


def graph_in(folder: Path | None, parameters: GravityParameters) -> tuple[str, GravityArrays]:
    if folder is None:
        return "generated, one hub of in-degree 43", random_graph(500, 1_000, parameters, seed=HUB_SEED, hub_in_degree=43)
    if (folder / "edges.tsv.gz").is_file():
        return folder.name, wordnet(folder, parameters)
    if (folder / "references.csv").is_file():
        return folder.name, peps(folder, parameters)
    raise SystemExit(f"{folder} holds neither edges.tsv.gz nor references.csv")


def show(name: str, arrays: GravityArrays, certificate: Certificate, *, profile: str, seconds: float) -> None:
    degree = int(np.diff(arrays.indptr).max(initial=0))
    lines = [
        f"{name}, profile {profile}: {len(arrays):,} objects, {arrays.edge_count:,} edges, largest in-degree {degree}",
        f"  {certificate.in_one_line}",
        f"  rho <= {certificate.rho:.4f}; largest row sum {certificate.row_sum:.3f}; residual {certificate.residual:.1e}; {seconds:.1f} s",
        f"  Dormant {certificate.dormant.dormant_count:,}, within 0.001 of the line {len(certificate.dormant.near_the_line)}",
    ]
    if certificate.local is not None:
        local = certificate.local
        known = "bound" if local.proved else "estimate"
        lines.append(
            f"  local: spectral radius {known} {local.spectral_radius:.4f}, starts from 0, 1 and here end {local.spread:.1e} apart"
        )
    lines += [f"  costs most: {row.object_id} (in-degree {row.in_degree}, {row.share:.1%})" for row in certificate.costliest_rows[:3]]
    lines += [f"  advice: {advice}" for advice in certificate.advice]
    sys.stdout.write("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--profile", choices=sorted(PRESETS), action="append")
    arguments = parser.parse_args()
    for profile in arguments.profile or ["paper", "organization"]:
        parameters = preset(profile)
        name, arrays = graph_in(arguments.folder, parameters)
        start = time.process_time()
        settled = settle(arrays, None, parameters)
        certificate = certify(arrays, settled.k, parameters, dormant=settled.dormant)
        show(name, arrays, certificate, profile=profile, seconds=time.process_time() - start)


if __name__ == "__main__":
    main()
