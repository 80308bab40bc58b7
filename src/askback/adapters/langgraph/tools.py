"""The tools by which a model in a graph asks a person, and the mirror of its messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool
from langgraph.types import interrupt
from pydantic import create_model
from pydantic_core import to_jsonable_python

from askback.adapters.asking import MirroredCall, MirroredMessage, mirror_messages
from askback.adapters.asktools import ASK_USER, REQUEST_APPROVAL, REQUEST_ENV_VARS, AskTool
from askback.adapters.langgraph.questions import TOOL_KEY
from askback.client.async_client import AsyncClient
from askback.client.methods import function


@function
async def mirror(
    ask: AsyncClient,
    messages: Sequence[AnyMessage],
    *,
    thread_id: str,
    run_id: str | None = None,
) -> None:
    """Show the messages and tool calls of agents in the thread; existing messages stay unchanged."""
    results = {message.tool_call_id: message.text for message in messages if isinstance(message, ToolMessage)}
    mirrored = [_mirror_message(message, results) for message in messages if isinstance(message, AIMessage)]
    await mirror_messages(ask, mirrored, thread_id=thread_id, run_id=run_id)


def _mirror_message(message: AIMessage, results: Mapping[str, str]) -> MirroredMessage:
    calls = [
        MirroredCall(
            id=call["id"] or "",
            name=call["name"],
            input=call["args"],
            result=results.get(call["id"] or ""),
            done=call["id"] in results,
        )
        for call in message.tool_calls
    ]
    return MirroredMessage(id=message.id or "", text=message.text, calls=calls, agent=message.name)


def _ask_tool(kind: AskTool) -> BaseTool:
    """Return a tool that interrupts the graph with its arguments; the model reads the answer."""

    def run(tool_call_id: str, **arguments: Any) -> str:
        tool_arguments = to_jsonable_python(arguments, exclude_none=True)
        return interrupt({TOOL_KEY: kind.name, "arguments": tool_arguments, "tool_call_id": tool_call_id})

    schema = create_model(
        kind.name, __base__=kind.arguments, tool_call_id=(Annotated[str, InjectedToolCallId], ...)
    )
    return StructuredTool(name=kind.name, description=kind.description, args_schema=schema, func=run)


ask_user = _ask_tool(ASK_USER)
request_approval = _ask_tool(REQUEST_APPROVAL)
request_env_vars = _ask_tool(REQUEST_ENV_VARS)
