from __future__ import annotations

from dataclasses import replace

from tests.companies import message

from oida.workspace.met import Meeting, Met

FIRST = message("m1", "We decided to keep two keys.")
EDITED = message("m1", "We decided to keep three keys.", edited_day=1)
LATER = message("m1", "We decided to keep four keys.", edited_day=2)
OTHER = message("m1", "Something else.")


def test_an_item_is_new_once_and_again_when_it_was_edited_since() -> None:
    met = Met()
    found = [met.meet(item) for item in (FIRST, FIRST, EDITED, FIRST, LATER, EDITED)]
    assert [Meeting.NEW, Meeting.KNOWN, Meeting.NEW, Meeting.KNOWN, Meeting.NEW, Meeting.KNOWN] == found


def test_another_item_of_the_same_id_is_told_from_it() -> None:
    met = Met()
    assert [Meeting.NEW, Meeting.OTHER] == [met.meet(FIRST), met.meet(OTHER)]
    assert Meeting.OTHER is Met.meet(_with(EDITED), replace(EDITED, fingerprint="another"))


def test_what_was_forgotten_is_new() -> None:
    met = _with(FIRST)
    met.forget(FIRST.item_id)
    assert Meeting.NEW is met.meet(FIRST)


def _with(item: object) -> Met:
    met = Met()
    met.meet(item)  # type: ignore[arg-type]
    return met
