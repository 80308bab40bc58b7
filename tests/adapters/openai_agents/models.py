"""A fake model, and agents made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import agents
from agents import Agent, function_tool
from agents.items import ModelResponse, ToolCallOutputItem
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from askback.adapters import openai_agents as adapter
from tests.adapters.promises import Turn

agents.set_tracing_disabled(True)


class FakeModel(Model):
    """Makes the calls of each turn, with ids in their order, and then says "done"."""

    def __init__(self, *turns: Turn) -> None:
        self.left = list(turns)
        self.number = 0

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        output = [self._call(*item) for item in self.left.pop(0)] if self.left else [text_output("done")]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    async def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        output = (await self.get_response()).output
        response = Response(
            id="resp_1",
            created_at=0,
            model="fake",
            object="response",
            output=output,
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(response=response, sequence_number=0, type="response.completed")

    def _call(self, name: str, args: Mapping[str, Any]) -> Any:
        self.number += 1
        return ResponseFunctionToolCall(
            type="function_call", name=name, arguments=json.dumps(args), call_id=f"call_{self.number}"
        )


def text_output(text: str) -> Any:
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="msg_1", type="message", role="assistant", status="completed", content=[content]
    )


def release_agent(
    *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
) -> Agent[Any]:
    """Return an agent whose tool `deploy` needs approval."""
    functions = [] if deploy is None else [function_tool(deploy, needs_approval=True)]
    return Agent(
        name, model=FakeModel(*turns), tools=[*functions, *(getattr(adapter, tool) for tool in tools)]
    )


def results(result: Any) -> list[str]:
    """Return the tool results that the model read."""
    return [str(item.output) for item in result.new_items if isinstance(item, ToolCallOutputItem)]
