"""The example of the how-to waits in `can_use_tool` for what people decide in Gobby's chat."""

# ruff: noqa: F811 - a fixture is imported, and named again by the test that uses it

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from websockets.asyncio.client import connect

from tests.examples.server import data, run  # noqa: F401 - a fixture

pytestmark = pytest.mark.anyio


async def test_the_example_gets_its_answer_and_its_refusal(data: Path) -> None:
    server = json.loads((data / "server.json").read_text())
    process = run("gobby_agent.py", data, ASKBACK_URL=server["url"], ASKBACK_TOKEN=server["requester_token"])
    headers = {"Authorization": f"Bearer {server['responder_token']}"}
    url = server["url"].replace("http", "ws", 1) + "/compat/gobby/ws"
    about = {"conversation_id": "signup"}
    with anyio.fail_after(120):
        async with connect(url, additional_headers=headers, proxy=None) as page:
            async for text in page:
                frame = json.loads(text)
                if frame.get("status") == "calling":
                    answers = {"Which authentication?": "OAuth"}
                    sent = {"type": "ask_user_response", "tool_call_id": "toolu_1", "answers": answers}
                    await page.send(json.dumps({**about, **sent}))
                if frame.get("status") == "pending_approval":
                    sent = {"type": "tool_approval_response", "tool_call_id": "toolu_2", "decision": "reject"}
                    await page.send(json.dumps({**about, **sent}))
                if frame.get("status") == "error":
                    break
        out, _ = await anyio.to_thread.run_sync(process.communicate)
    assert out.splitlines() == ["{'Which authentication?': 'OAuth'}", "User rejected tool call: Bash"]
