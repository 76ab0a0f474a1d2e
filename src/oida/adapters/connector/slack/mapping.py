"""Slack JSON to items; pure. Text is kept as Slack writes it ("&amp;", "<@U…>"), since quotations of it are verbatim.

What Slack itself writes about joins, topics and pins is noise; tombstones become deleted items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from oida.adapters.connector.fingerprint import fingerprint
from oida.adapters.connector.prose.outline import trimmed
from oida.adapters.connector.prose.references import distinct, may_name_codes, mentioned_codes, slack_links
from oida.model.errors import Problem
from oida.model.identifiers import person_id
from oida.model.source import EVERYONE, Block, BlockKind, ItemKind, Person, Reference, ReferenceCue, SourceItem

Json = Mapping[str, Any]

NOISE = frozenset({
    "channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "channel_archive", "channel_unarchive",
    "channel_convert_to_private", "channel_convert_to_public", "channel_posting_permissions", "channel_canvas_updated", "group_join",
    "group_leave", "group_topic", "group_purpose", "group_name", "group_archive", "group_unarchive", "pinned_item", "unpinned_item",
    "bot_add", "bot_remove", "bot_enable", "bot_disable", "reminder_add", "reminder_delete", "sh_room_created", "sh_room_shared",
    "huddle_thread", "app_conversation_join", "joiner_notification", "joiner_notification_for_inviter", "message_changed",
    "message_replied", "ekm_access_denied", "document_mention", "file_mention",
})  # fmt: skip
_MARKS = {
    "user": ("@", "user_id"),
    "channel": ("#", "channel_id"),
    "usergroup": ("!subteam^", "usergroup_id"),
    "broadcast": ("!", "range"),
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MENTION = re.compile(r"<@([UWB][A-Z0-9]+)")
_WORDS = re.compile(r"[\W_]+")
_BULLET = re.compile(r"\s*(?:[•◦▪*-]|\d{1,3}[.)])\s+(?=\S)")
_QUOTE = re.compile(r"\s*(?:&gt;|>)\s?")


@dataclass(frozen=True, slots=True)
class Channel:
    """A conversation: its folder's name is not always its id."""

    channel_id: str
    name: str
    visibility: frozenset[str] = frozenset({EVERYONE})
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Workspace:
    """What the index files of an export say: identity, people by user id, conversations by folder, members of private ones."""

    source_id: str
    name: str
    team_id: str = ""
    people: Mapping[str, Person] = field(default_factory=dict)
    channels: Mapping[str, Channel] = field(default_factory=dict)
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Noise:
    """A message that Slack wrote about itself; `subtype` says what about."""

    subtype: str


def team_of(users: Sequence[Any]) -> str:
    """The workspace's id as most of its users carry it, "" if none does."""
    teams = [user["team_id"] for user in users if isinstance(user, dict) and isinstance(user.get("team_id"), str)]
    return max(sorted(set(teams)), key=teams.count, default="")


def read_users(users: Sequence[Any], *, source_id: str) -> dict[str, Person]:
    """People by user id; entries that are no users are left out."""
    people = {}
    for user in users:
        if isinstance(user, dict) and isinstance(user.get("id"), str):
            profile = user["profile"] if isinstance(user.get("profile"), dict) else {}
            handle = _text(user, "name") or _text(profile, "display_name")
            name = _text(profile, "real_name") or _text(user, "real_name") or _text(profile, "display_name") or handle
            people[user["id"]] = Person(
                person_id(source_id, user["id"]), name or user["id"], _text(profile, "email"), handle, bool(user.get("is_bot"))
            )
    return people


