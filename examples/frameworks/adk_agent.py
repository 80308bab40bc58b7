"""An agent of Google ADK whose deployments a person approves, with a fake model."""

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import FunctionTool
from google.genai.types import FunctionCall, ModelContent, Part, UserContent

from askback import AsyncClient
from askback.adapters.adk import AskbackRunner, ask_user

QUESTION = {"question": "Which version?", "options": ["1.4", "2.0"]}
TURNS = [
    Part(function_call=FunctionCall(name="ask_user", args=QUESTION)),
    Part(function_call=FunctionCall(name="deploy", args={"to": "production"})),
    Part(text="Done."),
]


class FakeModel(BaseLlm):
    """A model that says what it is given."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        for part in llm_request.contents[-1].parts or ():
            print(part.text or part.function_response)
        yield LlmResponse(content=ModelContent([TURNS.pop(0)]))


def deploy(to: str) -> str:
    """Deploy the new version."""
    print(f"Deploying to {to}.")
    return f"Deployed to {to}."


tools = [ask_user, FunctionTool(deploy, require_confirmation=True)]
agent = LlmAgent(name="releaser", model=FakeModel(model="fake"), tools=[*tools])
runner = Runner(app_name="release", agent=agent, session_service=InMemorySessionService())


async def main() -> None:
    await runner.session_service.create_session(app_name="release", user_id="ada", session_id="release")
    message = UserContent("Release it.")
    async with AsyncClient() as ask:
        asking = AskbackRunner(runner, ask)
        async for event in asking.run_async(user_id="ada", session_id="release", new_message=message):
            if event.is_final_response():
                print(event.content)


asyncio.run(main())
