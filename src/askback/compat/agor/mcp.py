"""The same tools over MCP: stateless JSON-RPC, one message in each call."""

from __future__ import annotations

import json
from typing import Any, cast

from pydantic import Field

from askback.compat.agor.asking import PREFIX, TOOLS, run
from askback.compat.agor.errors import refuse
from askback.compat.system import Answer, Api, Call, Json
from askback.domain.faults import Faults
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import Refused

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
NO_SESSION = "This tool needs a session: add ?session_id= to the address of the server."
_KEY = "claudecode/toolUseId"


class ToolCall(Model):
    """The parameters of `tools/call` that matter here."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])


async def mcp(call: Call) -> Answer:
    """`POST /mcp?session_id=`."""
    message = _members(call.json())
    if not isinstance(message.get("method"), str):
        return Answer(_error(None, -32600, "Invalid Request"), status=400)
    if "id" not in message:  # a notification
        return Answer(None, status=202)
    id_, params = message["id"], _members(message.get("params"))
    match message["method"]:
        case "initialize":
            result = _initialize(params)
        case "ping":
            result: Json = {}
        case "tools/list":
            result = {"tools": _tools()}
        case "tools/call":
            result = await _call(call.api, call.query.get("session_id"), params)
        case _:
            return Answer(_error(id_, -32601, "Method not found"))
    return Answer({"jsonrpc": "2.0", "id": id_, "result": result})


def _members(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _initialize(params: Json) -> Json:
    asked = params.get("protocolVersion")
    version = asked if asked in VERSIONS else VERSIONS[0]
    server = {"name": "askback", "version": "1"}
    return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}


def _tools() -> list[Json]:
    return [
        {"name": PREFIX + type_, "description": text, "inputSchema": model.model_json_schema()}
        for type_, (model, text) in TOOLS.items()
    ]


async def _call(api: Api, session: str | None, params: Json) -> Json:
    """Call a tool; a refusal is its result, so that the model can correct it."""
    key = _members(params.get("_meta")).get(_KEY)
    try:
        asked = parse(
            ToolCall, {name: each for name, each in params.items() if name in ToolCall.model_fields}
        )
        if not session:
            return _result(NO_SESSION, is_error=True)
        done = await run(api, session, asked.name, asked.arguments, key=key if isinstance(key, str) else None)
    except (Faults, Refused) as refused:
        return _result(refuse(api.explain(refused))[1]["message"], is_error=True)
    return {**_result(json.dumps(done)), "structuredContent": done}


def _result(text: str, *, is_error: bool = False) -> Json:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def _error(id_: object, code: int, message: str) -> Json:
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