def read_channels(indexes: Mapping[str, Sequence[Any]], *, source_id: str) -> tuple[dict[str, Channel], dict[str, frozenset[str]]]:
    """Conversations by folder and the members (user ids) of each private one, from channels, groups, dms and mpims."""
    channels: dict[str, Channel] = {}
    groups: dict[str, frozenset[str]] = {}
    for index, conversations in indexes.items():
        for raw in conversations:
            if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
                continue
            channel_id, name = raw["id"], _text(raw, "name")
            visibility = frozenset({EVERYONE})
            if index != "channels" or raw.get("is_private") or raw.get("is_im") or raw.get("is_mpim"):
                group = f"{source_id}/{channel_id}"
                visibility = frozenset({group})
                members = raw["members"] if isinstance(raw.get("members"), list) else []
                groups[group] = frozenset(member for member in members if isinstance(member, str))
            channel = Channel(channel_id, name or channel_id, visibility, _topic(raw))
            for folder in filter(None, (name, channel_id)):
                channels.setdefault(folder, channel)
    return channels, groups


def _topic(raw: Mapping[str, Any]) -> str:
    """The topic and the purpose of a conversation as one text."""
    parts = [raw[name] for name in ("topic", "purpose") if isinstance(raw.get(name), dict)]
    return " ".join(filter(None, (_text(part, "value").strip() for part in parts)))


def read_message(raw: Any, *, channel: Channel, workspace: Workspace, place: str) -> SourceItem | Noise | Problem:
    """One message of a day file; `place` is the file's."""
    if not isinstance(raw, dict):
        return Problem("read", place, "not-a-message", f"expected an object, found {type(raw).__name__}")
    subtype = _text(raw, "subtype")
    if subtype in NOISE:
        return Noise(subtype)
    stamp = str(raw.get("deleted_ts") or "") if subtype == "message_deleted" else str(raw.get("ts", ""))
    said_at = moment(stamp)
    if said_at is None:
        return Problem("read", place, "invalid-date", f"expected ts as seconds and microseconds, found {stamp[:60]!r}")
    if subtype in ("tombstone", "message_deleted"):
        return _tombstone(stamp, said_at, channel, workspace, place)
    return _message(raw, stamp, said_at, channel, workspace, place)


def moment(stamp: str) -> datetime | None:
    """A Slack timestamp as a time in UTC, exact to the microsecond; None for anything else.

    >>> moment("1770007962.449309")
    datetime.datetime(2026, 2, 2, 4, 52, 42, 449309, tzinfo=datetime.timezone.utc)
    """
    seconds, _, fraction = stamp.partition(".")
    if not (stamp.isascii() and seconds.isdigit() and len(seconds) <= 12 and len(fraction) <= 6 and (fraction or "0").isdigit()):
        return None
    try:
        return _EPOCH + timedelta(seconds=int(seconds), microseconds=int(fraction.ljust(6, "0")))
    except OverflowError:
        return None


def _message(raw: Json, stamp: str, said_at: datetime, channel: Channel, workspace: Workspace, place: str) -> SourceItem:
    pieces = list(_pieces(raw))
    body = "\n".join(text for text, _ in pieces)
    key = f"{channel.channel_id}/{stamp}"
    author = _author(raw, workspace)
    edited = raw.get("edited")
    edited_at = moment(str(edited.get("ts", ""))) if isinstance(edited, dict) else None
    thread = str(raw.get("thread_ts") or stamp)
    mentioned = [workspace.people[user] for user in _MENTION.findall(body) if user in workspace.people] if "<@" in body else []
    return SourceItem(
        workspace.source_id,
        key,
        ItemKind.MESSAGE,
        f"#{channel.name}",
        body,
        _blocks(pieces),
        said_at,
        fingerprint(body, author and author.person_id, edited_at, thread),
        f"{place}#{stamp}",
        link=_link(channel, stamp, workspace),
        author=author,
        edited_at=edited_at,
        keys=(key,),
        references=_references(body, channel, stamp, thread),
        visibility=channel.visibility,
        people=_participants(author, mentioned),
        container=channel.name,
        container_topic=channel.topic,
    )


