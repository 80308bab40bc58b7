"""Differences between MCP clients, by the client's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from mcp.server.context import CallNext, HandlerResult
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitResult,
    TextContent,
    Tool,
    ToolAnnotations,
)
from mcp_types.version import is_version_at_least

from askback.adapters.mcp.caller_connection import Context

CODEX, COPILOT, GEMINI = "codex-mcp-client", "copilot-cli", "gemini-cli-mcp-client"
VS_CODE = "Visual Studio Code"

QUICK_S = 1.0
"""Nobody reads a question and refuses it within this time."""

_RENAMED = {GEMINI: {"ask_user": "ask_person"}}
"""Tools that a client lists under another name. Gemini CLI without a terminal refuses each tool called `ask_user`."""
_OWN_ARGUMENTS = {GEMINI: ("wait_for_previous",)}
"""Arguments that a client adds to every tool, and sends to the server."""
_BUILDS_OF_VS_CODE = (VS_CODE, "Code - OSS", "VSCodium", "code-server")
"""How the names of VS Code's builds begin; that of Insiders goes on."""
_REFUSE_ALONE = frozenset({CODEX, COPILOT})
"""Clients that refuse by themselves what they do not show: Codex some dialogs, `copilot -p` all of them."""
_TAKE_PROMPTS = frozenset({CODEX, COPILOT, GEMINI, VS_CODE})
"""Clients that take the tool for permission prompts for one of the model."""
_PROMPT_TOOL = "approval_prompt"
_READ_NO_TEXTS = frozenset({CODEX, VS_CODE})
"""Clients whose model reads only the structured content of a result that has some."""
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>()#+\-!|~&]")


def client_of(context: Context) -> str:
    """Return the name in the client's info, of all builds of VS Code the same; empty if there is none."""
    params = context.session.client_params
    name = "" if params is None else params.client_info.name
    return VS_CODE if name.startswith(_BUILDS_OF_VS_CODE) else name


def adapt_tools(client: str, tools: list[Tool]) -> list[Tool]:
    """Return the tools as a client has to list them."""
    names = _RENAMED.get(client, {})
    return [
        tool.model_copy(
            update={
                "name": names.get(tool.name, tool.name),
                "description": rename_tools(client, tool.description or ""),
                "annotations": _annotations(client, tool),
            }
        )
        for tool in tools
        if client not in _TAKE_PROMPTS or tool.name != _PROMPT_TOOL
    ]


def _annotations(client: str, tool: Tool) -> ToolAnnotations | None:
    """Return the annotations of a tool. VS Code asks for permission before it calls one that is not read-only."""
    if client != VS_CODE or tool.annotations is None:
        return tool.annotations
    return tool.annotations.model_copy(update={"read_only_hint": True})


def rename_tools(client: str, text: str) -> str:
    """Return a text for the model with the names under which its client lists the tools."""
    for name, other_name in _RENAMED.get(client, {}).items():
        text = text.replace(name, other_name)
    return text


async def adapt_instructions(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Name the tools in the instructions of the server as the client lists them."""
    result = await call_next(ctx)
    if ctx.method == "initialize" and isinstance(result, dict) and ctx.params is not None:
        info = ctx.params.get("clientInfo")
        client = str(cast("dict[str, Any]", info).get("name")) if isinstance(info, dict) else ""
        return {**result, "instructions": rename_tools(client, str(result.get("instructions")))}
    return result


def adapt_call(client: str, params: CallToolRequestParams) -> CallToolRequestParams:
    """Return a call with our name of its tool, and without the arguments that the client has added."""
    own_names = {other_name: name for name, other_name in _RENAMED.get(client, {}).items()}
    added = _OWN_ARGUMENTS.get(client, ())
    arguments = {name: value for name, value in (params.arguments or {}).items() if name not in added}
    return params.model_copy(update={"name": own_names.get(params.name, params.name), "arguments": arguments})


def adapt_result(client: str, result: CallToolResult) -> CallToolResult:
    """Return a result with its text in the structured content, for clients whose model reads only that.

    The text of a list of requests says nothing more.
    """
    content = result.structured_content
    if client not in _READ_NO_TEXTS or content is None or "requests" in content:
        return result
    texts = (item.text for item in result.content if isinstance(item, TextContent))
    return result.model_copy(update={"structured_content": {**content, "message": "\n".join(texts)}})


def takes_own_texts(client: str) -> bool:
    """Whether the form of a client can be sent without a text that is optional; in Codex its last field cannot."""
    return client != CODEX


def shows_values(client: str) -> bool:
    """Whether a client shows the value of an option above its title."""
    return client == VS_CODE


def write_literal(client: str, text: str) -> str:
    """Return a message that the client shows as this text; VS Code takes messages for Markdown."""
    return re.sub("\n+", "\n\n", _MARKDOWN.sub(r"\\\g<0>", text)) if client == VS_CODE else text


def can_show(client: str, params: Mapping[str, Any]) -> bool:
    """Whether a client shows all fields of a form. Codex has no lists and no numbers, and no text can stay empty."""
    schema = cast("Mapping[str, Any]", params["requestedSchema"])
    properties = cast("Mapping[str, Mapping[str, Any]]", schema["properties"])
    return client != CODEX or all(
        part["type"] == "boolean"
        or (
            part["type"] == "string"
            and (part.keys() & {"enum", "oneOf"} or name in schema.get("required", ()))
        )
        for name, part in properties.items()
    )


def opens_pages(client: str, version: str) -> bool:
    """Whether a client opens pages. Since 2026-07-28 they have no id, without which Copilot refuses the result."""
    return client != COPILOT or not is_version_at_least(version, "2026-07-28")


def take_answer(client: str, result: ElicitResult, seconds: float) -> ElicitResult:
    """Return the person's answer; some clients refuse by themselves, and at once, what they do not show."""
    if client in _REFUSE_ALONE and result.action == "decline" and seconds < QUICK_S:
        return ElicitResult(action="cancel")
    return result
