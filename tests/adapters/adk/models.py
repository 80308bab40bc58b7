"""A fake model, and runners of agents made of it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.events import Event
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import FunctionTool
from google.genai import types

from askback.adapters import adk as adapter
from tests.adapters.promises import Turn

GO = types.UserContent("go")
WHERE: Any = {"user_id": "u", "session_id": "s1"}


class FakeModel(BaseLlm):
    """Makes the calls of each turn, with ids in their order, and then says "done"."""

    model: str = "fake"
    left: list[Turn] = []
    number: int = 0
    read: list[types.Content] = []

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.read = llm_request.contents
        parts = [self._call(name, dict(args)) for name, args in (self.left.pop(0) if self.left else ())]
        content = types.ModelContent(parts or "done")
        yield LlmResponse(content=content)

    def _call(self, name: str, args: dict[str, Any]) -> types.Part:
        self.number += 1
        return types.Part(function_call=types.FunctionCall(id=f"call_{self.number}", name=name, args=args))


def release_agent(
    *turns: Turn,
    deploy: Any = None,
    tools: Sequence[str] = (),
    name: str = "releaser",
    more: Sequence[Any] = (),
    **options: Any,
) -> LlmAgent:
    """Return an agent whose tool `deploy` needs confirmation."""
    functions = [] if deploy is None else [FunctionTool(deploy, require_confirmation=True)]
    asking = [getattr(adapter, tool) for tool in tools]
    return LlmAgent(
        name=name,
        description="Releases.",
        model=FakeModel(left=list(turns)),
        tools=[*functions, *asking, *more],
        **options,
    )


async def runner_of(agent: BaseAgent, sessions: Any = None) -> Runner:
    """Return a runner, with a session if it has none."""
    sessions = sessions or InMemorySessionService()
    if await sessions.get_session(app_name="app", **WHERE) is None:
        await sessions.create_session(app_name="app", **WHERE)
    return Runner(app_name="app", agent=agent, session_service=sessions)


def results_read_by(agent: LlmAgent) -> list[str]:
    """Return the last tool results that the model of an agent read, in the order of its calls."""
    fake: Any = agent.model
    parts = [part for content in fake.read for part in content.parts or ()]
    result = {response.id: response.response for part in parts if (response := part.function_response)}
    return [json.dumps(result[item]) for item in sorted(result)]


def text_of(events: Sequence[Event]) -> str:
    """Return the last text of a run."""
    content = events[-1].content
    return "".join(part.text or "" for part in (content.parts if content else None) or ())