def _tombstone(stamp: str, said_at: datetime, channel: Channel, workspace: Workspace, place: str) -> SourceItem:
    key = f"{channel.channel_id}/{stamp}"
    return SourceItem(
        workspace.source_id,
        key,
        ItemKind.MESSAGE,
        f"#{channel.name}",
        "",
        (),
        said_at,
        fingerprint("deleted"),
        f"{place}#{stamp}",
        keys=(key,),
        visibility=channel.visibility,
        container=channel.name,
        deleted=True,
    )


def _link(channel: Channel, stamp: str, workspace: Workspace) -> str:
    if not workspace.team_id:
        return ""
    return f"https://slack.com/app_redirect?team={workspace.team_id}&channel={channel.channel_id}&message_ts={stamp}"


def _references(body: str, channel: Channel, stamp: str, thread: str) -> tuple[Reference, ...]:
    reply = () if thread == stamp else (Reference(ReferenceCue.REPLY, f"{channel.channel_id}/{thread}"),)
    links = distinct(slack_links(body)) if "/archives/" in body else ()
    codes = distinct(mentioned_codes(body)) if may_name_codes(body) else ()
    return (*reply, *links, *codes) if links or codes else reply


def _author(raw: Json, workspace: Workspace) -> Person | None:
    comment = raw.get("comment")
    user = raw.get("user") or (comment.get("user") if isinstance(comment, dict) else None)
    if isinstance(user, str) and user in workspace.people:
        return workspace.people[user]
    profile = raw["user_profile"] if isinstance(raw.get("user_profile"), dict) else {}
    if isinstance(user, str) and user:
        name = _text(profile, "real_name") or _text(profile, "display_name") or user
        return Person(person_id(workspace.source_id, user), name, handle=_text(profile, "name"))
    bot = raw["bot_profile"] if isinstance(raw.get("bot_profile"), dict) else {}
    identity = _text(raw, "bot_id") or _text(raw, "username")
    if not identity:
        return None
    name = _text(raw, "username") or _text(bot, "name") or identity
    return Person(person_id(workspace.source_id, identity), name, is_bot=True)


def _participants(author: Person | None, mentioned: Sequence[Person]) -> tuple[Person, ...]:
    if not mentioned:
        return (author,) if author else ()
    people = [author, *mentioned] if author else mentioned
    return tuple({person.person_id: person for person in people}.values())


def _pieces(raw: Json) -> Iterator[tuple[str, bool]]:
    """The text, then what blocks, attachments and files add to it; True where it quotes something else."""
    text = _text(raw, "text")
    if text:
        yield text, False
    if not (raw.get("blocks") or raw.get("attachments") or raw.get("files") or raw.get("file")):
        return
    said = ""
    for piece, quoted in _additions(raw):
        if piece in text:
            continue
        words = _WORDS.sub("", piece)
        said = said or _WORDS.sub("", text)
        if words and words not in said:
            said += words
            yield piece, quoted


def _additions(raw: Json) -> Iterator[tuple[str, bool]]:
    for block in _dicts(raw.get("blocks")):
        yield _block_text(block), False
    for attachment in _dicts(raw.get("attachments")):
        quoted = bool(attachment.get("from_url") or attachment.get("is_msg_unfurl") or attachment.get("is_share"))
        for piece in _attachment_texts(attachment):
            yield piece, quoted
    for file in [*_dicts(raw.get("files")), *_dicts([raw.get("file")])]:
        yield _text(file, "title") or _text(file, "name"), False
        comment = file.get("initial_comment")
        if isinstance(comment, dict):
            yield _text(comment, "comment"), False


def _attachment_texts(attachment: Json) -> Iterator[str]:
    found = [_text(attachment, name) for name in ("pretext", "title", "text")]
    found += [": ".join(filter(None, (_text(part, "title"), _text(part, "value")))) for part in _dicts(attachment.get("fields"))]
    found += [_block_text(block) for block in _dicts(attachment.get("blocks"))]
    found = [text for text in found if text.strip()]
    yield from found or [_text(attachment, "fallback")]


