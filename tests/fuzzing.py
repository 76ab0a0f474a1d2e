"""Files as nobody meant them: what the readers know, mutated by chance of a stated seed, and what a reader may make of that.

`python -m tests.fuzzing --seconds 600 --seed 7` goes on for as long as it is told; a file that breaks a reader is kept beside the report.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from oida.adapters.connector.export import Exports
from oida.demo import HALDEN_EXPORTS
from oida.ingestion.segment import segment
from oida.model.errors import OidaError, Problem
from oida.model.feed import Handed
from oida.model.source import SourceItem

LONGEST_SECONDS = 20.0
"""No file of a few kilobytes may keep a reader busy for longer, on a machine that does other work besides."""

MAIL = b"""From: Ada <ada@harbour.example>\r\nTo: bo@harbour.example\r\nSubject: =?utf-8?q?Crane_4?=\r\nDate: Mon, 2 Mar 2026 09:00:00 +0100
Message-ID: <1@harbour.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="b"\r\n
--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n
We decided to close crane 4 =E2=80=93 who tells the crews?\r\n--b--\r\n"""
TEXTS: dict[str, bytes] = {
    "mail.eml": MAIL,
    "box.mbox": b"From ada@harbour.example Mon Mar  2 09:00:00 2026\n"
    + MAIL
    + b"\nFrom bo@harbour.example Tue Mar  3 09:00:00 2026\n"
    + MAIL,
    "talk.vtt": b"WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>We close crane 4.\n\n00:00:05.000 --> 00:00:06.500\n<v Bo>Who decides?\n",
    "talk.srt": b"1\n00:00:01,000 --> 00:00:04,000\nAda: We close crane 4.\n\n2\n00:00:05,000 --> 00:00:06,500\nBo: Who decides?\n",
    "page.html": b"<html><head><title>Cranes</title></head><body><h1>Crane 4</h1><p>We close it.</p><table><tr><th>a</table>",
    "notes.rst": b"Cranes\n======\n\n:Status: Accepted\n\n- We close crane 4.\n\n.. note:: Who decides?\n",
    "notes.md": b"---\nstatus: accepted\ndate: 2026-03-02\n---\n# Crane 4\n\n- [ ] We close it\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
    "notes.enex": b'<?xml version="1.0"?><en-export><note><title>Crane</title>'
    b"<content><![CDATA[<en-note><div>We close it.</div></en-note>]]></content>"
    b"<created>20260302T080000Z</created></note></en-export>",
    "table.csv": b"title,status,date\nCrane 4,open,2026-03-02\nCrane 5,closed,2026-03-03\n",
    "ready.jsonl": b'{"text": "We close crane 4.", "class": "DECISION", "date": "2026-03-02"}\n{"text": "Who decides?"}\n',
    "issues.json": b'[{"number": 1, "title": "Crane 4", "body": "We close it.", "state": "open", "created_at": "2026-03-02T08:00:00Z",'
    b' "user": {"login": "ada"}, "html_url": "https://example.org/1"}]',
}
_INTERESTING = (
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"9" * 40,
    b"-1",
    b"1e999",
    b"[" * 200,
    b"<" * 50,
    b"&lol;",
    b'"',
    b"\r\n\r\n",
    b"99999-99-99T99:99:99",
    b"%s%n",
    b"{{7*7}}",
)


@dataclass(frozen=True, slots=True)
class Fuzzed:
    """One file that was read: what it was called, what it held, and what is wrong with what a reader made of it ("" for nothing)."""

    name: str
    content: bytes
    fault: str
    seconds: float


def seeds() -> dict[str, bytes]:
    """A small sound file for every format."""
    found = TEXTS | {name: make() for name, make in _OFFICE.items()}
    for path in (HALDEN_EXPORTS / "calendar.ics", *sorted(HALDEN_EXPORTS.rglob("*.csv"))[:1], *sorted(HALDEN_EXPORTS.rglob("*.md"))[:2]):
        found[path.name] = path.read_bytes()[:6_000]
    return found | {"slack.zip": _zipped("slack"), "notion.zip": _zipped("notion")}


def _zipped(part: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((HALDEN_EXPORTS / part).rglob("*")):
            if path.is_file() and (len(archive.namelist()) < 6 or path.parent == HALDEN_EXPORTS / part):
                archive.writestr(str(path.relative_to(HALDEN_EXPORTS / part)), path.read_bytes()[:20_000])
    return content.getvalue()


def _document() -> bytes:
    import docx

    made, content = docx.Document(), io.BytesIO()
    made.add_heading("Crane 4")
    made.add_paragraph("We close it.")
    made.save(content)
    return content.getvalue()


def _slides() -> bytes:
    import pptx

    made, content = pptx.Presentation(), io.BytesIO()
    made.slides.add_slide(made.slide_layouts[0]).shapes.title.text = "Crane 4"
    made.save(content)
    return content.getvalue()


def _sheet() -> bytes:
    import openpyxl

    made, content = openpyxl.Workbook(), io.BytesIO()
    made.active.append(["crane", "status"])
    made.active.append(["4", "closed"])
    made.save(content)
    return content.getvalue()


def _pages() -> bytes:
    import pypdf

    made, content = pypdf.PdfWriter(), io.BytesIO()
    made.add_blank_page(200, 200)
    made.write(content)
    return content.getvalue()


_OFFICE: dict[str, Callable[[], bytes]] = {"crane.docx": _document, "crane.pptx": _slides, "crane.xlsx": _sheet, "crane.pdf": _pages}


def mutated(content: bytes, others: list[bytes], random: Random) -> bytes:
    """The content after one to six small accidents."""
    made = bytearray(content)
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(made) + 1)
        match random.randrange(7):
            case 0 if made:
                made[at - 1] ^= 1 << random.randrange(8)
            case 1:
                made[at:at] = random.choice(_INTERESTING)
            case 2:
                del made[at : at + random.randrange(1, 200)]
            case 3:
                made[at:at] = made[at : at + random.randrange(1, 400)]
            case 4:
                del made[at:]
            case 5:
                other = random.choice(others)
                start = random.randrange(len(other) + 1)
                made[at:at] = other[start : start + random.randrange(1, 300)]
            case _:
                made[at : at + 4] = random.randbytes(4)
    return bytes(made)


def fault_of(folder: Path) -> str:
    """What is wrong with how a folder is read: nothing may be raised, and what comes is an item, a Problem or a word on the source."""
    try:
        connectors, problems = Exports(ZoneInfo("UTC"), None).open_path(folder)
        if not all(isinstance(problem, Problem) for problem in problems):
            return "a problem that is none"
        for connector in connectors:
            _ = connector.description
            for read in connector.read():
                if not isinstance(read, Handed):
                    return f"a reader handed over a {type(read).__name__}"
                if isinstance(read, SourceItem):
                    spans = [(statement.start, statement.end) for statement in segment(read)]
                    if any(not 0 <= start <= end for start, end in spans):
                        return "a span that is none"
    except OidaError as error:
        return "" if str(error) else "an error without words"
    except Exception as error:  # noqa: BLE001 - whatever else a reader lets through is what is looked for
        return f"{type(error).__name__}: {error}"
    return ""


def fuzz(random: Random) -> Iterator[Fuzzed]:
    """Mutated files without end."""
    known = seeds()
    names, contents = list(known), list(known.values())
    while True:
        name = random.choice(names)
        content = mutated(known[name], contents, random)
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / name).write_bytes(content)
            began = time.monotonic()
            fault = fault_of(Path(place))
            seconds = time.monotonic() - began
        yield Fuzzed(name, content, fault or ("too slow" if seconds > LONGEST_SECONDS else ""), seconds)


def main() -> int:
    """Read mutated files until the time is up; 1 when one of them broke a reader."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-faults"), help="where files that broke a reader are put")
    chosen = parser.parse_args()
    until, read, faults, slowest = time.monotonic() + chosen.seconds, 0, 0, 0.0
    for each in fuzz(Random(chosen.seed)):
        read, slowest = read + 1, max(slowest, each.seconds)
        if each.fault:
            faults += 1
            chosen.keep.mkdir(exist_ok=True)
            (chosen.keep / f"{read}-{each.name}").write_bytes(each.content)
            print(f"{each.name} ({len(each.content)} bytes, kept as {chosen.keep / f'{read}-{each.name}'}): {each.fault}")
        if time.monotonic() > until:
            break
    print(f"fuzz: {read} files in {chosen.seconds:.0f} s, seed {chosen.seed}; {faults} broke a reader; the slowest took {slowest:.1f} s")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
