"""The schemas of the tools, in words that every client reads, and arguments that are null."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from askback.adapters.mcp.tools import TOOLS
from tests.adapters.mcp.conftest import KINDS, Connect
from tests.requirements import requirement

SCHEMAS = {name: tool.describe(name).input_schema for name, tool in TOOLS.items()}


@pytest.mark.parametrize("name", TOOLS)
def test_each_optional_argument_has_one_type_and_can_be_null(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)
    for argument, part in schema["properties"].items():
        if argument not in schema.get("required", ()):
            assert (isinstance(part["type"], str), part["nullable"]) == (True, True)
            assert not {"anyOf", "oneOf"} & part.keys()


def test_an_option_is_a_text_or_an_object() -> None:
    options = SCHEMAS["ask_user"]["properties"]["options"]
    text, option = options["items"]["anyOf"]
    assert (options["type"], text, option["type"]) == ("array", {"type": "string"}, "object")
    assert (option["properties"]["value"]["type"], option["required"]) == ("string", ["label"])


@pytest.mark.anyio
@requirement("E1")
async def test_an_argument_that_is_null_counts_as_left_out(connect: Connect, thread: str) -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ["options", "multiple", "allow_other", "questions", "form", "timeout_s"]
    )
    async with connect(KINDS[0]) as tools:
        content = await tools.content("ask_user", question="Which?", wait_s=0, thread_id=thread, **nothing)
        listed = await tools.content("list_requests", thread_id=thread, limit=None)
        approval = await tools.content("request_approval", tool="x", input=None, wait_s=0, thread_id=thread)
    assert [item["request_id"] for item in listed["requests"]] == [content["request_id"]]
    assert approval["status"] == "pending"
