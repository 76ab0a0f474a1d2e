"""The page on which a person asks: the answer, and the very context that an agent would be given."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from oida.faces.serving.base import ServedBase
from oida.faces.web.render import Renderer
from oida.faces.web.visit import Visit
from oida.retrieval.context.answer import answer
from oida.retrieval.context.render import render_markdown
from oida.workspace.workspace import DEFAULT_BUDGET_TOKENS

SLIDER_DAYS = 365
BUDGETS = (800, 2000, DEFAULT_BUDGET_TOKENS, 8000)


class Asking:
    """Pages that answer a question over a served base."""

    def __init__(self, base: ServedBase, renderer: Renderer) -> None:
        self._base = base
        self._renderer = renderer

    def ask(self, visit: Visit) -> Response:
        """A question with its answer and its context; what is shown of now counts as served."""
        question = visit.given("q")
        as_of = visit.moment("as_of", end_of_day=True)
        budget = _budget(visit.given("budget"))
        with self._base.reading(visit.caller.principal) as workspace:
            now = workspace.now()
            if as_of is not None and as_of >= now:
                as_of = None
            context, ranking = workspace.ranked_context(question, budget_tokens=budget, as_of=as_of) if question else (None, None)
        if context is not None and as_of is None:
            self._base.note_served(visit.caller.principal, context.served_ids())
        return self._renderer.page(
            visit,
            "ask.html",
            question=question,
            as_of=as_of,
            now=now,
            first=now - timedelta(days=SLIDER_DAYS),
            slider_days=SLIDER_DAYS,
            slider_at=SLIDER_DAYS - (now - as_of).days if as_of else SLIDER_DAYS,
            budget=budget,
            budgets=BUDGETS,
            context=context,
            answer=answer(context) if context else None,
            markdown=render_markdown(context) if context else "",
            parts={each.knowledge_object.object_id: each for each in ranking.objects} if ranking else {},
            places={each.knowledge_object.object_id: number for number, each in enumerate(ranking.objects, 1)} if ranking else {},
            ranked=len(ranking.objects) if ranking else 0,
        )

    def why(self, visit: Visit) -> Response:
        """Where an object fell out of the context for a question."""
        question, found = visit.given("q"), visit.given("object")
        with self._base.reading(visit.caller.principal) as workspace:
            if question and found.startswith("ko-"):
                told, hits = workspace.why_not(found, question, budget_tokens=_budget(visit.given("budget"))), []
            else:
                told, hits = None, workspace.search(found, limit=8) if found else []
        return self._renderer.page(visit, "why.html", question=question, found=found, told=told, hits=hits)


def _budget(text: str) -> int:
    return int(text) if text in {str(each) for each in BUDGETS} else DEFAULT_BUDGET_TOKENS
