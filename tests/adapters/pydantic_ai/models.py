"""A fake model, and agents made of it."""

from __future__ import annotations

from collections.abc import Sequence
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
from pydantic_ai.models.function import AgentInfo, FunctionModel

from askback.adapters import pydantic_ai as adapter
from tests.adapters.promises import Turn


def model(*turns: Turn) -> FunctionModel:
    """Return a model that makes the calls of each turn, with ids in their order, and then says "done"."""
    left, number = list(turns), 0

    def respond(messages: Any, info: AgentInfo) -> ModelResponse:
        nonlocal number
        if not left:
            return ModelResponse(parts=[TextPart("done")])
        parts = []
        for name, args in left.pop(0):
            number += 1
            parts.append(ToolCallPart(name, dict(args), tool_call_id=f"call_{number}"))
        return ModelResponse(parts=parts)

    return FunctionModel(respond)


def releaser(
    *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
) -> Agent[None, Any]:
    """Return an agent whose tool `deploy` needs approval, and whose run may end with deferred calls."""
    functions = [] if deploy is None else [Tool(deploy, requires_approval=True)]
    asking = [getattr(adapter, each) for each in tools]
    output: Any = [str, DeferredToolRequests]
    return Agent(model(*turns), name=name, tools=[*functions, *asking], output_type=output)


def results(result: Any) -> list[str]:
    """Return what the model read of its tools."""
    parts = [part for each in result.all_messages() for part in each.parts]
    return [part.model_response_str() for part in parts if isinstance(part, ToolReturnPart)]
