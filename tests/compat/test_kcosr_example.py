"""The example of the how-to asks as kcosr's tool does, and goes on with the answers."""

# ruff: noqa: F811 - a fixture is imported, and named again by the test that uses it

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import anyio
import pytest

from askback import AsyncClient, InputRequest
from tests.examples.server import data, run  # noqa: F401 - a fixture

pytestmark = pytest.mark.anyio


async def test_the_example_asks_and_reads_the_answers(data: Path) -> None:
    server = json.loads((data / "server.json").read_text())
    process = run(
        "questionnaire_agent.py", data, ASKBACK_URL=server["url"], ASKBACK_TOKEN=server["requester_token"]
    )
    with anyio.fail_after(120):
        async with AsyncClient(server["url"], token=server["responder_token"]) as person:
            async for event in person.events("intake", cursor=0):
                request = InputRequest.model_validate(event["request"])
                await person.requests.answer(request, {"title": "Shop", "budget": 200})
                break
        out, _ = await anyio.to_thread.run_sync(process.communicate)
    first_line, text = out.splitlines()
    assert first_line == "Questionnaire remains open for a later response."
    assert json.loads(ET.fromstring(text).attrib["answers-json"]) == {"title": "Shop", "budget": 200}
