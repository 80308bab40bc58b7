"""FastMCP over streamable HTTP: a tool that asks by elicitation, and clients that answer at once. Nothing is durable.

    python -m bench.peers.fastmcp_tools serve                       prints its address
    python -m bench.peers.fastmcp_tools drive URL TOOL AT_ONCE TOTAL  prints the samples

`elicit` is a server's question to its client until 2025; `input_required` is that of the protocol of 2026,
where the client calls the tool again with the answer.
"""
# pyright: reportMissingImports=false

import asyncio
import json
import logging
import socket
import sys
from dataclasses import dataclass
from typing import Any

import mcp_types
from fastmcp import Client, Context, FastMCP
from fastmcp.client.elicitation import ElicitResult

from bench.measure import closed_loop

PROMPT = "I need a few details before I deploy build 1. " * 20
VALUES = {"env": "staging", "replicas": 3, "email": "ada@example.org", "confirm": True}
SCHEMA = {
    "type": "object",
    "properties": {
        "env": {"type": "string", "enum": ["staging", "prod", "preview"]},
        "replicas": {"type": "integer", "minimum": 1, "maximum": 20},
        "email": {"type": "string", "maxLength": 120},
        "confirm": {"type": "boolean"},
    },
    "required": ["env", "replicas", "confirm"],
}
PROTOCOL_MODES = {"elicit": "legacy", "input_required": "auto"}
"""The mode of the client for each tool."""

mcp = FastMCP("bench")


@dataclass
class Details:
    """The requested details."""

    env: str
    replicas: int
    email: str
    confirm: bool


@mcp.tool
async def elicit(ctx: Context) -> dict:
    """Ask the client while the call is open."""
    result = await ctx.elicit(PROMPT, Details)
    return {"env": result.data.env}


@mcp.tool
async def input_required(ctx: Context) -> dict | mcp_types.InputRequiredResult:
    """Let the client call again with the answer."""
    if input_responses := ctx.input_responses:
        content = getattr(input_responses["form"], "content", None) or input_responses["form"]["content"]
        return {"env": content["env"]}
    params = mcp_types.ElicitRequestFormParams(mode="form", message=PROMPT, requested_schema=SCHEMA)
    elicitation = mcp_types.ElicitRequest(method="elicitation/create", params=params)
    return mcp_types.InputRequiredResult(input_requests={"form": elicitation}, request_state="s")


async def answer(_message: str, kind: Any, _params: Any, _context: Any) -> Any:
    """Answer at once, in the form's format."""
    return ElicitResult(action="accept", content=VALUES) if kind is None else kind(**VALUES)


async def call_tool(url: str, tool: str, at_once: int, total: int) -> None:
    """Call the tool `total` times over `at_once` connections, and print the latencies and the time, in seconds."""
    clients = [Client(url, elicitation_handler=answer, mode=PROTOCOL_MODES[tool]) for _ in range(at_once)]
    free_clients = [await client.__aenter__() for client in clients]

    async def cycle(_: int) -> None:
        client = free_clients.pop()
        result = await client.call_tool(tool, {})
        free_clients.append(client)
        assert result.data["env"] == VALUES["env"]

    await closed_loop(at_once, max(10, at_once), cycle)
    samples, seconds = await closed_loop(at_once, total, cycle)
    for client in clients:
        await client.__aexit__(None, None, None)
    print(json.dumps({"samples": samples, "seconds": seconds}), flush=True)


def serve() -> None:
    """Serve until a signal ends it."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    print(f"http://127.0.0.1:{port}/mcp", flush=True)
    mcp.run(transport="http", host="127.0.0.1", port=port, show_banner=False, log_level="error")


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    if sys.argv[1] == "serve":
        serve()
    else:
        asyncio.run(call_tool(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))
