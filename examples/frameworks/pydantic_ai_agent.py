"""An agent of Pydantic AI whose deployments a person approves, with a fake model."""

import asyncio

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, Tool, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from askback import AsyncClient
from askback.adapters.pydantic_ai import ask_user, human

TURNS = [
    ToolCallPart("ask_user", {"question": "Which version?", "options": ["1.4", "2.0"]}),
    ToolCallPart("deploy", {"to": "production"}),
    TextPart("Done."),
]


def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Say what comes next."""
    print(messages[-1])
    return ModelResponse(parts=[TURNS.pop(0)])


def deploy(to: str) -> str:
    """Deploy the new version."""
    print(f"Deploying to {to}.")
    return f"Deployed to {to}."


async def main() -> None:
    async with AsyncClient() as ask:
        agent = Agent(
            FunctionModel(respond),
            tools=[ask_user, Tool(deploy, requires_approval=True)],
            capabilities=[human(ask, thread_id="release")],
        )
        result = await agent.run("Release it.")
        print(result.output)


asyncio.run(main())
