"""The same tools over MCP: stateless JSON-RPC, one message in each call."""

from __future__ import annotations

import json
from typing import Any, cast

from pydantic import Field

from askback.compat.agor.asking import PREFIX, TOOLS, Tool, run
from askback.compat.agor.errors import refuse
from askback.compat.system import Answer, Api, Call, Json
from askback.domain.faults import Faults
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import Refused

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
SERVER = {"name": "askback", "version": "1"}
_KEY = "claudecode/toolUseId"


class ToolCall(Model, extra="ignore"):
    """The parameters of `tools/call`."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    meta: dict[str, Any] = Field(default_factory=dict[str, Any], alias="_meta")


async def mcp(call: Call) -> Answer:
    """`POST /mcp?session_id=`."""
    message = _members(call.json())
    method, id_ = message.get("method"), message.get("id")
    if not isinstance(method, str):
        return Answer(_reply(None, error={"code": -32600, "message": "Invalid Request"}), status=400)
    if "id" not in message:  # a notification
        return Answer(None, status=202)
    result = await _result(call, method, _members(message.get("params")))
    if result is None:
        return Answer(_reply(id_, error={"code": -32601, "message": "Method not found"}))
    return Answer(_reply(id_, result=result))


def _members(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _reply(id_: object, **content: Json) -> Json:
    return {"jsonrpc": "2.0", "id": id_, **content}


async def _result(call: Call, method: str, params: Json) -> Json | None:
    match method:
        case "initialize":
            asked = params.get("protocolVersion")
            version = asked if asked in VERSIONS else VERSIONS[0]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": SERVER}
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [_tool(PREFIX + type_, model) for type_, model in TOOLS.items()]}
        case "tools/call":
            return await _call(call.api, call.query.get("session_id"), params)
        case _:
            return None


def _tool(name: str, model: type[Tool]) -> Json:
    schema = model.model_json_schema()
    return {"name": name, "description": schema.pop("description"), "inputSchema": schema}


async def _call(api: Api, session: str | None, params: Json) -> Json:
    """Call a tool; a refusal is its result, so that the model can correct it."""
    if not session:
        return _refused("This tool needs a session: add ?session_id= to the address of the server.")
    try:
        asked = parse(ToolCall, params)
        key = asked.meta.get(_KEY)
        done = await run(api, session, asked.name, asked.arguments, key=key if isinstance(key, str) else None)
    except (Faults, Refused) as refused:
        return _refused(refuse(api.explain(refused))[1]["message"])
    text = {"type": "text", "text": json.dumps(done)}
    return {"content": [text], "structuredContent": done, "isError": False}


def _refused(text: str) -> Json:
    return {"content": [{"type": "text", "text": text}], "isError": True}
