"""Measure the cost of an auto-approved tool call in the adapter for the Claude Agent SDK, in process and over HTTP.

Run it with the environment of the adapter: `.venvs/claude/bin/python -m bench.claude_calls`. It calls the
callbacks like the SDK for each call: the hook before, `can_use_tool`, and the hook after. The agent may read the
folder of the call. The CLI is not measured. `cpu_ms` is the processor time of this process for a call, which in
process includes the server.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ToolPermissionContext  # pyright: ignore[reportMissingImports]

from askback import AsyncClient
from askback.adapters.claude import with_askback
from askback.server.app import create_app
from askback.server.settings import load
from bench.measure import emit, latency
from tests.adapters.conftest import TOKENS, Server

WARM = 50
PROJECT = "/srv/project"


async def measure(case: str, ask: AsyncClient, total: int) -> None:
    """Measure calls that the default policy allows, one after the other."""
    options: Any = with_askback(ClaudeAgentOptions(cwd=PROJECT), ask, thread_id=case)
    hooks = {event: matchers[0].hooks[0] for event, matchers in options.hooks.items()}
    samples: dict[str, list[float]] = {"decide": [], "report": []}
    cpu = 0.0
    for number in range(WARM + total):
        if number == WARM:
            cpu = time.process_time()
        hook_input = {
            "session_id": case,
            "tool_name": "Read",
            "tool_input": {"file_path": f"src/{number}.py"},
        }
        hook_input |= {"tool_use_id": f"toolu_{number:024}"}
        started_at = time.perf_counter()
        await hooks["PreToolUse"](hook_input, hook_input["tool_use_id"], {"signal": None})
        context = ToolPermissionContext(tool_use_id=hook_input["tool_use_id"])
        result = await options.can_use_tool("Read", hook_input["tool_input"], context)
        decided = time.perf_counter()
        await hooks["PostToolUse"](hook_input, hook_input["tool_use_id"], {"signal": None})
        assert result.behavior == "allow", result
        if number >= WARM:
            samples["decide"].append(decided - started_at)
            samples["report"].append(time.perf_counter() - decided)
    cpu_ms = round((time.process_time() - cpu) / total * 1e3, 2)
    for part, taken in samples.items():
        emit("claude_calls", f"{case}, {part}", **latency(taken), cpu_ms=cpu_ms)


async def make_token(admin: AsyncClient) -> str:
    """Make a token for an agent that may read the project."""
    return (await admin.tokens.create(agent="reader", roots=[PROJECT])).token.reveal()


async def main(total: int) -> None:
    """Measure in process, over a WebSocket and over plain HTTP."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"ASKBACK_BOOTSTRAP_TOKENS": f"admin:{TOKENS['admin']}"}
        app = create_app(load(settings, data_dir=Path(folder) / "in-process"))
        async with (
            AsyncClient(app=app, token=TOKENS["admin"]) as admin,
            AsyncClient(app=app, token=await make_token(admin)) as ask,
        ):
            await measure("in-process", ask, total)
        server = Server(Path(folder) / "server")
        try:
            async with server.client("admin") as admin:
                token = await make_token(admin)
            for transport in ("websocket", "http"):
                async with AsyncClient(server.url, token, transport=transport) as ask:
                    await measure(transport, ask, total)
        finally:
            server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--total", type=int, default=1000, help="calls in each case")
    asyncio.run(main(parser.parse_args().total))
