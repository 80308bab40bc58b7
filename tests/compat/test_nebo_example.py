"""The example of the how-to asks as Nebo's agent does, and a person answers on Nebo's page."""

# ruff: noqa: F811 - a fixture is imported, and named again by the test that uses it

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from websockets.asyncio.client import connect

from tests.examples.server import data, run  # noqa: F401 - a fixture

pytestmark = pytest.mark.anyio


async def test_the_example_asks_and_reads_the_answer(data: Path) -> None:
    server = json.loads((data / "server.json").read_text())
    process = run("nebo_agent.py", data, ASKBACK_URL=server["url"], ASKBACK_TOKEN=server["requester_token"])
    page = server["url"].replace("http", "ws", 1) + "/compat/nebo/ws"
    with anyio.fail_after(120):
        headers = {"Authorization": f"Bearer {server['responder_token']}"}
        async with connect(page, additional_headers=headers) as hub:
            ask_frame = json.loads(await hub.recv())
            response = {"request_id": ask_frame["data"]["request_id"], "value": "Option B"}
            await hub.send(json.dumps({"type": "ask_response", "data": response}))
            out, _ = await anyio.to_thread.run_sync(process.communicate)
    assert out == "Option B\n"
