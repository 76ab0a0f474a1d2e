from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.connector import ZONE, ConnectorContract

from oida.adapters.connector.documents.mapping import DocumentSource, Flavour, RawDocument, flavour_of, read_document
from oida.adapters.connector.export import open_path
from oida.adapters.connector.prose.relations import own_code
from oida.model.source import BlockKind, ReferenceCue, SourceItem

MODIFIED = datetime(2026, 11, 30, tzinfo=UTC)
SOURCE = DocumentSource("documents:acme", ZONE, datetime(2026, 6, 4, 12, tzinfo=UTC))
ADR = """# ADR-011: Locks

Status: Superseded by ADR-014 (2026-02-24)
Date: 2026-02-04
Author: Ada Berg <ada@example.org>, with Bo

## Decision

Two locks per door, see [keys](../keys.md).

## Reservation (Bo Lie)

One would do.
"""


class TestDocumentsConnector(ConnectorContract):
    kind = "documents"

    def write_export(self, folder: Path) -> None:
        (folder / "adr").mkdir()
        (folder / "adr" / "ADR-011-locks.md").write_text(ADR, encoding="utf-8")
        (folder / "keys.md").write_text("# Keys\n\nWe keep two keys.\n", encoding="utf-8")

    def damage(self, folder: Path) -> None:
        (folder / "broken.md").write_bytes(b"text\x00with\x01nothing")

    def alter(self, folder: Path) -> None:
        (folder / "keys.md").write_text("# Keys\n\nWe keep three keys.\n", encoding="utf-8")

    def test_an_encoding_that_is_guessed_is_a_problem_beside_the_item(self, folder: Path) -> None:
        (folder / "old.txt").write_bytes("Nøkkelen henger på døra, som før.\nDøra er låst.\n".encode("latin-1"))
        _, items, problems = self.read(folder)
        assert [problem.code for problem in problems] == ["encoding-guessed"]
        assert "old.txt" in {item.native_id for item in items}

    def test_an_empty_file_is_a_problem(self, folder: Path) -> None:
        (folder / "empty.md").write_bytes(b"\xef\xbb\xbf\n")
        assert [problem.code for problem in self.read(folder)[2]] == ["empty"]

    def test_a_licence_is_no_document(self, folder: Path) -> None:
        (folder / "LICENSE").write_text("Anyone may.", encoding="utf-8")
        assert [problem.code for problem in self.read(folder)[2]] == ["unsupported-format"]

    def test_a_link_leads_to_a_key_of_the_other_document(self, folder: Path) -> None:
        items = {item.native_id: item for item in self.read(folder)[1]}
        link = next(r for r in items["adr/ADR-011-locks.md"].references if r.cue is ReferenceCue.LINK and r.key == "keys.md")
        assert link.key in items["keys.md"].keys

    def test_broken_front_matter_is_a_problem_and_the_text_is_read(self, folder: Path) -> None:
        (folder / "front.md").write_text("---\na: [1\n---\n\nStill here.\n", encoding="utf-8")
        _, items, problems = self.read(folder)
        assert [problem.code for problem in problems] == ["broken-front-matter"]
        assert "front.md" in {item.native_id for item in items}


def read(text: str, path: str = "adr/ADR-011-locks.md") -> SourceItem:
    return read_document(RawDocument(path, path, text, MODIFIED, flavour_of(path, text)), SOURCE)[0]


def quoted(item: SourceItem, *kinds: BlockKind) -> list[str]:
    return [item.body[block.start : block.end] for block in item.blocks if block.kind in kinds]


def test_a_decision_record_states_its_status_date_author_and_successor() -> None:
    item = read(ADR)
    assert item.status == "Superseded by ADR-014 (2026-02-24)"
    assert datetime(2026, 2, 4, 11, tzinfo=UTC) == item.said_at
    assert item.author
    assert (item.author.name, item.author.email) == ("Ada Berg", "ada@example.org")
    assert (item.references[0].cue, item.references[0].key) == (ReferenceCue.SUPERSEDED_BY, "adr-014")
    assert "adr-011" in item.keys


def test_a_signed_section_has_its_own_author() -> None:
    last = read(ADR).blocks[-1]
    assert last.author
    assert last.author.name == "Bo Lie"


@pytest.mark.parametrize(
    ("status", "cue", "key"),
    [
        ("⌛️ Superseded by [14. Doors](0014-doors.md)", ReferenceCue.SUPERSEDED_BY, "adr/0014-doors.md"),
        ("Superceded [0014](0014-doors.md)", ReferenceCue.SUPERSEDED_BY, "adr/0014-doors.md"),
        ("Accepted\n\nAmended by [17. Ramps](0017-ramps.md)", ReferenceCue.AMENDED_BY, "adr/0017-ramps.md"),
        ("Accepted\n\nSupersedes ADR 9", ReferenceCue.SUPERSEDES, "adr-009"),
        ("Accepted. Replaces 3", ReferenceCue.SUPERSEDES, "adr-003"),
    ],
)
def test_a_status_section_refers(status: str, cue: ReferenceCue, key: str) -> None:
    item = read(f"# 11. Locks\n\n## Status\n\n{status}\n\n## Context\n\nNone.\n", "adr/0011-locks.md")
    assert (cue, key) in {(reference.cue, reference.key) for reference in item.references}
    assert item.status
    assert item.status[0].isalpha()


