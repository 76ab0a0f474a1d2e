"""Prints how well statements are cut, located and related, against what people annotated.

    python -m training.measure_ingestion [SHARED]

SHARED holds `bench` and `data` (default: the folder `shared` beside the checkout); a part that is absent is skipped.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from oida.ingestion.locate import Location, locate
from oida.ingestion.segment import segment
from oida.ingestion.stakes import stakes_of
from oida.ingestion.words import lemma
from training.measure_relations import measure_documents, measure_relations
from training.organisations import COVERED, Matched, Organisation, read_organisation


def main() -> None:
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared"
    for organisation in sorted(shared.glob("bench/*/gold")):
        print(f"\n== {organisation.parent.name}")
        measure_organisation(organisation.parent)
    for corpus in ("rfc-python-peps", "adr-govuk-aws", "adr-modernisation-platform"):
        if (shared / "data" / corpus).is_dir():
            print(f"\n== {corpus}")
            measure_documents(shared / "data" / corpus)


def measure_organisation(folder: Path) -> None:
    organisation = read_organisation(folder)
    print_segmentation(organisation)
    locations = [locate(m.statement, m.item, parent_text=m.parent_text, people=organisation.people) for m in organisation.matched]
    print_locations(organisation.matched, locations)
    print_stakes(organisation.matched)
    measure_relations(organisation, folder.name)


def print_segmentation(organisation: Organisation) -> None:
    items = [found.item for found in organisation.cuts]
    started = time.perf_counter()
    count = sum(len(segment(item)) for item in items)
    seconds = time.perf_counter() - started
    covered = sum(m.overlap >= COVERED for m in organisation.matched)
    total = len(organisation.matched)
    print(f"items {len(items)}, statements {count}, {count / seconds:,.0f} statements a second")
    print(f"annotated statements found {total}, covered by one of ours {covered} ({covered / max(total, 1):.3f})")


def print_locations(matched: Sequence[Matched], locations: Sequence[Location]) -> None:
    pairs = list(zip(matched, locations, strict=True))
    shared_word = sum(bool(_words(m.text("entity")) & _words(found.entity_name)) for m, found in pairs)
    by_name: dict[str, Counter[str]] = defaultdict(Counter)
    for m, found in pairs:
        by_name[found.entity_name.casefold()][m.text("entity")] += 1
    pure = sum(counts.most_common(1)[0][1] for counts in by_name.values())
    agreed = Counter(
        (a.text("entity") == b.text("entity"), x.entity_name.casefold() == y.entity_name.casefold())
        for (a, x), (b, y) in itertools.combinations(pairs, 2)
    )
    right = sum(m.text("domain") == found.domain for m, found in pairs)
    total = max(len(pairs), 1)
    print(
        f"entity: shares a word {shared_word / total:.3f}, purity {pure / total:.3f} over {len(by_name)} names; same-entity pairs: "
        f"precision {agreed[True, True] / max(agreed[True, True] + agreed[False, True], 1):.3f}, "
        f"recall {agreed[True, True] / max(agreed[True, True] + agreed[True, False], 1):.3f}"
    )
    print(f"domain right {right / total:.3f}")
    print("   ", Counter((m.text("domain"), f.domain) for m, f in pairs if m.text("domain") != f.domain).most_common(8))


def _words(name: str) -> set[str]:
    return {lemma(word) for word in name.replace("-", " ").replace("/", " ").split()}


def print_stakes(matched: Sequence[Matched]) -> None:
    scored = [(float(m.text("stakes")), stakes_of(m.statement)) for m in matched if m.text("stakes")]
    if len(scored) > 2:
        gold, ours = np.array(scored).T
        print(
            f"stakes of {len(scored)} questions: rank correlation {_rank_correlation(gold, ours):.3f}, "
            f"mean absolute error {np.abs(gold - ours).mean():.3f}"
        )


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    return np.array([(np.sum(values < value) + np.sum(values <= value) + 1) / 2 for value in values])


if __name__ == "__main__":
    main()
