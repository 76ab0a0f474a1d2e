"""Any text to what a judge reads: sentences and lines, each with what is said about it and what it cites.

Nothing here asks for our words. A heading, a label before a quotation and a mark behind it are the frame; a bracket that names a known
source is a citation. A sentence without one is covered by the next citation of its line, as a reader takes it. Next: `nuggets`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from oida.evaluation.nuggets import Passage
from oida.model.knowledge_object import KnowledgeObject
from oida.model.query import AgentContext, ContextLine

Sources = Mapping[str, str]
"""What may be cited: ids, places or names, each with its text."""

_HEADING = re.compile(r"^\s*#{1,6}\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_LEAD = re.compile(r"^\*{0,2}([^.!?\[\]“”\"]{1,80}):\*{0,2}$")
_BRACKET = re.compile(r"[\[(]([^\[\]()]+)[\])]")
_QUOTATION = re.compile(r"“([^”]+)”|\"([^\"]{12,})\"")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?:(?=\s+\[)|\s+(?=[A-ZÀ-Þ“\"]))")
_TRAILING_CITATION = re.compile(r"^(\s*\[[^\[\]]+\](?:\s*\[[^\[\]]+\])*\.?)\s*")
_WHEREABOUTS = re.compile(r"\([^()]*(?:\d{4}|/)[^()]*\)")


def passages_of_context(context: AgentContext) -> list[Passage]:
    """What an agent's context says, line by line; each line cites the object that it quotes."""
    passages = []
    for section in context.sections:
        if section.note:
            passages.append(Passage(section.note, section.title))
        in_pairs = {side for pair in section.pairs for side in (pair.edge.source, pair.edge.target)}
        for pair in section.pairs:
            passages += [_passage(pair.source, section.title), _passage(pair.target, section.title)]
        passages += [_passage(line, section.title) for line in section.lines if line.knowledge_object.object_id not in in_pairs]
    return passages


def _passage(line: ContextLine, title: str) -> Passage:
    found = line.knowledge_object
    frame = ", ".join((title, found.epistemic_class.value, line.commitment, *line.marks))
    return Passage(found.text, frame, (source_text(found),))


def source_text(found: KnowledgeObject) -> str:
    """What a citation of an object stands for: its text, of what it speaks, who said it and when."""
    said = found.provenance
    return f"{found.text} {found.entity_name} {said.author_name} {said.said_at.date().isoformat()}"


def passages_of_text(text: str, sources: Sources) -> list[Passage]:
    r"""What any Markdown or plain text says.

    >>> [p] = passages_of_text("## Not known\n- Who pays for the second shift? [m1]", {"m1": "Who pays for the second shift?"})
    >>> p.frame, p.text, str(p.standing)
    ('Not known', 'Who pays for the second shift?', 'open')
    """
    passages: list[Passage] = []
    heading, lead = "", ""
    for line in text.splitlines():
        found = _HEADING.match(line)
        if found:
            heading, lead = found.group(1), ""
            continue
        body = _BULLET.sub("", line).strip()
        if not body:
            lead = ""
            continue
        named = _LEAD.match(body)
        if named:
            lead = named.group(1)
            continue
        if lead and not (line[:1].isspace() or _BULLET.match(line)):
            lead = ""
        passages += _of_line(body, ", ".join(part for part in (heading, lead) if part), sources)
    return passages


def _of_line(body: str, frame: str, sources: Sources) -> list[Passage]:
    quotations = [match.group(1) or match.group(2) for match in _QUOTATION.finditer(body)]
    if quotations:
        said, cited = _without_citations(_QUOTATION.sub(" ", body), sources)
        about = _WHEREABOUTS.sub(" ", said)
        return [Passage(" ".join(quotations), f"{frame} {about}".strip(), cited)]
    told = [_without_citations(sentence, sources) for sentence in _sentences(body)]
    passages: list[Passage] = []
    following: tuple[str, ...] = ()
    for said, cited in reversed(told):
        following = cited or following
        if said:
            passages.append(Passage(said, frame, following))
    return passages[::-1]


def _sentences(body: str) -> Iterator[str]:
    """Sentences, each with the citations that stand behind its full stop."""
    waiting = ""
    for piece in _SENTENCE_END.split(body):
        behind = _TRAILING_CITATION.match(piece)
        if behind and waiting:
            waiting += behind.group(1)
            piece = piece[behind.end() :]
        if piece.strip():
            if waiting:
                yield waiting
            waiting = piece
    if waiting:
        yield waiting


def _without_citations(said: str, sources: Sources) -> tuple[str, tuple[str, ...]]:
    cited: list[str] = []

    def note(match: re.Match[str]) -> str:
        names = [name.strip() for name in re.split(r"[,;]", match.group(1))]
        known = [sources[name] for name in names if name in sources]
        cited.extend(known)
        return " " if known or match.group(0)[0] == "[" else match.group(0)

    left = re.sub(r"\s+([.,;:!?])", r"\1", re.sub(r"\s+", " ", _BRACKET.sub(note, said))).strip()
    return left, tuple(dict.fromkeys(cited))


def cited_sources(objects: Sequence[KnowledgeObject]) -> dict[str, str]:
    """What answers of ours may cite: object ids and places."""
    sources: dict[str, str] = {}
    for found in objects:
        text = source_text(found)
        sources[found.object_id] = text
        place = found.provenance.place
        sources[place] = f"{sources[place]} {text}" if place in sources else text
    return sources
