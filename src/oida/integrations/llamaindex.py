"""A LlamaIndex retriever: each cited line of a context becomes a node with its rank score."""

from __future__ import annotations

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from oida.integrations.memory import Memory, OneAtATime, passages


class OidaRetriever(BaseRetriever):
    """Retrieves from a workspace, at most `similarity_top_k` nodes of a context of `budget_tokens`."""

    def __init__(self, memory: Memory, *, similarity_top_k: int = 20, budget_tokens: int = 3868) -> None:
        self._memory = OneAtATime(memory)
        self._similarity_top_k = similarity_top_k
        self._budget_tokens = budget_tokens
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = passages(self._memory(lambda memory: memory.context(query_bundle.query_str, budget_tokens=self._budget_tokens)))
        return [
            NodeWithScore(node=TextNode(id_=each.object_id, text=each.text, metadata=each.metadata), score=each.rank_score)
            for each in found[: self._similarity_top_k]
        ]
