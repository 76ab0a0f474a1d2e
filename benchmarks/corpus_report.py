"""What becomes of each folder of public exports: items read, items in the ledger, items that say something, Problems by their code.

    python -m benchmarks.corpus_report [FOLDER]

FOLDER holds one folder for each corpus; without it `../shared/data` beside the project. Each is ingested into a base of its own in
memory, with models stubbed: everything is chatter. An item is in the ledger once it is recorded, also when nothing is cut from it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from oida.adapters.classifier.scripted import ScriptedClassifier
from oida.adapters.connector.export import open_path
from oida.adapters.database import SqliteDatabase
from oida.adapters.embedder.hashing import HashingEmbedder
from oida.adapters.store import SqliteStore
from oida.model.feed import Handed
from oida.model.source import SourceDescription, SourceItem
from oida.ports import Connector
from oida.workspace.follow import Following

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "data"
ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class CorpusReport:
    """The counts of one folder; `gone` are items that are only told to be deleted, `problems` are by code."""

    name: str
    items: int = 0
    recorded: int = 0
    gone: int = 0
    saying: int = 0
    statements: int = 0
    problems: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Items in the ledger to those and all Problems; in [0, 1], 0 for an empty folder."""
        met = self.recorded + self.problems.total()
        return self.recorded / met if met else 0.0

    @property
    def lost(self) -> int:
        """Items that are neither in the ledger nor in a Problem: must be 0."""
        return max(0, self.items - self.gone - self.recorded - self.problems.total())


def report_of(folder: Path) -> CorpusReport:
    """Ingest one folder into a base of its own."""
    embedder = HashingEmbedder()
    store = SqliteStore(SqliteDatabase.create(None), model_id=embedder.model_id, dimension=embedder.dimension)
    following = Following(
        store,
        embedder=lambda: embedder,
        classifier=lambda: ScriptedClassifier({}),
        principal="owner",
        now=lambda: NOW,
        wall_clock=lambda: NOW,
    )
    connectors, problems = open_path(folder, zone=ZONE)
    gone: list[str] = []
    found = following.run([Counted(connector, gone) for connector in connectors], problems)
    report = CorpusReport(folder.name, items=found.items, gone=len(gone), statements=found.statements)
    report.recorded = sum(store.projections.item_counts(groups=None).values())
    report.saying = sum(bool(content.outline) for content in store.contents.all_items())
    report.problems.update(problem.code for problem in found.problems)
    store.close()
    return report


@dataclass(frozen=True, slots=True)
class Counted:
    """A connector of which the deleted items are noted on their way."""

    connector: Connector
    gone: list[str]

    @property
    def description(self) -> SourceDescription:
        """The connector's."""
        return self.connector.description

    def read(self) -> Iterator[Handed]:
        """What the connector hands over."""
        for each in self.connector.read():
            if isinstance(each, SourceItem) and each.deleted:
                self.gone.append(each.native_id)
            yield each


def table(reports: list[CorpusReport]) -> Iterator[str]:
    """The reports as the lines of a Markdown table."""
    yield "| folder | items read | in the ledger | only told deleted | saying something | statements | share | problems |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for each in reports:
        problems = ", ".join(f"{count} {code}" for code, count in sorted(each.problems.items()))
        counts = f"{each.items} | {each.recorded} | {each.gone} | {each.saying} | {each.statements}"
        yield f"| {each.name} | {counts} | {each.share:.2f} | {problems} |"


def main() -> int:
    """Print the table; 1 when there is no folder to read, or when an item is neither in the ledger nor in a Problem."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPORA
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir()) if root.is_dir() else []
    if not folders:
        sys.stderr.write(f"expected a folder of corpora, found none at {root}\n")
        return 1
    reports = [report_of(folder) for folder in folders]
    for line in table(reports):
        print(line)
    return int(any(report.lost for report in reports))


if __name__ == "__main__":
    raise SystemExit(main())
