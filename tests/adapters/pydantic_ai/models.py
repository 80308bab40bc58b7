"""A fake model, and agents made of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    ModelResponse,
    TextPart,
    Tool,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from askback.adapters import pydantic_ai as adapter
from tests.adapters.promises import Turn


def model(*turns: Turn, same_ids: bool = False) -> FunctionModel:
    """Return a model that makes the calls of each turn, with ids in their order, and then says "done".

    With `same_ids` each turn begins with `call_1` again.
    """
    left, number = list(turns), 0

    def respond(messages: Any, info: AgentInfo) -> ModelResponse:
        nonlocal number
        if not left:
            return ModelResponse(parts=[TextPart("done")])
        parts, number = [], 0 if same_ids else number
        for name, args in left.pop(0):
            number += 1
            parts.append(ToolCallPart(name, dict(args), tool_call_id=f"call_{number}"))
        return ModelResponse(parts=parts)

    async def stream(messages: Any, info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        for index, part in enumerate(respond(messages, info).parts):
            if isinstance(part, ToolCallPart):
                yield {
                    index: DeltaToolCall(
                        part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id
                    )
                }
            elif isinstance(part, TextPart):
                yield part.content

    return FunctionModel(respond, stream_function=stream)


def release_agent(
    *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
) -> Agent[None, Any]:
    """Return an agent whose tool `deploy` needs approval, and whose run may end with deferred calls."""
    functions = [] if deploy is None else [Tool(deploy, requires_approval=True)]
    asking = [getattr(adapter, tool) for tool in tools]
    output: Any = [str, DeferredToolRequests]
    return Agent(model(*turns), name=name, tools=[*functions, *asking], output_type=output)


def results(result: Any) -> list[str]:
    """Return the tool results that the model read."""
    parts = [part for message in result.all_messages() for part in message.parts]
    return [part.model_response_str() for part in parts if isinstance(part, ToolReturnPart)]
