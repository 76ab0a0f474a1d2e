"""What every Connector promises. Subclass once per kind of source."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest

from oida.adapters.connector.export import open_path
from oida.adapters.connector.tree import Entry
from oida.model.errors import Problem, UnavailableError
from oida.model.source import EVERYONE, SourceDescription, SourceItem

ZONE = ZoneInfo("Europe/Oslo")


class ConnectorContract:
    kind: str

    def write_export(self, folder: Path) -> None:
        """A small healthy export of at least two items; no file of another kind."""
        raise NotImplementedError

    def damage(self, folder: Path) -> None:
        """Make one piece of the export unreadable; at least one item must remain."""
        raise NotImplementedError

    def alter(self, folder: Path) -> None:
        """Change the text of one item and of nothing else."""
        raise NotImplementedError

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "company"
        folder.mkdir()
        self.write_export(folder)
        return folder

    def read(self, path: Path) -> tuple[SourceDescription, list[SourceItem], list[Problem]]:
        connectors, problems = open_path(path, zone=ZONE)
        ours = [connector for connector in connectors if connector.description.kind == self.kind]
        assert len(ours) == 1
        found = list(ours[0].read())
        items = [entry for entry in found if isinstance(entry, SourceItem)]
        return ours[0].description, items, problems + [entry for entry in found if isinstance(entry, Problem)]

    def test_a_healthy_export_gives_items_and_no_problem(self, folder: Path) -> None:
        _, items, problems = self.read(folder)
        assert problems == []
        assert len(items) >= 2

    def test_ids_are_unique_and_belong_to_the_described_source(self, folder: Path) -> None:
        description, items, _ = self.read(folder)
        assert len(items) == len({item.native_id for item in items})
        assert {description.source_id} == {item.source_id for item in items}
        assert description.source_id.startswith(f"{self.kind}:")

    def test_reading_twice_gives_equal_items(self, folder: Path) -> None:
        connectors, _ = open_path(folder, zone=ZONE)
        assert list(connectors[0].read()) == list(connectors[0].read())

    def test_the_same_export_elsewhere_gives_equal_items(self, folder: Path, tmp_path: Path) -> None:
        moved = tmp_path / "elsewhere" / "company"
        shutil.copytree(folder, moved)
        assert self.read(folder)[:2] == self.read(moved)[:2]
        assert all(str(tmp_path) not in item.place for item in self.read(folder)[1])

    def test_a_zip_of_the_export_gives_the_same_items_under_the_same_ids(self, folder: Path, tmp_path: Path) -> None:
        archive = tmp_path / "company.zip"
        _zip(folder, archive)
        described, items, _ = self.read(folder)
        zipped, unpacked, problems = self.read(archive)
        assert problems == []
        assert described.source_id == zipped.source_id
        assert _texts(items) == _texts(unpacked)

    def test_blocks_are_ordered_spans_of_the_body_without_white_space_at_their_ends(self, folder: Path) -> None:
        for item in self.read(folder)[1]:
            end = 0
            for block in item.blocks:
                text = item.body[block.start : block.end]
                assert end <= block.start < block.end <= len(item.body)
                assert text == text.strip()
                end = block.end

    def test_every_time_is_aware(self, folder: Path) -> None:
        for item in self.read(folder)[1]:
            moments = [item.said_at, item.edited_at, *(block.said_at for block in item.blocks)]
            assert all(moment.utcoffset() is not None for moment in moments if moment)

    def test_every_group_is_everyone_or_described(self, folder: Path) -> None:
        description, items, _ = self.read(folder)
        named = set().union(*(item.visibility for item in items)) - {EVERYONE}
        assert named <= set(description.groups)
        assert all(item.visibility for item in items)

    def test_references_show_their_words_and_lead_elsewhere(self, folder: Path) -> None:
        for item in self.read(folder)[1]:
            for reference in item.references:
                assert reference.key not in item.keys[:1]
                assert reference.start == reference.end == -1 or 0 <= reference.start < reference.end <= len(item.body)

    def test_a_changed_text_changes_one_fingerprint_and_no_id(self, folder: Path) -> None:
        before = {item.native_id: item.fingerprint for item in self.read(folder)[1]}
        self.alter(folder)
        after = {item.native_id: item.fingerprint for item in self.read(folder)[1]}
        assert before.keys() == after.keys()
        assert sum(before[native_id] != after[native_id] for native_id in before) == 1

    def test_the_files_times_change_no_fingerprint(self, folder: Path) -> None:
        before = [item.fingerprint for item in self.read(folder)[1]]
        for file in folder.rglob("*"):
            if file.is_file():
                file.write_bytes(file.read_bytes())
        assert before == [item.fingerprint for item in self.read(folder)[1]]

    def test_a_damaged_piece_is_a_problem_with_its_place_and_the_rest_is_read(self, folder: Path) -> None:
        self.damage(folder)
        _, items, problems = self.read(folder)
        assert problems
        assert all(problem.item and problem.code and problem.message for problem in problems)
        assert items

    def test_a_file_that_vanishes_while_it_is_read_is_a_problem(self, folder: Path) -> None:
        connectors, _ = open_path(folder, zone=ZONE)
        with patch.object(Entry, "read", _vanished), patch.object(Entry, "lines", _vanished):
            found = list(connectors[0].read())
        assert found
        assert all(isinstance(entry, Problem) for entry in found)


def _vanished(entry: Entry) -> bytes:
    raise UnavailableError(f"cannot read {entry.place}: it has vanished")


def _texts(items: list[SourceItem]) -> dict[str, str]:
    return {item.native_id: item.body for item in items}


def _zip(folder: Path, archive: Path, keep: Callable[[Path], bool] = Path.is_file) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for file in sorted(folder.rglob("*")):
            if keep(file):
                target.write(file, file.relative_to(folder).as_posix())
