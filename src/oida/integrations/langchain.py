"""A LangChain retriever: each cited line of a context becomes a document."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import PrivateAttr

from oida.integrations.memory import OneAtATime, passages


class OidaRetriever(BaseRetriever):
    """Retrieves from a workspace, at most `k` documents of a context of `budget_tokens`."""

    memory: Any
    """A workspace: `oida.open(…)` or `oida.connect(…)`."""
    k: int = 20
    budget_tokens: int = 3868
    _memory: OneAtATime = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        """Keep the threads of a batch apart."""
        super().model_post_init(context)
        self._memory = OneAtATime(self.memory)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = passages(self._memory(lambda memory: memory.context(query, budget_tokens=self.budget_tokens)))
        return [Document(id=each.object_id, page_content=each.text, metadata=each.metadata) for each in found[: self.k]]
