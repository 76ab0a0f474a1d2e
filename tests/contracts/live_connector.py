"""What every LiveConnector promises. Subclass once per kind of source, over a service on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.apis import SECRET, FakeService, Reply, Waits, kinds, serving

from oida.adapters.live.transport import MOST_ATTEMPTS
from oida.model.errors import InputError, OidaError, Problem, UnavailableError
from oida.model.feed import Checkpoint, CompleteRange, GroupMembers, Handed, Missed
from oida.model.source import EVERYONE, SourceDescription, SourceItem
from oida.ports import LiveConnector


class LiveConnectorContract:
    kind: str
    source_id: str
    options: Mapping[str, str] = {}

    def service(self, **options: Any) -> FakeService:
        """A service with at least five items."""
        raise NotImplementedError

    def refuse(self, service: Any) -> None:
        """From here on the secret is not accepted."""
        service.secret = "another"

    def edit(self, service: Any) -> str:
        """Change the text of one item at the source; its native id."""
        raise NotImplementedError

    def delete(self, service: Any) -> str:
        """Delete one item at the source, so that the next reading tells; its native id."""
        raise NotImplementedError

    def addresses(self, base: str) -> dict[str, str]:
        return {"api": base}

    @pytest.fixture
    def running(self) -> Iterator[tuple[Any, str]]:
        service = self.service()
        with serving(service) as base:
            yield service, base

    def open(self, base: str, *, waits: Waits | None = None, secret: str = SECRET) -> LiveConnector:
        return kinds(waits).open(self.kind, {**self.options, **self.addresses(base)}, secret)

    def read(self, base: str, cursor: str = "", known: tuple[str, ...] = ()) -> tuple[SourceDescription, list[Handed]]:
        live = self.open(base)
        try:
            return live.describe(), list(live.follow(cursor, known=lambda: known))
        finally:
            live.close()

    def test_everything_comes_without_a_problem_and_ends_with_a_checkpoint(self, running: tuple[Any, str]) -> None:
        _, handed = self.read(running[1])
        assert [] == [each for each in handed if isinstance(each, Problem | Missed)]
        assert 5 <= len(items_of(handed))
        assert isinstance(handed[-1], Checkpoint)

    def test_the_source_has_the_name_that_its_export_has(self, running: tuple[Any, str]) -> None:
        described, handed = self.read(running[1])
        assert self.source_id == described.source_id
        assert {self.source_id} == {item.source_id for item in items_of(handed)}

    def test_reading_twice_gives_equal_items(self, running: tuple[Any, str]) -> None:
        assert items_of(self.read(running[1])[1]) == items_of(self.read(running[1])[1])

    def test_blocks_are_ordered_spans_of_the_body_without_white_space_at_their_ends(self, running: tuple[Any, str]) -> None:
        for item in items_of(self.read(running[1])[1]):
            end = 0
            for block in item.blocks:
                text = item.body[block.start : block.end]
                assert end <= block.start < block.end <= len(item.body)
                assert text == text.strip()
                end = block.end

    def test_every_group_is_everyone_or_its_members_are_told_before_the_item(self, running: tuple[Any, str]) -> None:
        described, handed = self.read(running[1])
        told = set(described.groups)
        for each in handed:
            if isinstance(each, GroupMembers):
                told.add(each.group)
            elif isinstance(each, SourceItem):
                assert each.visibility
                assert each.visibility - {EVERYONE} <= told

    def test_an_unchanged_source_read_from_its_cursor_gives_no_new_fingerprint(self, running: tuple[Any, str]) -> None:
        _, first = self.read(running[1])
        prints = {item.native_id: item.fingerprint for item in items_of(first)}
        _, again = self.read(running[1], cursor_of(first), tuple(prints))
        assert all(prints[item.native_id] == item.fingerprint for item in items_of(again))
        assert cursor_of(first) == cursor_of(again)

    def test_an_edit_comes_from_the_cursor_with_another_fingerprint(self, running: tuple[Any, str]) -> None:
        _, first = self.read(running[1])
        prints = {item.native_id: item.fingerprint for item in items_of(first)}
        edited = self.edit(running[0])
        _, again = self.read(running[1], cursor_of(first), tuple(prints))
        changed = {item.native_id for item in items_of(again) if item.fingerprint != prints.get(item.native_id)}
        assert {edited} == changed

    def test_a_deleted_item_is_a_tombstone_or_missing_from_a_complete_range(self, running: tuple[Any, str]) -> None:
        _, first = self.read(running[1])
        known = {item.native_id: item for item in items_of(first)}
        gone = self.delete(running[0])
        _, again = self.read(running[1], cursor_of(first), tuple(known))
        came = {item.native_id: item for item in items_of(again)}
        if gone in came:
            assert came[gone].deleted
        else:
            assert any(gone.startswith(each.prefix) for each in again if isinstance(each, CompleteRange))

    @pytest.mark.parametrize("seed", range(4))
    def test_with_a_third_of_the_requests_going_wrong_everything_comes_all_the_same(self, seed: int) -> None:
        with serving(self.service()) as base:
            healthy = {item.native_id: item.fingerprint for item in items_of(self.read(base)[1])}
        service = self.service(faulty=0.3, expiring=0.3, seed=seed)
        with serving(service) as base:
            found = {item.native_id: item.fingerprint for item in items_of(self.read(base)[1])}
        assert healthy == found

    @pytest.mark.parametrize("cursor", ["nonsense", "{}", "[1]", '{"channels": 1, "token": 3}', '{"C01OPS": 1}', "null"])
    def test_a_cursor_that_means_nothing_is_a_full_reading(self, running: tuple[Any, str], cursor: str) -> None:
        everything = {item.native_id for item in items_of(self.read(running[1])[1])}
        assert everything == {item.native_id for item in items_of(self.read(running[1], cursor)[1])}

    def test_single_items_can_be_read_again(self, running: tuple[Any, str]) -> None:
        wanted = {item.native_id: item.fingerprint for item in items_of(self.read(running[1])[1])}
        live = self.open(running[1])
        found = {item.native_id: item.fingerprint for item in items_of(list(live.read_again(sorted(wanted))))}
        live.close()
        assert wanted == found

    def test_a_secret_that_is_not_accepted_is_an_input_error_that_does_not_show_it(self, running: tuple[Any, str]) -> None:
        self.refuse(running[0])
        live = self.open(running[1])
        with pytest.raises(InputError) as raised:
            live.describe()
        live.close()
        assert SECRET not in str(raised.value)

    def test_a_service_that_is_down_is_unavailable_after_patience(self, running: tuple[Any, str]) -> None:
        running[0].always = Reply(None, 503, text="down")
        waits = Waits()
        live = self.open(running[1], waits=waits)
        with pytest.raises(UnavailableError):
            live.describe()
        live.close()
        assert MOST_ATTEMPTS - 1 == len(waits.seconds)
        assert sorted(waits.seconds[:4]) == waits.seconds[:4]

    def test_an_answer_of_another_shape_is_an_error_of_ours(self, running: tuple[Any, str]) -> None:
        for values in ([], 7, "text", {"results": 1, "items": 1, "ok": True}):
            running[0].always = Reply(values)
            live = self.open(running[1])
            with pytest.raises(OidaError):
                (live.describe(), list(live.follow("", known=tuple)))
            live.close()

    def test_an_option_that_it_does_not_take_is_refused_by_name(self) -> None:
        with pytest.raises(InputError, match="secretive"):
            kinds().open(self.kind, {"secretive": "1"}, SECRET)

    @pytest.mark.parametrize(
        "address", ["http://10.0.0.1", "http://metadata.example", "ftp://127.0.0.1", "https://user:pw@api.example", "file:///etc"]
    )
    def test_an_address_that_may_not_be_asked_is_refused(self, address: str) -> None:
        with pytest.raises(InputError, match="expected an"):
            kinds().open(self.kind, {**self.options, "api": address}, SECRET)


def items_of(handed: list[Handed]) -> list[SourceItem]:
    """The items, each once."""
    return list({each.native_id: each for each in handed if isinstance(each, SourceItem)}.values())


def cursor_of(handed: list[Handed]) -> str:
    """Where the next reading begins."""
    return next(each.cursor for each in reversed(handed) if isinstance(each, Checkpoint))
