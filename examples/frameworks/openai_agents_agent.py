"""An agent of the OpenAI Agents SDK whose deployments a person approves, with a fake model."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from askback import AsyncClient
from askback.adapters.openai_agents import Runner, ask_user

set_tracing_disabled(True)


def call(name: str, call_id: str, **arguments: Any) -> ResponseFunctionToolCall:
    """Return a tool call of the model."""
    return ResponseFunctionToolCall(
        type="function_call", name=name, call_id=call_id, arguments=json.dumps(arguments)
    )


DONE = ResponseOutputMessage(
    id="msg_1",
    type="message",
    role="assistant",
    status="completed",
    content=[ResponseOutputText(type="output_text", text="Done.", annotations=[])],
)


class FakeModel(Model):
    """A model that says what it is given."""

    def __init__(self) -> None:
        options = ["1.4", "2.0"]
        self.turns = [
            call("ask_user", "call_1", question="Which version?", options=options),
            call("deploy", "call_2", to="production"),
            DONE,
        ]

    async def get_response(
        self, system_instructions: Any, input: Any, *more: Any, **rest: Any
    ) -> ModelResponse:
        print(input[-1])
        return ModelResponse(output=[self.turns.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *arguments: Any, **rest: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@function_tool(needs_approval=True)
def deploy(to: str) -> str:
    """Deploy the new version."""
    print(f"Deploying to {to}.")
    return f"Deployed to {to}."


agent = Agent(name="releaser", model=FakeModel(), tools=[deploy, ask_user])


async def main() -> None:
    async with AsyncClient() as ask:
        result = await Runner.run(agent, "Release it.", ask=ask, thread_id="release")
        print(result.final_output)


asyncio.run(main())
