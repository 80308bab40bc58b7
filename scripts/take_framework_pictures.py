"""Take the screenshots of the pages about frameworks: the card of each example's call.

`make framework-pictures` runs it (`ARGS="langgraph adk"` picks); it needs Chromium, and installs each
framework in its own environment. Each example gets a token named after its framework, which the card shows.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser

from adapters import EXAMPLES, make_environment
from askback import AsyncClient
from askback.demo.processes import RunningServer, run_server
from take_picture import PAUSE_MS, browser, save_picture

NAMES = {
    "adk": "Google ADK",
    "ag_ui": "AG-UI",
    "agent_framework": "Agent Framework",
    "crewai": "CrewAI",
    "fastmcp": "FastMCP",
    "langgraph": "LangGraph",
    "openai_agents": "OpenAI Agents",
    "pydantic_ai": "Pydantic AI",
}
WIDTH = 760
PATIENCE_S = 120
CLIENT_OF_MCP = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "client", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "deploy", "arguments": {"to": "production"}}},
)
"""What a client sends to the server of the FastMCP example, which has no agent of its own."""


async def call_of(person: AsyncClient) -> str:
    """Answer the question of an example, and return the id of the request for its call."""
    async for event in person.events(cursor=0):
        if event["type"] == "request.created":
            request = event["request"]
            if request["kind"] == "approval":
                return request["id"]
            await person.requests.answer(request["id"], {"answer": "2.0"})
    raise AssertionError("events do not end")


async def token_of(name: str, data: Path) -> str:
    """Create an agent named after the framework, and return its token."""
    command = (
        sys.executable,
        "-m",
        "askback",
        "token",
        "create",
        "--agent",
        NAMES[name],
        "--name",
        NAMES[name],
    )
    process = await asyncio.create_subprocess_exec(
        *command, "--data-dir", str(data), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return output.decode().strip()


async def start(name: str, environment: dict[str, str]) -> asyncio.subprocess.Process:
    """Start an example; the one for FastMCP is a server, so its client is here."""
    environment_name, file = ("mcp", "mcp_fastmcp.py") if name == "fastmcp" else (name, f"{name}_agent.py")
    example = (make_environment(environment_name), EXAMPLES / file)
    process = await asyncio.create_subprocess_exec(
        *example, env=environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    if name == "fastmcp" and process.stdin is not None:
        lines = [json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in CLIENT_OF_MCP]
        process.stdin.write("".join(lines).encode())
    return process


async def take_pictures(chromium: Browser, ready: RunningServer, name: str, data: Path) -> None:
    """Run an example until it asks about its call, and photograph that."""
    token = await token_of(name, data)
    process = await start(name, {**os.environ, "ASKBACK_URL": ready.url, "ASKBACK_TOKEN": token})
    try:
        async with AsyncClient(ready.url, ready.responder_token) as person:
            async with asyncio.timeout(PATIENCE_S):
                request_id = await call_of(person)
        page = await chromium.new_page(
            viewport={"width": WIDTH, "height": 600}, device_scale_factor=1.5, reduced_motion="reduce"
        )
        await page.goto(f"{ready.login_url}&next=/inbox/{request_id}")
        card = page.locator("askback-request")
        await card.get_by_role("button", name="Allow once").wait_for()
        await page.wait_for_timeout(PAUSE_MS)
        save_picture(f"framework-{name.replace('_', '-')}", await card.screenshot())
        await page.close()
    finally:
        process.kill()
        await process.wait()


async def main(names: list[str]) -> None:
    """Take the pictures of these frameworks, or of all."""
    async with browser() as chromium:
        for name in names or NAMES:
            with tempfile.TemporaryDirectory() as folder:
                data = Path(folder) / "data"
                async with run_server(data, port=0) as server:
                    await take_pictures(chromium, server, name, data)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
