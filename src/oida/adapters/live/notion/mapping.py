"""Pages of Notion's API as the Markdown that its export writes, so that the export's mapping reads both; pure.

Addresses of files that Notion signs anew every hour are left out: they say nothing and would make every page look edited.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from oida.adapters.live.notion.client import BlockTree

Json = Mapping[str, Any]

KIND = "notion"
_INDENT = "    "
_SILENT = frozenset({"table_of_contents", "breadcrumb"})
_CONTAINERS = frozenset({"column_list", "column", "synced_block", "template", "table", "tab"})
_FILES = frozenset({"image", "file", "pdf", "video", "audio"})
_LINKS = frozenset({"bookmark", "embed", "link_preview"})


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a workspace was read, in edit times: everything up to `done`, and a reading that was cut off between two more.

    `listed` is when everything was listed last, `checked` the last page that was looked for because it was missing from a list.
    """

    done: str = ""
    newest: str = ""
    reached: str = ""
    listed: str = ""
    checked: str = ""


def read_cursor(cursor: str) -> Progress:
    """The progress; none for "" and for what no version of ours wrote."""
    try:
        found = json.loads(cursor) if cursor else {}
        return Progress(**{name: str(found.get(name, "")) for name in Progress.__slots__})
    except (ValueError, AttributeError):
        return Progress()


def write_cursor(progress: Progress) -> str:
    """The cursor that `read_cursor` reads."""
    return json.dumps({name: value for name, value in asdict(progress).items() if value}, separators=(",", ":"))


def moment(written: object) -> datetime | None:
    """A time as Notion writes it.

    >>> moment("2026-03-04T08:30:00.000Z")
    datetime.datetime(2026, 3, 4, 8, 30, tzinfo=datetime.timezone.utc)
    """
    try:
        found = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def plain_id(written: object) -> str:
    """An id without hyphens, as exports have it."""
    return str(written or "").replace("-", "").lower()


def title_of(raw: Json) -> str:
    """The title of a page, a database or a data source."""
    title = raw.get("title")
    if isinstance(title, list):
        return _plain(title)
    properties = raw.get("properties")
    for each in properties.values() if isinstance(properties, dict) else ():
        if isinstance(each, dict) and each.get("type") == "title":
            return _plain(each.get("title"))
    return ""


def is_in_trash(raw: Json) -> bool:
    """Whether a page was thrown away; what is only not shared any more says nothing of the kind."""
    return bool(raw.get("in_trash") or raw.get("archived"))


def page_text(raw: Json, blocks: Sequence[BlockTree], unknown: Callable[[str], None]) -> str:
    """A page as its export has it: the title, its properties, its blocks; `unknown` is told the kinds of block that are left out."""
    parts = [f"# {title_of(raw)}"]
    properties = [f"{name}: {value}" for name, value in sorted(_properties(raw)) if value]
    if properties:
        parts.append("\n".join(properties))
    body = "\n".join(_spaced(_lines(blocks, "", unknown))).strip("\n")
    return "\n\n".join([*parts, *([body] if body else [])]) + "\n"


def _properties(raw: Json) -> Iterator[tuple[str, str]]:
    properties = raw.get("properties")
    for name, each in properties.items() if isinstance(properties, dict) else ():
        if isinstance(each, dict) and each.get("type") != "title":
            yield " ".join(str(name).split()), " ".join(_value(each).split())


def _value(each: Json) -> str:
    """A property's value as text; "" for what has none."""
    kind = str(each.get("type", ""))
    value = each.get(kind)
    match kind:
        case "rich_text":
            return _marked(value)
        case "select" | "status" | "created_by" | "last_edited_by":
            return _name(value)
        case "multi_select" | "people" | "files":
            return ", ".join(filter(None, (_name(one) for one in _dicts(value))))
        case "date":
            return _date(value)
        case "checkbox":
            return "Yes" if value else "No"
        case "relation":
            return ", ".join(_address(one.get("id")) for one in _dicts(value))
        case "formula" | "rollup":
            return _value(value) if isinstance(value, dict) else ""
        case "array":
            return ", ".join(filter(None, (_value(one) for one in _dicts(value))))
        case "unique_id":
            return "-".join(str(value[part]) for part in ("prefix", "number") if value.get(part)) if isinstance(value, dict) else ""
        case "title":
            return _plain(value)
        case _:
            return "" if value is None or isinstance(value, dict | list) else str(value)


def _date(value: object) -> str:
    if not isinstance(value, dict):
        return ""
    return " → ".join(str(value[end]) for end in ("start", "end") if value.get(end))


def _name(value: object) -> str:
    return str(value.get("name") or "") if isinstance(value, dict) else ""


def _spaced(lines: Iterator[str]) -> Iterator[str]:
    """The lines with at most one empty line between two others; code stays as it is."""
    before, in_code = "", False
    for line in lines:
        in_code ^= line.lstrip().startswith("```")
        if line or before or in_code:
            yield line
        before = line


