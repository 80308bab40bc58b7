"""The example of the how-to asks as iHub's model does, and goes on with the answer."""

# ruff: noqa: F811 - a fixture is imported, and named again by the test that uses it

from __future__ import annotations

import json
from pathlib import Path

import anyio
import httpx2
import pytest

from tests.examples.server import data, run  # noqa: F401 - a fixture

pytestmark = pytest.mark.anyio
CHAT = "/compat/ihub/api/apps/writer/chat/report-7"


async def test_the_example_asks_and_reads_the_answer(data: Path) -> None:
    server = json.loads((data / "server.json").read_text())
    process = run("ihub_agent.py", data, ASKBACK_URL=server["url"], ASKBACK_TOKEN=server["requester_token"])
    headers = {"Authorization": f"Bearer {server['responder_token']}"}
    with anyio.fail_after(120):
        async with httpx2.AsyncClient(base_url=server["url"], headers=headers, timeout=120) as person:
            async with person.stream("GET", CHAT) as stream:
                async for line in stream.aiter_lines():
                    if line == "event: clarification":
                        break
            response = {"questionId": "call_1", "value": "docx", "skipped": False}
            message = {"role": "user", "content": "docx", "clarificationResponse": response}
            assert (await person.post(CHAT, json={"messages": [message]})).status_code == 200
        out, _ = await anyio.to_thread.run_sync(process.communicate)
    assert out.splitlines() == ["Clarification request sent to user. Waiting for response.", str(response)]
