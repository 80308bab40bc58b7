"""The tools of a system over MCP: stateless JSON-RPC, one message in each call."""

from __future__ import annotations

import json
from typing import Any, cast

from pydantic import Field

from askback.domain.faults import Faults
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import Refused
from askback.ports.systems import ApiCall, Json, JsonReply, Route, System, Tools
from askback.wire.operation import REQUESTER

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
SERVER = {"name": "askback", "version": "1"}
_KEY = "claudecode/toolUseId"


class ToolCall(Model, extra="ignore"):
    """The parameters of `tools/call`."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    meta: dict[str, Any] = Field(default_factory=dict, alias="_meta")


def tool_routes(system: System) -> list[Route]:
    """Return the route of the tools of a system, if it has tools."""
    if (tools := system.tools) is None:
        return []

    async def handle(call: ApiCall) -> JsonReply:
        return await _handle(call, tools, system)

    return [Route(f"POST {tools.path}", REQUESTER, handle)]


async def _handle(call: ApiCall, tools: Tools, system: System) -> JsonReply:
    message = _members(call.json())
    method, id_ = message.get("method"), message.get("id")
    if not isinstance(method, str):
        return JsonReply(_reply(None, error={"code": -32600, "message": "Invalid Request"}), status=400)
    if "id" not in message:  # a notification
        return JsonReply(None, status=202)
    params = _members(message.get("params"))
    result: Json = {}
    match method:
        case "initialize":
            protocol_version = params.get("protocolVersion")
            version = protocol_version if protocol_version in VERSIONS else VERSIONS[0]
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": SERVER}
        case "ping":
            pass
        case "tools/list":
            result = {"tools": [_tool(*item) for item in tools.arguments.items()]}
        case "tools/call":
            result = await _call(call, tools, system, params)
        case _:
            return JsonReply(_reply(id_, error={"code": -32601, "message": "Method not found"}))
    return JsonReply(_reply(id_, result=result))


def _members(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _reply(id_: object, **content: Json) -> Json:
    return {"jsonrpc": "2.0", "id": id_, **content}


def _tool(name: str, model: type[Model]) -> Json:
    schema = model.model_json_schema()
    return {"name": name, "description": schema.pop("description"), "inputSchema": schema}


async def _call(call: ApiCall, tools: Tools, system: System, params: Json) -> Json:
    """Call a tool; a refusal is its result, so that the model can correct it."""
    try:
        tool_call = parse(ToolCall, params)
        key = tool_call.meta.get(_KEY)
        result = await tools.run(
            call, tool_call.name, tool_call.arguments, key if isinstance(key, str) else None
        )
    except (Faults, Refused) as error:
        _status, body = system.refuse(call.api.explain(error))
        return {"content": _text(body["message"]), "isError": True}
    return {"content": _text(json.dumps(result)), "structuredContent": result, "isError": False}


def _text(text: str) -> list[Json]:
    return [{"type": "text", "text": text}]
