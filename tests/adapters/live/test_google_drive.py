from __future__ import annotations

from typing import Any

import pytest
from tests.contracts.live_connector import LiveConnectorContract, cursor_of, items_of
from tests.drive_api import FakeDrive, shelf

from oida.model.errors import Problem
from oida.model.feed import Checkpoint, CompleteRange, GroupMembers, Missed
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE

SOURCE = "google-drive:ada@harbour.example"
ADA, BO = (person_id(SOURCE, f"{name}@harbour.example") for name in ("ada", "bo"))


class TestGoogleDrive(LiveConnectorContract):
    kind = "google-drive"
    source_id = SOURCE

    def service(self, **options: Any) -> FakeDrive:
        return shelf(**options)

    def edit(self, service: FakeDrive) -> str:
        service.put("d4", "Who will buy it in May?\n", modifiedTime="2026-03-09T08:00:00Z")
        return "d4"

    def delete(self, service: FakeDrive) -> str:
        service.put("d1", trashed=True)
        return "d1"

    def test_a_document_has_its_text_its_name_and_its_link(self, running: tuple[Any, str]) -> None:
        found = {item.native_id: item for item in items_of(self.read(running[1])[1])}
        assert ("Night loading", "https://docs.example/d1") == (found["d1"].title, found["d1"].link)
        assert "Waybills" == found["d3"].title
        assert "base64" not in found["d3"].body
        assert "Ada" == (found["d3"].author.name if found["d3"].author else "")

    def test_a_document_is_seen_by_those_it_is_shared_with(self, running: tuple[Any, str]) -> None:
        _, handed = self.read(running[1])
        groups = {each.group: each.members for each in handed if isinstance(each, GroupMembers)}
        seen = {item.native_id: next(iter(item.visibility)) for item in items_of(handed)}
        assert (EVERYONE, EVERYONE) == (seen["d1"], seen["d4"])
        assert {ADA, BO} == groups[seen["d2"]]
        assert seen["d2"] == seen["d5"]
        assert {ADA} == groups[seen["d3"]]

    def test_another_share_comes_with_the_changes(self, running: tuple[Any, str]) -> None:
        drive, base = running
        cursor = cursor_of(self.read(base)[1])
        drive.put("d1", permissions=[{"type": "user", "emailAddress": "bo@harbour.example"}])
        (item,) = items_of(self.read(base, cursor)[1])
        assert EVERYONE not in item.visibility

    def test_a_document_that_is_removed_from_the_list_is_a_problem_and_no_tombstone(self, running: tuple[Any, str]) -> None:
        drive, base = running
        cursor = cursor_of(self.read(base)[1])
        drive.lose("d2")
        _, again = self.read(base, cursor)
        assert [("d2", "not-shared")] == [(each.item, each.code) for each in again if isinstance(each, Problem)]
        assert [] == items_of(again)

    def test_a_token_that_google_forgot_is_a_full_listing_that_declares_nothing(self, running: tuple[Any, str]) -> None:
        drive, base = running
        cursor = cursor_of(self.read(base)[1])
        drive.expired_before = 99
        _, again = self.read(base, cursor)
        assert 5 == len(items_of(again))
        assert not [each for each in again if isinstance(each, CompleteRange)]

    def test_a_listing_that_was_cut_off_goes_on_and_then_follows_the_changes(self, running: tuple[Any, str]) -> None:
        drive, base = running
        _, whole = self.read(base)
        first = next(number for number, each in enumerate(whole) if isinstance(each, Checkpoint))
        cursor = whole[first].cursor  # type: ignore[union-attr]
        edited = self.edit(drive)
        _, rest = self.read(base, cursor)
        before = {item.native_id for item in items_of(whole[:first])}
        assert {"d1", "d2", "d3", "d4", "d5"} == before | {item.native_id for item in items_of(rest)}
        _, later = self.read(base, cursor_of(rest))
        assert edited in {item.native_id for item in items_of(later)}

    def test_a_document_that_is_too_large_is_missed_with_googles_reason(self, running: tuple[Any, str]) -> None:
        drive, base = running
        drive.put("toolarge", name="Big", modifiedTime="2026-03-06T08:00:00Z")
        (missed,) = [each for each in self.read(base)[1] if isinstance(each, Missed)]
        assert "too large" in missed.problem.message

    @pytest.mark.parametrize("file_id", ["nothing", "../about"])
    def test_a_document_that_is_not_there_is_missed(self, running: tuple[Any, str], file_id: str) -> None:
        (found,) = self.open(running[1]).read_again([file_id])
        assert isinstance(found, Missed)
