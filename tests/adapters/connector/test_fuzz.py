"""Malformed files of every format: a bounded number of them here, as many as you like by `make fuzz`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest
from tests.fuzzing import fault_of, fuzz, seeds

for _library in ("docx", "pptx", "openpyxl", "pypdf"):
    pytest.importorskip(_library, reason="the extra `readers` makes the seeds of this test")

FILES = 150


def test_no_mutated_file_breaks_a_reader() -> None:
    faults = [f"{each.name}: {each.fault}" for each in islice(fuzz(Random(3)), FILES) if each.fault]
    assert [] == faults


@pytest.mark.parametrize("name", sorted(seeds()))
def test_every_seed_is_sound_before_it_is_mutated(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(seeds()[name])
    assert "" == fault_of(tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.html", b"<html><body><p>We close it. <![CFATA[x]]></p></body></html>"),
        ("notes.enex", b'<?xml version="1.0" encoding="AUTF-8"?><en-export><note><title>Crane</title></note></en-export>'),
        ("crane.xlsx", b"PK\x03\x04" + bytes(60)),
    ],
)
def test_what_fuzzing_found_stays_found(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert "" == fault_of(tmp_path)