def _block_text(block: Json) -> str:
    """The text of a Block Kit block, in the notation of a message's text."""
    if block.get("type") == "rich_text":
        return "\n".join(_rich_text(element) for element in _dicts(block.get("elements")))
    texts = [_text(part, "text") for part in [*_dicts([block.get("text")]), *_dicts(block.get("fields"))]]
    if block.get("type") == "context":
        texts += [_text(part, "text") for part in _dicts(block.get("elements"))]
    return "\n".join(text for text in texts if text.strip())


def _rich_text(element: Json) -> str:
    kind = element.get("type")
    inner = _dicts(element.get("elements"))
    if kind == "rich_text_list":
        return "\n".join("• " + _rich_text(section) for section in inner)
    text = "".join(_rich_leaf(leaf) for leaf in inner)
    if kind == "rich_text_preformatted":
        return f"```{text}```"
    if kind == "rich_text_quote":
        return "\n".join("&gt; " + line for line in text.split("\n"))
    return text


def _rich_leaf(leaf: Json) -> str:
    kind = leaf.get("type")
    if kind == "text":
        return _text(leaf, "text").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if kind == "link":
        label = _text(leaf, "text")
        return f"<{_text(leaf, 'url')}|{label}>" if label else f"<{_text(leaf, 'url')}>"
    if kind == "emoji":
        return f":{_text(leaf, 'name')}:"
    if kind in _MARKS:
        mark, name = _MARKS[kind]
        return f"<{mark}{_text(leaf, name)}>"
    return ""


def _blocks(pieces: Sequence[tuple[str, bool]]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    offset = 0
    for text, quoted in pieces:
        if quoted:
            _append(blocks, BlockKind.QUOTE, text, offset, 0, len(text))
        elif "\n" not in text and text[:1] not in "`&>•-*0123456789":
            _append(blocks, BlockKind.PARAGRAPH, text, offset, 0, len(text))
        else:
            blocks.extend(_line_blocks(text, offset))
        offset += len(text) + 1
    return tuple(blocks)


def _append(blocks: list[Block], kind: BlockKind, text: str, offset: int, start: int, end: int) -> None:
    if end - start < len(text) or text[:1].isspace() or text[-1:].isspace():
        start, end = trimmed(text, start, end)
    if start < end:
        blocks.append(Block(kind, offset + start, offset + end))


def _line_blocks(text: str, offset: int) -> list[Block]:
    """Fenced code, quoted lines, bullets, and runs of other lines as paragraphs."""
    blocks: list[Block] = []
    for index, part in enumerate(re.split("(```)", text)):
        if part == "```":
            offset += 3
            continue
        if index % 4 == 2:
            _append(blocks, BlockKind.CODE, part, offset, 0, len(part))
        else:
            _prose_blocks(blocks, part, offset)
        offset += len(part)
    return blocks


def _prose_blocks(blocks: list[Block], part: str, offset: int) -> None:
    run_start: int | None = None
    position = 0
    for line in [*part.split("\n"), ""]:
        mark = _QUOTE.match(line) or _BULLET.match(line)
        if (mark or not line.strip()) and run_start is not None:
            _append(blocks, BlockKind.PARAGRAPH, part, offset, run_start, position)
            run_start = None
        if mark:
            kind = BlockKind.QUOTE if line.lstrip().startswith(("&gt;", ">")) else BlockKind.LIST_ITEM
            _append(blocks, kind, part, offset, position + mark.end(), position + len(line))
        elif line.strip() and run_start is None:
            run_start = position
        position = min(position + len(line) + 1, len(part))


def _text(raw: Json, name: str) -> str:
    value = raw.get(name)
    return value if isinstance(value, str) else ""


def _dicts(value: Any) -> list[Json]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