def test_a_section_called_status_that_tells_a_story_is_no_status() -> None:
    assert read("# Plan\n\n## Status\n\nUpdated by Ada every second Monday.\n", "plan.md").status == ""


PEP = """PEP: 387
Title: Two keys
Author: Ada Berg <ada@example.org>,
        Bo Lie
Status: Active
Created: 18-Jun-2009
Replaces: 291
Requires: 345, 7


Abstract
========

Two keys, and::

    code here

- first
  goes on
- second

Details
-------

.. note::
   Mind the step.

.. code-block:: python

   x = 1

.. a comment

+------+-------+
| Door | Since |
+======+=======+
| 4    | 2024  |
+------+-------+
"""


def test_a_pep_gives_fields_sections_and_relations() -> None:
    item = read(PEP, "peps/pep-0387.rst")
    assert (item.title, item.status) == ("Two keys", "Active")
    assert datetime(2009, 6, 18, 10, tzinfo=UTC) == item.said_at
    assert "pep-0387" in item.keys
    relations = [(reference.cue, reference.key) for reference in item.references]
    assert relations[:3] == [
        (ReferenceCue.SUPERSEDES, "pep-0291"),
        (ReferenceCue.REQUIRES, "pep-0345"),
        (ReferenceCue.REQUIRES, "pep-0007"),
    ]
    assert quoted(item, BlockKind.PARAGRAPH) == ["Two keys, and::", "Mind the step."]
    assert quoted(item, BlockKind.LIST_ITEM) == ["first\n  goes on", "second"]
    assert quoted(item, BlockKind.CODE) == ["code here", "x = 1"]
    assert quoted(item, BlockKind.TABLE_ROW) == ["| 4    | 2024  |"]
    assert item.blocks[-1].section == ("Abstract", "Details")


@pytest.mark.parametrize(
    ("path", "text", "moment", "by"),
    [
        ("a.md", "---\n", None, "newest date in source"),
        ("a.md", "# Council, 23 April 2026\n\nText.\n", datetime(2026, 4, 23, 10, tzinfo=UTC), "title"),
        ("a.md", "# After the fall of 6 March\n\nText.\n", None, "newest date in source"),
        ("call-2026-03-20.md", "# Call\n\nText.\n", datetime(2026, 3, 20, 11, tzinfo=UTC), "title"),
        ("memo-2026-03.md", "# Memo\n\nText.\n", datetime(2026, 3, 31, 10, tzinfo=UTC), "month in title"),
        ("a.md", "# Letter\n\nHalden, 13 March 2026\n\n## Facts\n\nText.\n", datetime(2026, 3, 13, 11, tzinfo=UTC), "dateline"),
        ("a.md", "# Log\n\n## 4 March\n\nOne.\n\n## 9 March\n\nTwo.\n", datetime(2026, 3, 9, 11, tzinfo=UTC), "newest section"),
        ("a.md", "# Note\n\nOn 7 May it rained. Due by 9 May.\n", datetime(2026, 5, 7, 10, tzinfo=UTC), "newest date in text"),
    ],
)
def test_what_dates_a_document(path: str, text: str, moment: datetime | None, by: str) -> None:
    item = read(text, path)
    assert (moment or SOURCE.newest, by) == (item.said_at, item.properties["dated by"])


def test_dated_sections_entries_and_additions_date_their_blocks() -> None:
    text = "# Log\n\n## 2026-03-04\n\nIn the section.\n\n## Rest\n\n- 9 March: an entry\n- no date\n\nOld.\n\n(Added 13 March, later.)\n"
    item = read(text, "log.md")
    days = {item.body[b.start : b.end][:6]: b.said_at and b.said_at.day for b in item.blocks if b.kind is not BlockKind.HEADING}
    assert days == {"In the": 4, "9 Marc": 9, "no dat": None, "Old.": 13, "(Added": 13}


def test_a_transcript_names_its_speakers_and_a_list_of_labels_does_not() -> None:
    talk = "# Talk\n\nAda Berg: One.\n\nBo Lie: Two.\n\nAda Berg: Three.\n\nBo Lie: Four.\n"
    turns = [(b.author and b.author.name, read(talk, "t.md").body[b.start : b.end]) for b in read(talk, "t.md").blocks[1:]]
    assert turns == [("Ada Berg", "One."), ("Bo Lie", "Two."), ("Ada Berg", "Three."), ("Bo Lie", "Four.")]
    labels = read("# Checks\n\n- Shoes: no\n- Doors: yes\n- Ramps: no\n- Seals: yes\n", "c.md")
    assert [block.author for block in labels.blocks] == [None] * 5


