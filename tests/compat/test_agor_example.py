"""The example of the how-to gets the messages of what people do with Agor's widgets."""

# ruff: noqa: F811 - a fixture is imported, and named again by the test that uses it

from __future__ import annotations

import json
from pathlib import Path

import anyio
import httpx2
import pytest

from tests.examples.server import data, run  # noqa: F401 - a fixture

pytestmark = pytest.mark.anyio
BODIES = {"env_vars": {"values": {"HUBSPOT_API_KEY": "canary-key"}}, "confirmation": {"option_id": "all"}}


async def test_the_example_gets_its_messages_and_no_value(data: Path) -> None:
    server = json.loads((data / "server.json").read_text())
    process = run("agor_agent.py", data, ASKBACK_URL=server["url"], ASKBACK_TOKEN=server["requester_token"])
    headers = {"Authorization": f"Bearer {server['responder_token']}"}
    answered_ids = set[str]()
    with anyio.fail_after(120):
        async with (
            httpx2.AsyncClient(base_url=server["url"], headers=headers, timeout=120) as page,
            page.stream("GET", "/v1/events", params={"cursor": 0}) as events,
        ):
            async for line in events.aiter_lines():
                event = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
                widget = event.get("request", {}).get("id", "")
                if event.get("type") != "request.created" or widget in answered_ids:
                    continue
                answered_ids.add(widget)
                message = (await page.get(f"/compat/agor/messages/{widget}")).json()
                body = BODIES[message["metadata"]["widget"]["widget_type"]]
                reply = await page.post(f"/compat/agor/widgets/{widget}/submit", json=body)
                assert reply.status_code == 200, reply.text
                if len(answered_ids) == len(BODIES):
                    break
        out, _ = await anyio.to_thread.run_sync(process.communicate)
    assert out.splitlines() == [
        "[askback] User submitted HUBSPOT_API_KEY (scope: session). You can now retry the operation that needed it.",
        "[Agor] User chose: Import all.",
    ]
