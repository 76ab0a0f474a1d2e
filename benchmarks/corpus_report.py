"""What becomes of each folder of public exports: items read, items that say something, and Problems by their code.

    python -m benchmarks.corpus_report [FOLDER]

FOLDER holds one folder for each corpus; without it `../shared/data` beside the project. An item says something when at least one
statement is cut from it: only such items can come to the ledger. No model is needed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from oida.adapters.connector.export import open_path
from oida.ingestion.segment import segment
from oida.model.source import SourceItem

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "data"
ZONE = ZoneInfo("UTC")


@dataclass(slots=True)
class CorpusReport:
    """The counts of one folder; `problems` by code."""

    name: str
    items: int = 0
    saying: int = 0
    statements: int = 0
    problems: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Items that say something to everything met, Problems included; in [0, 1], 0 for an empty folder."""
        met = self.items + self.problems.total()
        return self.saying / met if met else 0.0


def report_of(folder: Path) -> CorpusReport:
    """Read one folder to its end."""
    report = CorpusReport(folder.name)
    connectors, problems = open_path(folder, zone=ZONE)
    report.problems.update(problem.code for problem in problems)
    for connector in connectors:
        for found in connector.read():
            if isinstance(found, SourceItem):
                cut = len(segment(found))
                report.items += 1
                report.saying += cut > 0
                report.statements += cut
            else:
                report.problems[found.code] += 1
    return report


def table(reports: list[CorpusReport]) -> Iterator[str]:
    """The reports as the lines of a Markdown table."""
    yield "| folder | items | saying something | statements | share | problems |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    for each in reports:
        problems = ", ".join(f"{count} {code}" for code, count in sorted(each.problems.items()))
        yield f"| {each.name} | {each.items} | {each.saying} | {each.statements} | {each.share:.2f} | {problems} |"


def main() -> int:
    """Print the table; 1 when there is no folder to read."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPORA
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir()) if root.is_dir() else []
    if not folders:
        sys.stderr.write(f"expected a folder of corpora, found none at {root}\n")
        return 1
    for line in table([report_of(folder) for folder in folders]):
        print(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
