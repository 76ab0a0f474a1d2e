"""Every raw text of a run on one page, shown by its number: what an agent was given or answered, its scores, and what it failed.

The page loads nothing from elsewhere. Texts are untrusted: they stand in a block of JSON and reach the page as text only.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any


def raw_page(title: str, records: Sequence[Mapping[str, Any]], *, statements: Mapping[str, str], questions: Mapping[str, str]) -> str:
    """The page; `#n` in its address shows record n. Frames and statements are held once, by number and id.

    >>> page = raw_page("E9", [{"qid": "q1", "passages": [["g1", "binding"]]}], statements={"g1": "</script> we stay"}, questions={})
    >>> "</script> we stay" in page, "we stay" in page
    (False, True)
    """
    frames: dict[str, int] = {}
    kept = [
        {key: value for key, value in record.items() if key != "passages"}
        | {"passages": [[each[0], frames.setdefault(each[1], len(frames))] for each in record["passages"]]}
        for record in records
    ]
    values = {"records": kept, "frames": list(frames), "statements": dict(statements), "questions": dict(questions)}
    block = json.dumps(values, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    block = block.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    name = html.escape(title)
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{name}: raw texts</title><style>{_STYLE}</style>"
        f"<h1>{name}: raw texts</h1><p><label>Record <input id='n' type='number' min='0' max='{max(0, len(records) - 1)}' value='0'>"
        f"</label> of {len(records):,}</p><h2 id='question'></h2><p id='about'></p><ul id='failed'></ul><ol id='text'></ol>"
        f"<script type='application/json' id='values'>{block}</script><script>{_SCRIPT}</script></html>\n"
    )


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "small{display:block;opacity:.7}#failed{border-left:3px solid}"
)

_SCRIPT = """
const all = JSON.parse(document.getElementById('values').textContent);
const place = name => document.getElementById(name);
function put(list, parts) {
  list.replaceChildren(...parts.map(([main, side]) => {
    const item = document.createElement('li');
    if (side) { const small = document.createElement('small'); small.textContent = side; item.append(small); }
    item.append(main);
    return item;
  }));
}
function show() {
  const number = Number(location.hash.slice(1)) || 0, found = all.records[number];
  if (!found) return;
  place('n').value = number;
  place('question').textContent = found.qid + ': ' + (all.questions[found.qid] || '');
  const scores = Object.entries(found.sub_scores || {}).map(([name, score]) => name + ' ' + score).join(', ');
  place('about').textContent = [found.variant, found.condition, found.memory && found.memory + ' memory', found.judged,
    found.tokens + ' tokens of ' + found.budget_tokens, 'EQS ' + found.composite, scores].filter(Boolean).join(' · ');
  put(place('failed'), (found.failed || []).map(each => ['not: ' + each, '']));
  put(place('text'), found.passages.map(([said, frame]) => [all.statements[said] || said, all.frames[frame]]));
}
place('n').addEventListener('change', event => { location.hash = event.target.value; });
addEventListener('hashchange', show);
show();
"""
