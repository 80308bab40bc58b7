"""The promises about tools of FastMCP that require approval, with the real framework."""

from __future__ import annotations

import asyncio
import os
import sys

import anyio
from fastmcp import Client, FastMCP
from fastmcp.client.transports import PythonStdioTransport

from askback import AsyncClient, InputRequest, ask_context, requires_approval
from askback.testing import Approve, Deny, person
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.mcp.conftest import text_of
from tests.adapters.programs import PATIENCE_S, ROOT

EXAMPLE = ROOT / "examples" / "frameworks" / "mcp_fastmcp.py"


async def test_parallel_tool_calls_are_shown_together_and_decided_separately() -> None:
    ran: list[str] = []
    mcp = FastMCP("releases")

    @mcp.tool
    @requires_approval(allow_edit=True)
    async def deploy(to: str, times: int = 1) -> str:
        """Deploy."""
        ran.append(to)
        return f"deployed {to} {times} times"

    def decide(request: InputRequest) -> Approve | Deny:
        assert request.approval is not None
        if request.approval.input == {"to": "prod", "times": 1}:
            return Deny("not on Friday")
        return Approve(input={"to": "edited", "times": 2})

    ada = person(decide)
    async with ada, AsyncClient(app=ada.app, thread_id="t1") as ask:
        with ask_context(client=ask):
            async with Client(mcp) as client:
                [tool] = await client.list_tools()
                denied, approved = await asyncio.gather(
                    *(
                        client.call_tool("deploy", {"to": to}, raise_on_error=False)
                        for to in ("prod", "stage")
                    )
                )
    assert (ran, approved.data) == (["edited"], "deployed edited 2 times")
    assert denied.is_error
    assert "not on Friday" in text_of(denied)
    assert tool.description == "Deploy."
    assert list(tool.input_schema["properties"]) == ["to", "times"]


async def test_the_example_deploys_the_approved_version_after_the_server_was_killed(
    own_server: Server,
) -> None:
    environment = {**os.environ, "ASKBACK_URL": own_server.url, "ASKBACK_TOKEN": TOKENS["requester"]}
    transport = PythonStdioTransport(EXAMPLE, python_cmd=sys.executable, env=environment)
    async with Client(transport) as client, own_server.client("responder") as ada:
        with anyio.fail_after(PATIENCE_S):
            call = asyncio.create_task(client.call_tool("deploy", {"to": "production"}))
            async for event in ada.events(cursor=0):
                if event["type"] == "request.created":
                    break
            own_server.kill_and_restart()
            assert "ctx" not in event["request"]["approval"]["input"]
            await ada.requests.decide(event["request"]["id"], "approve")
            assert (await call).data == "Deployed to production."
