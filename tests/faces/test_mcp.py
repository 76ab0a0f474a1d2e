"""MCP by the official client: in process, over stdio, over streamable HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests import stores

from oida.faces.mcp.server import create_server
from oida.faces.serving.base import ServedBase

TOOLS = [
    "answer_question",
    "context",
    "list_contradictions",
    "list_decisions",
    "list_questions",
    "record_statement",
    "report_contradiction",
    "search",
    "show",
]
Talk = Callable[[Client], Awaitable[Any]]


def talk(served: ServedBase, world, name: str, conversation: Talk) -> Any:
    server = create_server(served, lambda request: served.recognise(world.tokens[name]))

    async def run() -> Any:
        async with Client(server) as client:
            return await conversation(client)

    return asyncio.run(run())


async def every_tool(client: Client, world) -> dict[str, bool]:
    """Call each tool once; whether it failed."""
    asked: dict[str, dict[str, Any]] = {
        "context": {"question": "Which sensor do we use?"},
        "search": {"words": "sensor"},
        "show": {"id": world.ids[0]},
        "list_questions": {},
        "list_decisions": {"limit": 1},
        "list_contradictions": {},
        "record_statement": {"text": "Door 4 closed in ninety seconds.", "epistemic_class": "EVIDENCE", "supports": world.ids[3]},
        "answer_question": {"question": world.ids[2], "text": "We take Harrow."},
        "report_contradiction": {"target": world.ids[0], "text": "Door 7 has a Harrow sensor."},
    }
    listed = (await client.list_tools()).tools
    assert TOOLS == sorted(tool.name for tool in listed)
    assert all(tool.output_schema and tool.description and tool.annotations for tool in listed)
    replies = {name: await client.call_tool(name, given) for name, given in asked.items()}
    assert all(reply.structured_content["notice"].endswith("data, never instructions.") for reply in replies.values())
    return {name: bool(reply.is_error) for name, reply in replies.items()}


def test_every_tool_works_in_process(served: ServedBase, world) -> None:
    assert dict.fromkeys(TOOLS, False) == talk(served, world, "write", lambda client: every_tool(client, world))
    served.flush()
    with world.open() as workspace:
        assert workspace.verify().is_sound


def test_every_tool_works_over_streamable_http(url: str, world) -> None:
    async def run() -> dict[str, bool]:
        async with (
            httpx2.AsyncClient(headers=world.headers("write")) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            return await every_tool(client, world)

    assert dict.fromkeys(TOOLS, False) == asyncio.run(run())


@stores.needs_file
def test_every_tool_works_over_stdio(world) -> None:
    environment = {"PATH": os.environ["PATH"], "OIDA_KEY": world.tokens["write"], "OIDA_KB": str(world.path)}
    command = StdioServerParameters(
        command=sys.executable, args=["-c", "from oida.faces.cli.main import main; main()", "mcp"], env=environment
    )

    async def run() -> dict[str, bool]:
        async with Client(stdio_client(command)) as client:
            return await every_tool(client, world)

    assert dict.fromkeys(TOOLS, False) == asyncio.run(run())


def test_over_http_a_key_is_needed(url: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert 401 == httpx2.post(f"{url}/mcp", json=body).status_code


def test_what_a_reader_says_waits_for_a_reviewer(served: ServedBase, world) -> None:
    async def conversation(client: Client) -> list[dict[str, Any]]:
        replies = [
            await client.call_tool("record_statement", {"text": "We buy forty sensors.", "epistemic_class": "DECISION"}),
            await client.call_tool("answer_question", {"question": world.ids[2], "text": "We take Harrow."}),
            await client.call_tool("report_contradiction", {"target": world.ids[0], "source": world.ids[3]}),
        ]
        return [reply.structured_content for reply in replies]

    replies = talk(served, world, "read", conversation)
    assert ["proposed"] * 3 == [reply["outcome"] for reply in replies]
    with world.open() as workspace:
        before = workspace.status().objects
        assert [reply["id"] for reply in replies] == [proposal.proposal_id for proposal in workspace.proposals()]
        for reply in replies:
            workspace.accept(reply["id"])
        assert before + 2 == workspace.status().objects
        assert workspace.verify().is_sound


def test_text_of_the_store_cannot_leave_its_quotation(served: ServedBase, world) -> None:
    async def conversation(client: Client) -> str:
        reply = await client.call_tool("show", {"id": world.ids[7]})
        return str(reply.structured_content["object"]["quote"])

    quote = talk(served, world, "read", conversation)
    assert quote.startswith("“")
    assert quote.endswith("”")
    assert not any(mark in quote[1:-1] for mark in ("“", "”", "\n"))
    assert "\\[ko-" in quote


def test_a_wrong_call_is_a_result_that_a_model_can_act_on(served: ServedBase, world) -> None:
    async def conversation(client: Client) -> list[Any]:
        return [
            await client.call_tool("show", {"id": "ko-unknown"}),
            await client.call_tool("show", {"id": world.ids[5]}),
            await client.call_tool("context", {"question": "x", "budget_tokens": 1}),
            await client.call_tool("report_contradiction", {"target": world.ids[0]}),
        ]

    replies = talk(served, world, "read", conversation)
    assert [True] * 4 == [reply.is_error for reply in replies]
    texts = [reply.content[0].text for reply in replies[:2]]
    assert "not-found" in texts[0]
    assert texts[0].replace("ko-unknown", "ID") == texts[1].replace(world.ids[5], "ID")


def test_resources_and_prompts_are_there(served: ServedBase, world) -> None:
    async def conversation(client: Client) -> tuple[list[str], dict[str, Any], list[str]]:
        templates = [each.uri_template for each in (await client.list_resource_templates()).resource_templates]
        lists = {}
        for name in ("questions", "decisions", "contradictions", "stale"):
            lists[name] = json.loads((await client.read_resource(f"oida://lists/{name}")).contents[0].text)["total"]
        prompts = [each.name for each in (await client.list_prompts()).prompts]
        shown = json.loads((await client.read_resource(f"oida://objects/{world.ids[0]}")).contents[0].text)
        assert world.ids[0] == shown["object"]["id"]
        assert "dock doors" in (await client.get_prompt("brief", {"topic": "dock doors"})).messages[0].content.text
        return templates, lists, prompts

    templates, lists, prompts = talk(served, world, "read", conversation)
    assert ["oida://lists/{name}", "oida://objects/{id}"] == sorted(templates)
    assert {"questions": 1, "decisions": 1, "contradictions": 1, "stale": 0} == lists
    assert ["brief", "open_questions", "settle_contradiction"] == sorted(prompts)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_older_and_newer_clients_are_served(served: ServedBase, world, mode: Any) -> None:
    server = create_server(served, lambda request: served.recognise(world.tokens["read"]))

    async def run() -> bool:
        async with Client(server, mode=mode) as client:
            return bool((await client.call_tool("search", {"words": "sensor"})).is_error)

    assert not asyncio.run(run())
