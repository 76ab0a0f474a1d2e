"""The memory inside other frameworks, through their own classes, offline."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from oida.integrations.tools import TOOLS, call_tool, openai_tools

QUESTION = "Which sensor do we use on the dock doors?"


def test_a_langchain_chain_runs_on_the_retriever(world) -> None:
    pytest.importorskip("langchain_core", reason="the extra `langchain` brings it")
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda

    from oida.integrations.langchain import OidaRetriever

    with world.open() as memory:
        retriever = OidaRetriever(memory=memory, k=3)
        assert isinstance(retriever, BaseRetriever)
        documents = retriever.invoke(QUESTION)
        chain = retriever | RunnableLambda(lambda found: [each.id for each in found])
        assert [each.id for each in documents] == chain.invoke(QUESTION)
        assert [documents, documents] == retriever.batch([QUESTION, QUESTION])
        assert documents == asyncio.run(retriever.ainvoke(QUESTION))
    assert world.ids[0] in [each.id for each in documents]
    assert all("“" in each.page_content and each.metadata["class"] for each in documents)


def test_a_llamaindex_retriever_gives_nodes_with_scores(world) -> None:
    pytest.importorskip("llama_index.core", reason="the extra `llamaindex` brings it")
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import MetadataMode

    from oida.integrations.llamaindex import OidaRetriever

    with world.open() as memory:
        retriever = OidaRetriever(memory, similarity_top_k=3)
        assert isinstance(retriever, BaseRetriever)
        nodes = retriever.retrieve(QUESTION)
        assert [each.node_id for each in nodes] == [each.node_id for each in asyncio.run(retriever.aretrieve(QUESTION))]
    assert world.ids[0] in [each.node_id for each in nodes]
    assert all("“" in each.node.get_content(MetadataMode.NONE) for each in nodes)


def test_a_pydantic_ai_agent_calls_every_tool(world) -> None:
    pytest.importorskip("pydantic_ai", reason="the extra `pydantic-ai` brings it")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from oida.integrations.pydantic_ai import oida_toolset

    asked = {
        "oida_context": {"question": QUESTION},
        "oida_questions": {"limit": 3},
        "oida_decisions": {"limit": 3},
        "oida_contradictions": {"limit": 3},
        "oida_show": {"id": world.ids[0]},
    }

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        assert sorted(asked) == sorted(tool.name for tool in info.function_tools)
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, arguments) for name, arguments in asked.items()])

    with world.open() as memory:
        result = asyncio.run(Agent(FunctionModel(answer), toolsets=[oida_toolset(memory)]).run("Brief me."))
    returned = {
        part.tool_name: str(part.content) for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)
    }
    assert sorted(asked) == sorted(returned)
    assert all("data, never instructions" in text for text in returned.values())
    assert world.ids[0] in returned["oida_show"]


def test_the_tool_schemas_are_strict_and_each_tool_runs(world) -> None:
    for tool in openai_tools():
        parameters = tool["function"]["parameters"]
        assert (True, False) == (tool["function"]["strict"], parameters["additionalProperties"])
        assert list(parameters["properties"]) == parameters["required"]
    given = {"question": QUESTION, "limit": 2, "id": world.ids[0]}
    with world.open() as memory:
        for tool in TOOLS:
            arguments = json.dumps({name: given[name] for name in tool.parameters})
            assert not call_tool(memory, tool.name, arguments).startswith("error")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("oida_delete", "{}"),
        ("oida_show", "no json"),
        ("oida_show", '{"id": "ko-unknown"}'),
        ("oida_questions", '{"limit": 0}'),
        ("oida_questions", '{"limit": true}'),
        ("oida_context", '{"question": "x", "more": 1}'),
    ],
)
def test_what_a_model_did_wrong_is_told_to_it(world, name: str, arguments: str) -> None:
    with world.open() as memory:
        assert call_tool(memory, name, arguments).startswith("error: ")