def test_an_impossible_date_is_a_problem_and_the_next_best_date_is_taken() -> None:
    raw = RawDocument("a.md", "a.md", "# A\n\nDate: 2026-02-31\nStatus: Draft\n\nText.\n", MODIFIED, Flavour.MARKDOWN)
    item, problems = read_document(raw, SOURCE)
    assert [problem.code for problem in problems] == ["invalid-date"]
    assert SOURCE.newest == item.said_at


def test_a_line_of_fifty_thousand_characters_is_one_block() -> None:
    item = read("# Long\n\n" + "word " * 10_000 + "\n", "long.md")
    assert len(quoted(item, BlockKind.PARAGRAPH)[0]) == 49_999


def test_right_to_left_and_combining_text_keeps_its_places() -> None:
    item = read("# מפתחות\n\nשני מפתחות\n\ne\u0301te\u0301 à Malmö\n", "rtl.md")
    assert quoted(item, BlockKind.PARAGRAPH) == ["שני מפתחות", "e\u0301te\u0301 à Malmö"]


@pytest.mark.parametrize(
    ("path", "title", "key"),
    [
        ("ADR-014-x.md", "x", "adr-014"),
        ("decisions/0020-merge.md", "Merge", "adr-020"),
        ("0007-x.md", "7. X", "adr-007"),
        ("PM-2026-03-nightly.md", "Nightly", "pm-2026-03"),
        ("rfc-9110.txt", "HTTP", "rfc-9110"),
        ("2026-03-04-notes.md", "Notes", ""),
        ("chapters/01-intro.md", "Intro", ""),
    ],
)
def test_the_number_of_a_document(path: str, title: str, key: str) -> None:
    assert key == own_code(path, title, {})


@settings(deadline=None)
@given(st.text(alphabet="=-~#*. :\n\t|+`_ab1", max_size=150), st.sampled_from(["a.rst", "a.md", "a.txt"]))
def test_any_text_gives_ordered_spans(text: str, path: str) -> None:
    item = read(text, path)
    end = 0
    for block in item.blocks:
        assert end <= block.start < block.end <= len(item.body)
        end = block.end


def test_every_gold_statement_of_halden_is_one_covered_piece_of_its_item(shared: Path) -> None:
    import json

    folder = shared / "bench" / "halden"
    items: dict[str, list[SourceItem]] = {}
    for connector in open_path(folder / "sources", zone=ZONE)[0]:
        for found in connector.read():
            assert isinstance(found, SourceItem)
            place = found.place.split("/")[0] if connector.description.kind == "calendar" else found.place
            items.setdefault(place, []).append(found)
    for line in (folder / "gold" / "statements.jsonl").read_text(encoding="utf-8").splitlines():
        gold = json.loads(line)
        place = gold["source"] if gold["source"].startswith(("slack", "calendar")) else gold["source"].rpartition("#")[0]
        item = next(item for item in items[place] if gold["text"] in item.body)
        start = item.body.index(gold["text"])
        assert any(block.start <= start and start + len(gold["text"]) <= block.end for block in item.blocks), gold["gid"]


@pytest.mark.parametrize("piece", ["<a", "<!--", "[", "*a", " ", "](", "`", "| ", "1. ", "= ", "{%", "ADR-", "> "])
@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.rst"])
def test_hostile_repetition_is_read_in_linear_time(piece: str, path: str) -> None:
    import time

    began = time.process_time()
    read("x\n\n" + piece * (50_000 // len(piece)) + "\n\nend\n", path)
    assert time.process_time() - began < 4.0


def test_aliases_in_front_matter_do_not_unfold(tmp_path: Path) -> None:
    bomb = "---\na: &a [x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n---\n\nText.\n"
    (tmp_path / "a.md").write_text(bomb)
    found = list(open_path(tmp_path, zone=ZONE)[0][0].read())
    assert [entry.code for entry in found if not isinstance(entry, SourceItem)] == ["broken-front-matter"]


@pytest.mark.parametrize(("undated", "by"), [(5, "newest date in source"), (30, "file time")])
def test_few_dated_documents_say_little_of_the_others(tmp_path: Path, undated: int, by: str) -> None:
    (tmp_path / "dated.md").write_text("# A\n\nDate: 2017-02-02\nStatus: Final\n\nText.\n")
    for number in range(undated):
        (tmp_path / f"u{number}.md").write_text("# B\n\nText.\n")
    last = [found for found in open_path(tmp_path, zone=ZONE)[0][0].read() if isinstance(found, SourceItem)][-1]
    assert last.properties["dated by"] == by


def test_the_numbers_of_a_date_in_a_status_name_no_document() -> None:
    item = read("# 11. Locks\n\n## Status\n\nSuperseded by a later record (2026-02-24)\n", "adr/0011-locks.md")
    assert item.references == ()
