"""Nebo's agent tool in Python: its schema, its answers and its errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest

from askback import AsyncClient
from askback.compat.nebo import AGENT_TOOL, agent
from askback.compat.nebo.frames import FIELDS, Ask, Widget
from askback.server.app import create_app
from askback.server.settings import load
from tests.client.servers import TOKENS
from tests.requirements import requirement

pytestmark = pytest.mark.anyio
TYPES = (
    "Error: widgets[0].type: Unknown type. "
    "Use one of: buttons, confirm, select, radio, checkbox. [unknown_type]"
)
PICK = {"type": "checkbox", "options": ["x", "y", "z"]}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Error: 'prompt' (or 'text') is required for ask action"),
        ({"prompt": " ", "widgets": [PICK]}, "Error: 'prompt' (or 'text') is required for ask action"),
        ({"prompt": "P", "widgets": [{"type": "x"}]}, TYPES),
        ({"prompt": "P", "widgets": [{"type": "radio"}]}, "Error: widgets[0].options: Add at least one option. [option_required]"),
        ({"prompt": "P", "require_client": "fail_fast"}, "Error: Interactive prompts require the web UI"),
        ({"prompt": "P", "action": "send"}, "Error: action: Unknown value. Use one of: ask. [unknown_value]"),
    ],
)  # fmt: skip
@requirement("A12", "A13")
async def test_an_error_is_a_text_for_the_model(tmp_path: Path, arguments: dict[str, Any], text: str):
    tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    app = create_app(load({"ASKBACK_BOOTSTRAP_TOKENS": tokens}, data_dir=tmp_path))
    async with app.running(), AsyncClient(app=app, token=TOKENS["requester"]) as client:
        assert await agent(client, thread_id="t1", **arguments) == text
        assert await agent(None, **arguments) in {text, "Error: Interactive prompts require the web UI"}


async def test_the_answer_is_one_text(tmp_path: Path):
    tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    app = create_app(load({"ASKBACK_BOOTSTRAP_TOKENS": tokens}, data_dir=tmp_path))
    arguments: dict[str, Any] = {
        "resource": "message",
        "action": "ask",
        "prompt": "Which?",
        "widgets": [PICK],
    }
    jsonschema.validate(arguments, AGENT_TOOL["input_schema"])
    results: list[str] = []
    async with app.running(), AsyncClient(app=app, token=TOKENS["requester"]) as client:

        async def run() -> None:
            results.append(await agent(client, thread_id="t1", **arguments))

        async with (
            AsyncClient(app=app, token=TOKENS["responder"]) as person,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(run)
            with anyio.fail_after(120):
                while not (requests := await person.requests.list()):
                    await anyio.lowlevel.checkpoint()
            await person.requests.answer(next(iter(requests)), {"w1": ["z", "x"]})
    assert results == ["x,z"]


@pytest.mark.parametrize(
    "arguments", [{"resource": "message", "action": "ask"}, {"prompt": "P"}, {"text": 5}]
)
def test_the_schema_refuses_what_the_tool_refuses(arguments: dict[str, Any]):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(arguments, AGENT_TOOL["input_schema"])


def test_the_schema_has_the_members_and_types_of_widgets_that_the_tool_reads():
    schema = AGENT_TOOL["input_schema"]
    assert schema["properties"].keys() == {"resource", "action", *Ask.model_fields}
    widget = schema["properties"]["widgets"]["items"]
    assert widget["properties"].keys() == Widget.model_fields.keys()
    assert widget["properties"]["type"]["enum"] == list(FIELDS)