def _lines(blocks: Sequence[BlockTree], indent: str, unknown: Callable[[str], None]) -> Iterator[str]:
    number = 0
    for block in blocks:
        number = number + 1 if block.raw.get("type") == "numbered_list_item" else 0
        for line in _block(block, number, unknown):
            yield indent + line if line else line


def _block(block: BlockTree, number: int, unknown: Callable[[str], None]) -> Iterator[str]:
    kind = str(block.raw.get("type", ""))
    held = block.raw.get(kind)
    held = held if isinstance(held, dict) else {}
    text = _marked(held.get("rich_text"))
    if kind in _CONTAINERS:
        yield from _table(block) if kind == "table" else _lines(block.children, "", unknown)
    elif kind in ("bulleted_list_item", "numbered_list_item", "to_do", "toggle"):
        yield _bullet(kind, held, number) + text.replace("\n", f"\n{_INDENT}")
        yield from _lines(block.children, _INDENT, unknown)
    elif kind in ("heading_1", "heading_2", "heading_3", "heading_4"):
        yield from ("", "#" * int(kind[-1]) + " " + " ".join(text.split()), "")
        yield from _lines(block.children, "", unknown)
    elif kind in ("quote", "callout"):
        icon = held.get("icon")
        mark = f"{icon['emoji']} " if isinstance(icon, dict) and isinstance(icon.get("emoji"), str) else ""
        inner = [*f"{mark if kind == 'callout' else ''}{text}".split("\n"), *_lines(block.children, "", unknown)]
        yield from ["", "<aside>", *inner, "", "</aside>", ""] if kind == "callout" else ["", *(f"> {line}" for line in inner), ""]
    elif kind == "code":
        yield from ("", f"```{held.get('language', '')}", *_plain(held.get("rich_text")).split("\n"), "```", "")
    else:
        yield from _other(kind, held, block, text, unknown)


def _other(kind: str, held: Json, block: BlockTree, text: str, unknown: Callable[[str], None]) -> Iterator[str]:
    if kind == "paragraph":
        yield from ("", *text.split("\n"), "")
        yield from _lines(block.children, "", unknown)
    elif kind in ("child_page", "child_database"):
        yield from ("", f"[{_label(held.get('title'))}]({_address(block.raw.get('id'))})", "")
    elif kind == "link_to_page":
        yield from ("", f"[page]({_address(held.get(str(held.get('type', ''))))})", "")
    elif kind in _LINKS:
        address = str(held.get("url", ""))
        yield from ("", f"[{_label(_plain(held.get('caption')) or address)}]({address})", "")
    elif kind in _FILES:
        yield from ("", f"![{_label(_plain(held.get('caption')) or str(held.get('name', '')) or kind)}]({kind})", "")
    elif kind == "equation":
        yield from ("", "$$", str(held.get("expression", "")), "$$", "")
    elif kind == "divider":
        yield from ("", "---", "")
    elif kind not in _SILENT:
        unknown(kind)


def _bullet(kind: str, held: Json, number: int) -> str:
    if kind == "numbered_list_item":
        return f"{number}. "
    if kind == "to_do":
        return "- [x] " if held.get("checked") else "- [ ] "
    return "- "


def _table(block: BlockTree) -> Iterator[str]:
    yield ""
    for row_number, row in enumerate(block.children):
        held = row.raw.get("table_row")
        cells = held.get("cells") if isinstance(held, dict) else None
        texts = [" ".join(_marked(cell).split()).replace("|", "\\|") for cell in cells] if isinstance(cells, list) else []
        yield "| " + " | ".join(texts) + " |"
        if row_number == 0:
            yield "| " + " | ".join("---" for _ in texts) + " |"
    yield ""


def _marked(rich: object) -> str:
    return "".join(_piece(piece) for piece in _dicts(rich))


def _piece(piece: Json) -> str:
    text = str(piece.get("plain_text") or "")
    if piece.get("type") == "equation":
        return f"${text}$"
    lead, core, trail = text[: len(text) - len(text.lstrip())], text.strip(), text[len(text.rstrip()) :]
    if not core:
        return text
    notes = piece.get("annotations")
    notes = notes if isinstance(notes, dict) else {}
    for name, mark in (("code", "`"), ("bold", "**"), ("italic", "*"), ("strikethrough", "~~")):
        if notes.get(name):
            core = f"{mark}{core}{mark}"
    address = _link_of(piece)
    return f"{lead}[{core}]({address}){trail}" if address else f"{lead}{core}{trail}"


def _link_of(piece: Json) -> str:
    mention = piece.get("mention")
    if isinstance(mention, dict):
        target = mention.get(str(mention.get("type", "")))
        return _address(target.get("id")) if mention.get("type") in ("page", "database") and isinstance(target, dict) else ""
    href = str(piece.get("href") or "")
    return f"https://www.notion.so{href}" if href.startswith("/") else href


def _address(page_id: object) -> str:
    return f"https://www.notion.so/{plain_id(page_id)}"


def _label(text: object) -> str:
    return " ".join(str(text or "").replace("[", "(").replace("]", ")").split())


def _plain(rich: object) -> str:
    return "".join(str(piece.get("plain_text") or "") for piece in _dicts(rich))


def _dicts(value: object) -> list[Json]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
